"""Writes of the journal as lines of a table for people."""

from datetime import tzinfo

from svc_tui.cli.output.rows import Row, value_text
from svc_tui.core.bodies import size_text
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.times import local_time
from svc_tui.history.journal_rows import field_changes, place_of_entry
from svc_tui.storage.journal_entries import Intent, JournalEntry, entry_result

_RUN_CHARACTERS = 8
"""How much of a run's id tells it from others."""


def journal_line(entry: JournalEntry, zone: tzinfo, by: str = "") -> Row:
    """A write as a line of the table; in a team, `by` is whose it is."""
    intent = entry.intent
    at = intent.at.isoformat()
    kept_back = f" (masked: {', '.join(entry.masked)})" if entry.masked else ""
    return {
        "when": local_time(at, zone, seconds=True) or at,
        **({"by": by} if by else {}),
        "method": intent.method,
        "record": _record_text(entry),
        "result": _result_text(entry),
        "ticket": intent.ticket,
        "run": intent.batch[:_RUN_CHARACTERS],
        "change": f"{_change_text(intent)}{kept_back}",
    }


def _record_text(entry: JournalEntry) -> str:
    """The record without its domain, or the place that the write went to, with the name of an action."""
    intent = entry.intent
    path = intent.target.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/")
    place = path if path.startswith(f"{intent.place}/") else place_of_entry(entry)
    return place.partition("/")[2] or place or intent.target


def _result_text(entry: JournalEntry) -> str:
    outcome = entry.outcome
    if outcome is None:
        return entry_result(entry)
    status = "" if outcome.status is None else f"{outcome.status}"
    return " ".join(filter(None, (entry_result(entry), status, outcome.code)))


def _change_text(intent: Intent) -> str:
    """Field by field, old and new; what was sent where nobody knows what was there."""
    if intent.method == "DELETE":
        return "delete the record"
    if changes := field_changes(intent):
        return ", ".join(f"{change.name}: {value_text(change.old)} → {value_text(change.new)}" for change in changes)
    if intent.after:
        return ", ".join(f"{name}: → {value_text(value)}" for name, value in intent.after.items())
    return f"body of {size_text(intent.body_bytes)}" if intent.body_bytes else "no fields"
