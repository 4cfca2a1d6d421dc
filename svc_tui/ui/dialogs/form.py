"""A form over the main screen: one line a field, only what is filled in counts, sent after a card of its own."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static

from svc_tui.core.field_forms import FieldForm
from svc_tui.core.kinds import Kind
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, TitleText
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.form_field_input import FormFieldInput
from svc_tui.ui.widgets.inputs.text_input import TextInput

_OTHER_ROWS = 10
"""Rows of the screen that the lines leave to the rest."""


class Lines(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The lines, moved through by the focus: up and down are not for scrolling."""


class FormScreen(Dialog[None]):
    """Holds a form until its owner closes it: `wanted` gives it each time it is to be sent, None once it was left.

    `on_edit` is given the form at every change. `kind_of` tells the kind of a field that is added by its name; None:
    none can be added. `empty` is the form to start over with; None: there is nothing to start over.
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
    """What ctrl+s does with the form, in a word."""

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
        self._empty, self._sure = empty, False
        self._answers: asyncio.Queue[FieldForm | None] = asyncio.Queue()
        self._busy = False
        self._of_line = False
        """Whether what is said is about the line under the cursor."""

    def compose(self) -> ComposeResult:
        """The lines, and below them one to add another."""
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
        """Typing begins at once, in the first line that waits for something."""
        self._begin()

    def _begin(self) -> None:
        first = next((row for row in self.query(FormFieldInput) if not row.line.text), None)
        (first.field if first is not None else self.query(TextInput).first()).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Give the lines the rows that the rest leaves."""
        self.lines.styles.max_height = max(2, event.size.height - _OTHER_ROWS)

    async def wanted(self) -> FieldForm | None:
        """The form, once the user wants it sent; None: it was left."""
        self._busy = False
        return await self._answers.get()

    def say(self, problem: str) -> None:
        """Tell why it was not sent; the form stays as it is."""
        self._show(problem)
        self._of_line = False

    def _show(self, text: str) -> None:
        self.query_one("#problem", Static).update(styled(text, lines=True))

    @on(FormFieldInput.Changed)
    def _line_changed(self, event: FormFieldInput.Changed) -> None:
        event.stop()
        entered = self._form.line(event.line.name) == event.line
        if not entered:
            self._sure = False
            self._change(self._form.with_line(event.line))
        if self._busy:
            return
        problem = event.line.problem if event.line.text else ""
        # A line that is only gone to leaves standing what was said of the whole form.
        if problem or not entered or self._of_line:
            self._show(problem)
            self._of_line = bool(problem)

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
        """What the line under the cursor means without text: nothing, null, or the empty text."""
        if (row := self._row) is not None:
            row.cycle_value()

    async def action_start_over(self) -> None:
        """Empty the form, the second time that it is asked for."""
        if self._empty is None or self._busy or self._form == self._empty:
            return
        if not self._sure:
            self._sure = True
            self.say("Press ctrl+r again to clear the form.")
            return
        self._sure = False
        self._change(self._empty)
        self._show("")
        await self.lines.remove_children()
        await self.lines.mount_all(map(FormFieldInput, self._form.lines))
        self._begin()

    def action_step(self, steps: int) -> None:
        """Go to another line."""
        if steps > 0:
            self.focus_next(TextInput)
        else:
            self.focus_previous(TextInput)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        if event.input.id != "add":
            self.action_step(1)

    def action_send(self) -> None:
        """Have the form sent, if every line can be."""
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
        """Close the form; while its request is on its way the answer is waited for."""
        if self._busy:
            self._show("The request is being sent. Wait for the response.")
            return
        self._answers.put_nowait(None)
        self.dismiss(None)
