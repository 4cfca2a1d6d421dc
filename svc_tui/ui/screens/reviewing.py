"""Has somebody look at a change before it is sent: opens the change card, completes it, remembers the ticket.

The card is imported where it opens, so that the first paint does not wait for it.
"""

from functools import partial
from typing import Any

from textual.screen import Screen

from svc_tui.domain.draft import Draft
from svc_tui.domain.errors import ServiceError
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.records import Place
from svc_tui.domain.requests import RequestSpec, SignedRequest
from svc_tui.domain.settings import Profile
from svc_tui.domain.writes import matching
from svc_tui.ui.veil import Veil


class Reviewing:
    """The change cards of one screen; its methods run in workers of the screen."""

    def __init__(self, screen: Screen[Any], gateway: Gateway, profile: Profile, veil: Veil) -> None:
        self._screen, self._gateway, self._profile, self._veil = screen, gateway, profile, veil
        self._ticket = ""

    async def confirmed(self, place: Place, draft: Draft, spec: RequestSpec, doubt: str = "") -> str | None:
        """The ticket's reference, once somebody has agreed to send `spec`; None: not now.

        `doubt` says why the same request is to be sent again. Raises RequestRefused for what can't be sent.
        """
        request = self._gateway.preview(spec)
        from svc_tui.ui.screens.change_card import ChangeCard

        seen = self._veil.draft(draft, place.collection.domain)
        card = ChangeCard(
            self._gateway.environment,
            self._profile.name,
            place.record_id or "",
            seen.base.label,
            seen.changes,
            self._veil.request(request, beside=draft.fields),
            self._ticket,
            secrets=self._gateway.secrets,
            doubt=doubt,
            complete=None if draft.base.etag else partial(self._completed, place, draft, spec),
        )
        ticket = await self._screen.app.push_screen_wait(card)
        self._ticket = card.ticket
        return ticket

    async def _completed(self, place: Place, draft: Draft, spec: RequestSpec) -> SignedRequest | None:
        """The request with the `If-Match` that a record from a list could not tell; None where it can't be read."""
        assert place.record_id is not None
        try:
            record = await self._gateway.record(place.collection, place.record_id)
        except ServiceError:
            # The road reads the record once more before it sends, and says why it can't.
            return None
        return self._veil.request(self._gateway.preview(matching(spec, record.etag)), beside=draft.fields)
