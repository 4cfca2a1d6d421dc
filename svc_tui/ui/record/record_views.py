"""The tabs of a record and the view of each: fields, JSON, response, history, and the collections under it."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.values import replace
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.text import measure, shorten, visible
from svc_tui.ui.widgets.answer.exchange_text import body_text, exchange_text
from svc_tui.ui.widgets.bars.tab_bar import GAP, Tab, TabBar
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.record.timeline_list import TimelineList
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView

FIELDS, JSON, RAW, HISTORY = "record-fields", "record-json", "record-raw", "record-history"
NESTED = "record-nested"
FIXED_TABS = {"Record": FIELDS, "JSON": JSON, "Raw": RAW, "History": HISTORY}
"""The tabs that every record has: their names, and the ids of their views."""

_MIN_NAME_CELLS = 4
"""Cells that the name of a collection keeps, however narrow the tabs are."""

LOAD_DELAY_SECONDS = 0.25
"""Seconds that a record must be shown before the collections under it are loaded; the cursor may be passing by."""

_EMPTY = "record-empty"
_NO_RECORD = "No record open. Press enter in the table to open one."
_NO_OWN_ANSWER = "This record was loaded as part of a list or a change. Press r to load it alone and see its response."

TAB_BINDINGS: list[BindingType] = [
    Binding("right_curly_bracket,ctrl+pagedown", "tab(1)", "Next tab", id="record.next_tab",
            tooltip="Show the next tab"),
    Binding("left_curly_bracket,ctrl+pageup", "tab(-1)", "Previous tab", id="record.previous_tab", show=False,
            tooltip="Show the previous tab"),
]  # fmt: skip
"""The bindings of the pane around the tabs."""


class RecordTabs(TabBar):
    """The tabs of a record; the open one stays open from record to record if they have it, until the pane is closed."""

    def __init__(self) -> None:
        super().__init__(list(map(Tab, FIXED_TABS)))
        self._under: tuple[Collection, ...] = ()
        self._wanted = ""
        """The name of the tab that the user opened."""

    @property
    def view(self) -> str:
        """The id of the view of the open tab."""
        return NESTED if self.collection is not None else FIXED_TABS[self.tabs[self.chosen].name]

    @property
    def collection(self) -> Collection | None:
        """The collection under the record whose tab is open."""
        at = self.chosen - len(FIXED_TABS)
        return self._under[at] if 0 <= at < len(self._under) else None

    @property
    def fitted_tabs(self) -> Sequence[Tab]:
        """The tabs with the names of collections shortened to the room there is; whole if that is not enough."""
        names = [tab.name for tab in self.tabs]
        fixed, under = names[: len(FIXED_TABS)], names[len(FIXED_TABS) :]
        excess = sum(measure(name) + GAP for name in names) - GAP - self.room
        if excess > sum(max(0, measure(name) - _MIN_NAME_CELLS) for name in under):
            return self.tabs
        while excess > 0:
            longest = max(map(measure, under))
            at = next(at for at, name in enumerate(under) if measure(name) == longest)
            under[at] = shorten(under[at], longest - 1)
            excess -= 1
        return list(map(Tab, [*fixed, *under]))

    def show_collections(self, under: Sequence[Collection]) -> bool:
        """Show tabs for the collections under a record. Return False if they are the same as before."""
        if tuple(under) == self._under:
            return False
        self._under = tuple(under)
        names = [*FIXED_TABS, *(visible(collection.name) for collection in self._under)]
        self.tabs = list(map(Tab, names))
        with self.prevent(TabBar.Chosen):
            self.chosen = names.index(self._wanted) if self._wanted in names else 0
        return True

    def reset(self) -> None:
        """Open the first tab, for the next records too."""
        self._wanted, self.chosen = "", 0

    def remember_opened(self) -> None:
        """Remember the open tab: after a record that does not have it, it is opened again."""
        self._wanted = self.tabs[self.chosen].name


class NestedPane(TablePane):
    """The table of a collection under a record, in a tab of that record; it loads nothing before it is shown."""

    DEFAULT_CSS = """
    NestedPane { height: 1fr; }
    NestedPane > CollectionTabs.-several { display: none; }
    """

    @dataclass
    class FrameChanged(Message):
        """Sent with the count of rows and the state, which the frame of the record shows."""

        count: str
        state: Content

    _delay_timer: Timer | None = None

    def on_mount(self) -> None:
        """Remove the table's own frame."""
        self.remove_class("pane")

    def show_collection(self, collection: Collection | None, *, delayed: bool = False) -> None:
        """Show a collection, at once or `delayed`; None shows nothing."""
        if self._delay_timer is not None:
            self._delay_timer.stop()
            self._delay_timer = None
        if collection == self.collection:
            return
        if delayed or collection is None:
            self.show_nothing()
            self.write_frame(Content(""), "", Content(""))
        if collection is None:
            return
        if delayed:
            self._delay_timer = self.set_timer(LOAD_DELAY_SECONDS, lambda: self.open(collection))
        else:
            self.open(collection)

    def write_frame(self, name: Content, count: str, state: Content) -> None:
        """Send the frame to the pane of the record."""
        self.post_message(self.FrameChanged(count, state))


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record with its edits, or the one being loaded."""

    draft: Draft | None = None
    pending_id: str = ""
    """The id of the record being loaded, if there is no draft."""
    reading: RecordReading | None = None
    """The response with the record; None if it was loaded as part of a page."""
    under: tuple[Collection, ...] = ()
    """The collections under the record."""

    @property
    def record_id(self) -> str | None:
        """The id of the record, also while it is being loaded."""
        return self.draft.base.id if self.draft is not None else self.pending_id or None


class RecordViews(ContentSwitcher):
    """The views of a record; each is filled when its tab is open and the record changed."""

    DEFAULT_CSS = """
    RecordViews { height: 1fr; }
    RecordViews TextView { height: 1fr; }
    """

    fields = query_one(FieldList)
    json = query_one(FoldingJsonView)
    answer = query_one(f"#{RAW}", TextView)
    history = query_one(TimelineList)

    class HistoryWanted(Message):
        """Sent when the history of the record is to be loaded and shown in `history`."""

    def __init__(self, value_format: ValueFormat, nested: NestedPane) -> None:
        """Create the views; `nested` is the table of the collections under a record, with the id NESTED."""
        super().__init__(initial=_EMPTY)
        self._format, self.nested = value_format, nested
        self._record = ShownRecord()
        self._stale: set[str] = set(FIXED_TABS.values())

    def compose(self) -> ComposeResult:
        """Compose the views, and the notice shown if no record is open."""
        yield Static(_NO_RECORD, id=_EMPTY, classes="empty", markup=False)
        yield FieldList(self._format, id=FIELDS)
        yield FoldingJsonView(id=JSON)
        yield TextView(wrap=True, id=RAW)
        yield TimelineList(id=HISTORY)
        yield self.nested

    def take(self, record: ShownRecord) -> None:
        """Take the record that `show_tab` shows."""
        before, self._record = self._record, record
        if record.draft is None or before.draft is None or record.draft.base != before.draft.base:
            self._stale |= {JSON, HISTORY}
        if record.reading != before.reading:
            self._stale |= {RAW, HISTORY}

    def show_tab(self, tabs: RecordTabs) -> None:
        """Show the record in the view of the open tab, or the notice if there is none."""
        record = self._record
        self.fields.show(record.draft)
        # The cursor may be passing by: the collections under a record are not loaded at once.
        delayed = record.draft is not None and tabs.show_collections(record.under)
        self.nested.show_collection(tabs.collection if record.draft is not None else None, delayed=delayed)
        if record.draft is None:
            self.query_one(f"#{_EMPTY}", Static).update("" if record.pending_id else _NO_RECORD)
            self.current = _EMPTY
        else:
            self._fill(tabs.view)
            self.current = tabs.view

    def _fill(self, tab: str) -> None:
        """Fill the view of a tab if the record changed."""
        draft, reading = self._record.draft, self._record.reading
        if draft is None or tab not in self._stale:
            return
        self._stale.discard(tab)
        if tab == JSON:
            self.json.show_json(draft.base.fields)
        elif tab == RAW:
            text = exchange_text(reading.exchange, self._format.tz) if reading else _NO_OWN_ANSWER
            self.answer.show_text(text, "headers")
        elif tab == HISTORY:
            self.history.show(None)
            # Not at once: a message created while the pane around is active counts as sent by it, and stops there.
            self.call_later(self._request_history)

    def _request_history(self) -> None:
        self.post_message(self.HistoryWanted())

    def refresh_history(self) -> None:
        """Load the history again, now or when its tab is opened."""
        self._stale.add(HISTORY)
        if self.current == HISTORY and self.children:
            self._fill(HISTORY)

    def refresh_kinds(self) -> None:
        """Show the fields by their kinds, of which more may be known now."""
        if self.children:
            self.fields.refresh_kinds()

    def show_raw(self, raw: bool) -> None:
        """Show values raw, or formatted."""
        self._format = replace(self._format, raw=raw)
        if self.is_mounted:
            self.fields.show_raw(raw)
            self.nested.show_raw(raw)

    def view(self, tab: str) -> Widget:
        """Return the view of a tab."""
        return self.query_one(f"#{tab}")

    def focus_view(self, tab: str) -> None:
        """Focus the view of a tab, at once: while the table has the focus, its cursor chooses the record."""
        view = self.view(tab)
        self.screen.set_focus(view.table if isinstance(view, NestedPane) else view)

    def text(self, tab: str) -> str | None:
        """Return the whole text that the view of a tab shows; None if it shows fields, a history or a table."""
        if tab == RAW:
            return body_text(self._record.reading.exchange) if self._record.reading else None
        return self.json.text if tab == JSON else None
