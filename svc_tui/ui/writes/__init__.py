"""Writes other than an edit: create, delete, undo, actions, unsent forms."""
