"""Asks before a record is deleted: what it is, what points at it; `y` on the sandbox, the record's id on LIVE."""

from collections.abc import Awaitable, Callable

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.core.values import replace
from svc_tui.ui.editing.request_card import CardContent, RequestCard
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.writes.write_requests import RefreshedRequest


class DeleteDialog(RequestCard):
    """The card of a deletion; what points at the record is waited for before anything is sent."""

    DEFAULT_CSS = """
    DeleteDialog #pointing { margin-bottom: 1; }
    DeleteDialog #typed { margin-top: 1; }
    DeleteDialog.-short #typed { margin-top: 0; }
    """

    AUTO_FOCUS = "#typed, #back"
    rows_below = 4

    BINDINGS = [
        Binding("y", "send", "Delete", id="delete.yes", tooltip="Delete the record"),
        Binding("enter", "send", "Delete", show=False, id="delete.typed", tooltip="Delete the record"),
    ]

    def __init__(
        self,
        content: CardContent,
        pointers: Awaitable[Content],
        ticket_line: TicketInput,
        *,
        typed_id: str = "",
        complete: Callable[[], Awaitable[RefreshedRequest | None]] | None = None,
    ) -> None:
        """Make the dialog; it asks for `typed_id` to be typed in place of a key, where there is one."""
        super().__init__(replace(content, send="Delete", danger=True), ticket_line, complete=complete)
        self._typed_id, self._pointers = typed_id, pointers
        self._pointers_shown = False
        if typed_id:
            self.confirm_key, ticket_line.focus_key = "enter", "tab"

    def compose_details(self) -> ComposeResult:
        """What points at the record."""
        yield Static(Content.styled("Searching for references…", "$role-muted"), id="pointing")

    def compose_inputs(self) -> ComposeResult:
        """The line for the id, and what is missing."""
        if self._typed_id:
            yield TextInput(placeholder="type or paste the record's id", id="typed")
        yield Static("", classes="problem", id="problem", markup=False)

    def on_mount(self) -> None:
        """Look what points at the record."""
        self.run_worker(self._show_pointing(), group="pointing")

    async def _show_pointing(self) -> None:
        pointers = await self._pointers
        if not self.is_current:
            # The user has left the dialog meanwhile, and it is being taken apart.
            return
        self.query_one("#pointing", Static).update(pointers)
        self._pointers_shown = True
        self._say("")

    def may_send(self) -> bool:
        """Whether writes are unlocked, the referrers were shown and, on LIVE, the id was typed."""
        if not super().may_send():
            return False
        if not self._pointers_shown:
            self._say("Still searching for references.")
        elif self._typed_id and self.query_one("#typed", Input).value.strip() != self._typed_id:
            self._say("Wrong id. Type the id of this record.")
            self.query_one("#typed").focus()
        else:
            return True
        return False

    @on(Input.Submitted, "#typed")
    def _id_typed(self) -> None:
        self.action_send()

    def on_paste(self, event: events.Paste) -> None:
        """A paste beside the lines is the id, where one is asked for; it never presses a key."""
        for typed in self.query("#typed").results(Input):
            event.prevent_default()
            event.stop()
            typed.value = " ".join(event.text.split())
            if notice := paste_notice(event.text, typed.value):
                self._say(notice)
            typed.focus()

    def _say(self, problem: str) -> None:
        self.query_one("#problem", Static).update(styled(problem))
