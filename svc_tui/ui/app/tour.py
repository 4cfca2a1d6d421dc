"""The first tour on the running app: looks at what is on show, and keeps a strip in view that says what comes next."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from textual.app import App
from textual.screen import Screen
from textual.timer import Timer

from svc_tui.core.records import Place
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.dialogs.tour_names import open_dialog_of
from svc_tui.ui.keys.keymap import key_label
from svc_tui.ui.main.screen import MainScreen
from svc_tui.ui.tour_steps import TOUR_STEPS, FocusedPane, OpenDialog, ScreenSnapshot, Tour
from svc_tui.ui.widgets.bars.status_bar import StatusBar
from svc_tui.ui.widgets.bars.tour_bar import ROWS_BELOW, TourBar, TourNote

LOOK_INTERVAL_SECONDS = 0.2
"""Seconds between looks, for what comes without a key: an answer, a dialog that closes by itself."""


def take_snapshot(main: MainScreen, screen: Screen[Any]) -> ScreenSnapshot:
    """What is to be seen on `main` while `screen` is in front."""
    workspace, features = main.workspace, main.features
    browse, drafting, trail = workspace.browse, features.drafting, features.navigation.trail
    drafts = {place: drafting.drafts.draft(place) for place in drafting.drafts.places}
    exchanges = features.session_log.log.exchanges
    writes = [exchange for exchange in exchanges if exchange.request.method not in ("GET", "HEAD")]
    table = browse.table
    return ScreenSnapshot(
        pane=_focused_pane(main),
        dialog=_open_dialog(main, screen),
        here=trail.here,
        ahead=len(trail.places) - 1 - trail.at,
        record=workspace.panes.record_open,
        rows=table.rows.count,
        loaded=browse.rows.cached,
        at_end=(
            table.rows is browse.rows
            and browse.rows.end_known
            and table.cursor_row == browse.rows.count - 1
            and table.cursor_record is not None
        ),
        filtered=bool(browse.view.filter or browse.view.query),
        typing_filter=browse.filter_line.has_focus_within,
        unsent=frozenset((place.key, name) for place, draft in drafts.items() if draft for name in draft.edits),
        marked=len(browse.marking.records),
        busy=features.writes.sending > 0,
        locked=features.lock.refusal() is not None,
        read_only=features.lock.state.read_only,
        written=sum(exchange.answer.status < 300 for exchange in writes),
        answered=len(exchanges) - len(writes),
        signs=main.session.gateway.signs,
    )


def _focused_pane(main: MainScreen) -> FocusedPane:
    if main.sidebar.has_focus:
        return FocusedPane.SIDEBAR
    if main.workspace.in_console:
        return FocusedPane.CONSOLE
    return FocusedPane.RECORD if main.workspace.panes.in_record else FocusedPane.TABLE


def _open_dialog(main: MainScreen, screen: Screen[Any]) -> OpenDialog | None:
    if screen is main:
        return OpenDialog.PENDING if main.asking else None
    return open_dialog_of(screen)


class TourController:
    """One taking of the tour, from its first strip to its end; `keymap` are the user's keys, by the bindings' ids."""

    def __init__(self, app: App[Any], main: MainScreen, keymap: Mapping[str, str], ended: Callable[[], None]) -> None:
        """Make it; `ended` is called once it is over."""
        self._app, self._main, self._keymap, self._ended = app, main, keymap, ended
        self._tour: Tour | None = None
        self._keys: Mapping[str, str] = {}
        self._looking: Timer | None = None
        self._left = False

    async def begin(self) -> None:
        """Go where the tour begins, and show its first step."""
        main = self._main
        await asyncio.to_thread(self._load)
        if self._left:
            return
        self._keys = key_label(self._keymap)
        main.go(Place(main.session.profile.first))
        self._tour = Tour(self._snapshot)
        self._looking = main.set_interval(LOOK_INTERVAL_SECONDS, self.look)
        self.look()

    def _load(self) -> None:
        """Load the modules with keys that the tour names, which may not have been needed yet."""
        import svc_tui.ui.console.console_pane
        import svc_tui.ui.help.help_screen
        import svc_tui.ui.plans.plan_screen
        import svc_tui.ui.sending.request_card  # noqa: F401  loading is the point

    @property
    def _snapshot(self) -> ScreenSnapshot:
        return take_snapshot(self._main, self._app.screen)

    def look(self) -> None:
        """Look whether the current task is done."""
        if self._tour is not None and self._app.screen_stack and self._main.is_mounted:
            now = self._snapshot
            self._go_on(self._tour.update(now), now)

    def skip(self) -> None:
        """Go to the next step; after the last, to the end."""
        if self._tour is not None and self._tour.is_finished:
            self.end()
        elif self._tour is not None:
            now = self._snapshot
            self._go_on(self._tour.skip(now), now)

    def back(self) -> None:
        """Go to the step before."""
        if self._tour is not None:
            now = self._snapshot
            self._go_on(self._tour.back(now), now)

    def end(self) -> None:
        """Take the strip away."""
        self._tour, self._left = None, True
        if self._looking is not None:
            self._looking.stop()
        for screen, strip in self._strips():
            strip.remove()
            _make_room(screen, 0)
        self._ended()

    def _go_on(self, tour: Tour, now: ScreenSnapshot) -> None:
        self._tour = tour
        number = f"{min(tour.at + 1, len(TOUR_STEPS))} of {len(TOUR_STEPS)}"
        note = TourNote(number, tour.title, tour.feedback, tour.done, tour.words(now))
        self._put_up()
        for screen, strip in self._strips():
            before = strip.rows
            strip.show(note)
            if strip.rows != before:
                _make_room(screen, strip.rows)

    def _put_up(self) -> None:
        """Have a strip wherever one is to be: on the main screen, and on a dialog, which may cover that."""
        have = {screen for screen, _ in self._strips()}
        for screen in self._app.screen_stack:
            if screen in have:
                continue
            if screen is self._main:
                screen.mount(TourBar(self._keys), before=screen.query_one(StatusBar))
            elif isinstance(screen, Dialog) and screen.is_mounted:
                screen.mount(TourBar(self._keys, over=True))

    def _strips(self) -> "Iterator[tuple[Screen[Any], TourBar]]":
        for screen in self._app.screen_stack:
            for strip in screen.query(TourBar):
                yield screen, strip


def _make_room(screen: Screen[Any], rows: int) -> None:
    """Keep dialogs and notices off the rows that the strip takes."""
    if isinstance(screen, Dialog):
        screen.set_class(rows > 0, "-toured")
        screen.reserve_rows(rows + ROWS_BELOW if rows else 0)
    for rack in screen.query("ToastRack"):
        rack.styles.padding = (0, 0, rows, 0)
