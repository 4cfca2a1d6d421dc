"""The change card: everything about a change before it is sent."""

from collections.abc import Awaitable, Callable, Sequence

from textual.content import Content

from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import FieldChange
from svc_tui.domain.requests import SignedRequest
from svc_tui.ui.screens.card import Card
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.difference import difference
from svc_tui.ui.widgets.request_lines import destination
from svc_tui.ui.widgets.ticket_line import TicketLine


class ChangeCard(Card):
    """The card of an edit: old and new for each field; Esc leads back to the edit."""

    def __init__(
        self,
        environment: Environment,
        profile: str,
        record: str,
        label: str,
        changes: Sequence[FieldChange],
        request: SignedRequest,
        ticket_line: TicketLine,
        *,
        doubt: str = "",
        complete: Callable[[], Awaitable[SignedRequest | None]] | None = None,
    ) -> None:
        live = environment is Environment.LIVE
        title = Content.assemble(
            (f" {environment.label} ", "$role-background on $role-live bold") if live else "SANDBOX",
            " · Send again " if doubt else " · Change ",
            shown(record),
        )
        body = Content("\n").join([
            Content.assemble(shown(record, "bold"), shown(f"  {label}")),
            destination(request, profile),
            difference(changes),
        ])  # fmt: skip
        super().__init__(
            title,
            body,
            request,
            ticket_line,
            back="Leave it" if doubt else "Back to the edit",
            send="Send again" if doubt else "Send",
            danger=live,
            doubt=doubt,
            complete=complete,
        )
