"""The editor of one value, laid over it in its pane, with the list of values to pick from."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from math import ceil
from typing import Protocol

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.getters import query_one
from textual.message import Message
from textual.reactive import Reactive, var
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from svc_tui.core.field_entry import (
    FieldEntry,
    FlagEntry,
    ReferenceEntry,
    StructureEntry,
    TimeEntry,
    ValueProblem,
    ValueSuggestion,
)
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.kinds import Kind, display_text, editable_text, raw_text
from svc_tui.core.times import now_like
from svc_tui.ui.dialogs.dialog import MASKED_WORDS, Dialog, DialogFrame, move_cursor
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyEmphasis
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.text.wrapping import wrap_text

_FOLLOW_SECONDS = 0.2
"""Seconds between looks at where the value is on the screen."""
_LEFT_BUTTON = 1

_MIN_CELLS = 10
"""Cells of the text field at least."""
_USUAL_CELLS = 18
"""Cells of the text field if there is room; a text or a time takes all the room."""
_MIN_TIME_CELLS = len("2026-11-20T05:12:00Z") + 1
_MIN_TEXT_CELLS = 24
_MIN_LINES_CELLS = 36
"""Cells of a text of several lines with its frame at least."""
_LINES_ROWS = range(6, 12)
"""Rows of a text of several lines."""
_BOX_CELLS = 72
"""Cells of the text field with its frame if the value is not in view."""

_DROP_STEP_CELLS = 12
_MAX_DROP_CELLS = 76
_MAX_MESSAGE_ROWS = 3
_MAX_WHOLE_ROWS = 6
"""Rows that show the whole of a text that is longer than its line."""

_MAX_LISTED_ROWS = 6
"""Rows of the list of values."""
_MAX_VALUE_CELLS = 40
_NOTE_CELLS = 30
_BOOLEAN_TEXTS = {True: "✓ true", False: "✗ false"}
_MAX_NAMED_CELLS = 16
"""Cells of a value in the line of keys."""


class EditedPane(Protocol):
    """A pane in which a value is edited in its place."""

    @property
    def region(self) -> Region: ...
    @property
    def value_region(self) -> Region | None: ...
    def show_edited(self, kind: str, field: str = "") -> None: ...


@dataclass(frozen=True)
class EditedField:
    """A value to edit; `name` is its path in the record that `title` names."""

    title: str
    name: str
    entry: FieldEntry
    old: Json | Absent
    """The value at the service."""
    value: Json | Absent
    """The value in the draft."""
    unset_problem: str = ""
    """The reason that it can't be removed; "" if it can."""
    missing_text: str = "unset"
    """The text that stands for an absent value."""
    note: str = ""
    """A remark about the record, shown above the list."""
    field: str = ""
    """The field of the record that holds the value, for the pane."""
    apply_label: str = "Apply"
    """The word for Enter."""

    def content(self, value: Json | Absent) -> Content:
        """Return a value of the field as displayed."""
        if isinstance(value, Absent):
            return Content.styled(self.missing_text, "$role-muted")
        # A time is shown as it is typed, not in the zone of the table.
        kind = self.entry.kind
        shown = (
            raw_text(value, kind) if kind is Kind.TIME and value is not None else display_text(value, kind, words=True)
        )
        return styled(shorten(visible(shown.text), 28), f"$role-{shown.role}")

    def blank(self, value: Json | Absent) -> str:
        """Return the words for a value that has no text."""
        if isinstance(value, Absent):
            return self.missing_text
        return "∅ null" if value is None else '"" empty text'


class TypedText(Enum):
    """A stand-in for the typed text among the values of the list."""

    AS_TYPED = auto()


