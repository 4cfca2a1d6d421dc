"""What it means that an attempt brought no answer: how far it came, and the error in our words.

httpx's own errors are dropped here, with what they may quote.
"""

import socket
import ssl
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol

import httpx

from svc_tui.client.certificates import certificate_refusal
from svc_tui.client.proxies import Proxy
from svc_tui.service.errors import (
    ConnectionBroken,
    DeadlineExceeded,
    ProxyRefused,
    ProxyUnreachable,
    RequestRefused,
    ServiceError,
    Unreachable,
)
from svc_tui.service.traffic import Reached, Stage

_CONNECTION_LOST = "Server disconnected"
"""How httpcore begins what it says of a connection that ended without an answer."""

_NOT_CONNECTED = (httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ConnectError, httpx.ProxyError)


class _Stream(Protocol):
    async def aclose(self) -> None:
        """Close the connection."""


class ConnectionTrace:
    """How far an attempt came on its way to `where` (host and port, for people); httpcore calls it at every step.

    Until a proxy has opened its tunnel, it was told where that leads and no more: nothing of the request has left.
    `reached` is called for each stage of the attempt but for the answer's. Where something has `answered` there before,
    nothing says that the base URL may be wrong.
    """

    def __init__(self, where: str, proxy: Proxy | None, reached: Reached, *, answered: bool = False) -> None:
        self._where = where
        self._proxy = proxy
        self._setting = "" if answered else "the base URL"
        self._reached = reached
        self._asking = False
        self._opened: _Stream | None = None

    def opens(self) -> None:
        """Take note that there is no connection yet: one is opened now."""
        self._reached(Stage.CONNECTING)

    def asks(self) -> None:
        """Take note that the request leaves, over a connection that was there; of that no step is told."""
        self._reached(Stage.ASKED)

    async def __call__(self, step: str, info: Mapping[str, Any]) -> None:
        """Take note of a step; source: httpcore, "Request Extensions", `trace`."""
        if step == "http11.send_request_headers.started":
            self._asking = info["request"].method == b"CONNECT"
            if not self._asking:
                self._reached(Stage.ASKED)
        elif step.endswith("connect_tcp.complete"):
            self._opened = info["return_value"]
        elif step == "proxy.start_tls.started":
            # The tunnel stands; at its end it is the service that proves who it is.
            self._proxy = None

    async def aclose(self) -> None:
        """Close the connection that the attempt opened: httpcore forgets one whose handshake is cancelled."""
        if self._opened is not None:
            await self._opened.aclose()

    def failure(self, error: httpx.HTTPError) -> ServiceError:
        """What the error means, as far as the attempt came."""
        if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
            return RequestRefused("the request is not valid HTTP: check its method and headers")
        if self._asking or isinstance(error, _NOT_CONNECTED):
            return self._unconnected(error) if self._proxy is None else self._stopped(error, self._proxy)
        if isinstance(error, httpx.TimeoutException):
            return DeadlineExceeded(f"{self._where} did not respond in time")
        if isinstance(error, httpx.RemoteProtocolError) and not str(error).startswith(_CONNECTION_LOST):
            hint = f": check {self._setting}" if self._setting else ""
            return ConnectionBroken(f"{self._where} returned a response that is not HTTP{hint}")
        return ConnectionBroken(f"the connection to {self._where} was lost before a response arrived")

    def _unconnected(self, error: httpx.HTTPError) -> ServiceError:
        if isinstance(error, httpx.TimeoutException):
            return Unreachable(f"connecting to {self._where} timed out: {_network_words(self._setting)}")
        causes = _causes(error)
        words = _connect_words(causes, self._setting)
        return certificate_refusal(causes, self._where) or Unreachable(f"could not connect to {self._where}: {words}")

    def _stopped(self, error: httpx.HTTPError, proxy: Proxy) -> ServiceError:
        """The failure of an attempt that came no further than the proxy."""
        if isinstance(error, httpx.ProxyError):
            # Its first word is the proxy's status; the others are the proxy's own.
            return _proxy_refused(int(str(error).partition(" ")[0]), proxy, self._where)
        if self._asking:
            how = "did not respond in time" if isinstance(error, httpx.TimeoutException) else "closed the connection"
            return ProxyUnreachable(f"the proxy {proxy} {how}: check {proxy.variable}, or add the host to NO_PROXY")
        causes = _causes(error)
        remedy = ""
        if proxy.scheme == "https" and self._opened is not None and not any(map(_is_verdict, causes)):
            # A clear-text proxy is connected to, and then does not understand TLS.
            remedy = f"; if it is not an HTTPS proxy, set {proxy.variable} to http://{proxy}"
        if isinstance(error, httpx.TimeoutException):
            return ProxyUnreachable(
                f"connecting to the proxy {proxy} timed out: check the network and {proxy.variable}{remedy}"
            )
        if (refusal := certificate_refusal(causes, f"the proxy {proxy}")) is not None:
            return ProxyRefused(f"{refusal}{remedy}")
        words = _connect_words(causes, proxy.variable)
        return ProxyUnreachable(f"could not connect to the proxy {proxy}: {words}{remedy}")


def _is_verdict(cause: BaseException) -> bool:
    """Whether the other side showed a certificate, which was not accepted."""
    return isinstance(cause, ssl.SSLCertVerificationError)


def _proxy_refused(status: int, proxy: Proxy, where: str) -> Unreachable:
    if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        if proxy.user:
            return ProxyRefused(f"the proxy {proxy} refused the user name and password in {proxy.variable} (407)")
        form = f"{proxy.scheme}://user:password@{proxy}"
        return ProxyRefused(f"the proxy {proxy} requires a login (407): set {proxy.variable} to {form}")
    passing = status >= 500 or status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
    kind = ProxyUnreachable if passing else ProxyRefused
    return kind(f"the proxy {proxy} did not connect to {where}: it returned {status}")


def _connect_words(causes: Sequence[BaseException], setting: str) -> str:
    """Why there is no connection, and what to check; `setting` names the address, "" for one that was right before."""
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            again = cause.errno == socket.EAI_AGAIN
            return (
                "DNS lookup failed; check the network" if again else f"host not found; check {setting or 'the network'}"
            )
        if isinstance(cause, ConnectionRefusedError):
            return (
                f"connection refused; check {setting}"
                if setting
                else "connection refused; the service may have stopped"
            )
    return _network_words(setting)


def _network_words(setting: str) -> str:
    return f"check the network and {setting}" if setting else "check the network"


def _causes(error: BaseException) -> tuple[BaseException, ...]:
    """The error and what led to it, the members of groups too."""
    causes: list[BaseException] = []
    ahead = [error]
    while ahead:
        at = ahead.pop()
        if at not in causes:
            causes.append(at)
            ahead += [cause for cause in (at.__context__, at.__cause__) if cause is not None]
            ahead += at.exceptions if isinstance(at, BaseExceptionGroup) else ()
    return tuple(causes)
