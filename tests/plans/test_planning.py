"""Corrections compared with the service, as a plan: what is asked for, what stands against it, and whether it holds."""

from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.core.references import ReferenceResolver
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.plans.cells import Cell
from svc_tui.plans.correction_file import Correction, Corrections
from svc_tui.plans.for_edit import format_version
from svc_tui.plans.plan_view import group_changes
from svc_tui.plans.planning import PlanError, Planner, describe_move, find_moved_rows, is_old
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.storage.plan import MAX_ROWS, Plan, PlanRow, ProblemKind, RowAction, RowProblem, RowState
from svc_tui.writes.write_requests import build_create_request, hash_body

LOTS = COLLECTIONS[0]
NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)


@pytest.fixture
async def client(service: RunningService) -> AsyncIterator[SignedClient]:
    """A client of the embedded service."""
    profile = Profile("tests", sandbox_base_url=service.base_url)
    async with SignedClient(profile, KeyPair(service.key("sandbox").api_key)) as client:
        yield client


async def planned(client: SignedClient, *rows: Correction) -> Plan:
    """The plan of these rows."""
    fields = tuple(dict.fromkeys(path for row in rows for path in row.values if path != "id"))
    planner = Planner(client, ReferenceResolver(LOTS), lambda: NOW)
    return await planner.plan(LOTS, Corrections("lots.csv", "d", rows, fields), "p-1")


def change(number: int, record: int, version: str = "", **values: Json | Cell) -> Correction:
    """A row that changes a lot."""
    return Correction(number, RowAction.UPDATE, f"lot-{record:06d}", values, version)


def kinds_of(plan: Plan) -> list[list[ProblemKind]]:
    """What stands against each row."""
    return [[problem.kind for problem in row.problems] for row in plan.rows]


async def test_what_differs_is_changed_and_what_does_not_is_already_so(client: SignedClient) -> None:
    mass = (await client.record(LOTS, "lot-000002")).fields["massKg"]
    assert isinstance(mass, Number)
    plan = await planned(
        client, change(2, 1, massKg=Cell("5,5", decimal_comma=True)), change(3, 2, massKg=Cell(mass.text))
    )
    assert [row.state for row in plan.rows] == [RowState.READY, RowState.ALREADY]
    (told,) = plan.rows[0].changes
    assert (told.name, told.new) == ("massKg", Number("5.5"))
    assert (plan.made, plan.title) == (NOW, "massKg of 1 lot")


async def test_a_value_inside_another_changes_the_field_around_it(client: SignedClient) -> None:
    plan = await planned(client, Correction(2, RowAction.UPDATE, "lot-000001", {"assay.auPpm": Cell("1.5")}))
    (row,) = plan.rows
    assert row.fields == ("assay.auPpm",)
    assay, before = row.edits["assay"], row.base["assay"]
    assert isinstance(assay, dict)
    assert isinstance(before, dict)
    assert assay == {**before, "auPpm": Number("1.5")}


async def test_what_stands_around_a_value_is_known_where_the_value_is_not_there(client: SignedClient) -> None:
    headers = (("Content-Type", "application/json"),)
    await client.send(RequestSpec("PATCH", f"{LOTS.path}/lot-000001", headers=headers, body=b'{"assay":null}'))
    plan = await planned(client, Correction(2, RowAction.UPDATE, "lot-000001", {"assay.auPpm": Cell("1.5")}))
    (row,) = plan.rows
    assert (row.base, row.edits) == ({"assay": None}, {"assay": {"auPpm": Number("1.5")}})
    assert await find_moved_rows(client, plan, plan.ready) == ()


async def test_rows_that_can_not_be_sent_say_why(client: SignedClient) -> None:
    plan = await planned(
        client,
        Correction(2, RowAction.UPDATE, "lot-9", {"massKg": Number("1")}),
        change(3, 1, massKg=Number("1")),
        change(4, 1, massKg=Number("2")),
        Correction(5, RowAction.CREATE, "", {"massKg": Number("2")}),
        Correction(6, RowAction.CREATE, "", {"massKg": Number("2")}),
    )
    assert {row.state for row in plan.rows} == {RowState.BLOCKED}
    assert kinds_of(plan) == [[ProblemKind.UNKNOWN_RECORD], *[[ProblemKind.TWICE]] * 4]
    assert not plan.with_problems_skipped().problems
    assert not plan.with_doubts_included().ready


