"""The line under a table or a text in which is typed what to look for."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Static

from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.text_input import TextInput


class _FilterTextInput(TextInput):
    DEFAULT_CSS = """
    _FilterTextInput, _FilterTextInput:focus {
        border: none;
        height: 1;
        width: 1fr;
        padding: 0;
        background: $role-panel;
        color: $role-foreground;
        background-tint: transparent;
    }
    _FilterTextInput > .input--placeholder { color: $role-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Apply", id="filter.done", tooltip="Apply the filter"),
    ]

    @property
    def content_width(self) -> int:
        """No less than there is room for: where the content had another width, all would be laid out at every key."""
        return max(super().content_width, self.size.width)


class _FindTextInput(_FilterTextInput):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Find", id="find.enter", tooltip="Find the text"),
    ]


class FilterInput(Horizontal):
    """Hidden until `start`; tells that its text was kept, or given up. Whoever watches `text` follows every change."""

    DEFAULT_CSS = """
    FilterInput {
        height: 1;
        display: none;
        background: $role-panel;
        &.-open { display: block; }
        & > .sign { width: 2; color: $role-accent; text-style: bold; }
        & > .hint { width: auto; color: $role-muted; padding-left: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Clear filter", id="filter.leave", tooltip="Clear the filter"),
    ]

    PLACEHOLDER: ClassVar[str] = 'text  field:text  field:"two words"  field>10  !not'
    """What the empty line says."""

    PROMPT: ClassVar[str] = "/"
    """What stands before the text: the key that opens the line."""

    @dataclass
    class Submitted(Message):
        """The filter is confirmed."""

        text: str

    class Cancelled(Message):
        """No filter is wanted."""

    _LINE: ClassVar[type[_FilterTextInput]] = _FilterTextInput

    text: var[str] = var("", init=False)
    """What was typed. Whoever watches it is told at once, before the line is painted: unlike by a message."""

    def compose(self) -> ComposeResult:
        """A sign, the text, a hint."""
        yield Static(self.PROMPT, classes="sign")
        yield self._LINE(placeholder=self.PLACEHOLDER, select_on_focus=False)
        yield Static("", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Follow what is typed."""
        # Where it goes again, or the program ends, before it was there, there is no line.
        if self.children:
            self.watch(self.line, "value", self._follow, init=False)

    def _follow(self, value: str) -> None:
        self.text = value

    @property
    def line(self) -> Input:
        """The text field."""
        return self.query_one(_FilterTextInput)

    @property
    def is_open(self) -> bool:
        """Whether the line is there to be typed in."""
        return self.has_class("-open")

    def start(self, text: str) -> None:
        """Open the line on `text`, all of it selected: what is typed replaces it."""
        self.add_class("-open")
        self.set_reactive(FilterInput.text, text)
        with self.line.prevent(Input.Changed):
            self.line.value = text
        self.line.select_all()
        self.line.focus()

    def hint(self, text: str) -> None:
        """Say something short at its right end."""
        self.query_one(".hint", Static).update(Content(visible(text)))

    def close(self) -> None:
        """Put the line away."""
        self.remove_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Whoever follows the text has heard of it."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the filter."""
        event.stop()
        self.post_message(self.Submitted(event.value))

    def action_leave(self) -> None:
        """Give the filter up."""
        self.post_message(self.Cancelled())

    def on_key(self, event: events.Key) -> None:
        """Down and up lead into the table, the filter kept."""
        if event.key in ("down", "up"):
            event.stop()
            self.post_message(self.Submitted(self.line.value))


class FindInput(FilterInput, inherit_bindings=False):
    """The same for finding: what is typed is sought once it is kept."""

    PLACEHOLDER = "search names and values"
    _LINE = _FindTextInput
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="find.leave", tooltip="Close the search"),
    ]

    def start(self, text: str) -> None:
        """Open the line on `text`; nothing is said yet of what becomes of it."""
        self.hint("")
        super().start(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was said is of another text."""
        super().on_input_changed(event)
        self.hint("")
