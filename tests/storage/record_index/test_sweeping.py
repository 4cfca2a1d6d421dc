"""Sweeps of an index: all is read once, what changed is met, and what can't be read is passed over."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.search.session_index import SessionIndex
from svc_tui.search.sweeping import Sweeping
from svc_tui.service.errors import InsufficientScope, NotFound, ServiceError, SignatureMismatch
from svc_tui.service.gateway import RecordReading
from svc_tui.storage.record_index.index_file import IndexFile
from svc_tui.storage.record_index.index_values import IndexRules
from svc_tui.storage.record_index.record_index import RecordIndex
from svc_tui.storage.record_index.seen_changes import ChangeKind
from svc_tui.storage.scope import StorageScope
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway, lot

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
SCOPE = StorageScope("north", Environment.SANDBOX, "http://gateway.test")


@dataclass
class Clock:
    """A time of day that goes on by itself a little, and by hand."""

    at: datetime = NOON

    def now(self) -> datetime:
        """A second later than before."""
        self.at += timedelta(seconds=1)
        return self.at


@dataclass
class LosingGateway(MemoryGateway):
    """One that has no record any more that was taken away, asked for by its id."""

    gone: set[str] = field(default_factory=set)

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """The record with that id."""
        if record_id in self.gone:
            raise NotFound(f"there is no {record_id}")
        return await super().reading(collection, record_id, background=background)


@asynccontextmanager
async def sweeping(
    directory: Path, gateway: MemoryGateway, clock: Clock, *others: Collection
) -> AsyncIterator[Sweeping]:
    """Sweeps of the lots that the gateway has, and of other collections."""

    async def open_index(key: str, _create: bool) -> RecordIndex:
        return RecordIndex(IndexFile(directory / "north.db", SCOPE, IndexRules(), key))

    held = SessionIndex(gateway, (LOTS, *others), IndexRules(hours=24), wanted=True, open_index=open_index, key=str)
    assert await held.open()
    try:
        yield Sweeping(held, 50, clock.now)
    finally:
        await held.aclose()


async def held_ids(of: Sweeping) -> set[str | None]:
    """The ids in the index."""
    assert of.index.index is not None
    return {one.record.id async for part in of.index.index.listed(LOTS.key, 10_000, 500) for one in part}


async def test_a_collection_is_read_once_and_again_when_that_is_long_ago(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(130), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        assert len(await held_ids(sweeps)) == 130
        assert [page for _, page, background in gateway.asked if background] == [1, 2, 3]
        await sweeps.sweep_due()
        assert len(gateway.asked) == 3
        clock.at += timedelta(hours=25)
        await sweeps.sweep_due()
        assert len(gateway.asked) == 6


async def test_a_sweep_that_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(130), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        index = sweeps.index.index
        assert index is not None
        sweep = await index.begin_sweep(LOTS.key, 50)
        await sweeps.index.add_swept(LOTS, await gateway.page(LOTS, 1, 50), NOON, sweep, again=False)
    gateway.asked.clear()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        assert [page for _, page, _ in gateway.asked] == [2, 3]
        assert len(await held_ids(sweeps)) == 130


@dataclass
class ShiftedGateway(MemoryGateway):
    """A gateway whose walk meets a page twice, as after records moved between two pages under way."""

    async def walk(
        self,
        collection: Collection,
        *,
        limit: int | None = None,
        first: int = 1,
        most: int | None = None,
        query: Sequence[tuple[str, str]] = (),
        background: bool = True,
        ahead: int = 3,
    ) -> AsyncIterator[Page]:
        """Pages 1, 2, 3, 2, 3."""
        for number in (1, 2, 3, 2, 3):
            yield await self.page(collection, number, limit or 50, background=background)


async def test_a_page_that_a_sweep_reads_again_counts_no_id_twice(tmp_path: Path) -> None:
    gateway, clock = ShiftedGateway(130), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        assert sweeps.index.index is not None
        held = (await sweeps.index.index.status()).of(LOTS.key)
        assert (held.records, held.repeated_ids, held.next_page) == (130, 0, None)


async def test_new_records_at_the_end_are_met_between_two_sweeps(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(130), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        gateway.count = 160
        await sweeps.look_at_ends()
        # That was a moment ago.
        assert len(await held_ids(sweeps)) == 130
        clock.at += timedelta(hours=1)
        await sweeps.look_at_ends()
        await sweeps.index.settled()
        assert len(await held_ids(sweeps)) == 160
        assert sweeps.index.index is not None
        made = {change.record_id for change in await sweeps.index.index.changes(NOON)}
        assert made == {lot(row).id for row in range(130, 160)}


async def test_only_a_record_that_is_gone_by_its_own_address_counts_as_gone(tmp_path: Path) -> None:
    gateway, clock = LosingGateway(60), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        # The first three slid out of the list; one of them is gone for good.
        gateway.dropped, gateway.gone = 3, {"lot-000002"}
        await sweeps.sweep_due([LOTS])
        await sweeps.index.settled()
        assert await held_ids(sweeps) == {lot(row).id for row in range(60)} - {"lot-000002"}
        assert sweeps.index.index is not None
        (change,) = await sweeps.index.index.changes(NOON)
        assert (change.kind, change.record_id) == (ChangeKind.GONE, "lot-000002")


async def test_what_can_not_be_read_is_told_and_tried_again_later(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(60, failure=ServiceError("the key may not")), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        status = await sweeps.index.look()
        assert status is not None
        assert (status.of(LOTS.key).problem, status.of(LOTS.key).completed_at) == ("the key may not", None)
        gateway.failure = None
        await sweeps.sweep_due()
        assert await held_ids(sweeps) == set()
        clock.at += timedelta(hours=1)
        await sweeps.sweep_due()
        status = await sweeps.index.look()
        assert status is not None
        assert (status.of(LOTS.key).problem, len(await held_ids(sweeps))) == ("", 60)


async def test_of_two_programs_one_sweeps(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(60), Clock()
    async with sweeping(tmp_path, gateway, clock) as one, sweeping(tmp_path, gateway, clock) as two:
        await one.sweep_due()
        await two.sweep_due([LOTS])
        assert (one.elsewhere, two.elsewhere, len(gateway.asked)) == (False, True, 2)
        assert len(await held_ids(two)) == 60


async def test_an_answer_that_is_another_record_is_not_taken_for_this_one(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(3), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        sweeps.index.note_record(LOTS, "lot-000001", Record({"id": "another"}), clock.now())
        await sweeps.index.settled()
        assert await held_ids(sweeps) == {lot(row).id for row in range(3)}


@dataclass
class RepeatingGateway(LosingGateway):
    """One that answers past the end with its last page again, and has one record that can't be read by itself."""

    async def page(
        self,
        collection: Collection,
        number: int,
        limit: int,
        *,
        query: Sequence[tuple[str, str]] = (),
        background: bool = False,
    ) -> Page:
        """Page `number`, or the last one."""
        last = -(-(self.count - self.dropped) // limit)
        page = await super().page(collection, min(number, last), limit, query=query, background=background)
        return replace(page, number=number)

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """The record with that id, unless that is refused."""
        if record_id == "lot-000001":
            raise InsufficientScope("the key may not")
        return await super().reading(collection, record_id, background=background)


async def test_the_first_records_of_an_empty_collection_are_met_between_two_sweeps(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(0), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        gateway.count = 3
        clock.at += timedelta(hours=1)
        await sweeps.look_at_ends()
        await sweeps.index.settled()
        assert await held_ids(sweeps) == {"lot-000001", "lot-000002", "lot-000003"}


async def test_a_service_that_repeats_its_last_page_is_not_asked_for_ever(tmp_path: Path) -> None:
    gateway, clock = RepeatingGateway(100, told=False), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        clock.at += timedelta(hours=1)
        gateway.asked.clear()
        await sweeps.look_at_ends()
        assert [number for _, number, _ in gateway.asked] == [1, 2, 2]


async def test_one_record_that_can_not_be_read_keeps_no_collection_from_its_end(tmp_path: Path) -> None:
    gateway, clock = RepeatingGateway(60), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        gateway.dropped = 2
        await sweeps.sweep_due([LOTS])
        status = await sweeps.index.look()
        assert status is not None
        held = status.of(LOTS.key)
        assert (held.problem, held.next_page, held.records) == ("", None, 60)


async def test_what_is_written_under_a_record_leaves_the_record_in_the_index(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(3), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        await sweeps.sweep_due()
        sweeps.index.note_write("/v1/operations/lots/lot-000001/attachments/7", None, gone=True, at=clock.now())
        inner = Record({"id": "lot-000001", "kind": "photo"})
        sweeps.index.note_write("/v1/operations/lots/lot-000001/attachments", inner, gone=False, at=clock.now())
        await sweeps.index.settled()
        assert await held_ids(sweeps) == {lot(row).id for row in range(3)}
        sweeps.index.note_write("/v1/operations/lots/lot-000002", None, gone=True, at=clock.now())
        await sweeps.index.settled()
        assert await held_ids(sweeps) == {"lot-000001", "lot-000003"}


async def test_an_index_that_is_not_wanted_any_more_takes_nothing_in(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(3), Clock()
    async with sweeping(tmp_path, gateway, clock) as sweeps:
        sweeps.index.wanted = False
        sweeps.index.note_page(LOTS, await gateway.page(LOTS, 1, 50), clock.now(), chosen=False)
        await sweeps.index.settled()
        assert await held_ids(sweeps) == set()


async def test_a_pair_that_is_refused_is_not_tried_on_every_collection(tmp_path: Path) -> None:
    gateway, clock = MemoryGateway(3, failure=SignatureMismatch("another signature")), Clock()
    async with sweeping(tmp_path, gateway, clock, TUNNELS) as sweeps:
        await sweeps.sweep_due()
        assert [name for name, _, _ in gateway.asked] == ["lots"]
        gateway.failure = InsufficientScope("the key may not")
        clock.at += timedelta(hours=1)
        await sweeps.sweep_due()
        assert [name for name, _, _ in gateway.asked] == ["lots", "lots", "tunnels"]
