"""No key, no secret and no signature comes out anywhere: they are searched for after every failure there is.

The service here repeats them in its answers, the loggers all stand at DEBUG, asyncio tells every step it takes.
"""

import asyncio
import gzip
import json
import logging
import pickle
import socket
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import CredentialError, KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service import errors
from svc_tui.service.advice import error_text
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import TrafficEvent
from tests.client.raw_service import BREAK, KEYS, SECRET, CannedReply, Connect, RawService, ReceivedRequest, reply
from tests.client.secure import secure_service
from tests.direct_requests import action, create, remove, update, verify

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
QUICK = RetryRules(first_wait=0, longest_wait=0, deadline=30)
NEW = KeyPair("svc_test_fedcba9876543210", "svcsec/fedcba98+76543210=")

CALLS: dict[str, Callable[[SignedClient], Awaitable[object]]] = {
    "page": lambda client: client.page(LOTS, 1, 50),
    "record": lambda client: client.record(LOTS, "L-1"),
    "create": lambda client: create(client, LOTS, {"note": "x"}),
    "update": lambda client: update(client, LOTS, "L-1", {"note": "x"}),
    "remove": lambda client: remove(client, LOTS, "L-1"),
    "split": lambda client: action(client, LOTS, "L-1", "split", {"parts": []}),
    "verify": lambda client: verify(client, "T-1"),
}
READERS = ("page", "record", "create", "update")
"""The calls that make something of the body of a success."""


@dataclass(slots=True)
class CapturedOutput:
    """What was said by loggers, in traffic events and by errors."""

    logs: list[str]
    events: list[TrafficEvent]
    said: list[str]

    def of(self, error: BaseException) -> None:
        """Take down all that anybody could get out of an error."""
        self.said.extend(_words(error, set()))

    def search(self, *services: RawService) -> None:
        """Look for everything that is secret."""
        signatures = [came.header("x-svc-signature").partition("v1=")[2] for s in services for came in s.received]
        hidden = {*KEYS.secrets, *NEW.secrets, *filter(None, signatures)}
        texts = [*self.logs, *map(repr, self.events), *self.said]
        assert [(text, secret) for text in texts for secret in hidden if secret in text] == []


def _words(error: BaseException, seen: set[int]) -> Iterator[str]:
    if id(error) in seen:
        return
    seen.add(id(error))
    yield from (str(error), repr(error), repr(vars(error)), *traceback.format_exception(error))
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if not frame.f_globals["__name__"].startswith("tests."):
            yield from map(repr, frame.f_locals.values())
    if isinstance(error, errors.ServiceError):
        yield error_text(error)
        yield pickle.dumps(error).decode("latin-1")
    for other in (error.__cause__, error.__context__, *getattr(error, "exceptions", ())):
        if other is not None:
            yield from _words(other, seen)


@pytest.fixture
async def heard() -> AsyncIterator[CapturedOutput]:
    """Hears every logger that there is, each at DEBUG, and asyncio's account of every step."""
    import_module("svc_tui.client.sender")  # with the libraries it uses, and their loggers
    lines: list[str] = []

    class CapturingHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.name} {self.format(record)}")

    root = logging.getLogger()
    loggers = [root, *map(logging.getLogger, list(root.manager.loggerDict))]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    ear = CapturingHandler()
    root.addHandler(ear)
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = 0
    yield CapturedOutput(lines, [], [])
    loop.set_debug(False)
    root.removeHandler(ear)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
    assert any(line.startswith("asyncio Executing") for line in lines)


def repeating(came: ReceivedRequest, secret: str = SECRET) -> str:
    """All that is secret in a request, as a careless service repeats it."""
    return f"{came.header('authorization')} {secret} {came.header('x-svc-signature')}"


