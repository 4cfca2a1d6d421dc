"""The tour on the running app: it follows what the user does, and shows in a bar what to do next."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from textual.app import App
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from svc_tui.core.records import Place
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.keys.keymap import key_label
from svc_tui.ui.main.screen import MainScreen
from svc_tui.ui.text import shorten, visible
from svc_tui.ui.tour_steps import (
    TOUR_STEPS,
    FocusedPane,
    OpenDialog,
    ScreenSnapshot,
    SentencePieceKind,
    Tour,
    split_sentence,
)
from svc_tui.ui.widgets.bars.status_bar import StatusBar

LOOK_INTERVAL_SECONDS = 0.2
"""Seconds between looks, for changes that no key makes: a response, a dialog that closes by itself."""


class TourController:
    """One run of the tour on a main screen, from its first bar to its end."""

    def __init__(self, app: App[Any], main: MainScreen) -> None:
        self._app, self._main = app, main
        self._tour: Tour | None = None
        """The progress; None before the beginning and after the end."""
        self._keys: Mapping[str, str] = {}
        self._timer: Timer | None = None
        self._has_ended = False

    async def begin(self) -> None:
        """Open the first collection, and show the first step."""
        main = self._main
        await asyncio.to_thread(_load_named_bindings)
        if self._has_ended:
            return
        self._keys = key_label(self._app._keymap)
        main.go(Place(main.session.profile.first))
        self._tour = Tour(self._take_snapshot())
        self._timer = main.set_interval(LOOK_INTERVAL_SECONDS, self.look)
        self.look()

    def look(self) -> None:
        """Go on if the current task is done, and show what to do now."""
        if self._tour is not None and self._app.screen_stack and self._main.is_mounted:
            now = self._take_snapshot()
            self._show(self._tour.update(now), now)

    @property
    def is_finished(self) -> bool:
        """True after the last step."""
        return self._tour is not None and self._tour.is_finished

    def skip(self) -> None:
        """Go to the next step."""
        if self._tour is not None:
            now = self._take_snapshot()
            self._show(self._tour.skip(now), now)

    def back(self) -> None:
        """Go to the previous step."""
        if self._tour is not None:
            now = self._take_snapshot()
            self._show(self._tour.back(now), now)

    def end(self) -> None:
        """Remove the bars."""
        self._tour, self._has_ended = None, True
        if self._timer is not None:
            self._timer.stop()
        for screen, bar in self._bars():
            bar.remove()
            _reserve_rows(screen, 0)

    def _take_snapshot(self) -> ScreenSnapshot:
        return take_snapshot(self._main, self._app.screen)

    def _show(self, tour: Tour, now: ScreenSnapshot) -> None:
        self._tour = tour
        words = tour.words(now)
        self._mount_bars()
        for screen, bar in self._bars():
            before = bar.rows
            bar.show(tour, words)
            if bar.rows != before:
                _reserve_rows(screen, bar.rows)

    def _mount_bars(self) -> None:
        """Mount a bar on the main screen, and on each dialog, which may cover the main screen."""
        have = {screen for screen, _ in self._bars()}
        for screen in self._app.screen_stack:
            if screen in have:
                continue
            if screen is self._main:
                screen.mount(TourBar(self._keys), before=screen.query_one(StatusBar))
            elif isinstance(screen, Dialog) and screen.is_mounted:
                screen.mount(TourBar(self._keys, over=True))

    def _bars(self) -> "Iterator[tuple[Screen[Any], TourBar]]":
        for screen in self._app.screen_stack:
            for bar in screen.query(TourBar):
                yield screen, bar


def _load_named_bindings() -> None:
    """Load the modules with bindings that the tour names, which may not have been needed yet."""
    import svc_tui.ui.console.console_pane
    import svc_tui.ui.help.help_screen
    import svc_tui.ui.plans.plan_screen
    import svc_tui.ui.sending.request_card  # noqa: F401  loading is the point


def _reserve_rows(screen: Screen[Any], rows: int) -> None:
    """Keep dialogs and notices off the rows of the bar."""
    if isinstance(screen, Dialog):
        screen.set_class(rows > 0, "-toured")
        screen.reserve_rows(rows + ROWS_BELOW if rows else 0)
    for rack in screen.query("ToastRack"):
        rack.styles.padding = (0, 0, rows, 0)


# The snapshot that the tour's conditions are about


def take_snapshot(main: MainScreen, screen: Screen[Any]) -> ScreenSnapshot:
    """Return the state of `main` while `screen` is in front."""
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
    return screen.TOUR_NAME if isinstance(screen, Dialog) else OpenDialog.OTHER


# The bar

FRAMED_ROWS, TWO_LINE_ROWS = 30, 20
"""Rows of a screen from which the bar has a frame, and from which it has two lines."""

ROWS_BELOW = 2
"""Rows below the bar: the status bar and the line of keys."""

_PADDING_CELLS, _FRAME_CELLS = 2, 2
_GAP = 2
_MAX_KEY_CELLS = 20
_STYLES: Mapping[SentencePieceKind, str] = {
    "plain": "",
    "key": "bold $role-accent",
    "typed": "$role-text on $role-panel",
}
_TOUR_KEYS = (("tour.next", "skip", "next"), ("tour.back", "back", "back"), ("tour.end", "end", "end"))
"""The keys of the tour: the id of the binding, its word, and the parameter of its action."""


class TourBar(Static):
    """The step of the tour and what to do next, at the foot of a screen; it never takes the focus."""

    DEFAULT_CSS = """
    TourBar {
        height: auto;
        width: 1fr;
        padding: 0 1;
        background: $role-surface;
        color: $role-foreground;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        link-style: none;
        link-color: $role-muted;
        &.-framed { border: round $role-accent; border-title-style: bold; border-subtitle-color: $role-muted; }
        &.-over { dock: bottom; }
    }
    """

    ALLOW_SELECT = False

    def __init__(self, keys: Mapping[str, str], *, over: bool = False) -> None:
        """Create the bar; `keys` are the labels of keys by the ids of their bindings; `over`: it is in a dialog."""
        super().__init__(markup=False)
        self._keys = keys
        self._shown: tuple[Tour, str, Size] | None = None
        self.rows = 0
        """The number of rows that it takes."""
        self.set_class(over, "-over")
        if over:
            # In the same place as the one behind the dialog, so that nothing moves when the dialog opens.
            self.styles.margin = (0, 0, ROWS_BELOW, 0)

    def show(self, tour: Tour, words: str) -> None:
        """Show the step, what was done, and with `words` what to do, as far as the size of the screen allows."""
        size = self.app.size
        if self._shown == (tour, words, size):
            return
        self._shown = tour, words, size
        framed = size.height >= FRAMED_ROWS
        number = f"{min(tour.at + 1, len(TOUR_STEPS))} of {len(TOUR_STEPS)}"
        self.set_class(framed, "-framed")
        if framed:
            self.border_title = Content(" · ".join(filter(None, (f"Tour {number}", visible(tour.title)))))
            self.border_subtitle = self._own_keys()
        cells = max(1, size.width - _PADDING_CELLS - (_FRAME_CELLS if framed else 0))
        content = sentence_content(words, self._keys)
        if size.height < TWO_LINE_ROWS:
            prefix = Content.styled(f"{number} ", "bold $role-accent")
            lines = [Content.assemble(prefix, content).truncate(cells, ellipsis=True)]
        else:
            lines = [self._head(tour, number, cells, framed=framed), *content.wrap(cells)]
        self.rows = len(lines) + (_FRAME_CELLS if framed else 0)
        self.update(Content("\n").join(lines))

    def _head(self, tour: Tour, number: str, cells: int, *, framed: bool) -> Content:
        """Return the first line: what was done, or the title; without a frame, the number and the keys too."""
        mark = ("✓ ", "$role-ok") if tour.done else ""
        feedback = Content.assemble(mark, sentence_content(tour.feedback, self._keys).stylize("$role-muted"))
        if framed:
            return feedback.truncate(cells, ellipsis=True)
        name = Content.styled(f"Tour {number}  ", "bold $role-accent")
        left = Content.assemble(name, feedback if tour.feedback else Content.styled(visible(tour.title), "$role-muted"))
        for right in (self._own_keys(), self._own_keys(shortest=True)):
            room = cells - left.cell_length - right.cell_length
            if room >= _GAP:
                return Content.assemble(left, " " * room, right)
        return left.truncate(cells, ellipsis=True)

    def _own_keys(self, *, shortest: bool = False) -> Content:
        """Return the keys of the tour, which can be clicked; `shortest`: only the one that ends it."""
        return Content.styled(" · ", "$role-muted").join(
            Content.styled(f"{_key_text(self._keys[binding])} {word}", "$role-muted").stylize(
                Style.from_meta({"@click": f"app.tour('{step}')"})
            )
            for binding, word, step in (_TOUR_KEYS[-1:] if shortest else _TOUR_KEYS)
        )


def sentence_content(sentence: str, keys: Mapping[str, str]) -> Content:
    """Return a sentence of the tour with keys in place of the ids of their bindings."""
    return Content.assemble(
        *((_key_text(keys[text]) if kind == "key" else text, _STYLES[kind]) for kind, text in split_sentence(sentence))
    )


def _key_text(key: str) -> str:
    return shorten(visible(key), _MAX_KEY_CELLS)
