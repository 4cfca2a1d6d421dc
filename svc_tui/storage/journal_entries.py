"""Entries of the journal of writes: what they hold, how they are searched, and what checks of their chain found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from enum import Enum
from typing import Protocol

from msgspec import Struct

from svc_tui.core.folded_text import fold
from svc_tui.core.jsontext import Json, dumps, same_json
from svc_tui.core.records import Record


class Intent(Struct, frozen=True):
    """A write about to be sent: `before` and `after` hold the fields concerned, where they are known.

    `body_bytes` is the size of a body that is no object of fields; None where there is `after` to look at. `batch` is
    the id of the run that it is part of, `row` the number of the row of that run's plan, 0 where none is known.
    `body_digest` is the SHA-256 of the body as it was sent, in hex; "" in intents from before it was kept. `approval`
    is the id of what a colleague was asked, `approved_by` who approved it; "" where nobody had to.
    """

    at: datetime
    method: str
    target: str
    place: str
    idempotency_key: str
    before: Mapping[str, Json] | None = None
    after: Mapping[str, Json] | None = None
    ticket: str = ""
    body_bytes: int | None = None
    batch: str = ""
    body_digest: str = ""
    row: int = 0
    approval: str = ""
    approved_by: str = ""


class Outcome(Struct, frozen=True):
    """How a write ended: `result` is done, refused, unknown or not sent; `status` None where no answer came.

    `made` is the id of the record that the write made, "" where it made none, or none that its answer named; `place`
    is that record's place, as an intent names places. `code` is the service's own word for a refusal, "" where it gave
    none, and in outcomes from before it was kept.
    """

    at: datetime
    result: str
    status: int | None = None
    message: str = ""
    request_id: str | None = None
    made: str = ""
    place: str = ""
    code: str = ""


class WriteInProgress(Enum):
    """Where the program is that sends a write now; the value is what people read."""

    HERE = "running"
    ELSEWHERE = "running in another window"


class Author(Struct, frozen=True):
    """Who wrote a line that a team shares, as they call themselves: the person's name and the machine's.

    `chain` is the id of the journal that the line is in; it tells two of one name apart.
    """

    name: str
    machine: str
    chain: str = ""

    def __str__(self) -> str:
        return self.name


class JournalEntry(Struct, frozen=True):
    """One write as the journal knows it; without an outcome its fate is unknown, unless it is `under_way`.

    `key` names the key that it left with: where the key comes from, never the key. `author` is the colleague whose
    write it was, None for one from here; a colleague's has a `number` below zero. `masked` are the fields whose values
    a colleague's program keeps to itself, `received` is when a team server got the write, by its own clock.
    `other_key`: it was sent from here with another key of the profile than the one in use.
    """

    number: int
    intent: Intent
    outcome: Outcome | None = None
    key: str = ""
    under_way: WriteInProgress | None = None
    author: Author | None = None
    masked: tuple[str, ...] = ()
    received: datetime | None = None
    other_key: bool = False


class WrittenRecord(Struct, frozen=True):
    """A record as the service had it right after a write.

    `masked` are the paths of fields whose values a colleague's program keeps to itself: the record is without them.
    """

    record: Record
    masked: tuple[str, ...] = ()


class RunWrites(Struct, frozen=True):
    """The writes of one run in short; `first` and `last` are its first and its newest.

    `results` says how many writes ended how, in the journal's words; `changed`, by method, of how many records there
    is one that was carried out, or of which nobody knows.
    """

    id: str
    first: JournalEntry
    last: JournalEntry
    records: int
    results: Mapping[str, int]
    changed: Mapping[str, int]

    @property
    def writes(self) -> int:
        """How many writes there are."""
        return sum(self.results.values())


class RowWrite(Struct, frozen=True):
    """The last write of one row of a run, without its values; `row` is 0 where the journal names no row.

    `result` is the journal's word for its end, `made` the id of the record that it created, "" for none. `other_key`:
    it was sent with another key than the one in use.
    """

    number: int
    row: int
    place: str
    at: datetime
    result: str
    status: int | None = None
    message: str = ""
    made: str = ""
    other_key: bool = False


class Pruning(Struct, frozen=True):
    """How many writes are old enough to be removed from the journal, and of how many of them the fate is unknown."""

    writes: int
    unknown: int = 0


class WriteLog(Protocol):
    """The writes that are known here, to be looked at: those of the journal, and those of colleagues in a team."""

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """The newest entries first; with `place` (an intent's) those of that one alone, the one that made it too."""

    async def listed(self, limit: int = 200) -> list[JournalEntry | RunWrites]:
        """The newest writes first, all of one run in one, which stands where its newest write does."""

    async def find(self, number: int) -> JournalEntry | None:
        """The write of this number; None where there is none."""

    async def record_after(self, number: int) -> WrittenRecord | None:
        """Return the record as the write of this number left it; None where that is not known."""

    async def search(self, text: str, limit: int = 200, *, per_run: int = 0) -> list[JournalEntry]:
        """The newest entries that `text` is found in, as `entry_matches` tells.

        Of each run the newest `per_run` at most, 0: all.
        """

    async def runs_of(self, runs: Iterable[str]) -> list[RunWrites]:
        """Those of the runs that have writes here, in short, the one written to last first."""

    async def newest_of_run(self, run: str, limit: int, *, before: int = 0) -> list[JournalEntry]:
        """The newest writes of one run first, those before the write of number `before`, 0 for all."""


class BrokenLink(Struct, frozen=True):
    """The first line of the journal that is not as it was written; `at` is when it says that this was."""

    number: int
    at: datetime | None = None


class JournalEnd(Struct, frozen=True):
    """A line that is known to have been the journal's last, and up to which line it was pruned then, 0 for none."""

    number: int
    hash: str
    pruned: int


class EndProblem(Enum):
    """What is wrong with a journal that does not hold an end of it that was kept; the value says so."""

    LOST = "entries are missing at the end"
    CHANGED = "the last entries were changed after they were written"
    PRUNED = "entries are marked as deleted, but svc-tui did not delete them"
    FORGOTTEN = "the file with the number of the last entry is missing"


class EndDifference(Struct, frozen=True):
    """A journal that does not hold the end that is kept in `place`: the line of that `number`."""

    problem: EndProblem
    place: str
    number: int


class ChainCheck(Struct, frozen=True):
    """What the check of the journal's hashes found: so many sound lines, after `pruned` that were removed.

    `difference` is how it differs from an end of it that was kept elsewhere, None where it does not.
    """

    lines: int
    pruned: int = 0
    broken: BrokenLink | None = None
    difference: EndDifference | None = None


class JournalSelection(Struct, frozen=True):
    """Which writes are asked for: those with exactly this ticket, to this place (an intent's), since that moment.

    "" and None: whichever. A write that made the record at the place is one to it.
    """

    ticket: str = ""
    place: str = ""
    since: datetime | None = None


def entry_result(entry: JournalEntry) -> str:
    """How the write ended, in the journal's word; without an outcome line it runs, or nobody knows."""
    if entry.outcome is None:
        return "running" if entry.under_way is not None else "unknown"
    return entry.outcome.result


def is_in_place(entries: Iterable[JournalEntry], now: Record | None) -> Iterator[JournalEntry]:
    """The writes to one record with an unknown outcome that the record, as it is `now`, shows as done; newest first.

    None: the record is gone. What a later write may have changed again can no longer be told.
    """
    later: set[str] = set()
    for entry in entries:
        intent, result = entry.intent, entry_result(entry)
        if result == "done" and (intent.method not in _SETTING or intent.after is None):
            return
        if result == "done":
            later.update(intent.after or ())
        elif result == "unknown" and _shows(now, intent, later):
            yield entry


_SETTING = ("PATCH", "PUT")
"""The methods that leave the fields that they name as they say."""


def _shows(now: Record | None, intent: Intent, later: Set[str]) -> bool:
    """Whether the record as it is `now` shows that the write was carried out; fields `later` were written after it."""
    if now is None:
        return intent.method == "DELETE" and not later
    # Where nobody knows what was there before, that the values are there now proves nothing.
    fields = intent.after if intent.method in _SETTING and intent.before is not None else None
    return bool(fields) and all(
        name not in later and name in now.fields and same_json(now.fields[name], value)
        for name, value in (fields or {}).items()
    )


def entry_matches(entry: JournalEntry, wanted: Sequence[str]) -> bool:
    """Whether each of the words is somewhere in the entry: method, place, fields, values, ticket, outcome, who."""
    haystack = fold("\n".join(_searchable_texts(entry)))
    return all(word in haystack for word in wanted)


def _searchable_texts(entry: JournalEntry) -> Iterable[str]:
    intent, outcome = entry.intent, entry.outcome
    yield from (intent.method, intent.target, intent.place, intent.ticket, intent.idempotency_key, intent.batch)
    yield intent.approved_by
    yield entry_result(entry)
    yield intent.at.date().isoformat()
    for fields in (intent.before, intent.after):
        if fields:
            yield dumps(fields)
    if entry.author is not None:
        yield from (entry.author.name, entry.author.machine)
    if outcome is not None:
        yield from (outcome.message, outcome.request_id or "", outcome.made)
        yield "" if outcome.status is None else f"{outcome.status}"
