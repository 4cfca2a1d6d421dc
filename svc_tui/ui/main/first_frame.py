"""The first screen: the frame of the main screen, shown while the rest is loaded and the session is opened."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from svc_tui.core.catalog import Collection
from svc_tui.core.settings import Profile
from svc_tui.session.first_page import collection_of, first_place
from svc_tui.session.pane_layout import lay_out_panes
from svc_tui.session.session import SessionStart, routes_of
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table import title
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.widgets.bars.status_bar import StatusBar
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.writes.lock import WriteLock


class FramesFocusedPane(PaintsDirtyCells):
    """A mixin for screens: the pane with the focus has the class `-focused`.

    Not `:focus-within`, nor a change of the class that Textual notices: with either, all widgets in the pane are styled
    again for its frame.
    """

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        """Frame the pane with the focus, and no longer the one that had it before."""
        left, entered = _pane_around(before), _pane_around(focused)
        if left is entered:
            return
        for pane, is_focused in ((left, False), (entered, True)):
            if pane is not None:
                pane.set_class(is_focused, "-focused", update=False)
                self.app.stylesheet.apply(pane)


def _pane_around(widget: Widget | None) -> DOMNode | None:
    if widget is None:
        return None
    return next((node for node in widget.ancestors_with_self if node.has_class("pane")), None)


class _TablePlaceholder(Vertical, can_focus=True):
    """The pane for the first collection; it has the focus, as the table will."""


class FirstFrame(FramesFocusedPane, Screen[None]):
    """Sidebar, an empty pane and the status bar as the main screen will show them, without any function."""

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
        """Create the frame for a session that will open `place`, or the place that was open last."""
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
        """Show what is known before the session is open."""
        beginning = self._beginning
        # A change after the first layout would need a second one.
        self._fit(self.app.size)
        with Horizontal():
            yield self._sidebar
            placeholder = _TablePlaceholder(classes="pane")
            placeholder.border_title = title.title_content(self._collection)
            yield placeholder
        status = StatusBar(beginning.environment, beginning.profile.name, beginning.host, beginning.signs)
        lock = WriteLock(beginning.environment, beginning.profile.read_only)
        status.read_only, status.locked = lock.read_only, lock.refusal(0) is not None
        yield status

    def on_resize(self, event: events.Resize) -> None:
        """Adapt to the new size."""
        self._fit(event.size)
        cover_if_too_small(self, event.size)

    def _fit(self, size: Size) -> None:
        """Give the sidebar the width that it will have."""
        width = lay_out_panes(*size, self._sizes).sidebar
        self._sidebar.display = width > 0
        if width:
            self._sidebar.styles.width = width


def _titled_collection(place: str, profile: Profile) -> Collection:
    """Return the collection of a place, which is the title of the pane; without one, the default collection."""
    if "://" in place:
        from svc_tui.console.links import SCHEME

        if place.startswith(f"{SCHEME}://"):
            place = place.removeprefix(f"{SCHEME}://").partition("/")[2]
    return collection_of(place, profile) or profile.first
