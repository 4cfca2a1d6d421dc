"""The console's requests of this session: what became of each, and which of them is looked at."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate

from svc_tui.domain.console.request_form import KnownPath, RequestForm
from svc_tui.domain.http.advice import error_text
from svc_tui.domain.http.attempts import AttemptLog
from svc_tui.domain.http.errors import SentState, ServiceError, SignatureRefused, TimestampStale
from svc_tui.domain.model.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.domain.model.traffic import TrafficEvent

MAX_ENTRIES = 50
"""How many requests are kept."""

MAX_ANSWER_BYTES = 200_000_000
"""How large the bodies of answers may be together, when another request is sent."""

_OUTCOME_TEXTS: Mapping[SentState, str] = {
    SentState.NO: "",  # the title says so
    SentState.REFUSED: "",
    SentState.UNKNOWN: "It is not known whether the change was saved.",
    SentState.DONE: "The change was saved, but the response is missing or incomplete.",
}


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """A request and how it ended; neither `exchange` nor `failure` before that.

    `form` is what stood in the console, `spec` what was asked for, `signed` what leaves, None where it could not.
    `left`: it is on its way; a write is not, as long as the user has not agreed to it.
    """

    form: RequestForm
    spec: RequestSpec
    signed: SignedRequest | None = None
    exchange: Exchange | None = None
    failure: ServiceError | None = None
    attempts: AttemptLog | None = None
    """What is heard of it on the wire; None where it never left."""
    left: bool = False

    @property
    def ended(self) -> bool:
        """Whether it is known what became of it."""
        return self.exchange is not None or self.failure is not None

    @property
    def sent(self) -> bool:
        """Whether it left, or may have."""
        may_have_left = self.left and (self.failure is None or self.failure.sent is not SentState.NO)
        return self.exchange is not None or may_have_left

    @property
    def size(self) -> int:
        """The bytes of its answer's body."""
        return 0 if self.exchange is None else len(self.exchange.answer.body)

    @property
    def idempotency_key(self) -> str:
        """The key that the request left with, "" where it had none or did not leave."""
        if self.exchange is not None:
            return self.exchange.idempotency_key
        return self.failure.idempotency_key if self.failure is not None else ""

    @property
    def attempt_texts(self) -> tuple[str, ...]:
        """The attempts in short words; the answer itself says how an answered one ended."""
        if self.attempts is None:
            return ()
        return self.attempts.words if self.exchange is None else self.attempts.before_last

    @property
    def words(self) -> str:
        """What went wrong and what to do, in sentences; "" where nothing did."""
        failure = self.failure
        if failure is None:
            return ""
        fate = _OUTCOME_TEXTS[failure.sent] if self.spec.writes else ""
        words = f"{error_text(failure)} {fate}".strip()
        if failure.sent is SentState.UNKNOWN and failure.idempotency_key:
            words += " Press ctrl+j to send it again with the same idempotency key."
        if isinstance(failure, SignatureRefused | TimestampStale):
            words += " Press f9 to explain the signature."
        return words


@dataclass(frozen=True, slots=True)
class Transcript:
    """The latest requests, the newest last; at most the last of them is on its way.

    `selected` is the index of the one that the user stepped to; None: what stands in the form comes after them all.
    """

    entries: tuple[TranscriptEntry, ...] = ()
    selected: int | None = None
    draft: RequestForm = field(default=RequestForm())
    """What stood in the form when walking began, or was changed on the way."""

    @property
    def shown(self) -> TranscriptEntry | None:
        """The request whose answer is on show: the one walked to, else the newest."""
        if not self.entries:
            return None
        return self.entries[-1 if self.selected is None else self.selected]

    @property
    def in_flight(self) -> TranscriptEntry | None:
        """The request that is not answered yet."""
        return self.entries[-1] if self.entries and not self.entries[-1].ended else None

    @property
    def last_idempotency_key(self) -> str:
        """The idempotency key of the newest write that left with one, "" for none."""
        return next((key for entry in reversed(self.entries) if (key := entry.idempotency_key)), "")

    @property
    def paths(self) -> tuple[KnownPath, ...]:
        """The paths that were asked for, the newest first, for completion."""
        sent_paths = {
            entry.form.path: KnownPath(entry.form.path, entry.spec.method) for entry in reversed(self.entries)
        }
        return tuple(sent_paths.values())

    @property
    def hint(self) -> str:
        """The position among the requests, or the key that goes to earlier ones; "" where there are none."""
        if self.selected is not None:
            return f"{self.selected + 1} of {len(self.entries)}"
        return "↑ earlier requests" if self.entries else ""

    def written(self) -> "Transcript":
        """After something new was put into the form."""
        return replace(self, selected=None)

    def sending(self, entry: TranscriptEntry) -> "Transcript":
        """The transcript with one more request; the oldest go when there are too many or their answers too large."""
        earlier = self.entries[-MAX_ENTRIES + 1 :]
        sizes = list(accumulate(before.size for before in reversed(earlier)))
        return replace(
            self, entries=(*earlier[len(earlier) - bisect_right(sizes, MAX_ANSWER_BYTES) :], entry), selected=None
        )

    def with_event(self, event: TrafficEvent) -> "Transcript":
        """The transcript after a traffic event; unchanged unless the event is of the request in flight."""
        entry = self.in_flight
        if entry is None or entry.attempts is None or (attempts := entry.attempts.with_event(event)) == entry.attempts:
            return self
        return self._with_last(replace(entry, attempts=attempts))

    def with_left(self) -> "Transcript":
        """After the newest request left; there must be one."""
        return self._with_last(replace(self.entries[-1], left=True))

    def ended(self, exchange: Exchange | None, failure: ServiceError | None) -> "Transcript":
        """After the request on its way was answered, or failed; there must be one."""
        return self._with_last(replace(self.entries[-1], exchange=exchange, failure=failure))

    def stepped(self, form: RequestForm, steps: int) -> "tuple[Transcript, RequestForm] | None":
        """The transcript `steps` earlier or later than `form`, and the form to show; None where there is none.

        What was typed comes after the last request, unless it still is that one.
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
        """What was typed and not sent: `form`, or what stood in it before walking; None where there is none."""
        typed = (form,) if self.selected is None else (form, self.draft)
        sent = [replace(entry.form, note="") for entry in self.entries if entry.sent]
        for candidate in typed:
            words = (candidate.path, candidate.query, candidate.headers, candidate.body)
            if any(map(str.strip, words)) and replace(candidate, note="") not in sent:
                return candidate
        return None

    def _with_last(self, entry: TranscriptEntry) -> "Transcript":
        return replace(self, entries=(*self.entries[:-1], entry))
