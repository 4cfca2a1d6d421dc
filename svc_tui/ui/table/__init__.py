"""The table of a collection: its pane, cursor, columns, filter, marks, views."""
