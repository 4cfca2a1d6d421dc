"""The terminal: abilities, drivers, keys, painting, colors, clipboard, pager."""
