"""The journal of writes: one line before a request leaves, one after, each sealed with the hash of the one before."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.core.folded_text import search_words
from svc_tui.core.jsontext import Json, dumps, number
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.dataclass_codec import DataclassCodec
from svc_tui.storage.drafts import DraftStore
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_end import JournalEndFile, check_end, end_difference, last_line, last_pruned, reading
from svc_tui.storage.journal_entries import (
    BrokenLink,
    ChainCheck,
    EndDifference,
    Intent,
    JournalEnd,
    JournalEntry,
    Outcome,
    Pruning,
    RowWrite,
    RunWrites,
    WriteInProgress,
    WrittenRecord,
    entry_matches,
    entry_result,
)
from svc_tui.storage.key_fingerprints import KeyInUse, is_other_key
from svc_tui.storage.process_lock import ProcessLock
from svc_tui.storage.row_values import bindable, describe_unreadable, place_key, read_object, read_time
from svc_tui.storage.schema import BATCH_EXPRESSION, MADE_PLACE_EXPRESSION, PLACE_EXPRESSION
from svc_tui.storage.scope import StorageScope, scope_key
from svc_tui.storage.unsent_forms import FormStore

if TYPE_CHECKING:
    from svc_tui.core.field_forms import FormTarget

CHECKED_LINES = 1_000
"""Number of the newest lines that are checked when the store is opened."""

EntryRow = tuple[int, str, str | None, str | None, str | None]
"""A write as `SELECT_ENTRIES` returns it: its number, intent, fields before and after, and its last outcome."""

_Mark = Callable[[sqlite3.Connection, int], None]
"""Notes the number of an entry in the row of the draft or form that it sends."""

_UNREADABLE_INTENT = describe_unreadable("a journal entry")
INTENT_CODEC = DataclassCodec(
    Intent,
    _UNREADABLE_INTENT,
    beside=("before", "after"),
    sparse=("body_bytes", "batch", "body_digest", "row", "approval", "approved_by"),
)
OUTCOME_CODEC = DataclassCodec(
    Outcome,
    describe_unreadable("an outcome"),
    sparse=("made", "place", "code"),
)


class Journal:
    """Append-only journal of the writes of this computer in one scope. Every call raises StoreError."""

    def __init__(
        self,
        worker: DatabaseThread,
        scope: StorageScope,
        presence: ProcessLock,
        in_flight: set[int],
        unsent: tuple[DraftStore, FormStore],
        key_origin: str = "",
        key: KeyInUse | None = None,
    ) -> None:
        """Create the journal; `key_origin` is the source of the key.

        `in_flight` are the numbers of the writes that this program is sending now, of every scope; `unsent` are the
        drafts and forms of the same scope.
        """
        self._drafts, self._forms = unsent
        self._database, self._end = worker, JournalEndFile(worker.path)
        self._process_lock, self._in_flight = presence, in_flight
        self._scope = scope_key(scope)
        self._key_origin, self._key = key_origin, key

    async def intend(self, intent: Intent, origin: "Place | FormTarget | None" = None) -> int:
        """Append the intent; when this returns, the line is on the disk. Return the entry's number.

        The stored draft or form that is sent, `origin`, names the entry from the same transaction on.
        """
        mark = await self._mark_of(origin)
        key: dict[str, Json] = {"key": self._key_origin} if self._key_origin else {}
        if self._key is not None:
            key["key_fingerprint"] = self._key.fingerprint
        text = INTENT_CODEC.text(intent, program=self._process_lock.name, **key)
        number_of = await self._append_intent(text, _optional_text(intent.before), _optional_text(intent.after), mark)
        self._in_flight.add(number_of)
        return number_of

    @on_thread
    def _append_intent(
        self, connection: sqlite3.Connection, text: str, before: str | None, after: str | None, mark: _Mark
    ) -> int:
        with transaction(connection):
            line = _append(connection, self._scope, "intent", None, text, before, after)
            mark(connection, line)
        self._end.advance(connection)
        return line

    async def _mark_of(self, origin: "Place | FormTarget | None") -> _Mark:
        """Return what notes an entry in the row of the draft or form that it sends, once that is stored."""
        if isinstance(origin, Place):
            await self._drafts.flush()
            place = place_key(origin.collection, origin.id)
            return lambda connection, entry: self._drafts.mark_sent(connection, place, entry)
        if origin is not None:
            # Loaded with the first form.
            from svc_tui.storage.form_rows import target_text

            await self._forms.flush()
            purpose = target_text(origin)
            return lambda connection, entry: self._forms.mark_sent(connection, purpose, entry)
        return lambda _connection, _entry: None

    async def conclude(self, number: int, outcome: Outcome, record: Record | None = None) -> None:
        """Append the outcome of entry `number`, and the record after it; of several outcomes, the last one counts."""
        etag: dict[str, Json] = {"etag": record.etag} if record is not None and record.etag else {}
        text = OUTCOME_CODEC.text(outcome, **etag)
        after = _optional_text(None if record is None else record.fields)
        try:
            await self._append_outcome(number, text, after)
        finally:
            # It has ended, even if that could not be written.
            self._in_flight.discard(number)

    @on_thread
    def _append_outcome(self, connection: sqlite3.Connection, entry: int, text: str, after: str | None) -> None:
        with transaction(connection):
            row = connection.execute(
                "SELECT 1 FROM journal WHERE number = ? AND shelf = ? AND kind = 'intent'", (entry, self._scope)
            ).fetchone()
            if row is None:
                raise StoreError(f"entry {entry} is not in the journal, so its outcome can't be saved")
            _append(connection, self._scope, "outcome", entry, text, None, after)
        self._end.advance(connection)

    @on_thread
    def entries(self, connection: sqlite3.Connection, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """Return the newest entries first; with `place` those to that place alone, with the one that created it."""
        name = bindable(place)
        places = (self._scope, name, self._scope, name) if place else ()
        condition = f"AND number IN ({WRITES_TO_PLACE})" if place else ""
        rows = connection.execute(
            f"{SELECT_ENTRIES} {condition} ORDER BY number DESC LIMIT ?", (self._scope, *places, limit)
        )
        return [self._entry(row) for row in rows]

    @on_thread
    def listed(self, connection: sqlite3.Connection, limit: int = 200) -> list[JournalEntry | RunWrites]:
        """Return the newest writes first, all of one run in one, in the place of its newest write."""
        singles = connection.execute(
            f"{SELECT_ENTRIES} AND {BATCH_EXPRESSION} IS NULL ORDER BY number DESC LIMIT ?", (self._scope, limit)
        )
        lines: dict[int, JournalEntry | str] = {row[0]: self._entry(row) for row in singles}
        lines.update(connection.execute(_NEWEST_RUNS, (self._scope, limit)).fetchall())
        listed: list[JournalEntry | RunWrites] = []
        for _, line in sorted(lines.items(), reverse=True)[:limit]:
            # The writes of a run are counted only if the run is listed.
            found = self._run(connection, line) if isinstance(line, str) else line
            if found is not None:
                listed.append(found)
        return listed

    @on_thread
    def find(self, connection: sqlite3.Connection, number: int) -> JournalEntry | None:
        """Return the write of this number; None if there is none."""
        return self._numbered(connection, [number]).get(number)

    @on_thread
    def record_after(self, connection: sqlite3.Connection, number: int) -> WrittenRecord | None:
        """Return the record as the write of this number left it; None if that is unknown."""
        row = connection.execute(_SELECT_RECORD_AFTER, (number, self._scope)).fetchone()
        if row is None:
            return None
        outcome, after = row
        etag = read_object(outcome).get("etag", "")
        return WrittenRecord(Record(read_object(after), etag if isinstance(etag, str) else ""))

    @on_thread
    def search(
        self, connection: sqlite3.Connection, text: str, limit: int = 200, *, per_run: int = 0
    ) -> list[JournalEntry]:
        """Return the newest entries that contain `text`, of each run the newest `per_run` at most, 0: all."""
        words = search_words(text)
        of_run: Counter[str] = Counter()

        def is_listed(entry: JournalEntry) -> bool:
            if not entry_matches(entry, words):
                return False
            batch = entry.intent.batch
            of_run[batch] += 1
            return not (batch and per_run) or of_run[batch] <= per_run

        rows = (
            self._entry(row) for row in connection.execute(f"{SELECT_ENTRIES} ORDER BY number DESC", (self._scope,))
        )
        return list(islice(filter(is_listed, rows), limit))

    @on_thread
    def unsettled(self, connection: sqlite3.Connection, since: datetime | None = None) -> list[JournalEntry]:
        """Return the writes sent since then, None for all, whose outcome is not known, the newest first."""
        rows = connection.execute(f"{SELECT_ENTRIES} AND {_UNSETTLED} ORDER BY number DESC", (self._scope,))
        return [entry for entry in map(self._entry, rows) if since is None or entry.intent.at >= since]

    @on_thread
    def of_run(self, connection: sqlite3.Connection, run: str) -> list[JournalEntry]:
        """Return the writes of one run, the first one first."""
        rows = connection.execute(f"{SELECT_ENTRIES} AND {BATCH_EXPRESSION} = ? ORDER BY number", (self._scope, run))
        return [self._entry(row) for row in rows]

    @on_thread
    def row_writes(self, connection: sqlite3.Connection, run: str) -> list[RowWrite]:
        """Return the last write of each row of a run, in the order of the rows' first writes."""
        writes: dict[int | str, RowWrite] = {}
        rows = connection.execute(_ENTRIES_OF_RUN_WITHOUT_VALUES, (self._scope, run))
        for row in rows:
            entry = self._entry(row)
            intent, outcome = entry.intent, entry.outcome
            writes[intent.row or intent.place] = RowWrite(
                entry.number,
                intent.row,
                intent.place,
                intent.at,
                entry_result(entry),
                None if outcome is None else outcome.status,
                "" if outcome is None else outcome.message,
                "" if outcome is None else outcome.made,
                entry.other_key,
            )
        return list(writes.values())

    @on_thread
    def creations(self, connection: sqlite3.Connection, place: str, digests: frozenset[str]) -> list[JournalEntry]:
        """Return the creations at a collection, done or of unknown outcome, with such bodies; the newest first."""
        rows = select_creations(connection, self._scope, place, digests)
        return [entry for entry in map(self._entry, rows) if entry_result(entry) in MAY_BE_DONE]

    @on_thread
    def runs_of(self, connection: sqlite3.Connection, runs: Iterable[str]) -> list[RunWrites]:
        """Return a summary of each of the runs that has writes here, the one written to last first."""
        found = [writes for run in runs if (writes := self._run(connection, run)) is not None]
        return sorted(found, key=lambda writes: -writes.last.number)

    @on_thread
    def newest_of_run(
        self, connection: sqlite3.Connection, run: str, limit: int, *, before: int = 0
    ) -> list[JournalEntry]:
        """Return the newest writes of one run first, those before the write of number `before`, 0 for all."""
        rows = connection.execute(
            f"{SELECT_ENTRIES} AND {BATCH_EXPRESSION} = ? AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?",
            (self._scope, run, before, before, limit),
        )
        return [self._entry(row) for row in rows]

    @on_thread
    def prunable(self, connection: sqlite3.Connection, before: datetime) -> Pruning:
        """Return what `prune` would remove; of every scope, since all are in one chain."""
        return _prunable_lines(connection, before)[1]

    @on_thread
    def prune(self, connection: sqlite3.Connection, before: datetime, now: datetime) -> Pruning:
        """Remove the writes older than `before`; the last one's hash stays, and the rest of the chain begins at it."""
        with transaction(connection):
            last, pruning = _prunable_lines(connection, before)
            if last:
                self._end.prune(connection, last)
                connection.execute(
                    """
                    INSERT INTO pruned (number, hash, lines, at)
                    SELECT number, hash, (SELECT count(*) FROM journal WHERE number <= ?), ?
                    FROM journal WHERE number = ?
                    """,
                    (last, now.isoformat(), last),
                )
                connection.execute("DELETE FROM journal WHERE number <= ?", (last,))
        return pruning

    def _run(self, connection: sqlite3.Connection, run: str) -> RunWrites | None:
        results: Counter[str] = Counter()
        records: set[object] = set()
        changed: dict[object, str] = {}
        numbers: list[int] = []
        for line, program, method, record, result in connection.execute(_WRITES_OF_RUN, (self._scope, run)):
            numbers.append(line)
            if result is None:
                result = "running" if self._under_way(line, program or "") is not None else "unknown"
            results[result] += 1
            records.add(record)
            if result in MAY_BE_DONE:
                changed[record] = method
        if not numbers:
            return None
        ends = self._numbered(connection, [numbers[0], numbers[-1]])
        first, last = ends[numbers[0]], ends[numbers[-1]]
        return RunWrites(run, first, last, len(records), dict(results), dict(Counter(changed.values())))

    def _numbered(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, JournalEntry]:
        marks = ", ".join("?" * len(numbers))
        rows = connection.execute(f"{SELECT_ENTRIES} AND number IN ({marks})", (self._scope, *numbers))
        return {row[0]: self._entry(row) for row in rows}

    def _entry(self, row: EntryRow) -> JournalEntry:
        return read_entry(row, self._under_way, self._key)

    def _under_way(self, number: int, program: str) -> WriteInProgress | None:
        if program == self._process_lock.name:
            return WriteInProgress.HERE if number in self._in_flight else None
        return WriteInProgress.ELSEWHERE if self._process_lock.is_alive(program) else None


