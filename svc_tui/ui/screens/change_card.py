"""The change card: everything about a change before it is sent."""

from collections.abc import Awaitable, Callable, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import FieldChange
from svc_tui.domain.requests import SignedRequest
from svc_tui.ui.clipboard import holds_secret
from svc_tui.ui.screens.dialog import ReviewDialog
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.difference import difference
from svc_tui.ui.widgets.fields import TextLine
from svc_tui.ui.widgets.reading import Reading
from svc_tui.ui.widgets.request_lines import destination, request_content


class ChangeCard(ReviewDialog[str]):
    """The ticket's reference ("" for none) once all was seen and `y` pressed; None: back to the edit.

    `doubt` says why the same request is offered again; `complete` gives the request once more is known of it, None
    where no more can be known. One of `secrets` is no ticket: it would stay in the journal.
    """

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
        *,
        secrets: Sequence[str] = (),
        doubt: str = "",
        complete: Callable[[], Awaitable[SignedRequest | None]] | None = None,
    ) -> None:
        super().__init__()
        self._environment, self._profile = environment, profile
        self._record, self._label = record, label
        self._changes, self._request = changes, request
        self._secrets, self._doubt, self._complete = secrets, doubt, complete
        self._strayed = False
        self.ticket = ticket
        """What stands in the ticket line; none of `secrets`."""

    def compose(self) -> ComposeResult:
        """Where, what, old and new, the request, the ticket, two buttons."""
        live = self._environment is Environment.LIVE
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content.assemble(
                (f" {self._environment.label} ", "$role-background on $role-live bold") if live else "SANDBOX",
                " · Send again " if self._doubt else " · Change ",
                shown(self._record),
            )
            dialog.set_class(live, "danger")
            with Reading():
                if self._doubt:
                    yield Static(shown(self._doubt, "$role-warning"), id="doubt")
                yield Static(Content.assemble(shown(self._record, "bold"), shown(f"  {self._label}")))
                yield Static(destination(self._request, self._profile))
                yield Static(difference(self._changes))
                yield Static(request_content(self._request), id="request")
            with Horizontal(id="ticket-line"):
                yield Static("Ticket ", markup=False)
                yield TextLine(self.ticket, placeholder="t writes one", id="ticket")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc Leave it" if self._doubt else "esc Back to the edit"), id="back")
                yield Button(Content("y Send again" if self._doubt else "y Send"), id="send")

    def on_mount(self) -> None:
        """Find out what is still missing in the request; a card that is closed need not know it."""
        if self._complete is not None:
            self.run_worker(self._show_completed(self._complete()), group="request")

    async def _show_completed(self, coming: Awaitable[SignedRequest | None]) -> None:
        request = await coming
        if request is not None:
            self.query_one("#request", Static).update(request_content(request))

    @on(Input.Changed)
    def _ticket_typed(self, event: Input.Changed) -> None:
        if holds_secret(event.value, self._secrets):
            event.input.value = ""
            event.input.placeholder = "not taken: it looks like a key or a secret"
        else:
            self.ticket = event.value.strip()

    @on(Input.Submitted)
    def _ticket_written(self) -> None:
        self.query_one("#back").focus()

    def on_key(self, event: events.Key) -> None:
        """A letter that does nothing is one of a text that somebody thinks goes into the ticket line."""
        if event.is_printable and event.key not in self.active_bindings:
            self._strayed = True
            self.query_one("#dialog").border_subtitle = "t goes to the ticket line · that was no key here"

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_cancel()

    def on_paste(self, event: events.Paste) -> None:
        """A paste is a ticket's reference, wherever the focus is; it never presses a key."""
        event.stop()
        ticket = self.query_one("#ticket", Input)
        ticket.value = " ".join(event.text.split())
        ticket.focus()

    def action_ticket(self) -> None:
        """Into the ticket line."""
        self.query_one("#ticket").focus()

    def action_send(self) -> None:
        """Send it, once all of it was in view; the first `y` after a letter that does nothing is of that text too."""
        if self._strayed:
            self._strayed = False
            self.query_one("#dialog").border_subtitle = "nothing sent: typed beside the ticket line? · y again sends"
        elif self.all_read():
            self.dismiss(self.ticket)
