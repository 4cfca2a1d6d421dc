"""Navigation: places named in the `:` line, and back and forward through the visited places."""

import re
from collections.abc import Callable

from msgspec import Struct

from svc_tui.console.links import SCHEME, LinkToOtherService, parse_link
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.service.routes import PlaceError, parse_place, place_of_url
from svc_tui.ui.context import Context
from svc_tui.ui.navigation.destinations import (
    Destination,
    LinkDestination,
    NamedDestination,
    OtherServiceDestination,
    RowDestination,
)
from svc_tui.ui.navigation.profile_switch import ProfileSwitchController

_URL = re.compile("https?://", re.IGNORECASE)
_MAX_GLANCED = 100
"""Records of each collection that are searched for an id while it is typed."""
_ROW = re.compile(r"#\s*([0-9][0-9,_ ]{0,18})")


MAX_PLACES = 100
"""The number of places that are remembered."""


class VisitHistory(Struct, frozen=True):
    """Places in the order they were visited; `at` is the index of the present one, -1 before the first."""

    places: tuple[Place, ...] = ()
    at: int = -1

    @property
    def here(self) -> Place | None:
        """The present place."""
        return self.places[self.at] if self.at >= 0 else None

    @property
    def record_before(self) -> Place | None:
        """The previous place if it is a record of another collection, as after following a reference."""
        if self.at < 1:
            return None
        before, here = self.places[self.at - 1 : self.at + 1]
        return before if before.record_id is not None and before.collection != here.collection else None

    def with_visit(self, place: Place) -> "VisitHistory":
        """Return the history after a visit of `place`, without the places ahead; staying is no visit."""
        if place == self.here:
            return self
        places = (*self.places[: self.at + 1], place)[-MAX_PLACES:]
        return VisitHistory(places, len(places) - 1)

    def with_steps(self, steps: int) -> "VisitHistory":
        """Return the history after going back (negative) or forward, as far as possible."""
        return replace(self, at=min(max(self.at + steps, 0), len(self.places) - 1))


class NavigationController:
    """The visited places of a main screen, and the `:` line, which runs in a worker of the screen."""

    def __init__(
        self,
        context: Context,
        switching: ProfileSwitchController,
        offer_marks: Callable[[str], tuple[str, bool] | None],
    ) -> None:
        """Create it; `offer_marks` returns what a text of several ids would mark, and True if it can."""
        self._context, self._switching, self._offer_marks = context, switching, offer_marks
        self.trail = VisitHistory()

    def place(self, text: str, most: int | None = None) -> Place:
        """Return the place that `text` names, links to, or is the URL or the id of; raises PlaceError.

        An id is searched in at most `most` records of each open collection; None: in all.
        """
        if _URL.match(text.strip()):
            return place_of_url(text, self._context.gateway.base_url, self._context.session.collections)
        if text.strip().startswith(f"{SCHEME}:"):
            return parse_link(
                text, self._context.gateway.environment, self._context.gateway.host, self._context.session.collections
            )
        try:
            return parse_place(text, self._context.session.collections)
        except PlaceError:
            home = self._context.selection.home_of(text.strip(), most)
            if home is None:
                raise
            return Place(home, text.strip())

    def destination(self, text: str, most: int | None = None) -> Destination:
        """Return the destination of `text`: a place, `#4500000` for a row of the collection shown,
        `operations/lots ▹ name` for a saved view, `@name` for another profile, or a link. `most` as in `place`.
        """
        if text.strip().startswith("@"):
            name = text.strip()[1:]
            self._switching.check(name)
            return OtherServiceDestination(name)
        if row := _ROW.fullmatch(text.strip()):
            number = int(re.sub("[,_ ]", "", row[1]))
            if not number:
                raise PlaceError("rows start at #1")
            return RowDestination(number - 1)
        try:
            return self._saved_views().get(text.strip()) or self.place(text, most)
        except LinkToOtherService as service:
            return LinkDestination(text.strip(), service)

    def _saved_views(self) -> dict[str, Destination]:
        return {
            f"{collection.key} ▹ {name}": NamedDestination(collection, name)
            for collection in self._context.session.collections
            for name in self._context.remembered.habit(collection.key).named
        }

    def add_visit(self, place: Place) -> None:
        """Add `place` to the visited places."""
        self.trail = self.trail.with_visit(place)

    def travel(self, steps: int) -> Place | None:
        """Go back (negative) or forward in the visited places; return the place to open, None if there is none."""
        self.trail = self.trail.with_steps(steps)
        return self.trail.here

    async def ask(self, initial: str) -> Destination | None:
        """Ask where to go, with `initial` in the line."""
        from svc_tui.ui.navigation.goto_dialog import GoToScreen

        recent = map(self._place_text, reversed(self.trail.places))
        profiles = (f"@{name}" for name in self._switching.offered())
        candidates = dict.fromkeys(
            (*(c.key for c in self._context.session.collections), *self._saved_views(), *recent, *profiles)
        )
        screen = GoToScreen(
            list(candidates),
            self._problem_of,
            initial,
            self._context.gateway.secrets,
            self._look_up,
            self._offer_marks,
        )
        chosen = await self._context.show(screen)
        return self.destination(chosen) if isinstance(chosen, str) else chosen

    def _place_text(self, place: Place) -> str:
        """Return the short name of a place if that leads back to it, else its path, which always does."""
        try:
            return place.key if self.place(place.key) == place else place.path
        except PlaceError:
            return place.path

    def _look_up(self, text: str) -> tuple[str, str] | None:
        shown = self._context.table.collection
        try:
            destination = self.destination(text, _MAX_GLANCED)
        except PlaceError:
            return None
        if isinstance(destination, RowDestination) and shown is not None:
            return f"Row {destination.index + 1:,}", shown.key
        if isinstance(destination, Place) and destination.record_id:
            return f"Open {text.rpartition('/')[2]}", destination.collection.key
        return "", ""

    def _problem_of(self, text: str) -> str | None:
        try:
            self.destination(text)
        except PlaceError as error:
            return str(error)
        return None
