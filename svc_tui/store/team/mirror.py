"""This machine's copy of everybody's chain, in a file of its own that can be thrown away: the server has it all."""

import asyncio
import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias, TypeVar

from svc_tui.domain.editing.journal import entry_matches, search_words
from svc_tui.domain.editing.ports import Author, JournalEntry, RunWrites, WrittenRecord
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.team.lines import (
    ChainHead,
    LineError,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    read_line,
)
from svc_tui.domain.team.ports import ArrivedLines, BrokenChain, ChainNews, KnownChain
from svc_tui.domain.team.writes import newest_first, summarize_run
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.team.mirror_schema import MIRROR
from svc_tui.store.team.written_lines import read_record_after, read_write

_SEARCHED_LINES = 200_000
"""How many of the newest lines are looked through for words; the rest is the server's to search."""

_PLAIN_WORD = re.compile(r"[a-z0-9_./-]+")
"""A word that stands in a line just as people read it, whatever the case, unless it is read without accents."""

_OF_WRITES = f"'{LineKind.INTENT.value}', '{LineKind.OUTCOME.value}'"

_UNTOLD = ("unknown", "running")
"""What is said of a write that no line says."""

_log = logging.getLogger("svc_tui.store")

_T = TypeVar("_T")


class SqliteMirror:
    """See `domain.team.ports.TeamMirror`; its file is opened when it is first needed."""

    def __init__(
        self,
        path: Path,
        own: Callable[[], Awaitable[Author]],
        former: Callable[[], Awaitable[Mapping[str, int]]] | None = None,
    ) -> None:
        """Make it; the writes in the chain of `own` are no colleague's, nor those in the `former` ones up to a line."""
        self._path, self._find_own, self._find_former = path, own, former
        self._own, self._former = "", dict[str, int]()
        self._worker: DatabaseThread | None = None
        self._opening = asyncio.Lock()

    async def aclose(self) -> None:
        """Close the file, if it was opened."""
        async with self._opening:
            worker, self._worker = self._worker, None
        if worker is not None:
            await worker.aclose()

    async def _run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        async with self._opening:
            if self._worker is None:
                self._worker = await asyncio.to_thread(DatabaseThread, self._path, MIRROR)
                await self._meet_own(self._worker)
        return await self._worker.run(work)

    async def _meet_own(self, worker: DatabaseThread) -> None:
        author = await self._find_own()
        self._own, self._former = author.chain, {} if self._find_former is None else dict(await self._find_former())
        if self._former:
            await worker.run(lambda connection: _part(connection, author, self._former))

    async def meet_own(self) -> None:
        """Learn which chain is this machine's by now."""
        async with self._opening:
            if self._worker is not None:
                await self._meet_own(self._worker)

    async def chains(self) -> Sequence[KnownChain]:
        """Every chain, as far as it is known."""
        return await self._run(known_chains)

    async def take(self, news: ChainNews) -> int:
        """Add the lines that follow the known head; gives how many. One that does not fit marks its chain as broken."""
        return await self._run(lambda connection: _take(connection, news, self._former))

    async def take_own(self, author: Author, lines: Sequence[SealedLine]) -> None:
        """Add lines of this machine, which the server may not have yet."""

        def add(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                _know(connection, author)
                for line in lines:
                    _add(connection, line, self._former)

        if author.chain != self._own:
            await self.meet_own()
        await self._run(add)

    async def entries(self, scope: ServiceScope, place: str, limit: int) -> Sequence[JournalEntry]:
        """Colleagues' writes to a place, or to all with "", the newest first."""
        return await self._run(lambda connection: self._entries(connection, scope, place, limit))

    async def search(self, scope: ServiceScope, text: str, limit: int) -> Sequence[JournalEntry]:
        """Colleagues' writes that the words are found in, the newest first."""
        return await self._run(lambda connection: self._search(connection, scope, text, limit))

    async def run_entries(self, scope: ServiceScope, limit: int) -> Sequence[JournalEntry | RunWrites]:
        """Colleagues' writes, the newest first, all of one run in one."""
        return await self._run(lambda connection: self._listed(connection, scope, limit))

    async def runs_of(self, scope: ServiceScope, runs: Iterable[str]) -> Sequence[RunWrites]:
        """Those of the runs that colleagues have writes of, in short."""

        def read(connection: sqlite3.Connection) -> list[RunWrites]:
            found = (self._summary(connection, scope, run) for run in runs)
            return [writes for writes in found if writes is not None]

        return await self._run(read)

    async def entry(self, scope: ServiceScope, number: int) -> JournalEntry | None:
        """The colleague's write of this number; None where there is none."""

        def read(connection: sqlite3.Connection) -> JournalEntry | None:
            return next(
                iter(self._read(connection, "AND intent.id = ?", (service_key(scope), self._own, -number))), None
            )

        return await self._run(read)

    async def record_after(self, scope: ServiceScope, number: int) -> WrittenRecord | None:
        """Return the record as the colleague's write of this number left it; None where that is not known."""

        def read(connection: sqlite3.Connection) -> WrittenRecord | None:
            rows = connection.execute(_SELECT_OUTCOMES, (service_key(scope), self._own, -number))
            lines = (read_line_row(*row) for row in rows)
            records = (read_record_after(line) for line in lines if line is not None)
            return next((record for record in records if record is not None), None)

        return await self._run(read)

    async def run(self, scope: ServiceScope, run: str, limit: int, before: int = 0) -> Sequence[JournalEntry]:
        """The newest writes of a colleague's run first, those before the write of number `before`, 0 for all."""

        def read(connection: sqlite3.Connection) -> list[JournalEntry]:
            where = (
                "AND intent.run <> '' AND intent.run = ? AND (? = 0 OR intent.id < ?) ORDER BY intent.id DESC LIMIT ?"
            )
            return self._read(connection, where, (service_key(scope), self._own, run, before, -before, limit))

        return await self._run(read)

    async def lines(self, scope: ServiceScope, kinds: Iterable[LineKind], place: str = "") -> Sequence[TeamLine]:
        """The lines of some kinds, own ones too, the oldest first; with `place` those about that alone."""
        wanted = tuple(kind.value for kind in kinds)

        def read(connection: sqlite3.Connection) -> list[TeamLine]:
            marks = ", ".join("?" * len(wanted))
            there = "AND place = ?" if place else ""
            rows = connection.execute(
                f"SELECT {LINE_COLUMNS} FROM lines WHERE service = ? AND kind IN ({marks}) {there} ORDER BY at, id",  # noqa: S608  marks alone
                (service_key(scope), *wanted, *((_bindable(place),) if place else ())),
            )
            return [line for row in rows if (line := read_line_row(*row)) is not None]

        return await self._run(read)

    async def arrived(self, scope: ServiceScope, kinds: Iterable[LineKind], after: int | None) -> ArrivedLines:
        """The lines of some kinds that came here after a mark, in the order in which they came; with None no lines."""
        wanted = tuple(kind.value for kind in kinds)

        def read(connection: sqlite3.Connection) -> ArrivedLines:
            (mark,) = connection.execute("SELECT coalesce(max(id), 0) FROM lines").fetchone()
            if after is None:
                return ArrivedLines((), mark)
            marks = ", ".join("?" * len(wanted))
            rows = connection.execute(
                f"""
                SELECT {LINE_COLUMNS} FROM lines NOT INDEXED
                WHERE id > ? AND id <= ? AND service = ? AND kind IN ({marks}) ORDER BY id
                """,  # noqa: S608  marks alone
                (after, mark, service_key(scope), *wanted),
            )
            return ArrivedLines([line for row in rows if (line := read_line_row(*row)) is not None], mark)

        return await self._run(read)

    # On the database's thread

    def _entries(
        self, connection: sqlite3.Connection, scope: ServiceScope, place: str, limit: int
    ) -> list[JournalEntry]:
        service = service_key(scope)
        if not place:
            return self._read(connection, "ORDER BY intent.at DESC LIMIT ?", (service, self._own, limit))
        where = f"AND intent.id IN ({WRITES_TO_PLACE}) ORDER BY intent.at DESC LIMIT ?"
        name = _bindable(place)
        values = (service, self._own, service, name, service, name, limit)
        return self._read(connection, where, values, by_id=True)

    def _listed(
        self, connection: sqlite3.Connection, scope: ServiceScope, limit: int
    ) -> list[JournalEntry | RunWrites]:
        service = service_key(scope)
        singles = self._read(
            connection, "AND intent.run = '' ORDER BY intent.at DESC LIMIT ?", (service, self._own, limit)
        )
        rows = connection.execute(_NEWEST_RUNS, (service, self._own, limit)).fetchall()
        runs = [found for (run,) in rows if (found := self._summary(connection, scope, run)) is not None]
        both: list[JournalEntry | RunWrites] = [*singles, *runs]
        return newest_first(both)[:limit]

    def _summary(self, connection: sqlite3.Connection, scope: ServiceScope, run: str) -> RunWrites | None:
        entries = self._read(
            connection, "AND intent.run <> '' AND intent.run = ?", (service_key(scope), self._own, run)
        )
        return summarize_run(run, entries[::-1])

    def _search(self, connection: sqlite3.Connection, scope: ServiceScope, text: str, limit: int) -> list[JournalEntry]:
        wanted = search_words(text)
        (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM lines").fetchone()
        plain = [word for word in wanted if _PLAIN_WORD.fullmatch(word) and not any(word in other for other in _UNTOLD)]
        # A letter with an accent is written by its number in a line.
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

    def _read(
        self, connection: sqlite3.Connection, where: str, values: Sequence[str | int], *, by_id: bool = False
    ) -> list[JournalEntry]:
        rows = connection.execute(f"{_SELECT_BY_ID if by_id else SELECT_WRITES} {where}", values)
        return newest_first([entry for row in rows if (entry := read_write_row(row)) is not None])


WriteRow: TypeAlias = tuple[int, str, int, str, str, str | None, str | None]
"""A write as `SELECT_WRITES` gives it: its intent, and the text of its last outcome."""

LINE_COLUMNS = "chain, sequence, text, digest, received"

SELECT_WRITES = """
    SELECT intent.id, intent.chain, intent.sequence, intent.text, intent.digest, intent.received,
           (SELECT text FROM lines AS later
            WHERE later.chain = intent.chain AND later.entry = intent.entry AND later.kind = 'outcome'
            ORDER BY later.sequence DESC LIMIT 1) AS outcome
    FROM lines AS intent WHERE intent.service = ? AND intent.kind = 'intent' AND intent.chain <> ?
"""
"""Colleagues' writes, to be narrowed down and put in order."""

_SELECT_BY_ID = SELECT_WRITES.replace("intent.service", "+intent.service").replace("intent.kind", "+intent.kind")
"""The same of those whose ids are known: with the signs, SQLite looks these up, and not through all of a service."""

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
"""The writes to one place: those meant for it, and the one that made the record there."""

_NEWEST_RUNS = """
    SELECT run FROM lines WHERE service = ? AND kind = 'intent' AND chain <> ? AND run <> ''
    GROUP BY run ORDER BY max(id) DESC LIMIT ?
"""


def known_chains(connection: sqlite3.Connection) -> list[KnownChain]:
    """Every chain in the copy, by its name."""
    rows = connection.execute("SELECT chain, name, machine, sequence, digest, broken_at, why FROM chains ORDER BY name")
    return [_known(row) for row in rows]


def _known(row: tuple[str, str, str, int, str, int, str]) -> KnownChain:
    chain, name, machine, sequence, digest, broken_at, why = row
    author = Author(name, machine, chain)
    return KnownChain(author, ChainHead(sequence, digest), BrokenChain(author, broken_at, why) if why else None)


def _know(connection: sqlite3.Connection, author: Author) -> ChainHead:
    """Note the chain, with the name that it goes by now; gives how far it is known."""
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
    """Have this machine's former chains be as the server has them, once: lines of its own may stand in their places."""
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


def _take(connection: sqlite3.Connection, news: ChainNews, former: Mapping[str, int]) -> int:
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


def _mark(connection: sqlite3.Connection, author: Author, sequence: int, why: str) -> None:
    connection.execute(
        "UPDATE chains SET broken_at = ?, why = ? WHERE chain = ? AND why = ''", (sequence, why, author.chain)
    )
    _log.warning("the team's chain of %s on %s: from entry %d on, %s", author.name, author.machine, sequence, why)


def _add(connection: sqlite3.Connection, sealed: SealedLine, former: Mapping[str, int]) -> None:
    """Add a line; what can't be read is kept as it is, and shown nowhere, nor is what one's own journal tells."""
    kind = service = place = made = run = ""
    entry, at = 0, datetime.now(UTC)
    try:
        line = read_line(sealed)
    except LineError as error:
        _log.warning("entry %d of a colleague's journal can't be read: %s", sealed.sequence, error)
    else:
        kind, service, place = line.kind.value, service_key(line.scope), _bindable(line.place)
        entry, at = line.entry, line.at
        if kind == LineKind.INTENT and isinstance(batch := line.content.get("batch"), str):
            run = _bindable(batch)
        if kind == LineKind.OUTCOME and isinstance(about := line.content.get("place"), str):
            made = _bindable(about)
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
    """The line of a row; None where it can't be read."""
    try:
        return read_line(SealedLine(chain, sequence, "", text, digest, _moment(received)))
    except LineError:
        return None


def read_write_row(row: WriteRow) -> JournalEntry | None:
    """The write of a row; None where it can't be read."""
    number, chain, sequence, text, digest, received, outcome = row
    line = read_line_row(chain, sequence, text, digest, received)
    ended = None if outcome is None else read_line_row(chain, 0, outcome, "", None)
    return None if line is None else read_write(-number, line, ended)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def service_key(scope: ServiceScope) -> str:
    """What the lines about a service are filed under."""
    return dumps([scope.environment, scope.base_url], ascii_only=True)


def _bindable(text: str) -> str:
    """Half a character (a lone surrogate) can't be bound."""
    return text.encode("utf-8", "replace").decode()
