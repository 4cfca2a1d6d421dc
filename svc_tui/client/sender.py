"""Puts one attempt on the wire and reads its answer: with `failures`, all that knows httpx.

It drives httpx's transport and not its client: no redirects, no cookies, no authentication, no environment, no
log line can come between what is signed and what is sent. It is imported late, off the way to the first frame.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from typing import cast

import httpx

from svc_tui.client.body_handling import BodyHandling
from svc_tui.client.connections import HttpConnection, http_connections
from svc_tui.client.decompress import BodyReader, DecompressionError
from svc_tui.client.failures import ConnectionTrace
from svc_tui.client.proxies import proxy_for
from svc_tui.client.signed_request import PreparedRequest
from svc_tui.client.throttle import MAX_CONNECTIONS
from svc_tui.core.requests import Answer
from svc_tui.core.values import replace
from svc_tui.service.answers import claims_web_page
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.errors import (
    BadAnswer,
    ConnectionBroken,
    DeadlineExceeded,
    RequestRefused,
    SendResult,
    ServiceError,
)
from svc_tui.service.traffic import Reached, Stage

_CONNECT_TIMEOUT = 10.0
_SILENCE_TIMEOUT = 30.0

_LOGGERS = ("httpx", "httpcore", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))


def _is_a_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


for _name in _LOGGERS:
    # Their debug lines tell each step of a request. What a log may not hold is taken out where it is written.
    logging.getLogger(_name).addFilter(_is_a_warning)
    logging.getLogger(_name).setLevel(logging.WARNING)


class Sender:
    """Connections to one base URL. A blocking constructor: build it in a thread. It raises RequestRefused."""

    def __init__(self, base: BaseUrl) -> None:
        self._base = base
        self._proxy = proxy_for(base)
        self._answered = False
        """Whether anything has answered there."""
        self._lines = http_connections(MAX_CONNECTIONS, base, self._proxy)
        self._free: list[HttpConnection] = list(self._lines)

    async def send(
        self,
        prepared: PreparedRequest,
        headers: Sequence[tuple[str, str]],
        *,
        seconds: float,
        body: BodyHandling,
        reached: Reached = lambda stage: None,
    ) -> Answer:
        """Send once and read the answer within `seconds`, its body as `body` says; handing that on may take any time.

        `reached` is called for each stage. `headers` are complete but for Host and Content-Length.
        Raises ServiceError, which says what was sent; it is not chained to httpx's error, which quotes headers.
        """
        ends = time.monotonic() + seconds
        trace = ConnectionTrace(self._base.authority, self._proxy, reached, answered=self._answered)
        request = self._request(prepared, headers, seconds, trace)
        # The throttle lets in no more than there are. The one used last is the likeliest to be open still.
        line = self._free.pop()
        try:
            response = await line.handle_async_request(request)
            self._answered = True
            reached(Stage.ANSWERING)
            return await _answer(response, ends, body)
        except httpx.HTTPError as error:
            failure = trace.failure(error)
        except asyncio.CancelledError:
            # httpcore never again takes up a connection whose request was cancelled.
            await line.aclose()
            await trace.aclose()
            raise
        finally:
            self._free.append(line)
        raise failure

    async def aclose(self) -> None:
        """Close every connection."""
        for line in self._lines:
            await line.aclose()

    def _request(
        self, prepared: PreparedRequest, headers: Sequence[tuple[str, str]], seconds: float, trace: ConnectionTrace
    ) -> httpx.Request:
        timeout = httpx.Timeout(min(_SILENCE_TIMEOUT, seconds), connect=min(_CONNECT_TIMEOUT, seconds))
        try:
            request = httpx.Request(
                prepared.method,
                f"{self._base}{prepared.target}",
                headers=list(headers),
                content=prepared.body,
                extensions={"timeout": timeout.as_dict(), "trace": trace},
            )
        except (httpx.InvalidURL, UnicodeError, ValueError):
            request = None
        expected = f"{self._base.prefix}{prepared.target}".encode()
        if request is None or request.url.raw_path != expected or request.content != prepared.body:
            raise RequestRefused(
                f"the path {prepared.target} would be changed before sending; percent-encode its special characters"
            )
        return request


async def _answer(response: httpx.Response, ends: float, handling: BodyHandling) -> Answer:
    """The answer as it was received; what an error answer says stays worth reading without the end of its body."""
    status = response.status_code
    reason = response.extensions.get("reason_phrase", b"").decode("ascii", "replace")
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
    head = Answer(status, reason, headers, b"")
    hand_on = None if handling.hand_on is None or not head.ok else partial(handling.hand_on, head)
    body = BodyReader(",".join(response.headers.get_list("content-encoding")), handling.cap, hand_on)
    try:
        if hand_on is not None:
            hand_on(b"")
        failure = await _read(response, body, ends if hand_on is None else math.inf)
    finally:
        await response.aclose()
    if failure is not None and head.ok:
        if claims_web_page(response.headers.get("content-type", "")):
            # It is a gateway's as likely as the service's.
            failure.sent = SendResult.UNKNOWN
        raise failure
    return replace(head, body=body.output, capped=failure is not None or body.over)


async def _read(response: httpx.Response, body: BodyReader, ends: float) -> ServiceError | None:
    """Read until `body` has ended or is over its cap; the error where it came to neither."""
    try:
        async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_raw())) as arriving:
            async for piece in arriving:
                body.add(piece)
                if body.over:
                    return None
                if time.monotonic() > ends:
                    # httpx counts anew for every chunk; a body that drips would never end.
                    return _deadline_error(body)
    except DecompressionError as error:
        return BadAnswer(str(error))
    except httpx.TimeoutException:
        return _deadline_error(body)
    except httpx.HTTPError:
        return _broken_error(body)
    return None if body.ended else _broken_error(body)


def _deadline_error(body: BodyReader) -> ServiceError:
    words = f"the response body did not arrive in time; received {body.size:,} bytes"
    return DeadlineExceeded(words, sent=SendResult.DONE)


def _broken_error(body: BodyReader) -> ServiceError:
    return ConnectionBroken(
        f"the connection was lost after {body.size:,} bytes of the response body", sent=SendResult.DONE
    )
