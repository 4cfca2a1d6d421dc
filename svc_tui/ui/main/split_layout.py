"""How sidebar and workspace share the screen: sizes, edges that can be moved, zoom, the sidebar as a drawer."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from svc_tui.core.values import replace
from svc_tui.session.pane_layout import (
    SHARED_COLUMNS,
    Divider,
    PaneLayout,
    PaneSizes,
    RecordPlacement,
    lay_out_panes,
    move_divider,
    reset_divider,
)
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.workspace.workspace import Workspace

_RESIZE_STEP = {RecordPlacement.BESIDE: 2, RecordPlacement.BELOW: 1}
"""Cells by which a key moves the edge of a record."""
_SIDEBAR_STEP = 2


@dataclass(slots=True)
class _DraggedDivider:
    """An edge that the mouse holds, `off` cells from where it is."""

    divider: Divider
    off: int
    moved: bool = False


class SplitLayout(Horizontal):
    """Gives the panes their sizes, and follows the mouse where their borders meet; `keep` is told what to remember.

    On a narrow screen the sidebar is a drawer: it opens over the table when asked for, and closes when it is left.
    """

    DEFAULT_CSS = """
    SplitLayout {
        height: 1fr;
        layers: base over;
        & > Sidebar.-over { layer: over; }
    }
    """

    def __init__(
        self, sidebar: Sidebar, workspace: Workspace, sizes: PaneSizes, keep: Callable[[PaneSizes], None]
    ) -> None:
        super().__init__()
        self._sidebar, self._workspace, self._keep = sidebar, workspace, keep
        self._panes = workspace.panes
        self._sizes = sizes
        self._screen = Size()
        self._drawer_wanted = False
        """Whether the user opened the sidebar where it is a drawer."""
        self._focus_before_drawer: Widget | None = None
        """What the focus goes back to when the drawer is closed."""
        self._held: _DraggedDivider | None = None
        self.zoomed = False
        """Whether one pane has all the room."""

    def compose(self) -> ComposeResult:
        """The two."""
        yield self._sidebar
        yield self._workspace

    def fit(self, screen: Size) -> None:
        """The screen is so large now."""
        self._screen = screen
        self._arrange()

    # The sidebar

    @property
    def is_narrow(self) -> bool:
        """Whether the sidebar is a drawer: closed until it is asked for, and then over the table."""
        return self._screen.width < SHARED_COLUMNS

    @property
    def drawer_open(self) -> bool:
        """Whether the sidebar stands over the table."""
        return self._pane_layout.over and self._pane_layout.sidebar > 0

    def focus_sidebar(self) -> None:
        """Put the focus on the sidebar, wherever it was put away."""
        self.zoomed = False
        if not self._drawer_wanted:
            self._focus_before_drawer = self.screen.focused
        self._drawer_wanted = True
        if self._sizes.folded and not self._pane_layout.over:
            self._change(replace(self._sizes, folded=False))
        self._arrange()
        self._sidebar.focus()

    def toggle_sidebar(self) -> None:
        """Show the sidebar, or put it away."""
        was_zoomed, self.zoomed = self.zoomed, False
        if self._pane_layout.over:
            self.close_drawer() if self.drawer_open else self.focus_sidebar()
        elif was_zoomed:
            self._change(replace(self._sizes, folded=False))
        else:
            self._change(replace(self._sizes, folded=not self._sizes.folded))
            if self._sizes.folded and self._sidebar.has_focus:
                self._workspace.to_table()

    def close_drawer(self) -> None:
        """Put the sidebar away that stands over the table; the focus goes back to where it was."""
        before = self._focus_before_drawer
        self._leave_drawer()
        if before is not None and before.is_attached and before.focusable:
            before.focus()
        else:
            self._workspace.to_table()

    def _leave_drawer(self) -> None:
        self._drawer_wanted, self._focus_before_drawer = False, None
        self._arrange()

    @on(events.DescendantFocus)
    def _somewhere_else(self, event: events.DescendantFocus) -> None:
        # Not when the focus is lost: a terminal that is left for another window takes it away for a while.
        if self._drawer_wanted and not self._sidebar.has_focus:
            self._leave_drawer()
        elif self._sidebar.has_focus:
            # Where the screen gets narrow meanwhile, it stays until it is left.
            self._drawer_wanted = True

    # How large the panes are

    def toggle_zoom(self) -> None:
        """Give the pane in focus all the room, or share it again."""
        self.zoomed = not self.zoomed
        if self.zoomed and self._sidebar.has_focus:
            self._workspace.to_table()
        self._arrange()

    def enlarge(self, steps: int) -> bool:
        """Give the pane in focus more room, or less; False where no other pane shares it."""
        now, shared = self._pane_layout, self._panes.record_region is not None
        if self._sidebar.has_focus:
            divider, sign = Divider.SIDEBAR, 1
        elif shared:
            divider, sign = Divider.RECORD, 1 if self._workspace.panes.in_record else -1
        elif now.sidebar and not now.over:
            divider, sign = Divider.SIDEBAR, -1
        else:
            return False
        if divider is Divider.SIDEBAR:
            cells = now.sidebar + sign * steps * _SIDEBAR_STEP
        else:
            cells = now.record + sign * steps * _RESIZE_STEP[now.placement]
        self._move(divider, cells)
        self._keep(self._sizes)
        return True

    def reset_sizes(self) -> None:
        """Give every pane the size it has when nobody chose one."""
        self._change(PaneSizes(folded=self._sizes.folded))

    @property
    def _pane_layout(self) -> PaneLayout:
        width, height = self._screen
        return lay_out_panes(width, height, self._sizes, drawer_wanted=self._drawer_wanted, zoomed=self.zoomed)

    def _move(self, divider: Divider, cells: int) -> None:
        self._sizes = move_divider(*self._screen, self._sizes, divider, cells, drawer_wanted=self._drawer_wanted)
        self._arrange()

    def _change(self, sizes: PaneSizes) -> None:
        self._sizes = sizes
        self._keep(sizes)
        self._arrange()

    def _arrange(self) -> None:
        # Not by Textual's breakpoints: a class on the screen has everything on it styled again, at the start too.
        now, sidebar = self._pane_layout, self._sidebar
        sidebar.display = now.sidebar > 0
        if now.sidebar:
            sidebar.styles.width = now.sidebar
        sidebar.set_class(now.over, "-over")
        self._panes.stand(now.placement, now.record)

    # The edges between them

    def _edge(self, divider: Divider) -> int:
        """Where an edge is: the column, or the row, of the first cell behind it."""
        if divider is Divider.SIDEBAR:
            return self._sidebar.region.right
        region = self._panes.record_region
        assert region is not None
        return region.y if self._panes.below else region.x

    def _divider_at(self, event: events.MouseEvent) -> Divider | None:
        """The edge that a mouse is on: the borders at both sides of it."""
        if "@click" in event.style.meta:
            # What is written on a border may be there to be clicked.
            return None
        x, y = event.screen_offset
        sidebar, record = self._sidebar, self._panes.record_region
        if sidebar.display and sidebar.region.y <= y < sidebar.region.bottom:
            edge = sidebar.region.right
            if x == edge - 1 or (x == edge and not self._pane_layout.over):
                return Divider.SIDEBAR
        if record is None:
            return None
        at, along = (y, record.x <= x < record.right) if self._panes.below else (x, record.contains(record.x, y))
        edge = self._edge(Divider.RECORD)
        return Divider.RECORD if along and at in (edge - 1, edge) else None

    def _place(self, divider: Divider, event: events.MouseEvent) -> int:
        return event.screen_y if divider is Divider.RECORD and self._panes.below else event.screen_x

    @on(events.MouseDown)
    def _take_hold(self, event: events.MouseDown) -> None:
        divider = self._divider_at(event) if event.button == 1 else None
        if divider is None:
            return
        event.stop()
        self._held = _DraggedDivider(divider, self._place(divider, event) - self._edge(divider))
        self.capture_mouse()
        # What is dragged is no text to be selected.
        self.screen.clear_selection()

    @on(events.MouseMove)
    def _drag(self, event: events.MouseEvent) -> None:
        held = self._held
        if held is None:
            return
        if held.divider is Divider.RECORD and self._panes.record_region is None:
            # The terminal has become too small for both.
            self._drag_ended()
            self.release_mouse()
            return
        edge = self._place(held.divider, event) - held.off
        if edge == self._edge(held.divider):
            # A click chooses no size.
            return
        if held.divider is Divider.SIDEBAR:
            cells = edge - self.region.x
        else:
            cells = (self.region.bottom if self._panes.below else self.region.right) - edge
        before = self._sizes
        self._move(held.divider, cells)
        held.moved = held.moved or self._sizes != before

    @on(events.MouseUp)
    def _let_go(self, event: events.MouseUp) -> None:
        if self._held is not None:
            # It may be let go farther on than it was last seen.
            self._drag(event)
            self._drag_ended()
            self.release_mouse()

    @on(events.MouseRelease)
    def _drag_ended(self) -> None:
        """The mouse is no longer held; a dialog that comes by itself takes it too."""
        if self._held is not None and self._held.moved:
            self._keep(self._sizes)
        self._held = None

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        if event.chain == 2 and (divider := self._divider_at(event)) is not None:
            self._change(reset_divider(self._sizes, divider, self._pane_layout.placement))
