"""The pane at the left: domains and collections with counts, the routes outside the pattern, saved requests."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from svc_tui.core.catalog import Collection, Domain, Route
from svc_tui.ui.sidebar.sidebar_rows import RowTarget, SavedRequestEntry, SavedView, SidebarRow, draw_row, sidebar_rows


class Sidebar(ScrollView, can_focus=True):
    """Collections to open and routes to call; tells the choice by a message, holds no state of what is open."""

    DEFAULT_CSS = """
    Sidebar {
        width: 30;
        overflow-x: hidden;
        background: $role-background;
        scrollbar-size-vertical: 1;
        & > .sidebar--row { background: $role-background; }
        & > .sidebar--hover { background: $role-surface; }
        & > .sidebar--cursor { background: $role-panel; }
        &:focus > .sidebar--cursor { text-style: bold; }
    }
    """
    COMPONENT_CLASSES = {"sidebar--row", "sidebar--hover", "sidebar--cursor"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "up", "Up", show=False, id="sidebar.up", tooltip="Move up"),
        Binding("down,j", "down", "Down", show=False, id="sidebar.down", tooltip="Move down"),
        Binding(
            "left,h", "fold", "Collapse", show=False, id="sidebar.fold", tooltip="Collapse the group or go to its title"
        ),
        Binding("right,l", "unfold", "Expand", show=False, id="sidebar.unfold", tooltip="Expand the group"),
        Binding("home,g", "first", "First", show=False, id="sidebar.first", tooltip="Go to the first line"),
        Binding("end,G", "last", "Last", show=False, id="sidebar.last", tooltip="Go to the last line"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="sidebar.page_up", tooltip="Move up one page"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="sidebar.page_down", tooltip="Move down one page"),
        Binding(
            "enter",
            "choose",
            "Open",
            id="sidebar.open",
            tooltip="Open the collection, route or saved request, or collapse the group",
        ),
        Binding(
            "delete",
            "forget",
            "Delete",
            show=False,
            id="sidebar.forget",
            tooltip="Delete the saved view or saved request",
        ),
    ]

    cursor: reactive[int] = reactive(0)
    """The line the cursor is on, from 0."""
    _hover: reactive[int | None] = reactive(None)

    @dataclass
    class CollectionChosen(Message):
        """A collection is to be opened."""

        collection: Collection

    @dataclass
    class ViewChosen(Message):
        """A collection is to be looked at in a way that has a name."""

        view: SavedView

    @dataclass
    class ViewRemovalWanted(Message):
        """A saved view is to go."""

        view: SavedView

    @dataclass
    class RouteChosen(Message):
        """A route is to be called."""

        route: Route

    @dataclass
    class RequestChosen(Message):
        """A saved request is to be called, or its mistake told."""

        request: SavedRequestEntry

    @dataclass
    class RequestRemovalWanted(Message):
        """A saved request is to go."""

        request: SavedRequestEntry

    def __init__(self, domains: Sequence[Domain], routes: Sequence[Route] = ()) -> None:
        super().__init__(classes="pane")
        # The left cell of padding is drawn by the lines themselves: the mark of what is open stands there.
        self.styles.padding = (0, 1, 0, 0)
        self.border_title = "Collections"
        self._domains = tuple(domains)
        self._routes = tuple(routes)
        self._counts: dict[str, int] = {}
        self._views: dict[str, Sequence[str]] = {}
        self._requests: tuple[SavedRequestEntry, ...] = ()
        self._open: str | None = None
        self._unsent: Set[str] = frozenset()
        self._folded: frozenset[str] = frozenset()
        self._rows = sidebar_rows(self._domains, self._routes, self._folded)
        self._measure()

    def set_views(self, key: str, names: Sequence[str]) -> None:
        """Show these saved views under the collection with that key; the cursor stays on its line."""
        self._views[key] = tuple(names)
        self._lines_changed()

    def set_requests(self, requests: Sequence[SavedRequestEntry]) -> None:
        """Show these saved requests in a group of their own; the cursor stays on its line."""
        self._requests = tuple(requests)
        self._lines_changed()

    def set_count(self, collection: Collection, total: int | None) -> None:
        """Show how many records the collection has; None where that is not known."""
        if total is None:
            self._counts.pop(collection.key, None)
        else:
            self._counts[collection.key] = total
        self.refresh()

    def set_unsent(self, keys: Set[str]) -> None:
        """Mark the collections with these keys as those that hold edits not yet sent."""
        self._unsent = keys
        self.refresh()

    def reveal(self, collection: Collection) -> None:
        """Mark the collection as the open one, unfold its group and put the cursor on it."""
        self._open = collection.key
        self._set_folded(self._folded - {collection.domain})
        here = self._rows[self.cursor].target if self._rows else None
        if isinstance(here, SavedView) and here.collection.key == collection.key:
            # Chosen by one of its views: the cursor is where it belongs.
            self.refresh()
            return
        for index, row in enumerate(self._rows):
            if isinstance(row.target, Collection) and row.target.key == collection.key:
                self.cursor = index
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        component = "sidebar--row"
        if index == self.cursor:
            component = "sidebar--cursor"
        elif index == self._hover and index < len(self._rows):
            component = "sidebar--hover"
        style = self.get_visual_style("sidebar--row", component)
        if index >= len(self._rows):
            return Strip.blank(width, style.rich_style)
        row = self._rows[index]
        key = row.target.key if isinstance(row.target, Collection) else None
        line = draw_row(
            row,
            width,
            count=None if key is None else self._counts.get(key),
            opened=key is not None and key == self._open,
            folded=row.target in self._folded,
            unsent=self._holds_unsent(row.target),
        )
        return Visual.to_strips(self, line, width, 1, style)[0].extend_cell_length(width, style.rich_style)

    def _holds_unsent(self, target: RowTarget) -> bool:
        """Whether a line stands for edits not yet sent: a collection's, or those that a folded group hides."""
        if isinstance(target, Collection):
            return target.key in self._unsent
        hidden = (domain for domain in self._domains if domain.name == target and target in self._folded)
        return any(collection.key in self._unsent for domain in hidden for collection in domain.collections)

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self, cursor: int) -> None:
        self.scroll_to_region(Region(0, cursor, 1, 1), animate=False, force=True)

    def action_up(self) -> None:
        self.cursor -= 1

    def action_down(self) -> None:
        self.cursor += 1

    def action_first(self) -> None:
        self.cursor = 0

    def action_last(self) -> None:
        self.cursor = len(self._rows) - 1

    def action_page(self, direction: int) -> None:
        self.cursor += direction * max(1, self.scrollable_content_region.height - 1)

    def action_fold(self) -> None:
        group = self._group_at(self.cursor)
        if group is None:
            return
        index = self._rows.index(SidebarRow(group))
        self._set_folded(self._folded | {group})
        self.cursor = index

    def action_unfold(self) -> None:
        target = self._rows[self.cursor].target if self._rows else None
        if isinstance(target, str):
            self._set_folded(self._folded - {target})

    def action_choose(self) -> None:
        if not self._rows:
            return
        match self._rows[self.cursor].target:
            case Collection() as collection:
                self.post_message(self.CollectionChosen(collection))
            case SavedView() as view:
                self.post_message(self.ViewChosen(view))
            case Route() as route:
                self.post_message(self.RouteChosen(route))
            case SavedRequestEntry() as request:
                self.post_message(self.RequestChosen(request))
            case str() as group:
                self._set_folded(self._folded ^ {group})

    def action_forget(self) -> None:
        """Have the saved view or the saved request under the cursor forgotten."""
        target = self._rows[self.cursor].target if self._rows else None
        if isinstance(target, SavedView):
            self.post_message(self.ViewRemovalWanted(target))
        elif isinstance(target, SavedRequestEntry):
            self.post_message(self.RequestRemovalWanted(target))

    def focus_on_click(self) -> bool:
        """Whether a click focuses the sidebar; one on its edge does not, since the edge is dragged."""
        return self.app.mouse_position.x < self.region.right - 1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover = self._line_at(event)

    def on_leave(self) -> None:
        self._hover = None

    def on_click(self, event: events.Click) -> None:
        line = self._line_at(event)
        if line is not None:
            self.cursor = line
            self.action_choose()

    def _line_at(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        line = None if offset is None else offset.y + self.scroll_offset.y
        return line if line is not None and line < len(self._rows) else None

    def _group_at(self, index: int) -> str | None:
        """The group that a line belongs to or is the title of; None for a line of its own."""
        if not self._rows or (not self._rows[index].depth and not isinstance(self._rows[index].target, str)):
            return None
        return next(row.target for row in reversed(self._rows[: index + 1]) if isinstance(row.target, str))

    def _lines_changed(self) -> None:
        at = self._rows[self.cursor] if self._rows else None
        self._set_folded(self._folded)
        if at in self._rows:
            self.cursor = self._rows.index(at)

    def _set_folded(self, folded: frozenset[str]) -> None:
        self._folded = folded
        self._rows = sidebar_rows(self._domains, self._routes, folded, self._views, self._requests)
        self.cursor = self.validate_cursor(self.cursor)
        self._measure()
        self.refresh()

    def _measure(self) -> None:
        # Lines are as wide as the pane, whatever its width: nothing scrolls sideways, and nothing is laid out anew.
        self.virtual_size = Size(0, len(self._rows))
