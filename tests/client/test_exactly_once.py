"""A create that met trouble exists once, whether or not the service is known to honour the idempotency key."""

import asyncio
from collections.abc import Iterator
from typing import Literal

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.records import Record
from svc_tui.core.settings import Profile
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.server.request_log import ReceivedRequest
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from tests.direct_requests import create

LOTS = COLLECTIONS[0]
FIELDS = {"name": "once", "note": "Ł \\ ⛏️"}
LOSSES = ["reset", "reset-before"]
"""The connection breaks after the service has stored the record, and before it."""


@pytest.fixture
def sandbox() -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=3)) as service:
        yield service


def client_of(sandbox: RunningService, idempotency: Literal["unproven", "honoured"]) -> SignedClient:
    key = sandbox.key("live")
    profile = Profile("tests", sandbox.base_url, idempotency=idempotency)
    return SignedClient(profile, KeyPair(key.api_key, key.signing_secret), rules=RetryRules(first_wait=0.01))


async def stored(client: SignedClient) -> list[Record]:
    """Every lot that carries the name of the one that was to be made."""
    return [lot for lot in (await client.page(LOTS, 1, 50)).records if lot.fields["name"] == FIELDS["name"]]


def creates(sandbox: RunningService) -> list[ReceivedRequest]:
    """What arrived to create something."""
    return [attempt for attempt in sandbox.attempts if attempt.method == "POST"]


@pytest.mark.parametrize("fault", LOSSES)
async def test_where_the_key_is_honoured_it_is_sent_again_and_exists_once(sandbox: RunningService, fault: str) -> None:
    async with client_of(sandbox, "honoured") as client:
        sandbox.faults.next(fault, method="POST")
        made = await create(client, LOTS, FIELDS)
        assert [lot.fields for lot in await stored(client)] == [made.fields]
    first, second = creates(sandbox)
    assert first.idempotency_key == second.idempotency_key
    assert first.signed
    assert second.signed


@pytest.mark.parametrize("fault", LOSSES)
async def test_where_it_is_unproven_it_is_sent_once_and_can_be_taken_up_again(
    sandbox: RunningService, fault: str
) -> None:
    async with client_of(sandbox, "unproven") as client:
        sandbox.faults.next(fault, method="POST")
        with pytest.raises(errors.ConnectionBroken) as raised:
            await create(client, LOTS, FIELDS)
        lost = raised.value
        assert (lost.sent, lost.attempts) == (errors.SendResult.UNKNOWN, 1)
        assert lost.idempotency_key
        assert len(creates(sandbox)) == 1
        assert len(await stored(client)) == (fault == "reset")
        made = await create(client, LOTS, FIELDS, idempotency_key=lost.idempotency_key)
        assert [lot.fields for lot in await stored(client)] == [made.fields]
    assert {attempt.idempotency_key for attempt in creates(sandbox)} == {lost.idempotency_key}


async def test_many_creates_in_a_storm_of_losses_exist_once_each(sandbox: RunningService) -> None:
    for fault in (*LOSSES, "500", "503", "html-error"):
        sandbox.faults.always(fault, every=9, method="POST")
    names = [f"storm {number}" for number in range(40)]
    async with client_of(sandbox, "honoured") as client:
        creating = [create(client, LOTS, {"name": name}, idempotency_key=name) for name in names]
        ended = dict(zip(names, await asyncio.gather(*creating, return_exceptions=True), strict=True))
        sandbox.faults.clear()
        for name, failure in ended.items():
            if isinstance(failure, BaseException):
                # The budget for sending again was used up; the same key takes it up.
                assert isinstance(failure, errors.ServiceError)
                assert failure.sent is errors.SendResult.UNKNOWN
                await create(client, LOTS, {"name": name}, idempotency_key=failure.idempotency_key)
        found = [str(lot.fields["name"]) async for page in client.walk(LOTS, limit=50) for lot in page.records]
    assert sorted(name for name in found if name.startswith("storm")) == sorted(names)
    assert len(creates(sandbox)) > len(names)
