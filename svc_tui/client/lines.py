"""Connections to the service, each opened when it is needed, used again, and given up where it could mislead."""

import ssl

import httpx

from svc_tui.client.certificates import context_for
from svc_tui.client.proxies import Proxy


class Line(httpx.AsyncHTTPTransport):
    """One connection at most, for one request at a time.

    A pool of eight costs twice as much: what httpcore does for a request grows with its pool, and it hands one idle
    connection to several requests that come at once, all but one of which then queue anew.
    """

    async def clear(self) -> None:
        """Close a connection that holds more than the answers that were asked for.

        It would be taken for the answer to the next request: a whole one that was somebody else's, or the body behind
        a 204, which makes nonsense of what follows.
        """
        if any(map(_holds_more, self._pool.connections)):
            await self.aclose()


def lines(count: int, scheme: str, found: Proxy | None) -> list[Line]:
    """So many lines to a base URL of the scheme; it blocks. Raises RequestRefused as `context_for`."""
    context, proxy = context_for(scheme), _proxy(found)
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
    return [Line(verify=context, trust_env=False, proxy=proxy, limits=limits) for _ in range(count)]


def _proxy(found: Proxy | None) -> httpx.Proxy | None:
    if found is None:
        return None
    user = (found.user, found.password) if found.user or found.password else None
    # An HTTPS proxy proves who it is as the service does.
    context = context_for("https") if found.scheme == "https" else None
    return httpx.Proxy(found.url, auth=user, ssl_context=context)


def _holds_more(connection: object) -> bool:
    """Whether bytes have been read off the socket that belong to no answer.

    httpcore looks for them on the socket alone, and shows nobody what it has read ahead. A connection that is built in
    another way than 1.0's can't be looked into, and is not used again.
    """
    while (inner := getattr(connection, "_connection", None)) is not None:
        connection = inner
    reading, stream = getattr(connection, "_h11_state", None), getattr(connection, "_network_stream", None)
    if reading is None or stream is None:
        return True
    return bool(reading.trailing_data[0]) or _goes_on(stream.get_extra_info("ssl_object"))


def _goes_on(tls: ssl.SSLObject | None) -> bool:
    """Whether a record stands behind those that were read, be it the one that ends the connection."""
    if tls is None:
        return False
    try:
        tls.read(1)
    except ssl.SSLWantReadError:
        return False
    except ssl.SSLError:
        return True
    return True
