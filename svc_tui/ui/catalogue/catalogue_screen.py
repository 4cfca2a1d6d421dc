"""The API reference over the whole screen: the list of entries at the left, the page of one at the right.

Typing searches all entries; Enter opens the route of an entry in the console or a form.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.catalog import VERIFY, Route
from svc_tui.core.records import Record
from svc_tui.ui.catalogue.api_reference import (
    IN_SVC_TUI,
    NOT_DOCUMENTED,
    ApiReferenceEntry,
    reference_entries,
    search_entries,
)
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.writes.record_actions import RecordActions

_LABEL = 16
_WIDE_COLUMNS = 50
"""Cells of a page from which labels and texts stand side by side."""
_METHOD = 7
_LIST = 38
_NARROW_LIST = 32
_NARROW = 110
"""Columns below which the list is narrower."""

_METHOD_ROLES = {"GET": "reference", "HEAD": "reference", "POST": "ok", "PUT": "changed", "PATCH": "changed",
                 "DELETE": "danger"}  # fmt: skip
_MAX_SEEN_RECORDS = 200
"""Loaded records of each collection whose field names are listed."""


async def explore(context: Context, actions: RecordActions) -> None:
    """Show the API reference; open the chosen route in the console, or the form of a verification."""
    gateway, held = context.gateway, context.selection.held
    field_names = {collection.key: _field_names(records) for collection, records in held}
    catalogue = reference_entries(context.profile, field_names, gateway.base_url, signs=gateway.signs)
    here = context.selection.collection
    at = next((n for n, e in enumerate(catalogue) if here and e.route and e.route.path == here.path), 0)
    route = await context.show(ExploreScreen(catalogue, at))
    if route == VERIFY:
        await actions.verify()
    elif route is not None:
        (await context.workspace.console()).prefill(route)


def _field_names(records: Iterable[Record]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for record in islice(records, _MAX_SEEN_RECORDS) for name in record.fields))


class OperationPage(VerticalScroll, can_focus=False):
    """The page of one entry, wrapped to its width."""

    DEFAULT_CSS = """
    OperationPage { scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._entry: ApiReferenceEntry | None = None

    def compose(self) -> ComposeResult:
        """Compose the text."""
        yield Static(markup=False)

    def show(self, entry: ApiReferenceEntry | None) -> None:
        """Show the page of `entry` from its beginning, or that nothing matches if it is None."""
        self._entry = entry
        self._write()
        self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap the text to the new width."""
        self._write()

    def page(self, pages: int) -> None:
        """Scroll by pages."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False)

    def _write(self) -> None:
        entry, cells = self._entry, self.scrollable_content_region.width
        if not cells:
            return  # not laid out yet
        lines = [styled("No matches", "$role-muted")] if entry is None else _page(entry, cells)
        self.query_one(Static).update(Content("\n").join(lines))


class ExploreScreen(Dialog[Route]):
    """A dialog over the entries of the API reference; the result is the route of the chosen one."""

    DEFAULT_CSS = """
    ExploreScreen > #dialog { width: 100%; height: 100%; overflow-y: hidden; }
    ExploreScreen Horizontal { height: 1fr; margin-top: 1; }
    ExploreScreen OptionList {
        width: 38; height: 1fr; max-height: 100%;
        & > .option-list--option { padding: 0; }
        & > .option-list--option-highlighted { background: $role-panel; color: $role-foreground; text-style: bold; }
    }
    ExploreScreen.-narrow OptionList { width: 32; }
    ExploreScreen OperationPage { width: 1fr; height: 1fr; padding: 0 0 0 1; border-left: solid $role-panel; }
    """

    BINDINGS = [
        Binding("up", "move(-1)", "Up", show=False, id="catalogue.up", tooltip="Move up"),
        Binding("down", "move(1)", "Down", show=False, id="catalogue.down", tooltip="Move down"),
        Binding("ctrl+up", "jump(-1)", "Previous group", show=False, id="catalogue.group_up",
                tooltip="Go to the previous group"),
        Binding("ctrl+down", "jump(1)", "Next group", show=False, id="catalogue.group_down",
                tooltip="Go to the next group"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="catalogue.page_up", tooltip="Scroll up one page"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="catalogue.page_down",
                tooltip="Scroll down one page"),
        Binding("f2", "cancel", "Close", show=False, id="catalogue.close", tooltip="Close the API reference"),
    ]  # fmt: skip

    choices = query_one(OptionList)
    page = query_one(OperationPage)

    def __init__(self, catalogue: Sequence[ApiReferenceEntry], at: int = 0) -> None:
        """Place the cursor on the entry `at`."""
        super().__init__()
        self._catalogue, self._begin = tuple(catalogue), at
        self._listed: tuple[ApiReferenceEntry, ...] = ()
        self._marked: int | None = None

    def compose(self) -> ComposeResult:
        """Compose the search line, the list, and the page of the entry under the cursor."""
        with DialogFrame("API reference"):
            yield TextInput(placeholder="type to search: a collection, split, limit, timestamp_stale …", id="search")
            with Horizontal():
                entries = ChangingList(markup=False)
                entries.can_focus = False
                yield entries
                yield OperationPage()

    def on_mount(self) -> None:
        """List all entries."""
        self._listed = self._catalogue
        self._draw(self._begin)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines for the new width."""
        self.set_class(event.size.width < _NARROW, "-narrow")
        self._draw(self.choices.highlighted)

    @property
    def entry(self) -> ApiReferenceEntry | None:
        """The entry under the cursor; None if nothing matches."""
        at = self.choices.highlighted
        return self._listed[at] if at is not None and at < len(self._listed) else None

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self._list(event.value)

    @on(Input.Submitted, "#search")
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        entry = self.entry
        if entry is None or entry.route is None:
            self.app.bell()
        else:
            self.dismiss(entry.route)

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        """Show the entry that was clicked; only Enter chooses it."""
        event.stop()

    def action_move(self, steps: int) -> None:
        """Go to another entry."""
        if self._listed:
            self._go_to((self.choices.highlighted or 0) + steps)

    def action_jump(self, steps: int) -> None:
        """Go to the next or the previous of the outermost entries."""
        at = self.choices.highlighted or 0
        outer = [index for index, entry in enumerate(self._listed) if not entry.depth]
        further = [index for index in outer if (index > at if steps > 0 else index < at)]
        if further:
            self._go_to(further[0] if steps > 0 else further[-1])

    def action_page(self, pages: int) -> None:
        """Scroll the page at the right."""
        self.page.page(pages)

    def _list(self, text: str) -> None:
        self._listed, nearest = search_entries(self._catalogue, text)
        self._draw(nearest if self._listed else None)

    def _draw(self, at: int | None) -> None:
        self._marked = None
        self.choices.set_options(Option(self._line(entry)) for entry in self._listed)
        if at is not None:
            self._go_to(at)
        self._show()

    def _line(self, entry: ApiReferenceEntry, *, chosen: bool = False) -> Content:
        cells = (_NARROW_LIST if self.has_class("-narrow") else _LIST) - 2
        return _entry_line(entry, cells, chosen=chosen)

    def _mark(self) -> None:
        """Mark the entry under the cursor with a sign too: some terminals show no colours."""
        at = self.choices.highlighted
        for index in {self._marked, at}:
            if index is not None:
                line = self._line(self._listed[index], chosen=index == at)
                self.choices.replace_option_prompt_at_index(index, line)
        self._marked = at

    def _go_to(self, index: int) -> None:
        self.choices.highlighted = max(0, min(index, len(self._listed) - 1))

    def _show(self) -> None:
        entry = self.entry
        self._mark()
        chooses = "enter open in the console · " if entry is not None and entry.route is not None else ""
        self.name_keys(f"{chooses}↑ ↓ entries · pgup pgdn scroll · esc close")
        self.page.show(entry)


def _entry_line(entry: ApiReferenceEntry, cells: int, *, chosen: bool) -> Content:
    mark = ("› ", "$role-accent") if chosen else "  "
    indent = "  " * entry.depth
    method = entry.route.method if entry.route is not None and entry.depth == 2 else ""
    label = (pad(method, _METHOD), f"$role-{_METHOD_ROLES.get(method, 'muted')}") if method else ""
    room = cells - 2 - len(indent) - (_METHOD if method else 0)
    style = "bold $role-accent" if not entry.depth else "$role-foreground"
    return Content.assemble(mark, indent, label, (pad(visible(entry.title), room), style))


def _page(entry: ApiReferenceEntry, cells: int) -> Iterator[Content]:
    """Return the page of an entry in rows of at most `cells` cells."""
    yield from styled(entry.heading or entry.title, "bold $role-foreground").wrap(cells)
    if entry.route is not None:
        role = _METHOD_ROLES.get(entry.route.method, "muted")
        query = "&".join(f"{name}={value}" for name, value in entry.route.query)
        path = f"{entry.route.path}?{query}" if query else entry.route.path
        address = Content.assemble((visible(entry.route.method), f"bold $role-{role}"), " ", styled(path))
        yield from address.wrap(cells)
    for facts in (entry.facts, entry.common):
        if facts:
            yield Content("")
        for fact in facts:
            style = {NOT_DOCUMENTED: "$role-muted", IN_SVC_TUI: "$role-reference"}.get(fact.label, "$role-foreground")
            yield from _fact_line(fact.label, fact.text, style, cells)


def _fact_line(label: str, text: str, style: str, cells: int) -> Iterator[Content]:
    """Return a label and its text side by side, or below each other if there is little room."""
    name = visible(label)
    indent = _LABEL if cells >= _WIDE_COLUMNS else 2
    first = pad(shorten(name, _LABEL - 1), _LABEL)
    if cells < _WIDE_COLUMNS:
        yield styled(shorten(name, cells), "$role-muted")
        first = " " * indent
    for line in styled(text, style).wrap(cells - indent):
        yield Content.assemble((first, "$role-muted"), line)
        first = " " * indent
