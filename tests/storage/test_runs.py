"""A plan that was agreed to is there until its end, whatever becomes of the program."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Number
from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem, SourceFile
from svc_tui.storage.runs import RunCounts
from svc_tui.storage.store import Store
from tests.storage.conftest import LOTS, OTHER_SHELF, SHELF

MASS = {"massKg": Number("2.00")}
PLAN = Plan(
    "b-1",
    Collection("operations", "lots", segment="ore-lots"),
    (
        PlanRow(2, record_id="lot-1", base={"massKg": Number("1.50")}, edits=MASS, fields=("massKg",)),
        PlanRow(3, record_id="lot-2", label="Ore", edits=MASS, fields=("massKg",), id_name="uuid"),
        PlanRow(4, record_id="lot-3", base={"massKg": None}, edits=MASS, fields=("massKg",), skipped=True),
        PlanRow(5, RowAction.CREATE, edits={"assay": {"goldPpm": Number("0.10")}}, fields=("assay.goldPpm",)),
        PlanRow(6, RowAction.DELETE, "lot-9", base={"id": "lot-9", "tags": ["a"]}, skipped=False),
        PlanRow(7, record_id="lot-x", problems=(RowProblem(ProblemKind.UNKNOWN_RECORD, "There is no lot-x."),)),
    ),
    datetime(2026, 11, 20, 5, 12, tzinfo=UTC),
    SourceFile("lots.csv", "ab" * 32),
    "T-7",
    "b-0",
    ("Read as Windows-1252.",),
)

OLD = (
    '{"place": "[\\"operations\\",\\"lots\\",\\"lots\\",\\"\\",\\"\\"]", "field": "massKg", "changes": '
    '[{"id": "lot-1", "old": 1.50, "new": 2.00, "name": "id"}, {"id": "lot-2", "new": 2.00, "name": "uuid"}, '
    '{"id": "lot-3", "old": null, "new": 2.00, "name": "id"}], "ticket": "T-7", "undoes": "b-0", "skipped": ["lot-3"]}'
)
"""A batch as version 0.1 kept it."""


async def test_a_plan_comes_back_as_it_was_kept_at_the_next_start(path: Path) -> None:
    async with Store.open(path) as store:
        await store.runs(SHELF).keep(PLAN)
    async with Store.open(path) as store:
        (run,) = await store.runs(SHELF).unfinished()
        assert (run.id, run.title, run.undoes, run.ended) == ("b-1", PLAN.title, "b-0", None)
        assert await store.runs(SHELF).take("b-1") == PLAN
        assert await store.runs(OTHER_SHELF).unfinished() == []
        assert await store.runs(OTHER_SHELF).take("b-1") is None


async def test_a_plan_is_replaced_and_ended(store: Store) -> None:
    runs = store.runs(SHELF)
    await runs.keep(PLAN)
    await runs.keep(PLAN.with_row_skipped(3))
    await runs.keep(replace(PLAN, id="b-2", collection=LOTS))
    assert [run.id for run in await runs.unfinished()] == ["b-2", "b-1"]
    assert await runs.take("b-1") == PLAN.with_row_skipped(3)
    await runs.end("b-2")
    await runs.end("b-1", given_up=True)
    assert await runs.unfinished() == []
    assert await runs.take("b-2") is None
    assert [(run.id, run.ended is not None, run.given_up) for run in await runs.runs()] == [
        ("b-2", True, False),
        ("b-1", True, True),
    ]


async def test_an_ended_run_is_not_begun_again(store: Store) -> None:
    runs = store.runs(SHELF)
    await runs.keep(PLAN)
    await runs.end(PLAN.id)
    with pytest.raises(StoreError, match="continued the run"):
        await runs.keep(PLAN)


async def test_a_batch_of_an_earlier_version_goes_on_as_a_plan(store: Store) -> None:
    await store.runs(SHELF).keep(PLAN)
    store._database.now(lambda connection: connection.execute("UPDATE batches SET plan = ?, title = ''", (OLD,)))
    (run,) = await store.runs(SHELF).unfinished()
    assert (run.title, run.undoes) == ("massKg of 2 lots", "b-0")
    plan = await store.runs(SHELF).take("b-1")
    assert plan is not None
    assert [(row.number, row.record_id, row.base, row.edits, row.id_name) for row in plan.ready] == [
        (1, "lot-1", {"massKg": Number("1.50")}, MASS, "id"),
        (2, "lot-2", {}, MASS, "uuid"),
    ]
    assert [row.record_id for row in plan.rows if row.skipped] == ["lot-3"]
    assert (plan.ticket, plan.undoes) == ("T-7", "b-0")


async def test_a_plan_that_cannot_be_read_is_a_clear_error(store: Store) -> None:
    await store.runs(SHELF).keep(PLAN)
    store._database.now(lambda connection: connection.execute("UPDATE batches SET plan = '{}'"))
    with pytest.raises(StoreError, match="a plan that can't be read"):
        await store.runs(SHELF).take(PLAN.id)


async def test_the_counts_of_a_run_are_kept_when_it_ends(store: Store, path: Path) -> None:
    runs, counts = store.runs(SHELF), RunCounts(done=3, failed=1, unknown=2)
    for run, kept in (("b-1", counts), ("b-2", None)):
        await runs.keep(replace(PLAN, id=run))
        await runs.end(run, kept)
    assert [(run.id, run.counts) for run in await runs.runs()] == [("b-2", None), ("b-1", counts)]
    assert await runs.plan_of("b-1") is None
