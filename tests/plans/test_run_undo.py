"""A run taken back: what each of its writes comes to, the last one first, beside the records as they are now."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.plans.planning import PlanError, ReadListener
from svc_tui.plans.run_undo import PackedRecords, plan_undo
from svc_tui.sandbox.seeds.hostile import MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import ServiceError, StatusError
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome, WrittenRecord
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem, RowState
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
    row: int | None = None,
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
        row=number if row is None else row,
    )
    return JournalEntry(number, intent, Outcome(NOW, result, 200, made=made))


class OtherAnswers(SignedClient):
    """A client of a service that answers for some records what the local sandbox does not."""

    answers: Mapping[str, Record | ServiceError]

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        """The other answer, or the record of the sandbox."""
        match self.answers.get(record_id):
            case Record() as record:
                return record
            case ServiceError() as error:
                raise error
        return await super().record(collection, record_id, background=background)


async def undone(
    service: RunningService,
    *entries: JournalEntry,
    after: Mapping[int, WrittenRecord] | None = None,
    answers: Mapping[str, Record | ServiceError] | None = None,
    on_read: ReadListener = lambda *_: None,
    begun_before: bool = False,
) -> Plan:
    """The plan that takes these writes back; `after` are the records that the journal has, by the writes' numbers."""
    profile = Profile("test", sandbox_base_url=service.base_url)

    async def record_after(number: int) -> WrittenRecord | None:
        return (after or {}).get(number)

    client = OtherAnswers(profile, KeyPair(service.key("sandbox").api_key))
    client.answers = answers or {}
    async with client:
        return await plan_undo(client, entries, record_after, "undo", NOW, on_read=on_read, begun_before=begun_before)


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
        entry(2, "POST", before={}, after={"name": "x"}, made=MARKUP_LOT),
        entry(3, "DELETE", "lot-000999", before={"id": "lot-000999", "name": "Gone", "createdAt": "x"}),
        entry(4, "PATCH", "lot-000002", before={"name": "Older"}, after={"name": "as it was sent"}),
        entry(5, "PATCH", "lot-000004", before={"name": "a"}, after={"name": "b"}, result="refused"),
        entry(6, "POST", before={}, after={"name": "y"}),
    )
    unknown, moved, recreated, removed, restored = plan.rows
    assert (plan.undoes, plan.ticket) == ("run", "SUP-1")
    assert [row.number for row in plan.rows] == [1, 2, 3, 4, 5]
    sent_only = "only the sent fields are compared, because the journal does not have the complete record"
    assert plan.notices == (f"3 records: {sent_only}",)
    assert unknown.state is RowState.BLOCKED
    assert told(unknown) == ["The id of the new record is not known. Delete the record in its table."]
    assert moved.state is RowState.DOUBTED
    assert told(moved) == [f'name: is now "{second["name"]}", changed later.']
    assert (recreated.action, recreated.edits, recreated.state) == (RowAction.CREATE, {"name": "Gone"}, RowState.READY)
    assert (recreated.label, recreated.fields) == ("Gone", ("name",))
    assert (removed.action, removed.record_id, removed.label) == (RowAction.DELETE, MARKUP_LOT, "[/x] Lot [bold")
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
    assert plan.run_title == "name of 1 lot"
    other = entry(2, "PATCH", "lot-000002", before={"name": "Old"}, after={"name": "x"}, row=3)
    again = await undone(service, tries[0], other, replace(tries[1], number=3))
    assert [row.record_id for row in again.rows] == ["lot-000001", "lot-000002"], "the last write first"


async def test_the_writes_of_an_old_run_without_row_numbers_are_told_apart_by_their_records(
    service: RunningService,
) -> None:
    writes = [
        entry(number, "PATCH", f"lot-00000{number}", before={"name": "Old"}, after={"name": "New"}, row=0)
        for number in (1, 2)
    ]
    plan = await undone(service, *writes)
    assert [row.record_id for row in plan.rows] == ["lot-000002", "lot-000001"]


async def test_each_record_that_was_read_is_told_of(service: RunningService) -> None:
    heard: list[tuple[int, int]] = []
    writes = [entry(number, "PATCH", f"lot-00000{number}", before={"name": "a"}, after={}) for number in (1, 2)]
    await undone(service, *writes, on_read=lambda done, of: heard.append((done, of)))
    assert heard == [(1, 2), (2, 2)]


async def test_a_write_that_can_not_be_undone_names_its_record(service: RunningService) -> None:
    plan = await undone(
        service,
        entry(1, "PATCH", "lot-000001", before={"name": "a"}, after={"name": "b"}),
        entry(2, "PATCH", "lot-000002", after={"name": "b"}),
    )
    words = "The old values are not known. Press e in the record to edit it."
    problem = RowProblem(ProblemKind.NOT_UNDOABLE, words)
    assert plan.rows[0] == PlanRow(1, record_id="lot-000002", problems=(problem,))


