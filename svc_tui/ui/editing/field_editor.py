"""Edits one value in its place, by its kind; what is typed is stored at each key, so that a crash loses nothing."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Protocol

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from svc_tui.core.field_entry import FieldEntry, FlagEntry, ReferenceEntry, StructureEntry, TimeEntry, ValueProblem
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.kinds import Kind, display_text, editable_text, raw_text
from svc_tui.core.times import now_like
from svc_tui.ui.dialogs.dialog import MASKED_WORDS, Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import measure, shorten, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyEmphasis
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.value_picker import TypedText, ValuePicker
from svc_tui.ui.widgets.text.wrapping import wrap_text

_FOLLOW_SECONDS = 0.2
"""How often the editor looks where its value is on the screen."""
_LEFT_BUTTON = 1
_MAX_OFFERS = 6
"""Rows of the list of values."""
_MAX_NAMED_CELLS = 16
"""Cells of a value in the line of keys."""
_LINES_ROWS = range(6, 12)
"""Rows that a text of several lines has."""
_MIN_CELLS = 10
"""Cells of the text field at least."""
_USUAL_CELLS = 18
"""Cells of the text field where there is room, for anything but a text or a time, which has all the room."""
_MIN_TIME_CELLS = len("2026-11-20T05:12:00Z") + 1
_MIN_TEXT_CELLS = 24
"""The same for a text."""
_MIN_LINES_CELLS = 36
"""Cells of a text of several lines with its frame at least."""
_DROP_STEP_CELLS = 12
_MAX_DROP_CELLS = 76
_MAX_MESSAGE_ROWS = 3
_MAX_WHOLE_ROWS = 6
"""Rows of a text that is longer than its line."""
_BOX_CELLS = 72
"""Cells of the text field with its frame where there is no place of the value on the screen."""


class EditedPane(Protocol):
    """A pane in which a value is edited in its place."""

    @property
    def region(self) -> Region: ...
    @property
    def value_region(self) -> Region | None: ...
    def show_edited(self, kind: str, field: str = "") -> None: ...


@dataclass(frozen=True)
class EditedField:
    """A value that is to be edited, its `name` the path to it in the record; `title` says whose it is."""

    title: str
    name: str
    entry: FieldEntry
    old: Json | Absent
    """What the service holds."""
    value: Json | Absent
    """What an edit has made of it so far."""
    unset_problem: str = ""
    """Why it can't be unset, "" where it can."""
    missing_text: str = "unset"
    """What stands for a value that is absent."""
    note: str = ""
    """What else is to be known before it is edited."""
    field: str = ""
    """The field of the record that the value is, or is in, for the pane that shows it."""
    apply_label: str = "Apply"
    """What Enter does, in a word."""

    def content(self, value: Json | Absent) -> Content:
        """A value of the field, as it is seen."""
        if isinstance(value, Absent):
            return Content.styled(self.missing_text, "$role-muted")
        # A time stands here as it is typed, so that it is not taken for one in the zone of the table.
        kind = self.entry.kind
        shown = (
            raw_text(value, kind) if kind is Kind.TIME and value is not None else display_text(value, kind, words=True)
        )
        return styled(shorten(visible(shown.text), 28), f"$role-{shown.role}")

    def blank(self, value: Json | Absent) -> str:
        """What the value is where no text stands for it."""
        if isinstance(value, Absent):
            return self.missing_text
        return "∅ null" if value is None else '"" empty text'


class _ValueInput(TextInput):
    """The line of a value; where that may have several lines, a paste of several goes to the editor."""

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


