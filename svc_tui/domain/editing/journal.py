"""The journal of writes as people use it: found by words, checked as a chain, written out as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.editing.ports import Intent, JournalEntry, StorageScope
from svc_tui.domain.model.jsontext import Json, dumps, number, same_json
from svc_tui.domain.model.records import Record


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The first line of the journal that is not as it was written; `at` is when it says that this was."""

    number: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class JournalEnd:
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


@dataclass(frozen=True, slots=True)
class EndDifference:
    """A journal that does not hold the end that is kept in `place`: the line of that `number`."""

    problem: EndProblem
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What the check of the journal's hashes found: so many sound lines, after `pruned` that were removed.

    `difference` is how it differs from an end of it that was kept elsewhere, None where it does not.
    """

    lines: int
    pruned: int = 0
    broken: BrokenLink | None = None
    difference: EndDifference | None = None


@dataclass(frozen=True, slots=True)
class JournalSelection:
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


def search_words(text: str) -> tuple[str, ...]:
    """What is looked for, word by word, folded."""
    return tuple(fold(text).split())


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


def export_row(entry: JournalEntry, scope: StorageScope) -> Mapping[str, Json]:
    """The entry as a flat record for a file: `before` and `after` hold the fields concerned.

    `by` is the colleague whose write it was, "" for one from here.
    """
    intent, outcome, author = entry.intent, entry.outcome, entry.author
    return {
        # A colleague's write has no number here that would last.
        "entry": number(entry.number) if author is None else None,
        "at": intent.at.isoformat(),
        "environment": scope.environment.value,
        "profile": scope.profile if author is None else "",
        "baseUrl": scope.base_url,
        "key": entry.key,
        "method": intent.method,
        "target": intent.target,
        "place": intent.place,
        "before": intent.before,
        "after": intent.after,
        "ticket": intent.ticket,
        "idempotencyKey": intent.idempotency_key,
        "batch": intent.batch,
        "approval": intent.approval,
        "approvedBy": intent.approved_by,
        "outcome": entry_result(entry),
        "status": None if outcome is None or outcome.status is None else number(outcome.status),
        "endedAt": None if outcome is None else outcome.at.isoformat(),
        "requestId": None if outcome is None else outcome.request_id,
        "message": "" if outcome is None else outcome.message,
        "by": "" if author is None else author.name,
        "machine": "" if author is None else author.machine,
        "received": None if entry.received is None else entry.received.isoformat(),
    }
