"""The request console: its pane, history, saved requests, and what is done with answers."""
