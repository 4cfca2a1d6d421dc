"""Screens: the main one, and the dialogs that ask."""
