"""What is kept on this machine: the journal of writes and the drafts, in SQLite."""

from svc_tui.store.store import Store

__all__ = ["Store"]
