"""How the main screen goes from place to place: the line to go to, the finder, the catalogue, back and forward."""

from typing import TYPE_CHECKING

from textual import events, on

from svc_tui.core.records import Place
from svc_tui.service.redact import holds_secret, list_holds_secret
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.navigation_controller import (
    LinkDestination,
    ListDestination,
    NamedDestination,
    OtherServiceDestination,
    RowDestination,
    SearchDestination,
)
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.ui.finder.finder_reading import FinderReading


class NavigationEvents(MainBase):
    """Leads to places; `go` itself is shared by all parts of the screen."""

    def on_paste(self, event: events.Paste) -> None:
        """A paste into a list runs no keys: it fills the line of `:`."""
        event.stop()
        from svc_tui.search.id_list import on_one_line

        text, secrets = event.text.strip(), self.session.gateway.secrets
        line = on_one_line(text)
        if holds_secret(text, secrets) or list_holds_secret(line, secrets):
            self.report(Report("Not accepted: this looks like a key or a secret.", severity="warning"))
            return
        from svc_tui.ui.navigation.goto_dialog import places_notice

        if notice := places_notice(text, line):
            self.report(Report(notice, severity="warning"))
        self.ask(self._go_where_asked(line))

    def action_go_to(self) -> None:
        """Ask where to go."""
        self.ask(self._go_where_asked(""))

    async def _go_where_asked(self, initial: str) -> None:
        match await self.controllers.navigation.ask(initial):
            case Place() as place:
                self.go(place)
            case RowDestination(index):
                self.workspace.close_record()
                self.workspace.browse.cursor.go_to_row(index)
            case NamedDestination(collection, name):
                self.look_at(collection, name)
            case OtherServiceDestination(name):
                await self.controllers.profiles.to(name)
            case SearchDestination(text):
                await self.controllers.finder.find(text)
            case LinkDestination(text, service):
                await self.controllers.profiles.follow(text, service)
            case ListDestination(text):
                self.controllers.mark_list.mark(text)
            case None:
                pass

    def action_search(self) -> None:
        """Find a record in all collections."""
        self.ask(self.controllers.finder.find())

    def on_finder_reading_loading(self, event: "FinderReading.Loading") -> None:
        """Show in the status bar which collection is being loaded for the search."""
        self.status.loaded_for_search = event.name

    def action_referrers(self) -> None:
        """Choose among the records that point at the one at hand."""
        self.ask(self.controllers.finder.referrers())

    def action_explore(self) -> None:
        """Show the catalogue of what the service offers."""
        self.ask(self.controllers.explore())

    def action_travel(self, steps: int) -> None:
        """Back and forward through the places visited."""
        place = self.controllers.navigation.travelled(steps)
        if place is not None:
            self.go(place, visit=False)

    @on(Workspace.PlaceWanted)
    def _place_wanted(self, event: Workspace.PlaceWanted) -> None:
        self.go(event.place)

    @on(Workspace.Opened)
    def _opened(self, event: Workspace.Opened) -> None:
        self.controllers.navigation.visited(event.place)
