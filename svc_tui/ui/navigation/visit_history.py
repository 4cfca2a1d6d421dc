"""The places visited, with back and forward."""

from msgspec import Struct

from svc_tui.core.records import Place
from svc_tui.core.values import replace

MAX_PLACES = 100
"""How many places back are remembered."""


class VisitHistory(Struct, frozen=True):
    """Places in the order they were visited; `at` is the one where the user is, -1 before the first."""

    places: tuple[Place, ...] = ()
    at: int = -1

    @property
    def here(self) -> Place | None:
        """The present place."""
        return self.places[self.at] if self.at >= 0 else None

    @property
    def came_from_record(self) -> bool:
        """Whether the place before is a record of another collection: the user followed a reference, or the like."""
        if self.at < 1:
            return False
        before, here = self.places[self.at - 1 : self.at + 1]
        return before.record_id is not None and before.collection != here.collection

    def visited(self, place: Place) -> "VisitHistory":
        """The trail after going to `place`: what lay ahead is forgotten; staying is no visit."""
        if place == self.here:
            return self
        places = (*self.places[: self.at + 1], place)[-MAX_PLACES:]
        return VisitHistory(places, len(places) - 1)

    def moved(self, steps: int) -> "VisitHistory":
        """The trail after going back (negative) or forward, as far as it reaches."""
        return replace(self, at=min(max(self.at + steps, 0), len(self.places) - 1))