class ValuePicker(ChangingList, can_focus=False):
    """The list of values for a field, filtered by the typed text, which comes last if it is none of them."""

    DEFAULT_CSS = """
    ValuePicker { border: none; padding: 0; background: $role-surface; }
    ValuePicker > .option-list--option { padding: 0 0 0 1; }
    """

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """The size to scroll over; a `var`, since the list is laid out without it."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(markup=False)
        self._kind = kind
        self.values: tuple[Json | TypedText, ...] = ()
        """The values in the list."""
        self.cells = 0
        """The cells of the widest line."""

    def show(self, suggestions: Sequence[ValueSuggestion], typed: str, highlighted: Json | Absent | TypedText) -> None:
        """List these values, and last the text `typed` unless it is ""; highlight `highlighted`, or nothing."""
        texts = [self._text(suggestion.value) for suggestion in suggestions]
        width = min(_MAX_VALUE_CELLS, max(map(measure, (text for text, _ in texts)), default=0))
        lines = [
            Content.assemble(
                styled(pad(text, width), style),
                ("  " + shorten(visible(suggestion.note), _NOTE_CELLS) if suggestion.note else "", "$role-muted"),
            )
            for suggestion, (text, style) in zip(suggestions, texts, strict=True)
        ]
        self.values = tuple(suggestion.value for suggestion in suggestions)
        if typed:
            self.values += (TypedText.AS_TYPED,)
            words = f"Use “{shorten(visible(typed), _MAX_VALUE_CELLS)}” as typed"
            lines.append(Content.styled(words, "$role-muted"))
        self.cells = 1 + max((line.cell_length for line in lines), default=0)
        self.clear_options()
        self.add_options([Option(line) for line in lines])
        self.highlighted = self.values.index(highlighted) if highlighted in self.values else None

    @property
    def choice(self) -> Json | Absent | TypedText:
        """The value of the highlighted line; ABSENT for none."""
        return ABSENT if self.highlighted is None else self.values[self.highlighted]

    def _text(self, value: Json) -> tuple[str, str]:
        shown = display_text(value, self._kind)
        text = _BOOLEAN_TEXTS[value] if isinstance(value, bool) else visible(shown.text)
        return shorten(text, _MAX_VALUE_CELLS), f"$role-{shown.role}"


class _ValueInput(TextInput):
    """The line of a value; a paste of several lines goes to the editor, if the value may have them."""

    BINDINGS = [
        Binding("enter", "submit", "Apply", id="editor.enter", show=False,
                tooltip="Apply the edit, or take the highlighted value"),
        Binding("up", "screen.move(1)", "Up", id="editor.up", show=False, key_display="↑↓",
                tooltip="Increase the number or the time, toggle yes and no, or go to the previous value of the list"),
        Binding("down", "screen.move(-1)", "Down", id="editor.down", show=False,
                tooltip="Decrease the number or the time, toggle yes and no, or go to the next value of the list"),
        Binding("pageup", "screen.days(1)", "Next day", id="editor.next_day", show=False, key_display="pgup/pgdn",
                tooltip="Set the time one day later, or go to the previous page of the list"),
        Binding("pagedown", "screen.days(-1)", "Previous day", id="editor.day_before", show=False,
                tooltip="Set the time one day earlier, or go to the next page of the list"),
    ]  # fmt: skip

    @dataclass
    class LinesPasted(Message):
        """Several lines were pasted."""

        text: str

    can_have_lines = False

    def _on_paste(self, event: events.Paste) -> None:
        if self.can_have_lines and len(event.text.splitlines()) > 1:
            event.prevent_default()
            event.stop()
            self.post_message(self.LinesPasted(event.text))


class FieldEditor(Dialog[bool]):
    """An editor for one value of a record, laid over the value in its pane; the screen around it stays in view.

    Enter takes the highlighted value of the list, or else the text; a text that is none of the known values is taken
    only by its own line in the list. Esc cancels, after a question if more than one line was typed. Once the editor is
    closed, `value` is the edited value, after a cancel the one from before; the result is True to review it at once.
    """

    TOUR_NAME = OpenDialog.EDITOR

    DEFAULT_CSS = """
    FieldEditor {
        layers: base editor too-small;
        align: left top;
        background: transparent;
        &.-framed { background: $role-background 60%; }
    }
    FieldEditor > #dialog {
        layer: editor;
        position: absolute;
        layout: horizontal;
        padding: 0;
        border: none;
        background: $cursor-line;
        &.-framed { border: round $role-accent; padding: 0 1; background: $role-surface; }
    }
    FieldEditor Input { padding: 0; background: $role-surface; }
    FieldEditor Input.-wrong { color: $role-danger; }
    FieldEditor #old { width: 1fr; height: 1; margin-left: 2; color: $role-muted; text-style: strike; }
    FieldEditor > #drop {
        layer: editor;
        position: absolute;
        padding: 0 1;
        border: round $role-muted;
        background: $role-surface;
    }
    FieldEditor #drop > Static { color: $role-muted; }
    FieldEditor #drop > .remark { color: $role-warning; height: auto; }
    FieldEditor #drop > .problem { color: $role-danger; }
    FieldEditor #drop > #whole { color: $role-foreground; }
    FieldEditor TextArea {
        padding: 0;
        background: $role-surface;
        &, &:focus { border: none; }
    }
    FieldEditor.-covered > #drop { visibility: hidden; }
    """

    AUTO_FOCUS = ""

    shows_unmasked = True

    BINDINGS = [
        Binding("escape", "close", "Cancel", id="editor.close", show=False, tooltip="Cancel the edit"),
        Binding("ctrl+s", "apply(True)", "Review", id="editor.apply", show=False, priority=True,
                tooltip="Apply the edit and review the draft"),
        Binding("tab,shift+tab", "leave", "Apply", id="editor.leave", show=False, tooltip="Apply the edit"),
        Binding("ctrl+y", "discard", "Cancel without asking", id="editor.discard", show=False, priority=True,
                tooltip="Cancel the edit without asking"),
        Binding("ctrl+t", "now", "Now", id="editor.now", show=False, tooltip="Set the current time"),
        Binding("ctrl+n", "null", "Null", id="editor.null", show=False, tooltip="Set the value to null"),
        Binding("ctrl+g", "empty", "Empty text", id="editor.empty", show=False,
                tooltip='Set the value to "", the empty text'),
        Binding("ctrl+r", "unset", "Remove", id="editor.unset", show=False, tooltip="Remove the field"),
        Binding("ctrl+l", "format", "Format", id="editor.format", show=False, tooltip="Format the JSON"),
        Binding("ctrl+j", "more_lines", "New line", id="editor.lines", show=False, tooltip="Insert a new line"),
        Binding("f4", "outside", "In $EDITOR", id="editor.outside", show=False, tooltip="Edit the text in $EDITOR"),
    ]  # fmt: skip

    line = query_one(_ValueInput)
    lines = query_one(MultilineInput)
    picker = query_one(ValuePicker)

    # Always updated, since equal numbers can differ in their digits.
    value: var[Json | Absent] = var(ABSENT, init=False, always_update=True)
    """The last valid value; ABSENT for a field that is removed."""

    def __init__(
        self,
        field: EditedField,
        on_text: Callable[[str | None], None] = lambda _: None,
        *,
        pane: EditedPane | None = None,
        unfinished: str | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        look_up: AsyncIterator[FieldEntry] | None = None,
        edit_externally: Callable[[str, str], Awaitable[str | None]] | None = None,
        start_externally: bool = False,
    ) -> None:
        """Edit a field.

        `on_text` is called at each key with the typed text, valid or not, and with None when the value is set without
        typing; a text that was not applied can be passed as `unfinished`. `pane` shows the value; without one, or with
        the value out of view, the editor has a frame of its own. `now` returns the time in the zone in which times are
        shown. `look_up` yields other entries as more is known. `edit_externally` edits a text in another program, at
        once if `start_externally` is True.
        """
        super().__init__()
        self._field, self._on_text, self._now, self._pane = field, on_text, now, pane
        self._entry, self._unfinished, self._look_up = field.entry, unfinished, look_up
        self._edit_externally, self._start_externally = edit_externally, start_externally
        self.set_reactive(FieldEditor.value, field.value)
        self.is_edited = False
        """True once `value` was set."""
        self._text = editable_text(field.value)
        self._is_multiline = field.entry.needs_lines(self._text)
        self._is_typed = False
        """True if the text was typed, not set by a key."""
        self._problem: ValueProblem | None = None
        """The reason that the text is no value."""
        self._message = ""
        self._asked_to_discard = False
        self._last_list: tuple[object, object] | None = None
        """The last contents of the list."""
        self._last_pane_words = ("", "")
        self._last_layout: tuple[object, object] | None = None
        """The values that the last layout was made for."""
        self._region = Region()
        """The region of the text field."""
        self._line_cells = 0
        """Cells of the text field."""
        self._lines_rows = 0
        """Rows of a text of several lines; they only grow."""

    def compose(self) -> ComposeResult:
        """Compose the text field and the old value; below them the messages, the text of several lines and the list."""
        with DialogFrame(self._title):
            yield _ValueInput("" if self._is_multiline else self._text, id="line", select_on_focus=False)
            yield Static(self._field.content(self._field.old), id="old")
        with Vertical(id="drop"):
            for words in self._remarks:
                yield Static(styled(words), classes="remark")
            yield Static("", id="whole", markup=False)
            yield MultilineInput(
                self._text if self._is_multiline else "",
                id="lines",
                soft_wrap=True,
                tab_behavior="focus",
                highlight_cursor_line=False,
            )
            yield Static("", id="message", markup=False)
            yield ValuePicker(self._entry.kind)

    @property
    def _title(self) -> Content:
        return Content.assemble(styled(self._field.title), " · ", styled(self._field.name))

    @property
    def _remarks(self) -> list[str]:
        """The remarks that are shown from the start."""
        unfinished = "Unfinished edit, not applied yet." if self._unfinished is not None else ""
        return [words for words in (self._field.note, unfinished) if words]

    def on_mount(self) -> None:
        """Focus the text field; typing replaces a single line."""
        self._show_text_field()
        if not self._is_multiline:
            # Not on focus: its event may come after the first key, and the second one would replace it.
            self.line.select_all()
        self._show()
        if self._unfinished is not None:
            self._replace_text(self._unfinished)
        if self._look_up is not None:
            self.run_worker(self._follow_look_up(self._look_up), group="searching")
        if self._start_externally:
            self.action_outside()
        # The screen behind may scroll, or be laid out again.
        self.set_interval(_FOLLOW_SECONDS, self._place)

    async def _follow_look_up(self, look_up: AsyncIterator[FieldEntry]) -> None:
        async for entry in look_up:
            self._entry = entry
            self._show(keep_highlight=True)

    @on(events.Resize)
    def _follow_value(self) -> None:
        self.call_after_refresh(self._place)

    def mask_toggled(self, on: bool) -> None:
        """Cover the value while personal data is masked, and say so on the border."""
        super().mask_toggled(on)
        self._place()
        if not on:
            # A covered field takes no focus.
            self.call_after_refresh((self.lines if self._is_multiline else self.line).focus)

    # The text and the value

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        if not self._is_multiline:
            self._text_changed(event.value)

    @on(TextArea.Changed)
    def _lines_changed(self, event: TextArea.Changed) -> None:
        if self._is_multiline:
            self._text_changed(event.text_area.text)

    def _text_changed(self, text: str) -> None:
        """Read the text, unless it was put into the field by `_put_text`."""
        if text != self._text:
            self._read_text(text)

    def _read_text(self, text: str) -> None:
        self._text, self._is_typed = text, True
        self._on_text(text)
        try:
            value = self._entry.read(text)
        except ValueProblem as problem:
            self._problem = problem
            self._show()
        else:
            self._accept(value)

    def _accept(self, value: Json | Absent) -> None:
        self.value, self.is_edited, self._problem = value, True, None
        self._show()

    def _set_value(self, value: Json | Absent) -> None:
        """Set the value and its text without typing."""
        self._put_text(editable_text(value))
        self._is_typed = False
        self._on_text(None)
        self._accept(value)

    def _put_text(self, text: str, cursor: int | None = None) -> None:
        """Replace the text in the field without reading it."""
        self._text = text
        if self._is_multiline:
            self.lines.text = text
        else:
            self.line.value = text
            self.line.cursor_position = len(text) if cursor is None else cursor

    def _replace_text(self, text: str) -> None:
        """Replace the text in the field by one from elsewhere, and read it."""
        if "\n" in text and not self._is_multiline:
            self._switch_to_lines(text)
            return
        self._put_text(text)
        self._read_text(text)

    @on(_ValueInput.LinesPasted)
    def _lines_pasted(self, event: _ValueInput.LinesPasted) -> None:
        """Replace the selection by the pasted lines, and continue in several lines."""
        start, end = sorted(self.line.selection)
        *others, last = f"{self._text[:start]}{event.text}".splitlines()
        self._switch_to_lines("\n".join([*others, last + self._text[end:]]))
        self.lines.move_cursor((len(others), len(last)))

    def _switch_to_lines(self, text: str) -> None:
        self._is_multiline = True
        self._show_text_field()
        self.lines.text = text
        self._text_changed(text)

    def _show_text_field(self) -> None:
        self.line.can_have_lines = self._entry.kind.facts.takes_lines
        self.query_one("#dialog").display, self.lines.display = not self._is_multiline, self._is_multiline
        (self.lines if self._is_multiline else self.line).focus()

    # Keys that change the value

    def action_move(self, steps: int) -> None:
        """Step the value, or move in the list."""
        if self._entry.steps and not self._is_multiline:
            cursor = self.line.cursor_position
            self._put_stepped_text(self._entry.stepped(self._text, cursor, steps), cursor)
        else:
            move_cursor(self.picker, -steps)

    def action_days(self, days: int) -> None:
        """Add days to a time, or move in the list by pages, up for positive numbers."""
        if isinstance(self._entry, TimeEntry):
            self._put_stepped_text(self._entry.by_days(self._text, days), self.line.cursor_position)
        else:
            self.picker.move_page(-days)

    def _put_stepped_text(self, text: str | None, cursor: int) -> None:
        if text is not None:
            self._put_text(text, cursor)
            self._is_typed = True
            self._on_text(text)
            self._accept(self._entry.read(text))

    def action_now(self) -> None:
        """Set the time to now."""
        if isinstance(self._entry, TimeEntry):
            was = self._field.old if isinstance(self._field.old, str) else ""
            self._set_value(now_like(self._text or was, self._now()))

    def action_null(self) -> None:
        """Set the value to null."""
        self._set_value(None)

    def action_empty(self) -> None:
        """Set the value to the empty text."""
        self._set_value("")

    def action_unset(self) -> None:
        """Remove the field from the record."""
        if self._field.unset_problem:
            self._say(self._field.unset_problem, wrong=True)
        else:
            self._set_value(ABSENT)

    def action_format(self) -> None:
        """Format JSON with indented lines."""
        if isinstance(self._entry, StructureEntry) and self._text and not self._problem:
            self._put_text(editable_text(self._entry.read(self._text)))

    def action_more_lines(self) -> None:
        """Insert a new line, if the value may have several."""
        if self._entry.kind.facts.takes_lines and not self._is_multiline:
            at = self.line.cursor_position
            text = f"{self._text[:at]}\n{self._text[at:]}"
            self._switch_to_lines(text)
            self.lines.move_cursor((1, 0))

    def action_outside(self) -> None:
        """Edit the text in the user's editor."""
        if self._edit_externally is not None:
            self.run_worker(self._edit_in_program(self._edit_externally), group="outside", exclusive=True)

    async def _edit_in_program(self, edit_externally: Callable[[str, str], Awaitable[str | None]]) -> None:
        sent = self._text
        text = await edit_externally(sent, "json" if isinstance(self._entry, StructureEntry) else "txt")
        if text is None:
            return
        if not sent.endswith("\n"):
            # Editors add a line feed at the end.
            text = text.removesuffix("\n").removesuffix("\r")
        if text != sent:
            self._replace_text(text)

    # The list and the message

    def _show(self, *, keep_highlight: bool = False) -> None:
        """Show the matching values, the problem or remark, and the keys; `keep_highlight` keeps the chosen value."""
        unknown = self._unknown_text
        self._show_list(unknown, keep_highlight=keep_highlight)
        self._asked_to_discard = False
        is_chosen = not isinstance(self.picker.choice, Absent)
        problem = "" if self._problem is None or (is_chosen and self._names_record) else str(self._problem)
        remark = self._entry.remark(self._text) if self._text and not problem and not (unknown and is_chosen) else ""
        self.line.set_class(bool(problem), "-wrong")
        self.line.placeholder = self.lines.placeholder = "" if self._problem else self._field.blank(self.value)
        self._say(problem or remark, wrong=bool(problem))
        self._show_keys()

    def _show_list(self, unknown: str, *, keep_highlight: bool) -> None:
        suggestions = self._entry.offers(self._text if self._is_typed else None)
        highlighted: Json | Absent | TypedText = ABSENT if self._problem else self.value
        if keep_highlight and not isinstance(self.picker.choice, Absent):
            highlighted = self.picker.choice
        elif self._is_multiline and unknown:
            # The arrow keys move in the text.
            highlighted = TypedText.AS_TYPED
        elif unknown or self._names_record:
            # A reference may name a record of its collection that is not loaded yet.
            is_partial = isinstance(self._entry, ReferenceEntry) and not self._entry.complete
            highlighted = ABSENT if keep_highlight or is_partial or not suggestions else suggestions[0].value
        if (suggestions, unknown) != self._last_list or highlighted != self.picker.choice:
            self._last_list = suggestions, unknown
            self.picker.show(suggestions, unknown, highlighted)

    def _say(self, sentence: str, *, wrong: bool = False) -> None:
        """Show a remark about the text, or what is wrong with it."""
        self._message = f"✕ {sentence}" if wrong else sentence
        message_line = self.query_one("#message", Static)
        message_line.set_class(wrong, "problem")
        message_line.update(styled(self._message), layout=False)
        self._place()

    @property
    def _unknown_text(self) -> str:
        """The typed text if it is none of the known values, else ""."""
        is_unknown = self._is_typed and not self._problem and self._entry.is_unknown(self._text)
        return self._text if is_unknown else ""

    @property
    def _correction(self) -> str:
        """The text that Enter takes in place of one that is no value; "" for none."""
        return "" if self._problem is None else self._problem.correction

    @property
    def _names_record(self) -> bool:
        """True if the text is no id, but matches the words of a record that can be referenced."""
        return (
            self._problem is not None
            and isinstance(self._entry, ReferenceEntry)
            and bool(self._entry.offers(self._text))
        )

    # Layout

    def _place(self) -> None:
        """Lay the text field over the value and the rest below it, or above it if there is more room."""
        value = self._pane.value_region if self._pane is not None else None
        shows_old = self._is_typed or self.value != self._field.old
        rows = self.lines.document.line_count if self._is_multiline else 0
        shown = (value, self.app.size, shows_old, rows, self._message, self._entry.hint, self._under_cover is None)
        listed = self.picker.values, self.picker.cells, self._cut_text
        if (shown, listed) != self._last_layout:
            self._last_layout = shown, listed
            self._place_value(value, shows_old=shows_old)
            self._place_drop(rows)

    @property
    def _cut_text(self) -> str:
        """The text if its line shows only a part of it, else ""."""
        is_cut = not self._is_multiline and measure(visible(self._text)) >= self._line_cells
        return self._text if is_cut and self._entry.kind.facts.takes_lines else ""

    def _place_value(self, value: Region | None, *, shows_old: bool) -> None:
        dialog, old_view, size = self.query_one("#dialog"), self.query_one("#old"), self.app.size
        old = self._field.content(self._field.old)
        text_cells = measure(editable_text(self._field.value)) + 1
        is_time = isinstance(self._entry, TimeEntry)
        is_long = not self.picker.values and (is_time or self._entry.kind.facts.takes_lines)
        if is_long:
            min_cells = max(_MIN_TIME_CELLS, text_cells) if is_time else _MIN_TEXT_CELLS
        else:
            min_cells = _MIN_CELLS if self.picker.values else max(_MIN_CELLS, text_cells)
        old_cells = 2 + old.cell_length if shows_old else 0
        if self._pane is None or value is None:
            width = min(_BOX_CELLS, size.width)
            self._region = Region((size.width - width) // 2, size.height // 3, width, 3)
            room = width - 4
        else:
            right = self._pane.region.right - 1
            x = max(self._pane.region.x + 1, min(value.x, right - _MIN_CELLS))
            room = min(max(value.width, min_cells + old_cells), right - x)
            self._region = Region(x, value.y, room, value.height)
        is_beside = min_cells + old_cells <= room
        dialog.set_class(value is None, "-framed")
        self.set_class(value is None, "-framed")
        _move_to(dialog, self._region)
        cells = room - old_cells if is_beside else room
        self._line_cells = cells if is_long else min(cells, max(min_cells, _USUAL_CELLS))
        self.line.styles.width = self._line_cells
        old_view.display = is_beside and shows_old
        was = f" · was {old.plain}" if shows_old and not is_beside and not self._is_multiline else ""
        self._show_in_pane(f"{self._entry.hint}{was}", self._field.field if shows_old else "")

    def _show_in_pane(self, words: str, changed_field: str) -> None:
        """Show the kind of the value on the border of the pane, and mark its field as changed."""
        if self._under_cover is not None:
            words = MASKED_WORDS
        if (words, changed_field) == self._last_pane_words:
            return
        self._last_pane_words = words, changed_field
        if self._pane is not None:
            self._pane.show_edited(words, changed_field)
        self.query_one("#dialog").border_subtitle = styled(words)

    def _place_drop(self, rows: int) -> None:
        """Lay the messages, the text of several lines and the list below the value, or above it."""
        drop, size, value = self.query_one("#drop"), self.app.size, self._region
        is_framed = self.query_one("#dialog").has_class("-framed")
        cut_text = self._cut_text
        width = self._drop_width(is_framed=is_framed, has_text=self._is_multiline or bool(cut_text))
        message_rows = len(wrap_text(self._message, width - 4, _MAX_MESSAGE_ROWS)[0]) if self._message else 0
        remark_rows = sum(len(wrap_text(words, width - 4, _MAX_MESSAGE_ROWS)[0]) for words in self._remarks)
        whole = wrap_text(cut_text, width - 4, _MAX_WHOLE_ROWS)[0] if cut_text else []
        words_rows = message_rows + remark_rows + len(whole)
        below, above = size.height - 1 - value.bottom, value.y
        if is_framed and self._is_multiline:
            below, above = size.height - 1 - value.y, 0
        room = max(below, above) - 2 - words_rows
        text_rows = 0
        if self._is_multiline:
            text_rows = max(1, min(max(rows + 1, _LINES_ROWS.start), _LINES_ROWS.stop, room))
            self._lines_rows = text_rows = max(text_rows, min(self._lines_rows, room))
        list_rows = min(len(self.picker.values), _MAX_LISTED_ROWS, max(0, room - text_rows))
        height = words_rows + text_rows + list_rows
        drop.display = bool(height)
        if not height:
            return
        self._show_whole(whole)
        self.lines.styles.height = text_rows
        self.picker.styles.height, self.picker.display = list_rows, bool(list_rows)
        message = self.query_one("#message")
        message.styles.height, message.display = message_rows, bool(message_rows)
        height += 2
        framed_lines = is_framed and self._is_multiline
        drop.border_title = self._title if framed_lines else "Whole text" if whole else None
        drop.border_subtitle = self.query_one("#dialog").border_subtitle if framed_lines else None
        top = value.y if framed_lines else value.bottom
        y = top if height <= below or below >= above else value.y - height
        x = value.x if is_framed else value.x - 2
        if (self._is_multiline or whole) and not is_framed and self._pane is not None:
            x = self._pane.region.x + 1
        _move_to(drop, Region(max(0, min(x, size.width - width)), max(0, y), width, height))

    def _drop_width(self, *, is_framed: bool, has_text: bool) -> int:
        if has_text:
            pane = self._region if self._pane is None or is_framed else self._pane.region.shrink((1, 1, 1, 1))
            width = min(max(pane.width, _MIN_LINES_CELLS), _MAX_DROP_CELLS)
        else:
            widest = max(self.picker.cells + 1, *map(measure, (self._message, *self._remarks)))
            # In steps, so that few keys change the layout.
            width = min(_DROP_STEP_CELLS * ceil((widest + 4) / _DROP_STEP_CELLS), _MAX_DROP_CELLS)
        return min(max(width, self._region.width) if is_framed else width, self.app.size.width)

    def _show_whole(self, rows: Sequence[str]) -> None:
        """Show the whole of a text that its line cuts."""
        whole = self.query_one("#whole", Static)
        whole.styles.height, whole.display = len(rows), bool(rows)
        whole.update(Content("\n".join(rows)))

    # The line of keys

    def make_key_bar(self) -> KeyBar:
        """Return a line of keys that names those for the value's kind."""
        return KeyBar(self._keys)

    @on(ValuePicker.OptionHighlighted)
    def _show_keys(self) -> None:
        self.query_one(KeyBar).update_if_changed()

    def _keys(self) -> KeyEmphasis:
        """Return the keys for the line of keys, and their words."""
        entry, facts, is_multiline = self._entry, self._entry.kind.facts, self._is_multiline
        label = self._field.apply_label
        words = {"editor.leave": label} if is_multiline else {"editor.enter": self._enter_words}
        words["editor.close"] = "Cancel"
        if not is_multiline and isinstance(entry, FlagEntry):
            words["editor.up"] = "Toggle"
        elif not is_multiline and entry.steps:
            words["editor.up"] = "Step"
        elif not is_multiline and self.picker.values:
            words["editor.up"] = "Choose"
        if isinstance(entry, TimeEntry):
            words |= {"editor.next_day": "Day", "editor.now": "Now"}
        words["editor.null"] = "Null"
        if label != "Review":
            words["editor.apply"] = "Review"
        if isinstance(entry, StructureEntry):
            words["editor.format"] = "Format"
        elif facts.takes_lines and not is_multiline and not self.picker.values:
            words["editor.lines"] = "New line"
        if self._edit_externally is not None and facts.takes_lines:
            words["editor.outside"] = "$EDITOR"
        # An id can't be empty.
        if facts.takes_any_text and entry.kind is not Kind.ID:
            words["editor.empty"] = "Empty"
        if not self._field.unset_problem:
            words["editor.unset"] = "Remove"
        return KeyEmphasis(words)

    @property
    def _enter_words(self) -> str:
        """The words for Enter, with the value that it takes in place of the text."""
        label, choice = self._field.apply_label, self.picker.choice
        if isinstance(choice, Absent | TypedText) or choice == self.value:
            return f"Use {self._correction}" if self._correction else label
        return f"Use {shorten(visible(editable_text(choice, indent=None)), _MAX_NAMED_CELLS)}"

    # Closing

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_apply()

    def action_apply(self, review: bool = False) -> None:
        """Close with the highlighted value of the list, or else with the text, if it is valid.

        A covered value is not applied.
        """
        if self._under_cover is not None:
            return
        choice = self.picker.choice
        if not isinstance(choice, Absent):
            self._pick(choice, review)
        elif self._unknown_text:
            chooses = "to choose" if len(self.picker.values) > 1 else "and then enter to use it as typed"
            self._say(f"{self._entry.remark(self._text)} Press ↓ {chooses}.".lstrip(), wrong=True)
        elif self._correction and review:
            self.action_leave()
        elif self._correction:
            self._replace_text(self._correction)
            self.dismiss(review)
        elif self._problem is None:
            self.dismiss(review)

    @on(events.Click)
    def _click_outside(self, event: events.Click) -> None:
        if event.widget is self and event.button == _LEFT_BUTTON:
            self.action_leave()

    def action_leave(self) -> None:
        """Close with the text, if it is valid; only Enter takes a value that is just highlighted."""
        is_typed = isinstance(self.picker.choice, Absent | TypedText) or self.picker.choice == self.value
        if self._correction:
            self._say(f"{self._problem} Press enter to use that.", wrong=True)
        elif is_typed or self._is_multiline:
            self.action_apply()
        else:
            sentence = f"{self._entry.remark(self._text)} Press enter to take the highlighted value."
            self._say(sentence.lstrip(), wrong=True)

    @on(OptionList.OptionSelected)
    def _option_clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._pick(self.picker.values[event.option_index], review=False)

    def _pick(self, value: Json | TypedText, review: bool) -> None:
        if not isinstance(value, TypedText) and value != self.value:
            self._set_value(value)
        self.dismiss(review)

    def action_close(self) -> None:
        """Cancel the edit; if several lines were typed, on the second call."""
        before = editable_text(self._field.value)
        typed_lines = (Counter(self._text.split("\n")) - Counter(before.split("\n"))).total()
        if typed_lines > 1 and not self._asked_to_discard:
            self._say(f"Press esc again to discard the {typed_lines} lines that you typed.", wrong=True)
            self._asked_to_discard = True
            return
        self._discard()

    def action_discard(self) -> None:
        """Cancel the edit without asking."""
        if self._under_cover is None:
            self._discard()

    def _discard(self) -> None:
        if self.is_edited:
            self.value = self._field.value
        self.dismiss(False)


def _move_to(widget: Widget, region: Region) -> None:
    widget.styles.offset = region.offset
    widget.styles.width, widget.styles.height = region.size
