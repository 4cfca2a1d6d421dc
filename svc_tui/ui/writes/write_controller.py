"""What creating, deleting, acting and undoing share: the lock, the card before a request leaves, and the words after.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.domain.editing.forms import FieldForm, FormTarget
from svc_tui.domain.editing.write_pipeline import Result, WriteReport
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.requests import RequestSpec, SignedRequest
from svc_tui.ui.editing.controller import EditController
from svc_tui.ui.report import cause_of, of_error
from svc_tui.ui.session.context import Context
from svc_tui.ui.text import shown
from svc_tui.ui.writes.unsent_forms import UnsentForms

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class WriteRefusal:
    """Why a request does not leave, in a sentence or two."""

    words: str


@dataclass(frozen=True, slots=True)
class ConfirmedRequest:
    """A request with its key that somebody wants sent, and the ticket it is for."""

    spec: RequestSpec
    ticket: str


class WriteController:
    """What creating, deleting, acting and undoing share on one main screen."""

    def __init__(self, context: Context, editing: EditController, unsent_forms: UnsentForms) -> None:
        self._context, self.editing, self.unsent_forms = context, editing, unsent_forms

    @property
    def live(self) -> bool:
        """Whether writes change what is real."""
        return self._context.gateway.environment is Environment.LIVE

    def save_form(self, purpose: FormTarget, empty: FieldForm, form: FieldForm) -> None:
        """Keep the form as it stands for as long as it is not sent; one that is as good as `empty` is let go of."""
        if form.touched and form != empty:
            self.unsent_forms.keep(purpose, form)
        else:
            self.unsent_forms.discard(purpose)

    def heading(self, what: str) -> Content:
        """The title of a dialog about a write: the environment, then what it is about."""
        word = (" LIVE ", "$role-background on $role-live bold") if self.live else "SANDBOX"
        return Content.assemble(word, " · ", shown(what))

    async def review_and_send(
        self,
        spec: RequestSpec,
        what: str,
        walk: Callable[[RequestSpec, str], Awaitable[WriteReport]],
        *,
        note: str = "",
        complete: Callable[[RequestSpec], Awaitable[SignedRequest | None]] | None = None,
    ) -> WriteReport | WriteRefusal | None:
        """Have the request looked at and sent by `walk`, with its ticket; None where that was decided against.

        As long as its outcome is not known, the same request is offered again, under the same key. `complete` tells the
        request with what is still to be read for it.
        """
        report: WriteReport | None = None
        while True:
            agreed = await self._agreed(spec, what, note, complete, report)
            if not isinstance(agreed, ConfirmedRequest):
                return report or agreed
            report = await self.editing.walked(walk(agreed.spec, agreed.ticket))
            if report.result is not Result.UNKNOWN:
                return report

    async def _agreed(
        self,
        spec: RequestSpec,
        what: str,
        note: str,
        complete: Callable[[RequestSpec], Awaitable[SignedRequest | None]] | None,
        unknown: WriteReport | None,
    ) -> ConfirmedRequest | WriteRefusal | None:
        """Show the request as it would leave; after an `unknown` outcome as the one that is offered again."""
        if refusal := self.editing.refusal():
            return WriteRefusal(refusal)
        try:
            spec = self.editing.pipeline.keyed(spec)
            request = self._context.gateway.preview(spec)
        except ServiceError as error:
            return WriteRefusal(of_error(error).line)
        from svc_tui.ui.editing.request_card import RequestCard
        from svc_tui.ui.widgets.request.request_preview import destination

        seen, reviewer = self._context.privacy_mask.request(request), self.editing.reviewer
        body = [shown(note, "$role-warning")] if note else []
        card = RequestCard(
            self.heading(f"{what}: outcome not known" if unknown else what),
            Content("\n").join([destination(seen, self._context.profile.name), *body]),
            seen,
            reviewer.ticket_line(),
            send="Send again" if unknown else "Send",
            danger=self.live,
            retry_reason=_retry_reason(unknown) if unknown else "",
            complete=partial(complete, spec) if complete else None,
        )
        ticket = await reviewer.agreed(card)
        return None if ticket is None else ConfirmedRequest(spec, ticket)


def _retry_reason(unknown: WriteReport) -> str:
    """Why the same request is offered again, and what that means."""
    return (
        f"{cause_of(unknown)}\nIt may have been carried out. Sent again with the same key, it is done once where the "
        "service honours keys. The document does not show that it does: where it matters, go back and look first."
    )
