"""Asks before a record is deleted: what it is, what points at it; `y` on the sandbox, the record's id on LIVE."""

from collections.abc import Awaitable

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from svc_tui.ui.screens.dialog import ReviewDialog
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.fields import TextLine
from svc_tui.ui.widgets.reading import Reading


class DeleteDialog(ReviewDialog[bool]):
    """True once it was agreed to; `look` tells what points at the record, and is waited for before that."""

    DEFAULT_CSS = """
    DeleteDialog #pointing { margin: 1 0; }
    DeleteDialog TextLine { margin-top: 1; }
    """

    AUTO_FOCUS = "#typed, #no"
    below = 3

    BINDINGS = [Binding("y", "delete", "Delete", id="delete.yes", tooltip="Delete the record")]

    def __init__(
        self, title: Content, record_id: str, facts: Content, request: Content, look: Awaitable[Content], *, typed: bool
    ) -> None:
        """Make the dialog; `typed` asks for the id in place of a key."""
        super().__init__()
        self._title, self._id, self._facts, self._request = title, record_id, facts, request
        self._look, self._typed = look, typed
        self._looked = False

    def compose(self) -> ComposeResult:
        """The record, what points at it, the request, and the way to agree."""
        with Vertical(id="dialog", classes="danger") as dialog:
            dialog.border_title = self._title
            with Reading():
                yield Static(self._facts)
                yield Static(Content.styled("Looking what points at it…", "$role-muted"), id="pointing")
                yield Static(self._request)
            if self._typed:
                yield TextLine(placeholder="the record's id, typed or pasted, then enter", id="typed")
            yield Static("", classes="problem", id="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(Content("esc Keep it"), id="no")
                yield Button(Content("enter Delete" if self._typed else "y Delete"), id="yes")

    def on_mount(self) -> None:
        """Look what points at the record."""
        self.run_worker(self._show_pointing(), exclusive=True)

    async def _show_pointing(self) -> None:
        found = await self._look
        self.query_one("#pointing", Static).update(found)
        self._looked = True
        self._say("")

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def action_delete(self) -> None:
        """Agree, once all was seen, and on LIVE the id was typed."""
        if not self._looked:
            self._say("What points at it is still being looked for.")
        elif self._typed and self.query_one("#typed", Input).value.strip() != self._id:
            self._say("That is not the record's id.")
            self.query_one("#typed").focus()
        elif self.all_read():
            self.dismiss(True)

    @on(Button.Pressed, "#no")
    def _kept(self) -> None:
        self.action_cancel()

    def on_paste(self, event: events.Paste) -> None:
        """A paste is the id, wherever the focus is; it never presses a key."""
        event.stop()
        for typed in self.query("#typed").results(Input):
            typed.value = " ".join(event.text.split())
            typed.focus()

    def _say(self, problem: str) -> None:
        self.query_one("#problem", Static).update(shown(problem))
