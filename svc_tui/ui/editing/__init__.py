"""Editing records: the field editor, drafts, and conflicts."""
