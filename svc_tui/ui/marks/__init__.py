"""Marking the records of a list of ids."""
