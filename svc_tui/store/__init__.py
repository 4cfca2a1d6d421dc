"""What is kept on this machine: the journal of writes, drafts, and request history, in SQLite."""
