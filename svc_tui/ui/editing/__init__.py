"""Editing a record: field editor, change card, conflict, and the lock."""
