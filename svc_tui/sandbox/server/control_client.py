"""Speaks to the control routes of a running service."""

import contextlib
import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from svc_tui.sandbox.errors import SandboxError

TOKEN_HEADER = "x-svc-control"  # noqa: S105

MARK = ("x-svc-sandbox", "control")
"""A header, and its value, in every answer of a control route: a page with status 200 is none."""

_MAX_ANSWER = 64 * 1024 * 1024

_MAX_SHOWN = 200


class ControlRefused(Exception):
    """The service answered, and not with success; the text is one line."""


class ControlUnreachable(Exception):
    """Nothing answered, or something else than the service; the text is one line."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go along, to whoever is named there."""

    def redirect_request(self, *_: Any) -> None:
        """Leave it an error."""


@dataclass(frozen=True, slots=True)
class ControlClient:
    """The control routes at `base_url`; raises SandboxError where that is no address of a service."""

    base_url: str
    token: str = field(repr=False)
    timeout: float

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            raise SandboxError(f"{self.base_url[:_MAX_SHOWN]} is not a URL such as http://127.0.0.1:8000")
        if not self.token.isascii() or not self.token.isprintable():
            raise SandboxError("the control token must be ASCII without control characters")

    def call(
        self, method: str, path: str, query: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
    ) -> str:
        """The text of an answer, "" where it has none; raises ControlRefused and ControlUnreachable."""
        url = f"{self.base_url.rstrip('/')}/control/{path}"
        if query:
            url += f"?{urlencode(query)}"
        content = None if body is None else json.dumps(body).encode()
        # The constructor saw to it that it is an address of HTTP.
        request = urllib.request.Request(url, content, {TOKEN_HEADER: self.token}, method=method)  # noqa: S310
        if content is not None:
            request.add_header("Content-Type", "application/json")
        # A proxy is for other machines than the one where the token was made.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())
        try:
            with opener.open(request, timeout=self.timeout) as answer:
                if not _is_marked(answer.headers):
                    raise ControlUnreachable(f"{self.base_url} is not a sandbox: it returned {answer.status}")
                read: bytes = answer.read(_MAX_ANSWER + 1)
                if len(read) > _MAX_ANSWER:
                    raise ControlUnreachable(f"{self.base_url} returned more than {_MAX_ANSWER:,} bytes")
                return read.decode()
        except urllib.error.HTTPError as refusal:
            raise self._refused(refusal) from None
        except (OSError, HTTPException, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise ControlUnreachable(f"{self.base_url} can't be reached: {_words(reason)}") from None

    def _refused(self, refusal: urllib.error.HTTPError) -> Exception:
        if _is_marked(refusal.headers):
            with contextlib.suppress(ValueError, LookupError, TypeError, OSError, HTTPException):
                return ControlRefused(str(json.loads(refusal.read(64 * 1024))["error"]["message"]))
        if refusal.code in (401, 404):
            # What the service itself says to a request below /control/ when it has no control routes.
            return ControlUnreachable(
                f"{self.base_url} has no control routes; start it with --control-token, and check that it is a sandbox"
            )
        return ControlUnreachable(f"{self.base_url} is not a sandbox: it returned {refusal.code}")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)


def _is_marked(headers: Message) -> bool:
    name, value = MARK
    return headers.get(name) == value


def _words(error: object) -> str:
    """Return the reason for a user; texts of the HTTP library are left out."""
    if isinstance(error, TimeoutError):
        return "it did not respond in time"
    if isinstance(error, socket.gaierror):
        return "the host name can't be resolved"
    if isinstance(error, ssl.SSLError):
        return "the TLS connection failed; check the URL and the certificate"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "the response is not HTTP; check the URL"
