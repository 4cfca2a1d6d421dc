"""Has what a lost connection kept from being read tried again: after a while, and at once when anything is answered."""

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

from svc_tui.service.errors import ConnectionBroken, ServiceError, Unreachable
from svc_tui.service.retry import Backoff
from svc_tui.service.traffic import Answered, TrafficEvent

FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS = 5.0, 60.0
"""Seconds before the first try, and between tries at most."""


class ConnectionRetry:
    """Calls `again` for the collection on show of `pane`, until something of it has come or another one is shown."""

    def __init__(self, pane: Widget, again: Callable[[], None]) -> None:
        self._pane, self._again = pane, again
        self._patience = Backoff(FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS)
        self._timer: Timer | None = None

    def failed(self, error: ServiceError) -> None:
        """A page could not be read."""
        if isinstance(error, Unreachable | ConnectionBroken) and self._timer is None:
            self._timer = self._pane.set_timer(self._patience.seconds, self._go)
            self._patience = self._patience.longer()

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Any answer on the wire tells that the connection is back."""
        if isinstance(event, Answered) and self._timer is not None:
            self._go()

    def stop(self) -> None:
        """Stop trying again."""
        self._rest()
        self._patience = self._patience.anew()

    def _go(self) -> None:
        self._rest()
        self._again()

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
