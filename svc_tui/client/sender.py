"""Puts one attempt on the wire and reads its answer: the only module that knows httpx.

It drives httpx's transport and not its client: no redirects, no cookies, no authentication, no environment, no
log line can come between what is signed and what is sent. It is imported late, off the way to the first paint.
"""

import logging
import ssl
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

import httpx
import truststore

from svc_tui.client.prepared import Prepared
from svc_tui.client.proxies import proxy_for, unusable
from svc_tui.client.throttle import CONNECTIONS
from svc_tui.domain.errors import (
    BadAnswer,
    CertificateRefused,
    ConnectionBroken,
    DeadlineExceeded,
    RequestRefused,
    SentState,
    ServiceError,
    Unreachable,
)
from svc_tui.domain.requests import Answer
from svc_tui.domain.routes import BaseUrl

_CONNECT_TIMEOUT = 10.0
_SILENCE_TIMEOUT = 30.0

for _name in ("httpx", "httpcore"):
    # Their debug lines show whole requests.
    logging.getLogger(_name).setLevel(logging.WARNING)


class Sender:
    """Connections to one base URL. A blocking constructor: build it in a thread. It raises RequestRefused."""

    def __init__(self, base: BaseUrl) -> None:
        self._base = base
        self._transport = httpx.AsyncHTTPTransport(
            verify=_ssl_context(base),
            trust_env=False,
            proxy=_proxy(base),
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
        )
        self._busy = 0
        self._retired = False

    async def send(self, prepared: Prepared, headers: Sequence[tuple[str, str]], *, seconds: float, cap: int) -> Answer:
        """Send once and read the answer, at most `cap` bytes of its body, within `seconds`.

        `headers` are complete but for Host and Content-Length. Raises ServiceErrors that say what was sent; none is
        chained to httpx's, which quote headers.
        """
        ends = time.monotonic() + seconds
        request = self._request(prepared, headers, seconds)
        self._busy += 1
        try:
            response = await self._transport.handle_async_request(request)
            return await _answer(response, ends, cap)
        except httpx.HTTPError as error:
            failure = _failure(error, self._base)
        finally:
            self._busy -= 1
            await self._close_if_done()
        raise failure

    async def retire(self) -> None:
        """Take no more requests; the connections close when the last answer under way has come."""
        self._retired = True
        await self._close_if_done()

    async def _close_if_done(self) -> None:
        if self._retired and not self._busy:
            await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    def _request(self, prepared: Prepared, headers: Sequence[tuple[str, str]], seconds: float) -> httpx.Request:
        timeout = httpx.Timeout(min(_SILENCE_TIMEOUT, seconds), connect=min(_CONNECT_TIMEOUT, seconds))
        try:
            request = httpx.Request(
                prepared.method,
                f"{self._base}{prepared.target}",
                headers=list(headers),
                content=prepared.body,
                extensions={"timeout": timeout.as_dict()},
            )
        except (httpx.InvalidURL, UnicodeError, ValueError):
            request = None
        expected = f"{self._base.prefix}{prepared.target}".encode()
        if request is None or request.url.raw_path != expected or request.content != prepared.body:
            raise RequestRefused(f"{prepared.target} can't be sent exactly as it is signed; write the path differently")
        return request


async def _answer(response: httpx.Response, ends: float, cap: int) -> Answer:
    status, ok = response.status_code, 200 <= response.status_code < 300
    pieces: list[bytes] = []
    size, whole = 0, True
    failure: ServiceError | None = None
    try:
        async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_bytes())) as arriving:
            async for piece in arriving:
                pieces.append(piece)
                size += len(piece)
                if size > cap:
                    whole = False
                    break
                if time.monotonic() > ends:
                    # httpx counts anew for every chunk; a body that drips would never end.
                    raise httpx.ReadTimeout("")
    except httpx.DecodingError:
        # What an error answer says stays worth reading without its body.
        whole = False
        failure = BadAnswer("the answer's body can't be decompressed") if ok else None
    except httpx.TimeoutException:
        whole = False
        failure = DeadlineExceeded("the answer's body did not arrive in time", sent=SentState.DONE) if ok else None
    except httpx.HTTPError:
        whole = False
        failure = ConnectionBroken("the answer's body broke off", sent=SentState.DONE) if ok else None
    finally:
        await response.aclose()
    if failure is not None:
        raise failure
    reason = response.extensions.get("reason_phrase", b"").decode("ascii", "replace")
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
    return Answer(status, reason, headers, b"".join(pieces)[:cap], capped=not whole)


def _proxy(base: BaseUrl) -> httpx.Proxy | None:
    url = proxy_for(base)
    try:
        return None if url is None else httpx.Proxy(url)
    except (httpx.InvalidURL, ValueError):
        # httpx quotes the whole URL, password and all.
        raise unusable() from None


def _failure(error: httpx.HTTPError, base: BaseUrl) -> ServiceError:
    """The error in our words; httpx's own is dropped here, with what it may quote."""
    where = base.authority
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Unreachable(f"no connection to {where} in time: check the network and the base URL")
    if isinstance(error, httpx.ProxyError):
        return Unreachable(f"the proxy on the way to {where} refused the connection: check HTTPS_PROXY")
    if isinstance(error, httpx.ConnectError):
        if certificate := _certificate_words(error):
            return CertificateRefused(f"{where} could not prove who it is: {certificate}")
        return Unreachable(f"could not connect to {where}: {_connect_words(error)}")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return RequestRefused("the request can't be written as HTTP: check its method and headers")
    if isinstance(error, httpx.TimeoutException):
        return DeadlineExceeded(f"{where} did not answer in time")
    return ConnectionBroken(f"the connection to {where} broke before an answer came")


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _certificate_words(error: BaseException) -> str:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message or "its certificate was refused"
        if isinstance(cause, ssl.SSLError):
            return f"no secure connection ({cause.reason or 'TLS failed'})"
    return ""


def _connect_words(error: BaseException) -> str:
    text = str(error)
    if "Name or service not known" in text or "nodename" in text or "getaddrinfo" in text:
        return "no such host; check the base URL"
    for cause in _causes(error):
        if isinstance(cause, ConnectionRefusedError):
            return "nobody listens there; check the port, and whether the service runs"
    return "check the network and the base URL"


def _ssl_context(base: BaseUrl) -> ssl.SSLContext:
    if base.scheme == "http":
        # Never used; made because httpx would load all authorities for nothing. It trusts nobody.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
