"""Edits one value by its kind; the text is handed on at each key, so that a crash loses nothing."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from svc_tui.core.field_entry import FieldEntry, ReferenceEntry, StructureEntry, TimeEntry, ValueProblem
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.kinds import Kind, display_text, editable_text, raw_text
from svc_tui.core.times import now_like
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.session.tour_steps import OpenDialog
from svc_tui.ui.text import shorten, styled, visible
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.value_picker import TypedText, ValuePicker

_MAX_KEYS_CELLS = 72
"""Cells that the dialog's border has for the keys."""


@dataclass(frozen=True)
class EditedField:
    """A field, or a value inside one, that is to be edited; `title` says whose it is."""

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

    def content(self, value: Json | Absent) -> Content:
        """A value of the field, as it is seen."""
        if isinstance(value, Absent):
            return Content.styled(self.missing_text, "$role-muted")
        # A time stands here as it is typed, so that it is not taken for one in the zone of the table.
        kind = self.entry.kind
        shown = raw_text(value, kind) if kind is Kind.TIME and value is not None else display_text(value, kind)
        return styled(shorten(visible(shown.text), 28), f"$role-{shown.role}")

    def blank(self, value: Json | Absent) -> str:
        """What the value is where no text stands for it."""
        if isinstance(value, Absent):
            return self.missing_text
        return "∅ null" if value is None else '"" empty text'

    def change(self, value: Json | Absent) -> Content:
        """The old value, and the new one where it differs."""
        parts: list[Content | tuple[str, str]] = [("saved  ", "$role-muted"), self.content(self.old)]
        if value != self.old:
            parts += [("   now  ", "$role-muted"), self.content(value)]
        return Content.assemble(*parts)


