"""The change card: everything about a change before it is sent."""

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import FieldChange
from svc_tui.domain.requests import SignedRequest
from svc_tui.ui.screens.dialog import ReviewDialog
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.difference import difference
from svc_tui.ui.widgets.fields import TextLine
from svc_tui.ui.widgets.reading import Reading
from svc_tui.ui.widgets.request_lines import destination, request_content


class ChangeCard(ReviewDialog[str]):
    """The ticket's reference ("" for none) once all was seen and `y` pressed; None: back to the edit."""

    DEFAULT_CSS = """
    ChangeCard #request { margin-top: 1; }
    ChangeCard #ticket-line { height: 1; margin-top: 1; }
    ChangeCard.-short #ticket-line { margin-top: 0; }
    ChangeCard #ticket-line Static { width: auto; color: $role-muted; }
    ChangeCard #ticket { width: 1fr; }
    """

    AUTO_FOCUS = "#back"
    below = 2

    BINDINGS = [
        Binding("y", "send", "Send", id="card.send", tooltip="Send exactly this request"),
        Binding(
            "t", "ticket", "Ticket", id="card.ticket", tooltip="Write the ticket's reference; Enter leaves the line"
        ),
    ]

    def __init__(
        self,
        environment: Environment,
        profile: str,
        record: str,
        label: str,
        changes: Sequence[FieldChange],
        request: SignedRequest,
        ticket: str = "",
    ) -> None:
        super().__init__()
        self._environment, self._profile = environment, profile
        self._record, self._label = record, label
        self._changes, self._request, self._ticket = changes, request, ticket

    def compose(self) -> ComposeResult:
        """Where, what, old and new, the request, the ticket, two buttons."""
        live = self._environment is Environment.LIVE
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content.assemble(
                (f" {self._environment.label} ", "$role-background on $role-live bold") if live else "SANDBOX",
                " · Change ",
                shown(self._record),
            )
            dialog.set_class(live, "danger")
            with Reading():
                yield Static(Content.assemble(shown(self._record, "bold"), shown(f"  {self._label}")))
                yield Static(destination(self._request, self._profile))
                yield Static(difference(self._changes))
                yield Static(request_content(self._request), id="request")
            with Horizontal(id="ticket-line"):
                yield Static("Ticket ", markup=False)
                yield TextLine(self._ticket, placeholder="t writes one", id="ticket")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc Back to the edit"), id="back")
                yield Button(Content("y Send"), id="send")

    @on(Input.Submitted)
    def _ticket_written(self) -> None:
        self.query_one("#back").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_cancel()

    def on_paste(self, event: events.Paste) -> None:
        """A paste is a ticket's reference, wherever the focus is; it never presses a key."""
        event.stop()
        lines = event.text.split("\n")
        ticket = self.query_one("#ticket", Input)
        ticket.value = lines[0].strip()
        ticket.focus()

    def action_ticket(self) -> None:
        """Into the ticket line."""
        self.query_one("#ticket").focus()

    def action_send(self) -> None:
        """Send it, once all of it was in view."""
        if self.all_read():
            self.dismiss(self.query_one("#ticket", Input).value.strip())
