"""What happens on the wire: how it stands, on request, and that a command waits for the service's limit, once."""

import math
from collections.abc import Callable

from svc_tui.core.durations import offset_words, span_words
from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.service.traffic import Throttled, TrafficEvent
from svc_tui.service.traffic_state import CLOCK_WARNING, TrafficState, apply_event


class Wire:
    """Listens to the traffic of one session; `busy` tells whether a command runs, so that somebody waits."""

    def __init__(self, say: Callable[[str], None], now: Callable[[], float], busy: Callable[[], bool]) -> None:
        self._say, self._now, self._busy = say, now, busy
        self.state = TrafficState()
        self._waits = False

    def hear(self, event: TrafficEvent) -> None:
        """Take one event in."""
        self.state = apply_event(self.state, event, self._now())
        if not isinstance(event, Throttled):
            return
        if event.until is None:
            if self._waits:
                self._say("Continuing.")
            self._waits = False
        elif not self._waits and self._busy():
            self._waits = True
            seconds = max(0, math.ceil(event.until - self._now()))
            self._say(f"Request is waiting ({event.status}): retry in {seconds} s.")

    @property
    def words(self) -> list[str]:
        """What is to be known of it now, a sentence each."""
        state, lines = self.state, []
        held = state.held_seconds(self._now())
        if held is not None:
            waiting = counted(state.waiting, "request")
            lines.append(f"Throttled ({state.held_status}) for {span_words(held)}, {waiting} waiting.")
        if flying := state.in_flight(self._now()):
            lines.append(f"{counted(flying, 'request')} running.")
        if state.refusal is not None:
            lines.append(f"{capitalize_first(state.refusal.value)}.")
        if state.offset is not None and abs(state.offset) >= CLOCK_WARNING:
            lines.append(f"This computer's clock is wrong: {offset_words(state.offset)}.")
        return lines
