"""The story of one request's attempts, told from traffic events as they happen."""

from msgspec import Struct

from svc_tui.core.durations import offset_words, span_words
from svc_tui.core.values import replace
from svc_tui.service.traffic import Answered, ClockCorrected, Failed, Retrying, Sent, Throttled, TrafficEvent


class AttemptLog(Struct, frozen=True):
    """What is known of the request to `target`; `call` is its number once it was seen to leave.

    `words` are short facts in order: `429 rate_limit_exceeded`, `waited 2 s`, `sent again`.
    """

    method: str
    target: str
    call: int | None = None
    words: tuple[str, ...] = ()

    def with_event(self, event: TrafficEvent) -> "AttemptLog":
        """The story after `event`; events of other requests change nothing."""
        match event:
            case Sent(call=call, method=method, target=target) if self.call is None:
                if (method, target) != (self.method, self.target):
                    return self
                return replace(self, call=call, words=())
            case Throttled(until=until, status=status) if self.call is None:
                why = "throttled by the rate limit" if status == 429 else f"waiting after a {status}"
                return replace(self, words=() if until is None else (why,))
            case Sent(call=call) if call == self.call:
                waited = tuple(word.replace("waiting", "waited", 1) for word in self.words)
                return replace(self, words=(*waited, "sent again"))
            case Answered(call=call, status=status, code=code) if call == self.call:
                return self._with(f"{status} {code}".strip())
            case Failed(call=call, reason=reason) if call == self.call:
                return self._with(reason)
            case Retrying(call=call, wait=wait) if call == self.call:
                return self._with(f"waiting {wait:.1f} s" if wait < 10 else f"waiting {span_words(wait)}")
            case ClockCorrected(offset=float(offset)) if self.call is not None:
                return self._with(f"clock corrected by {offset_words(offset)}")
            case _:
                return self

    @property
    def before_last(self) -> tuple[str, ...]:
        """The log without the end of the last attempt, which the answer itself says."""
        return self.words[:-1]

    def _with(self, word: str) -> "AttemptLog":
        return replace(self, words=(*self.words, word))
