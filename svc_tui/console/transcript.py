"""The transcript of the console: the requests of this session with their results, and the one that is shown."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

from msgspec import Struct, field

from svc_tui.console.request_form import KnownPath, RequestForm
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.advice import error_text
from svc_tui.service.attempt_log import AttemptLog
from svc_tui.service.errors import SendResult, ServiceError, SignatureRefused, TimestampStale
from svc_tui.service.traffic import TrafficEvent

MAX_ENTRIES = 50
"""Limit of requests."""

MAX_ANSWER_BYTES = 200_000_000
"""Limit of all response bodies in bytes, applied when another request is sent."""

_OUTCOME_TEXTS: Mapping[SendResult, str] = {
    SendResult.NOT_SENT: "",  # the title says so
    SendResult.REFUSED: "",
    SendResult.UNKNOWN: "It is not known whether the change was saved.",
    SendResult.DONE: "The change was saved, but the response is missing or incomplete.",
}


class TranscriptEntry(Struct, frozen=True):
    """A request and its result: `exchange` or `failure`, neither before it has ended.

    `form` is what was typed, `signed` what is sent, None if it could not be signed. `left` is set when sending begins,
    for a write after the user's approval.
    """

    form: RequestForm
    spec: RequestSpec
    signed: SignedRequest | None = None
    exchange: Exchange | None = None
    failure: ServiceError | None = None
    attempts: AttemptLog | None = None
    """The attempts to send it; None if it was never sent."""
    left: bool = False

    @property
    def ended(self) -> bool:
        """Whether there is a result."""
        return self.exchange is not None or self.failure is not None

    @property
    def sent(self) -> bool:
        """Whether it was sent, or may have been."""
        may_have_left = self.left and (self.failure is None or self.failure.sent is not SendResult.NOT_SENT)
        return self.exchange is not None or may_have_left

    @property
    def size(self) -> int:
        """The size of the response's body in bytes."""
        return 0 if self.exchange is None else len(self.exchange.answer.body)

    @property
    def idempotency_key(self) -> str:
        """The idempotency key that was sent, or ""."""
        if self.exchange is not None:
            return self.exchange.idempotency_key
        return self.failure.idempotency_key if self.failure is not None else ""

    @property
    def attempt_texts(self) -> tuple[str, ...]:
        """The attempts in a few words each, without the last one if there is a response."""
        if self.attempts is None:
            return ()
        return self.attempts.words if self.exchange is None else self.attempts.before_last

    @property
    def words(self) -> str:
        """The failure and what to do, in sentences, or ""."""
        failure = self.failure
        if failure is None:
            return ""
        fate = _OUTCOME_TEXTS[failure.sent] if self.spec.writes else ""
        words = f"{error_text(failure)} {fate}".strip()
        if failure.sent is SendResult.UNKNOWN and failure.idempotency_key:
            words += " Press ctrl+j to send it again with the same idempotency key."
        if isinstance(failure, SignatureRefused | TimestampStale):
            words += " Press f9 to explain the signature."
        return words


class Transcript(Struct, frozen=True):
    """The latest requests, the newest last; only the last one can be in flight.

    `selected` is the index of the request that the user stepped to; None if the form is a new request.
    """

    entries: tuple[TranscriptEntry, ...] = ()
    selected: int | None = None
    draft: RequestForm = field(default=RequestForm())
    """The form as typed before stepping, or as changed since."""

    @property
    def shown(self) -> TranscriptEntry | None:
        """The request whose response is shown: the selected one, or the newest."""
        if not self.entries:
            return None
        return self.entries[-1 if self.selected is None else self.selected]

    @property
    def in_flight(self) -> TranscriptEntry | None:
        """The request without a result."""
        return self.entries[-1] if self.entries and not self.entries[-1].ended else None

    @property
    def last_idempotency_key(self) -> str:
        """The newest idempotency key that was sent, or ""."""
        return next((key for entry in reversed(self.entries) if (key := entry.idempotency_key)), "")

    @property
    def paths(self) -> tuple[KnownPath, ...]:
        """The requested paths for completion, the newest first."""
        sent_paths = {
            entry.form.path: KnownPath(entry.form.path, entry.spec.method) for entry in reversed(self.entries)
        }
        return tuple(sent_paths.values())

    @property
    def hint(self) -> str:
        """The position among the requests, or the key for earlier ones, or ""."""
        if self.selected is not None:
            return f"{self.selected + 1} of {len(self.entries)}"
        return "↑ earlier requests" if self.entries else ""

    def written(self) -> "Transcript":
        """Return the transcript after a change of the form."""
        return replace(self, selected=None)

    def sending(self, entry: TranscriptEntry) -> "Transcript":
        """Return the transcript with one more request, without the oldest beyond the limits."""
        earlier = self.entries[-MAX_ENTRIES + 1 :]
        sizes = list(accumulate(before.size for before in reversed(earlier)))
        return replace(
            self, entries=(*earlier[len(earlier) - bisect_right(sizes, MAX_ANSWER_BYTES) :], entry), selected=None
        )

    def with_event(self, event: TrafficEvent) -> "Transcript":
        """Return the transcript after a traffic event, unchanged unless it is of the request in flight."""
        entry = self.in_flight
        if entry is None or entry.attempts is None or (attempts := entry.attempts.with_event(event)) == entry.attempts:
            return self
        return self._with_last(replace(entry, attempts=attempts))

    def with_left(self) -> "Transcript":
        """Return the transcript after sending of the newest request began."""
        return self._with_last(replace(self.entries[-1], left=True))

    def ended(self, exchange: Exchange | None, failure: ServiceError | None) -> "Transcript":
        """Return the transcript with the result of the newest request."""
        return self._with_last(replace(self.entries[-1], exchange=exchange, failure=failure))

    def stepped(self, form: RequestForm, steps: int) -> "tuple[Transcript, RequestForm] | None":
        """Return the transcript and the form `steps` earlier or later than `form`; None beyond the ends.

        A typed form comes after the last request, unless it is the same.
        """
        if not self.entries:
            return None
        last, draft, position = len(self.entries) - 1, self.draft, self.selected
        if position is None:
            position = last if form == self.entries[last].form else last + 1
            draft = form
        elif form != self.entries[position].form:
            draft = form
        at = position + steps
        if not 0 <= at <= (last if self.selected is None else last + 1):
            return None
        after = replace(self, selected=at if at <= last else None, draft=draft)
        return after, self.entries[at].form if at <= last else draft

    def unsent(self, form: RequestForm) -> RequestForm | None:
        """Return the form that was typed and not sent: `form`, or the one before stepping; None if there is none."""
        typed = (form,) if self.selected is None else (form, self.draft)
        sent = [replace(entry.form, note="") for entry in self.entries if entry.sent]
        for candidate in typed:
            words = (candidate.path, candidate.query, candidate.headers, candidate.body)
            if any(map(str.strip, words)) and replace(candidate, note="") not in sent:
                return candidate
        return None

    def _with_last(self, entry: TranscriptEntry) -> "Transcript":
        return replace(self, entries=(*self.entries[:-1], entry))
