"""The service's front door: every request is admitted, troubled, answered, delayed and dated here."""

import asyncio
import hashlib
import logging
import re
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import partial

from starlette.types import Receive, Scope, Send

from svc_tui.sandbox.access.admission import AccessChecks, IncomingRequest, SignatureVerdict, rate_limit_error
from svc_tui.sandbox.errors import ApiError
from svc_tui.sandbox.faults import CLOCK_SKEW_SECONDS
from svc_tui.sandbox.server.error_body import error_body
from svc_tui.sandbox.server.handlers import AuthorizedRequest
from svc_tui.sandbox.server.http_protocol import RESET, TARGET
from svc_tui.sandbox.server.request_log import ReceivedRequest
from svc_tui.sandbox.server.routes import Router
from svc_tui.sandbox.server.state import ServiceState

MAX_BODY = 1024 * 1024

_THREADS = 40
"""How many answers may be searched for at once; more of them wait."""

_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\r\n"

_LOGIN_PAGE = "<!doctype html>\n<html><head><title>Please log in</title></head><body><form></form></body></html>\n"

_CHALLENGE = 'Bearer error="invalid_token"'

_JSON = {"content-type": "application/json"}
_HTML = {"content-type": "text/html; charset=utf-8"}

# One way to read each query: with several, a long one would hold up every other request.
_PAGE_QUERY = re.compile(rb"(?:(?:page|limit)=[^&]*(?:&|\Z))*")

_log = logging.getLogger("svc_tui.sandbox")


class _ConnectionLost(Exception):
    """The peer is gone, or the connection was reset on purpose; there is nobody left to answer."""


@dataclass(slots=True)
class _Answer:
    """An answer as it is sent, but for what every answer carries."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class SandboxApp:
    """The ASGI application around the router of one place."""

    def __init__(self, access: AccessChecks, router: Router, state: ServiceState) -> None:
        self._access, self._router = access, router
        self._faults, self._attempts, self._clock = state.faults, state.attempts, state.clock
        self._latency = state.options.latency_ms / 1000
        self._error_shape = state.options.variants["errors"]
        self._threads = ThreadPoolExecutor(_THREADS, "svc-tui sandbox")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, from its head to its answer."""
        incoming = self._arrival(scope)
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
            answer = await self._answer(scope, receive, incoming, attempt)
            await self._trouble_after(scope, incoming)
        except _ConnectionLost:
            # The server takes a silent return for a mistake until it has noticed that the peer is gone.
            while (await receive())["type"] != "http.disconnect":
                continue
            return
        if self._latency:
            await asyncio.sleep(self._latency)
        answer.headers += (
            (b"x-request-id", incoming.request_id.encode()),
            (b"date", formatdate(incoming.now, usegmt=True).encode()),
        )
        attempt.status = answer.status
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        await send({"type": "http.response.body", "body": answer.body})

    def _arrival(self, scope: Scope) -> IncomingRequest:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        address = scope["client"][0] if scope["client"] else ""
        request_id = f"req-{secrets.token_hex(8)}"
        incoming = IncomingRequest(scope["method"], scope[TARGET], headers, address, self._clock(), request_id)
        skew = self._faults.take("clock-ahead", "clock-behind", method=incoming.method, path=incoming.path)
        if skew is None:
            return incoming
        ahead = CLOCK_SKEW_SECONDS if skew.name == "clock-ahead" else -CLOCK_SKEW_SECONDS
        return replace(incoming, now=incoming.now + ahead)

    async def _answer(
        self, scope: Scope, receive: Receive, incoming: IncomingRequest, attempt: ReceivedRequest
    ) -> _Answer:
        try:
            body = await _read_body(receive)
            key = self._access.identify(incoming)
            attempt.key = key.policy.name
            if body is None:
                raise ApiError("payload_too_large", f"the body is larger than {MAX_BODY} bytes")
            attempt.body_digest = hashlib.sha256(body).hexdigest()
            if incoming.signing_headers:
                # Stands until it is known to be right, or not to be judged.
                attempt.signature = SignatureVerdict.WRONG
            attempt.signature = self._access.check_signature(incoming, key, body)
            if (troubled := self._trouble_before(scope, incoming)) is not None:
                return troubled
            self._access.check_rate(key)
            self._access.check_scope(incoming, key)
            authorized = AuthorizedRequest(incoming, key, body)
            # The database lets one in at a time anyway, and the way to a thread and back costs more than a record.
            if _looks_at_few(incoming):
                answer = self._router.answer(authorized)
            else:
                answer = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._router.answer, authorized
                )
            return _json_answer(answer.status, answer.body, answer.headers)
        except ApiError as refusal:
            return self._refusal(refusal, incoming, attempt)
        except _ConnectionLost:
            raise
        except Exception:
            _log.exception("%s %s failed", incoming.method, incoming.path)
            return self._refusal(ApiError("internal_error", "the service failed"), incoming, attempt)

    def _refusal(self, error: ApiError, incoming: IncomingRequest, attempt: ReceivedRequest) -> _Answer:
        attempt.code, attempt.why = error.code, error.message
        body, media_type = error_body(self._error_shape, error, incoming.request_id)
        headers = dict(error.headers)
        if error.status == 401:
            # RFC 9110, section 11.6.1: a 401 carries a challenge. RFC 6750, section 3: no error where no key was sent.
            headers["www-authenticate"] = "Bearer" if error.code == "api_key_missing" else _CHALLENGE
        if body:
            headers["content-type"] = media_type
        return _text_answer(error.status, body, headers)

    def _trouble_before(self, scope: Scope, incoming: IncomingRequest) -> _Answer | None:
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
                raise ApiError("internal_error", "the service failed; nothing was saved", after)
            case "503":
                raise ApiError("service_unavailable", "the service is unavailable; nothing was saved", after)
            case "html-error":
                return _text_answer(502, _GATEWAY_PAGE, _HTML)
            case "login-page":
                return _text_answer(200, _LOGIN_PAGE, _HTML)
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
            loop, released = asyncio.get_running_loop(), asyncio.Event()
            with self._faults.held_until_released(releases, partial(loop.call_soon_threadsafe, released.set)):
                await released.wait()


def _looks_at_few(incoming: IncomingRequest) -> bool:
    """Whether an answer takes a few records, and no search among all: no filter, no chain."""
    return incoming.method != "POST" and _PAGE_QUERY.fullmatch(incoming.target.partition(b"?")[2]) is not None


async def _read_body(receive: Receive) -> bytes | None:
    """The raw body, read to its end; None where it is too large to keep."""
    body = bytearray()
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ConnectionLost
        size += len(message["body"])
        if size <= MAX_BODY:
            body += message["body"]
        more = message["more_body"]
    return bytes(body) if size <= MAX_BODY else None


def _reset_connection(scope: Scope) -> _ConnectionLost:
    scope[RESET]()
    return _ConnectionLost()


def _text_answer(status: int, body: str | None, headers: Mapping[str, str]) -> _Answer:
    """An answer with the length of its body, where it may have one (RFC 9110, section 8.6)."""
    sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    content = b"" if body is None else body.encode()
    if status != 204:
        sent.append((b"content-length", str(len(content)).encode()))
    return _Answer(status, sent, content)


def _json_answer(status: int, body: str | None, headers: Mapping[str, str]) -> _Answer:
    return _text_answer(status, body, headers if body is None else {**headers, **_JSON})
