"""What is kept on this machine: the journal of writes, drafts, runs and the history of requests, in SQLite."""
