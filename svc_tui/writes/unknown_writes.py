"""The writes whose outcome is unknown: what is sent again goes with the idempotency key of its first sending."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from svc_tui.core.durations import age_words
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import SendResult
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry
from svc_tui.writes.outcomes import WriteReport, is_about_request
from svc_tui.writes.write_requests import identify_intent, identify_request

MAX_LISTED = 3
"""Number of similar writes that a warning lists."""

JOURNAL_NOT_LOADED = "Not sent, because the journal could not be loaded: {}. The same change may have been sent before."
"""Why nothing is sent before the journal was read."""

_MAX_AGE = timedelta(days=7)
"""Age of the writes that are loaded; no service is known to honour its idempotency key for longer."""


class UnknownWrites:
    """Requests that were sent in this session or an earlier one, and that the service has not judged since."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._intents: dict[str, Intent] = {}
        self._entries: list[JournalEntry] | None = None
        self._loading = asyncio.Lock()

    def __contains__(self, request: RequestSpec) -> bool:
        return identify_request(request) in self._intents

    async def load(self, journal: Journal) -> Sequence[JournalEntry]:
        """Add the writes of earlier sessions, and return them, the newest first; later calls return the same.

        Raises StoreError until the journal was read once: nothing may be sent before, since the same request may have
        been sent already, with a key that it has to carry again.
        """
        async with self._loading:
            if self._entries is None:
                self._entries = await journal.unsettled(self._now() - _MAX_AGE)
                for entry in self._entries:
                    # What was sent with another key says nothing of the same bytes sent with this one.
                    if not entry.other_key:
                        self.add(entry.intent)
        return self._entries

    def add(self, intent: Intent) -> None:
        """Add a write of an earlier session."""
        if identity := identify_intent(intent):
            self._intents.setdefault(identity, intent)

    def update(self, intent: Intent, report: WriteReport) -> None:
        """Keep a write until the service has judged it: carried out, or refused for what it says."""
        if report.result is SendResult.UNKNOWN:
            self._intents[identify_intent(intent)] = intent
        elif report.result is SendResult.DONE or (
            report.result is SendResult.REFUSED and is_about_request(report.error)
        ):
            self._intents.pop(identify_intent(intent), None)

    def remove(self, request: RequestSpec) -> None:
        """Remove a request whose outcome was found out."""
        self._intents.pop(identify_request(request), None)

    def find_key(self, request: RequestSpec) -> str:
        """Return the idempotency key that the same request was sent with, "" if it was not sent."""
        intent = self._intents.get(identify_request(request))
        return intent.idempotency_key if intent else ""

    def find_similar(self, request: RequestSpec) -> tuple[Intent, ...]:
        """Return the writes with the same method and target: the same request first, then the newest."""
        identity = identify_request(request)
        method_and_target = identity.rpartition(" ")[0]
        similar = [item for item in self._intents.items() if item[0].rpartition(" ")[0] == method_and_target]
        similar.sort(key=lambda item: (item[0] != identity, -item[1].at.timestamp()))
        return tuple(intent for _, intent in similar)

    def describe_similar(self, request: RequestSpec) -> str:
        """Return a warning, a line for each similar write, to show before `request` is sent; "" if there is none."""
        lines = []
        for position, intent in enumerate(self.find_similar(request)[:MAX_LISTED]):
            sent, key = f"{self.age(intent)} ago", intent.idempotency_key
            if position == 0 and request in self:
                what = f"Already sent {sent}{' with this idempotency key' if key else ''}"
            else:
                other = f"a different body{f' (key {key})' if key else ''}"
                what = f"A {intent.method} to this path with {other} was sent {sent}"
            lines.append(f"{what}. Outcome unknown: check the record first.")
        return "\n".join(lines)

    def age(self, intent: Intent) -> str:
        """Return the time since a write was sent, in words: `2 h`."""
        return age_words((self._now() - intent.at).total_seconds()) or "a moment"
