"""Widgets: the leaves, which know nothing of panes, screens or the app."""
