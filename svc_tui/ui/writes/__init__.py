"""Writes other than an edit: create, delete, undo, batches, actions, unsent forms."""
