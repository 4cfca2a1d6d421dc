"""What is kept on this machine: the journal of writes, the drafts and the batches, in SQLite."""

from svc_tui.store.journal import checked_chain
from svc_tui.store.store import Store

__all__ = ["Store", "checked_chain"]
