"""The record pane: a record's fields with its draft, its JSON, the response, its history, the collections under it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region
from textual.getters import query_one

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.outline import OutlineEntry
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.keys.availability import ExplainsAvailability
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.record import pane_search, record_tabs
from svc_tui.ui.record.nested_table import NestedPane
from svc_tui.ui.record.pane_search import TextSearch
from svc_tui.ui.record.record_frame import RecordFrame
from svc_tui.ui.record.record_tabs import FIELDS, NESTED, RecordTabs
from svc_tui.ui.record.record_views import RecordViews, ShownRecord
from svc_tui.ui.table.table_frame import write_border
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.record.timeline_list import TimelineList
from svc_tui.ui.widgets.table.record_table import RecordTable
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView

_AGE_SECONDS = 5.0
"""Seconds after which the age of an answer is told anew."""


@keys_count_in(FieldList, FoldingJsonView, TextView, TimelineList, RecordTable)
class RecordPane(ExplainsAvailability, Vertical):
    """One record; shows what it is given and asks for what the user wants done with it."""

    BINDINGS = [*record_tabs.BINDINGS, *pane_search.BINDINGS]

    focus_wanted = False
    """Whether it is to have the focus as soon as it is there."""

    tabs = query_one(RecordTabs)
    fields = query_one(FieldList)
    find_line = query_one(FindInput)

    def __init__(
        self,
        value_format: ValueFormat,
        nested: NestedPane,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Make the pane; `nested` is the table of the collections under a record, its id is NESTED."""
        super().__init__(classes="pane")
        self.views = RecordViews(value_format, nested)
        self.frame = RecordFrame(raw=value_format.raw, now=now)
        self._text_search = TextSearch(lambda: self.find_line, lambda: self.views.view(self.tabs.view), self._noted)
        self._record = ShownRecord()
        self._pointed: str | None = None

    def compose(self) -> ComposeResult:
        """Tabs, the views, the line to find in them."""
        yield RecordTabs()
        yield self.views
        yield FindInput()

    def on_mount(self) -> None:
        """Show what was given before there was anything to show it in."""
        if not self.views.children:
            # It goes again, or the program ends, before it was there.
            return
        self._shown()
        self.set_interval(_AGE_SECONDS, self._noted)
        if self._pointed is not None:
            self.fields.move_to_field(self._pointed)
        if self.focus_wanted:
            self.call_after_refresh(self._focus_if_wanted)

    # What is shown

    @property
    def is_ready(self) -> bool:
        """Whether the views are there: they are composed after the pane, and may be gone before it is mounted."""
        return self.is_mounted and bool(self.views.children)

    def show(
        self,
        draft: Draft | None,
        *,
        pending_id: str = "",
        reading: RecordReading | None = None,
        under: Sequence[Collection] = (),
    ) -> None:
        """Show the record that `draft` is made on, with its edits; None: no record, or the one with the `pending_id`.

        `reading` is how it was read; None where it came as a part of a page. `under` are the collections under it.
        """
        record = ShownRecord(draft, pending_id, reading, tuple(under))
        if record == self._record:
            return
        other = record.record_id != self._record.record_id
        self._record = record
        self.views.take(record)
        if self.is_ready:
            self._shown()
            if other or draft is None:
                # Where it comes again, nothing is marked in it.
                self.end_search()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self.frame.raw = raw
        self.views.show_raw(raw)
        if self.is_ready:
            self._titled()

    def show_others(self, names: tuple[str, ...]) -> None:
        """Say beside the record's name which colleagues have it open for editing."""
        changed, self.frame.others = names != self.frame.others, names
        if changed and self.is_ready:
            self._titled()

    def show_alone(self, is_alone: bool) -> None:
        """Say in the title where the record is, or no longer: no table stands beside it."""
        if is_alone != self.frame.is_alone:
            self.frame.is_alone = is_alone
            if self.is_ready:
                self._titled()

    def show_place(self, collection: str, position: str) -> None:
        """Take the name of the record's collection, and its place among the rows of the table."""
        if (collection, position) != (self.frame.collection, self.frame.position):
            self.frame.collection, self.frame.position = collection, position
            if self.is_ready:
                self._titled()

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if none is in view."""
        return self.fields.value_region if self.is_ready and self.tabs.view == FIELDS else None

    def show_edited(self, kind: str, field: str = "") -> None:
        """Say on the border which kind of value is edited in its place, and mark its `field` once it is changed.

        "" ends either.
        """
        self.frame.edited_kind = kind
        if self.is_ready:
            self.fields.mark_typed(field)
            self._titled()

    def move_to_field(self, field: str) -> None:
        """Put the cursor on a field, as soon as it is there."""
        if self.is_ready:
            self.fields.move_to_field(field)
        else:
            self._pointed = field

    def focus_soon(self) -> None:
        """Put the focus on what the open tab shows, as soon as it is there, unless it is wanted elsewhere by then."""
        self.focus_wanted = True
        if self.is_ready:
            self.call_next(self._focus_if_wanted)

    def focus_elsewhere(self) -> None:
        """The focus is wanted elsewhere."""
        self.focus_wanted = False

    def _focus_if_wanted(self) -> None:
        if self.focus_wanted:
            self.focus_elsewhere()
            self.focus_inside()

    def focus_inside(self) -> None:
        """Put the focus on what the open tab shows."""
        self.views.focus_view(self.tabs.view)

    @property
    def table(self) -> NestedPane | None:
        """The table of what hangs under the record, where that is on show."""
        shown = self.is_ready and self.tabs.view == NESTED and self._record.draft is not None
        return self.views.nested if shown else None

    @property
    def entry(self) -> OutlineEntry | None:
        """The value under the cursor and the way to it, where fields are shown."""
        return self.fields.entry if self.tabs.view == FIELDS else None

    @property
    def text(self) -> str | None:
        """The text that the open tab shows, whole; None where it shows values, or writes."""
        return self.views.text(self.tabs.view)

    def _shown(self) -> None:
        """Show what the open tab shows."""
        inside = self.views.has_focus_within or self.find_line.has_focus_within
        self.views.show_tab(self.tabs)
        self._titled()
        if self._record.draft is None:
            return
        self._noted()
        if inside:
            self.focus_inside()

    # The frame

    @on(FieldList.Moved)
    def _moved(self) -> None:
        self._titled()

    def _titled(self) -> None:
        subtitle = self.frame.subtitle(self._record, self.tabs.view, self.entry)
        write_border(self, self.frame.title(self._record), self.frame.count, subtitle)

    def notify_style_update(self) -> None:
        """Redraw the frame: its colour may have changed, and the title's line with it."""
        super().notify_style_update()
        if self.is_ready:
            self._titled()

    def on_resize(self) -> None:
        """Redraw the frame: its title spans it."""
        if self.is_ready:
            self._titled()

    @on(NestedPane.FrameChanged)
    def _nested_framed(self, event: NestedPane.FrameChanged) -> None:
        event.stop()
        self.frame.nested = event
        self._titled()

    def _noted(self) -> None:
        """Say at the end of the tabs what was found, or how old what is shown is."""
        note = self._text_search.note if self._record.draft is not None else ""
        self.tabs.note = note or self.frame.age(self._record, self.tabs.view)

    # Tabs and finding

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        if not self.is_ready:
            return
        self.tabs.opened()
        self._shown()
        self._text_search.forget()
        self._noted()

    def action_tab(self, steps: int) -> None:
        """Open the next or the previous tab."""
        self.tabs.action_step(steps)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A table is filtered: the keys that find elsewhere are the screen's there."""
        return not (action.startswith("find") and self.table is not None)

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only a text, or fields, can be searched."""
        if self._record.draft is None or not action.startswith("find"):
            return ""
        return self._text_search.noop_reason(again=action == "find_step")

    def action_find(self) -> None:
        """Open the line to find something in the open tab."""
        if self._record.draft is not None:
            self._text_search.ask()

    @property
    def is_searching(self) -> bool:
        """Whether anything is looked for."""
        return self._text_search.is_active

    def end_search(self) -> bool:
        """Look for nothing any more; gives whether anything was looked for."""
        if not self.is_ready:
            return False
        inside = self.find_line.has_focus_within
        ended = self._text_search.give_up()
        if ended and inside:
            self.focus_inside()
        return ended

    def action_find_step(self, direction: int) -> None:
        """Go to the next match, or the one before."""
        self._text_search.step(direction)

    @on(FindInput.Submitted)
    @on(FindInput.Cancelled)
    def _search(self, event: FindInput.Submitted | FindInput.Cancelled) -> None:
        event.stop()
        if self._text_search.search(event.text if isinstance(event, FindInput.Submitted) else ""):
            self.focus_inside()
