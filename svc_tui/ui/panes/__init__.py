"""Panes: the parts of the main screen that know what they show."""
