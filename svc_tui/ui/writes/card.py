"""The card of a write that is neither an edit nor a deletion: it says what the request is for, and shows it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.ui.context import Context
from svc_tui.ui.editing.write_controller import MakeCard, WriteController
from svc_tui.ui.report import cause_of
from svc_tui.ui.text import styled
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.editing.request_card import RequestCard


def plain_card(
    context: Context,
    writes: WriteController,
    what: str,
    *,
    note: str = "",
    place: Place | None = None,
    complete: Callable[[RequestSpec], Awaitable[RefreshedRequest | None]] | None = None,
) -> MakeCard:
    """Return what makes the card of `what` the request does.

    `place` is the record that it is about, None where it is about none. `complete` gives the request with what is still
    to be read for it, None where that can't be.
    """

    def make_card(spec: RequestSpec, request: SignedRequest, unknown: WriteReport | None) -> "RequestCard":
        from svc_tui.ui.editing.request_card import CardContent, RequestCard

        content = CardContent(
            writes.heading(f"{what}: outcome unknown" if unknown else what),
            styled(note, "$role-warning"),
            context.privacy_mask.request(request),
            context.profile.name,
            send="Send again" if unknown else "Send",
            danger=writes.live,
            retry_reason=_retry_reason(unknown) if unknown else "",
        )
        return RequestCard(
            content,
            writes.reviewer.ticket_line(place, unknown),
            complete=partial(complete, spec) if complete else None,
        )

    return make_card


def _retry_reason(unknown: WriteReport) -> str:
    """Why the same request is offered again, and what that means."""
    cause = cause_of(unknown)
    return (
        f"{capitalize_first(cause)}\nThe request may have been carried out. y sends it again with the same "
        "idempotency key. If the service ignores these keys, it may be carried out twice: if in doubt, check first."
    )
