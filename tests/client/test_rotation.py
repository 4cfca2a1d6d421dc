"""Keys that rotate: a pair is never mixed with another, and its source is read by one, who holds nobody up."""

import asyncio
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import CredentialError, KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import Retrying, TrafficEvent
from tests.client.raw_service import KEYS, SECRET, CannedReply, Connect, RawService, ReceivedRequest, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b"{}", idempotency_key="k-1")
REVOKED = reply(401, '{"code": "api_key_revoked"}')


class RotatedCredentials:
    """A source of keys that gives `fresh` when it is read."""

    def __init__(self, fresh: KeyPair | CredentialError) -> None:
        self.fresh = fresh
        self.reads = 0

    def read(self) -> KeyPair:
        """The pair as it stands now."""
        self.reads += 1
        if isinstance(self.fresh, CredentialError):
            raise self.fresh
        return self.fresh


FRESH = KeyPair("svc_test_fresh", "fresh-secret")


@pytest.mark.parametrize("code", ["api_key_revoked", "api_key_expired", "api_key_invalid", "signature_mismatch"])
async def test_after_a_rotation_the_new_pair_is_read_and_used(service: RawService, connect: Connect, code: str) -> None:
    def judge(came: ReceivedRequest) -> CannedReply:
        old = came.header("authorization") != f"Bearer {FRESH.api_key}"
        return reply(401, f'{{"code": "{code}"}}') if old else reply(200, "{}")

    service.rest = judge
    source = RotatedCredentials(FRESH)
    events: list[TrafficEvent] = []
    async with connect(credentials=source, events=events) as client:
        answers = await asyncio.gather(*(client.send(POST) for _ in range(5)))
        assert client.secrets == (*FRESH.secrets, *KEYS.secrets)
    assert [exchange.answer.status for exchange in answers] == [200] * 5
    assert {event.wait for event in events if isinstance(event, Retrying)} == {0.0}
    assert source.reads == 1


