"""The layout of sidebar and workspace: sizes, movable edges, zoom, and the sidebar as a drawer."""

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
"""Cells by which a key moves the edge of the record."""
_SIDEBAR_STEP = 2


@dataclass(slots=True)
class _DraggedDivider:
    """An edge that is dragged by a point `off` cells away from it."""

    divider: Divider
    off: int
    moved: bool = False


class SplitLayout(Horizontal):
    """The panes, whose borders can be dragged with the mouse; `save` stores the sizes.

    On a narrow screen the sidebar is a drawer: it opens over the table, and closes when it loses the focus.
    """

    DEFAULT_CSS = """
    SplitLayout {
        height: 1fr;
        layers: base over;
        & > Sidebar.-over { layer: over; }
    }
    """

    def __init__(
        self, sidebar: Sidebar, workspace: Workspace, sizes: PaneSizes, save: Callable[[PaneSizes], None]
    ) -> None:
        super().__init__()
        self._sidebar, self._workspace, self._save = sidebar, workspace, save
        self._panes = workspace.panes
        self._sizes = sizes
        self._screen = Size()
        self._drawer_wanted = False
        """True if the user opened the drawer."""
        self._focus_before_drawer: Widget | None = None
        """The widget that gets the focus when the drawer is closed."""
        self._dragged: _DraggedDivider | None = None
        self.zoomed = False
        """True if one pane has all the room."""

    def compose(self) -> ComposeResult:
        """Show sidebar and workspace."""
        yield self._sidebar
        yield self._workspace

    def fit(self, screen: Size) -> None:
        """Fit the panes into a screen of this size."""
        self._screen = screen
        self._arrange()

    # The sidebar

    @property
    def is_narrow(self) -> bool:
        """True if the sidebar is a drawer."""
        return self._screen.width < SHARED_COLUMNS

    @property
    def drawer_open(self) -> bool:
        """True if the drawer is open."""
        return self._pane_layout.over and self._pane_layout.sidebar > 0

    def focus_sidebar(self) -> None:
        """Focus the sidebar, and show it if it is hidden."""
        self.zoomed = False
        if not self._drawer_wanted:
            self._focus_before_drawer = self.screen.focused
        self._drawer_wanted = True
        if self._sizes.folded and not self._pane_layout.over:
            self._change(replace(self._sizes, folded=False))
        self._arrange()
        self._sidebar.focus()

    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar."""
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
        """Close the drawer, and give the focus back."""
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
    def _close_left_drawer(self, event: events.DescendantFocus) -> None:
        # Not on blur: while another window has the focus, no widget has.
        if self._drawer_wanted and not self._sidebar.has_focus:
            self._leave_drawer()
        elif self._sidebar.has_focus:
            # If the screen becomes narrow, the sidebar stays open as a drawer.
            self._drawer_wanted = True

    # Sizes

    def toggle_zoom(self) -> None:
        """Maximize the focused pane, or restore it."""
        self.zoomed = not self.zoomed
        if self.zoomed and self._sidebar.has_focus:
            self._workspace.to_table()
        self._arrange()

    def enlarge(self, steps: int) -> bool:
        """Enlarge the focused pane, or shrink it; return False if no other pane shares its room."""
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
        self._save(self._sizes)
        return True

    def reset_sizes(self) -> None:
        """Reset all panes to their default sizes."""
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
        self._save(sizes)
        self._arrange()

    def _arrange(self) -> None:
        # Textual's breakpoints would set a class on the screen, after which all of it is styled again.
        now, sidebar = self._pane_layout, self._sidebar
        sidebar.display = now.sidebar > 0
        if now.sidebar:
            sidebar.styles.width = now.sidebar
        sidebar.set_class(now.over, "-over")
        self._panes.stand(now.placement, now.record)

    # Dragging the edges

    def _edge(self, divider: Divider) -> int:
        """Return the column or the row of the first cell after an edge."""
        if divider is Divider.SIDEBAR:
            return self._sidebar.region.right
        region = self._panes.record_region
        assert region is not None
        return region.y if self._panes.below else region.x

    def _divider_at(self, event: events.MouseEvent) -> Divider | None:
        """Return the edge under the mouse, which includes the borders on both sides."""
        if "@click" in event.style.meta:
            # A text in the border can be clicked.
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

    def _mouse_position(self, divider: Divider, event: events.MouseEvent) -> int:
        return event.screen_y if divider is Divider.RECORD and self._panes.below else event.screen_x

    @on(events.MouseDown)
    def _begin_drag(self, event: events.MouseDown) -> None:
        divider = self._divider_at(event) if event.button == 1 else None
        if divider is None:
            return
        event.stop()
        self._dragged = _DraggedDivider(divider, self._mouse_position(divider, event) - self._edge(divider))
        self.capture_mouse()
        # Dragging an edge selects no text.
        self.screen.clear_selection()

    @on(events.MouseMove)
    def _drag(self, event: events.MouseEvent) -> None:
        dragged = self._dragged
        if dragged is None:
            return
        if dragged.divider is Divider.RECORD and self._panes.record_region is None:
            # The terminal has become too small for both panes.
            self._end_drag()
            self.release_mouse()
            return
        edge = self._mouse_position(dragged.divider, event) - dragged.off
        if edge == self._edge(dragged.divider):
            # A click changes no size.
            return
        if dragged.divider is Divider.SIDEBAR:
            cells = edge - self.region.x
        else:
            cells = (self.region.bottom if self._panes.below else self.region.right) - edge
        before = self._sizes
        self._move(dragged.divider, cells)
        dragged.moved = dragged.moved or self._sizes != before

    @on(events.MouseUp)
    def _drop(self, event: events.MouseUp) -> None:
        if self._dragged is not None:
            # The mouse may have moved since the last event.
            self._drag(event)
            self._end_drag()
            self.release_mouse()

    @on(events.MouseRelease)
    def _end_drag(self) -> None:
        """Save the sizes; also called if a dialog that opens takes the mouse."""
        if self._dragged is not None and self._dragged.moved:
            self._save(self._sizes)
        self._dragged = None

    @on(events.Click)
    def _reset_clicked_edge(self, event: events.Click) -> None:
        if event.chain == 2 and (divider := self._divider_at(event)) is not None:
            self._change(reset_divider(self._sizes, divider, self._pane_layout.placement))
