"""Marking the records that a list of ids names."""
