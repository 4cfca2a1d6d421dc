"""The service's front door: every request is admitted, troubled, answered, delayed and dated here."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from email.utils import formatdate

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from svc_tui.sandbox.access.admission import Admission, Arrival, rate_limit_exceeded
from svc_tui.sandbox.faults import CLOCK_SKEW_SECONDS, Faults
from svc_tui.sandbox.refusals import Refusal, error_body
from svc_tui.sandbox.server.attempts import Attempt, Attempts
from svc_tui.sandbox.server.routes import Admitted, Routes
from svc_tui.sandbox.server.wire import RESET, TARGET

MAX_BODY = 1024 * 1024

_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\r\n"

_log = logging.getLogger("svc_tui.sandbox")


class _Severed(Exception):
    """The connection was reset on purpose; there is nobody left to answer."""


class Door:
    """The ASGI application around the routes.

    `clock` gives Unix time, `monotonic` seconds that never go back, for rate limits.
    """

    def __init__(
        self,
        admission: Admission,
        routes: Routes,
        faults: Faults,
        attempts: Attempts,
        *,
        latency: float,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._admission, self._routes = admission, routes
        self._faults, self._attempts = faults, attempts
        self._latency, self._clock, self._monotonic = latency, clock, monotonic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, from its head to its answer."""
        request = Request(scope, receive)
        arrival = self._arrival(request)
        attempt = Attempt(
            arrival.method,
            arrival.target.decode("latin-1"),
            arrival.signed,
            arrival.header("x-svc-timestamp"),
            arrival.header("idempotency-key"),
        )
        self._attempts.add(attempt)
        try:
            response = await self._response(request, arrival, attempt)
            await self._trouble_after(scope, arrival)
        except (_Severed, ClientDisconnect):
            # The server takes a silent return for a mistake until it has noticed that the peer is gone.
            while (await receive())["type"] != "http.disconnect":
                continue
            return
        await asyncio.sleep(self._latency)
        response.headers["x-request-id"] = arrival.request_id
        response.headers["date"] = formatdate(arrival.now, usegmt=True)
        attempt.status = response.status_code
        await response(scope, receive, send)

    def _arrival(self, request: Request) -> Arrival:
        headers: dict[str, list[str]] = {}
        for name, value in request.headers.items():
            headers.setdefault(name, []).append(value)
        method = request.method
        now = self._clock()
        if (skew := self._faults.take("clock-ahead", "clock-behind", method=method)) is not None:
            now += CLOCK_SKEW_SECONDS if skew.name == "clock-ahead" else -CLOCK_SKEW_SECONDS
        address = request.client.host if request.client else ""
        return Arrival(method, request.scope[TARGET], headers, address, now, f"req-{uuid.uuid4().hex[:16]}")

    async def _response(self, request: Request, arrival: Arrival, attempt: Attempt) -> Response:
        try:
            body = await _read(request)
            key = self._admission.identify(arrival)
            attempt.key = key.policy.name
            if body is None:
                raise Refusal(413, "payload_too_large", f"a body may have {MAX_BODY} bytes")
            self._admission.check_signature(arrival, key, body)
            if (troubled := self._trouble_before(request.scope, arrival)) is not None:
                return troubled
            self._admission.check_rate(key, self._monotonic())
            self._admission.check_scope(arrival, key)
            answer = await run_in_threadpool(self._routes.answer, Admitted(arrival, key, body))
            return _json(answer.status, answer.body, answer.headers)
        except Refusal as refusal:
            attempt.code = refusal.code
            return _json(refusal.status, error_body(refusal.code, refusal.message, arrival.request_id), refusal.headers)
        except (_Severed, ClientDisconnect):
            raise
        except Exception:
            _log.exception("%s %s failed", arrival.method, arrival.target.partition(b"?")[0].decode("latin-1"))
            attempt.code = "internal_error"
            return _json(500, error_body("internal_error", "the service failed", arrival.request_id), {})

    def _trouble_before(self, scope: Scope, arrival: Arrival) -> Response | None:
        fault = self._faults.take("429", "500", "503", "html-error", "reset-before", method=arrival.method)
        if fault is None:
            return None
        after = {"retry-after": fault.retry_after} if fault.retry_after else {}
        match fault.name:
            case "429":
                raise rate_limit_exceeded("1" if fault.retry_after is None else fault.retry_after)
            case "500":
                raise Refusal(500, "internal_error", "the service failed; nothing was stored", after)
            case "503":
                raise Refusal(503, "service_unavailable", "the service is not available; nothing was stored", after)
            case "html-error":
                return Response(_GATEWAY_PAGE, 502, media_type="text/html")
            case _:
                raise _severed(scope)

    async def _trouble_after(self, scope: Scope, arrival: Arrival) -> None:
        if self._faults.take("reset", method=arrival.method) is not None:
            raise _severed(scope)
        if (slow := self._faults.take("slow", method=arrival.method)) is not None:
            await asyncio.sleep(slow.delay)
        # Counted before the hold is known, so that a release in between is not missed.
        releases = self._faults.releases
        if self._faults.take("hold", method=arrival.method) is not None:
            await run_in_threadpool(self._faults.wait_released, releases)


async def _read(request: Request) -> bytes | None:
    """The raw body, read to its end; None where it is too large to keep."""
    body = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= MAX_BODY:
            body += chunk
    return bytes(body) if size <= MAX_BODY else None


def _severed(scope: Scope) -> _Severed:
    scope[RESET]()
    return _Severed()


def _json(status: int, body: str | None, headers: dict[str, str]) -> Response:
    if body is None:
        return Response(status_code=status, headers=headers)
    return Response(body, status, headers, "application/json")