SELECT_ENTRIES = """
    SELECT number, said, before, after,
           (SELECT said FROM journal AS later
            WHERE later.entry = journal.number AND later.kind = 'outcome' ORDER BY number DESC LIMIT 1)
    FROM journal WHERE shelf = ? AND kind = 'intent'
"""
"""Writes of one scope; conditions and an order are appended."""


_ENTRIES_OF_RUN_WITHOUT_VALUES = f"""
    {SELECT_ENTRIES.replace("before, after", "NULL, NULL")} AND {BATCH_EXPRESSION} = ? ORDER BY number
"""

_SELECT_RECORD_AFTER = """
    SELECT said, after FROM journal
    WHERE entry = ? AND kind = 'outcome' AND shelf = ? AND after IS NOT NULL ORDER BY number DESC LIMIT 1
"""


_NEWEST_RUNS = f"""
    SELECT max(number), {BATCH_EXPRESSION} FROM journal
    WHERE shelf = ? AND kind = 'intent' AND {BATCH_EXPRESSION} > ''
    GROUP BY {BATCH_EXPRESSION} ORDER BY max(number) DESC LIMIT ?
"""  # noqa: S608  of this module's own words


_WRITES_OF_RUN = f"""
    SELECT number, json_extract(said, '$.program'), json_extract(said, '$.method'),
           coalesce(json_extract(said, '$.row'), {PLACE_EXPRESSION}),
           (SELECT CASE WHEN json_valid(said) THEN json_extract(said, '$.result') ELSE 'unknown' END
            FROM journal AS later
            WHERE later.entry = journal.number AND later.kind = 'outcome' ORDER BY number DESC LIMIT 1)
    FROM journal WHERE shelf = ? AND kind = 'intent' AND {BATCH_EXPRESSION} = ? ORDER BY number
"""  # noqa: S608  of this module's own words


