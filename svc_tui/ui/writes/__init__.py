"""Creating, deleting, actions and undo; drafts and forms that are not sent."""
