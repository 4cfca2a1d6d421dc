"""Records read by a list of ids: one by one, by pages where that is less, and what is not there."""

from collections.abc import Mapping
from contextlib import aclosing

import pytest

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Record
from svc_tui.search.id_list import listed_records
from svc_tui.service.errors import NotFound, ServiceError
from tests.ui.memory_gateway import LOTS, MemoryGateway


class AskedGateway(MemoryGateway):
    """Counts what is asked for, and lacks some records."""

    def __init__(self, count: int, lacks: frozenset[str] = frozenset(), broken: str = "") -> None:
        super().__init__(count)
        self.asked_ids: list[str] = []
        self.lacks, self.broken = lacks, broken
        self.in_background = True

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        self.asked_ids.append(record_id)
        self.in_background = self.in_background and background
        if record_id in self.lacks:
            raise NotFound(f"there is no {record_id}")
        if record_id == self.broken:
            raise ServiceError("the line is dead")
        return await super().record(collection, record_id, background=background)


async def read(
    gateway: MemoryGateway, ids: list[str], *, total: int | None, page_size: int = 50
) -> Mapping[str, Record | None]:
    answers: dict[str, Record | None] = {}
    async with aclosing(listed_records(gateway, LOTS, ids, page_size=page_size, total=total)) as some:
        async for more in some:
            answers.update(more)
    return answers


async def test_few_are_asked_for_by_their_ids_behind_all_else() -> None:
    gateway = AskedGateway(1000, frozenset({"lot-000003"}))
    answers = await read(gateway, ["lot-000900", "lot-000003"], total=1000)
    assert answers["lot-000003"] is None
    record = answers["lot-000900"]
    assert record is not None
    assert record.id == "lot-000900"
    assert gateway.in_background


async def test_many_are_read_by_pages_and_only_what_no_page_has_by_its_id() -> None:
    gateway = AskedGateway(200, frozenset({"lot-000999"}))
    ids = [f"lot-{at:06d}" for at in range(1, 151)] + ["lot-000999"]
    answers = await read(gateway, ids, total=200)
    assert sum(record is not None for record in answers.values()) == 150
    assert gateway.asked_ids == ["lot-000999"]


async def test_where_the_number_is_not_known_they_are_asked_for_by_their_ids() -> None:
    gateway = AskedGateway(200)
    ids = [f"lot-{at:06d}" for at in range(1, 21)]
    assert len(await read(gateway, ids, total=None, page_size=10)) == 20
    assert sorted(gateway.asked_ids) == ids


async def test_what_is_not_about_one_record_ends_it_after_what_came() -> None:
    gateway = AskedGateway(200, broken="lot-000003")
    answers: dict[str, Record | None] = {}
    reading = listed_records(gateway, LOTS, [f"lot-{at:06d}" for at in range(1, 9)], page_size=50, total=None)

    async def read_on() -> None:
        async for more in reading:
            answers.update(more)

    with pytest.raises(ServiceError, match="dead"):
        await read_on()
    assert list(answers) == ["lot-000001", "lot-000002"]
