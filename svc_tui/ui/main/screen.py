"""The main screen: composes the panes, opens the first place, leads from pane to pane and from place to place.

What each pane says, and most keys, is handled by the parts that it is mixed of; the work is done by its controllers.
Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.getters import query_one
from textual.signal import Signal

from svc_tui.console.links import LinkToOtherService
from svc_tui.core.records import Place
from svc_tui.service.routes import PlaceError
from svc_tui.service.traffic import TrafficEvent
from svc_tui.session.hand_over import HandOver
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.session.session import Session
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.key_scopes import Scope, key_scope
from svc_tui.ui.main.bindings import MAIN_BINDINGS, named_keys
from svc_tui.ui.main.console_events import ConsoleEvents
from svc_tui.ui.main.edit_events import EditEvents
from svc_tui.ui.main.navigation_events import NavigationEvents
from svc_tui.ui.main.record_events import RecordEvents
from svc_tui.ui.main.sidebar_events import SidebarEvents
from svc_tui.ui.main.split_layout import SplitLayout
from svc_tui.ui.main.table_events import TableEvents
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.profile_switch import ShowSession
from svc_tui.ui.report import Report
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table.open_collection import CursorPosition
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.widgets.bars.key_bar import KeyBar
from svc_tui.ui.widgets.bars.status_bar import StatusBar
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small

if TYPE_CHECKING:
    from svc_tui.console.request_line import UnsentRequest
    from svc_tui.team.team import Team
    from svc_tui.ui.team.watch import TeamWatch


@key_scope(Scope.MAIN_SCREEN)
class MainScreen(NavigationEvents, SidebarEvents, TableEvents, RecordEvents, EditEvents, ConsoleEvents):
    """Sidebar, workspace, status bar, keys."""

    # Those of what is inside too: Textual takes the layers of the outermost widget that names any.
    DEFAULT_CSS = "MainScreen { layers: base over table notice too-small; }"
    BINDINGS = MAIN_BINDINGS

    room = query_one(SplitLayout)

    def __init__(
        self,
        session: Session,
        traffic: Signal[TrafficEvent],
        place: str | None,
        reports: Sequence[Report],
        show: ShowSession,
        *,
        carried: HandOver | None = None,
    ) -> None:
        """Make the screen; it opens `place`, or what was open last, and begins by telling what is to be `reports`.

        `show` shows another session in its place; `carried` is what goes along from what was there before.
        """
        super().__init__(session, show, carried=carried)
        self._traffic = traffic
        self._asked_place = place
        self._first_words = reports
        self._leaving = False
        self._team_watch: TeamWatch | None = None

    def compose(self) -> ComposeResult:
        """The sidebar, the workspace, and two bars below."""
        session, controllers = self.session, self.controllers
        gateway, profile, now = session.gateway, session.profile, session.monotonic
        sidebar = Sidebar(profile.domains(), session.routes)
        workspace = Workspace(self.context, controllers.editing.drafts)
        yield SplitLayout(sidebar, workspace, controllers.remembered.sizes, self._keep_sizes)
        yield StatusBar(gateway.environment, profile.name, gateway.host, gateway.signs, now, key_from=profile.key_from)
        yield KeyBar(
            lambda: named_keys(
                self.workspace.selection.marked,
                has_record=self.workspace.selection.record is not None,
                is_reference=self.workspace.selection.is_reference,
                in_sidebar=self.sidebar.has_focus,
                is_narrow=self.room.is_narrow,
            )
        )

    def on_mount(self) -> None:
        """Listen to the wire, open the first place."""
        self._traffic.subscribe(self, self._handle_traffic)
        if self.session.first_page is not None:
            for event in self.session.first_page.take_traffic():
                self._handle_traffic(event)
        self.show_lock()
        self.set_interval(1, self.show_lock)
        self.status.masked = self.privacy_mask.on
        for report in self._first_words:
            self.report(report)
        for collection in self.session.collections:
            if names := tuple(self.controllers.remembered.habit(collection.key).named):
                self.sidebar.set_views(collection.key, names)
        self._open_first()

    @on(PaintsDirtyCells.FirstDrawn)
    def _take_up(self) -> None:
        if self.session.first_page is not None:
            self.session.first_page.shown()
        self.controllers.take_up()
        if self._arrived is not None and self._arrived.request is not None:
            self.run_worker(self._take_up_request(self._arrived.request), group="console")
        if self.session.team is not None:
            self.run_worker(self._watch_team(self.session.team), group="team")

    async def _take_up_request(self, request: "UnsentRequest") -> None:
        await self.workspace.take_up_request(request)
        if not request.on_show:
            self.report(Report("Press 4 to open it.", "Unsent request in the console"))

    async def _watch_team(self, team: "Team") -> None:
        # There is nothing to be told until its work has begun, and the first records are not to wait for it.
        await team.wait_until_open()
        from svc_tui.ui.team.watch import TeamWatch

        self.controllers.team.begin()
        self._team_watch = TeamWatch(self.context, team)
        self._team_watch.begin()

    def on_unmount(self) -> None:
        """Nothing more is heard here of the team."""
        if self._team_watch is not None:
            self._team_watch.end()

    def _open_first(self) -> None:
        place = Place(self.session.profile.first)
        last_position = self.controllers.remembered.last_position
        asked = self._asked_place or (last_position.path if last_position else "")
        if asked:
            try:
                place = self.controllers.navigation.place(asked)
            except LinkToOtherService as service:
                self.ask(self.controllers.profiles.follow(asked, service))
            except PlaceError as error:
                # A remembered place that is no more was nobody's mistake.
                if self._asked_place:
                    self.report(Report(str(error), severity="error"))
        self.go(place)
        if self._arrived is not None and self._arrived.view is not None:
            self.controllers.views.go_on(self._arrived.view)
        if last_position is not None and place.path == last_position.path and place.record_id is None:
            self.workspace.browse.cursor.go_back_to(
                CursorPosition(last_position.row, last_position.field, last_position.record_id)
            )

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self.status.handle_traffic(event)
        self.workspace.handle_traffic(event)

    def on_screen_resume(self) -> None:
        """A dialog was closed, or the program came back."""
        self.controllers.writes.dialog_closed()

    # The panes, and the room they have

    async def action_pane(self, name: str) -> None:
        """Put the focus on a pane, opening it where it is closed."""
        if name == "sidebar":
            self.room.to_sidebar()
        elif name == "console":
            (await self.workspace.console()).start()
        elif name == "table":
            self.workspace.to_table()
        elif not self.workspace.to_record():
            self.report(Report(availability.NO_RECORD))

    def action_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self.room.turn_sidebar()

    def action_zoom(self) -> None:
        """The pane in focus full screen, and back."""
        self.room.turn_zoom()

    def action_size(self, steps: int) -> None:
        """More room for the pane in focus, or less."""
        if not self.room.enlarge(steps):
            self.report(Report("This pane can't be larger."))

    def action_usual_sizes(self) -> None:
        """All panes as large as they were before the user changed them."""
        self.room.as_before()

    def on_resize(self, event: events.Resize) -> None:
        """The panes share what room there is."""
        self.room.fit(event.size)
        cover_if_too_small(self, event.size)

    def _keep_sizes(self, sizes: PaneSizes) -> None:
        self.run_worker(self.controllers.remembered.sized(sizes), group="memory")

    # What all panes show

    def action_raw(self) -> None:
        """Show values as they came, or as people read them."""
        self.workspace.raw = not self.workspace.raw

    def action_refresh_rows(self) -> None:
        """Read again what is shown, and draw all of it, over whatever another program may have written there."""
        self.workspace.refresh_all()
        self.app.refresh(layout=True)

    def turn_mask(self) -> None:
        """Hide personal data, or show it again."""
        self.workspace.toggle_mask()
        self.status.masked = self.privacy_mask.on
        if self.privacy_mask.on:
            # What was said before may name a person.
            self.app.clear_notifications()
        off = "Personal data is unmasked."
        self.report(Report("Personal data is masked, also in copies and files." if self.privacy_mask.on else off))

    def action_help(self) -> None:
        """Show the keys that work here."""
        if self.asking:
            return
        from svc_tui.ui.help.help_screen import HelpScreen
        from svc_tui.ui.keys.shortcuts import shortcuts

        place = self.workspace.selection.place
        self.app.push_screen(HelpScreen(shortcuts(self.app, self.active_bindings), place.key if place else ""))

    # Back, and out

    def action_back(self) -> None:
        """Close what is open, or end it: the console, a range or list being marked, reading on, the record."""
        self._closed_something()

    def _closed_something(self) -> bool:
        workspace, browse = self.workspace, self.workspace.panes.at_hand
        if workspace.in_console:
            workspace.to_table()
        elif (
            browse.marking.end_range()
            or browse.marking.stop_list()
            or (not workspace.panes.in_record and browse.viewport.stop())
        ):
            pass
        elif self.room.drawer_open:
            self.room.close_drawer()
        elif self.room.zoomed:
            self.room.turn_zoom()
        elif workspace.table_and_record.record_open:
            workspace.close_record()
        else:
            return self.controllers.stop_exporting() or browse.arrangement.clear_filter()
        return True

    def action_leave(self) -> None:
        """Back, and quit where there is nothing left to close."""
        if not self._closed_something():
            self.quit_asking()

    def go_on_in_lines(self, hand_over: Callable[[HandOver], None]) -> None:
        """Leave for the reader, which gets what goes along; nothing is asked, since nothing ends."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._go_on_in_lines(hand_over), group="leaving")

    async def _go_on_in_lines(self, hand_over: Callable[[HandOver], None]) -> None:
        try:
            if await self.controllers.may_go():
                hand_over(self._carried)
        finally:
            self._leaving = False

    @property
    def _carried(self) -> HandOver:
        """What goes along to the reader."""
        writes, drafts = self.controllers.writes, self.controllers.editing.drafts
        place = self.workspace.selection.last_position.path
        name, ticket, view = self.session.profile.name, writes.reviewer.ticket, self.workspace.browse.view_state.view
        request = self.workspace.unsent_request
        return HandOver(name, place, ticket, self.privacy_mask.on, drafts.saved, view, request)

    def quit_asking(self) -> None:
        """Leave the program; ask where something is not sent, once for each change."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._quit(), group="leaving")

    async def _quit(self) -> None:
        try:
            if await self.controllers.writes.may_leave() and await self.controllers.unsent.may_leave():
                await self.controllers.remembered.left(self.workspace.selection.last_position)
                self.app.exit()
        finally:
            self._leaving = False