_UNSETTLED = """
    NOT EXISTS (
        SELECT 1 FROM journal AS later
        WHERE later.entry = journal.number AND later.kind = 'outcome'
        AND CASE WHEN json_valid(later.said) THEN json_extract(later.said, '$.result') END IS NOT 'unknown'
    )
"""
"""Condition for writes of which no outcome says if they were carried out."""


WRITES_TO_PLACE = f"""
    SELECT number FROM journal WHERE shelf = ? AND kind = 'intent' AND {PLACE_EXPRESSION} = ?
    UNION
    SELECT entry FROM journal WHERE shelf = ? AND kind = 'outcome' AND {MADE_PLACE_EXPRESSION} = ?
"""  # noqa: S608  both halves are our own
"""Numbers of the writes to one place: those sent to it, and those whose outcome says that they created it."""


MAY_BE_DONE = ("done", "unknown", "running")
"""Results of writes that may have changed something."""


def select_creations(
    connection: sqlite3.Connection, scope: str, place: str, digests: frozenset[str]
) -> Iterator[EntryRow]:
    """Return the POSTs to the place of a collection whose bodies have one of the digests, the newest first."""
    posts = connection.execute(
        f"""
        SELECT number, json_extract(said, '$.body_digest') FROM journal
        WHERE shelf = ? AND kind = 'intent' AND {PLACE_EXPRESSION} = ? AND json_extract(said, '$.method') = 'POST'
        ORDER BY number DESC
        """,  # noqa: S608  of this module's own words
        (scope, place),
    ).fetchall()
    for line, digest in posts:
        if digest in digests:
            yield from connection.execute(f"{SELECT_ENTRIES} AND number = ?", (scope, line))


