"""Asks under which name a request is to be saved, and what it is for."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


@dataclass(frozen=True, slots=True)
class SavedRequestDetails:
    """What was typed."""

    name: str
    description: str


class SaveRequestScreen(Dialog[SavedRequestDetails]):
    """Gives name and description once `problem` finds nothing wrong with saving under them, or None.

    `request` says what is saved, `blank_names` the names of its placeholders.
    """

    DEFAULT_CSS = """
    SaveRequestScreen TextInput { margin-top: 1; }
    SaveRequestScreen .problem { margin-top: 1; }
    """

    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="saving.save", priority=True, tooltip="Save the request under this name"),
        Binding("down", "app.focus_next", "Next", show=False, id="saving.down", tooltip="Go to the other field"),
        Binding("up", "app.focus_previous", "Previous", show=False, id="saving.up", tooltip="Go to the other field"),
    ]

    def __init__(
        self, request: str, blank_names: tuple[str, ...], problem: Callable[[SavedRequestDetails], str]
    ) -> None:
        super().__init__()
        self._request, self._blank_names, self._problem = request, blank_names, problem

    def compose(self) -> ComposeResult:
        """What is saved, and two lines."""
        names = ", ".join(self._blank_names)
        blanks = (
            f"Asks for {names} each time." if names else "No placeholders. Write {name} to ask for a value each time."
        )
        with DialogFrame("Save request", "enter next · ctrl+s save · esc cancel"):
            yield Static(
                Content.assemble(styled(self._request, "$role-reference"), "\n", styled(blanks, "$role-muted"))
            )
            yield TextInput(placeholder="name, for example: Lots by grade", id="name")
            yield TextInput(placeholder="description", id="description")
            yield Static("", classes="problem", markup=False)

    @property
    def _details(self) -> SavedRequestDetails:
        name, description = (self.query_one(f"#{field}", TextInput).value.strip() for field in ("name", "description"))
        return SavedRequestDetails(name, description)

    @on(Input.Submitted, "#name")
    def _named(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one("#description").focus()

    @on(Input.Submitted, "#description")
    def _described(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Close with what was typed, or say what is wrong with it."""
        if problem := self._problem(self._details):
            self.query_one(".problem", Static).update(styled(problem, lines=True))
        else:
            self.dismiss(self._details)
