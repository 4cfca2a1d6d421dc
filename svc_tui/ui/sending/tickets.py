"""The tickets of writes: the line for one on a card, and which one it holds or offers."""

from typing import TYPE_CHECKING

from svc_tui.core.records import Place
from svc_tui.service.gateway import Gateway
from svc_tui.service.redact import holds_secret
from svc_tui.writes.outcomes import WriteReport

if TYPE_CHECKING:
    from svc_tui.ui.widgets.inputs.ticket_input import TicketInput


class Tickets:
    """Remembers the last ticket of one screen, and makes the lines for one; the gateway's secrets are refused."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.last = ""
        self._last_place: Place | None = None
        """The record that it was written for."""

    def line(self, place: Place | None = None, unknown: WriteReport | None = None) -> "TicketInput":
        """Make a line for the card of a write to `place`.

        It holds the last ticket where that was for the same record, else it offers it. A request that is sent again
        after an `unknown` outcome keeps the ticket that it was sent with, none included.
        """
        if unknown is not None:
            return self._make_line(unknown.ticket, last=self.last, carried=True)
        same = place is not None and place.record_id is not None and place == self._last_place
        return self._make_line(self.last if same else "", last=self.last, carried=same)

    def plan_line(self, ticket: str) -> "TicketInput":
        """Make a line for a plan with the ticket of its run, "" for none; no write's ticket is offered for a plan."""
        return self._make_line(ticket)

    def remember(self, line: "TicketInput", place: Place | None = None) -> None:
        """Remember this line's text for the next one, and the record that it was for; without a text, the last one."""
        if line.ticket:
            self.last, self._last_place = line.ticket, place
        elif place == self._last_place:
            self._last_place = None

    def _make_line(self, ticket: str, *, last: str = "", carried: bool = False) -> "TicketInput":
        from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

        secrets = self._gateway.secrets
        return TicketInput(ticket, lambda text: holds_secret(text, secrets), last=last, carried=carried)