class _ValueInput(TextInput):
    """The line of a value; where that may have several lines, a paste of several goes to the editor."""

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
class FieldEditor(Dialog[None]):
    """An editor for one value of a record.

    `on_edit` is called with the value at each valid keystroke, ABSENT for unset; the last one counts once the dialog is
    closed. Enter applies the edit; where typing narrows a list, Enter takes the highlighted value, and a text that is
    none of the known values needs a second Enter.
    Esc cancels: `on_edit` then gets the value as it was before. It asks first if more than one line was typed.
    `on_text` is called with what is typed, valid or not, and with None where the value was not typed; given back as
    `unfinished`, it is what the editor begins with.
    """

    DEFAULT_CSS = """
    FieldEditor TextArea {
        height: auto;
        min-height: 3;
        max-height: 12;
        padding: 0 1;
        background: $role-panel;
        &, &:focus { border: none; }
    }
    FieldEditor #message { min-height: 1; color: $role-muted; }
    FieldEditor #message.problem { color: $role-danger; }
    """

    AUTO_FOCUS = ""

    shows_unmasked = True

    BINDINGS = [
        Binding("escape", "close", "Cancel", id="editor.close", tooltip="Cancel the edit"),
        Binding("ctrl+s", "apply", "Apply", id="editor.apply", priority=True,
                tooltip="Apply the edit without sending it"),
        Binding("ctrl+y", "discard", "Cancel without asking", id="editor.discard", priority=True,
                tooltip="Cancel the edit without asking"),
        Binding("up", "move(1)", "Increase", id="editor.up", show=False,
                tooltip="Increase the number or the time, or toggle true and false"),
        Binding("down", "move(-1)", "Decrease, or list", id="editor.down",
                tooltip="Decrease the number or the time, or go to the values"),
        Binding("pageup", "days(1)", "Next day", id="editor.next_day", show=False,
                tooltip="Set the time one day later"),
        Binding("pagedown", "days(-1)", "Previous day", id="editor.day_before", show=False,
                tooltip="Set the time one day earlier"),
        Binding("ctrl+t", "now", "Now", id="editor.now", tooltip="Set the current time"),
        Binding("ctrl+n", "null", "Null", id="editor.null", tooltip="Set the value to null"),
        Binding("ctrl+g", "empty", "Empty text", id="editor.empty", tooltip='Set the value to "", the empty text'),
        Binding("ctrl+r", "unset", "Remove", id="editor.unset", tooltip="Remove the field"),
        Binding("ctrl+l", "format", "Format", id="editor.format", tooltip="Format the JSON"),
        Binding("ctrl+j", "more_lines", "New line", id="editor.lines", tooltip="Insert a new line"),
        Binding("f4", "outside", "In $EDITOR", id="editor.outside", tooltip="Edit the text in $EDITOR"),
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
        unfinished: str | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        look_up: AsyncIterator[FieldEntry] | None = None,
        edit_externally: Callable[[str, str], Awaitable[str | None]] | None = None,
        start_externally: bool = False,
    ) -> None:
        """Make the editor.

        `now` tells the time in the zone in which times are shown. `look_up` gives the entry anew as more is known;
        `edit_externally` has a text edited elsewhere, at once with `start_externally`.
        """
        super().__init__()
        self._field, self._on_edit, self._now = field, on_edit, now
        self._on_text, self._unfinished = on_text, unfinished
        self._entry, self._value = field.entry, field.value
        self._look_up, self._edit_externally, self._start_externally = look_up, edit_externally, start_externally
        self._text = editable_text(field.value)
        self._many = field.entry.needs_lines(self._text)
        self._typed_something = False
        self._handed_on = False
        self._problem = ""
        self._sure_of = ""
        """The key that was pressed once for what needs it twice, "" where there is none."""

    def compose(self) -> ComposeResult:
        """The old value and the new, what is expected, the text, what is to be said of it, and values to pick."""
        with DialogFrame(Content.assemble(styled(self._field.title), " · ", styled(self._field.name))):
            if self._field.note:
                yield Static(styled(self._field.note, "$role-warning"), id="note")
            if self._unfinished is not None:
                words = "Unfinished edit, not applied yet."
                yield Static(styled(words, "$role-warning"), id="unfinished")
            yield Static(id="values")
            yield Static(self._entry.hint, classes="hint", id="hint", markup=False)
            yield _ValueInput("" if self._many else self._text, id="line", select_on_focus=False)
            yield MultilineInput(
                self._text if self._many else "",
                id="lines",
                soft_wrap=True,
                tab_behavior="focus",
                highlight_cursor_line=False,
            )
            yield Static("", id="message", markup=False)
            yield ValuePicker(self._entry.kind, can_unset=not self._field.unset_problem)

    def on_mount(self) -> None:
        """Typing begins at once, and replaces a single line."""
        self._show_text_field()
        if not self._many:
            # Not at the focus: its event may come after the first key, which would then be replaced by the second.
            self.line.select_all()
        self._say()
        self._offer()
        if self._unfinished is not None:
            self._show_text(self._unfinished)
        if self._look_up is not None:
            self.run_worker(self._looking_up(self._look_up), group="searching")
        if self._start_externally:
            self.action_outside()

    async def _looking_up(self, look_up: AsyncIterator[FieldEntry]) -> None:
        async for entry in look_up:
            self._entry = entry
            if self._sure_of and self._unknown_text:
                self._ask_again(self._sure_of)
            else:
                self._say(self._problem)
            self._offer()

    # What is typed

    def _show_text_field(self) -> None:
        self.line.can_have_lines = self._entry.kind.facts.takes_lines
        self.line.display, self.lines.display = not self._many, self._many
        (self.lines if self._many else self.line).focus()
        self.query_one("#dialog").border_subtitle = _keys_text(
            self._entry,
            many=self._many,
            can_unset=not self._field.unset_problem,
            external=self._edit_externally is not None,
        )

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
            self._say(str(problem))
            self._offer()
            return
        self._take(value)

    def _take(self, value: Json | Absent) -> None:
        self._value, self._handed_on = value, True
        self._say()
        self._offer()
        self._on_edit(value)

    @property
    def _unknown_text(self) -> str:
        """What was typed, where it is none of the known values; "" otherwise."""
        return self._text if self._typed_something and self._entry.is_unknown(self._text) else ""

    @property
    def _first_match(self) -> Json | Absent:
        """The known value that Enter takes in place of an unknown text; ABSENT where it takes the text.

        A reference whose collection is still being read may match a record that has not come yet. A text that Enter
        was pressed for once is taken as it is, whatever comes meanwhile.
        """
        is_partial = isinstance(self._entry, ReferenceEntry) and not self._entry.complete
        if not self._unknown_text or is_partial or self._sure_of:
            return ABSENT
        return next((offer.value for offer in self._entry.offers(self._text)), ABSENT)

    def _offer(self) -> None:
        """Offer the values that match, the one that Enter takes highlighted."""
        offers = self._entry.offers(self._text if self._typed_something else None)
        typed = "" if self._problem else self._unknown_text
        self.picker.offer(offers, self._value, typed, typed_first=isinstance(self._first_match, Absent))

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

    # What is said

    def _say(self, problem: str = "") -> None:
        """Say what the value was and is, and what is wrong with the text or remarkable about it."""
        self._problem, self._sure_of = problem, ""
        # A text that can't be read is no value: the last one that could is only the beginning of it.
        self.query_one("#values", Static).update(self._field.change(self._field.old if problem else self._value))
        self.query_one("#hint", Static).update(self._entry.hint)
        self.line.placeholder = self.lines.placeholder = "" if problem else self._field.blank(self._value)
        self._show_message(problem or (self._entry.remark(self._text) if self._text else ""), wrong=bool(problem))

    def _show_message(self, sentence: str, *, wrong: bool) -> None:
        message_line = self.query_one("#message", Static)
        message_line.set_class(wrong, "problem")
        message_line.update(styled(sentence))

    # Keys

    @on(Input.Submitted)
    def action_apply(self) -> None:
        """Close with the edit: the highlighted value where typing narrows a list, otherwise the text."""
        if isinstance(match := self._first_match, Absent):
            self._apply_text()
        else:
            self._set(match)
            self.dismiss(None)

    def _apply_text(self) -> None:
        """Close with what was typed; an unknown value needs the key twice."""
        if self._problem:
            return
        key = "ctrl+s" if self._many else "enter"
        if self._typed_something and self._entry.is_unknown(self._text) and self._sure_of != key:
            self._ask_again(key)
            return
        self.dismiss(None)

    def _ask_again(self, key: str) -> None:
        """Ask for a second press of the key before an unknown value is taken."""
        self._show_message(f"{self._entry.remark(self._text)} Press {key} again to use it anyway.".lstrip(), wrong=True)
        self._sure_of = key

    @on(ValuePicker.Picked)
    def _picked(self, event: ValuePicker.Picked) -> None:
        if isinstance(event.value, TypedText):
            self._apply_text()
            return
        if isinstance(event.value, Absent) and self._field.unset_problem:
            self._show_message(self._field.unset_problem, wrong=True)
            return
        self._set(event.value)
        self.dismiss(None)

    def action_move(self, steps: int) -> None:
        """Step the value, or go to the values to pick."""
        if self._entry.steps and not self._many:
            cursor = self.line.cursor_position
            self._write_stepped(self._entry.stepped(self._text, cursor, steps), cursor)
        elif steps < 0:
            self.picker.focus()

    def action_days(self, days: int) -> None:
        """A time so many days later."""
        if isinstance(self._entry, TimeEntry):
            self._write_stepped(self._entry.by_days(self._text, days), self.line.cursor_position)

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
            self._show_message(self._field.unset_problem, wrong=True)
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
        if self._handed_on:
            self._on_edit(self._field.value)
        self.dismiss(None)

    def action_close(self) -> None:
        """Close with the value as it was before; lines that were typed are dropped only when asked twice."""
        before = editable_text(self._field.value)
        typed = (Counter(self._text.split("\n")) - Counter(before.split("\n"))).total()
        if typed > 1 and self._sure_of != "escape":
            self._show_message(f"Press esc again to discard the {typed} lines that you typed.", wrong=True)
            self._sure_of = "escape"
            return
        self.action_discard()


