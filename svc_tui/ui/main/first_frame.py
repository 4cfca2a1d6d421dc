"""The first thing to be seen: the frame of the main screen, while what fills it is loaded and connected behind it."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import Screen

from svc_tui.core.catalog import Collection
from svc_tui.core.settings import Profile
from svc_tui.session.first_page import collection_of, first_place
from svc_tui.session.pane_layout import lay_out_panes
from svc_tui.session.session import SessionStart, routes_of
from svc_tui.ui.main.focused_frame import FramesFocusedPane
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table import title
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.widgets.bars.status_bar import StatusBar
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.writes.lock import WriteLock


class _TablePlaceholder(Vertical, can_focus=True):
    """Where the first collection will be; it has the focus that the table is about to have."""


class FirstFrame(FramesFocusedPane, PaintsDirtyCells, Screen[None]):
    """Sidebar, an empty pane and the status bar as the main screen will show them, as far as can be told.

    Nothing here does anything.
    """

    DEFAULT_CSS = """
    FirstFrame {
        layers: base too-small;
        background: $role-background;
        color: $role-foreground;
        padding-bottom: 1;
        & > Horizontal { height: 1fr; }
    }
    """
    AUTO_FOCUS = _TablePlaceholder.__name__

    draws_in_batch = False

    def __init__(self, beginning: SessionStart, place: str | None) -> None:
        """Make the frame of a session that is about to open `place`, or what was open last."""
        super().__init__()
        self._beginning = beginning
        profile, memory = beginning.profile, beginning.store.memory
        self._sizes = memory.panes
        self._sidebar = Sidebar(profile.domains(), routes_of(profile))
        self._sidebar.can_focus = False
        for key, habit in memory.habits.items():
            self._sidebar.set_views(key, tuple(habit.named))
        self._collection = _titled_collection(first_place(place, profile, beginning.environment, memory), profile)
        self._sidebar.reveal(self._collection)

    def compose(self) -> ComposeResult:
        """What is known already."""
        beginning = self._beginning
        # Before anything is laid out, which would be done once more.
        self._fit(self.app.size)
        with Horizontal():
            yield self._sidebar
            awaited = _TablePlaceholder(classes="pane")
            awaited.border_title = title.title_content(self._collection)
            yield awaited
        status = StatusBar(beginning.environment, beginning.profile.name, beginning.host, beginning.signs)
        lock = WriteLock(beginning.environment, beginning.profile.read_only)
        status.read_only, status.locked = lock.read_only, lock.refusal(0) is not None
        yield status

    def on_resize(self, event: events.Resize) -> None:
        """The terminal is so large now."""
        self._fit(event.size)
        cover_if_too_small(self, event.size)

    def _fit(self, size: Size) -> None:
        """Have the sidebar as wide as it is about to be."""
        width = lay_out_panes(*size, self._sizes).sidebar
        self._sidebar.display = width > 0
        if width:
            self._sidebar.styles.width = width


def _titled_collection(place: str, profile: Profile) -> Collection:
    """The collection of a place, by which the pane is called; where it names none, the default one."""
    if "://" in place:
        from svc_tui.console.links import SCHEME

        if place.startswith(f"{SCHEME}://"):
            place = place.removeprefix(f"{SCHEME}://").partition("/")[2]
    return collection_of(place, profile) or profile.first
