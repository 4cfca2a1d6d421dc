"""A write of the journal as a row: for a script (`svc-tui journal`), and in a file that the screen exports."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import FieldChange
from svc_tui.core.jsontext import ABSENT, Json, number
from svc_tui.core.kinds import MASKED
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, entry_result
from svc_tui.storage.scope import StorageScope
from svc_tui.writes.write_requests import parse_write_target

JOURNAL_COLUMNS = (
    *("number", "at", "environment", "profile", "method", "target", "place", "collection", "id", "fields", "before"),
    *("after", "result", "status", "code", "message", "ended_at", "ticket", "run", "row", "key", "idempotency_key"),
    "request_id",
)
"""The names of a write's values in a row for a script, in order."""

TEAM_COLUMNS = ("by", "machine", "received", "kept_back")
"""Those that a write of a team has besides."""


def journal_row(entry: JournalEntry, scope: StorageScope, collections: Sequence[Collection]) -> Mapping[str, Json]:
    """The write as a script gets it; null is what is not known.

    `place`, `collection` and `id` are those of the record that it was about, or made; `fields` are those that it set.
    """
    intent, outcome = entry.intent, entry.outcome
    collection, record_id = record_of(entry, collections)
    return {
        "number": number(entry.number),
        "at": _utc_text(intent.at),
        "environment": scope.environment.value,
        "profile": scope.profile,
        "method": intent.method,
        "target": intent.target,
        "place": place_of_entry(entry),
        "collection": collection,
        "id": record_id,
        "fields": list(intent.after or ()),
        "before": intent.before,
        "after": intent.after,
        "result": entry_result(entry),
        "status": None if outcome is None or outcome.status is None else number(outcome.status),
        "code": "" if outcome is None else outcome.code,
        "message": "" if outcome is None else outcome.message,
        "ended_at": None if outcome is None else _utc_text(outcome.at),
        "ticket": intent.ticket,
        "run": intent.batch,
        "row": number(intent.row) if intent.row else None,
        "key": entry.key,
        "idempotency_key": intent.idempotency_key,
        "request_id": None if outcome is None else outcome.request_id,
    }


def team_row(
    entry: JournalEntry, row: Mapping[str, Json], own: Author, received: datetime | None
) -> Mapping[str, Json]:
    """The row of a write in a team; `own` is who writes here, `received` when the server got a write from here.

    What a colleague's machine keeps to itself is named in `kept_back`, and a number that is good here alone is none.
    """
    theirs, at = entry.author is not None, entry.received or received
    by = entry.author or own
    return {
        **row,
        **({"number": None, "profile": ""} if theirs else {}),
        "by": by.name,
        "machine": by.machine,
        "received": None if at is None else _utc_text(at),
        "kept_back": list(entry.masked),
    }


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


def place_of_entry(entry: JournalEntry) -> str:
    """The place that the write was about, that of the record that it made where it made one; "" where none is known."""
    return (entry.outcome.place if entry.outcome is not None else "") or entry.intent.place


def record_of(entry: JournalEntry, collections: Sequence[Collection]) -> tuple[str, str]:
    """The key of the collection and the id of the record that the write was about, or made; "" for what is not known.

    An id may have a `/` in it, so that the address tells more than the place.
    """
    intent, outcome = entry.intent, entry.outcome
    if outcome is not None and outcome.made and outcome.place.endswith(f"/{outcome.made}"):
        return outcome.place[: -len(outcome.made) - 1], outcome.made
    target = parse_write_target(intent.method, intent.target, collections).place
    # Where the catalog was another one then, the journal knows better.
    if target is not None and target.key == intent.place:
        return target.collection.key, target.record_id or ""
    domain, _, rest = intent.place.partition("/")
    name, _, record_id = rest.partition("/")
    return f"{domain}/{name}" if name else domain, record_id


def _utc_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def field_changes(intent: Intent) -> tuple[FieldChange, ...]:
    """The changes that a write meant, field by field; a removed field has no line, since nothing replaced it.

    None where nobody knows what was there before.
    """
    if intent.before is None:
        return ()
    before, after = intent.before or {}, intent.after or {}
    return tuple(
        FieldChange(name, before.get(name, ABSENT), value)
        for name, value in after.items()
        # Two values that are hidden look the same, and may well differ.
        if name not in before or before[name] != value or value == MASKED
    )
