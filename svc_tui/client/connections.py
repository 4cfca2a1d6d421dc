"""Connections to the service, each opened when it is needed, used again, and given up where it could mislead."""

import ssl

import httpx

from svc_tui.client.certificates import make_ssl_context
from svc_tui.client.dns import resolve_host
from svc_tui.client.failures import ConnectionTrace
from svc_tui.client.proxies import Proxy
from svc_tui.domain.http.base_url import BaseUrl, is_loopback


class HttpConnection(httpx.AsyncHTTPTransport):
    """One connection at most, for one request at a time.

    A pool of eight costs twice as much: what httpcore does for a request grows with its pool, and it hands one idle
    connection to several requests that come at once, all but one of which then queue anew.
    """

    def __init__(self, context: ssl.SSLContext, proxy: httpx.Proxy | None, first: str) -> None:
        """`first` is the host that is connected to: the service's, or the proxy's."""
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        super().__init__(verify=context, trust_env=False, proxy=proxy, limits=limits)
        self._first = first

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request over the connection there is, or a new one; its `trace` is the attempt's ConnectionTrace.

        What a connection holds beyond the answers that were asked for would be taken for the next one: a whole one that
        was another's, or the body behind a 204, which makes nonsense of what follows.
        """
        if any(connection.has_expired() or _has_more(connection) for connection in self._pool.connections):
            await self.aclose()
        if not self._pool.connections:
            trace: ConnectionTrace = request.extensions["trace"]
            trace.opens()
        if not (self._pool.connections or is_loopback(self._first)):
            seconds = request.extensions["timeout"]["connect"]
            if not await resolve_host(self._first, seconds):
                raise httpx.ConnectTimeout("no name server answered")
        return await super().handle_async_request(request)


def header_lines(count: int, base: BaseUrl, proxy: Proxy | None) -> list[HttpConnection]:
    """Make so many connections to the base URL; blocks. Raises RequestRefused as `make_ssl_context`."""
    context, first = make_ssl_context(base.scheme), base.host if proxy is None else proxy.host
    proxy_transport = _make_proxy(proxy)
    return [HttpConnection(context, proxy_transport, first) for _ in range(count)]


def _make_proxy(proxy: Proxy | None) -> httpx.Proxy | None:
    if proxy is None:
        return None
    user = (proxy.user, proxy.password) if proxy.user or proxy.password else None
    # An HTTPS proxy proves who it is as the service does.
    context = make_ssl_context("https") if proxy.scheme == "https" else None
    return httpx.Proxy(proxy.url, auth=user, ssl_context=context)


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
