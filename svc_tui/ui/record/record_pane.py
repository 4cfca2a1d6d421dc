"""The pane of a record: its tabs and views, the frame around them, and the search in them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.getters import query_one

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.durations import age_words
from svc_tui.core.outline import OutlineEntry, path_text
from svc_tui.core.phrases import counted
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.keys.availability import NOTHING_SOUGHT, NOTHING_TO_FIND_IN, ExplainsAvailability
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.record.record_views import (
    FIELDS,
    NESTED,
    RAW,
    TAB_BINDINGS,
    NestedPane,
    RecordTabs,
    RecordViews,
    ShownRecord,
)
from svc_tui.ui.table.table_frame import write_border
from svc_tui.ui.text import shorten, styled, visible
from svc_tui.ui.widgets.answer.exchange_text import age_text
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.record.timeline_list import TimelineList
from svc_tui.ui.widgets.table.record_table import RecordTable
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView

_AGE_SECONDS = 5.0
"""Seconds between two updates of the age of a response."""

MAX_LABEL_CELLS = 40
"""Cells of a label or a path at most."""
MAX_NAME_CELLS = 20
"""Cells of a colleague's name at most."""

_FIND_BINDINGS: list[BindingType] = [
    Binding("slash", "find", "Search", id="record.find", key_display="/",
            tooltip="Search names and values, also in collapsed fields"),
    Binding("n", "find_step(1)", "Next match", id="record.find_next", show=False, tooltip="Go to the next match"),
    Binding("N", "find_step(-1)", "Previous match", id="record.find_previous", show=False,
            tooltip="Go to the previous match"),
]  # fmt: skip


class RecordFrame:
    """The words around a record: its name above, its unsent edits and the position in it below, its age at the tabs."""

    draft_age = 0.0
    """Seconds between the last edit and showing the record."""
    others: tuple[str, ...] = ()
    """The colleagues who have the record open for editing."""

    is_alone = False
    """True if no table is beside the record: the title then says where it is."""
    collection = ""
    """The name of the record's collection."""
    position = ""
    """The position of the record in the table, such as `42 of 5,000`; "" if it is not known."""
    edited_kind = ""
    """The kind of the value that is edited in its place; "" if there is none."""

    def __init__(self, *, raw: bool, now: Callable[[], datetime]) -> None:
        self.raw, self._now = raw, now
        self.nested = NestedPane.FrameChanged("", Content(""))
        """The count and state of the table of a collection under the record."""

    def title(self, record: ShownRecord) -> Content:
        """Return the id of the record, with a dot if it has unsent edits; also while it is loading.

        A record alone on the screen has the name of its collection and its own: `lots / lot-000042 · Silver ore 42`.
        """
        draft = record.draft
        collection = f"{self.collection} / " if self.is_alone and self.collection else ""
        if draft is None:
            return styled(f"{collection}{record.pending_id}") if record.pending_id else Content("Record")
        mark = Content.styled("• ", "$role-changed") if draft.edits else Content("")
        label = draft.base.label[:MAX_LABEL_CELLS] if self.is_alone else ""
        name = " · ".join(filter(None, (draft.base.id or "Record", label)))
        return Content.assemble(mark, styled(f"{collection}{name}"), self._others_content())

    @property
    def count(self) -> str:
        """The position of the record in the table, if no table beside it shows that."""
        return self.position if self.is_alone else ""

    def _others_content(self) -> Content:
        if not self.others:
            return Content()
        first, more = shorten(visible(self.others[0]), MAX_NAME_CELLS), len(self.others) - 1
        who = f"{first} and {more:,} more" if more else first
        return styled(f" · {who} {'are' if more else 'is'} editing", "$role-warning")

    def subtitle(self, record: ShownRecord, tab: str, entry: OutlineEntry | None) -> Content:
        """Return the unsent edits, and the position in the view of `tab`; `entry` is the value under the cursor."""
        if self.edited_kind:
            return styled(self.edited_kind)
        if record.draft is None:
            return Content("loading" if record.pending_id else "")
        parts = self._nested_parts(record.draft) if tab == NESTED else self._field_parts(record.draft, entry)
        return Content(" · ").join(filter(None, parts))

    def age(self, record: ShownRecord, tab: str) -> str:
        """Return the age of the response; "" if the record was not loaded alone, or there is no room."""
        if record.reading is None or not (tab == RAW or self.is_alone):
            return ""
        return age_text((self._now() - record.reading.exchange.received).total_seconds())

    def _field_parts(self, draft: Draft, entry: OutlineEntry | None) -> tuple[Content, ...]:
        """Return the unsent edits with their age, the path of a nested value or the label, and if values are raw."""
        age = age_words(self.draft_age)
        path = path_text(entry.path) if entry and len(entry.path) > 1 else ""
        return (
            _draft_content(draft, f", {age} old" if age else ""),
            styled(
                (path and shorten(visible(path[-MAX_LABEL_CELLS:]), MAX_LABEL_CELLS))
                or ("" if draft.edits or self.is_alone else draft.base.label[:MAX_LABEL_CELLS])
            ),
            Content("raw values" if self.raw else ""),
        )

    def _nested_parts(self, draft: Draft) -> tuple[Content, ...]:
        """Return the unsent edits, and the count and state of the table of a collection under the record."""
        return _draft_content(draft), Content(self.nested.count), self.nested.state


