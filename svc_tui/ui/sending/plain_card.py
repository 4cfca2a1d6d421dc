"""The card of a write that is neither an edit nor a deletion."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.ui.context import Context
from svc_tui.ui.report import cause_of
from svc_tui.ui.sending.write_controller import MakeCard, WriteController
from svc_tui.ui.text import styled
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.sending.request_card import RequestCard


def plain_card(
    context: Context,
    writes: WriteController,
    what: str,
    *,
    place: Place | None = None,
    label: str = "",
    note: str = "",
    complete: Callable[[RequestSpec], Awaitable[RefreshedRequest | None]] | None = None,
) -> MakeCard:
    """Return a function that makes the card of a request that does `what`.

    `place` is the record of that `label`, or the collection, that it is about; None for a request of the console.
    `complete` reads what the request still lacks, and returns None where that can't be read.
    """

    def make_card(spec: RequestSpec, request: SignedRequest, unknown: WriteReport | None) -> "RequestCard":
        from svc_tui.ui.sending.request_card import CardContent, RequestCard, about_record

        record = place if place is not None and place.record_id is not None else None
        about = [about_record(label, record) if record else Content(), styled(note, "$role-warning")]
        content = CardContent(
            writes.heading(what),
            context.privacy_mask.request(request),
            Content("\n").join(line for line in about if line),
            send=writes.send_word,
            danger=writes.live,
        )
        if unknown is not None:
            content = replace(
                content,
                title=writes.heading(f"Outcome unknown: {what}"),
                back="Later",
                send="Send again",
                retry_reason=_retry_reason(unknown),
                look=None if record is None else partial(writes.look_at, record),
            )
        return RequestCard(
            content,
            writes.tickets.line(place, unknown),
            complete=partial(complete, spec) if complete else None,
        )

    return make_card


def _retry_reason(unknown: WriteReport) -> str:
    """Return why the same request is offered again, and what that means."""
    cause = cause_of(unknown)
    return (
        f"{capitalize_first(cause)}\nThe request may have been carried out. y sends it again with the same "
        "idempotency key. If the service ignores these keys, it may be carried out twice: if in doubt, check first."
    )
