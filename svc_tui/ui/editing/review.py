"""Shows the card of a request before it is sent, and remembers the ticket it is for."""

from dataclasses import replace
from typing import TYPE_CHECKING

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.write_requests import CompletedRequest
from svc_tui.domain.http.redact import holds_secret
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.ui.session.context import Context

if TYPE_CHECKING:
    from svc_tui.ui.editing.request_card import RequestCard
    from svc_tui.ui.widgets.inputs.ticket_input import TicketInput


class Reviewer:
    """The cards of one screen; its methods run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.ticket = ""
        """The one that was written last."""

    def ticket_line(self, ticket: str = "") -> "TicketInput":
        """Make a line for a card, with `ticket`, or with the one that was written last, which the line tells."""
        from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

        return TicketInput(
            ticket or self.ticket,
            lambda text: holds_secret(text, self._context.gateway.secrets),
            carried=not ticket and bool(self.ticket),
        )

    async def agreed(self, card: "RequestCard") -> str | None:
        """The ticket's reference, once the user has agreed to what the card shows; None: not now."""
        ticket: str | None = await self._context.show(card)
        self.remember(card.ticket_line)
        return ticket

    def remember(self, line: "TicketInput") -> None:
        """Remember this line's text for the next one."""
        self.ticket = line.ticket

    async def completed(self, place: Place, spec: RequestSpec, draft: Draft) -> CompletedRequest | None:
        """What a fresh reading of the record adds to a request about it; None where it can't be read.

        `draft` is the record as the card shows it, with its edits where it has any.
        """
        from svc_tui.domain.editing.record_lookup import completed_request

        completed = await completed_request(self._context.gateway, place, spec, draft)
        if completed is None:
            return None
        request = self._context.privacy_mask.request(completed.request, beside=draft.fields)
        return replace(completed, request=request)
