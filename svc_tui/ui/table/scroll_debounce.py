"""Waits until a view that is flung over rows has come to rest; one that is paged is at rest at once.

As long as a key is held, some of the rows that pass are shown all the same.
"""

from collections.abc import Callable

from msgspec import Struct
from textual.timer import Timer
from textual.widget import Widget

from svc_tui.core.values import replace

REST_SECONDS = 0.125
"""Seconds without a jump after which a view that is flung has come to rest; keys repeat some 30 times a second."""


class ScrollMotion(Struct, frozen=True):
    """`first` is the first row in view, `jumped` when it last moved by half a view or more, by the monotonic clock.

    `speed` is that of the last jumps, in rows a second, negative upwards; 0 for a single one.
    """

    first: int = 0
    jumped: float | None = None
    speed: float = 0.0
    flung: bool = False
    """Whether the last jump came so soon after another one that nobody can have read what was in view."""

    def moved(self, first: int, height: int, now: float) -> "ScrollMotion":
        """The view of `height` rows begins at row `first` now."""
        if 2 * abs(first - self.first) < height:
            return replace(self, first=first, flung=self.flung and not self.rests(now))
        if self.jumped is None or self.rests(now):
            return ScrollMotion(first, now)
        # The speed between two jumps at the same moment is unknown.
        speed = (first - self.first) / (now - self.jumped) if now > self.jumped else self.speed
        return ScrollMotion(first, now, speed, flung=True)

    def rests(self, now: float) -> bool:
        """Whether the last jump was a while ago."""
        return self.jumped is None or now - self.jumped >= REST_SECONDS


_GLANCE_SECONDS = 0.5
"""Seconds between two looks at rows that pass: two pages are read for each."""


class ScrollDebounce:
    """Calls `rested` once the view has stayed where it is long enough to be read.

    While it is flung, `passing` is called with its speed in rows a second, now and then.
    """

    def __init__(
        self, pane: Widget, now: Callable[[], float], rested: Callable[[], None], passing: Callable[[float], None]
    ) -> None:
        self._pane, self._now, self._rested, self._passing = pane, now, rested, passing
        self._motion = ScrollMotion()
        self._glanced = 0.0
        """When the view was last looked at."""
        self._timer: Timer | None = None

    def moved(self, first: int, height: int) -> bool:
        """The view of `height` rows begins at row `first` now; return whether it rests there."""
        now = self._now()
        self._motion = self._motion.moved(first, height, now)
        if not self._motion.flung:
            self._glanced = now
            self._rested()
            return True
        if self._timer is None:
            self._wait()
        if now - self._glanced >= _GLANCE_SECONDS:
            self._glanced = now
            self._passing(self._motion.speed)
        return False

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