def _keys_text(entry: FieldEntry, *, many: bool, can_unset: bool, external: bool) -> str:
    """The keys of an editor that has `many` lines, or can have its text edited in an `external` editor.

    As many as there is room for; F1 lists them all.
    """
    keys = ["^s Apply" if many else "enter Apply", "esc Cancel"]
    match entry.kind:
        case Kind.NUMBER:
            keys.append("↑↓ Step")
        case Kind.TIME:
            keys += ["↑↓ Step", "pgup/pgdn Day", "^t Now"]
        case Kind.FLAG:
            keys += ["↑↓ Toggle", "tab Values"]
        case Kind.OBJECT | Kind.LIST:
            keys += ["tab Values", "^l Format"]
        case Kind.TEXT | Kind.CHOICE | Kind.NULL:
            keys += ["tab Values"] if many else ["↓ Values", "^j New line"]
        case Kind.REFERENCE | Kind.ID:
            keys.append("tab Values" if many else "↓ Values")
        case _ as never:
            assert_never(never)
    facts = entry.kind.facts
    if external and facts.takes_lines:
        keys.append("f4 $EDITOR")
    keys.append("^n Null")
    # An id is never empty.
    if facts.takes_any_text and entry.kind is not Kind.ID:
        keys.append("^g Empty")
    if can_unset:
        keys.append("^r Remove")
    while len(shown := "  ".join(keys)) > _MAX_KEYS_CELLS:
        keys.pop()
    return shown
