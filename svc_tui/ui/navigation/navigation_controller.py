"""Finding the way from the main screen: the `:` line, and back and forward through places visited."""

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from svc_tui.console.links import SCHEME, LinkToOtherService, parse_link
from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place
from svc_tui.service.routes import PlaceError, parse_place, place_of_url
from svc_tui.ui.context import Context
from svc_tui.ui.navigation.profile_switch import ProfileSwitchController
from svc_tui.ui.navigation.visit_history import VisitHistory

_URL = re.compile("https?://", re.IGNORECASE)
_MAX_GLANCED = 100
"""Records of each collection that tell whose an id is while it is typed."""
_ROW = re.compile(r"#\s*([0-9][0-9,_ ]{0,18})")


class RowDestination(Struct, frozen=True):
    """A row of the collection on show, from 0."""

    index: int


class NamedDestination(Struct, frozen=True):
    """A saved view of a collection."""

    collection: Collection
    name: str


class OtherServiceDestination(Struct, frozen=True):
    """Another profile, where it was left."""

    profile: str


class LinkDestination(Struct, frozen=True):
    """A link that this profile does not open, and what it is of."""

    text: str
    service: LinkToOtherService


class SearchDestination(Struct, frozen=True):
    """A text to be found, in whatever collection."""

    text: str


class ListDestination(Struct, frozen=True):
    """Several ids: no place to go to, but records to mark."""

    text: str


Destination: TypeAlias = (
    Place
    | RowDestination
    | NamedDestination
    | OtherServiceDestination
    | LinkDestination
    | SearchDestination
    | ListDestination
)


class NavigationController:
    """Holds the trail of one screen; its asking runs in a worker of the screen."""

    def __init__(
        self,
        context: Context,
        switching: ProfileSwitchController,
        offer_marks: Callable[[str], tuple[str, bool] | None],
    ) -> None:
        """Make it; `offer_marks` says of a text that is several ids what it would mark, and whether it can."""
        self._context, self._switching, self._offer_marks = context, switching, offer_marks
        self._trail = VisitHistory()

    def place(self, text: str, most: int | None = None) -> Place:
        """The place that `text` names, links to, or is the URL of, or the record whose id it is; raises PlaceError.

        An id is told by at most `most` records of each open collection, None: by all.
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
        """What `text` leads to: `#4500000` a row of the collection on show, `operations/lots ▹ name` a saved view,
        `@name` another profile, a link perhaps one that has yet to be found. `most` as in `place`.
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
            return self._named().get(text.strip()) or self.place(text, most)
        except LinkToOtherService as service:
            return LinkDestination(text.strip(), service)

    def _named(self) -> dict[str, Destination]:
        return {
            f"{collection.key} ▹ {name}": NamedDestination(collection, name)
            for collection in self._context.session.collections
            for name in self._context.remembered.habit(collection.key).named
        }

    @property
    def trail(self) -> VisitHistory:
        """The places visited."""
        return self._trail

    def visited(self, place: Place) -> None:
        """The user went to `place`."""
        self._trail = self._trail.visited(place)

    def travelled(self, steps: int) -> Place | None:
        """Back (negative) or forward: the place to go to; None where nowhere was visited."""
        self._trail = self._trail.moved(steps)
        return self._trail.here

    async def ask(self, initial: str) -> Destination | None:
        """Ask where to go, `initial` being in the line already."""
        from svc_tui.ui.navigation.goto_dialog import GoToScreen, ListWanted, SearchWanted

        recent = map(self._written, reversed(self._trail.places))
        profiles = (f"@{name}" for name in self._switching.offered())
        candidates = dict.fromkeys(
            (*(c.key for c in self._context.session.collections), *self._named(), *recent, *profiles)
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
        if isinstance(chosen, SearchWanted):
            return SearchDestination(chosen.text)
        if isinstance(chosen, ListWanted):
            return ListDestination(chosen.text)
        return self.destination(chosen) if chosen else None

    def _written(self, place: Place) -> str:
        """A place as people write it where that leads back to it, else as a path, which always does."""
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
