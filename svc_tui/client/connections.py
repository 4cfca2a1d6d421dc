"""Connections to the service, each opened when it is needed, used again, and given up where it could mislead."""

import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpcore
import httpx

from svc_tui.client.certificates import make_ssl_context
from svc_tui.client.dns import resolve_host
from svc_tui.client.failures import ConnectionTrace
from svc_tui.client.proxies import Proxy
from svc_tui.service.base_url import BaseUrl, is_loopback

_IDLE_SECONDS = 5.0
"""How long a connection is kept over which nothing is sent."""

_CORE_ERRORS = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


class HttpConnection(httpx.AsyncBaseTransport):
    """One connection at most, for one request at a time.

    It is httpcore's own connection without a pool around it, which httpx would put there: looking after a pool costs as
    much as the request itself, and a pool hands one idle connection to several requests that come at once.
    """

    def __init__(
        self, origin: httpcore.Origin, make: Callable[[], httpcore.AsyncConnectionInterface], first: str
    ) -> None:
        """`make` gives a new connection to `origin`; `first` is the host connected to: the service's or the proxy's."""
        self._origin, self._make, self._first = origin, make, first
        self._connection: httpcore.AsyncConnectionInterface | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request over the connection there is, or a new one; its `trace` is the attempt's ConnectionTrace."""
        trace: ConnectionTrace = request.extensions["trace"]
        extensions = {"timeout": request.extensions["timeout"]}
        connection = await self._idle()
        if connection is None:
            # Each step is called out, which takes its time: of a connection that stands there is nothing to tell.
            extensions["trace"] = trace
            connection = await self._opened(trace, extensions["timeout"]["connect"])
        else:
            trace.asks()
        try:
            answer = await connection.handle_async_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(
                        scheme=self._origin.scheme,
                        host=self._origin.host,
                        port=self._origin.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=extensions,
                )
            )
        except _CORE_ERRORS as error:
            raise _as_httpx(error) from error
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    async def aclose(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    async def _idle(self) -> httpcore.AsyncConnectionInterface | None:
        """The connection there is, where it can be used again.

        What it holds beyond the answers that were asked for would be taken for the next one: a whole one that was
        another's, or the body behind a 204, which makes nonsense of what follows.
        """
        connection = self._connection
        if connection is None:
            return None
        if not connection.is_available() or connection.has_expired() or _has_more(connection):
            await self.aclose()
            return None
        return connection

    async def _opened(self, trace: ConnectionTrace, seconds: float) -> httpcore.AsyncConnectionInterface:
        """A new connection, which opens with its first request."""
        trace.opens()
        if not (is_loopback(self._first) or await resolve_host(self._first, seconds)):
            raise httpx.ConnectTimeout("no DNS server responded")
        self._connection = self._make()
        return self._connection


class _Body(httpx.AsyncByteStream):
    """The body of an answer as it arrives; raises httpx's errors."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._answer.aiter_stream():
                yield piece
        except _CORE_ERRORS as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        await self._answer.aclose()


def _as_httpx(error: Exception) -> httpx.TransportError:
    """The error of httpx's that is called like this one of httpcore's."""
    kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
    return kind(str(error))


def http_connections(count: int, base: BaseUrl, proxy: Proxy | None) -> list[HttpConnection]:
    """Make so many connections to the base URL; blocks. Raises RequestRefused as `make_ssl_context`."""
    context, first = make_ssl_context(base.scheme), base.host if proxy is None else proxy.host
    is_ipv6 = ":" in base.host
    # A proxy is asked for an IPv6 address in brackets (RFC 9110, section 7.2); httpcore 1.0.9 leaves them out.
    host = f"[{base.host}]" if proxy is not None and is_ipv6 else base.host
    origin = httpcore.URL(scheme=base.scheme, host=host, port=base.port).origin
    # It is asked for connections alone: it knows which kind leads through a proxy.
    pool = _pool(context, proxy, is_ipv6=is_ipv6)
    return [HttpConnection(origin, lambda: pool.create_connection(origin), first) for _ in range(count)]


def _pool(context: ssl.SSLContext, proxy: Proxy | None, *, is_ipv6: bool) -> httpcore.AsyncConnectionPool:
    if proxy is None:
        return httpcore.AsyncConnectionPool(context, keepalive_expiry=_IDLE_SECONDS)
    named = bool(proxy.user or proxy.password)
    return httpcore.AsyncHTTPProxy(
        httpcore.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port),
        proxy_auth=(proxy.user.encode(), proxy.password.encode()) if named else None,
        ssl_context=context,
        # An HTTPS proxy proves who it is as the service does.
        proxy_ssl_context=make_ssl_context("https") if proxy.scheme == "https" else None,
        keepalive_expiry=_IDLE_SECONDS,
        network_backend=_BracketBackend() if is_ipv6 else None,
    )


class _BracketBackend(httpcore.AnyIOBackend):
    """Connections on which TLS names an IPv6 address without the brackets that the proxy is asked with."""

    async def connect_tcp(self, *arguments: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _BracketStream(await super().connect_tcp(*arguments, **named))


class _BracketStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, *arguments: Any, **named: Any) -> bytes:
        return await self._stream.read(*arguments, **named)

    async def write(self, *arguments: Any, **named: Any) -> None:
        await self._stream.write(*arguments, **named)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, *arguments: Any, **named: Any
    ) -> httpcore.AsyncNetworkStream:
        name = None if server_hostname is None else server_hostname.strip("[]")
        return _BracketStream(await self._stream.start_tls(ssl_context, name, *arguments, **named))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _has_more(connection: object) -> bool:
    """Whether bytes have been read off the socket that belong to no answer.

    httpcore looks for them on the socket alone, and shows nobody what it has read ahead. A connection that is built in
    another way than 1.0's can't be looked into, and is not used again.
    """
    while (inner := getattr(connection, "_connection", None)) is not None:
        connection = inner
    reading, stream = getattr(connection, "_h11_state", None), getattr(connection, "_network_stream", None)
    if reading is None or stream is None:
        return True
    return bool(reading.trailing_data[0]) or _continues(stream.get_extra_info("ssl_object"))


def _continues(tls: ssl.SSLObject | None) -> bool:
    """Whether unread TLS records follow, among them the one that ends the connection."""
    if tls is None:
        return False
    try:
        tls.read(1)
    except ssl.SSLWantReadError:
        return False
    except ssl.SSLError:
        return True
    return True
