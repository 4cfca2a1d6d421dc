"""The console's requests of this session, and the answer of the one on show."""

from collections.abc import Callable

from textual.content import Content

from svc_tui.console.request_form import RequestForm
from svc_tui.console.transcript import Transcript, TranscriptEntry
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.attempt_log import AttemptLog
from svc_tui.service.errors import RequestCancelled, SendResult, ServiceError
from svc_tui.service.traffic import Stage, TrafficEvent
from svc_tui.ui.console.composer import RequestComposer
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.answer.answer_view import AnswerView

_OUTCOMES = {SendResult.NOT_SENT: "not sent", SendResult.DONE: "incomplete response"}
"""The title of an answer that did not come whole, by what is known of its request; else there was none."""


class TranscriptDisplay:
    """Keeps the transcript of one console, and has its answer view show the selected entry."""

    def __init__(
        self,
        composer: RequestComposer,
        answer: Callable[[], AnswerView],
        mask: Callable[[Exchange], Exchange],
        show_hint: Callable[[str], None],
    ) -> None:
        """`mask` gives an exchange as it may be seen now; `show_hint` takes where among the requests one is."""
        self._composer, self._answer, self._mask, self._show_hint = composer, answer, mask, show_hint
        self.transcript = Transcript()
        """This session's requests."""
        self._title = Content("")
        """The title of the answer on show, by itself."""

    @property
    def in_flight(self) -> TranscriptEntry | None:
        """The request that is not answered yet."""
        return self.transcript.in_flight

    @property
    def shown(self) -> TranscriptEntry | None:
        """The request whose answer is on show."""
        return self.transcript.shown

    def leave_history(self) -> None:
        """Leave the earlier requests: a new one is in the form, and is sent after all others."""
        self.transcript = self.transcript.written()
        self.show_hint()

    def start(self, form: RequestForm, spec: RequestSpec, signed: SignedRequest | None) -> None:
        """A request is to be sent, made of `form`; `signed` is what leaves, None where nothing will."""
        attempts = AttemptLog(signed.method, signed.target) if signed else None
        entry = TranscriptEntry(form, spec, signed, attempts=attempts, left=not spec.writes)
        self.transcript = self.transcript.sending(entry)
        self.show()

    def show_left(self) -> None:
        """The newest request, a write that was agreed to, is on its way."""
        self.transcript = self.transcript.with_left()
        self.show()

    def end(self, form: RequestForm, exchange: Exchange | None, failure: ServiceError | None) -> None:
        """The request in flight was answered or failed; the one in `form` where none is: it was refused at once."""
        if self.in_flight is None:
            spec = self._composer.composed(form).spec
            self.transcript = self.transcript.sending(TranscriptEntry(form, spec, self._composer.preview_or_none(spec)))
        in_view = self.in_flight is self.shown
        self.transcript = self.transcript.ended(exchange, failure)
        if in_view:
            self.show()
        self.show_hint()

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Show a traffic event that concerns the request in flight."""
        before, self.transcript = self.transcript, self.transcript.with_event(event)
        entry = self.in_flight
        if self.transcript is not before and entry is not None and entry is self.shown:
            self._answer().show_attempts(entry.attempt_texts)

    def show_stage(self, stage: Stage) -> None:
        """The request in flight has come so far."""
        if self.shown is self.in_flight:
            self._answer().show_stage(stage)

    def step(self, form: RequestForm, steps: int) -> RequestForm | None:
        """Select the entry `steps` earlier or later than `form`; gives the form to show, None where there is none."""
        if (stepped := self.transcript.stepped(form, steps)) is None:
            return None
        self.transcript, form = stepped
        return form

    def with_key_toggled(self, form: RequestForm) -> RequestForm:
        """The form with the idempotency key of the last write in its headers, or taken out of them."""
        return self._composer.with_key_toggled(form, self.transcript.last_idempotency_key)

    def show(self) -> None:
        """Show the answer of the request that is looked at, as values may be seen now."""
        self._show()
        # `border_title` gives it as markup, which not every text survives.
        self._title = self._answer()._border_title or Content("")

    def show_owner(self, form: RequestForm) -> None:
        """Have the answer on show say which request it is of, once another one is in `form`."""
        entry, answer = self.shown, self._answer()
        if entry is None or entry is self.in_flight:
            return
        owner = f"for {entry.spec.method} {entry.spec.path} " if entry.form != form else ""
        answer.border_title = Content.assemble(self._title, styled(owner, "$role-warning")) if owner else self._title

    def _show(self) -> None:
        self.show_hint()
        entry, answer = self.shown, self._answer()
        if entry is None:
            return
        if entry.exchange is not None:
            answer.show_exchange(self._mask(entry.exchange), entry.attempt_texts, entry.words)
        elif entry.failure is not None:
            key = entry.idempotency_key
            request = self._composer.preview_or_none(replace(entry.spec, idempotency_key=key))
            outcome = _OUTCOMES.get(entry.failure.sent, "no response")
            if isinstance(entry.failure, RequestCancelled):
                outcome = "cancelled"
            answer.show_failure(entry.words, request, entry.attempt_texts, key, outcome=outcome)
        else:
            answer.show_waiting(entry.signed, left=entry.left)
            if entry.attempts is not None:
                answer.show_attempts(entry.attempt_texts)

    def show_hint(self) -> None:
        """Show what sending does now, and where among the requests one is."""
        self._show_hint(self.transcript.hint)
