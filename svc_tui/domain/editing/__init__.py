"""Changing records: drafts, the write pipeline, the lock, undo, batches, the journal."""
