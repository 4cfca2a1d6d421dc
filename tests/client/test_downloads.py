"""Answers of any size are handed on as they come, once, and never kept."""

import asyncio
import gzip
import time
import zlib

import pytest

from svc_tui.client.body_handling import BodyHandling
from svc_tui.client.client import MAX_BODY_BYTES
from svc_tui.client.sender import Sender
from svc_tui.client.signed_request import prepare_request
from svc_tui.core.requests import Answer, RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.base_url import base_url_of
from svc_tui.service.retry import RetryRules
from tests.client.raw_service import BREAK, KEYS, CannedReply, Connect, RawService, reply

READ = RequestSpec("GET", "files/large")


class HandedOn:
    """What was handed on."""

    def __init__(self) -> None:
        self.heads: list[Answer] = []
        self.pieces: list[bytes] = []

    def take(self, head: Answer, piece: bytes) -> None:
        if not piece:
            self.heads.append(head)
        self.pieces.append(piece)

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
async def test_a_body_larger_than_what_is_kept_comes_whole_and_in_pieces(
    service: RawService, connect: Connect, coding: str
) -> None:
    body = bytes(range(256)) * (MAX_BODY_BYTES // 200)
    packed = {"": body, "gzip": gzip.compress(body, 1) + gzip.compress(b"end"), "deflate": zlib.compress(body)}[coding]
    service.rest = reply(200, packed, *((("Content-Encoding", coding),) if coding else ()), ("X-Mine", "yes"))
    handed_on = HandedOn()
    async with connect() as client:
        exchange = await client.download(READ, handed_on.take)
    assert handed_on.body == body + (b"end" if coding == "gzip" else b"")
    assert max(map(len, handed_on.pieces)) <= 1_000_000
    (head,) = handed_on.heads
    assert (head.status, head.header("x-mine"), head.body) == (200, "yes", b"")
    assert (exchange.answer.body, exchange.answer.capped) == (b"", False)


async def test_an_empty_body_has_a_head(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, b"")
    handed_on = HandedOn()
    async with connect() as client:
        await client.download(READ, handed_on.take)
    assert (len(handed_on.heads), handed_on.body) == (1, b"")


async def test_once_a_piece_was_handed_on_there_is_no_other_attempt(service: RawService, connect: Connect) -> None:
    service.script = [BREAK, reply(200, b"half", length=10)]
    handed_on = HandedOn()
    async with connect() as client:
        with pytest.raises(errors.ConnectionBroken, match="lost after 4 bytes"):
            await client.download(READ, handed_on.take)
    assert handed_on.body == b"half"
    assert len(service.received) == 2


async def test_an_error_answer_is_not_handed_on(service: RawService, connect: Connect) -> None:
    service.script = [reply(503, b"wait"), reply(404, b"gone")]
    handed_on = HandedOn()
    async with connect() as client:
        exchange = await client.download(READ, handed_on.take)
    assert (exchange.answer.status, exchange.answer.body, handed_on.pieces) == (404, b"gone", [])


async def test_what_keeps_coming_may_take_longer_than_a_call(service: RawService, connect: Connect) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"
    service.rest = CannedReply((head, *[b"x"] * 12), pause=0.1)
    handed_on = HandedOn()
    started = time.monotonic()
    async with connect(rules=RetryRules(deadline=0.5)) as client:
        await client.download(READ, handed_on.take)
    assert handed_on.body == b"x" * 12
    assert time.monotonic() - started > 0.8


async def test_a_head_that_drips_ends_at_the_deadline(service: RawService, connect: Connect) -> None:
    service.rest = CannedReply((b"HTTP/1.1 200 OK\r\nX-A: ", *[b"x"] * 9999), pause=0.05)
    async with connect(rules=RetryRules(deadline=0.5)) as client:
        async with asyncio.timeout(20):
            with pytest.raises(errors.DeadlineExceeded):
                await client.download(READ, HandedOn().take)


async def test_a_write_is_not_downloaded(service: RawService, connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(errors.RequestRefused, match="PATCH changes data"):
            await client.download(RequestSpec("PATCH", "lots/L-1"), HandedOn().take)
    assert not service.received


async def test_the_sender_itself_ends_a_body_that_drips_past_its_time(service: RawService) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    service.rest = CannedReply((head, *[b"x"] * 999), pause=0.05)
    profile = Profile("x", sandbox_base_url=service.url)
    prepared = prepare_request(READ, profile)
    sender = Sender(base_url_of(profile, KEYS.environment))
    try:
        with pytest.raises(errors.DeadlineExceeded, match="did not arrive in time") as raised:
            async with asyncio.timeout(20):
                await sender.send(prepared, prepared.headers, seconds=0.4, body=BodyHandling(5000))
    finally:
        await sender.aclose()
    assert raised.value.sent is errors.SendResult.DONE
