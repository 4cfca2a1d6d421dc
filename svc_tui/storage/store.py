"""The local store: one database and its thread, with journal, drafts, runs and request history of every scope."""

import sqlite3
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from svc_tui.storage.database_thread import DatabaseThread
from svc_tui.storage.drafts import DraftStore, unreadable_drafts
from svc_tui.storage.errors import StoreError
from svc_tui.storage.history import HistoryStore
from svc_tui.storage.journal import Journal, find_lost_end, first_broken_line
from svc_tui.storage.key_fingerprints import FILE_NAME, KeyFingerprints, KeyInUse
from svc_tui.storage.process_lock import ProcessLock
from svc_tui.storage.runs import RunStore
from svc_tui.storage.scope import StorageScope, scope_key, unfinished_scope_key
from svc_tui.storage.unsent_forms import FormStore, unreadable_forms

if TYPE_CHECKING:
    # Loaded where there is a team.
    from svc_tui.storage.team.kept_asks import AskStore
    from svc_tui.storage.team.own_chain import ChainRules, OwnChain


class Store:
    """The database in the user's state directory; several programs may share it."""

    def __init__(
        self, worker: DatabaseThread, presence: ProcessLock, fingerprints: KeyFingerprints, notice: str
    ) -> None:
        self._database = worker
        self.fingerprints = fingerprints
        self._process_lock = presence
        self._in_flight: set[int] = set()
        self._drafts: dict[str, DraftStore] = {}
        self._forms: dict[StorageScope, FormStore] = {}
        self._closed = False
        self.notice = notice
        """A message for the user about damage found while opening, in one line; "" if there is none."""

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Open the database at `path`, which is created if it does not exist; raises StoreError."""
        worker = DatabaseThread(path)
        try:
            line = worker.now(first_broken_line)
            end_notice = worker.now(partial(_end_notice, path=path))
            lost = {"draft": worker.now(unreadable_drafts), "form": worker.now(unreadable_forms)}
            fingerprints = KeyFingerprints(path.with_name(FILE_NAME))
            presence = ProcessLock(path.with_name("running"))
        except StoreError:
            worker.close()
            raise
        notices = [worker.notice]
        if line is not None:
            notices.append(f"entry {line} of the journal in {path} was not written by svc-tui, or was changed later")
        notices += [end_notice, fingerprints.notice]
        for what, count in lost.items():
            if count:
                things, them = (f"a {what}", "it is") if count == 1 else (f"{count} {what}s", "they are")
                notices.append(f"{path} has {things} that can't be read; {them} not shown")
        return cls(worker, presence, fingerprints, "; ".join(filter(None, notices)))

    def journal(self, scope: StorageScope, key_origin: str = "", key: KeyInUse | None = None) -> Journal:
        """Return the journal of writes in `scope`; `key_origin` is written to it as the source of the key."""
        unsent = (self.drafts(scope), self.forms(scope))
        return Journal(self._database, scope, self._process_lock, self._in_flight, unsent, key_origin, key)

    def own_chain(self, scope: StorageScope, rules: "ChainRules") -> "OwnChain":
        """Return this machine's chain of a team, with the writes in `scope`."""
        from svc_tui.storage.team.own_chain import OwnChain

        return OwnChain(self._database, scope, rules)

    def asks(self, scope: StorageScope) -> "AskStore":
        """Return the approval requests for changes in `scope`."""
        from svc_tui.storage.team.kept_asks import AskStore

        return AskStore(self._database, scope)

    def runs(self, scope: StorageScope, key: KeyInUse | None = None) -> RunStore:
        """Return the runs of plans in `scope`."""
        return RunStore(self._database, scope, self._process_lock, key)

    def history(self, scope: StorageScope, limit: int, key: KeyInUse | None = None) -> HistoryStore:
        """Return the history of console requests in `scope`, which holds at most `limit`."""
        return HistoryStore(self._database, scope, limit, key)

    def drafts(self, scope: StorageScope, key: KeyInUse | None = None) -> DraftStore:
        """Return the drafts of `scope`; `key` is used from now on."""
        return self._drafts_of(scope_key(scope), key)

    def unfinished(self, scope: StorageScope, key: KeyInUse | None = None) -> DraftStore:
        """Return the texts typed into fields in `scope` and not yet applied, as the edits of drafts."""
        return self._drafts_of(unfinished_scope_key(scope), key)

    def _drafts_of(self, scope: str, key: KeyInUse | None) -> DraftStore:
        if scope not in self._drafts:
            self._drafts[scope] = DraftStore(self._database, scope, self._process_lock)
        drafts = self._drafts[scope]
        drafts.key = key or drafts.key
        return drafts

    def forms(self, scope: StorageScope, key: KeyInUse | None = None) -> FormStore:
        """Return the unsent forms of `scope`; `key` is used from now on."""
        if scope not in self._forms:
            self._forms[scope] = FormStore(self._database, scope)
        forms = self._forms[scope]
        forms.key = key or forms.key
        return forms

    async def aclose(self) -> None:
        """Write everything to the disk and close the database; may be called again. Raises StoreError."""
        if self._closed:
            return
        self._closed = True
        try:
            for drafts in self._drafts.values():
                await drafts.aclose()
            for forms in self._forms.values():
                await forms.aclose()
        finally:
            # Runs stop being this program's only after everything is on the disk.
            try:
                await self._database.aclose()
            finally:
                self._process_lock.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _end_notice(connection: sqlite3.Connection, path: Path) -> str:
    """Return the message about a journal whose end is missing or changed, "" if it is complete."""
    try:
        difference = find_lost_end(connection, path)
    except StoreError as error:
        return str(error)
    if difference is None:
        return ""
    return f"the journal in {path} is damaged: {difference.problem.value}; run svc-tui doctor for details"