async def test_doubts_are_decided_about_by_people(client: SignedClient) -> None:
    plan = await planned(
        client,
        change(2, 1, massKg="heavy"),
        change(3, 2, priority=Cell("hgih")),
        change(4, 3, tunnelId=Cell("tun-9999")),
    )
    assert kinds_of(plan) == [[ProblemKind.OTHER_KIND], [ProblemKind.NEW_CHOICE], [ProblemKind.NO_TARGET]]
    assert 'Did you mean "high"?' in plan.rows[1].problems[0].text
    assert len(plan.problems) == 3
    # A value of another type is sent only where a person took in that very row.
    assert [row.state for row in plan.with_doubts_included().rows] == [RowState.DOUBTED, RowState.READY, RowState.READY]
    assert [row.state for row in plan.with_problems_skipped().rows] == [RowState.SKIPPED] * 3


async def test_what_others_changed_since_the_export_is_in_doubt_and_what_nobody_touched_stays(
    client: SignedClient,
) -> None:
    before = (await client.record(LOTS, "lot-000001")).fields
    version, note = format_version(before), Cell("mine")
    mass = before["massKg"]
    assert isinstance(mass, Number)
    await client.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000001", body=b'{"massKg":7,"note":"theirs"}'))
    plan = await planned(client, change(2, 1, version, massKg=Cell(mass.text), note=note))
    (row,) = plan.rows
    assert row.fields == ("note",)
    assert kinds_of(plan) == [[ProblemKind.MOVED]]


@pytest.mark.parametrize("version", ["v1:nonsense", "v1::v"])
async def test_a_version_that_is_not_the_records_is_in_doubt(client: SignedClient, version: str) -> None:
    plan = await planned(client, change(2, 1, version, massKg=Number("1")))
    assert kinds_of(plan) == [[ProblemKind.VERSION]]
    assert plan.rows[0].state is RowState.DOUBTED


async def test_a_record_that_changed_since_it_was_exported_is_not_deleted_unasked(client: SignedClient) -> None:
    same, other = (await client.record(LOTS, "lot-000001")).fields, (await client.record(LOTS, "lot-000002")).fields
    plan = await planned(
        client,
        Correction(2, RowAction.DELETE, "lot-000001", version=format_version(same)),
        Correction(3, RowAction.DELETE, "lot-000002", version=format_version({**other, "massKg": Number("1")})),
    )
    assert kinds_of(plan) == [[], [ProblemKind.MOVED]]
    assert plan.rows[0].base == same


async def test_a_new_record_keeps_the_id_that_the_file_gives_it(client: SignedClient) -> None:
    plan = await planned(client, Correction(2, RowAction.CREATE, "", {"id": Cell("lot-x"), "massKg": Cell("1")}))
    assert plan.rows[0].edits == {"id": "lot-x", "massKg": Number("1")}


async def test_too_many_rows_are_refused_before_anything_is_read(client: SignedClient, service: RunningService) -> None:
    with pytest.raises(PlanError, match="10,001 rows"):
        await planned(client, *(change(number, number, massKg=Number("1")) for number in range(1, MAX_ROWS + 2)))
    assert not service.attempts


def test_changes_are_told_by_kind() -> None:
    def rows(values: Iterable[tuple[Json, Json]]) -> list[PlanRow]:
        return [
            PlanRow(at, record_id=f"lot-{at}", base={"x": old}, edits={"x": new}, fields=("x",))
            for at, (old, new) in enumerate(values, 1)
        ]

    titles = [kind.title for kind in group_changes(rows([("A", "B"), ("A", "B"), (None, "C"), ("D", None)]))]
    assert titles == ['x: "A" → "B"', "x: filled in", "x: emptied"]
    (kind,) = group_changes(rows([("2026-01-01T05:00:00Z", "2026-01-01T06:00:00+01:00")] * 3))
    assert (kind.title, kind.numbers) == ("x: same time, written differently", (1, 2, 3))
    (kind,) = group_changes(rows((Number(str(number)), Number(str(number + 1))) for number in range(9)))
    assert kind.title == "x: other values"
    assert [kind.title for kind in group_changes([PlanRow(1, RowAction.DELETE, "lot-1")])] == ["deletions"]


