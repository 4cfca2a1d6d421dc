"""The record pane: one record's fields with the edits not yet sent, its JSON, the answer it came in, its history.

Behind these stand a tab for each collection under the record, and one for what can be done with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from svc_tui.domain.data.outline import Entry
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.offered_actions import Choice, Offer
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.http.gateway import RecordReading
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import Environment
from svc_tui.ui.keys.availability import ExplainsAvailability
from svc_tui.ui.keys.scopes import keys_count_in
from svc_tui.ui.record import find, tabs, title
from svc_tui.ui.record.find import TextSearch
from svc_tui.ui.record.nested_table import NestedPane
from svc_tui.ui.record.tabs import ACTIONS, FIELDS, FIXED_TABS, HISTORY, JSON, NESTED, RAW, RecordTabs
from svc_tui.ui.session.privacy_mask import MASKED
from svc_tui.ui.widgets.answer.raw_text import age_text, body_text, exchange_text
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.record.action_list import ActionList
from svc_tui.ui.widgets.record.field_lines import KindOf, PointsAtRecord
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.record.write_history import WriteHistory
from svc_tui.ui.widgets.table.record_table import RecordTable
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView

_NO_OWN_ANSWER = "This record was read as a part of a page, or came with a write. r reads it alone."
_AGE_SECONDS = 5.0
"""Seconds after which the age of an answer is told anew."""


@keys_count_in(FieldList, FoldingJsonView, TextView, WriteHistory, ActionList, RecordTable)
class RecordPane(ExplainsAvailability, Vertical):
    """One record; shows what it is given and asks for what the user wants done with it."""

    DEFAULT_CSS = """
    RecordPane ContentSwitcher { height: 1fr; }
    RecordPane TextView { height: 1fr; }
    """

    BINDINGS = [*tabs.BINDINGS, *find.BINDINGS]

    draft_age = 0.0
    """Seconds since the edits were last changed, when they were shown."""

    @dataclass
    class FieldOpened(Message):
        """Enter was pressed on a value; `cut` says whether only its beginning is shown."""

        entry: Entry
        truncated: bool

    class HistoryWanted(Message):
        """The writes to this record are to be shown."""

    @dataclass
    class EntryOpened(Message):
        """Enter was pressed on a write."""

        entry: JournalEntry

    @dataclass
    class ActionWanted(Message):
        """Enter was pressed on something that can be done."""

        choice: Choice

    tabs = query_one(RecordTabs)
    fields = query_one(FieldList)
    json = query_one(FoldingJsonView)
    answer = query_one(f"#{RAW}", TextView)
    history = query_one(WriteHistory)
    nested = query_one(f"#{NESTED}", NestedPane)
    actions = query_one(ActionList)
    find_line = query_one(FindInput)

    def __init__(
        self,
        kind_of: KindOf,
        environment: Environment,
        make_nested: Callable[[str], NestedPane],
        offers: Callable[[], Sequence[Offer]],
        tz: tzinfo = UTC,
        *,
        raw: bool = False,
        points_at_record: PointsAtRecord = lambda _path, _value: False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """Make the pane; it shows times in `tz`, or all values as they came.

        `make_nested` makes the table of what hangs under a record, with that id; `offers` gives what can be done with
        the one that is shown; `leads` tells what points elsewhere.
        """
        super().__init__(id=id, classes="pane")
        self._kind_of, self._environment, self._tz, self._raw = kind_of, environment, tz, raw
        self._make_nested, self._offers, self._leads, self._now = make_nested, offers, points_at_record, now
        self._draft: Draft | None = None
        self._reading: RecordReading | None = None
        self._stale: set[str] = set(FIXED_TABS.values())
        self._under: tuple[Collection, ...] = ()
        self._framed = NestedPane.FrameChanged("", Content(""))
        self._focus_wanted = False
        self._pending_id = ""
        self._pointed = ""

    def compose(self) -> ComposeResult:
        """Tabs, the views, the line to find in them."""
        yield RecordTabs()
        with ContentSwitcher(initial="record-empty"):
            yield Static(
                "No record chosen. Enter on a row opens one.", id="record-empty", classes="empty", markup=False
            )
            yield FieldList(self._kind_of, self._tz, raw=self._raw, points_at_record=self._leads, id=FIELDS)
            yield FoldingJsonView(id=JSON)
            yield TextView(wrap=True, id=RAW)
            yield WriteHistory(self._environment, self._tz, id=HISTORY)
            yield self._make_nested(NESTED)
            yield ActionList(id=ACTIONS)
        yield FindInput()

    def on_mount(self) -> None:
        """Show what was given before there was anything to show it in."""
        if not self.children:
            # It goes again, or the program ends, before it was there.
            return
        self._text_search = TextSearch(self.find_line, lambda: self._view, self._noted)
        self._shown()
        self.set_interval(_AGE_SECONDS, self._noted)
        if self._pointed:
            self.fields.move_to_field(self._pointed)
        if self._focus_wanted:
            self.call_after_refresh(self._focus_if_wanted)

    # What is shown

    def show(
        self,
        draft: Draft | None,
        *,
        pending_id: str = "",
        reading: RecordReading | None = None,
        under: Sequence[Collection] = (),
    ) -> None:
        """Show the record that `draft` is made on, with its edits; None: no record, or the one that is `coming`.

        `reading` is how it was read; None where it came as a part of a page. `under` are the collections under it.
        """
        if draft == self._draft and pending_id == self._pending_id and reading == self._reading:
            return
        if draft is None or self._draft is None or draft.base != self._draft.base:
            self._stale |= {JSON, HISTORY}
        if reading != self._reading:
            self._stale |= {RAW, HISTORY}
        self._draft, self._pending_id, self._reading, self._under = draft, pending_id, reading, tuple(under)
        if self.is_mounted:
            self._shown()

    def show_history(self, entries: Sequence[JournalEntry] | None, problem: str = "") -> None:
        """Show the writes to this record; None where they can't be read, `problem` says why."""
        self.history.show(entries, problem)
        self._noted()

    def forget_history(self) -> None:
        """There may be more writes to this record than are shown."""
        self._stale.add(HISTORY)
        if self.is_mounted and self._draft is not None:
            self._filled()

    def refresh_actions(self) -> None:
        """There may be something else to be known of what can be done."""
        if self.is_mounted and self.tabs.view == ACTIONS and self._draft is not None:
            self.actions.show(self._offers())

    def refresh_kinds(self) -> None:
        """More may be known of what kinds of values the fields hold."""
        if self.is_mounted:
            self.fields.refresh_kinds()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._raw = raw
        if self.is_mounted:
            self.fields.show_raw(raw)
            self.nested.view_state.show_raw(raw)
            self._titled()

    def move_to_field(self, field: str) -> None:
        """Put the cursor on a field, as soon as it is there."""
        if self.is_mounted:
            self.fields.move_to_field(field)
        else:
            self._pointed = field

    def focus_soon(self) -> None:
        """Put the focus on what the open tab shows, as soon as it is there, unless it is wanted elsewhere by then."""
        self._focus_wanted = True
        if self.is_mounted:
            self.call_after_refresh(self._focus_if_wanted)

    def focus_elsewhere(self) -> None:
        """The focus is wanted elsewhere."""
        self._focus_wanted = False

    def _focus_if_wanted(self) -> None:
        if self._focus_wanted:
            self.focus_elsewhere()
            self.focus_inside()

    def focus_inside(self) -> None:
        """Put the focus on what the open tab shows."""
        view = self._view
        (view.table if isinstance(view, NestedPane) else view).focus()

    @property
    def table(self) -> NestedPane | None:
        """The table of what hangs under the record, where that is on show."""
        shown = self.is_mounted and self.tabs.view == NESTED and self._draft is not None
        return self.nested if shown else None

    @property
    def field(self) -> str | None:
        """The name of the field under the cursor, or around it."""
        return self.fields.field

    @property
    def entry(self) -> Entry | None:
        """The value under the cursor and the way to it, where fields are shown."""
        return self.fields.entry if self.tabs.view == FIELDS else None

    @property
    def text(self) -> str | None:
        """The text that the open tab shows, whole; None where it shows values, or writes."""
        if self.tabs.view == RAW:
            return body_text(self._reading.exchange) if self._reading else None
        return self.json.text if self.tabs.view == JSON else None

    @property
    def _view(self) -> Widget:
        return self.query_one(f"#{self.tabs.view}")

    def _shown(self) -> None:
        """Show what the open tab shows."""
        self.fields.show(self._draft)
        # A record that a cursor came to may be gone again in a moment: what hangs under it is not asked for at once.
        delayed = self._draft is not None and self.tabs.has(self._under)
        self.nested.show_collection(self.tabs.collection if self._draft is not None else None, delayed=delayed)
        self._titled()
        switcher = self.query_one(ContentSwitcher)
        if self._draft is None:
            words = "" if self._pending_id else "No record chosen. Enter on a row opens one."
            self.query_one("#record-empty", Static).update(words)
            switcher.current = "record-empty"
            return
        inside = switcher.has_focus_within or self.find_line.has_focus_within
        self._filled()
        switcher.current = self.tabs.view
        if inside:
            self.focus_inside()

    def _filled(self) -> None:
        """Give the open tab what it shows, where that is new."""
        assert self._draft is not None
        self.refresh_actions()
        if self.tabs.view in self._stale:
            self._stale.discard(self.tabs.view)
            if self.tabs.view == JSON:
                self.json.show_json(self._draft.base.fields)
            elif self.tabs.view == RAW:
                reading = self._reading
                self.answer.show_text(
                    exchange_text(reading.exchange, self._tz) if reading else _NO_OWN_ANSWER, "headers"
                )
            elif self.tabs.view == HISTORY:
                self.history.show(None)
                self.post_message(self.HistoryWanted())
        self._noted()

    # The frame

    @on(FieldList.Moved)
    def _moved(self, event: FieldList.Moved) -> None:
        event.stop()
        self._titled()

    def _titled(self) -> None:
        self.border_title = title.title_content(self._draft, self._pending_id)
        if self._draft is None:
            self.border_subtitle = "reading" if self._pending_id else ""
        elif self.tabs.view == NESTED:
            self.border_subtitle = title.nested_subtitle_content(self._draft, self._framed.count, self._framed.state)
        else:
            self.border_subtitle = title.subtitle_content(self._draft, self.draft_age, self.entry, raw=self._raw)

    @on(NestedPane.FrameChanged)
    def _nested_framed(self, event: NestedPane.FrameChanged) -> None:
        event.stop()
        self._framed = event
        self._titled()

    def _noted(self) -> None:
        """Say at the end of the tabs what was found, or how old what is shown is."""
        # What was sought may be somebody's name.
        most = 0 if self.app.has_class(MASKED) else title.MAX_LABEL_CELLS
        note = self._text_search.note(most) if self._draft is not None else ""
        if not note and self.tabs.view == RAW and self._reading is not None:
            note = age_text((self._now() - self._reading.exchange.received).total_seconds())
        self.tabs.note = note

    # Tabs and finding

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
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
        if self._draft is None or not action.startswith("find"):
            return ""
        return self._text_search.noop_reason(again=action == "find_step")

    def action_find(self) -> None:
        """Open the line to find something in the open tab."""
        if self._draft is not None:
            self._text_search.ask()

    def action_find_step(self, direction: int) -> None:
        """On to the next place found, or back to the one before."""
        self._text_search.step(direction)

    @on(FindInput.Changed)
    def _typed(self, event: FindInput.Changed) -> None:
        event.stop()

    @on(FindInput.Submitted)
    def _seek(self, event: FindInput.Submitted) -> None:
        event.stop()
        self._text_search.search(event.text)
        self.focus_inside()

    @on(FindInput.Cancelled)
    def _given_up(self, event: FindInput.Cancelled) -> None:
        event.stop()
        self._text_search.search("")
        self.focus_inside()

    # What is asked for

    @on(FieldList.Opened)
    def _field_opened(self, event: FieldList.Opened) -> None:
        event.stop()
        self.post_message(self.FieldOpened(event.entry, event.truncated))

    @on(WriteHistory.Opened)
    def _entry_opened(self, event: WriteHistory.Opened) -> None:
        event.stop()
        self.post_message(self.EntryOpened(event.entry))

    @on(ActionList.Chosen)
    def _action_chosen(self, event: ActionList.Chosen) -> None:
        event.stop()
        self.post_message(self.ActionWanted(event.offer.choice))
