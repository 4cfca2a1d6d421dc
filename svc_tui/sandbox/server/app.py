"""The service's front door: every request is admitted, troubled, answered, delayed and dated here."""

import asyncio
import hashlib
import logging
import uuid
from dataclasses import replace
from email.utils import formatdate

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from svc_tui.sandbox.access.admission import AccessChecks, IncomingRequest, SignatureVerdict, rate_limit_error
from svc_tui.sandbox.errors import ApiError
from svc_tui.sandbox.faults import CLOCK_SKEW_SECONDS
from svc_tui.sandbox.server.error_body import error_body
from svc_tui.sandbox.server.handlers import AuthorizedRequest
from svc_tui.sandbox.server.http_protocol import RESET, TARGET
from svc_tui.sandbox.server.request_log import ReceivedRequest
from svc_tui.sandbox.server.routes import Routes
from svc_tui.sandbox.server.state import ServiceState

MAX_BODY = 1024 * 1024

_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\r\n"

_LOGIN_PAGE = "<!doctype html>\n<html><head><title>Please log in</title></head><body><form></form></body></html>\n"

_log = logging.getLogger("svc_tui.sandbox")


class _ConnectionReset(Exception):
    """The connection was reset on purpose; there is nobody left to answer."""


class SandboxApp:
    """The ASGI application around the routes of one place."""

    def __init__(self, access: AccessChecks, routes: Routes, state: ServiceState) -> None:
        self._access, self._routes = access, routes
        self._faults, self._attempts, self._clock = state.faults, state.attempts, state.clock
        self._latency = state.options.latency_ms / 1000
        self._error_shape = state.options.variants["errors"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, from its head to its answer."""
        request = Request(scope, receive)
        incoming = self._arrival(request)
        attempt = ReceivedRequest(
            incoming.method,
            incoming.target.decode("latin-1"),
            incoming.signed,
            incoming.header("x-svc-timestamp"),
            incoming.header("idempotency-key"),
            signature=SignatureVerdict.NOT_JUDGED if incoming.signing_headers else SignatureVerdict.ABSENT,
        )
        self._attempts.add(attempt)
        try:
            response = await self._response(request, incoming, attempt)
            await self._trouble_after(scope, incoming)
        except (_ConnectionReset, ClientDisconnect):
            # The server takes a silent return for a mistake until it has noticed that the peer is gone.
            while (await receive())["type"] != "http.disconnect":
                continue
            return
        if self._latency:
            await asyncio.sleep(self._latency)
        response.headers["x-request-id"] = incoming.request_id
        response.headers["date"] = formatdate(incoming.now, usegmt=True)
        attempt.status = response.status_code
        await response(scope, receive, send)

    def _arrival(self, request: Request) -> IncomingRequest:
        headers: dict[str, list[str]] = {}
        for name, value in request.headers.items():
            headers.setdefault(name, []).append(value)
        address = request.client.host if request.client else ""
        request_id = f"req-{uuid.uuid4().hex[:16]}"
        incoming = IncomingRequest(request.method, request.scope[TARGET], headers, address, self._clock(), request_id)
        skew = self._faults.take("clock-ahead", "clock-behind", method=incoming.method, path=incoming.path)
        if skew is None:
            return incoming
        ahead = CLOCK_SKEW_SECONDS if skew.name == "clock-ahead" else -CLOCK_SKEW_SECONDS
        return replace(incoming, now=incoming.now + ahead)

    async def _response(self, request: Request, incoming: IncomingRequest, attempt: ReceivedRequest) -> Response:
        try:
            body = await _read_body(request)
            key = self._access.identify(incoming)
            attempt.key = key.policy.name
            if body is None:
                raise ApiError("payload_too_large", f"a body may have {MAX_BODY} bytes")
            attempt.body_digest = hashlib.sha256(body).hexdigest()
            if incoming.signing_headers:
                # Stands until it is known to be right, or not to be judged.
                attempt.signature = SignatureVerdict.WRONG
            attempt.signature = self._access.check_signature(incoming, key, body)
            if (troubled := self._trouble_before(request.scope, incoming)) is not None:
                return troubled
            self._access.check_rate(key)
            self._access.check_scope(incoming, key)
            answer = await run_in_threadpool(self._routes.answer, AuthorizedRequest(incoming, key, body))
            return _json_response(answer.status, answer.body, answer.headers)
        except ApiError as refusal:
            return self._refusal(refusal, incoming, attempt)
        except (_ConnectionReset, ClientDisconnect):
            raise
        except Exception:
            _log.exception("%s %s failed", incoming.method, incoming.path)
            return self._refusal(ApiError("internal_error", "the service failed"), incoming, attempt)

    def _refusal(self, error: ApiError, incoming: IncomingRequest, attempt: ReceivedRequest) -> Response:
        attempt.code, attempt.why = error.code, error.message
        body, media_type = error_body(self._error_shape, error, incoming.request_id)
        if not body:
            return Response(status_code=error.status, headers=error.headers)
        return Response(body, error.status, error.headers, media_type)

    def _trouble_before(self, scope: Scope, incoming: IncomingRequest) -> Response | None:
        fault = self._faults.take(
            "429", "500", "503", "html-error", "login-page", "reset-before", method=incoming.method, path=incoming.path
        )
        if fault is None:
            return None
        after = {"retry-after": fault.retry_after} if fault.retry_after else {}
        match fault.name:
            case "429":
                raise rate_limit_error("1" if fault.retry_after is None else fault.retry_after)
            case "500":
                raise ApiError("internal_error", "the service failed; nothing was stored", after)
            case "503":
                raise ApiError("service_unavailable", "the service is not available; nothing was stored", after)
            case "html-error":
                return Response(_GATEWAY_PAGE, 502, media_type="text/html")
            case "login-page":
                return Response(_LOGIN_PAGE, 200, media_type="text/html")
            case _:
                raise _reset_connection(scope)

    async def _trouble_after(self, scope: Scope, incoming: IncomingRequest) -> None:
        if self._faults.take("reset", method=incoming.method, path=incoming.path) is not None:
            raise _reset_connection(scope)
        if (slow := self._faults.take("slow", method=incoming.method, path=incoming.path)) is not None:
            await asyncio.sleep(slow.delay)
        # Counted before the hold is known, so that a release in between is not missed.
        releases = self._faults.releases
        if self._faults.take("hold", method=incoming.method, path=incoming.path) is not None:
            await run_in_threadpool(self._faults.wait_released, releases)


async def _read_body(request: Request) -> bytes | None:
    """The raw body, read to its end; None where it is too large to keep."""
    body = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= MAX_BODY:
            body += chunk
    return bytes(body) if size <= MAX_BODY else None


def _reset_connection(scope: Scope) -> _ConnectionReset:
    scope[RESET]()
    return _ConnectionReset()


def _json_response(status: int, body: str | None, headers: dict[str, str]) -> Response:
    if body is None:
        return Response(status_code=status, headers=headers)
    return Response(body, status, headers, "application/json")
