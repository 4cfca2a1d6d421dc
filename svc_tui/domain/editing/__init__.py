"""Changing records: drafts, the write pipeline, the lock, undo, the journal."""
