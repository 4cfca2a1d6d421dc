"""The record pane: one record's fields with the edits not yet sent, its JSON, the answer it came in, its history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import Draft, age_words
from svc_tui.domain.gateway import JournalEntry, Reading
from svc_tui.domain.outline import Entry, written
from svc_tui.ui.text import shortened, shown, visible
from svc_tui.ui.widgets.field_lines import KindOf, Leads
from svc_tui.ui.widgets.field_list import FieldList
from svc_tui.ui.widgets.filter_line import FindLine
from svc_tui.ui.widgets.folding_json import FoldingJson
from svc_tui.ui.widgets.history import History
from svc_tui.ui.widgets.json_view import JsonView
from svc_tui.ui.widgets.raw_text import age, body_text, raw_text
from svc_tui.ui.widgets.tab_line import Tab, TabLine

_FIELDS, _JSON, _RAW, _HISTORY = "record-fields", "record-json", "record-raw", "record-history"
_VIEWS = (_FIELDS, _JSON, _RAW, _HISTORY)
_PART_OF_A_PAGE = "This record was read as a part of a page, or came with a write. r reads it alone."
_AGES = 5.0
"""Seconds after which the age of an answer is told anew."""
_LABEL = 40
_TABS = "Record, JSON, Raw, History"


class RecordPane(Vertical):
    """One record; shows what it is given and asks for what the user wants done with it."""

    DEFAULT_CSS = """
    RecordPane ContentSwitcher { height: 1fr; }
    RecordPane JsonView { height: 1fr; }
    """

    BINDINGS = [
        Binding("right_curly_bracket,ctrl+pagedown", "tab(1)", "Next tab", id="record.next_tab", show=False,
                tooltip=_TABS),
        Binding("left_curly_bracket,ctrl+pageup", "tab(-1)", "Previous tab", id="record.previous_tab", show=False,
                tooltip=_TABS),
        Binding("slash", "find", "Find", id="record.find", key_display="/",
                tooltip="Find in names and values, folded ones too"),
        Binding("n", "find_next", "Next", id="record.find_next", show=False, tooltip="To the next place found"),
        Binding("N", "find_previous", "Previous", id="record.find_previous", show=False,
                tooltip="To the place found before"),
    ]  # fmt: skip

    draft_age = 0.0
    """Seconds since the edits were last changed, when they were shown."""

    @dataclass
    class FieldOpened(Message):
        """Enter was pressed on a value; `cut` says whether only its beginning is shown."""

        entry: Entry
        cut: bool

    class HistoryWanted(Message):
        """The writes to this record are to be shown."""

    @dataclass
    class EntryOpened(Message):
        """Enter was pressed on a write."""

        entry: JournalEntry

    tabs = query_one(TabLine)
    fields = query_one(FieldList)
    json = query_one(FoldingJson)
    answer = query_one(f"#{_RAW}", JsonView)
    history = query_one(History)
    find_line = query_one(FindLine)

    def __init__(
        self,
        kind_of: KindOf,
        environment: Environment,
        tz: tzinfo = UTC,
        *,
        raw: bool = False,
        leads: Leads = lambda _path, _value: False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """Make the pane; it shows times in `tz`, or all values as they came. `leads` tells what points elsewhere."""
        super().__init__(id=id, classes="pane")
        self._kind_of, self._environment, self._tz, self._raw = kind_of, environment, tz, raw
        self._leads, self._now = leads, now
        self._draft: Draft | None = None
        self._reading: Reading | None = None
        self._stale: set[str] = set(_VIEWS)
        self._focus_wanted = False
        self._coming = ""
        self._pointed = ""
        self._needle = ""

    def compose(self) -> ComposeResult:
        """Tabs, the four views, the line to find in them."""
        yield TabLine([Tab("Record"), Tab("JSON"), Tab("Raw"), Tab("History")])
        with ContentSwitcher(initial="record-empty"):
            yield Static(
                "No record chosen. Enter on a row opens one.", id="record-empty", classes="empty", markup=False
            )
            yield FieldList(self._kind_of, self._tz, raw=self._raw, leads=self._leads, id=_FIELDS)
            yield FoldingJson(id=_JSON)
            yield JsonView(wrap=True, id=_RAW)
            yield History(self._environment, self._tz, id=_HISTORY)
        yield FindLine()

    def on_mount(self) -> None:
        """Show what was given before there was anything to show it in."""
        self._shown()
        self.set_interval(_AGES, self._noted)
        if self._pointed:
            self.fields.point_at(self._pointed)
        if self._focus_wanted:
            self.call_after_refresh(self.focus_inside)

    # What is shown

    def show(self, draft: Draft | None, *, coming: str = "", reading: Reading | None = None) -> None:
        """Show the record that `draft` is made on, with its edits; None: no record, or the one that is `coming`.

        `reading` is how it was read; None where it came as a part of a page.
        """
        if draft == self._draft and coming == self._coming and reading == self._reading:
            return
        if draft is None or self._draft is None or draft.base != self._draft.base:
            self._stale |= {_JSON, _HISTORY}
        if reading != self._reading:
            self._stale |= {_RAW, _HISTORY}
        self._draft, self._coming, self._reading = draft, coming, reading
        if self.is_mounted:
            self._shown()

    def show_history(self, entries: Sequence[JournalEntry] | None, problem: str = "") -> None:
        """Show the writes to this record; None where they can't be read, `problem` says why."""
        self.history.show(entries, problem)
        self._noted()

    def forget_history(self) -> None:
        """There may be more writes to this record than are shown."""
        self._stale.add(_HISTORY)
        if self.is_mounted and self._draft is not None:
            self._filled()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._raw = raw
        if self.is_mounted:
            self.fields.show_raw(raw)
            self._titled()

    def point_at(self, field: str) -> None:
        """Put the cursor on a field, as soon as it is there."""
        if self.is_mounted:
            self.fields.point_at(field)
        else:
            self._pointed = field

    def focus_inside(self) -> None:
        """Put the focus on what the open tab shows, as soon as it is there."""
        if self.is_mounted:
            self._view.focus()
        else:
            self._focus_wanted = True

    @property
    def field(self) -> str | None:
        """The name of the field under the cursor, or around it."""
        return self.fields.field

    @property
    def entry(self) -> Entry | None:
        """The value under the cursor and the way to it, where fields are shown."""
        return self.fields.entry if self._showing == _FIELDS else None

    @property
    def text(self) -> str | None:
        """The text that the open tab shows, whole; None where it shows values, or writes."""
        if self._showing == _RAW:
            return body_text(self._reading.exchange) if self._reading else None
        return self.json.text if self._showing == _JSON else None

    @property
    def _showing(self) -> str:
        return _VIEWS[self.tabs.chosen]

    @property
    def _view(self) -> Widget:
        return self.query_one(f"#{self._showing}")

    def _shown(self) -> None:
        self.fields.show(self._draft)
        self._titled()
        switcher = self.query_one(ContentSwitcher)
        if self._draft is None:
            words = "" if self._coming else "No record chosen. Enter on a row opens one."
            self.query_one("#record-empty", Static).update(words)
            switcher.current = "record-empty"
            return
        inside = switcher.has_focus_within
        self._filled()
        switcher.current = self._showing
        if inside:
            self.focus_inside()

    def _filled(self) -> None:
        """Give the open tab what it shows, where that is new."""
        assert self._draft is not None
        if self._showing in self._stale:
            self._stale.discard(self._showing)
            if self._showing == _JSON:
                self.json.show_json(self._draft.base.fields)
            elif self._showing == _RAW:
                reading = self._reading
                self.answer.show_text(raw_text(reading.exchange, self._tz) if reading else _PART_OF_A_PAGE, "headers")
            elif self._showing == _HISTORY:
                self.history.show(None)
                self.post_message(self.HistoryWanted())
        self._noted()

    # The frame

    @on(FieldList.Moved)
    def _moved(self, event: FieldList.Moved) -> None:
        event.stop()
        self._titled()

    def _titled(self) -> None:
        draft = self._draft
        if draft is None:
            self.border_title = shown(self._coming) if self._coming else Content("Record")
            self.border_subtitle = "reading" if self._coming else ""
            return
        record = draft.base
        age = f"{words} old · ctrl+s" if (words := age_words(self.draft_age)) else ""
        mark = Content.styled("• ", "$role-changed") if draft.edits else Content("")
        self.border_title = Content.assemble(mark, shown(record.id or "Record"))
        count, entry = len(draft.edits), self.entry
        path = written(entry.path) if entry and len(entry.path) > 1 else ""
        parts = [
            Content.styled(f"{count} not sent · {age or 'ctrl+s reviews'}" if count else "", "$role-changed"),
            shown((path and shortened(visible(path[-_LABEL:]), _LABEL)) or ("" if count else record.label[:_LABEL])),
            Content("raw values" if self._raw else ""),
        ]
        self.border_subtitle = Content(" · ").join(filter(None, parts))

    def _noted(self) -> None:
        """Say at the end of the tabs what was found, or how old what is shown is."""
        found = self._found
        if self._needle and self._showing != _HISTORY and self._draft is not None:
            self.tabs.note = f"{found[0]:,} of {found[1]:,}" if found else f"nowhere: {self._needle[:_LABEL]}"
        elif self._showing == _RAW and self._reading is not None:
            self.tabs.note = age((self._now() - self._reading.exchange.received).total_seconds())
        else:
            self.tabs.note = ""

    # Tabs and finding

    @on(TabLine.Chosen)
    def _tab_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self._needle = ""
        self._shown()

    def action_tab(self, steps: int) -> None:
        """Open the next or the previous tab."""
        self.tabs.action_step(steps)

    @property
    def _finder(self) -> FieldList | JsonView | None:
        view = self._view
        return view if isinstance(view, FieldList | JsonView) else None

    @property
    def _found(self) -> tuple[int, int] | None:
        return self._finder.found if self._finder else None

    def action_find(self) -> None:
        """Open the line to find something in the open tab."""
        if self._finder is not None and self._draft is not None:
            self.find_line.start(self._needle)

    def action_find_next(self) -> None:
        """On to the next place found."""
        if self._finder is not None:
            self._finder.find_next()
            self._noted()

    def action_find_previous(self) -> None:
        """Back to the place found before."""
        if self._finder is not None:
            self._finder.find_previous()
            self._noted()

    @on(FindLine.Changed)
    def _typed(self, event: FindLine.Changed) -> None:
        event.stop()

    @on(FindLine.Kept)
    def _seek(self, event: FindLine.Kept) -> None:
        event.stop()
        self._sought(event.text)

    @on(FindLine.GivenUp)
    def _given_up(self, event: FindLine.GivenUp) -> None:
        event.stop()
        self._sought("")

    def _sought(self, needle: str) -> None:
        self.find_line.close()
        self._needle = needle
        if self._finder is not None:
            self._finder.find(needle)
        self.focus_inside()
        self._noted()

    # What is asked for

    @on(FieldList.Opened)
    def _field_opened(self, event: FieldList.Opened) -> None:
        event.stop()
        self.post_message(self.FieldOpened(event.entry, event.cut))

    @on(History.Opened)
    def _entry_opened(self, event: History.Opened) -> None:
        event.stop()
        self.post_message(self.EntryOpened(event.entry))