def find_lost_end(connection: sqlite3.Connection, database: Path) -> EndDifference | None:
    """Return how the journal differs from the end stored beside its database; raises StoreError."""
    return end_difference(connection, JournalEndFile(database), {})


def first_broken_line(connection: sqlite3.Connection) -> int | None:
    """Return the number of the first of the newest lines that was changed, or does not follow the one before."""
    number, _ = last_line(connection)
    broken = _check_lines(connection, max(0, number - CHECKED_LINES)).broken
    return None if broken is None else broken.number


def check_chain(path: Path, ends: Mapping[str, JournalEnd] | None = None) -> ChainCheck:
    """Check the whole journal of the database at `path`, without changing anything there; raises StoreError.

    `ends` are the ends of it that are stored elsewhere than beside it, by the names of those places.
    """
    # Before the lines: more may be added until they are read, but none may be missing.
    difference = check_end(path, ends or {})
    if not path.exists():
        return ChainCheck(0, difference=difference)
    with reading(path) as connection:
        return replace(_check_lines(connection, 0), difference=difference)


def _check_lines(connection: sqlite3.Connection, after: int) -> ChainCheck:
    """Check the lines after number `after`, and that they follow the pruned ones."""
    # One transaction: another program may write, or prune, meanwhile.
    connection.execute("BEGIN")
    try:
        pruned, _ = last_pruned(connection)
        expected = last_pruned(connection)
        if after > expected[0]:
            # None if that line is gone: then no line follows it.
            expected = connection.execute("SELECT number, hash FROM journal WHERE number = ?", (after,)).fetchone()
        lines = 0
        for *line, seal in connection.execute(f"{_SELECT_LINES} WHERE number > ? ORDER BY number", (after,)):
            line_number, previous = line[0], line[-1]
            if (line_number - 1, previous) != expected or _line_hash(line) != seal:
                return ChainCheck(lines, pruned, BrokenLink(line_number, _time_of_line(line[4])))
            expected = (line_number, seal)
            lines += 1
        return ChainCheck(lines, pruned)
    finally:
        connection.execute("ROLLBACK")


