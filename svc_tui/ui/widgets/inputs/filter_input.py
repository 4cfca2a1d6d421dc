"""The lines under a table or a text for a filter or a search."""

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
        """The width of the content, at least that of the field: a changing one would lay everything out at each key."""
        return max(super().content_width, self.size.width)


class _FindTextInput(_FilterTextInput):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Find", id="find.enter", tooltip="Find the text"),
    ]


class FilterInput(Horizontal):
    """A line for a filter, hidden until `start`; `text` can be watched for every change."""

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
    """The placeholder."""

    PROMPT: ClassVar[str] = "/"
    """The sign before the text: the key that opens the line."""

    @dataclass
    class Submitted(Message):
        """The text was confirmed."""

        text: str

    class Cancelled(Message):
        """The line was left without a text."""

    _LINE: ClassVar[type[_FilterTextInput]] = _FilterTextInput

    text: var[str] = var("", init=False)
    """The typed text; watchers are called before the line is painted, which a message would not be."""

    def compose(self) -> ComposeResult:
        """Compose the sign, the text and the hint."""
        yield Static(self.PROMPT, classes="sign")
        yield self._LINE(placeholder=self.PLACEHOLDER, select_on_focus=False)
        yield Static("", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Follow the text of the input."""
        # Without children if it is removed, or the program quits, before it is mounted.
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
        """True if the line is displayed."""
        return self.has_class("-open")

    def start(self, text: str) -> None:
        """Open the line with `text` selected."""
        self.add_class("-open")
        self.set_reactive(FilterInput.text, text)
        with self.line.prevent(Input.Changed):
            self.line.value = text
        self.line.select_all()
        self.line.focus()

    def hint(self, text: str) -> None:
        """Show a short hint at the right end."""
        self.query_one(".hint", Static).update(Content(visible(text)))

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the event; watchers of `text` were called already."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Confirm the text."""
        event.stop()
        self.post_message(self.Submitted(event.value))

    def action_leave(self) -> None:
        """Cancel the filter."""
        self.post_message(self.Cancelled())

    def on_key(self, event: events.Key) -> None:
        """Confirm the text with up and down, which lead into the table."""
        if event.key in ("down", "up"):
            event.stop()
            self.post_message(self.Submitted(self.line.value))


class FindInput(FilterInput, inherit_bindings=False):
    """A line for a search, which starts when the text is confirmed."""

    PLACEHOLDER = "search names and values"
    _LINE = _FindTextInput
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="find.leave", tooltip="Close the search"),
    ]

    def start(self, text: str) -> None:
        """Open the line with `text` selected, without a hint."""
        self.hint("")
        super().start(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Remove the hint about the text before."""
        super().on_input_changed(event)
        self.hint("")
