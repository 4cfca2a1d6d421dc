"""Writes other than an edit: create, delete, undo, actions; and what is not sent yet."""
