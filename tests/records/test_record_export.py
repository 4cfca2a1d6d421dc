"""An export gives each record once: those at hand, those of every page, or as many as are wanted."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.filters import parse_filter
from svc_tui.core.records import Page, Record
from svc_tui.records.record_export import ExportScope, RecordExport
from svc_tui.service.errors import NotFound
from svc_tui.service.gateway import Gateway

LOTS = COLLECTIONS[0]
WHOLE = ExportScope("the collection")


class Pages:
    """A service whose list has these pages of ids; each request for one is noted."""

    def __init__(self, *pages: Sequence[str]) -> None:
        self.pages, self.requested = pages, list[int]()

    async def walk(
        self, collection: object, *, limit: int, most: int | None = None, query: object
    ) -> AsyncIterator[Page]:
        for number in range(1, len(self.pages) + 1):
            if most is not None and (number - 1) * limit >= most:
                return
            page = await self.page(collection, number, limit)
            yield page if most is None else Page(page.records[: most - (number - 1) * limit], number, limit, page.total)

    async def page(self, _: object, number: int, limit: int, **__: object) -> Page:
        self.requested.append(number)
        ids = self.pages[number - 1] if number <= len(self.pages) else ()
        return Page(tuple(Record({"id": name}) for name in ids), number, limit, sum(map(len, self.pages)))


class StrictPages(Pages):
    """A service that answers 404 past the end of the list."""

    async def page(self, _: object, number: int, limit: int, **__: object) -> Page:
        if number > len(self.pages):
            raise NotFound(f"there is no page {number}")
        return await super().page(_, number, limit)


async def exported(pages: Pages, scope: ExportScope = WHOLE, most: int | None = None) -> tuple[RecordExport, list[str]]:
    export = RecordExport(cast("Gateway", cast("Any", pages)), LOTS, query=(), page_size=2, scope=scope, most=most)
    return export, [str(record.id) async for records in export.records() for record in records]


async def test_every_page_is_read() -> None:
    export, ids = await exported(Pages("ab", "cd", "e"))

    assert ids == ["a", "b", "c", "d", "e"]
    assert (export.read, export.written, export.notice) == (5, 5, "")
    assert (export.progress(2.0).count, export.progress(2.0).goal) == (5, 5)


async def test_a_page_that_is_not_found_past_the_end_is_the_end() -> None:
    export, ids = await exported(StrictPages("ab", "bc"), most=4)

    assert ids == ["a", "b", "c"]
    assert "1 record appeared on two pages" in export.notice


async def test_the_filter_chooses_among_what_is_read() -> None:
    export, ids = await exported(Pages("ab", "cb"), ExportScope("", filter=parse_filter("b", {})))

    assert ids == ["b"]
    assert (export.read, export.written) == (3, 1)
    assert "appeared on two pages" in export.notice


async def test_records_at_hand_are_given_without_a_request() -> None:
    records = tuple(Record({"id": f"r{number}"}) for number in range(500))
    pages = Pages()
    export, ids = await exported(pages, ExportScope("", records=records, goal=500))

    assert ids == [record.id for record in records]
    assert (pages.requested, export.notice, export.progress(0).goal) == ([], "", 500)


@pytest.mark.parametrize(
    ("pages", "most", "ids", "requested"),
    [
        (("ab", "cd", "ef"), 3, "abc", [1, 2]),
        (("ab", "bc", "de"), 3, "abc", [1, 2, 2]),
        (("ab", "ab", "ab"), 3, "ab", [1, 2, 2, 3]),
        (("ab", "c"), 9, "abc", [1, 2]),
    ],
    ids=["enough", "one twice", "nothing new", "fewer than wanted"],
)
async def test_as_many_as_are_wanted(pages: tuple[str, ...], most: int, ids: str, requested: list[int]) -> None:
    service = Pages(*pages)
    export, given = await exported(service, most=most)

    assert "".join(given) == ids
    assert service.requested == requested
    assert export.progress(0).goal == min(most, sum(map(len, pages)))
