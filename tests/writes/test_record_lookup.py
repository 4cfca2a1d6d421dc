"""What is read beside a write: the fields that it may change, and whether a new record is in the list."""

from collections.abc import AsyncIterator, Sequence

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.credentials import KeyPair
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Page, Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import ServiceError, StatusError
from svc_tui.writes.record_lookup import (
    ListEnds,
    fields_concerned,
    read_list_ends,
    read_or_none,
    refresh_request,
    search_created_record,
)
from svc_tui.writes.write_requests import build_delete_request

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot-000001")
MISSING = Place(LOTS, "lot-999999")
N = Number


class PagedClient(SignedClient):
    """A client of a service whose list has `total` records and says so or not; `asked` are the pages read."""

    total = 0
    says_total = True
    says_pages = True
    asked: list[int]

    async def page(self, collection: Collection, number: int, limit: int, **_: object) -> Page:
        """One page of records named by their place in the list, at most 40 of them."""
        self.asked.append(number)
        size = min(limit, 40)
        records = tuple(
            Record({"id": f"lot-{at}", "name": f"Ore {at}"})
            for at in range((number - 1) * size + 1, min(number * size, self.total) + 1)
        )
        pages = -(-self.total // size)
        return Page(
            records,
            number,
            size,
            total=self.total if self.says_total else None,
            pages=pages if self.says_pages else None,
        )


@pytest.fixture
async def client(service: RunningService) -> AsyncIterator[PagedClient]:
    """A client of the embedded service, which is asked for single records."""
    profile = Profile("tests", sandbox_base_url=service.base_url)
    client = PagedClient(profile, KeyPair(service.key("sandbox").api_key))
    client.asked = []
    async with client:
        yield client


@pytest.mark.parametrize(
    ("method", "body", "names"),
    [
        ("patch", b'{"name":"x","new":1}', {"name"}),
        ("PATCH", b'[{"op":"remove"}]', {"id", "name", "note"}),
        ("PUT", b'{"name":"x"}', {"id", "name", "note"}),
        ("DELETE", b"", {"id", "name", "note"}),
    ],
)
def test_a_request_concerns_the_fields_that_it_may_change(method: str, body: bytes, names: set[str]) -> None:
    record = Record({"id": "lot-1", "name": "Ore", "note": None})
    concerned = fields_concerned(record, RequestSpec(method, "/v1/operations/lots/lot-1", body=body))
    assert concerned == {name: record.fields[name] for name in names}


async def test_a_record_that_can_not_be_read_adds_nothing_to_a_request(client: PagedClient) -> None:
    assert await read_or_none(client, MISSING) is None
    assert await refresh_request(client, MISSING, build_delete_request(MISSING), Draft(Record({}))) is None
    reading = await read_or_none(client, LOT)
    assert reading is not None
    shown = Record({**reading.record.fields, "name": "before"}, '"old"')
    completed = await refresh_request(client, LOT, build_delete_request(LOT), Draft(shown))
    assert completed is not None
    assert ("If-Match", reading.record.etag) in completed.request.headers
    assert completed.freshness == Freshness(Draft(reading.record), moved=("name",))


def ends(*records: dict[str, Json], whole: bool = True) -> ListEnds:
    return ListEnds([Record(fields) for fields in records], is_whole=whole)


def alike(count: int) -> list[Record]:
    return [Record({"id": f"{at}", "a": "x"}) for at in range(count)]


ORES = ends(
    {"id": "lot-1", "name": "Ore", "massKg": N("1.50"), "note": "a"},
    {"id": "lot-2", "name": "Ore", "massKg": N("1.5"), "note": "b"},
    {"id": "lot-2", "name": "Ore", "massKg": N("1.5"), "note": "b"},
    {"name": "Ore", "massKg": N("2"), "note": "b"},
    {"id": "lot-4", "massKg": N("3"), "note": N("1")},
)


@pytest.mark.parametrize(
    ("fields", "ids"),
    [
        ({"name": "Ore", "massKg": N("1.5")}, ("lot-1", "lot-2")),
        ({"name": "Ore", "note": "b"}, ("lot-2", "")),
        ({"massKg": N("3.0")}, ("lot-4",)),
        ({"massKg": N("3.0"), "name": "Ore"}, ()),
        ({"note": "c"}, ()),
        ({"unknown": None}, ()),
        ({}, ()),
    ],
)
def test_records_are_found_by_all_of_their_fields(fields: dict[str, Json], ids: tuple[str, ...]) -> None:
    assert ORES.find(fields) == ids
    assert ORES.find(fields) == ids, "found again by the same texts"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ends(), "Searched the list: no record has the sent values."),
        (ends({"a": "y"}, whole=False), "Searched 1 records of the list: no record has the sent values."),
        (ends({"id": "1", "a": "x"}), "Searched the list: 1 has the sent values and may be the new record."),
        (ends({"a": "x"}), "Searched the list: one record has the sent values and may be the new record."),
        (
            ListEnds(alike(3), is_whole=True),
            "Searched the list: 3 records have the sent values (0, 1, 2). One may be the new record.",
        ),
        (
            ListEnds(alike(1200), is_whole=False),
            "Searched 1,200 records of the list: 1,200 records have the sent values (0, 1, 2, …). One may be the new "
            "record.",
        ),
    ],
)
def test_a_sentence_tells_whether_the_new_record_is_there(found: ListEnds, words: str) -> None:
    assert found.words({"a": "x"}) == words


@pytest.mark.parametrize(
    ("total", "count", "pages", "whole"),
    [
        (0, 50, [1], True),
        (40, 50, [1], True),
        (41, 50, [1, 2], True),
        (400, 50, [1, 10], False),
        (400, 51, [1, 2, 9, 10], False),
        (120, 101, [1, 2, 3], True),
    ],
)
async def test_a_list_is_read_from_both_ends(
    client: PagedClient, total: int, count: int, pages: Sequence[int], whole: bool
) -> None:
    client.total = total
    for client.says_pages in (True, False):
        client.asked.clear()
        found = await read_list_ends(client, LOTS, count)
        assert client.asked == pages
        assert found.is_whole is whole
        assert len(found.records) == len({record.id for record in found.records}) == min(total, len(pages) * 40)


async def test_a_list_that_does_not_say_how_long_it_is_is_read_from_its_begin(client: PagedClient) -> None:
    client.total, client.says_total, client.says_pages = 40, False, False
    found = await read_list_ends(client, LOTS, 150)
    assert client.asked == [1]
    assert not found.is_whole
    client.total, client.says_pages = 400, True
    assert len((await read_list_ends(client, LOTS)).records) == 80
    assert client.asked == [1, 1, 10]


async def test_a_new_record_is_looked_for_among_fifty_of_each_end(client: PagedClient) -> None:
    client.total = 400
    words = await search_created_record(client, LOTS, {"name": "Ore 400"})
    assert words == "Searched 80 records of the list: lot-400 has the sent values and may be the new record."
    assert client.asked == [1, 10]


async def test_a_list_that_can_not_be_read_is_said(client: PagedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> Page:
        raise StatusError("no") from ServiceError("no")

    monkeypatch.setattr(client, "page", fail)
    words = await search_created_record(client, LOTS, {"name": "x"})
    assert words == "Could not load the list to search for the new record."
