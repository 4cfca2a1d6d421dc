"""Requests whose every byte a test chooses, signed by hand from the document's words."""

import hashlib
import hmac
import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from svc_tui.sandbox.access.keys import IssuedKey

LOT = "/v1/operations/lots/lot-000001"


@dataclass
class HandClock:
    """A clock that a test sets."""

    now: float = 1_760_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class RawAnswer:
    """An answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error answer, whose shape is checked on the way."""
        error = self.json["error"]
        assert set(error) == {"code", "message", "requestId"}
        assert error["requestId"] == self.headers["x-request-id"]
        assert error["message"]
        code = error["code"]
        assert isinstance(code, str)
        return code

    @property
    def message(self) -> str:
        message = self.json["error"]["message"]
        assert isinstance(message, str)
        return message


def signature(secret: str, timestamp: str, method: str, target: str, body: bytes) -> str:
    """The header's value for one request."""
    text = f"{timestamp}.{method}.{target}.{hashlib.sha256(body).hexdigest()}"
    return f"t={timestamp},v1={hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()}"


@dataclass
class RawClient:
    """Speaks to one service with one key; signs when the key has a secret, unless told not to."""

    base_url: str
    key: IssuedKey | None
    clock: Callable[[], float] = field(default=time.time)

    def say(
        self,
        method: str,
        target: str,
        body: bytes | str = b"",
        headers: Mapping[str, str | tuple[str, ...]] | None = None,
        *,
        sign: bool = True,
        timestamp: str | None = None,
        signed_target: str | None = None,
        signed_body: bytes | None = None,
    ) -> RawAnswer:
        """A header with several values is sent as several lines, one with none not at all."""
        content = body.encode() if isinstance(body, str) else body
        sent: dict[str, str | tuple[str, ...]] = {}
        if self.key:
            sent["Authorization"] = f"Bearer {self.key.api_key}"
        if sign and self.key and self.key.signing_secret:
            at = timestamp or str(int(self.clock()))
            sent["x-svc-timestamp"] = at
            sent["x-svc-signature"] = signature(
                self.key.signing_secret,
                at,
                method,
                target if signed_target is None else signed_target,
                content if signed_body is None else signed_body,
            )
        sent.update(headers or {})
        connection = http.client.HTTPConnection(self.base_url.removeprefix("http://"), timeout=60)
        try:
            connection.putrequest(method, target, skip_host="Host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                for line in (value,) if isinstance(value, str) else value:
                    connection.putheader(name, line)
            connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content)
            answer = connection.getresponse()
            return RawAnswer(answer.status, {name.lower(): v for name, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()