def echo(status: int, code: str = "odd", *headers: tuple[str, str]) -> Callable[[ReceivedRequest], CannedReply]:
    """An answer that repeats all it was sent, and the secret, in its reason, its headers and its body."""

    def answer(came: ReceivedRequest) -> CannedReply:
        words = repeating(came)
        signature = came.header("x-svc-signature").partition("v1=")[2]
        body = {"code": code, "message": words, "expected": signature, signature: [dict(came.headers)], SECRET: SECRET}
        made = reply(
            status,
            json.dumps({"error": body}),
            ("WWW-Authenticate", f'Bearer realm="{words}"'),
            ("X-Expected", signature),
            ("X-Request-Id", signature),
            ("Location", f"/v1/elsewhere?{SECRET}&{signature}"),
            ("Set-Cookie", f"session={came.header('authorization')}"),
            *headers,
        )
        return replace(made, pieces=(made.pieces[0].replace(b" No\r\n", f" No {words}\r\n".encode(), 1),))

    return answer


async def fails(call: Awaitable[object], heard: CapturedOutput) -> errors.ServiceError:
    """The error that the call ends with, taken down."""
    with pytest.raises(errors.ServiceError) as raised:
        await call
    heard.of(raised.value)
    return raised.value


STATUSES = [
    (301, "odd"),
    (400, "odd"),
    *((401, code) for code in ("api_key_invalid", "api_key_expired", "signature_missing", "signature_mismatch")),
    (401, "timestamp_stale"),
    (403, "insufficient_scope"),
    (403, "ip_not_allowed"),
    (404, "odd"),
    (409, SECRET),
    (422, KEYS.api_key),
    (503, "odd"),
]


@pytest.mark.parametrize(("status", "code"), STATUSES)
async def test_error_answers_that_repeat_everything(
    service: RawService, connect: Connect, heard: CapturedOutput, status: int, code: str
) -> None:
    service.rest = echo(status, code)
    async with connect(rules=QUICK, events=heard.events) as client:
        for call in CALLS.values():
            error = await fails(call(client), heard)
            assert error.status == status
            assert error.exchange is not None
            assert b"expected" in error.exchange.answer.body
        exchange = await client.send(READ)
        heard.said += [repr(client), str(client), repr(exchange), repr(client.preview(READ))]
    # What the service said is still there for `svc-tui request` to print, to the byte.
    assert SECRET.encode() in exchange.answer.body
    heard.search(service)


async def test_rate_limits(service: RawService, connect: Connect, heard: CapturedOutput) -> None:
    service.rest = echo(429, "rate_limit_exceeded", ("Retry-After", "3600"))
    async with connect(rules=QUICK, events=heard.events) as client:
        first = await fails(update(client, LOTS, "L-1", {}), heard)
        held = await fails(update(client, LOTS, "L-1", {}), heard)
    assert isinstance(first, errors.RateLimitExceeded)
    assert isinstance(held, errors.RateLimitExceeded)
    assert (first.attempts, held.attempts) == (1, 0)
    heard.search(service)


SENSELESS: dict[str, Callable[[str], str]] = {
    "text": lambda words: words,
    "string": lambda words: json.dumps(words),
    "page": lambda words: f"<html><title>{words}</title>",
    "broken": lambda words: f'{{"{words}": ',
    "twice": lambda words: f'[{{"{words}": 1, "{words}": 2}}, "{words}"]',
    "secret twice": lambda words: f'[{{"{SECRET}": 1, "{SECRET}": 2}}, 1]',
    "array": lambda words: json.dumps([words]),
    "NaN": lambda words: f'["{words}", NaN]',
    "deep": lambda words: "[" * 300 + f'"{words}"' + "]" * 300,
    "half a character": lambda words: f"{words}\udcff",
}


@pytest.mark.parametrize("body", SENSELESS.values(), ids=SENSELESS)
async def test_successes_that_make_no_sense(
    service: RawService, connect: Connect, heard: CapturedOutput, body: Callable[[str], str]
) -> None:
    service.rest = lambda came: reply(200, body(repeating(came)).encode(errors="surrogateescape"), ("X-Echo", SECRET))
    async with connect(rules=QUICK, events=heard.events) as client:
        for name in READERS:
            error = await fails(CALLS[name](client), heard)
            assert isinstance(error, errors.BadAnswer)
            assert (error.__cause__, error.__context__) == (None, None)
    heard.search(service)