def test_a_row_holds_where_its_fields_are_as_planned_or_as_they_are_to_be() -> None:
    row = PlanRow(2, record_id="lot-1", base={"grade": "A"}, edits={"grade": "B"}, fields=("grade",))
    lot = Record({"id": "lot-1", "grade": "A", "note": "n"})
    assert describe_move(row, lot) == ""
    assert describe_move(row, replace(lot, fields={**lot.fields, "note": "other"})) == ""
    assert describe_move(row, replace(lot, fields={**lot.fields, "grade": "B"})) == ""
    assert describe_move(row, replace(lot, fields={"id": "lot-1"})).startswith("lot-1: grade is now unset")
    gone = RowProblem(ProblemKind.UNKNOWN_RECORD, "There is no lot-1.")
    assert describe_move(row, gone) == "There is no lot-1."
    deletion = PlanRow(3, RowAction.DELETE, "lot-1", base=lot.fields)
    assert describe_move(deletion, gone) == ""
    assert "note" in describe_move(deletion, replace(lot, fields={**lot.fields, "note": "other"}))


async def test_an_old_plan_is_read_again(client: SignedClient) -> None:
    plan = await planned(
        client,
        change(2, 1, massKg=Number("1")),
        change(3, 2, massKg=Number("1")),
        Correction(4, RowAction.CREATE, "", {"massKg": Number("2")}),
    )
    assert [is_old(plan, NOW + timedelta(minutes=minutes)) for minutes in (60, 61)] == [False, True]
    read: list[tuple[int, int]] = []
    assert await find_moved_rows(client, plan, plan.ready, lambda *counts: read.append(counts)) == ()
    assert read == [(1, 2), (2, 2)]
    await client.send(RequestSpec("DELETE", "/v1/operations/lots/lot-000002"))
    (moved,) = await find_moved_rows(client, plan, plan.ready)
    assert (moved.row.number, moved.text) == (3, "No record lot-000002 in operations/lots.")


async def test_a_new_record_that_was_sent_before_is_in_doubt_unless_it_was_deleted_since(
    client: SignedClient,
) -> None:
    rows = tuple(Correction(number, RowAction.CREATE, "", {"name": f"New {number}"}) for number in (2, 3, 4, 5))
    asked: list[tuple[str, int]] = []

    async def find(place: str, digests: frozenset[str]) -> list[JournalEntry]:
        asked.append((place, len(digests)))
        return [
            entry_of(7, 2, Outcome(NOW, "done", made="lot-000004")),
            entry_of(8, 3, Outcome(NOW, "done", made="lot-999999")),
            entry_of(9, 4, Outcome(NOW, "unknown")),
        ]

    planner = Planner(client, ReferenceResolver(LOTS), lambda: NOW, find_creations=find)
    plan = await planner.plan(LOTS, Corrections("lots.csv", "d", rows, ("name",)), "p-1")
    assert asked == [("operations/lots", 4)]
    assert kinds_of(plan) == [[ProblemKind.MAY_EXIST], [], [ProblemKind.MAY_EXIST], []]
    assert plan.rows[0].problems[0].text == (
        "The same new record was already created as lot-000004 at 2026-11-20 05:12 UTC (journal entry 7)."
    )
    assert plan.rows[2].problems[0].text == (
        "The same new record was already sent at 2026-11-20 05:12 UTC (journal entry 9). "
        "It is not known whether it was created. "
        "Searched 200 records of the list: no record has the sent values."
    )
    assert [row.state for row in plan.rows] == [
        *(RowState.DOUBTED, RowState.READY, RowState.DOUBTED, RowState.READY),
    ]


def entry_of(number: int, row: int, outcome: Outcome) -> JournalEntry:
    """The creation of the record that a row of the test above asks for."""
    body = build_create_request(LOTS, {"name": f"New {row}"}).body
    intent = Intent(NOW, "POST", LOTS.path, "operations/lots", "k", body_digest=hash_body(body))
    return JournalEntry(number, intent, outcome)
