"""The form of a request: one line for all of it, and fields for method, path, query, headers and body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Input, TextArea
from textual.widgets.input import Selection as InputSelection
from textual.widgets.text_area import Selection

from svc_tui.console.request_form import (
    ComposedRequest,
    FormField,
    FormProblem,
    RequestForm,
    first_blank,
    indent_body,
    partial_field_name,
)
from svc_tui.console.request_line import LineProblem, compact_body, format_line, parse_line
from svc_tui.core.bodies import size_text
from svc_tui.core.jsontext import JsonError
from svc_tui.core.requests import READS
from svc_tui.core.values import replace
from svc_tui.ui.text import styled, without_commands
from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.request.request_inputs import BorderlessInput, MethodInput, PathInput, RequestLineInput
from svc_tui.ui.widgets.text.note_text import NoteText

MULTILINE_FIELDS: tuple[FormField, ...] = ("query", "headers", "body")
"""The fields below the tabs, in the order of the tabs."""

_HINTS: dict[FormField, str] = {
    "query": "key=value, separated by & or line breaks",
    "headers": "Name: value, one per line; API key and signature are added",
    "body": "JSON unless Content-Type is set; @file sends a file; ctrl+l formats",
}

MAX_INLINE_BODY = 2000
"""Characters of a body from which it is left out of the line."""


_MAX_SUGGESTION_ROW = 400
"""The line from which no names are suggested, since all text before it must be parsed for that."""


class RequestTextArea(MultilineInput):
    """A field of several lines, which removes control characters from a paste; Tab leaves it.

    While a field's name is typed in JSON, a name of `names` is suggested; Tab or right accepts it.
    """

    DEFAULT_CSS = """
    RequestTextArea, RequestTextArea:focus {
        border: none;
        padding: 0;
        background: $role-surface;
        color: $role-foreground;
    }
    RequestTextArea:focus { background: $role-panel; }
    RequestTextArea .text-area--suggestion { color: $role-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False, id="body.complete", tooltip="Accept the suggestion"),
    ]

    names: Callable[[], Sequence[str]] = staticmethod(tuple)

    def update_suggestion(self) -> None:
        """Suggest the rest of a field's name while it is typed."""
        row, column = self.cursor_location
        lines = self.document.lines
        before = "\n".join((*lines[:row], lines[row][:column])) if row < _MAX_SUGGESTION_ROW else ""
        follows = lines[row][column : column + 1]
        partial_name = None if follows.isalnum() or follows in ('"', "_") else partial_field_name(before)
        name = next(
            (n for n in self.names() if partial_name and n.startswith(partial_name) and n != partial_name), None
        )
        self.suggestion = f'{name[len(partial_name or "") :]}": ' if name else ""

    def action_complete(self) -> None:
        """Accept the suggestion; without one, Tab goes to the next field."""
        if not self.suggestion:
            raise SkipAction
        self.insert(self.suggestion)

    async def _on_paste(self, event: events.Paste) -> None:
        # Textual's handler is called next.
        event.text = without_commands(event.text)[0]


WRITE_HAS_A_KEY = "Press ctrl+j to review this change before it is sent."


