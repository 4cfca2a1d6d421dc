"""The card before a request leaves: everything that is to be known of it, the ticket it is for, and `y`."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from svc_tui.domain.app.tour import OpenDialog
from svc_tui.domain.editing.draft import FieldChange
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.requests import SignedRequest
from svc_tui.ui.dialogs.dialog import Dialog, DialogResult, ReviewDialog
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.request.request_preview import destination, request_content
from svc_tui.ui.widgets.text.difference import diff_content
from svc_tui.ui.widgets.text.scroll_text import ScrollText


class TicketDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog with a `ticket_line`; a subclass asks `strayed` before it agrees to anything."""

    ticket_line: TicketInput
    _stray_key = False

    def on_key(self, event: events.Key) -> None:
        """A letter that does nothing is one of a text that somebody thinks goes into the ticket line."""
        if event.is_printable and event.key not in self.active_bindings and self.accepts(event):
            self._stray_key = True
            self._say_below("t goes to the ticket line · that was no key here")

    def on_paste(self, event: events.Paste) -> None:
        """A paste is a ticket's reference, wherever the focus is; it never presses a key."""
        event.stop()
        self.ticket_line.paste(event.text)

    def action_ticket(self) -> None:
        """Into the ticket line."""
        self.ticket_line.begin()

    def stray_key_pressed(self) -> bool:
        """Whether the key that agrees is of a text typed beside the line, which is said; the next one is not."""
        stray_key_pressed, self._stray_key = self._stray_key, False
        if stray_key_pressed:
            self._say_below(f"nothing done: typed beside the ticket line? · {self.confirm_key} again does it")
        return stray_key_pressed

    def _say_below(self, words: str) -> None:
        self.query_one("#dialog").border_subtitle = words


@tour_name(OpenDialog.CARD)
class RequestCard(ReviewDialog[str], TicketDialog[str]):
    """The ticket's reference ("" for none) once all was seen and `y` pressed; None: not now.

    `body` tells what the request is about, and where it goes. `doubt` says why the same request is offered again: such
    a card comes by itself. `complete` gives the request once more is known of it, None where no more can be known.
    """

    DEFAULT_CSS = """
    RequestCard #request, RequestCard TicketInput { margin-top: 1; }
    RequestCard.-short TicketInput { margin-top: 0; }
    """

    AUTO_FOCUS = "#back"
    rows_below = 2

    BINDINGS = [
        Binding("y", "send", "Send", id="card.send", tooltip="Send exactly this request"),
        Binding(
            "t", "ticket", "Ticket", id="card.ticket", tooltip="Write the ticket's reference; Enter leaves the line"
        ),
    ]

    def __init__(
        self,
        title: Content,
        body: Content,
        request: SignedRequest,
        ticket_line: TicketInput,
        *,
        back: str = "Back",
        send: str = "Send",
        danger: bool = False,
        retry_reason: str = "",
        complete: Callable[[], Awaitable[SignedRequest | None]] | None = None,
    ) -> None:
        super().__init__()
        self._title, self._body, self._request = title, body, request
        self._back, self._send, self._danger = back, send, danger
        self._retry_reason, self._complete = retry_reason, complete
        self.unsolicited = bool(retry_reason)
        self.ticket_line = ticket_line

    def compose(self) -> ComposeResult:
        """What it is about, the request, the ticket, two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = self._title
            dialog.set_class(self._danger, "danger")
            with ScrollText():
                if self._retry_reason:
                    yield Static(shown(self._retry_reason, "$role-warning", lines=True), id="doubt")
                yield Static(self._body)
                yield from self.compose_details()
                yield Static(request_content(self._request), id="request")
            yield from self.compose_inputs()
            yield self.ticket_line
            with Horizontal(classes="buttons"):
                yield Button(Content(f"esc {self._back}"), id="back")
                yield Button(Content(f"{self.confirm_key} {self._send}"), id="send")

    def compose_details(self) -> ComposeResult:
        """What else is to be read before the request."""
        yield from ()

    def compose_inputs(self) -> ComposeResult:
        """What is asked for beside the key; it stays in view."""
        yield from ()

    def on_mount(self) -> None:
        """Find out what is still missing in the request; a card that is closed need not know it."""
        if self._complete is not None:
            self.run_worker(self._show_completed(self._complete()), group="request")

    async def _show_completed(self, coming: Awaitable[SignedRequest | None]) -> None:
        request = await coming
        if request is None:
            return
        # A card that was closed meanwhile has nothing left to show it in.
        for place in self.query("#request").results(Static):
            place.update(request_content(request))

    @on(Input.Submitted, "#ticket")
    def _ticket_written(self) -> None:
        self.query(self.AUTO_FOCUS).first().focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_cancel()

    def action_send(self) -> None:
        """Send it, once all of it was in view; the first `y` after a letter that does nothing is of that text too."""
        if not self.stray_key_pressed() and self.may_send() and self.all_read():
            self.dismiss(self.ticket_line.ticket)

    def may_send(self) -> bool:
        """Whether what is `asked` for is there; where it is not, say so."""
        return True


class ChangeCard(RequestCard):
    """The card of an edit: old and new for each field; Esc leads back to the edit."""

    def __init__(
        self,
        environment: Environment,
        profile: str,
        record: str,
        label: str,
        changes: Sequence[FieldChange],
        request: SignedRequest,
        ticket_line: TicketInput,
        *,
        retry_reason: str = "",
        complete: Callable[[], Awaitable[SignedRequest | None]] | None = None,
    ) -> None:
        live = environment is Environment.LIVE
        title = Content.assemble(
            (f" {environment.label} ", "$role-background on $role-live bold") if live else "SANDBOX",
            " · Send again " if retry_reason else " · Change ",
            shown(record),
        )
        body = Content("\n").join([
            Content.assemble(shown(record, "bold"), shown(f"  {label}")),
            destination(request, profile),
            diff_content(changes),
        ])  # fmt: skip
        super().__init__(
            title,
            body,
            request,
            ticket_line,
            back="Leave it" if retry_reason else "Back to the edit",
            send="Send again" if retry_reason else "Send",
            danger=live,
            retry_reason=retry_reason,
            complete=complete,
        )
