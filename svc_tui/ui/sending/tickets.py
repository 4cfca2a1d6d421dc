"""Shows the card of a request before it is sent, and remembers the ticket it is for."""

from typing import TYPE_CHECKING

from svc_tui.core.draft import Draft
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.redact import holds_secret
from svc_tui.ui.context import Context
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.sending.request_card import RequestCard
    from svc_tui.ui.widgets.inputs.ticket_input import TicketInput


class Reviewer:
    """The cards of one screen; its methods run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.ticket = ""
        """The one that was written last."""
        self._ticket_place: Place | None = None
        """The record that it was written for."""

    def ticket_line(self, place: Place | None = None, unknown: WriteReport | None = None) -> "TicketInput":
        """Make a line for the card of a write to `place`.

        It holds the last ticket where that was for the same record, else it offers it. A request that is sent again
        after an `unknown` outcome keeps the ticket that it was sent with, none included.
        """
        if unknown is not None:
            return self._make_line(unknown.ticket, last=self.ticket, carried=True)
        same = place is not None and place.record_id is not None and place == self._ticket_place
        return self._make_line(self.ticket if same else "", last=self.ticket, carried=same)

    def plan_ticket_line(self, ticket: str) -> "TicketInput":
        """Make a line for a plan with the ticket of its run, "" for none; no write's ticket is offered for a plan."""
        return self._make_line(ticket)

    def _make_line(self, ticket: str, *, last: str = "", carried: bool = False) -> "TicketInput":
        from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

        secrets = self._context.gateway.secrets
        return TicketInput(ticket, lambda text: holds_secret(text, secrets), last=last, carried=carried)

    async def agreed(self, card: "RequestCard", place: Place | None = None) -> str | None:
        """The ticket's reference, once the user has agreed to what the card shows; None: not now.

        `place` is the record that it is about.
        """
        ticket: str | None = await self._context.show(card)
        self.remember(card.ticket_line, place)
        return ticket

    def remember(self, line: "TicketInput", place: Place | None = None) -> None:
        """Remember this line's text for the next one, and the record that it was for; without a text, the last one."""
        if line.ticket:
            self.ticket, self._ticket_place = line.ticket, place
        elif place == self._ticket_place:
            self._ticket_place = None

    async def completed(self, place: Place, spec: RequestSpec, draft: Draft) -> RefreshedRequest | None:
        """What a fresh reading of the record adds to a request about it; None where it can't be read.

        `draft` is the record as the card shows it, with its edits where it has any.
        """
        from svc_tui.writes.record_lookup import refresh_request

        completed = await refresh_request(self._context.gateway, place, spec, draft)
        if completed is None:
            return None
        mask, freshness = self._context.privacy_mask, completed.freshness
        if freshness is not None:
            freshness = replace(freshness, draft=mask.draft(freshness.draft, place.collection.domain))
        return replace(completed, request=mask.request(completed.request, beside=draft.fields), freshness=freshness)
