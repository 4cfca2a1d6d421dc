"""The table of a collection: its pane, loading, cursor, columns, filter, marks and views."""
