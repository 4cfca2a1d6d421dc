"""All of a collection is held once it was read, however its pages come, and how much that is at most."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from svc_tui.client.walk import walk_pages
from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.records import Page, Place, Record
from svc_tui.search import reading as reading_module
from svc_tui.search.reading import MAX_RECORDS, CollectionReading, CollectionsReader, fails_for_all
from svc_tui.service.errors import ApiKeyExpired, BadAnswer, ConnectionBroken, ServiceError, Unreachable
from svc_tui.storage.record_store import RecordStore
from tests.service.test_errors import failure

LOTS = COLLECTIONS[0]


class Pages:
    """A service that gives pages of these sizes; what was asked for is noted."""

    def __init__(self, sizes: Sequence[int], *, tells_total: bool = True) -> None:
        self.sizes, self.tells_total = sizes, tells_total
        self.asked: list[int] = []

    def walk(
        self, _collection: Collection, *, limit: int | None, first: int, most: int, background: bool, ahead: int
    ) -> AsyncGenerator[Page, None]:
        """The pages from `first`, in order."""
        assert background

        async def fetch(number: int) -> Page:
            self.asked.append(number)
            before = sum(self.sizes[: number - 1])
            size = self.sizes[number - 1] if number <= len(self.sizes) else 0
            records = tuple(Record({"id": f"r{at}"}) for at in range(before, before + size))
            return Page(
                records, number, limit or max(self.sizes, default=1), sum(self.sizes) if self.tells_total else None
            )

        return walk_pages(fetch, first=first, most=most, ahead=ahead)


async def read(pages: Any, page_size: int) -> CollectionReading:
    """A collection, read to its end."""
    reader = CollectionsReader(pages, RecordStore(), page_size, lambda: 0.0)
    await reader.read(LOTS)
    reading = reader.reading(LOTS)
    assert reading.complete
    return reading


@pytest.mark.parametrize("tells_total", [True, False])
@pytest.mark.parametrize("sizes", [(4, 5, 5, 2), (3, 4, 5), (5, 5, 5), (2, 2, 1), ()])
async def test_pages_of_any_size_are_all_held(sizes: Sequence[int], *, tells_total: bool) -> None:
    reading = await read(Pages(sizes, tells_total=tells_total), 5)
    held = {record.id for record in reading.source.rows.records()}
    assert held == {f"r{at}" for at in range(sum(sizes))}


async def test_no_page_is_read_twice_where_all_are_of_one_size() -> None:
    pages = Pages((5, 5, 5, 1))
    await read(pages, 5)
    assert pages.asked == [1, 2, 3, 4]


async def test_of_more_than_can_be_held_the_first_are_and_that_is_told() -> None:
    reading = await read(Pages((7_000,) * 20), 7_000)
    rows = reading.source.rows
    assert rows.cached == MAX_RECORDS
    assert rows.get(0) is not None
    assert reading.is_cut
    assert not (await read(Pages((7_000,) * 2), 7_000)).is_cut


async def test_the_first_page_alone_tells_how_many_there_are() -> None:
    pages = Pages((5, 5, 2))
    reader: Any = CollectionsReader(pages, RecordStore(), 5, lambda: 0.0)  # type: ignore[arg-type]
    await reader.read(LOTS, first_page_only=True)
    reading = reader.reading(LOTS)
    assert (pages.asked, reading.total, reading.complete, reading.requests_left) == ([1], 12, False, 2)
    await reader.read(LOTS)
    assert (pages.asked, reading.source.rows.cached, reading.complete) == ([1, 2, 3], 12, True)
    small: Any = CollectionsReader(Pages((3,)), RecordStore(), 5, lambda: 0.0)  # type: ignore[arg-type]
    await small.read(LOTS, first_page_only=True)
    assert small.reading(LOTS).complete


async def test_no_more_is_loaded_than_the_store_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_module, "MAX_BYTES", 200_000)
    pages = Pages((200,) * 20)
    reading = await read(pages, 200)
    assert reading.is_cut
    assert 200 < reading.source.rows.cached < 4000


async def test_what_is_read_in_two_goes_is_no_more_than_in_one() -> None:
    reader: Any = CollectionsReader(Pages((7_000,) * 20), RecordStore(), 7_000, lambda: 0.0)  # type: ignore[arg-type]
    reading = reader.reading(LOTS)
    for number in range(1, 4):
        records = tuple(Record({"id": f"r{at}"}) for at in range((number - 1) * 7_000, number * 7_000))
        reading.source.rows.add(Page(records, number, 7_000, 140_000))
        reading.pages = number
    await reader.read(LOTS)
    assert reading.source.rows.cached == MAX_RECORDS
    assert reading.source.rows.get(0) is not None


async def test_a_record_that_was_read_by_itself_is_held_as_that_told() -> None:
    reader = CollectionsReader(Pages((5, 5)), RecordStore(), 5, lambda: 0.0)  # type: ignore[arg-type]
    changed = Record({"id": "r7", "name": "corrected"})
    reader.note(Place(LOTS, "r7"), changed)
    await reader.read(LOTS)
    before = reader.changes
    reader.note(Place(LOTS, "r7"), changed)
    assert reader.changes > before
    assert reader.reading(LOTS).source.rows.get(7) == changed


@pytest.mark.parametrize(
    ("error", "for_all"),
    [
        (failure(403, '{"code": "insufficient_scope"}'), False),
        (failure(404), False),
        (failure(500), False),
        (BadAnswer("not JSON"), False),
        (failure(429), True),
        (ApiKeyExpired("the key has expired"), True),
        (failure(503), True),
        (Unreachable("no connection"), True),
        (ConnectionBroken("no response"), True),
    ],
)
def test_what_is_about_the_service_or_the_key_ends_the_loading_of_all(error: ServiceError, *, for_all: bool) -> None:
    assert fails_for_all(error) is for_all
