"""Waits until a view that is flung over rows has come to rest; one that is paged is at rest at once."""

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

from svc_tui.domain.collections.scroll_motion import REST_SECONDS, ScrollMotion


class ScrollDebounce:
    """Calls `rested` once the view has stayed where it is long enough to be read."""

    def __init__(self, pane: Widget, now: Callable[[], float], rested: Callable[[], None]) -> None:
        self._pane, self._now, self._rested = pane, now, rested
        self._motion = ScrollMotion()
        self._timer: Timer | None = None

    def moved(self, first: int, height: int) -> None:
        """The view of `height` rows begins at row `first` now."""
        self._motion = self._motion.moved(first, height, self._now())
        if not self._motion.flung:
            self._rested()
        elif self._timer is None:
            self._wait()

    @property
    def moving(self) -> bool:
        """Whether the view is being flung."""
        return self._timer is not None

    def begin(self, first: int) -> None:
        """Begin with other rows, from row `first` on; the jump there counts as no scrolling."""
        self._motion = ScrollMotion(first)

    def _wait(self) -> None:
        self._timer = self._pane.set_timer(REST_SECONDS, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._motion.rests(self._now()):
            self._rested()
        else:
            self._wait()
