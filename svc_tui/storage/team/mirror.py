"""This machine's copy of all chains of a team, in a file of its own that may be deleted: the server has everything."""

import asyncio
import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias, TypeVar

from svc_tui.core.folded_text import search_words
from svc_tui.core.jsontext import dumps
from svc_tui.storage.database import DatabaseLayout, transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.journal_entries import Author, JournalEntry, RunWrites, WrittenRecord, entry_matches
from svc_tui.storage.row_values import bindable
from svc_tui.storage.team.colleague_writes import newest_first, read_record_after, read_write, summarize_run
from svc_tui.storage.team.lines import (
    ArrivedLines,
    BrokenChain,
    ChainHead,
    ChainNews,
    KnownChain,
    LineError,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    read_line,
)

_TABLES = (
    """
    CREATE TABLE chains (
        chain     TEXT PRIMARY KEY,
        name      TEXT NOT NULL,
        machine   TEXT NOT NULL,
        sequence  INTEGER NOT NULL,
        digest    TEXT NOT NULL,
        broken_at INTEGER NOT NULL DEFAULT 0,
        why       TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    # `made` is the place of the record that a write made; `at` is in UTC, so that texts are in the order of time.
    """
    CREATE TABLE lines (
        id       INTEGER PRIMARY KEY,
        chain    TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        kind     TEXT NOT NULL,
        service  TEXT NOT NULL,
        place    TEXT NOT NULL,
        made     TEXT NOT NULL,
        run      TEXT NOT NULL,
        entry    INTEGER NOT NULL,
        at       TEXT NOT NULL,
        received TEXT,
        text     TEXT NOT NULL,
        digest   TEXT NOT NULL,
        UNIQUE (chain, sequence)
    ) STRICT
    """,
    "CREATE INDEX lines_by_time ON lines (service, kind, at)",
    "CREATE INDEX lines_by_place ON lines (service, place, kind, at)",
    "CREATE INDEX lines_by_made ON lines (service, made) WHERE made > ''",
    "CREATE INDEX lines_by_run ON lines (service, run, at) WHERE run > ''",
    "CREATE INDEX lines_by_entry ON lines (chain, entry, kind, sequence)",
)

# With `>` in their place, SQLite searches the range and not the one value that is wanted.
_INDEXES_FOR_VALUES = (
    "DROP INDEX lines_by_made",
    "DROP INDEX lines_by_run",
    "CREATE INDEX lines_by_made ON lines (service, made) WHERE made <> ''",
    "CREATE INDEX lines_by_run ON lines (service, run, at) WHERE run <> ''",
)

MIRROR = DatabaseLayout((_TABLES, _INDEXES_FOR_VALUES), copy=True)
"""Its tables; the file is a copy, which is downloaded again if it is lost."""

_SEARCHED_LINES = 200_000
"""Number of the newest lines that are searched for words; older ones are searched on the server."""

_PLAIN_WORD = re.compile(r"[a-z0-9_./-]+")
"""A word that a line contains as it is displayed, whatever the case, unless accents are ignored."""

_OF_WRITES = f"'{LineKind.INTENT.value}', '{LineKind.OUTCOME.value}'"

_UNTOLD = ("unknown", "running")
"""Results of writes that are displayed and in no line."""

_log = logging.getLogger("svc_tui.store")

_T = TypeVar("_T")


class _MirrorDatabase:
    """The database of a mirror, which is opened and prepared when it is first used."""

    def __init__(self, path: Path, prepare: Callable[[DatabaseThread], Awaitable[None]]) -> None:
        self._path, self._prepare = path, prepare
        self._worker: DatabaseThread | None = None
        self._opening = asyncio.Lock()

    async def run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run `work` on the thread of the database, to its end even if the caller is cancelled."""
        async with self._opening:
            if self._worker is None:
                self._worker = await asyncio.to_thread(DatabaseThread, self._path, MIRROR)
                await self._prepare(self._worker)
        return await self._worker.run(work)

    async def prepare_again(self) -> None:
        """Prepare the database once more, if it is open."""
        async with self._opening:
            if self._worker is not None:
                await self._prepare(self._worker)

    async def aclose(self) -> None:
        """Close the database, if it is open."""
        async with self._opening:
            worker, self._worker = self._worker, None
        if worker is not None:
            await worker.aclose()


class TeamMirror:
    """Copy of the chains of all computers of the team, this one too; its file is opened when it is first used.

    Every call raises StoreError.
    """

    def __init__(
        self,
        path: Path,
        own: Callable[[], Awaitable[Author]],
        former: Callable[[], Awaitable[Mapping[str, int]]] | None = None,
    ) -> None:
        """Create the mirror; the chain of `own`, and the `former` ones up to a line, have no colleague's writes."""
        self._database = _MirrorDatabase(path, self._read_own)
        self._find_own, self._find_former = own, former
        self._own, self._former = "", dict[str, int]()

    async def aclose(self) -> None:
        """Close the file, if it is open."""
        await self._database.aclose()

    async def _read_own(self, worker: DatabaseThread) -> None:
        author = await self._find_own()
        self._own, self._former = author.chain, {} if self._find_former is None else dict(await self._find_former())
        if self._former:
            await worker.run(lambda connection: _part(connection, author, self._former))

    async def reload_own(self) -> None:
        """Read again which chain is this machine's."""
        await self._database.prepare_again()

    @on_thread
    def chains(self, connection: sqlite3.Connection) -> Sequence[KnownChain]:
        """Return every chain, as far as it is known."""
        return known_chains(connection)

    @on_thread
    def take(self, connection: sqlite3.Connection, news: ChainNews) -> int:
        """Add the lines that follow the known head; return how many. One that does not marks its chain as broken."""
        former = self._former
        with transaction(connection):
            head, taken = _know(connection, news.author), 0
            if head.sequence and news.known != head.digest:
                why = (
                    "entries are missing at the end"
                    if not news.known
                    else "the last entries were changed after they were written"
                )
                _mark(connection, news.author, head.sequence, why)
                return 0
            for line in news.lines:
                if line.sequence <= head.sequence:
                    # Another program on this machine was faster.
                    continue
                if line.sequence != head.sequence + 1:
                    _mark(connection, news.author, head.sequence + 1, "an entry is missing")
                    break
                if line.previous != head.digest or line.chain != news.author.chain or not line.is_sound:
                    _mark(connection, news.author, line.sequence, "an entry was changed after it was written")
                    break
                _add(connection, line, former)
                head = ChainHead(line.sequence, line.digest)
                taken += 1
            connection.execute(
                "UPDATE chains SET sequence = ?, digest = ? WHERE chain = ?",
                (head.sequence, head.digest, news.author.chain),
            )
        return taken

    async def take_own(self, author: Author, lines: Sequence[SealedLine]) -> None:
        """Add lines of this machine, which the server may not have yet."""
        if author.chain != self._own:
            await self.reload_own()
        await self._add_own(author, lines)

    @on_thread
    def _add_own(self, connection: sqlite3.Connection, author: Author, lines: Sequence[SealedLine]) -> None:
        with transaction(connection):
            _know(connection, author)
            for line in lines:
                _add(connection, line, self._former)

    @on_thread
    def entries(
        self, connection: sqlite3.Connection, scope: ServiceScope, place: str, limit: int
    ) -> Sequence[JournalEntry]:
        """Return colleagues' writes to a place, or to all with "", the newest first."""
        service = service_key(scope)
        if not place:
            return self._read(connection, "ORDER BY intent.at DESC LIMIT ?", (service, self._own, limit))
        where = f"AND intent.id IN ({WRITES_TO_PLACE}) ORDER BY intent.at DESC LIMIT ?"
        name = bindable(place)
        values = (service, self._own, service, name, service, name, limit)
        return self._read(connection, where, values, by_id=True)

    @on_thread
    def search(
        self, connection: sqlite3.Connection, scope: ServiceScope, text: str, limit: int
    ) -> Sequence[JournalEntry]:
        """Return colleagues' writes that contain the words, the newest first."""
        wanted = search_words(text)
        (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM lines").fetchone()
        plain = [word for word in wanted if _PLAIN_WORD.fullmatch(word) and not any(word in other for other in _UNTOLD)]
        # A letter with an accent is an escape in a line.
        odd = "instr(intent.text, '\\u') OR instr(outcome, '\\u')"
        holds = f"AND (instr(lower(intent.text), ?) OR instr(lower(outcome), ?) OR {odd})" * len(plain)
        where = f"AND intent.id > ? {holds} ORDER BY intent.at DESC"
        values = (service_key(scope), self._own, newest - _SEARCHED_LINES, *(word for word in plain for _ in range(2)))
        found: list[JournalEntry] = []
        for row in connection.execute(f"{SELECT_WRITES} {where}", values):
            entry = read_write_row(row)
            if entry is not None and entry_matches(entry, wanted):
                found.append(entry)
                if len(found) == limit:
                    break
        return newest_first(found)

    @on_thread
    def run_entries(
        self, connection: sqlite3.Connection, scope: ServiceScope, limit: int
    ) -> Sequence[JournalEntry | RunWrites]:
        """Return colleagues' writes, the newest first, all of one run in one."""
        service = service_key(scope)
        singles = self._read(
            connection, "AND intent.run = '' ORDER BY intent.at DESC LIMIT ?", (service, self._own, limit)
        )
        rows = connection.execute(_NEWEST_RUNS, (service, self._own, limit)).fetchall()
        runs = [found for (run,) in rows if (found := self._summary(connection, scope, run)) is not None]
        both: list[JournalEntry | RunWrites] = [*singles, *runs]
        return newest_first(both)[:limit]

    @on_thread
    def runs_of(self, connection: sqlite3.Connection, scope: ServiceScope, runs: Iterable[str]) -> Sequence[RunWrites]:
        """Return a summary of each of the runs that colleagues have writes of."""
        found = (self._summary(connection, scope, run) for run in runs)
        return [writes for writes in found if writes is not None]

    @on_thread
    def entry(self, connection: sqlite3.Connection, scope: ServiceScope, number: int) -> JournalEntry | None:
        """Return the colleague's write of this number; None if there is none."""
        entries = self._read(connection, "AND intent.id = ?", (service_key(scope), self._own, -number))
        return next(iter(entries), None)

    @on_thread
    def record_after(self, connection: sqlite3.Connection, scope: ServiceScope, number: int) -> WrittenRecord | None:
        """Return the record as the colleague's write of this number left it; None if that is unknown."""
        rows = connection.execute(_SELECT_OUTCOMES, (service_key(scope), self._own, -number))
        lines = (read_line_row(*row) for row in rows)
        records = (read_record_after(line) for line in lines if line is not None)
        return next((record for record in records if record is not None), None)

    @on_thread
    def run(
        self, connection: sqlite3.Connection, scope: ServiceScope, run: str, limit: int, before: int = 0
    ) -> Sequence[JournalEntry]:
        """Return the newest writes of a colleague's run first, those before the write of number `before`, 0 for all."""
        where = "AND intent.run <> '' AND intent.run = ? AND (? = 0 OR intent.id < ?) ORDER BY intent.id DESC LIMIT ?"
        return self._read(connection, where, (service_key(scope), self._own, run, before, -before, limit))

    @on_thread
    def lines(
        self, connection: sqlite3.Connection, scope: ServiceScope, kinds: Iterable[LineKind], place: str = ""
    ) -> Sequence[TeamLine]:
        """Return the lines of some kinds, own ones too, the oldest first; with `place` those about that alone."""
        names = tuple(kind.value for kind in kinds)
        marks = ", ".join("?" * len(names))
        at_place = "AND place = ?" if place else ""
        rows = connection.execute(
            f"SELECT {LINE_COLUMNS} FROM lines WHERE service = ? AND kind IN ({marks}) {at_place} ORDER BY at, id",  # noqa: S608  marks alone
            (service_key(scope), *names, *((bindable(place),) if place else ())),
        )
        return [line for row in rows if (line := read_line_row(*row)) is not None]

    @on_thread
    def arrived(
        self, connection: sqlite3.Connection, scope: ServiceScope, kinds: Iterable[LineKind], after: int | None
    ) -> ArrivedLines:
        """Return the lines of some kinds that arrived here after a mark, in order of arrival; with None no lines."""
        (mark,) = connection.execute("SELECT coalesce(max(id), 0) FROM lines").fetchone()
        if after is None:
            return ArrivedLines((), mark)
        names = tuple(kind.value for kind in kinds)
        marks = ", ".join("?" * len(names))
        rows = connection.execute(
            f"""
            SELECT {LINE_COLUMNS} FROM lines NOT INDEXED
            WHERE id > ? AND id <= ? AND service = ? AND kind IN ({marks}) ORDER BY id
            """,  # noqa: S608  marks alone
            (after, mark, service_key(scope), *names),
        )
        return ArrivedLines([line for row in rows if (line := read_line_row(*row)) is not None], mark)

    def _summary(self, connection: sqlite3.Connection, scope: ServiceScope, run: str) -> RunWrites | None:
        entries = self._read(
            connection, "AND intent.run <> '' AND intent.run = ?", (service_key(scope), self._own, run)
        )
        return summarize_run(run, entries[::-1])

    def _read(
        self, connection: sqlite3.Connection, where: str, values: Sequence[str | int], *, by_id: bool = False
    ) -> list[JournalEntry]:
        rows = connection.execute(f"{_SELECT_BY_ID if by_id else SELECT_WRITES} {where}", values)
        return newest_first([entry for row in rows if (entry := read_write_row(row)) is not None])


WriteRow: TypeAlias = tuple[int, str, int, str, str, str | None, str | None]
"""A write as `SELECT_WRITES` returns it: its intent, and the text of its last outcome."""

LINE_COLUMNS = "chain, sequence, text, digest, received"

SELECT_WRITES = """
    SELECT intent.id, intent.chain, intent.sequence, intent.text, intent.digest, intent.received,
           (SELECT text FROM lines AS later
            WHERE later.chain = intent.chain AND later.entry = intent.entry AND later.kind = 'outcome'
            ORDER BY later.sequence DESC LIMIT 1) AS outcome
    FROM lines AS intent WHERE intent.service = ? AND intent.kind = 'intent' AND intent.chain <> ?
"""
"""Colleagues' writes; conditions and an order are appended."""

_SELECT_BY_ID = SELECT_WRITES.replace("intent.service", "+intent.service").replace("intent.kind", "+intent.kind")
"""The same for known ids: because of the signs, SQLite looks these up and does not scan all writes of a service."""

_SELECT_OUTCOMES = """
    SELECT later.chain, later.sequence, later.text, later.digest, later.received
    FROM lines AS intent JOIN lines AS later
        ON later.chain = intent.chain AND later.entry = intent.entry AND later.kind = 'outcome'
    WHERE intent.service = ? AND intent.kind = 'intent' AND intent.chain <> ? AND intent.id = ?
    ORDER BY later.sequence DESC
"""

WRITES_TO_PLACE = """
    SELECT id FROM lines WHERE service = ? AND place = ? AND kind = 'intent'
    UNION
    SELECT made.id FROM lines AS outcome
    JOIN lines AS made ON made.chain = outcome.chain AND made.entry = outcome.entry AND made.kind = 'intent'
    WHERE outcome.service = ? AND outcome.made <> '' AND outcome.made = ?
"""
"""Writes to one place: those sent to it, and the one that created the record."""

_NEWEST_RUNS = """
    SELECT run FROM lines WHERE service = ? AND kind = 'intent' AND chain <> ? AND run <> ''
    GROUP BY run ORDER BY max(id) DESC LIMIT ?
"""


def known_chains(connection: sqlite3.Connection) -> list[KnownChain]:
    """Return every chain in the copy, in the order of names."""
    rows = connection.execute("SELECT chain, name, machine, sequence, digest, broken_at, why FROM chains ORDER BY name")
    return [_known(row) for row in rows]


def _known(row: tuple[str, str, str, int, str, int, str]) -> KnownChain:
    chain, name, machine, sequence, digest, broken_at, why = row
    author = Author(name, machine, chain)
    return KnownChain(author, ChainHead(sequence, digest), BrokenChain(author, broken_at, why) if why else None)


def _know(connection: sqlite3.Connection, author: Author) -> ChainHead:
    """Add or rename the chain; return its last known line."""
    head = ChainHead()
    connection.execute(
        """
        INSERT INTO chains (chain, name, machine, sequence, digest) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (chain) DO UPDATE SET name = excluded.name, machine = excluded.machine
        """,
        (author.chain, author.name, author.machine, head.sequence, head.digest),
    )
    row = connection.execute("SELECT sequence, digest FROM chains WHERE chain = ?", (author.chain,)).fetchone()
    return ChainHead(*row)


def _part(connection: sqlite3.Connection, author: Author, former: Mapping[str, int]) -> None:
    """Reduce this machine's former chains, once, to the lines that the server has: later ones may be others there."""
    with transaction(connection):
        if connection.execute("SELECT 1 FROM chains WHERE chain = ?", (author.chain,)).fetchone():
            return
        for chain, last in former.items():
            connection.execute("DELETE FROM lines WHERE chain = ? AND sequence > ?", (chain, last))
            connection.execute(
                f"UPDATE lines SET service = '' WHERE chain = ? AND kind IN ({_OF_WRITES})",  # noqa: S608  own words
                (chain,),
            )
            row = connection.execute(
                "SELECT sequence, digest FROM lines WHERE chain = ? AND sequence = ?", (chain, last)
            ).fetchone()
            head = ChainHead(*row) if row is not None else ChainHead()
            connection.execute(
                "UPDATE chains SET sequence = ?, digest = ? WHERE chain = ? AND sequence > ?",
                (head.sequence, head.digest, chain, head.sequence),
            )
        _know(connection, author)


def _mark(connection: sqlite3.Connection, author: Author, sequence: int, why: str) -> None:
    connection.execute(
        "UPDATE chains SET broken_at = ?, why = ? WHERE chain = ? AND why = ''", (sequence, why, author.chain)
    )
    _log.warning("the team's chain of %s on %s: from entry %d on, %s", author.name, author.machine, sequence, why)


def _add(connection: sqlite3.Connection, sealed: SealedLine, former: Mapping[str, int]) -> None:
    """Add a line; one that can't be read is stored and never shown, and so are writes of this machine's own journal."""
    kind = service = place = made = run = ""
    entry, at = 0, datetime.now(UTC)
    try:
        line = read_line(sealed)
    except LineError as error:
        _log.warning("entry %d of a colleague's journal can't be read: %s", sealed.sequence, error)
    else:
        kind, service, place = line.kind.value, service_key(line.scope), bindable(line.place)
        entry, at = line.entry, line.at
        if kind == LineKind.INTENT and isinstance(batch := line.content.get("batch"), str):
            run = bindable(batch)
        if kind == LineKind.OUTCOME and isinstance(about := line.content.get("place"), str):
            made = bindable(about)
        if kind in (LineKind.INTENT, LineKind.OUTCOME) and sealed.sequence <= former.get(sealed.chain, 0):
            service = ""
    received = None if sealed.received is None else sealed.received.isoformat()
    connection.execute(
        """
        INSERT INTO lines (chain, sequence, kind, service, place, made, run, entry, at, received, text, digest)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (chain, sequence) DO UPDATE SET received = excluded.received
        """,
        (
            sealed.chain, sealed.sequence, kind, service, place, made, run, entry, at.astimezone(UTC).isoformat(),
            received, sealed.text, sealed.digest,
        ),
    )  # fmt: skip


def read_line_row(chain: str, sequence: int, text: str, digest: str, received: str | None) -> TeamLine | None:
    """Return the line of a row; None if it can't be read."""
    try:
        return read_line(SealedLine(chain, sequence, "", text, digest, _moment(received)))
    except LineError:
        return None


def read_write_row(row: WriteRow) -> JournalEntry | None:
    """Return the write of a row; None if it can't be read."""
    number, chain, sequence, text, digest, received, outcome = row
    line = read_line_row(chain, sequence, text, digest, received)
    ended = None if outcome is None else read_line_row(chain, 0, outcome, "", None)
    return None if line is None else read_write(-number, line, ended)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def service_key(scope: ServiceScope) -> str:
    """Return the text that is the key of the lines about a service."""
    return dumps([scope.environment, scope.base_url], ascii_only=True)
