"""The browser itself: app, screens, panes, widgets, text."""
