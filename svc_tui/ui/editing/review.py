"""Has somebody look at a request before it is sent: opens its card, completes it, remembers the ticket.

The cards are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.write_pipeline import matching
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec, SignedRequest
from svc_tui.ui.session.context import Context
from svc_tui.ui.terminal.clipboard import holds_secret

if TYPE_CHECKING:
    from svc_tui.ui.editing.request_card import RequestCard
    from svc_tui.ui.widgets.inputs.ticket_input import TicketInput


class ReviewController:
    """The cards of one screen; its methods run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ticket = ""

    def ticket_line(self, ticket: str = "") -> "TicketInput":
        """A line for a card, with `ticket`, or with the one that was written last."""
        from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

        return TicketInput(ticket or self._ticket, lambda text: holds_secret(text, self._context.gateway.secrets))

    async def agreed(self, card: "RequestCard") -> str | None:
        """The ticket's reference, once somebody has agreed to what the card shows; None: not now."""
        ticket: str | None = await self._context.show(card)
        self.remember(card.ticket_line)
        return ticket

    def remember(self, line: "TicketInput") -> None:
        """The next line begins with what stands in this one."""
        self._ticket = line.ticket

    async def confirm_change(self, place: Place, draft: Draft, spec: RequestSpec, retry_reason: str = "") -> str | None:
        """The ticket's reference, once somebody has agreed to send `spec`; None: not now.

        `doubt` says why the same request is to be sent again. Raises RequestRefused for what can't be sent.
        """
        request = self._context.gateway.preview(spec)
        from svc_tui.ui.editing.request_card import ChangeCard

        seen = self._context.privacy_mask.draft(draft, place.collection.domain)
        card = ChangeCard(
            self._context.gateway.environment,
            self._context.profile.name,
            place.record_id or "",
            seen.base.label,
            seen.changes,
            self._context.privacy_mask.request(request, beside=draft.fields),
            self.ticket_line(),
            retry_reason=retry_reason,
            complete=None if draft.base.etag else partial(self.add_if_match, place, spec, draft.fields),
        )
        return await self.agreed(card)

    async def add_if_match(self, place: Place, spec: RequestSpec, fields: Mapping[str, Json]) -> SignedRequest | None:
        """The request with the `If-Match` that a record from a list could not tell; None where it can't be read.

        `fields` are those of the record, for what is to be hidden of them.
        """
        assert place.record_id is not None
        try:
            record = await self._context.gateway.record(place.collection, place.record_id)
        except ServiceError:
            # The pipeline reads the record once more before it sends, and says why it can't.
            return None
        return self._context.privacy_mask.request(
            self._context.gateway.preview(matching(spec, record.etag)), beside=fields
        )
