"""The page that is asked for before there is a table: who gets it, and what becomes of it where nobody does."""

import asyncio
import gc
from collections.abc import Sequence

import pytest

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Page
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.service.errors import ConnectionBroken
from svc_tui.service.traffic import Listener, Sent
from svc_tui.session.first_page import FirstPage, collection_of, first_place
from svc_tui.session.memory import LastPosition, SavedChoices
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway


class TalkingGateway(MemoryGateway):
    """Tells its listeners what it sends; `queries` is what pages were chosen by."""

    def __init__(self) -> None:
        super().__init__()
        self.listeners: list[Listener] = []
        self.queries: list[tuple[tuple[str, str], ...]] = []

    def listen(self, listener: Listener) -> None:
        self.listeners.append(listener)

    def sent(self, call: int) -> Sent:
        event = Sent(call, 1, "GET", "/v1/operations/lots")
        for listener in self.listeners:
            listener(event)
        return event

    async def page(
        self,
        collection: Collection,
        number: int,
        limit: int,
        *,
        query: Sequence[tuple[str, str]] = (),
        background: bool = False,
    ) -> Page:
        self.queries.append(tuple(query))
        return await super().page(collection, number, limit, query=query, background=background)


async def test_whoever_reads_it_is_given_the_page_that_was_asked_for() -> None:
    gateway = MemoryGateway()
    first = FirstPage(gateway, LOTS, 50)
    page = await first.page(LOTS, 1, 50)
    assert [record.id for record in page.records][:2] == ["lot-000001", "lot-000002"]
    assert gateway.asked == [("lots", 1, False)]


async def test_what_is_read_then_is_asked_for_then() -> None:
    gateway = MemoryGateway()
    first = FirstPage(gateway, LOTS, 50)
    await first.page(LOTS, 1, 50)
    first.shown()
    await first.page(LOTS, 2, 50, background=True)
    gateway.dropped = 1
    page = await first.page(LOTS, 1, 50)
    assert page.records[0].id == "lot-000002"
    assert gateway.asked == [("lots", 1, False), ("lots", 2, True), ("lots", 1, False)]


async def test_nothing_is_read_ahead_until_the_table_is_to_be_seen() -> None:
    gateway = MemoryGateway()
    first = FirstPage(gateway, LOTS, 50)
    await first.page(LOTS, 1, 50)
    ahead = asyncio.create_task(first.page(LOTS, 2, 50, background=True))
    await first.page(LOTS, 7, 50)
    assert gateway.asked == [("lots", 1, False), ("lots", 7, False)]
    first.shown()
    assert (await ahead).number == 2


@pytest.mark.parametrize(
    ("collection", "number", "limit", "query"),
    [(TUNNELS, 1, 50, ()), (LOTS, 2, 50, ()), (LOTS, 1, 20, ()), (LOTS, 1, 50, (("status", "open"),))],
)
async def test_a_page_that_nobody_meant_is_given_to_nobody(
    collection: Collection, number: int, limit: int, query: Sequence[tuple[str, str]]
) -> None:
    gateway = TalkingGateway()
    first = FirstPage(gateway, LOTS, 50)
    await first.wait_until_sent()
    page = await first.page(collection, number, limit, query=query)
    assert (page.number, page.limit) == (number, limit)
    await first.page(LOTS, 1, 50)
    assert gateway.asked == [("lots", 1, False), (collection.name, number, False), ("lots", 1, False)]
    assert gateway.queries == [(), tuple(query), ()]


async def test_it_is_chosen_by_the_parameters_that_are_remembered() -> None:
    gateway, query = TalkingGateway(), (("status", "open"),)
    await FirstPage(gateway, LOTS, 50, query).page(LOTS, 1, 50, query=query)
    assert gateway.queries == [query]


async def test_what_went_wrong_is_told_to_whoever_reads_it() -> None:
    first = FirstPage(MemoryGateway(failure=ConnectionBroken("the line is dead")), LOTS, 50)
    await first.wait_until_sent()
    with pytest.raises(ConnectionBroken):
        await first.page(LOTS, 1, 50)


async def test_of_an_error_that_nobody_reads_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    first: FirstPage | None = FirstPage(MemoryGateway(failure=ConnectionBroken("the line is dead")), LOTS, 50)
    assert first is not None
    await first.wait_until_sent()
    first = None
    gc.collect()
    await asyncio.sleep(0)
    assert caplog.records == []


async def test_the_traffic_is_kept_until_somebody_takes_it() -> None:
    gateway = TalkingGateway()
    first = FirstPage(gateway, LOTS, 50)
    events = [gateway.sent(1), gateway.sent(2)]
    assert first.take_traffic() == events
    gateway.sent(3)
    assert list(first.take_traffic()) == []


async def test_it_is_sent_as_soon_as_something_happens_on_the_wire() -> None:
    gateway = TalkingGateway()
    gateway.gate = asyncio.Event()
    first = FirstPage(gateway, LOTS, 50)
    waiting = asyncio.create_task(first.wait_until_sent())
    await asyncio.sleep(0)
    assert not waiting.done()
    gateway.sent(1)
    await asyncio.wait_for(waiting, 60)
    gateway.gate.set()
    await first.page(LOTS, 1, 50)


@pytest.mark.parametrize(
    ("asked", "left", "place"),
    [
        ("invoices", "/v1/operations/lots", "invoices"),
        (None, "/v1/operations/lots", "/v1/operations/lots"),
        (None, "", ""),
    ],
)
def test_what_opens_first_is_what_was_asked_for_else_what_was_left(asked: str | None, left: str, place: str) -> None:
    memory = SavedChoices(places={"test sandbox": LastPosition(left)} if left else {})
    assert first_place(asked, Profile("test"), Environment.SANDBOX, memory) == place
    assert first_place(asked, Profile("test"), Environment.LIVE, memory) == (asked or "")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("", "/v1/operations/lots"),
        ("/v1/finance/invoices", "/v1/finance/invoices"),
        ("FINANCE/Invoices", "/v1/finance/invoices"),
        ("/v1/finance/invoices/inv-1", "/v1/finance/invoices"),
        ("lots/lot-000001/attachments", "/v1/operations/lots/lot-000001/attachments"),
        ("nowhere", None),
        ("https://api.example.com/v1/finance/invoices", None),
        ("svctui://sandbox@127.0.0.1:1/finance/invoices", None),
    ],
)
def test_the_collection_of_a_place_is_told_where_the_place_alone_tells_it(place: str, path: str | None) -> None:
    collection = collection_of(place, Profile("test"))
    assert (collection and collection.path) == path


def test_the_collection_of_a_place_is_spelled_as_the_profile_says() -> None:
    profile = Profile("test", collections={"operations/lots": CollectionSettings(segment="ore-lots")})
    collection = collection_of("lots", profile)
    assert collection is not None
    assert collection.path == "/v1/operations/ore-lots"
