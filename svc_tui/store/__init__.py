"""What is kept on this machine: the journal of writes, drafts, batches and the history of requests, in SQLite."""

from svc_tui.store.journal import checked_chain
from svc_tui.store.store import Store

__all__ = ["Store", "checked_chain"]
