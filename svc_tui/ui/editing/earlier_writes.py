"""The writes that were sent and have no known outcome: told at the start, and on the card of whatever is like them."""

from collections.abc import Collection, Sequence

from svc_tui.domain.editing.ports import JournalEntry, StoreError
from svc_tui.domain.editing.unsettled import MAX_NAMED, EarlierWrites, UnsettledWrites
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.ui.report import Report
from svc_tui.ui.session.context import Context


class EarlierWritesNotices:
    """Puts what the journal knows of such writes into words for the screen."""

    def __init__(self, context: Context, unsettled: UnsettledWrites) -> None:
        self._context, self._writes = context, EarlierWrites(unsettled, context.session.now)

    async def load(self) -> Sequence[JournalEntry]:
        """Take up those of earlier sessions, the newest first; later calls give the same."""
        try:
            return await self._writes.load(self._context.journal)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return ()

    async def report(self, drafted: Collection[Place]) -> None:
        """Tell of them at the start; `drafted` are the records that still have their edits."""
        places = {place.key: place for place in drafted}
        others = []
        for entry in await self.load():
            if (place := places.get(entry.intent.place)) is not None:
                self._context.notify(_drafted_report(place, entry))
            elif entry.under_way is None:
                others.append(entry)
        if others:
            self._context.notify(self._report(others))

    def like(self, spec: RequestSpec) -> str:
        """What is to be known of those like the request, on the card before it is sent; "" where there are none."""
        return self._writes.like(spec)

    def _report(self, entries: Sequence[JournalEntry]) -> Report:
        intents = [entry.intent for entry in entries[:MAX_NAMED]]
        named = [
            f"{intent.method} {intent.target}, {self._writes.age(intent)} ago"
            + (f", idempotency key {intent.idempotency_key}" if intent.idempotency_key else "")
            for intent in intents
        ]
        more = f"\nand {len(entries) - MAX_NAMED} more" if len(entries) > MAX_NAMED else ""
        one = len(entries) == 1
        title = "1 change" if one else f"{len(entries)} changes"
        again = f"If you send it again unchanged, it has the same idempotency {'key' if one else 'keys'}. "
        keyed = again if all(intent.idempotency_key for intent in intents) else ""
        body = "\n".join(named) + f"{more}\n{keyed}Press @ to see {'it' if one else 'them'} in the journal."
        return Report(body, f"{title}: outcome unknown", "warning")


def _drafted_report(place: Place, entry: JournalEntry) -> Report:
    """What is told of a write to a record whose edits are still there."""
    if entry.under_way is not None:
        body = "This window shows the same draft. Wait until it is sent."
        return Report(body, f"{place.record_id} is being sent in another window", "warning")
    why = "svc-tui was closed while it was sent." if entry.outcome is None else "There was no clear response."
    body = f"It is not known whether the change was saved. {why} ctrl+s reloads the record before sending."
    return Report(body, f"{place.record_id}: outcome unknown", "warning")
