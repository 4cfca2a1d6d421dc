"""The record pane: one record's fields with the edits not yet sent, and its JSON."""

from dataclasses import dataclass
from datetime import UTC, tzinfo

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from svc_tui.domain.draft import Draft, age_words
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.field_list import FieldList, KindOf
from svc_tui.ui.widgets.json_view import JsonView
from svc_tui.ui.widgets.tab_line import Tab, TabLine


class RecordPane(Vertical):
    """One record; shows what it is given and asks for what the user wants done with it."""

    DEFAULT_CSS = """
    RecordPane ContentSwitcher { height: 1fr; }
    RecordPane JsonView { height: 1fr; }
    """

    BINDINGS = [
        Binding("right_curly_bracket,ctrl+pagedown", "tab(1)", "Next tab", id="record.next_tab", show=False,
                tooltip="Record, JSON"),
        Binding("left_curly_bracket,ctrl+pageup", "tab(-1)", "Previous tab", id="record.previous_tab", show=False,
                tooltip="Record, JSON"),
    ]  # fmt: skip

    draft_age = 0.0
    """Seconds since the edits were last changed, when they were shown."""

    @dataclass
    class FieldOpened(Message):
        """Enter was pressed on a field."""

        name: str

    tabs = query_one(TabLine)
    fields = query_one(FieldList)
    json = query_one(JsonView)

    def __init__(self, kind_of: KindOf, tz: tzinfo = UTC, *, raw: bool = False, id: str | None = None) -> None:  # noqa: A002
        """Make the pane; it shows times in `tz`, or all values as they came."""
        super().__init__(id=id, classes="pane")
        self._kind_of, self._tz, self._raw = kind_of, tz, raw
        self._draft: Draft | None = None
        self._stale_json = True
        self._focus_wanted = False
        self._coming = ""
        self._pointed = ""

    def compose(self) -> ComposeResult:
        """Tabs, fields, JSON."""
        yield TabLine([Tab("Record"), Tab("JSON")])
        with ContentSwitcher(initial="record-empty"):
            yield Static(
                "No record chosen. Enter on a row opens one.", id="record-empty", classes="empty", markup=False
            )
            yield FieldList(self._kind_of, self._tz, raw=self._raw, id="record-fields")
            yield JsonView(id="record-json")

    def on_mount(self) -> None:
        """Show what was given before there was anything to show it in."""
        self._shown()
        if self._pointed:
            self.fields.point_at(self._pointed)
        if self._focus_wanted:
            self.call_after_refresh(self.focus_inside)

    def _shown(self) -> None:
        self.fields.show(self._draft)
        self._titled()
        self._switch()

    def show(self, draft: Draft | None, *, coming: str = "") -> None:
        """Show the record that `draft` is made on, with its edits; None: no record, or the one that is `coming`."""
        if draft == self._draft and coming == self._coming:
            return
        self._coming = coming
        self._stale_json = self._stale_json or draft is None or self._draft is None or draft.base != self._draft.base
        self._draft = draft
        if self.is_mounted:
            self._shown()

    @property
    def field(self) -> str | None:
        """The name of the field under the cursor."""
        return self.fields.field

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
        if not self.is_mounted:
            self._focus_wanted = True
            return
        (self.json if self.tabs.chosen else self.fields).focus()

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
        count = len(draft.edits)
        said = (
            Content.styled(f"{count} not sent · {age or 'ctrl+s reviews'}", "$role-changed")
            if count
            else shown(record.label[:40])
        )
        self.border_subtitle = Content(" · ").join(filter(None, (said, Content("raw values" if self._raw else ""))))

    @on(TabLine.Chosen)
    def _tab_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self._switch()

    def _switch(self) -> None:
        switcher = self.query_one(ContentSwitcher)
        if self._draft is None:
            words = "" if self._coming else "No record chosen. Enter on a row opens one."
            self.query_one("#record-empty", Static).update(words)
            switcher.current = "record-empty"
            return
        inside = self.fields.has_focus or self.json.has_focus
        if self.tabs.chosen and self._stale_json:
            self._stale_json = False
            self.json.show_json(self._draft.base.fields)
        switcher.current = "record-json" if self.tabs.chosen else "record-fields"
        if inside:
            self.focus_inside()

    @on(FieldList.Opened)
    def _field_opened(self, event: FieldList.Opened) -> None:
        event.stop()
        self.post_message(self.FieldOpened(event.name))

    def action_tab(self, steps: int) -> None:
        """Open the next or the previous tab."""
        self.tabs.action_step(steps)
