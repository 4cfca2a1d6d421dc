"""The local store as a whole: one database, one thread, a journal, drafts and request history for every scope."""

import sqlite3
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from svc_tui.domain.console.ports import HistoryStore
from svc_tui.domain.editing.ports import Journal, StorageScope, StoreError
from svc_tui.domain.plans.ports import RunStore
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.drafts import SqliteDrafts, unreadable_drafts
from svc_tui.store.forms import SqliteForms, unreadable_forms
from svc_tui.store.history import SqliteHistory
from svc_tui.store.journal import SqliteJournal, find_lost_end, first_broken_line
from svc_tui.store.key_fingerprints import FILE_NAME, KeyFingerprints, KeyInUse
from svc_tui.store.process_lock import ProcessLock
from svc_tui.store.row_values import scope_key, unfinished_scope_key
from svc_tui.store.runs import SqliteRuns

if TYPE_CHECKING:
    # Loaded where there is a team.
    from svc_tui.domain.team.ports import OwnChain
    from svc_tui.store.team.asks import SqliteAsks
    from svc_tui.store.team.own_chain import ChainRules


class Store:
    """The database in the user's state directory; several programs may share it."""

    def __init__(
        self, worker: DatabaseThread, presence: ProcessLock, fingerprints: KeyFingerprints, notice: str
    ) -> None:
        self._database = worker
        self.fingerprints = fingerprints
        self._process_lock = presence
        self._in_flight: set[int] = set()
        self._drafts: dict[str, SqliteDrafts] = {}
        self._forms: dict[StorageScope, SqliteForms] = {}
        self._closed = False
        self.notice = notice
        """What the user should know of how the store was found, in one line; "" when all is well."""

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Open the database at `path`, made where there is none; raises StoreError."""
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
        """The journal of writes made under `scope`; `key_origin` says in it where the key comes from."""
        unsent = (self.drafts(scope), self.forms(scope))
        return SqliteJournal(self._database, scope, self._process_lock, self._in_flight, unsent, key_origin, key)

    def own_chain(self, scope: StorageScope, rules: "ChainRules") -> "OwnChain":
        """What a team is told of the writes made under `scope`."""
        from svc_tui.store.team.own_chain import SqliteOwnChain

        return SqliteOwnChain(self._database, scope, rules)

    def asks(self, scope: StorageScope) -> "SqliteAsks":
        """What is kept of the changes under `scope` that colleagues are asked to approve."""
        from svc_tui.store.team.asks import SqliteAsks

        return SqliteAsks(self._database, scope)

    def runs(self, scope: StorageScope, key: KeyInUse | None = None) -> RunStore:
        """The plans that are or were carried out under `scope`."""
        return SqliteRuns(self._database, scope, self._process_lock, key)

    def history(self, scope: StorageScope, limit: int, key: KeyInUse | None = None) -> HistoryStore:
        """The requests tried out under `scope`, at most `limit` of them."""
        return SqliteHistory(self._database, scope, limit, key)

    def drafts(self, scope: StorageScope, key: KeyInUse | None = None) -> SqliteDrafts:
        """The drafts made under `scope`; `key` is used from now on."""
        return self._drafts_of(scope_key(scope), key)

    def unfinished(self, scope: StorageScope, key: KeyInUse | None = None) -> SqliteDrafts:
        """The texts typed into fields under `scope` and not yet applied, as the edits of drafts."""
        return self._drafts_of(unfinished_scope_key(scope), key)

    def _drafts_of(self, scope: str, key: KeyInUse | None) -> SqliteDrafts:
        if scope not in self._drafts:
            self._drafts[scope] = SqliteDrafts(self._database, scope, self._process_lock)
        drafts = self._drafts[scope]
        drafts.key = key or drafts.key
        return drafts

    def forms(self, scope: StorageScope, key: KeyInUse | None = None) -> SqliteForms:
        """The forms begun under `scope`; `key` is used from now on."""
        if scope not in self._forms:
            self._forms[scope] = SqliteForms(self._database, scope)
        forms = self._forms[scope]
        forms.key = key or forms.key
        return forms

    async def aclose(self) -> None:
        """Put everything on the disk and close; may be called again. Raises StoreError."""
        if self._closed:
            return
        self._closed = True
        try:
            for drafts in self._drafts.values():
                await drafts.aclose()
            for forms in self._forms.values():
                await forms.aclose()
        finally:
            # What this program was at is nobody's once all of it is on the disk.
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
    """What is to be said of a journal that does not hold its end; "" where it does."""
    try:
        difference = find_lost_end(connection, path)
    except StoreError as error:
        return str(error)
    if difference is None:
        return ""
    return f"the journal in {path} is damaged: {difference.problem.value}; run svc-tui doctor for details"
