"""A form with a line for each field; only filled fields are sent, after a card of their own."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static

from svc_tui.core.field_forms import FieldForm, FormLine
from svc_tui.core.kinds import Kind
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, TitleText
from svc_tui.ui.text import field_label, pad, styled
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NAME_CELLS = 20
"""Cells of a field's name."""
_HINT_CELLS = 15


class FormFieldInput(Horizontal):
    """The input of one `FormLine`: the field's name, its kind, and the value."""

    DEFAULT_CSS = """
    FormFieldInput { height: 1; }
    FormFieldInput Static { width: auto; }
    FormFieldInput TextInput { width: 1fr; }
    """

    @dataclass
    class Changed(Message):
        """The line's value changed, or it got the focus."""

        line: FormLine

    field = query_one(TextInput)

    def __init__(self, line: FormLine) -> None:
        super().__init__()
        self.line = line

    def compose(self) -> ComposeResult:
        """Compose the name, the kind and the value."""
        yield Static(self._label())
        yield TextInput(self.line.text, placeholder=self._placeholder(), select_on_focus=False)

    def cycle_value(self) -> None:
        """Go to the next value that can't be typed: unset, null, empty text."""
        self.line = self.line.turned()
        with self.field.prevent(Input.Changed):
            self.field.value = self.line.text
        self.field.placeholder = self._placeholder()
        self._post_change()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.line = self.line.typed(event.value)
        self._post_change()

    def on_descendant_focus(self) -> None:
        """Tell the form that this line has the focus."""
        self.post_message(self.Changed(self.line))

    def _post_change(self) -> None:
        self.query_one(Static).update(self._label())
        self.post_message(self.Changed(self.line))

    def _placeholder(self) -> str:
        return "required" if self.line.needed else self.line.blank.value

    def _label(self) -> Content:
        line = self.line
        wrong = bool(line.problem) and bool(line.text)
        sent = bool(line.text) or (self._placeholder() != "not sent" and not line.needed)
        mark = ("✕ ", "$role-danger") if wrong else ("+ ", "$role-ok") if sent else "  "
        style = "$role-danger" if wrong else "$role-foreground" if sent else "$role-muted"
        return Content.assemble(
            mark,
            (pad(field_label(line.name), _NAME_CELLS), style),
            " ",
            styled(pad(line.hint, _HINT_CELLS), "$role-muted"),
        )


_OTHER_ROWS = 10
"""Rows of the screen beside the lines."""


