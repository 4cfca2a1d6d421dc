"""The notice about writes of earlier sessions whose outcome is unknown."""

from collections.abc import Collection, Sequence

from svc_tui.core.records import Place
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report
from svc_tui.writes.unknown_writes import MAX_LISTED, UnknownWrites


async def notify_of_unknown_writes(context: Context, unknown_writes: UnknownWrites, drafted: Collection[Place]) -> None:
    """Tell at the start of the writes without an outcome; `drafted` are the records that still have their edits."""
    places = {place.key: place for place in drafted}
    others = []
    try:
        entries = await unknown_writes.load(context.journal)
    except StoreError as error:
        context.notify(Report(str(error), "Could not load the journal", "error"))
        return
    for entry in entries:
        if (place := places.get(entry.intent.place)) is not None:
            context.notify(_drafted_report(place, entry))
        elif entry.under_way is None:
            others.append(entry)
    if others:
        context.notify(_report(unknown_writes, others))


def _report(unknown_writes: UnknownWrites, entries: Sequence[JournalEntry]) -> Report:
    intents = [entry.intent for entry in entries[:MAX_LISTED]]
    listed = [
        f"{intent.method} {intent.target}, {unknown_writes.age(intent)} ago"
        + (f", idempotency key {intent.idempotency_key}" if intent.idempotency_key else "")
        for intent in intents
    ]
    more = f"\nand {len(entries) - MAX_LISTED} more" if len(entries) > MAX_LISTED else ""
    one = len(entries) == 1
    title = "1 change" if one else f"{len(entries)} changes"
    again = f"If you send it again unchanged, it has the same idempotency {'key' if one else 'keys'}. "
    keyed = again if all(intent.idempotency_key for intent in intents) else ""
    body = "\n".join(listed) + f"{more}\n{keyed}Press @ to see {'it' if one else 'them'} in the journal."
    return Report(body, f"{title}: outcome unknown", "warning")


def _drafted_report(place: Place, entry: JournalEntry) -> Report:
    """What is told of a write to a record whose edits are still there."""
    if entry.under_way is not None:
        body = "This window shows the same draft. Wait until it is sent."
        return Report(body, f"{place.record_id} is being sent in another window", "warning")
    why = "svc-tui was closed while it was sent." if entry.outcome is None else "There was no clear response."
    body = f"It is not known whether the change was saved. {why} ctrl+s reloads the record before sending."
    return Report(body, f"{place.record_id}: outcome unknown", "warning")
