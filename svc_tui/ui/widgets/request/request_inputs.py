"""One-line inputs of the console: the method, the path and a whole request, with completion."""

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
    """An input without a frame, which removes control characters from a paste."""

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
        """Return a paste on one line, joined without spaces, as a path copied over two lines needs."""
        return without_commands("".join(text.splitlines()))[0].strip()


class MethodInput(BorderlessInput):
    """The method of the request; up and down go through the usual ones."""

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
        """Go to the next or previous usual method."""
        known = METHODS.index(self.value) if self.value in METHODS else -1
        self.value = METHODS[(known + direction) % len(METHODS)]
        self.select_all()

    def validate_value(self, value: str) -> str:
        """Write the method in capitals."""
        return value.upper()

    def watch_value(self, value: str) -> None:
        """Colour the method by its effect."""
        for look in set(self._LOOKS.values()):
            self.set_class(self._LOOKS.get(value) == look, look)


class AutocompleteInput(BorderlessInput):
    """An input with a suggestion that Tab or right accepts; up and down go through earlier requests."""

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
        """A request to show an earlier (-1) or a later (1) request."""

        steps: int

    @dataclass
    class CommandPasted(Message):
        """A command that makes a request was pasted: `curl …`, or a command of svc-tui."""

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
            # It may contain a key, so that the input must not take it.
            event.stop()
            event.prevent_default()
            self.post_message(self.CommandPasted(event.text))

    def action_complete(self) -> None:
        """Accept the suggestion; without one, Tab goes to the next field."""
        if not (self.cursor_at_end and self._suggestion):
            raise SkipAction
        self.action_cursor_right()

    def refresh_suggestion(self) -> None:
        """Update the suggestion after a change of the method."""
        self.post_message(SuggestionReady(self.value, self._complete(self.value) or ""))

    def action_walk(self, steps: int) -> None:
        """Post that an earlier or a later request is wanted."""
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