LOST: dict[str, Callable[[ReceivedRequest], CannedReply]] = {
    "broken off": lambda _: BREAK,
    "body broken off": lambda came: reply(200, repeating(came), length=9999),
    "no HTTP": lambda came: CannedReply((repeating(came).encode() + b"\r\n\r\n",), close=True),
    "header broken off": lambda came: CannedReply(
        (b"HTTP/1.1 200 OK\r\nX-Echo: " + repeating(came).encode(),), close=True
    ),
    "header too long": lambda came: CannedReply(
        (b"HTTP/1.1 200 OK\r\nX-A: " + repeating(came).encode() * 900,), close=True
    ),
    "not gzip": lambda came: reply(200, repeating(came), ("Content-Encoding", "gzip")),
    "half a gzip": lambda came: reply(200, gzip.compress(repeating(came).encode())[:-9], ("Content-Encoding", "gzip")),
    "odd coding": lambda came: reply(200, repeating(came), ("Content-Encoding", SECRET)),
}


@pytest.mark.parametrize("answer", LOST.values(), ids=LOST)
async def test_answers_that_are_lost(
    service: RawService, connect: Connect, heard: CapturedOutput, answer: Callable[[ReceivedRequest], CannedReply]
) -> None:
    service.rest = answer
    async with connect(rules=QUICK, events=heard.events) as client:
        for call in CALLS.values():
            error = await fails(call(client), heard)
            assert isinstance(error, errors.ConnectionBroken | errors.BadAnswer)
    heard.search(service)


@pytest.mark.parametrize("head", ["HTTP/1.1 200 OK\r\nX-Echo: ", "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", ""])
async def test_answers_that_do_not_come_in_time(
    service: RawService, connect: Connect, heard: CapturedOutput, head: str
) -> None:
    def drip(came: ReceivedRequest) -> CannedReply:
        return CannedReply((head.encode(), *(bytes([byte]) for byte in repeating(came).encode())), pause=0.05)

    forever = asyncio.Event()
    service.rest = drip if head else CannedReply((), before=forever.wait)
    async with connect(rules=replace(QUICK, deadline=1.5), events=heard.events) as client:
        error = await fails(update(client, LOTS, "L-1", {}), heard)
        assert isinstance(error, errors.DeadlineExceeded)
    heard.search(service)


async def test_services_that_can_not_be_reached_or_trusted(heard: CapturedOutput) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    async with secure_service("self-signed.pem") as service:
        for url, kind in (
            (nobody, errors.Unreachable),
            ("https://no-such-host.invalid", errors.Unreachable),
            (f"https://127.0.0.1:{service.port}", errors.CertificateRefused),
        ):
            async with SignedClient(Profile("x", sandbox_base_url=url), KEYS, rules=QUICK) as client:
                client.listen(heard.events.append)
                assert isinstance(await fails(client.send(READ), heard), kind)
    heard.search(service)


@dataclass(frozen=True, slots=True)
class FakeCredentials:
    """Gives the pair that a rotation made; without one, fails."""

    pair: KeyPair | None

    def read(self) -> KeyPair:
        """The pair."""
        if self.pair is None:
            raise CredentialError("the command failed")
        return self.pair


@pytest.mark.parametrize(
    "source", [FakeCredentials(NEW), FakeCredentials(KEYS), FakeCredentials(None)], ids=["new", "same", "none"]
)
async def test_a_rotation(
    service: RawService, connect: Connect, heard: CapturedOutput, source: FakeCredentials
) -> None:
    pairs = [KEYS] if source.pair is None else [KEYS, source.pair]
    every = " ".join(secret for pair in pairs for secret in pair.secrets)
    service.rest = lambda came: reply(401, f'{{"code": "api_key_revoked", "message": "{every} {repeating(came)}"}}')
    async with connect(rules=QUICK, credentials=source, events=heard.events) as client:
        for call in CALLS.values():
            error = await fails(call(client), heard)
            assert isinstance(error, errors.ApiKeyRevoked)
        heard.said += [repr(client), str(client), repr(source)]
    heard.search(service)


