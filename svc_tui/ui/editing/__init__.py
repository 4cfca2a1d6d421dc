"""Editing a record: the field editor, drafts, and the choice where others changed the same field."""
