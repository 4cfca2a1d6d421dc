"""A run taken back: what each of its writes comes to, the last one first, beside the records as they are now."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.ports import Intent, JournalEntry, Outcome, WrittenRecord
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.settings import Profile
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.planning import PlanError
from svc_tui.domain.plans.undoing import plan_undo
from svc_tui.sandbox.server.inprocess import RunningService
from tests.flows.steps import stored

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LOTS = "operations/lots"


def entry(
    number: int,
    method: str,
    record_id: str = "",
    *,
    before: Mapping[str, Json] | None = None,
    after: Mapping[str, Json] | None = None,
    result: str = "done",
    made: str = "",
    row: int = 0,
) -> JournalEntry:
    """A write of a run as the journal holds it."""
    place = f"{LOTS}/{record_id}" if record_id else LOTS
    intent = Intent(
        NOW,
        method,
        f"/v1/{place}",
        place,
        "key",
        before=before,
        after=after,
        batch="run",
        ticket="SUP-1",
        row=row or number,
    )
    return JournalEntry(number, intent, Outcome(NOW, result, 200, made=made))


async def undone(
    service: RunningService, *entries: JournalEntry, after: Mapping[int, WrittenRecord] | None = None
) -> Plan:
    """The plan that takes these writes back; `after` are the records that the journal has, by the writes' numbers."""
    profile = Profile("test", sandbox_base_url=service.base_url)

    async def record_after(number: int) -> WrittenRecord | None:
        return (after or {}).get(number)

    async with SignedClient(profile, KeyPair(service.key("sandbox").api_key)) as client:
        return await plan_undo(client, entries, record_after, "undo", NOW)


def told(row: PlanRow) -> list[str]:
    """What stands against a row."""
    return [problem.text for problem in row.problems]


async def test_every_write_has_its_inverse_the_last_one_first(service: RunningService) -> None:
    first, second = stored(service, "lot-000001"), stored(service, "lot-000002")
    assert first is not None
    assert second is not None
    plan = await undone(
        service,
        entry(1, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": first["name"]}),
        entry(2, "POST", before={}, after={"name": "x"}, made="lot-000003"),
        entry(3, "DELETE", "lot-000999", before={"id": "lot-000999", "name": "Gone", "createdAt": "x"}),
        entry(4, "PATCH", "lot-000002", before={"name": "Older"}, after={"name": "as it was sent"}),
        entry(5, "PATCH", "lot-000004", before={"name": "a"}, after={"name": "b"}, result="refused"),
        entry(6, "POST", before={}, after={"name": "y"}),
    )
    unknown, moved, recreated, removed, restored = plan.rows
    assert (plan.undoes, plan.ticket) == ("run", "SUP-1")
    assert unknown.state is RowState.BLOCKED
    assert told(unknown) == ["The id of the new record is not known. Delete the record in its table."]
    assert moved.state is RowState.DOUBTED
    assert told(moved) == [f'name: is now "{second["name"]}", changed later.']
    assert (recreated.action, recreated.edits, recreated.state) == (RowAction.CREATE, {"name": "Gone"}, RowState.READY)
    assert (removed.action, removed.record_id, removed.label) == (RowAction.DELETE, "lot-000003", "[/x] Lot [bold")
    assert (restored.record_id, restored.edits, restored.base) == (
        "lot-000001",
        {"name": "Old"},
        {"name": first["name"]},
    )
    assert restored.state is RowState.READY


async def test_a_row_that_was_sent_again_is_taken_back_once(service: RunningService) -> None:
    name = (stored(service, "lot-000001") or {})["name"]
    tries = [
        entry(1, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": name}, result="refused", row=2),
        entry(2, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": name}, row=2),
        entry(3, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": name}, result="refused", row=2),
    ]
    plan = await undone(service, *tries)
    assert [row.state for row in plan.rows] == [RowState.READY]


async def test_a_record_that_is_gone_or_has_its_values_again_needs_nothing(service: RunningService) -> None:
    name = (stored(service, "lot-000001") or {})["name"]
    plan = await undone(
        service,
        entry(1, "PATCH", "lot-000001", before={"name": name}, after={"name": "sent"}),
        entry(2, "PATCH", "lot-999999", before={"name": "a"}, after={"name": "b"}),
    )
    gone, so_already = plan.rows
    assert told(gone) == ["No record lot-999999 in operations/lots."]
    assert so_already.state is RowState.ALREADY


async def test_a_record_whose_deletion_is_unknown_is_made_again_only_where_it_is_gone(service: RunningService) -> None:
    plan = await undone(
        service,
        entry(1, "DELETE", "lot-000001", before={"id": "lot-000001", "name": "there"}, result="unknown"),
        entry(2, "DELETE", "lot-999999", before={"id": "lot-999999", "name": "gone"}, result="unknown"),
    )
    gone, there = plan.rows
    assert (gone.action, gone.state) == (RowAction.CREATE, RowState.READY)
    assert there.state is RowState.ALREADY


async def test_a_field_that_the_record_did_not_have_becomes_null(service: RunningService) -> None:
    grade = (stored(service, "lot-000001") or {})["grade"]
    plan = await undone(
        service, entry(1, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": "New", "grade": grade})
    )
    (row,) = plan.rows
    assert row.edits["grade"] is None


async def test_a_field_that_others_have_set_since_the_run_did_is_in_doubt(service: RunningService) -> None:
    plan = await undone(
        service, entry(1, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": "New", "grade": "the run's"})
    )
    (row,) = plan.rows
    assert row.state is RowState.DOUBTED
    assert any(problem.field == "grade" for problem in row.problems)


async def test_a_field_that_is_gone_again_is_left_alone(service: RunningService) -> None:
    plan = await undone(
        service, entry(1, "PATCH", "lot-000001", before={"name": "Old"}, after={"name": "New", "unheardOf": "x"})
    )
    (row,) = plan.rows
    assert set(row.edits) == {"name"}


async def test_a_new_record_that_others_have_changed_since_is_not_deleted_unasked(service: RunningService) -> None:
    name = (stored(service, "lot-000003") or {})["name"]
    plan = await undone(
        service,
        entry(1, "POST", before={}, after={"name": "as it was made"}, made="lot-000003"),
        entry(2, "POST", before={}, after={"name": (stored(service, "lot-000004") or {})["name"]}, made="lot-000004"),
    )
    as_made, changed = plan.rows
    assert as_made.state is RowState.READY
    assert changed.state is RowState.DOUBTED
    assert told(changed) == [f'name: is now "{name}", changed later.']


async def test_there_is_nothing_to_take_back_of_a_run_that_changed_nothing(service: RunningService) -> None:
    with pytest.raises(PlanError, match="the run changed nothing that can be undone"):
        await undone(service, entry(1, "PATCH", "lot-000001", before={"name": "a"}, after={}, result="refused"))
    with pytest.raises(PlanError, match="the run changed nothing that can be undone"):
        await undone(service, entry(1, "POST", before=None, after=None))
