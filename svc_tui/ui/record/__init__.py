"""The record beside the table: its pane, history, comparison, preview and copying."""