@pytest.mark.parametrize(("fields", "id_name"), [({"uuid": "x", "name": "b"}, "uuid"), ({"name": "b"}, "id")])
async def test_a_row_names_the_field_of_the_id(service: RunningService, fields: dict[str, Json], id_name: str) -> None:
    plan = await undone(
        service,
        entry(1, "PATCH", "x", before={"name": "a"}, after={"name": "b"}),
        entry(2, "POST", before={}, after={"name": "b"}, made="x"),
        answers={"x": Record(fields)},
    )
    assert [(row.action, row.id_name) for row in plan.rows] == [
        (RowAction.DELETE, id_name),
        (RowAction.UPDATE, id_name),
    ]


async def test_what_was_removed_and_what_only_a_colleague_can_see_stands_against_an_undo(
    service: RunningService,
) -> None:
    left: dict[str, Json] = {"id": "x", "name": "b", "note": "n"}
    plan = await undone(
        service,
        entry(1, "PATCH", "x", before={"name": "a"}, after={"name": "b"}),
        after={1: WrittenRecord(Record(left), ("email",))},
        answers={"x": Record({"id": "x", "name": "b"})},
    )
    assert told(plan.rows[0]) == [
        "note: was removed after this run.",
        "email: may have changed since. The value is only on a colleague's computer.",
    ]
    assert plan.notices == ()


async def test_a_field_that_others_removed_gets_its_old_value(service: RunningService) -> None:
    plan = await undone(
        service,
        entry(1, "PATCH", "x", before={"name": "a", "note": "m"}, after={"name": "b", "note": "n"}),
        answers={"x": Record({"id": "x", "name": "b"})},
    )
    (row,) = plan.rows
    assert (row.base, row.edits) == ({"name": "b"}, {"name": "a", "note": "m"})
    assert told(row) == ["note: was removed after this run."]


async def test_a_field_that_has_its_old_value_again_is_no_change_and_no_problem(service: RunningService) -> None:
    plan = await undone(
        service,
        entry(1, "PATCH", "x", before={"name": "a", "note": "m"}, after={"name": "b", "note": "n", "new": "z"}),
        answers={"x": Record({"id": "x", "name": "b", "note": "m", "new": None})},
    )
    (row,) = plan.rows
    assert (row.edits, row.problems) == ({"name": "a"}, ())


async def test_a_record_that_is_gone_or_has_its_values_again_needs_nothing(service: RunningService) -> None:
    name = (stored(service, "lot-000001") or {})["name"]
    plan = await undone(
        service,
        entry(1, "PATCH", "lot-000001", before={"name": name}, after={"name": "sent"}),
        entry(2, "PATCH", "lot-999999", before={"name": "a"}, after={"name": "b"}),
    )
    gone, so_already = plan.rows
    assert told(gone) == ["No record lot-999999 in operations/lots."]
    assert gone.action is RowAction.UPDATE
    assert so_already.state is RowState.ALREADY
    assert so_already.problems == ()
    made = await undone(service, entry(1, "POST", before={}, after={"name": "x"}, made="lot-999999"))
    assert [(row.action, told(row)) for row in made.rows] == [(RowAction.DELETE, told(gone))]


async def test_a_record_whose_deletion_is_unknown_is_made_again_only_where_it_is_gone(service: RunningService) -> None:
    plan = await undone(
        service,
        entry(1, "DELETE", "lot-000001", before={"id": "lot-000001", "name": "there"}, result="unknown"),
        entry(2, "DELETE", "lot-999999", before={"id": "lot-999999", "name": "gone"}, result="unknown"),
    )
    gone, there = plan.rows
    assert (gone.action, gone.state) == (RowAction.CREATE, RowState.READY)
    assert (there.action, there.state) == (RowAction.UPDATE, RowState.ALREADY)


async def test_a_record_whose_deletion_is_unknown_and_that_can_not_be_read_is_not_made_again(
    service: RunningService,
) -> None:
    plan = await undone(
        service,
        entry(1, "DELETE", "x", before={"id": "x", "name": "there"}, result="unknown"),
        answers={"x": StatusError("the record is locked")},
        begun_before=True,
    )
    (row,) = plan.rows
    assert (row.action, row.state) == (RowAction.CREATE, RowState.BLOCKED)
    before = "An undo of this run was started before. The record may already exist again with a new id."
    assert row.problems == (
        RowProblem(ProblemKind.UNREADABLE, "the record is locked"),
        RowProblem(ProblemKind.MOVED, before),
    )


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


def test_records_are_packed_without_loss() -> None:
    record = Record({"id": "lot-000001", "massKg": Number("1.50"), "assay": {"auPpm": None}}, "etag")
    problem = RowProblem(ProblemKind.UNREADABLE, "no")
    packed = PackedRecords()
    packed["lot-000001"], packed["lot-9"] = record, problem
    assert (packed.get("lot-000001"), packed.get("lot-9"), packed.get("lot-2"), len(packed)) == (
        *(record, problem, None, 2),
    )