_SELECT_LINES = "SELECT number, shelf, kind, entry, said, before, after, previous, hash FROM journal"


def _time_of_line(text: str) -> datetime | None:
    """Return the time in a line that may be damaged; None if it can't be read."""
    try:
        at = read_object(text).get("at")
        return read_time(at) if isinstance(at, str) else None
    except StoreError:
        return None


def _append(
    connection: sqlite3.Connection,
    scope: str,
    kind: str,
    entry: int | None,
    text: str,
    before: str | None,
    after: str | None,
) -> int:
    last_number, previous = last_line(connection)
    line_number = last_number + 1
    about = line_number if entry is None else entry
    line: list[str | int | None] = [line_number, scope, kind, about, text, before, after, previous]
    connection.execute(
        """
        INSERT INTO journal (number, shelf, kind, entry, said, before, after, previous, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (*line, _line_hash(line)),
    )
    return line_number


_EARLIEST_KEPT = "SELECT min(entry) FROM journal WHERE kind = 'outcome' AND entry <= ? AND number > ?"
_WRITES_UP_TO = """
    SELECT count(*), count(*) FILTER (
        WHERE NOT EXISTS (SELECT 1 FROM journal AS later WHERE later.entry = journal.number AND later.kind = 'outcome')
    )
    FROM journal WHERE kind = 'intent' AND number <= ?
"""


def _prunable_lines(connection: sqlite3.Connection, before: datetime) -> tuple[int, Pruning]:
    """Return the number of the last line to prune, 0 for none, and what is removed with it.

    Lines are removed from the oldest on, up to the first that is not older than `before`; of a write, both lines are
    removed or none.
    """
    last = 0
    for line_number, text in connection.execute("SELECT number, said FROM journal ORDER BY number"):
        at = _time_of_line(text)
        if at is None or at >= before:
            break
        last = line_number
    # An outcome that stays keeps its intent, and with it all lines between the two.
    while (kept := connection.execute(_EARLIEST_KEPT, (last, last)).fetchone()[0]) is not None:
        last = kept - 1
    writes, unknown = connection.execute(_WRITES_UP_TO, (last,)).fetchone()
    return last, Pruning(writes, unknown)


def _line_hash(line: list[str | int | None]) -> str:
    whole = dumps([number(part) if isinstance(part, int) else part for part in line], ascii_only=True)
    return hashlib.sha256(whole.encode("ascii")).hexdigest()


def _optional_text(fields: Mapping[str, Json] | None) -> str | None:
    return None if fields is None else dumps(fields, ascii_only=True)


def read_entry(
    row: EntryRow, under_way: Callable[[int, str], WriteInProgress | None], key: KeyInUse | None = None
) -> JournalEntry:
    """Return the write of a row; `under_way` says if the program of a name is sending the write of a number now.

    `key` is the one in use, None if it is unknown. Raises StoreError if the row is not as the journal wrote it.
    """
    number, text, before, after, outcome = row
    intent, origin, fingerprint, program = _read_intent(text, before, after)
    other_key = is_other_key(key, fingerprint)
    if outcome is not None:
        return JournalEntry(number, intent, OUTCOME_CODEC.read_text(outcome), origin, other_key=other_key)
    return JournalEntry(number, intent, None, origin, under_way(number, program), other_key=other_key)


def _read_intent(text: str, before: str | None, after: str | None) -> tuple[Intent, str, str, str]:
    """Return the intent of a line, origin and fingerprint of its key, and the name of the program that sent it."""
    fields = read_object(text)
    origin, fingerprint, program = (fields.get(name, "") for name in ("key", "key_fingerprint", "program"))
    if not (isinstance(origin, str) and isinstance(fingerprint, str) and isinstance(program, str)):
        raise StoreError(_UNREADABLE_INTENT)
    old = None if before is None else read_object(before)
    new = None if after is None else read_object(after)
    return INTENT_CODEC.read(fields, before=old, after=new), origin, fingerprint, program
