"""The client against the embedded service, which judges signatures by its own reading of the document."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, Number, loads
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.routes import nested_collection
from svc_tui.service.traffic import ClockCorrected, Throttled, TrafficEvent
from tests.direct_requests import action, create, remove, update, verify

LOTS = COLLECTIONS[0]
QUICK = RetryRules(first_wait=0.01)

WRITES: dict[str, tuple[dict[str, Json], dict[str, Json]]] = {
    "operations/lots": ({"name": "New", "massKg": Number("1204.50")}, {"note": None}),
    "operations/tunnels": ({"name": "Újvágat"}, {"ventilated": False}),
    "operations/productionLogs": ({"massKg": Number("10.00")}, {"shift": "night"}),
    "operations/shiftLogs": ({"headcount": Number("7")}, {"headcount": Number("8")}),
    "operations/custody": ({"tunnelId": "tun-02"}, {"note": "x"}),
    "operations/analytics": ({"metric": "recovery"}, {"value": Number("1e3")}),
    "compliance/licenses": ({"name": "L"}, {"expiresOn": "2026-02-28"}),
    "inventory/stock": ({"name": "Bolt"}, {"unit": "kg"}),
    "environment/monitoring": ({"value": Number("0.50")}, {"alarm": True}),
    "finance/invoices": ({"currency": "EUR"}, {"paidAt": "2025-01-01T00:00:00Z"}),
    "workforce/workers": ({"name": "李"}, {"languages": ["zh"]}),
    "safety/incidents": ({"severity": "minor"}, {"description": "d ⛏️"}),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=120)) as service:
        yield service


def client_of(sandbox: RunningService, name: str = "live") -> SignedClient:
    key = sandbox.key(name)
    profile = Profile("tests", sandbox.base_url, sandbox.base_url, idempotency="honoured")
    return SignedClient(profile, KeyPair(key.api_key, key.signing_secret), rules=QUICK)


@pytest.fixture
async def live(sandbox: RunningService) -> AsyncIterator[SignedClient]:
    sandbox.faults.clear()
    async with client_of(sandbox) as client:
        yield client
    sandbox.faults.clear()


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.key)
async def test_every_collection_is_listed_and_read(live: SignedClient, collection: Collection) -> None:
    page = await live.page(collection, 1, 2)
    assert page.total is not None
    assert page.limit == 2
    record = page.records[0]
    assert record.id is not None
    assert (await live.record(collection, record.id)).fields == record.fields


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.key)
async def test_every_collection_is_written_signed(
    live: SignedClient, sandbox: RunningService, collection: Collection
) -> None:
    fields, patch = WRITES[collection.key]
    made = await create(live, collection, fields)
    assert made.id is not None
    assert made.fields.items() >= fields.items()
    changed = await update(live, collection, made.id, patch)
    assert changed.fields.items() >= {**fields, **patch}.items()
    assert loads(sandbox.record(collection.key, made.id) or "null") == changed.fields
    await remove(live, collection, made.id)
    with pytest.raises(errors.NotFound):
        await live.record(collection, made.id)


async def test_a_lot_is_split_and_has_attachments(live: SignedClient) -> None:
    lot = await create(live, LOTS, {"name": "Ünité 7", "status": "open", "massKg": Number("10.50")})
    assert lot.id is not None
    answer = loads((await action(live, LOTS, lot.id, "split", {"parts": [Number("4.25"), Number("6.25")]})).answer.body)
    assert isinstance(answer, dict)
    assert [part["massKg"] for part in answer["parts"]] == [Number("4.25"), Number("6.25")]
    attachments = nested_collection(LOTS, lot.id, "attachments")
    made = await create(live, attachments, {"fileName": "assay [1].pdf"})
    assert [record.fields for record in (await live.page(attachments, 1, 50)).records] == [made.fields]
    assert made.id is not None
    await remove(live, attachments, made.id)
    with pytest.raises(errors.Conflict):
        await action(live, LOTS, lot.id, "split", {"parts": Number("2")})


async def test_a_hash_chain_is_verified(live: SignedClient) -> None:
    tunnel = (await live.page(COLLECTIONS[1], 1, 1)).records[0]
    assert tunnel.id is not None
    answer = loads((await verify(live, tunnel.id)).answer.body)
    assert isinstance(answer, dict)


async def test_walking_meets_every_lot_once(live: SignedClient) -> None:
    ids = [record.id async for page in live.walk(LOTS, limit=50) for record in page.records]
    assert len(ids) == len(set(ids)) == (await live.page(LOTS, 1, 1)).total


@pytest.mark.parametrize(
    ("faults", "size", "more"),
    [
        ([], 50, 0),
        (["cap-20"], 20, 0),
        # Only the page after the last shows that it was the last.
        (["no-total"], 50, 1),
        (["no-total", "cap-20"], 20, 1),
        # Pages ahead are asked for as far as the total reaches. A total that is not reached can mean that records moved
        # between two pages under way: all but the first two pages are read once more, and the empty one behind them.
        (["lying-total"], 50, 1 + 3 + 4 - 2 + 1),
        (["lying-total", "cap-20"], 20, 1 + 3 + 10 - 2 + 1),
    ],
    ids=lambda value: "+".join(value) or "none" if isinstance(value, list) else "",
)
async def test_walking_survives_what_meta_says_and_asks_for_few_pages_in_vain(
    live: SignedClient, sandbox: RunningService, faults: list[str], size: int, more: int
) -> None:
    expected = [record.id async for page in live.walk(LOTS, limit=50) for record in page.records]
    for fault in faults:
        sandbox.faults.always(fault)
    before = len(sandbox.attempts)
    ids = [record.id async for page in live.walk(LOTS, limit=50) for record in page.records]
    assert list(dict.fromkeys(ids)) == expected
    assert len(sandbox.attempts) - before <= -(-len(expected) // size) + more


async def test_collecting_gives_the_first_and_asks_for_no_page_beyond(
    live: SignedClient, sandbox: RunningService
) -> None:
    first = [record.id async for page in live.walk(LOTS, limit=50) for record in page.records][:75]
    before = len(sandbox.attempts)
    assert [record.id async for page in live.walk(LOTS, limit=50, most=75) for record in page.records] == first
    assert [attempt.target for attempt in sandbox.attempts[before:]] == [
        "/v1/operations/lots?page=1&limit=50",
        "/v1/operations/lots?page=2&limit=50",
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("expired", errors.ApiKeyExpired),
        ("revoked", errors.ApiKeyRevoked),
        ("address", errors.IpNotAllowed),
    ],
)
async def test_keys_that_are_refused(
    sandbox: RunningService, live: SignedClient, name: str, kind: type[errors.StatusError]
) -> None:
    async with client_of(sandbox, name) as client:
        with pytest.raises(kind):
            await client.page(LOTS, 1, 1)


async def test_signatures_that_are_refused(sandbox: RunningService, live: SignedClient) -> None:
    key = sandbox.key("live").api_key
    profile = Profile("tests", base_url=sandbox.base_url)
    async with SignedClient(profile, KeyPair(key)) as unsigned:
        with pytest.raises(errors.SignatureMissing):
            await unsigned.page(LOTS, 1, 1)
    async with SignedClient(profile, KeyPair(key, "wrong")) as wrong:
        with pytest.raises(errors.SignatureMismatch):
            await wrong.page(LOTS, 1, 1)
    async with SignedClient(profile, KeyPair("svc_live_unknown", "wrong")) as unknown:
        with pytest.raises(errors.ApiKeyInvalid):
            await unknown.page(LOTS, 1, 1)


async def test_a_scope_that_is_missing(sandbox: RunningService, live: SignedClient) -> None:
    async with client_of(sandbox, "read-only") as client:
        lot = (await client.page(LOTS, 1, 1)).records[0]
        with pytest.raises(errors.InsufficientScope, match="does not have the scope for PATCH"):
            await update(client, LOTS, lot.id or "", {"note": "x"})


@pytest.mark.parametrize("fault", ["clock-ahead", "clock-behind"])
async def test_a_clock_twenty_minutes_off_is_learned(live: SignedClient, sandbox: RunningService, fault: str) -> None:
    events: list[TrafficEvent] = []
    live.listen(events.append)
    sandbox.faults.always(fault)
    assert (await live.page(LOTS, 1, 1)).records
    assert any(isinstance(event, ClockCorrected) and event.offset for event in events)
    sandbox.faults.clear()
    assert (await live.page(LOTS, 1, 1)).records
    assert [event for event in events if isinstance(event, ClockCorrected)][-1] == ClockCorrected(None)


async def test_a_storm_of_requests_passes_a_small_limit(sandbox: RunningService, live: SignedClient) -> None:
    events: list[TrafficEvent] = []
    async with client_of(sandbox, "limited") as client:
        client.listen(events.append)
        pages = await asyncio.gather(*(client.page(LOTS, number, 5, background=number > 2) for number in range(1, 9)))
    assert [page.number for page in pages] == list(range(1, 9))
    assert any(isinstance(event, Throttled) and event.until is not None for event in events)


@pytest.mark.parametrize("fault", ["reset", "reset-before", "500", "503", "html-error"])
async def test_a_create_that_met_trouble_is_made_exactly_once_where_the_key_is_honoured(
    live: SignedClient, sandbox: RunningService, fault: str
) -> None:
    before = (await live.page(LOTS, 1, 1)).total or 0
    sandbox.faults.next(fault, method="POST")
    made = await create(live, LOTS, {"name": "once"})
    assert (await live.page(LOTS, 1, 1)).total == before + 1
    await remove(live, LOTS, made.id or "")


async def test_hostile_targets_are_judged_rightly_signed(live: SignedClient, sandbox: RunningService) -> None:
    for path in ("/v1/inventory/stock?", "/v1/operations/lots/a%2Fb%20c", "/v1/workforce/workers/%C3%89;x=[1]+'2'"):
        exchange = await live.send(RequestSpec("GET", path))
        assert exchange.answer.status in (200, 404)
    assert len(sandbox.attempts) >= 3


async def test_the_first_byte_comes_before_the_whole_answer(live: SignedClient) -> None:
    exchange = await live.send(RequestSpec("GET", LOTS.path, (("limit", "100"),)))
    assert 0 < exchange.first_byte <= exchange.seconds
