"""The record beside the table: its pane, tabs, find, peek, copy."""
