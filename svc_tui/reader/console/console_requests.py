"""Any request on one line: a read is sent at once, a write is read out first and goes the way of all writes."""

import asyncio
from collections.abc import Sequence
from functools import partial

from svc_tui.console.pasted_command import PastedCommandError, is_command, read_command
from svc_tui.console.recorded_requests import recorded_request, recorded_result
from svc_tui.console.request_form import ComposedRequest, FormProblem, RequestForm, compose_request
from svc_tui.console.request_line import UnsentRequest, parse_line
from svc_tui.core.bodies import make_readable, size_text
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.core.visible_text import visible
from svc_tui.reader.console.ask_for_blanks import ask_for_blanks
from svc_tui.reader.console.unsent_requests import DROP, SEND, UnsentRequests
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import ReviewedWrite, Writes
from svc_tui.reader.talk import Talk
from svc_tui.service.errors import RequestRefused, SendResult, ServiceError, failure_of
from svc_tui.service.redact import mask_exchange, secrets_in
from svc_tui.session.ports import BodyFileError
from svc_tui.session.write_words import error_sentences, write_report
from svc_tui.storage.errors import StoreError
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import proposal_from_request


class ConsoleRequests:
    """Sends what the user writes by hand, and keeps it in the history as the screens do.

    `last` is the form that was last wanted sent, None where none was yet; blanks in it have no values.
    """

    def __init__(self, talk: Talk, writes: Writes, unsent: UnsentRequests) -> None:
        self._talk, self._writes, self._unsent = talk, writes, unsent
        self.last: RequestForm | None = None

    async def console(self, text: str) -> None:
        """Send a request, such as `GET lots/lot-000001`; without one, ask what is to become of the one not sent."""
        if text:
            await self.send(self._form(text))
        elif self._unsent.request is not None:
            await self._settle_unsent(self._unsent.request)
        else:
            raise Mistake("Type a request, such as console GET lots/lot-000001.")

    async def send(self, form: RequestForm, instead_of: UnsentRequest | None = None) -> None:
        """Ask for the values that a request wants, and send it; a write is read out first.

        `instead_of` is what waits and is let go of, once this one left or waits in its place.
        """
        self._check([problem for problem in self._composed(form).problems if not problem.blank])
        self.last = form
        filled = await ask_for_blanks(self._talk, form)
        self._unsent.write(form, filled)
        spec = await self._spec(filled)
        if not spec.writes:
            if await self._read(filled, spec):
                self._unsent.let_go(instead_of)
            return
        self._unsent.note(filled)
        self._unsent.let_go(instead_of)
        name = f"{spec.method} {visible(spec.path)}"
        await self._writes.read_out(
            ReviewedWrite(
                "",
                (),
                proposal_from_request(spec, self._talk.session.collections),
                partial(self._run, filled),
                lambda report, steps: write_report(report, name, steps),
                asked=partial(self._unsent.left, filled),
            )
        )

    def preview(self, text: str) -> SignedRequest:
        """Return the request that a line writes as it would be sent; raises Mistake."""
        composed = self._composed(self._form(text))
        self._check(composed.problems)
        try:
            return self._talk.session.gateway.preview(composed.spec)
        except RequestRefused as error:
            raise Mistake(f"Invalid request: {visible(str(error))}.") from None

    async def _settle_unsent(self, request: UnsentRequest) -> None:
        answer = await self._unsent.ask(request)
        if answer == SEND:
            form = request.form
            if request.line:
                form = self._form(request.line)
                self._unsent.read_line(form)
            await self.send(form)
        elif answer == DROP:
            self._unsent.drop()
            self._talk.say("Request discarded.")
        elif answer:
            await self.send(self._form(answer), instead_of=request)
        else:
            self._talk.say("Request kept.")

    def _composed(self, form: RequestForm) -> ComposedRequest:
        return compose_request(form, self._talk.session.collections)

    @staticmethod
    def _check(problems: Sequence[FormProblem]) -> None:
        if problems:
            problem = problems[0]
            raise Mistake(f"Invalid request: {visible(problem.field)}: {visible(problem.message)}.")

    async def _spec(self, form: RequestForm) -> RequestSpec:
        composed = self._composed(form)
        self._check(composed.problems)
        if not composed.file:
            return composed.spec
        try:
            body = await asyncio.to_thread(self._talk.session.read_body, composed.file)
        except BodyFileError as error:
            raise Mistake(f"Invalid request: {visible(str(error))}.") from None
        return replace(composed.spec, body=body)

    def _form(self, text: str) -> RequestForm:
        """The request as the line writes it, or as a pasted command makes it; raises Mistake."""
        if is_command(text):
            try:
                form = read_command(text, self._talk.session.gateway.base_url)
            except PastedCommandError as error:
                raise Mistake(f"Can't use this curl or svc-tui command: {visible(str(error))}.") from None
            if form.note:
                self._talk.say(f"{visible(capitalize_first(form.note)).rstrip('.')}.")
            return form
        line = parse_line(text)
        if line.problem is not None:
            raise Mistake(f"Invalid request: {visible(str(line.problem))}.")
        return line.form

    async def _read(self, form: RequestForm, spec: RequestSpec) -> bool:
        """Send a read and say its answer; gives whether it left."""
        number = await self._begin(spec)
        exchange: Exchange | None = None
        failure: ServiceError | None = None
        try:
            exchange = await self._talk.session.gateway.watched(spec, lambda _: None)
            failure = failure_of(exchange, self._talk.session.gateway.secrets)
        except ServiceError as error:
            exchange, failure = error.exchange, error
        finally:
            await self._end(number, exchange, failure)
        left = failure is None or failure.sent is not SendResult.NOT_SENT
        if left:
            self._unsent.left(form)
        await self._say_answer(exchange, failure)
        return left

    async def _run(self, form: RequestForm, spec: RequestSpec, ticket: str) -> WriteReport:
        number = await self._begin(spec)
        report = await self._writes.pipeline.request(spec, ticket)
        if report.result is not SendResult.NOT_SENT:
            self._unsent.left(form)
        await self._end(number, report.exchange, report.error)
        if report.exchange is not None:
            await self._say_answer(report.exchange, None)
        return report

    async def _say_answer(self, exchange: Exchange | None, failure: ServiceError | None) -> None:
        """Say how a request ended, then the answer's body, a part at a time."""
        if exchange is not None:
            secrets = secrets_in(exchange, self._talk.session.gateway.secrets)
            exchange = self._talk.mask.exchange(await asyncio.to_thread(mask_exchange, exchange, secrets))
            answer = exchange.answer
            body = await asyncio.to_thread(make_readable, answer)
            note = f" ({body.note})" if body.note else ""
            size, seconds = size_text(len(answer.body)), f"{exchange.seconds * 1000:.0f} ms"
            self._talk.say(f"{answer.status} {visible(answer.reason)}, {seconds}, {size}{visible(note)}.")
        if failure is not None:
            self._talk.say(visible(capitalize_first(error_sentences(failure, self._talk.steps))))
        if exchange is not None and body.text:
            await self._talk.say_part([visible(line) for line in body.text.split("\n")])

    async def _begin(self, spec: RequestSpec) -> int | None:
        session = self._talk.session
        if not session.preferences.history_limit:
            return None
        try:
            return await session.history_store.begin(recorded_request(spec, session.now(), session.gateway.secrets))
        except StoreError as error:
            self._talk.say(f"Could not save the request in the history: {visible(str(error))}")
            return None

    async def _end(self, number: int | None, exchange: Exchange | None, failure: ServiceError | None) -> None:
        session = self._talk.session
        if number is None:
            return
        bodies = session.preferences.history_bodies
        try:
            await session.history_store.end(
                number, recorded_result(exchange, failure, session.gateway.secrets, bodies=bodies)
            )
        except StoreError as error:
            self._talk.say(f"Could not save the response in the history: {visible(str(error))}")
