"""What is kept on this machine: the journal of writes, drafts, batches and the history of requests, in SQLite."""
