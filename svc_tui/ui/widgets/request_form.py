"""The form of a request: method, path, query, headers and body, in as few lines as it can be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Input, Static, TextArea
from textual.widgets.input import Selection as InputSelection
from textual.widgets.text_area import Selection

from svc_tui.domain.bodies import size
from svc_tui.domain.compose import Composed, Field, Form, Problem, first_blank
from svc_tui.ui.text import shown, uncommanding
from svc_tui.ui.widgets.completing_input import LineField, MethodField, PathField
from svc_tui.ui.widgets.fields import TextLines
from svc_tui.ui.widgets.tab_line import Tab, TabLine

EDITORS: tuple[Field, ...] = ("query", "headers", "body")
"""The fields that share the editor's place, in the order of their tabs."""

_HINTS: dict[Field, str] = {
    "query": "key=value, joined by & or one a line",
    "headers": "Name: value, one a line; key and signature come by themselves",
    "body": "JSON, unless a Content-Type says otherwise",
}


class Editor(TextLines):
    """A field of several lines; a paste is text without control characters, Tab leaves the field."""

    DEFAULT_CSS = """
    Editor, Editor:focus {
        border: none;
        padding: 0;
        background: $role-surface;
        color: $role-foreground;
    }
    Editor:focus { background: $role-panel; }
    """

    async def _on_paste(self, event: events.Paste) -> None:
        # The field's own handler takes it from here.
        event.text = uncommanding(event.text)[0]


