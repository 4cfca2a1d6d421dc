"""Sends what the console asks for, a write through the pipeline of all writes."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestCancelled, RequestRefused, SendResult, ServiceError, failure_of
from svc_tui.service.redact import mask_exchange, secrets_in
from svc_tui.service.signing import ForeignSignature
from svc_tui.service.traffic import Stage
from svc_tui.ui.console.history_controller import HistoryController
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.context import Context
from svc_tui.ui.editing.external_editor import edit_externally
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import write_report
from svc_tui.ui.sending.write_controller import Write, WriteController, WriteRefusal
from svc_tui.ui.terminal.done_notifier import LongWork, announce_end
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import proposal_from_request

if TYPE_CHECKING:
    from svc_tui.ui.console.console_pane import ConsolePane


class RequestSender:
    """Sends the console's requests and gives it what became of them."""

    def __init__(
        self,
        context: Context,
        writes: WriteController,
        history: HistoryController,
        saved_requests: SavedRequestsController,
    ) -> None:
        self._context, self._writes, self._history, self._saved_requests = context, writes, history, saved_requests
        self._read: asyncio.Task[Exchange] | None = None
        self._cancelled = False

    async def send(self, console: "ConsolePane", spec: RequestSpec) -> None:
        """Send one request; the console shows the answer, the refusal, or that nothing was sent."""
        if spec.writes:
            await self._write(console, spec)
            return
        self._cancelled = False
        number = await self._history.begin(spec)
        with announce_end(console, LongWork.REQUEST):
            exchange, failure = await self._answered(console, spec)
        console.show_end(exchange, failure)
        await self._history.ended(number, exchange, failure)

    def cancel(self) -> None:
        """Give up the read that is on its way; what it was doing is told then."""
        self._cancelled = True
        if self._read is not None:
            self._read.cancel()

    async def _answered(self, console: "ConsolePane", spec: RequestSpec) -> tuple[Exchange | None, ServiceError | None]:
        """The answer to a read, or what came in its place; it may be cancelled at any moment."""
        stage = Stage.WAITING

        def reached(now: Stage) -> None:
            nonlocal stage
            stage = now
            console.requests.show_stage(now)

        read = self._read = asyncio.create_task(self._context.gateway.watched(spec, reached))
        if self._cancelled:
            read.cancel()
        try:
            await asyncio.wait({read})
        finally:
            read.cancel()
            self._read = None
        if read.cancelled():
            left = stage in (Stage.ASKED, Stage.ANSWERING)
            return None, RequestCancelled(
                f"Cancelled while {stage.value}.", sent=SendResult.UNKNOWN if left else SendResult.NOT_SENT
            )
        try:
            exchange = await self._fit_to_show(read.result())
        except ServiceError as error:
            return error.exchange, error
        self._writes.publish(exchange)
        return exchange, failure_of(exchange, self._context.gateway.secrets)

    async def _write(self, console: "ConsolePane", spec: RequestSpec) -> None:
        number: int | None = None

        async def run(keyed: RequestSpec, ticket: str) -> WriteReport:
            nonlocal number
            console.requests.show_left()
            number = await self._history.begin(keyed)
            return await self._writes.pipeline.request(keyed, ticket)

        proposal = proposal_from_request(spec, self._context.session.collections)
        report = await self._writes.carry_out(Write(proposal, run, self._writes.plain_card("Send this request")))
        if report is None or isinstance(report, WriteRefusal):
            refusal = RequestRefused("Cancelled.") if report is None else report.error
            refusal = refusal or RequestRefused(report.reason if report else "")
            console.show_end(refusal.exchange, refusal)
            return
        failure = report.error
        if report.exchange is not None:
            console.show_end(await self._fit_to_show(report.exchange), failure)
        else:
            failure = failure or RequestRefused(report.reason)
            console.show_end(failure.exchange, failure)
        await self._history.ended(number, report.exchange, failure)
        if report.journal_problem:
            self._context.notify(write_report(report, f"{spec.method} {spec.path}"))

    async def explain(
        self,
        request: SignedRequest,
        exchange: Exchange | None,
        failure: ServiceError | None,
        *,
        edited: bool,
    ) -> None:
        """Show what is known of the signature of a request that was, or would be, sent.

        `edited`: the response in view is that of another request.
        """
        from svc_tui.connect.signature_doctor import explain_signature, signed_parts
        from svc_tui.ui.console.signature_screen import SignatureScreen

        plain = self._context.session.collections[0]
        finding = await explain_signature(self._context.gateway, exchange, failure, plain, edited=edited)
        await self._context.show(SignatureScreen(finding, signed_parts(request)))

    async def judge_pasted(self, pasted: ForeignSignature, request: SignedRequest) -> None:
        """Show what is wrong with the signature that a pasted request came with."""
        from svc_tui.connect.pasted_signature import judge_pasted, pasted_seconds
        from svc_tui.connect.signature_doctor import signed_parts
        from svc_tui.service.signing import string_to_sign
        from svc_tui.ui.console.signature_screen import SignatureScreen

        session = self._context.session
        secrets = session.gateway.secrets if session.gateway.signs else ()
        finding = judge_pasted(pasted, request, session.now(), secrets)
        seconds = pasted_seconds(pasted)
        if seconds is not None:
            text = string_to_sign(seconds, request.method, request.target, request.body)
            request = replace(request, string_to_sign=text)
        await self._context.show(SignatureScreen(finding, signed_parts(request)))

    async def edit_body(self, console: "ConsolePane", body: str) -> None:
        """Edit the body of the request in the user's editor."""
        edited = await edit_externally(self._context, body, "json")
        if edited is not None:
            console.take_body(edited.removesuffix("\n"))

    async def load_known_paths(self, console: "ConsolePane") -> None:
        """Have the console propose what was saved, and what was asked for before."""
        console.composer.add_known_paths((*self._saved_requests.paths, *await self._history.paths()))

    async def show_history(self) -> None:
        """Show the requests that were sent."""
        await self._history.show()

    def commands(self) -> Iterator[Command]:
        """What no key does."""
        ask = self._context.ask
        yield from self._saved_requests.commands(lambda file: ask(self._saved_requests.open(file)))
        yield Command(
            "Clear request history…",
            "Clear the request history of this profile (asks first)",
            lambda: ask(self._history.clear()),
        )

    async def _fit_to_show(self, exchange: Exchange) -> Exchange:
        """The exchange without key, secret and signature, should the service repeat them; aside, for it may be huge."""
        return await asyncio.to_thread(mask_exchange, exchange, secrets_in(exchange, self._context.gateway.secrets))
