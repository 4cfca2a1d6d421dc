"""A batch that was planned is there until its end, whatever becomes of the program."""

from dataclasses import replace
from pathlib import Path

import pytest

from svc_tui.domain.editing.batch import BatchChange, BatchPlan
from svc_tui.domain.editing.ports import StoreError, UnfinishedBatch
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Number
from svc_tui.store.store import Store
from tests.store.conftest import LOTS, OTHER_SHELF, SHELF

PLAN = BatchPlan(
    "b-1",
    Collection("operations", "lots", segment="ore-lots"),
    "massKg",
    (
        BatchChange("lot-1", Number("1.50"), Number("2.00")),
        BatchChange("lot-2", ABSENT, Number("2.00"), "uuid"),
        BatchChange("lot-3", None, Number("2.00")),
    ),
    "T-7",
    "b-0",
    ("lot-3",),
)


async def test_a_plan_comes_back_as_it_was_kept_at_the_next_start(path: Path) -> None:
    async with Store.open(path) as store:
        await store.batches(SHELF).keep(PLAN)
    async with Store.open(path) as store:
        assert await store.batches(SHELF).unfinished() == [UnfinishedBatch(PLAN)]
        assert await store.batches(OTHER_SHELF).unfinished() == []


async def test_a_plan_is_replaced_and_ended(store: Store) -> None:
    batches = store.batches(SHELF)
    await batches.keep(PLAN)
    await batches.keep(PLAN.skipping("lot-2"))
    await batches.keep(replace(PLAN, id="b-2", collection=LOTS))
    assert [batch.plan.skipped for batch in await batches.unfinished()] == [("lot-3",), ("lot-3", "lot-2")]
    await batches.end("b-2")
    assert [batch.plan.id for batch in await batches.unfinished()] == ["b-1"]


async def test_a_plan_that_cannot_be_read_is_a_clear_error(store: Store) -> None:
    await store.batches(SHELF).keep(PLAN)
    store._database.now(lambda connection: connection.execute("UPDATE batches SET plan = '{}'"))
    with pytest.raises(StoreError, match="a batch that can't be read"):
        await store.batches(SHELF).unfinished()
