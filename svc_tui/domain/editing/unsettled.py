"""The writes whose outcome is not known, by what makes two requests the same: their keys still stand for them."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from svc_tui.domain.editing.ports import Intent, Journal, JournalEntry
from svc_tui.domain.editing.write_answers import is_about_request
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import intent_identity, request_identity
from svc_tui.domain.model.durations import age_words
from svc_tui.domain.model.requests import RequestSpec

MAX_NAMED = 3
"""How many of them are told one by one."""

_MAX_AGE = timedelta(days=7)
"""How long a write is told of; no service is known to honour its idempotency key for longer."""


class UnsettledWrites:
    """Sent, and not judged by the service since: in this session, or in one before that the journal tells of."""

    def __init__(self) -> None:
        self._intents: dict[str, Intent] = {}

    def __contains__(self, spec: RequestSpec) -> bool:
        return request_identity(spec) in self._intents

    def key(self, spec: RequestSpec) -> str:
        """The idempotency key that the very same request was sent with, "" where it was not."""
        intent = self._intents.get(request_identity(spec))
        return intent.idempotency_key if intent else ""

    def like(self, spec: RequestSpec) -> tuple[Intent, ...]:
        """Those of the same method and target: the very same request first, then the last sent."""
        same = request_identity(spec)
        alike = [(identity, intent) for identity, intent in self._intents.items() if _aim(identity) == _aim(same)]
        alike.sort(key=lambda item: (item[0] != same, -item[1].at.timestamp()))
        return tuple(intent for _, intent in alike)

    def recall(self, intent: Intent) -> None:
        """Take up an earlier session's write."""
        if identity := intent_identity(intent):
            self._intents.setdefault(identity, intent)

    def remember(self, intent: Intent, report: WriteReport) -> None:
        """Keep a write until the service has judged it: carried out, or refused for what it says."""
        if report.result is WriteResult.UNKNOWN:
            self._intents[intent_identity(intent)] = intent
        elif report.result is WriteResult.DONE or (
            report.result is WriteResult.REFUSED and is_about_request(report.error)
        ):
            self._intents.pop(intent_identity(intent), None)

    def settle(self, spec: RequestSpec) -> None:
        """Forget a request: what became of it was found out."""
        self._intents.pop(request_identity(spec), None)


def _aim(identity: str) -> str:
    """Method and target of an identity, without its body."""
    return identity.rpartition(" ")[0]


class EarlierWrites:
    """What the journal knows of such writes, read once, so that what is sent again goes with its key."""

    def __init__(self, unsettled: UnsettledWrites, now: Callable[[], datetime]) -> None:
        self._unsettled, self._now = unsettled, now
        self._entries: list[JournalEntry] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def load(self, journal: Journal) -> Sequence[JournalEntry]:
        """Take up those of earlier sessions, the newest first; later calls give the same.

        Raises StoreError the first time: a journal that can't be read takes no intent either, so that nothing is sent
        that would need to know.
        """
        async with self._one_at_a_time:
            if self._entries is None:
                self._entries = []
                self._entries = await journal.unsettled(self._now() - _MAX_AGE)
                for entry in self._entries:
                    # What was sent with another key says nothing of the same bytes sent with this one.
                    if not entry.other_key:
                        self._unsettled.recall(entry.intent)
        return self._entries

    def like(self, spec: RequestSpec) -> str:
        """What is to be known of those like the request, before it is sent; "" where there are none."""
        same = spec in self._unsettled
        lines = []
        for number, intent in enumerate(self._unsettled.like(spec)[:MAX_NAMED]):
            sent, key = f"{self.age(intent)} ago", intent.idempotency_key
            if same and number == 0:
                what = f"Already sent {sent}{' with this idempotency key' if key else ''}"
            else:
                other = f"a different body{f' (key {key})' if key else ''}"
                what = f"A {intent.method} to this path with {other} was sent {sent}"
            lines.append(f"{what}. Outcome unknown: check the record first.")
        return "\n".join(lines)

    def age(self, intent: Intent) -> str:
        """How long ago a write was sent, in words."""
        return age_words((self._now() - intent.at).total_seconds()) or "a moment"
