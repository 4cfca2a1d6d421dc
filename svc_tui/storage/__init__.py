"""Storage in SQLite: journal of writes, drafts, runs, history of requests, and the records that were read."""
