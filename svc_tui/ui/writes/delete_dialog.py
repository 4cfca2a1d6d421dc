"""Asks before a record is deleted: what it is, what points at it; `y` on the sandbox, the record's id on LIVE."""

from collections.abc import Awaitable, Callable

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.core.values import replace
from svc_tui.ui.sending.request_card import CardContent, RequestCard
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.writes.write_requests import RefreshedRequest


class DeleteDialog(RequestCard):
    """The card of a deletion; what points at the record is waited for before anything is sent."""

    DEFAULT_CSS = """
    DeleteDialog #id-line { height: 1; margin-top: 1; }
    DeleteDialog.-short #id-line { margin-top: 0; }
    DeleteDialog #id-line Static { color: $role-muted; }
    DeleteDialog #id-line TextInput { width: 1fr; }
    """

    AUTO_FOCUS = "#typed, #back"

    BINDINGS = [
        Binding("y", "send", "Delete", id="delete.yes", tooltip="Delete the record"),
        Binding("enter", "send", "Delete", show=False, id="delete.typed", tooltip="Delete the record"),
        Binding("ctrl+t", "ticket", "Ticket", show=False, id="delete.ticket", tooltip="Add the ticket"),
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
            self.confirm_key, ticket_line.focus_key, self.word_key = "enter", "^t", "shift+tab"
            self.rows_below += 1

    def compose_details(self) -> ComposeResult:
        """What points at the record."""
        yield Static(Content.styled("Searching for references…", "$role-muted"), id="pointing")

    def compose_inputs(self) -> ComposeResult:
        """The line for the id."""
        if self._typed_id:
            with Horizontal(id="id-line"):
                label = Static("Id", markup=False)
                label.styles.width = self._label_cells - 1
                yield label
                yield TextInput(placeholder="type or paste the record's id", id="typed")

    def show_choice(self) -> None:
        """Have the id typed once LIVE is unlocked."""
        super().show_choice()
        for typed in self.query("#typed"):
            typed.disabled = self._locked

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
        if self.said_below:
            self._say_below("")

    def may_send(self) -> bool:
        """Whether writes are unlocked, the referrers were shown and, on LIVE, the id was typed."""
        if not super().may_send():
            return False
        if not self._pointers_shown:
            self._say_below("still searching for references")
        elif self._typed_id and self.query_one("#typed", Input).value.strip() != self._typed_id:
            self._say_below("wrong id · type the id of this record")
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
                self._say_below(notice)
            typed.focus()
