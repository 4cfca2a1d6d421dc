"""Lines of one row: status, keys, tabs, progress."""