def _draft_content(draft: Draft, age: str = "") -> Content:
    """Return how many fields the draft changes, such as `draft: 2 fields, 3 h old`; empty if it changes none."""
    words = f"draft: {counted(len(draft.edits), 'field')}{age}"
    return Content.styled(words if draft.edits else "", "$role-changed")


@keys_count_in(FieldList, FoldingJsonView, TextView, TimelineList, RecordTable)
class RecordPane(ExplainsAvailability, Vertical):
    """The pane of one record with its draft."""

    BINDINGS = [*TAB_BINDINGS, *_FIND_BINDINGS]

    focus_wanted = False
    """True if the pane takes the focus as soon as it is ready."""

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
        """Create the pane; `nested` is the table of the collections under a record, with the id NESTED."""
        super().__init__(classes="pane")
        self.views = RecordViews(value_format, nested)
        self.frame = RecordFrame(raw=value_format.raw, now=now)
        self._record = ShownRecord()
        self._first_field: str | None = None
        """The field that the cursor goes to once the pane is ready."""
        self._needle = ""
        """The text searched for; "" if there is none."""

    def compose(self) -> ComposeResult:
        """Compose the tabs, the views and the search line."""
        yield RecordTabs()
        yield self.views
        yield FindInput()

    def on_mount(self) -> None:
        """Show the record taken before the pane was ready."""
        if not self.views.children:
            # The pane is removed, or the program ends, before it was ready.
            return
        self._show_open_tab()
        self.set_interval(_AGE_SECONDS, self._write_note)
        if self._first_field is not None:
            self.fields.move_to_field(self._first_field)
        if self.focus_wanted:
            self.call_after_refresh(self._focus_if_wanted)

    # What is shown

    @property
    def is_ready(self) -> bool:
        """True if the views exist: they are composed after the pane, and may be removed before it is mounted."""
        return self.is_mounted and bool(self.views.children)

    def show(
        self,
        draft: Draft | None,
        *,
        pending_id: str = "",
        reading: RecordReading | None = None,
        under: Sequence[Collection] = (),
    ) -> None:
        """Show the record of `draft` with its edits; without one no record, or the one with the `pending_id`.

        `reading` is the response with it; None if it came as part of a page. `under` are the collections under it.
        """
        record = ShownRecord(draft, pending_id, reading, tuple(under))
        if record == self._record:
            return
        other = record.record_id != self._record.record_id
        self._record = record
        self.views.take(record)
        if self.is_ready:
            self._show_open_tab()
            if other or draft is None:
                # A record that is shown again has no matches marked.
                self.end_search()

    def show_raw(self, raw: bool) -> None:
        """Show values raw, or formatted."""
        self.frame.raw = raw
        self.views.show_raw(raw)
        self._refresh_frame()

    def show_others(self, names: tuple[str, ...]) -> None:
        """Show beside the name which colleagues have the record open for editing."""
        if names != self.frame.others:
            self.frame.others = names
            self._refresh_frame()

    def show_alone(self, is_alone: bool) -> None:
        """Show in the title where the record is if no table is beside it."""
        if is_alone != self.frame.is_alone:
            self.frame.is_alone = is_alone
            self._refresh_frame()

    def show_place(self, collection: str, position: str) -> None:
        """Show the name of the record's collection, and its position in the table."""
        if (collection, position) != (self.frame.collection, self.frame.position):
            self.frame.collection, self.frame.position = collection, position
            self._refresh_frame()

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if none is in view."""
        return self.fields.value_region if self.is_ready and self.tabs.view == FIELDS else None

    def show_edited(self, kind: str, field: str = "") -> None:
        """Show on the border the kind of the value that is edited in its place, and mark its `field` once it changed.

        "" ends either.
        """
        self.frame.edited_kind = kind
        if self.is_ready:
            self.fields.mark_typed(field)
            self._write_frame()

    def move_to_field(self, field: str) -> None:
        """Move the cursor to a field, as soon as the pane is ready."""
        if self.is_ready:
            self.fields.move_to_field(field)
        else:
            self._first_field = field

    def focus_soon(self) -> None:
        """Focus the view of the open tab as soon as it is ready, unless `focus_elsewhere` is called before."""
        self.focus_wanted = True
        if self.is_ready:
            self.call_next(self._focus_if_wanted)

    def focus_elsewhere(self) -> None:
        """Do not take the focus when ready."""
        self.focus_wanted = False

    def _focus_if_wanted(self) -> None:
        if self.focus_wanted:
            self.focus_elsewhere()
            self.focus_inside()

    def focus_inside(self) -> None:
        """Focus the view of the open tab."""
        self.views.focus_view(self.tabs.view)

    @property
    def table(self) -> NestedPane | None:
        """The table of a collection under the record, if that is shown."""
        shown = self.is_ready and self.tabs.view == NESTED and self._record.draft is not None
        return self.views.nested if shown else None

    @property
    def entry(self) -> OutlineEntry | None:
        """The value under the cursor and its path, if fields are shown."""
        return self.fields.entry if self.tabs.view == FIELDS else None

    @property
    def text(self) -> str | None:
        """The whole text that the open tab shows; None if it shows fields, a history or a table."""
        return self.views.text(self.tabs.view)

    def _show_open_tab(self) -> None:
        inside = self.views.has_focus_within or self.find_line.has_focus_within
        self.views.show_tab(self.tabs)
        self._write_frame()
        if self._record.draft is None:
            return
        self._write_note()
        if inside:
            self.focus_inside()

    # The frame

    @on(FieldList.Moved)
    def _write_frame(self) -> None:
        subtitle = self.frame.subtitle(self._record, self.tabs.view, self.entry)
        write_border(self, self.frame.title(self._record), self.frame.count, subtitle)

    def _refresh_frame(self) -> None:
        if self.is_ready:
            self._write_frame()

    def notify_style_update(self) -> None:
        """Write the frame again: its colour may have changed, and the title's line with it."""
        super().notify_style_update()
        self._refresh_frame()

    def on_resize(self) -> None:
        """Write the frame again: its title spans its width."""
        self._refresh_frame()

    @on(NestedPane.FrameChanged)
    def _nested_framed(self, event: NestedPane.FrameChanged) -> None:
        event.stop()
        self.frame.nested = event
        self._write_frame()

    def _write_note(self) -> None:
        """Show the number of the match at the end of the tabs, or the age of the response."""
        view = self._searchable_view if self._needle else None
        if view is not None and (position := view.match_position):
            self.tabs.note = f"{position[0]:,} of {position[1]:,}"
        else:
            self.tabs.note = self.frame.age(self._record, self.tabs.view)

    # Tabs

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        if not self.is_ready:
            return
        self.tabs.remember_opened()
        self._show_open_tab()
        self.find_line.close()
        self._needle = ""
        self._write_note()

    def action_tab(self, steps: int) -> None:
        """Open the next or the previous tab."""
        self.tabs.action_step(steps)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the search keys to the screen if a table is shown: they filter it."""
        return not (action.startswith("find") and self.table is not None)

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return why a search key does nothing; "" if it does something."""
        if self._record.draft is None or not action.startswith("find"):
            return ""
        if self._searchable_view is None:
            return NOTHING_TO_FIND_IN
        return NOTHING_SOUGHT if action == "find_step" and not self._needle else ""

    # Search

    @property
    def _searchable_view(self) -> FieldList | TextView | None:
        view = self.views.view(self.tabs.view)
        return view if isinstance(view, FieldList | TextView) else None

    def action_find(self) -> None:
        """Open the search line."""
        if self._record.draft is not None and self._searchable_view is not None:
            self.find_line.start(self._needle)

    @property
    def is_searching(self) -> bool:
        """True while a text is searched for."""
        return bool(self._needle)

    def end_search(self) -> bool:
        """End the search. Return False if there was none."""
        if not self.is_ready or not self._needle:
            return False
        inside = self.find_line.has_focus_within
        self._search("")
        if inside:
            self.focus_inside()
        return True

    def action_find_step(self, direction: int) -> None:
        """Go to the next match, or the one before."""
        if (view := self._searchable_view) is not None:
            if direction > 0:
                view.find_next()
            else:
                view.find_previous()
            self._write_note()

    @on(FindInput.Submitted)
    @on(FindInput.Cancelled)
    def _search_typed(self, event: FindInput.Submitted | FindInput.Cancelled) -> None:
        event.stop()
        if self._search(event.text if isinstance(event, FindInput.Submitted) else ""):
            self.focus_inside()

    def _search(self, needle: str) -> bool:
        """Go to the first match; "" ends the search. Return False if there is none: the search line stays open."""
        self._needle = needle
        view = self._searchable_view
        has_match = view is not None and view.find(needle)
        if has_match or not needle:
            self.find_line.close()
        else:
            self.find_line.hint("no matches")
        self._write_note()
        return has_match or not needle
