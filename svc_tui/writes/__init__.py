"""Edits and how they are written: drafts, the write pipeline, the lock, undo."""