class Lines(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The lines of the form; up and down move the focus, and do not scroll."""


class FormScreen(Dialog[None]):
    """A dialog with a form, which stays open until its owner closes it.

    `wanted` returns the form each time it is to be sent, and None once it was left. `on_edit` is called with the form
    at every change. `kind_of` returns the kind of a field that the user adds by name; without it none can be added.
    `empty` is the form to clear to; without it the form can't be cleared.
    """

    DEFAULT_CSS = """
    FormScreen Lines { height: auto; scrollbar-size-vertical: 1; }
    FormScreen #note { color: $role-muted; margin-bottom: 1; }
    FormScreen #problem { margin-top: 1; }
    """

    BINDINGS = [
        Binding("ctrl+s", "send", "Review", id="form.review", priority=True, tooltip="Review the request"),
        Binding("ctrl+g", "turn", "Null or empty", id="form.blank",
                tooltip="Switch between not sent, null and empty text"),
        Binding("ctrl+r", "start_over", "Clear form", id="form.start_over",
                tooltip="Clear the form (asks first)"),
        Binding("down", "step(1)", "Next", show=False, id="form.down", tooltip="Go to the next field"),
        Binding("up", "step(-1)", "Previous", show=False, id="form.up", tooltip="Go to the previous field"),
        Binding("escape", "leave", "Cancel", id="form.leave", tooltip="Close the form without sending it"),
    ]  # fmt: skip

    lines = query_one(Lines)

    SEND_LABEL: ClassVar[str] = "review"
    """The word for ctrl+s."""

    def __init__(
        self,
        title: TitleText,
        form: FieldForm,
        note: Content,
        on_edit: Callable[[FieldForm], None] | None = None,
        *,
        empty: FieldForm | None = None,
        kind_of: Callable[[str], Kind] | None = None,
    ) -> None:
        super().__init__()
        self._title, self._form, self._note, self._on_edit, self._kind_of = title, form, note, on_edit, kind_of
        self._empty, self._asked_to_clear = empty, False
        self._answers: asyncio.Queue[FieldForm | None] = asyncio.Queue()
        self._busy = False
        self._message_of_line = False
        """True if the message is about the line under the cursor."""

    def compose(self) -> ComposeResult:
        """Compose the lines, and one to add a field."""
        blank = "" if all(line.needed for line in self._form.lines) and self._kind_of is None else "ctrl+g null · "
        over = "ctrl+r clear form · " if self._empty is not None and self._form != self._empty else ""
        with DialogFrame(self._title, f"ctrl+s {self.SEND_LABEL} · {blank}{over}esc cancel"):
            yield Static(self._note, id="note")
            with Lines():
                for line in self._form.lines:
                    yield FormFieldInput(line)
            if self._kind_of is not None:
                yield TextInput(placeholder="add a field: type its name and press enter", id="add")
            yield Static("", classes="problem", id="problem", markup=False)

    def on_mount(self) -> None:
        """Focus the first empty line."""
        self._focus_first()

    def _focus_first(self) -> None:
        first = next((row for row in self.query(FormFieldInput) if not row.line.text), None)
        (first.field if first is not None else self.query(TextInput).first()).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the lines to the screen."""
        self.lines.styles.max_height = max(2, event.size.height - _OTHER_ROWS)

    async def wanted(self) -> FieldForm | None:
        """Wait until the form is to be sent, and return it; None if it was left."""
        self._busy = False
        return await self._answers.get()

    def say(self, problem: str) -> None:
        """Show why the form was not sent."""
        self._show(problem)
        self._message_of_line = False

    def _show(self, text: str) -> None:
        self.query_one("#problem", Static).update(styled(text, lines=True))

    @on(FormFieldInput.Changed)
    def _line_changed(self, event: FormFieldInput.Changed) -> None:
        event.stop()
        entered = self._form.line(event.line.name) == event.line
        if not entered:
            self._asked_to_clear = False
            self._change(self._form.with_line(event.line))
        if self._busy:
            return
        problem = event.line.problem if event.line.text else ""
        # Moving to a line keeps a message about the whole form.
        if problem or not entered or self._message_of_line:
            self._show(problem)
            self._message_of_line = bool(problem)

    def _change(self, form: FieldForm) -> None:
        self._form = form
        if self._on_edit is not None:
            self._on_edit(form)

    @on(Input.Submitted, "#add")
    async def _added(self, event: Input.Submitted) -> None:
        event.stop()
        name = event.value.strip()
        if not name or self._kind_of is None:
            return
        event.input.value = ""
        if self._form.line(name) is None:
            self._change(self._form.adding(name, self._kind_of(name)))
            await self.lines.mount(FormFieldInput(self._form.lines[-1]))
        self._focus(name)

    def _focus(self, name: str) -> None:
        row = next((row for row in self.query(FormFieldInput) if row.line.name == name), None)
        if row is not None:
            row.field.focus()

    @property
    def _row(self) -> FormFieldInput | None:
        return next((row for row in self.query(FormFieldInput) if row.has_focus_within), None)

    def action_turn(self) -> None:
        """Go through the values of the line under the cursor that can't be typed: unset, null, empty text."""
        if (row := self._row) is not None:
            row.cycle_value()

    async def action_start_over(self) -> None:
        """Clear the form, on the second call."""
        if self._empty is None or self._busy or self._form == self._empty:
            return
        if not self._asked_to_clear:
            self._asked_to_clear = True
            self.say("Press ctrl+r again to clear the form.")
            return
        self._asked_to_clear = False
        self._change(self._empty)
        self._show("")
        await self.lines.remove_children()
        await self.lines.mount_all(map(FormFieldInput, self._form.lines))
        self._focus_first()

    def action_step(self, steps: int) -> None:
        """Go to the next or the previous line."""
        if steps > 0:
            self.focus_next(TextInput)
        else:
            self.focus_previous(TextInput)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        if event.input.id != "add":
            self.action_step(1)

    def action_send(self) -> None:
        """Send the form if every line is valid."""
        if self._busy:
            return
        if problems := self._form.problems:
            name, sentence = problems[0]
            self._focus(name)
            self.call_after_refresh(self._show, f"{name}: {sentence}")
            return
        self._busy = True
        self._show("")
        self._answers.put_nowait(self._form)

    def action_leave(self) -> None:
        """Close the form, unless its request is in flight."""
        if self._busy:
            self._show("The request is being sent. Wait for the response.")
            return
        self._answers.put_nowait(None)
        self.dismiss(None)