async def test_a_cancel_and_a_close(service: RawService, connect: Connect, heard: CapturedOutput) -> None:
    arrived = asyncio.Event()
    forever = asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await forever.wait()

    service.rest = CannedReply((), before=hang)
    async with connect(rules=QUICK, events=heard.events) as client:
        task = asyncio.create_task(update(client, LOTS, "L-1", {}))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        heard.of(raised.value)
        heard.said.append(repr(task))
    await fails(client.send(READ), heard)
    heard.search(service)


@pytest.mark.parametrize(
    "spec",
    [
        RequestSpec("GET", "/v1/auth/keys"),
        RequestSpec("GET", f"/v1/../{KEYS.api_key}"),
        RequestSpec(f"GET {KEYS.api_key}", "/v1/x"),
        RequestSpec("GET", "/v1/x", headers=(("Authorization", f"Bearer {KEYS.api_key}"),)),
        RequestSpec("GET", "/v1/x", headers=((f"Bearer {KEYS.api_key}", "pasted"),)),
        RequestSpec("GET", "/v1/x", headers=(("X-Key", f"{KEYS.api_key}\n{SECRET}"),)),
    ],
    ids=lambda spec: spec.method[:3] + spec.path[:8],
)
async def test_what_is_refused_here(
    service: RawService, connect: Connect, heard: CapturedOutput, spec: RequestSpec
) -> None:
    async with connect(events=heard.events) as client:
        with pytest.raises(errors.RequestRefused) as raised:
            await client.send(spec)
    # The frames hold what the caller gave; what is said of it does not.
    raised.value.with_traceback(None)
    heard.of(raised.value)
    heard.search(service)


@pytest.mark.parametrize("name", ["httpx", "httpcore", "httpcore.http11", "httpcore.connection", "httpcore.proxy"])
def test_only_warnings_of_the_network_libraries_are_logged(name: str, caplog: pytest.LogCaptureFixture) -> None:
    import_module("svc_tui.client.sender")
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger=name)
    logging.getLogger(name).info("receive_response_headers.complete %s", KEYS.api_key)
    assert caplog.records == []
    logging.getLogger(name).warning("a warning")
    assert [record.message for record in caplog.records] == ["a warning"]


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        (RequestSpec("PATCH", "lots/L-1", body=b'{"note": "%s"}'), "body"),
        (RequestSpec("POST", "lots", body=b"x=%s"), "body"),
        (RequestSpec("DELETE", "lots/L-1", query=(("why", "%s"),)), "path or query"),
        (RequestSpec("PUT", "lots/%s"), "path or query"),
        (RequestSpec("PATCH", "lots/L-1", headers=(("X-Note", "%s"),)), "headers"),
    ],
)
@pytest.mark.parametrize("secret", KEYS.secrets)
async def test_no_write_tells_key_or_secret(
    service: RawService, connect: Connect, spec: RequestSpec, part: str, secret: str
) -> None:
    telling = RequestSpec(
        spec.method,
        spec.path.replace("%s", secret),
        tuple((name, value.replace("%s", secret)) for name, value in spec.query),
        tuple((name, value.replace("%s", secret)) for name, value in spec.headers),
        spec.body.replace(b"%s", secret.encode()),
    )
    what = "API key" if secret == KEYS.api_key else "signing secret"
    async with connect() as client:
        with pytest.raises(errors.RequestRefused) as shown:
            client.preview(telling)
        with pytest.raises(errors.RequestRefused) as refused:
            await client.send(telling)
    words = f"the {part} of the request contains your {what}; remove it"
    assert shown.value.message == refused.value.message == words
    assert not service.received


@pytest.mark.parametrize(
    ("secret", "spec"),
    [
        ("sec%41ret", RequestSpec("PUT", "lots/sec%41ret")),
        ("secret", RequestSpec("DELETE", "lots/L-1", query=(("why", "s%65cret"),))),
    ],
    ids=["it looks encoded", "it is encoded before it is encoded"],
)
async def test_percent_signs_hide_no_secret(
    service: RawService, connect: Connect, secret: str, spec: RequestSpec
) -> None:
    async with connect(KeyPair(KEYS.api_key, secret)) as client:
        with pytest.raises(
            errors.RequestRefused, match="the path or query of the request contains your signing secret"
        ):
            await client.send(spec)
    assert not service.received
