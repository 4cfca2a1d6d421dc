"""How a view moves over rows: paged from one view to the next, or flung over many."""

from dataclasses import dataclass, replace

REST_SECONDS = 0.125
"""Seconds without a jump after which a view that is flung has come to rest; keys repeat some 30 times a second."""


@dataclass(frozen=True, slots=True)
class ScrollMotion:
    """`first` is the first row in view, `jumped` when it last moved by half a view or more, by the monotonic clock."""

    first: int = 0
    jumped: float | None = None
    flung: bool = False
    """Whether the last jump came so soon after another one that nobody can have read what was in view."""

    def moved(self, first: int, height: int, now: float) -> "ScrollMotion":
        """The view of `height` rows begins at row `first` now."""
        if 2 * abs(first - self.first) < height:
            return replace(self, first=first, flung=self.flung and not self.rests(now))
        return ScrollMotion(first, now, flung=not self.rests(now))

    def rests(self, now: float) -> bool:
        """Whether the last jump was a while ago."""
        return self.jumped is None or now - self.jumped >= REST_SECONDS