async def test_after_a_rotation_the_old_pair_is_still_a_secret(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    old = SECRET
    service.script = [
        reply(401, '{"code": "api_key_revoked"}'),
        reply(400, f'{{"code": "{old}", "message": "no {old}"}}'),
    ]
    async with connect(credentials=RotatedCredentials(FRESH), events=events) as client:
        with pytest.raises(errors.StatusError, match="no …") as raised:
            await client.record(LOTS, "L-1")
    assert old not in f"{raised.value} {raised.value.code} {events}"


@pytest.mark.parametrize(
    "fresh", [KEYS, KeyPair("svc_live_other", "secret"), CredentialError("the keyring is locked")], ids=repr
)
async def test_without_a_better_pair_the_refusal_stands(
    service: RawService, connect: Connect, fresh: KeyPair | CredentialError
) -> None:
    service.rest = reply(401, '{"code": "api_key_revoked"}')
    source = RotatedCredentials(fresh)
    async with connect(credentials=source) as client:
        with pytest.raises(errors.ApiKeyRevoked):
            await client.record(LOTS, "L-1")
        assert client.secrets == KEYS.secrets
    assert (source.reads, len(service.received)) == (1, 1)


async def test_a_call_is_tried_with_one_new_pair_only(service: RawService, connect: Connect) -> None:
    service.rest = REVOKED
    numbers = itertools.count()
    source = FakeCredentials(lambda: KeyPair(f"svc_test_{next(numbers)}"))
    async with connect(credentials=source) as client:
        async with asyncio.timeout(20):
            assert (await client.send(READ)).attempts == 2
    assert len(source.readers) == 1


async def test_other_refusals_do_not_read_the_keys_again(service: RawService, connect: Connect) -> None:
    service.rest = reply(401, '{"code": "signature_missing"}')
    source = RotatedCredentials(FRESH)
    async with connect(credentials=source) as client:
        await client.send(READ)
    assert source.reads == 0


def only_fresh(came: ReceivedRequest) -> CannedReply:
    """What a service answers after the rotation."""
    return reply() if came.header("authorization") == f"Bearer {FRESH.api_key}" else REVOKED


class FakeCredentials:
    """A source of keys that does what a test wants of it, in whatever thread it is read."""

    def __init__(self, read: Callable[[], KeyPair]) -> None:
        self._read = read
        self.readers: list[threading.Thread] = []

    def read(self) -> KeyPair:
        """The pair as it stands now."""
        self.readers.append(threading.current_thread())
        return self._read()


async def test_a_rotation_under_way_never_mixes_two_pairs(service: RawService, connect: Connect) -> None:
    secrets = {f"Bearer {pair.api_key}": pair.signing_secret or "" for pair in (KEYS, FRESH)}

    def rotating(came: ReceivedRequest) -> CannedReply:
        return only_fresh(came) if len(service.received) > 30 else reply()

    service.rest = rotating
    async with connect(credentials=RotatedCredentials(FRESH)) as client:
        exchanges = await asyncio.gather(*(client.send(POST) for _ in range(100)))
    assert {exchange.answer.status for exchange in exchanges} == {200}
    bearers = [came.header("authorization") for came in service.received]
    assert set(bearers) == set(secrets)
    for came in service.received:
        assert came.signed_with(secrets[came.header("authorization")])
    # The two secrets are told apart.
    assert not service.received[0].signed_with(secrets[bearers[-1]])


async def test_the_source_is_read_once_however_many_are_refused_at_once(service: RawService, connect: Connect) -> None:
    refused = asyncio.Event()

    def together(_: ReceivedRequest) -> CannedReply:
        if len(service.received) % 8 == 0:
            refused.set()
        return CannedReply(REVOKED.pieces, before=refused.wait)

    service.rest = together
    source = FakeCredentials(lambda: KEYS)
    async with connect(credentials=source) as client:
        for waves in (1, 2):
            refused.clear()
            exchanges = await asyncio.gather(*(client.send(POST) for _ in range(8)))
            assert {exchange.answer.status for exchange in exchanges} == {401}
            assert len(source.readers) == waves
    assert len(service.received) == 16


async def test_the_source_is_not_read_on_the_event_loop(service: RawService, connect: Connect) -> None:
    service.rest = only_fresh
    source = FakeCredentials(lambda: FRESH)
    async with connect(credentials=source) as client:
        await client.send(READ)
    assert threading.current_thread() not in source.readers


def _raises(problem: BaseException) -> Callable[[], KeyPair]:
    def read() -> KeyPair:
        raise problem

    return read


UNEXPECTED = [OSError("no such file"), RuntimeError("keyring"), KeyError("x"), SystemExit(3), RecursionError()]


@pytest.mark.parametrize("problem", UNEXPECTED, ids=repr)
async def test_a_source_that_fails_loses_no_refusal(
    service: RawService, connect: Connect, problem: BaseException
) -> None:
    service.rest = REVOKED
    source = FakeCredentials(_raises(problem))
    async with connect(credentials=source) as client:
        async with asyncio.timeout(20):
            with pytest.raises(errors.ApiKeyRevoked):
                await client.record(LOTS, "L-1")
            assert not await client.reread_keys()
    assert len(source.readers) == 2


async def test_a_source_that_gives_no_pair_loses_no_refusal(service: RawService, connect: Connect) -> None:
    service.rest = REVOKED
    async with connect(credentials=FakeCredentials(lambda: None)) as client:  # type: ignore[arg-type,return-value]
        with pytest.raises(errors.ApiKeyRevoked):
            await client.record(LOTS, "L-1")


async def test_a_source_that_hangs_holds_a_call_no_longer_than_its_deadline(
    service: RawService, connect: Connect
) -> None:
    go_on = threading.Event()

    def at_last() -> KeyPair:
        go_on.wait()
        return FRESH

    service.rest = only_fresh
    source = FakeCredentials(at_last)
    async with connect(credentials=source, rules=RetryRules(deadline=1.5)) as client:
        async with asyncio.timeout(20):
            ended = await asyncio.gather(*(client.record(LOTS, "L-1") for _ in range(20)), return_exceptions=True)
        assert {type(failure) for failure in ended} <= {errors.ApiKeyRevoked, errors.DeadlineExceeded}
        assert errors.ApiKeyRevoked in {type(failure) for failure in ended}
        # What it gives in the end is used by whoever comes then.
        go_on.set()
        source.readers[0].join()
        await asyncio.sleep(0)
        assert (await client.send(READ)).attempts == 1
    assert len(source.readers) == 1


async def test_a_pair_that_comes_after_the_deadline_leaves_the_refusal(service: RawService, connect: Connect) -> None:
    later = 0.0

    def slowly() -> KeyPair:
        nonlocal later
        later = 100.0
        return FRESH

    service.rest = only_fresh
    async with connect(credentials=FakeCredentials(slowly), monotonic=lambda: time.monotonic() + later) as client:
        with pytest.raises(errors.ApiKeyRevoked):
            await client.record(LOTS, "L-1")
        assert (await client.send(READ)).attempts == 1


async def test_closing_does_not_wait_for_the_source(service: RawService, connect: Connect) -> None:
    go_on, reading = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang() -> KeyPair:
        loop.call_soon_threadsafe(reading.set)
        go_on.wait()
        return FRESH

    service.rest = REVOKED
    async with connect(credentials=FakeCredentials(hang)) as client:
        task = asyncio.create_task(client.record(LOTS, "L-1"))
        await reading.wait()
        await client.aclose()
        async with asyncio.timeout(20):
            with pytest.raises(errors.ApiKeyRevoked):
                await task
    go_on.set()


async def test_the_keys_are_read_again_by_hand(service: RawService, connect: Connect) -> None:
    pairs = [KEYS, FRESH]
    async with connect(credentials=FakeCredentials(lambda: pairs.pop(0))) as client:
        assert not await client.reread_keys()
        assert await client.reread_keys()
        await client.send(READ)
    async with connect() as client:
        assert not await client.reread_keys()
    assert service.received[0].signed_with(FRESH.signing_secret or "")


def test_a_source_that_hangs_does_not_keep_the_program_from_ending() -> None:
    script = """
import asyncio, threading
from svc_tui.client.client import SignedClient
from svc_tui.core.credentials import KeyPair
from svc_tui.service.retry import RetryRules
from svc_tui.core.settings import Profile

class Hanging:
    def read(self):
        threading.Event().wait()

async def main():
    profile = Profile("x", sandbox_base_url="http://127.0.0.1:1")
    rules = RetryRules(deadline=0.2)
    async with SignedClient(profile, KeyPair("svc_test_x"), credentials=Hanging(), rules=rules) as client:
        print(await client.reread_keys())

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
