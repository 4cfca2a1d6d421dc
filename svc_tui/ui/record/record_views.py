"""The views of one record, one for each tab: fields, JSON, response, history, collections under it."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.values import replace
from svc_tui.history.timeline import Timeline
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.record.nested_table import NestedPane
from svc_tui.ui.record.record_tabs import FIELDS, FIXED_TABS, HISTORY, JSON, RAW, RecordTabs
from svc_tui.ui.widgets.answer.exchange_text import body_text, exchange_text
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.record.timeline_list import TimelineList
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView

_EMPTY = "record-empty"
_NO_RECORD = "No record open. Press enter in the table to open one."
_NO_OWN_ANSWER = "This record was loaded as part of a list or a change. Press r to load it alone and see its response."


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record with its edits; `reading` is how it was read, None where it came as a part of a page."""

    draft: Draft | None = None
    pending_id: str = ""
    """The id of the record that is to come, where there is no draft."""
    reading: RecordReading | None = None
    under: tuple[Collection, ...] = ()
    """The collections under the record."""

    @property
    def record_id(self) -> str | None:
        """The id of the record, here or to come."""
        return self.draft.base.id if self.draft is not None else self.pending_id or None


class RecordViews(ContentSwitcher):
    """Shows the view of the open tab; each is filled when its tab opens and there is something new for it."""

    DEFAULT_CSS = """
    RecordViews { height: 1fr; }
    RecordViews TextView { height: 1fr; }
    """

    fields = query_one(FieldList)
    json = query_one(FoldingJsonView)
    answer = query_one(f"#{RAW}", TextView)
    history = query_one(TimelineList)

    class HistoryWanted(Message):
        """The record's history is to be gathered, and given to `show_history`."""

    def __init__(self, value_format: ValueFormat, nested: NestedPane) -> None:
        """Make the views; `nested` is the table of the collections under a record, its id is NESTED."""
        super().__init__(initial=_EMPTY)
        self._format, self.nested = value_format, nested
        self._record = ShownRecord()
        self._stale: set[str] = set(FIXED_TABS.values())

    def compose(self) -> ComposeResult:
        """The views, and the notice in their place where there is no record."""
        yield Static(_NO_RECORD, id=_EMPTY, classes="empty", markup=False)
        yield FieldList(self._format, id=FIELDS)
        yield FoldingJsonView(id=JSON)
        yield TextView(wrap=True, id=RAW)
        yield TimelineList(id=HISTORY)
        yield self.nested

    def take(self, record: ShownRecord) -> None:
        """Take the record that is to be shown; `show_tab` shows it."""
        before, self._record = self._record, record
        if record.draft is None or before.draft is None or record.draft.base != before.draft.base:
            self._stale |= {JSON, HISTORY}
        if record.reading != before.reading:
            self._stale |= {RAW, HISTORY}

    def show_tab(self, tabs: RecordTabs) -> None:
        """Show the record in the view of the open tab."""
        record = self._record
        self.fields.show(record.draft)
        # A record that a cursor came to may be gone again in a moment: what hangs under it is not asked for at once.
        delayed = record.draft is not None and tabs.has(record.under)
        self.nested.show_collection(tabs.collection if record.draft is not None else None, delayed=delayed)
        if record.draft is None:
            self.query_one(f"#{_EMPTY}", Static).update("" if record.pending_id else _NO_RECORD)
            self.current = _EMPTY
        else:
            self.fill(tabs.view)
            self.current = tabs.view

    def fill(self, tab: str) -> None:
        """Give the view of a tab what it shows, where that is new; nothing where there is no record."""
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
            # Textual stops a message at its sender: made here and now, that would be the pane around.
            self.call_later(self._request_history)

    def _request_history(self) -> None:
        self.post_message(self.HistoryWanted())

    def refresh_history(self) -> None:
        """Gather the history again, now or when it is next on show."""
        self._stale.add(HISTORY)
        if self.current == HISTORY and self.children:
            self.fill(HISTORY)

    def show_history(self, timeline: Timeline) -> None:
        """Show what happened to the record."""
        self.history.show(timeline)

    def refresh_kinds(self) -> None:
        """More may be known of what kinds of values the fields hold."""
        if self.children:
            self.fields.refresh_kinds()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._format = replace(self._format, raw=raw)
        if self.is_mounted:
            self.fields.show_raw(raw)
            self.nested.show_raw(raw)

    def view(self, tab: str) -> Widget:
        """The view of a tab."""
        return self.query_one(f"#{tab}")

    def focus_view(self, tab: str) -> None:
        """Put the focus on the view of a tab, at once: rows that come meanwhile would have theirs shown instead."""
        view = self.view(tab)
        self.screen.set_focus(view.table if isinstance(view, NestedPane) else view)

    def text(self, tab: str) -> str | None:
        """The text that the view of a tab shows, whole; None where it shows values, or writes."""
        if tab == RAW:
            return body_text(self._record.reading.exchange) if self._record.reading else None
        return self.json.text if tab == JSON else None
