"""uvicorn's HTTP protocol with the request target as received, and a connection that can be reset."""

import re
import socket
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

TARGET = "svc_tui.target"
"""Scope entry: the request target in bytes. ASGI's own path and query lose a `?` with nothing after it."""

RESET = "svc_tui.reset"
"""Scope entry: a function that resets the connection."""

Reset = Callable[[], None]


class RawTargetConnection(h11.Connection):
    """Remembers a request's target, and holds the head of its answer back until the body goes: one write for both."""

    def __init__(self, role: type[h11.SERVER]) -> None:
        super().__init__(role)
        self.target = b""
        self._head: list[bytes] = []

    def next_event(self) -> Any:
        """What was received next."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            event = _in_origin_form(event)
            self.target = event.target
        return event

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """The bytes to write for an event, those that were held back before them; `send` joins them."""
        pieces = super().send_with_data_passthrough(event)
        if pieces is None:
            return None
        if isinstance(event, h11.Response):
            self._head = pieces
            return []
        head, self._head = self._head, []
        return head + pieces


_ABSOLUTE_FORM = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


def _in_origin_form(request: h11.Request) -> h11.Request:
    """Return a request whose target is a whole URL as one with the path alone, its host in `Host` (RFC 9112, 3.2.2)."""
    matched = _ABSOLUTE_FORM.match(request.target)
    if matched is None:
        return request
    host, rest = matched.groups()
    headers = [(name, value) for name, value in request.headers if name != b"host"]
    return h11.Request(
        method=request.method,
        headers=[(b"host", host), *headers],
        target=rest if rest.startswith(b"/") else b"/" + rest,
        http_version=request.http_version,
    )


class RawTargetProtocol(H11Protocol):
    """Hands each request to the application with what ASGI leaves out."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._connection = RawTargetConnection(h11.SERVER)
        self.conn = self._connection
        inner = self.app

        async def with_target(scope: Scope, receive: Receive, send: Send) -> None:
            # h11 gives no further request until this one is answered, so the target is still this request's.
            await inner({**scope, TARGET: self._connection.target, RESET: self._reset}, receive, send)

        self.app = with_target

    def _reset(self) -> None:
        transport: asyncio.Transport = self.transport
        if (connection := transport.get_extra_info("socket")) is not None:
            # Lingering for no time makes the close a reset (RST) in place of an orderly end.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