class RequestFormView(Vertical):
    """The inputs of a `RequestForm`, which post its changes; the owner checks it and shows the result here."""

    DEFAULT_CSS = """
    RequestFormView {
        height: auto;
        & > Horizontal { height: 1; }
        & > #form-goes { height: auto; min-height: 1; max-height: 3; color: $role-muted; }
        & > ContentSwitcher { height: 4; }
        & > #form-hint { height: 1; color: $role-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #form-hint.-telling { height: auto; max-height: 8; text-wrap: wrap; }
        & PathInput { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+pageup",
            "step(-1)",
            "Previous field",
            show=False,
            id="form.before",
            tooltip="Go to the previous field",
        ),
        Binding("ctrl+pagedown", "step(1)", "Next field", show=False, id="form.next", tooltip="Go to the next field"),
        Binding("ctrl+l", "lay_out", "Format", show=False, id="form.format", tooltip="Format the JSON body"),
    ]

    @dataclass
    class Changed(Message):
        """The form was changed."""

        form: RequestForm

    class ReadEntered(Message):
        """Enter was pressed in a line of a read."""

    def __init__(
        self,
        complete: Callable[[str], str | None],
        complete_line: Callable[[str], str | None],
        names: Callable[[], Sequence[str]],
    ) -> None:
        """Complete a path by `complete`, a whole line by `complete_line`, and a body's field by `names`."""
        super().__init__()
        self._complete, self._complete_line, self._names = complete, complete_line, names
        self._composed: ComposedRequest | None = None
        self._note = ""
        self._problem: LineProblem | None = None
        self._omitted_body = ""

    def compose(self) -> ComposeResult:
        """Compose the lines and fields."""
        yield RequestLineInput(self._complete_line, id="form-line")
        with Horizontal():
            yield MethodInput(id="form-method")
            yield PathInput(self._complete, id="form-path")
        yield NoteText(id="form-goes")
        yield TabBar(self._tabs(None), id="form-tabs")
        with ContentSwitcher(initial="form-query"):
            for name in MULTILINE_FIELDS:
                yield RequestTextArea(
                    id=f"form-{name}",
                    soft_wrap=name != "body",
                    highlight_cursor_line=False,
                    show_line_numbers=False,
                    tab_behavior="focus",
                )
        yield NoteText(id="form-hint")

    def on_mount(self) -> None:
        """Show the hint of the first field."""
        self._editor("body").names = self._names
        self._hint()

    # The contents

    @property
    def form(self) -> RequestForm:
        """The form with the texts of the fields."""
        return RequestForm(
            self._line("method").value,
            self._line("path").value,
            self._editor("query").text,
            self._editor("headers").text,
            self._editor("body").text,
            self._note,
        )

    @property
    def line_problem(self) -> LineProblem | None:
        """The reason that the line is no request, and differs from the fields."""
        return self._problem

    @property
    def half_written_line(self) -> str:
        """The line if it differs from the fields, else ""."""
        return self._line("line").value if self._problem is not None else ""

    def write_line(self, line: str) -> None:
        """Replace the line by one that may be incomplete."""
        self._line("line").value = without_commands(line)[0]

    @property
    def line_incomplete(self) -> bool:
        """True if only the last word of the line is incomplete."""
        line = self._line("line").value
        return (
            self._problem is not None and not line[self._problem.column - 1 :].strip().count(" ") and line[-1:] != " "
        )

    def fill(self, form: RequestForm) -> None:
        """Fill the line and the fields; control characters are removed, with a note."""
        self._fill(form)
        self._write_line()
        self.post_message(self.Changed(self.form))

    def _fill(self, form: RequestForm) -> None:
        cleaned = {name: without_commands(getattr(form, name))[0] for name in ("path", *MULTILINE_FIELDS)}
        left_out = any(cleaned[name] != getattr(form, name) for name in cleaned)
        self._note = f"{form.note} Control characters were removed.".strip() if left_out else form.note
        with self.prevent(Input.Changed, TextArea.Changed):
            self._line("method").value = form.method
            path = self._line("path")
            path.value = cleaned["path"]
            path.cursor_position = len(path.value)
            for name in MULTILINE_FIELDS:
                if self._editor(name).text != cleaned[name]:
                    self._editor(name).load_text(cleaned[name])
        if form.body and form.takes_body:
            self._show("body")
        elif form.query:
            self._show("query")
        self._hint()

    def start(self) -> None:
        """Move the cursor to the first placeholder, or to the end of the line."""
        path = self._line("path")
        blank = first_blank(path.value)
        if blank is not None:
            path.focus()
            path.selection = InputSelection(*blank)
            return
        for name in MULTILINE_FIELDS:
            blank = first_blank(self._editor(name).text)
            if blank is not None and (name != "body" or self.form.takes_body):
                self._put_cursor(name, *blank)
                return
        line = self._line("line")
        line.focus()
        line.cursor_position = len(line.value)

    # The result of the check

    def show_composed(self, composed: ComposedRequest, status: Content) -> None:
        """Show the result of the check: the `status` below the path, and the problems at their fields."""
        self._composed = composed
        self.query_one("#form-goes", NoteText).update(status)
        self.query_one(TabBar).tabs = self._tabs(composed)
        self._hint()

    def go_to(self, problem: FormProblem | LineProblem) -> None:
        """Move the cursor to a problem."""
        if isinstance(problem, LineProblem):
            self._line("line").focus()
            self._line("line").cursor_position = problem.column - 1
            return
        if problem.field in ("method", "path"):
            self._line(problem.field).focus()
            return
        self._show(problem.field)
        editor = self._editor(problem.field)
        editor.focus()
        if problem.line:
            editor.move_cursor((problem.line - 1, max(0, problem.column - 1)))

    def action_step(self, direction: int) -> None:
        """Go to the field of the next or previous tab."""
        self.query_one(TabBar).action_step(direction)
        self._editor(self._shown_field()).focus()

    def action_lay_out(self) -> None:
        """Format the JSON body; a body that is not JSON stays unchanged."""
        editor = self._editor("body")
        try:
            text = indent_body(editor.text)
        except JsonError:
            self.app.bell()
            return
        self._show("body")
        if text != editor.text:
            # As one edit that ctrl+z undoes.
            editor.replace(text, (0, 0), editor.document.end)

    @on(Input.Changed, "#form-line")
    def _line_typed(self, event: Input.Changed) -> None:
        event.stop()
        event.prevent_default()
        self._note = ""
        line = parse_line(event.value)
        self._problem = line.problem
        if line.problem is None:
            self._fill(line.form if line.form.body else replace(line.form, body=self._omitted_body))
        self.post_message(self.Changed(self.form))

    @on(Input.Changed, "#form-method")
    def _method_chosen(self) -> None:
        self.query_one(PathInput).refresh_suggestion()

    @on(Input.Changed, "#form-method,#form-path")
    @on(TextArea.Changed)
    def _typed(self, event: Message) -> None:
        event.stop()
        self._note = ""
        self._write_line()
        self.post_message(self.Changed(self.form))

    def _write_line(self) -> None:
        """Write the fields into the line."""
        form = self.form
        self._problem = None
        # A body that the line leaves out is kept while the line is edited.
        fits = form.takes_body and len(form.body) < MAX_INLINE_BODY
        self._omitted_body = "" if fits else form.body
        with self.prevent(Input.Changed):
            self._line("line").value = format_line(compact_body(form) if fits else replace(form, body=""))

    @on(Input.Submitted)
    def _entered(self, event: Message) -> None:
        event.stop()
        if (self.form.method or "GET").upper() in READS:
            self.post_message(self.ReadEntered())
        else:
            # A write has a key of its own, so that none is sent by habit.
            self._note = WRITE_HAS_A_KEY
            self._hint()

    @on(TabBar.Chosen)
    def _field_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self.query_one(ContentSwitcher).current = f"form-{MULTILINE_FIELDS[event.index]}"
        self._hint()

    def _line(self, name: str) -> BorderlessInput:
        return self.query_one(f"#form-{name}", BorderlessInput)

    def _editor(self, name: FormField) -> RequestTextArea:
        return self.query_one(f"#form-{name}", RequestTextArea)

    def _shown_field(self) -> FormField:
        return MULTILINE_FIELDS[self.query_one(TabBar).chosen]

    def _show(self, name: FormField) -> None:
        self.query_one(TabBar).chosen = MULTILINE_FIELDS.index(name)
        self.query_one(ContentSwitcher).current = f"form-{name}"
        self._hint()

    def _put_cursor(self, name: FormField, start: int, end: int) -> None:
        self._show(name)
        editor = self._editor(name)
        editor.focus()
        editor.selection = Selection(_location(editor.text, start), _location(editor.text, end))

    def _hint(self) -> None:
        name = self._shown_field()
        problem = self._composed.problem_of(name) if self._composed else None
        if problem is not None:
            hint = styled(str(problem), "$role-warning" if problem.blank else "$role-danger")
            if self._note:
                hint = Content("\n").join([styled(self._note, "$role-warning"), hint])
        elif self._note:
            hint = styled(self._note, "$role-warning")
        elif name == "body" and self._composed and not self.form.takes_body:
            hint = styled(f"{self._composed.spec.method} sends no body", "$role-muted")
        else:
            hint = styled(_HINTS[name], "$role-muted")
        line = self.query_one("#form-hint", NoteText)
        # A hint is cut if there is little room, a problem never.
        line.set_class(problem is not None or bool(self._note), "-telling")
        line.update(hint)

    def _tabs(self, composed: ComposedRequest | None) -> list[Tab]:
        tabs = []
        for name in MULTILINE_FIELDS:
            mark, enabled = "", True
            if composed is not None:
                if name == "query":
                    mark = str(len(composed.spec.query) or "")
                elif name == "headers":
                    mark = str(len(composed.spec.headers) or "")
                else:
                    enabled = self.form.takes_body
                    mark = size_text(len(composed.spec.body)) if composed.spec.body else ""
                if problem := composed.problem_of(name):
                    waits = ("?", "$role-warning") if problem.blank else ("✕", "$role-danger")
                    tabs.append(Tab(name.capitalize(), *waits))
                    continue
            tabs.append(Tab(name.capitalize(), mark, enabled=enabled))
        return tabs


def _location(text: str, offset: int) -> tuple[int, int]:
    """Return the row and the column of the character at `offset`, both from 0."""
    return text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1
