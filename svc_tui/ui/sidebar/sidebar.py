"""The sidebar: domains and collections with counts, other routes, saved views and saved requests."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from msgspec import Struct
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from svc_tui.core.catalog import Collection, Domain, Route
from svc_tui.ui.text import measure, pad, shorten, visible

ROUTES_TITLE = "Routes"
"""The title of the group of routes."""
REQUESTS_TITLE = "Requests"
"""The title of the group of saved requests."""


class SavedView(Struct, frozen=True):
    """A saved view of a collection."""

    collection: Collection
    name: str


class SavedRequestEntry(Struct, frozen=True):
    """A saved request, with the name of its file, and the `mistake` if it can't be used."""

    file: str
    name: str
    method: str = ""
    mistake: str = ""


SidebarEntry: TypeAlias = Collection | SavedView | Route | SavedRequestEntry
RowTarget: TypeAlias = str | SidebarEntry
"""The entry of a line, or the title of a group."""


class SidebarRow(Struct, frozen=True):
    """A line; its `depth` is 1 in a group, and one more for a view of a collection."""

    target: RowTarget
    depth: int = 0


class Sidebar(ScrollView, can_focus=True):
    """A list of collections, views, routes and saved requests to open."""

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
    """The line with the cursor, counted from 0."""
    _hover: reactive[int | None] = reactive(None)

    @dataclass
    class Chosen(Message):
        """The choice of a line."""

        target: SidebarEntry

    @dataclass
    class RemovalWanted(Message):
        """The wish to delete a saved view or a saved request."""

        target: SavedView | SavedRequestEntry

    def __init__(self, domains: Sequence[Domain], routes: Sequence[Route] = ()) -> None:
        super().__init__(classes="pane")
        # The lines draw the left cell of padding themselves, for the mark of the open collection.
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
        """Show the number of records of the collection; None if it is unknown."""
        if total is None:
            self._counts.pop(collection.key, None)
        else:
            self._counts[collection.key] = total
        self.refresh()

    def set_unsent(self, keys: Set[str]) -> None:
        """Mark the collections with these keys as those with unsent edits."""
        self._unsent = keys
        self.refresh()

    def reveal(self, collection: Collection) -> None:
        """Mark the collection as the open one, expand its group and move the cursor to it."""
        self._open = collection.key
        self._set_folded(self._folded - {collection.domain})
        here = self._rows[self.cursor].target if self._rows else None
        if isinstance(here, SavedView) and here.collection.key == collection.key:
            # The cursor stays on the view by which the collection was opened.
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
        """Return True for a collection with unsent edits, or a folded group with such a collection."""
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
        target = self._rows[self.cursor].target
        if isinstance(target, str):
            self._set_folded(self._folded ^ {target})
        else:
            self.post_message(self.Chosen(target))

    def action_forget(self) -> None:
        target = self._rows[self.cursor].target if self._rows else None
        if isinstance(target, SavedView | SavedRequestEntry):
            self.post_message(self.RemovalWanted(target))

    def focus_on_click(self) -> bool:
        """Return True unless the click is on the edge, which can be dragged."""
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
        """Return the group of a line; None for a line outside of groups."""
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
        # Lines are as wide as the pane: without a width, the pane need not be laid out again when it is resized.
        self.virtual_size = Size(0, len(self._rows))


# The lines


def sidebar_rows(
    domains: Sequence[Domain],
    routes: Sequence[Route],
    folded: frozenset[str],
    views: Mapping[str, Sequence[str]] = MappingProxyType({}),
    requests: Sequence[SavedRequestEntry] = (),
) -> tuple[SidebarRow, ...]:
    """Return the lines: one for a domain with one collection, only the title for a folded group.

    `views` has the names of saved views by the key of their collection.
    """
    return (
        *_domain_rows(domains, folded, views),
        *_group_rows(ROUTES_TITLE, routes, folded),
        *_group_rows(REQUESTS_TITLE, requests, folded),
    )


def _domain_rows(
    domains: Sequence[Domain], folded: frozenset[str], views: Mapping[str, Sequence[str]]
) -> Iterator[SidebarRow]:
    for domain in domains:
        depth = 0
        if len(domain.collections) > 1:
            depth = 1
            yield SidebarRow(domain.name)
            if domain.name in folded:
                continue
        for collection in domain.collections:
            yield SidebarRow(collection, depth)
            yield from (SidebarRow(SavedView(collection, name), depth + 1) for name in views.get(collection.key, ()))


def _group_rows(
    title: str, targets: Sequence[Route] | Sequence[SavedRequestEntry], folded: frozenset[str]
) -> Iterator[SidebarRow]:
    if targets:
        yield SidebarRow(title)
        if title not in folded:
            yield from (SidebarRow(target, 1) for target in targets)


def draw_row(
    row: SidebarRow, cells: int, *, count: int | None, opened: bool, folded: bool, unsent: bool = False
) -> Content:
    """Return a line of `cells` cells, with a bar at the left if it is open, and the count or method at the right.

    A dot before the count marks `unsent` edits.
    """
    dot = (" •", "$role-changed") if unsent else ""
    bar = ("▌", "$role-accent") if opened else " "
    name_style = "bold $role-accent" if opened else "$role-foreground"
    match row.target:
        case str() as group:
            sign = ("▸ " if folded else "▾ ", "$role-muted")
            name = pad(visible(group), cells - 5 if unsent else cells - 3)
            return Content.assemble(bar, sign, (name, "bold $role-foreground"), dot)
        case Route(name, method) | SavedRequestEntry(name=name, method=method, mistake=""):
            right = Content.assemble(" ", (visible(method), "$role-muted"))
            return Content.assemble(
                bar, ("  › ", "$role-muted"), pad(visible(name), cells - 5 - right.cell_length), right
            )
        case SavedRequestEntry() as damaged:
            return Content.assemble(
                bar, ("  ✕ ", "$role-danger"), (pad(visible(damaged.name), cells - 5), "$role-muted")
            )
        case SavedView() as view:
            indent = "  " * row.depth
            name = pad(visible(view.name), max(0, cells - 3 - len(indent)))
            return Content.assemble(bar, (f"{indent}▹ ", "$role-muted"), (name, "$role-foreground"))
        case Collection() as collection:
            number = "" if count is None else (f" {count:,}", "$role-number")
            right = Content.assemble(dot, number)
            room = cells - 1 - right.cell_length
            if not row.depth:
                return Content.assemble(bar, _full_name(collection, room, name_style), right)
            name = pad(visible(collection.name), room - 4)
            return Content.assemble(bar, ("  ▪ ", "$role-muted"), (name, name_style), right)


def _full_name(collection: Collection, room: int, name_style: str) -> Content:
    """Return `compliance / licenses`; if there is too little room, the domain is shortened first."""
    name = visible(collection.name)
    domain = shorten(visible(collection.domain), max(3, room - measure(name) - 3))
    name = pad(name, max(0, room - measure(domain) - 3))
    return Content.assemble((f"{domain} / ", "$role-muted"), (name, name_style))
