"""One-line fields of the console: a method that cycles, a path and a whole request that complete themselves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester, SuggestionReady

from svc_tui.console.pasted_command import is_command
from svc_tui.console.request_form import METHODS
from svc_tui.ui.text import without_commands
from svc_tui.ui.widgets.inputs.text_input import TextInput


class BorderlessInput(TextInput):
    """A field of one line, without a frame; what is pasted is text, its control characters are left out."""

    DEFAULT_CSS = """
    BorderlessInput, BorderlessInput:focus {
        border: none;
        height: 1;
        padding: 0;
        background: $role-surface;
        color: $role-foreground;
        background-tint: transparent;
    }
    BorderlessInput:focus { background: $role-panel; }
    BorderlessInput > .input--placeholder, BorderlessInput > .input--suggestion { color: $role-muted; }
    """

    def line_of(self, text: str) -> str:
        """Return a paste on one line: a path copied over two lines is taken whole."""
        return without_commands("".join(text.splitlines()))[0].strip()


class MethodInput(BorderlessInput):
    """The request's method: up and down go through the usual ones, any other can be typed."""

    DEFAULT_CSS = """
    MethodInput { width: 9; text-style: bold; }
    MethodInput.-read { color: $role-reference; }
    MethodInput.-create { color: $role-ok; }
    MethodInput.-change { color: $role-changed; }
    MethodInput.-delete { color: $role-danger; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "up", "cycle(-1)", "Previous method", show=False, id="method.before", tooltip="Choose the previous method"
        ),
        Binding("down", "cycle(1)", "Next method", show=False, id="method.next", tooltip="Choose the next method"),
    ]
    _LOOKS = {
        "GET": "-read",
        "HEAD": "-read",
        "POST": "-create",
        "PUT": "-change",
        "PATCH": "-change",
        "DELETE": "-delete",
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__("GET", restrict="[A-Za-z-]*", max_length=16, id=id, classes="-read")

    def action_cycle(self, direction: int) -> None:
        """Go to the next of the usual methods."""
        known = METHODS.index(self.value) if self.value in METHODS else -1
        self.value = METHODS[(known + direction) % len(METHODS)]
        self.select_all()

    def validate_value(self, value: str) -> str:
        """Methods are written in capitals."""
        return value.upper()

    def watch_value(self, value: str) -> None:
        """Colour the method by what it does."""
        for look in set(self._LOOKS.values()):
            self.set_class(self._LOOKS.get(value) == look, look)


class AutocompleteInput(BorderlessInput):
    """An input with its completion in muted letters, taken by Tab or right; up and down go through requests."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False, id="path.complete", tooltip="Accept the suggestion"),
        Binding(
            "up",
            "walk(-1)",
            "Older request",
            show=False,
            id="console.earlier",
            tooltip="Show an older request",
        ),
        Binding(
            "down",
            "walk(1)",
            "Newer request",
            show=False,
            id="console.later",
            tooltip="Show a newer request",
        ),
    ]

    @dataclass
    class HistoryStepped(Message):
        """An earlier (-1) or a later (1) request is wanted."""

        steps: int

    @dataclass
    class CommandPasted(Message):
        """A command was pasted that makes a request: `curl …`, or this program's own."""

        text: str

    def __init__(
        self,
        complete: Callable[[str], str | None],
        placeholder: str,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        self._complete = complete
        super().__init__(placeholder=placeholder, suggester=_CallbackSuggester(complete), select_on_focus=False, id=id)

    def _on_paste(self, event: events.Paste) -> None:
        if is_command(event.text):
            # Not a text for the field, and it may hold a key: the field's own handlers never see it.
            event.stop()
            event.prevent_default()
            self.post_message(self.CommandPasted(event.text))

    def action_complete(self) -> None:
        """Take the completion; without one Tab moves to the next field."""
        if not (self.cursor_at_end and self._suggestion):
            raise SkipAction
        self.action_cursor_right()

    def refresh_suggestion(self) -> None:
        """Think of another completion: what it depends on beside the text has changed."""
        self.post_message(SuggestionReady(self.value, self._complete(self.value) or ""))

    def action_walk(self, steps: int) -> None:
        """Ask for another of this session's requests."""
        self.post_message(self.HistoryStepped(steps))


class RequestLineInput(AutocompleteInput):
    """The whole request on one line."""

    DEFAULT_CSS = """
    RequestLineInput { width: 1fr; }
    """

    def __init__(self, complete: Callable[[str], str | None], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(complete, "one line: PATCH lots/lot-000001 note=new massKg:=1.50 page==2 Name:value", id=id)


class PathInput(AutocompleteInput):
    """The path of the request."""

    def __init__(self, complete: Callable[[str], str | None], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(complete, "path, such as operations/lots", id=id)


class _CallbackSuggester(Suggester):
    def __init__(self, complete: Callable[[str], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        return self._complete(value)