class RequestForm(Vertical):
    """Edits a `Form` and says so; whoever owns it judges it and says what is to be shown beside it."""

    DEFAULT_CSS = """
    RequestForm {
        height: auto;
        & > Horizontal { height: 1; }
        & > #form-goes { height: 1; color: $role-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & > ContentSwitcher { height: 4; }
        & > #form-hint { height: 1; color: $role-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & PathField { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+pageup", "step(-1)", "Field before", show=False, id="form.before", tooltip="To the field before"),
        Binding("ctrl+pagedown", "step(1)", "Next field", show=False, id="form.next", tooltip="To the next field"),
    ]

    @dataclass
    class Changed(Message):
        """Something was typed, or the form was filled in."""

        form: Form

    def __init__(self, complete: Callable[[str], str | None], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._complete = complete
        self._composed: Composed | None = None
        self._note = ""

    def compose(self) -> ComposeResult:
        """The lines of the form."""
        with Horizontal():
            yield MethodField(id="form-method")
            yield PathField(self._complete, id="form-path")
        yield Static(id="form-goes", markup=False)
        yield TabLine(self._tabs(None), id="form-tabs")
        with ContentSwitcher(initial="form-query"):
            for name in EDITORS:
                yield Editor(
                    id=f"form-{name}",
                    soft_wrap=name != "body",
                    highlight_cursor_line=False,
                    show_line_numbers=False,
                    tab_behavior="focus",
                )
        yield Static(id="form-hint", markup=False)

    def on_mount(self) -> None:
        """Say what the first field takes."""
        self._hint()

    # What is in it

    @property
    def form(self) -> Form:
        """The fields as they stand."""
        return Form(
            self._line("method").value,
            self._line("path").value,
            self._editor("query").text,
            self._editor("headers").text,
            self._editor("body").text,
            self._note,
        )

    def fill(self, form: Form) -> None:
        """Put `form` into the fields; what could command the terminal is left out, and that is said."""
        cleaned = {name: uncommanding(getattr(form, name))[0] for name in ("path", *EDITORS)}
        left_out = any(cleaned[name] != getattr(form, name) for name in cleaned)
        self._note = f"{form.note} Control characters are left out.".strip() if left_out else form.note
        with self.prevent(Input.Changed, TextArea.Changed):
            self._line("method").value = form.method
            path = self._line("path")
            path.value = cleaned["path"]
            path.cursor_position = len(path.value)
            for name in EDITORS:
                if self._editor(name).text != cleaned[name]:
                    self._editor(name).load_text(cleaned[name])
        if form.body and form.takes_body:
            self._show("body")
        elif form.query:
            self._show("query")
        self._hint()
        self.post_message(self.Changed(self.form))

    def start(self) -> None:
        """Put the cursor where the next thing is to be typed: on the first blank, else behind the path."""
        path = self._line("path")
        blank = first_blank(path.value)
        if blank is not None:
            path.focus()
            path.selection = InputSelection(*blank)
            return
        for name in EDITORS:
            blank = first_blank(self._editor(name).text)
            if blank is not None and (name != "body" or self.form.takes_body):
                self._put_cursor(name, *blank)
                return
        path.focus()

    # What is said about it

    def judged(self, composed: Composed, goes: Content) -> None:
        """Show what the form amounts to: `goes` under the path, problems where they are."""
        self._composed = composed
        self.query_one("#form-goes", Static).update(goes)
        self.query_one(TabLine).tabs = self._tabs(composed)
        self._hint()

    def go_to(self, problem: Problem) -> None:
        """Put the cursor where the problem is."""
        if problem.field in ("method", "path"):
            self._line(problem.field).focus()
            return
        self._show(problem.field)
        editor = self._editor(problem.field)
        editor.focus()
        if problem.line:
            editor.move_cursor((problem.line - 1, max(0, problem.column - 1)))

    def action_step(self, direction: int) -> None:
        """Show the field beside the one shown, and go there."""
        self.query_one(TabLine).action_step(direction)
        self._editor(self._shown_field()).focus()

    @on(Input.Changed, "#form-method")
    def _method_chosen(self) -> None:
        self.query_one(PathField).propose_again()

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self, event: Message) -> None:
        event.stop()
        self._note = ""
        self.post_message(self.Changed(self.form))

    @on(Input.Submitted)
    def _enter_sends_nothing(self, event: Message) -> None:
        event.stop()

    @on(TabLine.Chosen)
    def _field_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.query_one(ContentSwitcher).current = f"form-{EDITORS[event.index]}"
        self._hint()

    def _line(self, name: str) -> LineField:
        return self.query_one(f"#form-{name}", LineField)

    def _editor(self, name: Field) -> Editor:
        return self.query_one(f"#form-{name}", Editor)

    def _shown_field(self) -> Field:
        return EDITORS[self.query_one(TabLine).chosen]

    def _show(self, name: Field) -> None:
        self.query_one(TabLine).chosen = EDITORS.index(name)
        self.query_one(ContentSwitcher).current = f"form-{name}"
        self._hint()

    def _put_cursor(self, name: Field, start: int, end: int) -> None:
        self._show(name)
        editor = self._editor(name)
        editor.focus()
        editor.selection = Selection(_location(editor.text, start), _location(editor.text, end))

    def _hint(self) -> None:
        name = self._shown_field()
        problem = self._composed.problem_of(name) if self._composed else None
        if problem is not None:
            said = shown(str(problem), "$role-danger")
        elif self._note:
            said = shown(self._note, "$role-warning")
        elif name == "body" and self._composed and not self.form.takes_body:
            said = shown(f"{self._composed.spec.method} sends no body", "$role-muted")
        else:
            said = shown(_HINTS[name], "$role-muted")
        self.query_one("#form-hint", Static).update(said)

    def _tabs(self, composed: Composed | None) -> list[Tab]:
        tabs = []
        for name in EDITORS:
            mark, useful = "", True
            if composed is not None:
                if name == "query":
                    mark = str(len(composed.spec.query) or "")
                elif name == "headers":
                    mark = str(len(composed.spec.headers) or "")
                else:
                    useful = self.form.takes_body
                    mark = size(len(composed.spec.body)) if composed.spec.body else ""
                if composed.problem_of(name):
                    tabs.append(Tab(name.capitalize(), "✕", "$role-danger"))
                    continue
            tabs.append(Tab(name.capitalize(), mark, useful=useful))
        return tabs


def _location(text: str, offset: int) -> tuple[int, int]:
    """Row and column of the character at `offset`, both from 0."""
    return text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1