@tour_name(OpenDialog.EDITOR)
class FieldEditor(Dialog[bool]):
    """An editor for one value of a record, laid over the value in its pane; the screen around it stays in view.

    `on_edit` is called with the value at each valid keystroke, ABSENT for unset; the last one counts once the editor is
    closed. Enter takes the highlighted value of the list, or else the text; a text that is none of the known values is
    taken only by its own line in the list. The result is True where the change is to be reviewed at once.
    Esc cancels: `on_edit` then gets the value as it was before. It asks first if more than one line was typed.
    `on_text` is called with what is typed, valid or not, and with None where the value was not typed; given back as
    `unfinished`, it is what the editor begins with.
    """

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

    def __init__(
        self,
        field: EditedField,
        on_edit: Callable[[Json | Absent], None],
        on_text: Callable[[str | None], None] = lambda _: None,
        *,
        pane: EditedPane | None = None,
        unfinished: str | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        look_up: AsyncIterator[FieldEntry] | None = None,
        edit_externally: Callable[[str, str], Awaitable[str | None]] | None = None,
        start_externally: bool = False,
    ) -> None:
        """Make the editor.

        `pane` shows the value; without one, or where the value is out of view, the editor has a frame of its own. `now`
        returns the time in the zone in which times are shown. `look_up` gives another entry as more is known;
        `edit_externally` has a text edited elsewhere, at once with `start_externally`.
        """
        super().__init__()
        self._field, self._on_edit, self._now, self._pane = field, on_edit, now, pane
        self._on_text, self._unfinished = on_text, unfinished
        self._entry, self._value = field.entry, field.value
        self._look_up, self._edit_externally, self._start_externally = look_up, edit_externally, start_externally
        self._text = editable_text(field.value)
        self._many = field.entry.needs_lines(self._text)
        self._typed_something = False
        self._handed_on = False
        self._problem: ValueProblem | None = None
        self._message = ""
        self._asked_to_discard = False
        self._offered: tuple[object, object] | None = None
        """What the list was given last."""
        self._shown_in_pane = ("", "")
        self._placed: tuple[object, object] | None = None
        """What the places depend on, when all was placed last."""
        self._region = Region()
        """Where the text field is."""
        self._lines_rows = 0
        """Rows of a text of several lines; they only grow."""
        self._line_cells = 0
        """Cells of the text field."""

    def compose(self) -> ComposeResult:
        """The text field and the old value; below, what is to be said, the text of several lines, values to pick."""
        with DialogFrame(self._title):
            yield _ValueInput("" if self._many else self._text, id="line", select_on_focus=False)
            yield Static(self._field.content(self._field.old), id="old")
        with Vertical(id="drop"):
            for words in self._remarks:
                yield Static(styled(words), classes="remark")
            yield Static("", id="whole", markup=False)
            yield MultilineInput(
                self._text if self._many else "",
                id="lines",
                soft_wrap=True,
                tab_behavior="focus",
                highlight_cursor_line=False,
            )
            yield Static("", id="message", markup=False)
            yield ValuePicker(self._entry.kind)

    def make_key_bar(self) -> KeyBar:
        """Make the line of keys, which names those of the value's kind."""
        return KeyBar(self._keys)

    @property
    def _title(self) -> Content:
        return Content.assemble(styled(self._field.title), " · ", styled(self._field.name))

    @property
    def _remarks(self) -> list[str]:
        """What is to be known before anything is typed."""
        unfinished = "Unfinished edit, not applied yet." if self._unfinished is not None else ""
        return [words for words in (self._field.note, unfinished) if words]

    def on_mount(self) -> None:
        """Typing begins at once, and replaces a single line."""
        self._show_text_field()
        if not self._many:
            # Not at the focus: its event may come after the first key, which would then be replaced by the second.
            self.line.select_all()
        self._show()
        if self._unfinished is not None:
            self._show_text(self._unfinished)
        if self._look_up is not None:
            self.run_worker(self._looking_up(self._look_up), group="searching")
        if self._start_externally:
            self.action_outside()
        # What is behind may scroll, or be laid out again.
        self.set_interval(_FOLLOW_SECONDS, self._place)

    async def _looking_up(self, look_up: AsyncIterator[FieldEntry]) -> None:
        async for entry in look_up:
            self._entry = entry
            self._show(keep=True)

    # What is typed

    def _show_text_field(self) -> None:
        self.line.can_have_lines = self._entry.kind.facts.takes_lines
        self.query_one("#dialog").display, self.lines.display = not self._many, self._many
        (self.lines if self._many else self.line).focus()

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        if not self._many:
            self._read(event.value)

    @on(TextArea.Changed)
    def _lines_changed(self, event: TextArea.Changed) -> None:
        if self._many:
            self._read(event.text_area.text)

    @on(_ValueInput.LinesPasted)
    def _lines_pasted(self, event: _ValueInput.LinesPasted) -> None:
        """Go on in several lines, the paste in place of what was selected."""
        start, end = sorted(self.line.selection)
        *others, last = f"{self._text[:start]}{event.text}".splitlines()
        self._turn_to_lines("\n".join([*others, last + self._text[end:]]))
        self.lines.move_cursor((len(others), len(last)))

    def _read(self, text: str) -> None:
        """Take the text field's value, unless it was put there."""
        if text != self._text:
            self._take_text(text)

    def _take_text(self, text: str) -> None:
        self._text, self._typed_something = text, True
        self._on_text(text)
        try:
            value = self._entry.read(text)
        except ValueProblem as problem:
            self._problem = problem
            self._show()
        else:
            self._take(value)

    def _take(self, value: Json | Absent) -> None:
        self._value, self._handed_on, self._problem = value, True, None
        self._on_edit(value)
        self._show()

    @property
    def _unknown_text(self) -> str:
        """What was typed, where it is none of the known values; "" otherwise."""
        is_unknown = self._typed_something and not self._problem and self._entry.is_unknown(self._text)
        return self._text if is_unknown else ""

    @property
    def _correction(self) -> str:
        """What Enter takes in place of the text, which is no value; "" where that is not known."""
        return "" if self._problem is None else self._problem.correction

    @property
    def _names_record(self) -> bool:
        """Whether what was typed is no id, but words of a record that a reference can lead to."""
        return (
            self._problem is not None
            and isinstance(self._entry, ReferenceEntry)
            and bool(self._entry.offers(self._text))
        )

    def _write(self, text: str, cursor: int | None = None) -> None:
        """Put a text into the text field without reading it."""
        self._text = text
        if self._many:
            self.lines.text = text
        else:
            self.line.value = text
            self.line.cursor_position = len(text) if cursor is None else cursor

    def _set(self, value: Json | Absent) -> None:
        """Make the value one that was not typed."""
        self._write(editable_text(value))
        self._typed_something = False
        self._on_text(None)
        self._take(value)

    # What is shown

    def _show(self, *, keep: bool = False) -> None:
        """Show the values that match, with `keep` the same one highlighted, what is wrong, and the old value."""
        unknown = self._unknown_text
        self._offer(unknown, keep=keep)
        self._asked_to_discard = False
        is_chosen = not isinstance(self.picker.choice, Absent)
        problem = "" if self._problem is None or (is_chosen and self._names_record) else str(self._problem)
        remark = self._entry.remark(self._text) if self._text and not problem and not (unknown and is_chosen) else ""
        self.line.set_class(bool(problem), "-wrong")
        self.line.placeholder = self.lines.placeholder = "" if self._problem else self._field.blank(self._value)
        self._say(problem or remark, wrong=bool(problem))
        self._show_keys()

    def _offer(self, unknown: str, *, keep: bool) -> None:
        offers = self._entry.offers(self._text if self._typed_something else None)
        highlighted: Json | Absent | TypedText = ABSENT if self._problem else self._value
        if keep and not isinstance(self.picker.choice, Absent):
            highlighted = self.picker.choice
        elif self._many and unknown:
            # The arrows move in the text.
            highlighted = TypedText.AS_TYPED
        elif unknown or self._names_record:
            # A reference whose collection is still being read may name a record that has not come yet.
            is_partial = isinstance(self._entry, ReferenceEntry) and not self._entry.complete
            highlighted = ABSENT if keep or is_partial or not offers else offers[0].value
        if (offers, unknown) != self._offered or highlighted != self.picker.choice:
            self._offered = offers, unknown
            self.picker.offer(offers, unknown, highlighted)

    def _say(self, sentence: str, *, wrong: bool = False) -> None:
        """Say a sentence about the text, or what is wrong with it."""
        self._message = f"✕ {sentence}" if wrong else sentence
        message_line = self.query_one("#message", Static)
        message_line.set_class(wrong, "problem")
        message_line.update(styled(self._message), layout=False)
        self._place()

    # Where it is shown

    def _place(self) -> None:
        """Lay the text field over the value, and the rest below it; above it where there is more room."""
        value = self._pane.value_region if self._pane is not None else None
        shows_old = self._typed_something or self._value != self._field.old
        rows = self.lines.document.line_count if self._many else 0
        shown = (value, self.app.size, shows_old, rows, self._message, self._entry.hint, self._under_cover is None)
        offered = self.picker.values, self.picker.cells, self._cut_text
        if (shown, offered) != self._placed:
            self._placed = shown, offered
            self._place_value(value, shows_old=shows_old)
            self._place_drop(rows)

    @property
    def _cut_text(self) -> str:
        """The text, where its line shows a part of it only; "" otherwise."""
        is_cut = not self._many and measure(visible(self._text)) >= self._line_cells
        return self._text if is_cut and self._entry.kind.facts.takes_lines else ""

    def _place_value(self, value: Region | None, *, shows_old: bool) -> None:
        dialog, old_view, size = self.query_one("#dialog"), self.query_one("#old"), self.app.size
        old = self._field.content(self._field.old)
        text_cells = measure(editable_text(self._field.value)) + 1
        if is_long := not self.picker.values and (
            isinstance(self._entry, TimeEntry) or self._entry.kind.facts.takes_lines
        ):
            least = max(_MIN_TIME_CELLS, text_cells) if isinstance(self._entry, TimeEntry) else _MIN_TEXT_CELLS
        else:
            least = _MIN_CELLS if self.picker.values else max(_MIN_CELLS, text_cells)
        old_cells = 2 + old.cell_length if shows_old else 0
        whole = least + old_cells
        if self._pane is None or value is None:
            width = min(_BOX_CELLS, size.width)
            self._region = Region((size.width - width) // 2, size.height // 3, width, 3)
            room = width - 4
        else:
            right = self._pane.region.right - 1
            x = max(self._pane.region.x + 1, min(value.x, right - _MIN_CELLS))
            room = min(max(value.width, whole), right - x)
            self._region = Region(x, value.y, room, value.height)
        is_beside = whole <= room
        dialog.set_class(value is None, "-framed")
        self.set_class(value is None, "-framed")
        _move_to(dialog, self._region)
        cells = room - old_cells if is_beside else room
        self._line_cells = cells if is_long else min(cells, max(least, _USUAL_CELLS))
        self.line.styles.width = self._line_cells
        old_view.display = is_beside and shows_old
        was = f" · was {old.plain}" if shows_old and not is_beside and not self._many else ""
        self._show_in_pane(f"{self._entry.hint}{was}", self._field.field if shows_old else "")

    def _show_in_pane(self, words: str, changed_field: str) -> None:
        """Show the kind of value on the border around it, and that its field is changed."""
        if self._under_cover is not None:
            words = MASKED_WORDS
        if (words, changed_field) == self._shown_in_pane:
            return
        self._shown_in_pane = words, changed_field
        if self._pane is not None:
            self._pane.show_edited(words, changed_field)
        self.query_one("#dialog").border_subtitle = styled(words)

    def _place_drop(self, rows: int) -> None:
        """Put what is to be said and to be picked below the value, or above it."""
        drop, size, value = self.query_one("#drop"), self.app.size, self._region
        is_framed = self.query_one("#dialog").has_class("-framed")
        needed = max(map(measure, (self._message, *self._remarks)), default=0)
        needed = max(needed, self.picker.cells + 1) + 4
        # In steps, so that few letters change the layout.
        width = min(_DROP_STEP_CELLS * ceil(needed / _DROP_STEP_CELLS), _MAX_DROP_CELLS)
        cut_text = self._cut_text
        if self._many or cut_text:
            inside = value if self._pane is None or is_framed else self._pane.region.shrink((1, 1, 1, 1))
            width = min(max(inside.width, _MIN_LINES_CELLS), _MAX_DROP_CELLS)
        width = min(max(width, value.width) if is_framed else width, size.width)
        message_rows = len(wrap_text(self._message, width - 4, _MAX_MESSAGE_ROWS)[0]) if self._message else 0
        remark_rows = sum(len(wrap_text(words, width - 4, _MAX_MESSAGE_ROWS)[0]) for words in self._remarks)
        whole = wrap_text(cut_text, width - 4, _MAX_WHOLE_ROWS)[0] if cut_text else []
        said = message_rows + remark_rows + len(whole)
        below, above = size.height - 1 - value.bottom, value.y
        if is_framed and self._many:
            below, above = size.height - 1 - value.y, 0
        room = max(below, above) - 2 - said
        text_rows = 0
        if self._many:
            text_rows = max(1, min(max(rows + 1, _LINES_ROWS.start), _LINES_ROWS.stop, room))
            self._lines_rows = text_rows = max(text_rows, min(self._lines_rows, room))
        offer_rows = min(len(self.picker.values), _MAX_OFFERS, max(0, room - text_rows))
        height = said + text_rows + offer_rows
        drop.display = bool(height)
        if not height:
            return
        self._show_whole(whole)
        self.lines.styles.height = text_rows
        self.picker.styles.height, self.picker.display = offer_rows, bool(offer_rows)
        message = self.query_one("#message")
        message.styles.height, message.display = message_rows, bool(message_rows)
        height += 2
        framed_lines = is_framed and self._many
        drop.border_title = self._title if framed_lines else "Whole text" if whole else None
        drop.border_subtitle = self.query_one("#dialog").border_subtitle if framed_lines else None
        top = value.y if framed_lines else value.bottom
        y = top if height <= below or below >= above else value.y - height
        x = value.x if is_framed else value.x - 2
        if (self._many or whole) and not is_framed and self._pane is not None:
            x = self._pane.region.x + 1
        _move_to(drop, Region(max(0, min(x, size.width - width)), max(0, y), width, height))

    def _show_whole(self, rows: Sequence[str]) -> None:
        """Show a text that its line cuts in these rows."""
        whole = self.query_one("#whole", Static)
        whole.styles.height, whole.display = len(rows), bool(rows)
        whole.update(Content("\n".join(rows)))

    # Keys

    @on(ValuePicker.OptionHighlighted)
    def _show_keys(self) -> None:
        self.query_one(KeyBar).update_if_changed()

    @property
    def _enter_words(self) -> str:
        """What Enter does; where it takes a value other than the text, which one."""
        label, choice = self._field.apply_label, self.picker.choice
        if isinstance(choice, Absent | TypedText) or choice == self._value:
            return f"Use {self._correction}" if self._correction else label
        return f"Use {shorten(visible(editable_text(choice, indent=None)), _MAX_NAMED_CELLS)}"

    def _keys(self) -> KeyEmphasis:
        """The keys that the line of keys offers, and the words for them."""
        entry, facts, many = self._entry, self._entry.kind.facts, self._many
        label = self._field.apply_label
        words = {"editor.leave": label} if many else {"editor.enter": self._enter_words}
        words["editor.close"] = "Cancel"
        if not many and isinstance(entry, FlagEntry):
            words["editor.up"] = "Toggle"
        elif not many and entry.steps:
            words["editor.up"] = "Step"
        elif not many and self.picker.values:
            words["editor.up"] = "Choose"
        if isinstance(entry, TimeEntry):
            words |= {"editor.next_day": "Day", "editor.now": "Now"}
        words["editor.null"] = "Null"
        if label != "Review":
            words["editor.apply"] = "Review"
        if isinstance(entry, StructureEntry):
            words["editor.format"] = "Format"
        elif facts.takes_lines and not many and not self.picker.values:
            words["editor.lines"] = "New line"
        if self._edit_externally is not None and facts.takes_lines:
            words["editor.outside"] = "$EDITOR"
        # An id is never empty.
        if facts.takes_any_text and entry.kind is not Kind.ID:
            words["editor.empty"] = "Empty"
        if not self._field.unset_problem:
            words["editor.unset"] = "Remove"
        return KeyEmphasis(words)

    def mask_toggled(self, on: bool) -> None:
        """Cover the value while personal data is to be hidden, and say so on the border."""
        super().mask_toggled(on)
        self._place()
        if not on:
            # What is hidden takes no focus.
            self.call_after_refresh((self.lines if self._many else self.line).focus)

    @on(events.Resize)
    def _follow_value(self) -> None:
        self.call_after_refresh(self._place)

    @on(events.Click)
    def _click_outside(self, event: events.Click) -> None:
        if event.widget is self and event.button == _LEFT_BUTTON:
            self.action_leave()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_apply()

    def action_apply(self, review: bool = False) -> None:
        """Close with the highlighted value of the list, or else with the text, where that may be applied.

        Nothing is applied that can't be seen.
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
            self._show_text(self._correction)
            self.dismiss(review)
        elif self._problem is None:
            self.dismiss(review)

    def action_leave(self) -> None:
        """Close with the text, where that may be applied; a value that is only highlighted is left to Enter."""
        is_typed = isinstance(self.picker.choice, Absent | TypedText) or self.picker.choice == self._value
        if self._correction:
            self._say(f"{self._problem} Press enter to use that.", wrong=True)
        elif is_typed or self._many:
            self.action_apply()
        else:
            sentence = f"{self._entry.remark(self._text)} Press enter to take the highlighted value."
            self._say(sentence.lstrip(), wrong=True)

    def _pick(self, value: Json | TypedText, review: bool) -> None:
        if not isinstance(value, TypedText) and value != self._value:
            self._set(value)
        self.dismiss(review)

    @on(ValuePicker.Picked)
    def _picked(self, event: ValuePicker.Picked) -> None:
        self._pick(event.value, review=False)

    def action_move(self, steps: int) -> None:
        """Step the value, or go to another value of the list."""
        if self._entry.steps and not self._many:
            cursor = self.line.cursor_position
            self._write_stepped(self._entry.stepped(self._text, cursor, steps), cursor)
        else:
            move_cursor(self.picker, -steps)

    def action_days(self, days: int) -> None:
        """A time so many days later, or a page of the list further up."""
        if isinstance(self._entry, TimeEntry):
            self._write_stepped(self._entry.by_days(self._text, days), self.line.cursor_position)
        else:
            self.picker.move_page(-days)

    def _write_stepped(self, text: str | None, cursor: int) -> None:
        if text is not None:
            self._write(text, cursor)
            self._typed_something = True
            self._on_text(text)
            self._take(self._entry.read(text))

    def action_now(self) -> None:
        """The time is now."""
        if isinstance(self._entry, TimeEntry):
            was = self._field.old if isinstance(self._field.old, str) else ""
            self._set(now_like(self._text or was, self._now()))

    def action_null(self) -> None:
        """The value is null."""
        self._set(None)

    def action_empty(self) -> None:
        """The value is a text without letters."""
        self._set("")

    def action_unset(self) -> None:
        """Take the field out of the record."""
        if self._field.unset_problem:
            self._say(self._field.unset_problem, wrong=True)
        else:
            self._set(ABSENT)

    def action_format(self) -> None:
        """Lay out JSON over indented lines."""
        if isinstance(self._entry, StructureEntry) and self._text and not self._problem:
            self._write(editable_text(self._entry.read(self._text)))

    def action_more_lines(self) -> None:
        """Go on in a new line, where a text may have several."""
        if self._entry.kind.facts.takes_lines and not self._many:
            at = self.line.cursor_position
            text = f"{self._text[:at]}\n{self._text[at:]}"
            self._turn_to_lines(text)
            self.lines.move_cursor((1, 0))

    def _turn_to_lines(self, text: str) -> None:
        self._many = True
        self._show_text_field()
        self.lines.text = text
        self._read(text)

    def action_outside(self) -> None:
        """Edit the text in the user's editor."""
        if self._edit_externally is not None:
            self.run_worker(self._edited_outside(self._edit_externally), group="outside", exclusive=True)

    async def _edited_outside(self, edit_externally: Callable[[str, str], Awaitable[str | None]]) -> None:
        sent = self._text
        text = await edit_externally(sent, "json" if isinstance(self._entry, StructureEntry) else "txt")
        if text is None:
            return
        if not sent.endswith("\n"):
            # Editors end what they save with a line feed of their own.
            text = text.removesuffix("\n").removesuffix("\r")
        if text != sent:
            self._show_text(text)

    def _show_text(self, text: str) -> None:
        """Put a text that was typed elsewhere into the text field, and read it."""
        if "\n" in text and not self._many:
            self._turn_to_lines(text)
            return
        self._write(text)
        self._take_text(text)

    def action_discard(self) -> None:
        """Close with the value as it was before."""
        if self._under_cover is None:
            self._discard()

    def _discard(self) -> None:
        if self._handed_on:
            self._on_edit(self._field.value)
        self.dismiss(False)

    def action_close(self) -> None:
        """Close with the value as it was before; lines that were typed are dropped only when asked twice."""
        before = editable_text(self._field.value)
        typed = (Counter(self._text.split("\n")) - Counter(before.split("\n"))).total()
        if typed > 1 and not self._asked_to_discard:
            self._say(f"Press esc again to discard the {typed} lines that you typed.", wrong=True)
            self._asked_to_discard = True
            return
        self._discard()


def _move_to(widget: Widget, region: Region) -> None:
    """Lay a widget over a region of the screen."""
    widget.styles.offset = region.offset
    widget.styles.width, widget.styles.height = region.size
