"""Edits one field by its kind; every valid state of the text is handed on at once, so nothing is lost."""

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from svc_tui.domain.draft import Absent
from svc_tui.domain.fieldentry import ValueProblem, entry_of
from svc_tui.domain.jsontext import Json
from svc_tui.domain.values import Kind, as_it_came, display, editable
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import shortened, shown, visible
from svc_tui.ui.widgets.fields import TextLine, TextLines

_WORDS = {
    Kind.NUMBER: "a number, kept to the digit",
    Kind.TIME: "a time, such as 2026-11-20T05:12:00Z",
    Kind.FLAG: "true or false",
    Kind.OBJECT: "a JSON object",
    Kind.LIST: "a JSON array",
    Kind.CHOICE: "text; the values seen are below",
    Kind.REFERENCE: "the id of a record",
}
_MANY_LINES = (Kind.OBJECT, Kind.LIST)
_LONG = 200


class FieldEditor(Dialog[None]):
    """An editor for one field of a record.

    `changed` is called with the value at each valid keystroke. Enter and Esc both close and keep the edit; text
    that is no value of its kind is said, and a second Esc drops it: `dropped` is called, for things to be as before.
    """

    DEFAULT_CSS = """
    FieldEditor TextArea {
        height: auto;
        min-height: 3;
        max-height: 12;
        border: none;
        padding: 0 1;
        background: $role-panel;
    }
    FieldEditor OptionList {
        height: auto;
        max-height: 8;
        border: none;
        padding: 0;
        background: $role-surface;
    }
    """

    AUTO_FOCUS = "#text"

    BINDINGS = [
        Binding("escape", "close", "Keep and close", id="editor.close", tooltip="Close; the edit stays, not yet sent"),
        Binding("down", "choices", "Choices", id="editor.choices", tooltip="Go to null, empty, and the values seen"),
    ]

    def __init__(
        self,
        title: str,
        name: str,
        kind: Kind,
        old: Json | Absent,
        value: Json | Absent,
        choices: Sequence[tuple[str, int]],
        changed: Callable[[Json], None],
        dropped: Callable[[], None],
        now: Callable[[], str],
    ) -> None:
        super().__init__()
        self._field, self._kind, self._old, self._now = name, kind, old, now
        self._changed, self._dropped = changed, dropped
        self._title = title
        self._value = value
        self._text = editable(value, kind)
        self._many = kind in _MANY_LINES or "\n" in self._text or len(self._text) > _LONG
        self._options = self._offered(choices)
        self._problem = ""
        self._drop = False

    def _offered(self, choices: Sequence[tuple[str, int]]) -> list[tuple[Content, Callable[[], Json]]]:
        def constant(value: Json) -> Callable[[], Json]:
            return lambda: value

        offered: list[tuple[Content, Callable[[], Json]]] = []
        if self._kind is Kind.FLAG:
            offered += [(Content("✓ true"), constant(True)), (Content("· false"), constant(False))]
        if self._kind is Kind.CHOICE:
            for text, _ in choices:
                seen = display(text, Kind.CHOICE)
                offered.append((shown(seen.text, f"$role-{seen.role}"), constant(text)))
        if self._kind is Kind.TIME:
            offered.append((Content("now"), self._now))
        offered.append((Content.styled("∅ null", "$role-muted"), constant(None)))
        if self._kind not in (Kind.NUMBER, Kind.FLAG, *_MANY_LINES):
            offered.append((Content.styled('"" empty text', "$role-muted"), constant("")))
        return offered

    def compose(self) -> ComposeResult:
        """The old value, the line or lines to type in, what is wrong with them, and values to pick."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content.assemble(shown(self._title), " · ", shown(self._field))
            dialog.border_subtitle = "tab Values  esc Keep" if self._many else "enter or esc Keep  ↓ Values"
            yield Static(self._values(), id="values")
            yield Static(_WORDS.get(self._kind, "text"), classes="hint", markup=False)
            if self._many:
                yield TextLines(
                    self._text, id="text", soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False
                )
            else:
                yield TextLine(self._text, id="text", select_on_focus=False)
            yield Static("", classes="problem", id="problem", markup=False)
            yield OptionList(*(Option(label) for label, _ in self._options), markup=False)

    def on_mount(self) -> None:
        """Typing begins at once, and replaces a single line."""
        editor = self._editor
        if isinstance(editor, TextLine):
            # Not at the focus: its event may come after the first key, which would then be replaced by the second.
            editor.select_all()
        editor.focus()

    @property
    def _editor(self) -> Widget:
        return self.query_one("#text")

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        self._typed(event.value)

    @on(TextArea.Changed)
    def _lines_changed(self, event: TextArea.Changed) -> None:
        self._typed(event.text_area.text)

    def _typed(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        try:
            value = entry_of(self._kind, self._old).read(text)
        except ValueProblem as problem:
            self._show_problem(str(problem))
            return
        self._show_problem("")
        self._take(value)

    def _take(self, value: Json) -> None:
        self._value = value
        self.query_one("#values", Static).update(self._values())
        self._changed(value)

    def _values(self) -> Content:
        """The old value, and the new one where it differs."""
        parts: list[Content | tuple[str, str]] = [("was  ", "$role-muted"), self._one(self._old)]
        if self._value != self._old:
            parts += [("   now  ", "$role-muted"), self._one(self._value)]
        return Content.assemble(*parts)

    def _one(self, value: Json | Absent) -> Content:
        if isinstance(value, Absent):
            return Content.styled("not set", "$role-muted")
        # A time stands here as it is typed, so that it is not taken for one in the zone of the table.
        seen = as_it_came(value, self._kind) if self._kind is Kind.TIME else display(value, self._kind)
        return shown(shortened(visible(seen.text), 28), f"$role-{seen.role}")

    def _show_problem(self, problem: str) -> None:
        self._problem = problem
        self._drop = False
        self.query_one("#problem", Static).update(shown(problem))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        if not self._problem:
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        _, value = self._options[event.option_index]
        self._take(value())
        self.dismiss(None)

    def action_choices(self) -> None:
        """From the text to the values that can be picked."""
        self.query_one(OptionList).focus()

    def action_close(self) -> None:
        """Close; text that is no value is dropped only when asked twice."""
        if self._drop:
            self._dropped()
        if not self._problem or self._drop:
            self.dismiss(None)
            return
        self.query_one("#problem", Static).update(shown(f"{self._problem} Esc again drops this text."))
        self._drop = True
