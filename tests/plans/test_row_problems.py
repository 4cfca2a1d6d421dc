"""Plans of a file for records of the service: each is read once, and what stands against a row is told on it."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.references import ReferenceResolver
from svc_tui.core.settings import Profile
from svc_tui.plans.cells import DecimalMark
from svc_tui.plans.correction_file import ValueWords, read_corrections
from svc_tui.plans.planning import PlanError, Planner, with_row_decided
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.errors import ServiceError
from svc_tui.storage.plan import MAX_ROWS, Plan, PlanRow, ProblemKind, RowState

LOTS = COLLECTIONS[0]
SIGNING_SECRET = "a/secret-of-24-characters"


@pytest.fixture(scope="module")
def lots() -> Iterator[RunningService]:
    """A service whose records no test of this module changes."""
    with running_service(SandboxOptions(records=120)) as service:
        yield service


async def planned(
    service: RunningService,
    text: str,
    name: str = "lots.csv",
    key: str = "sandbox",
    decimal: DecimalMark | None = None,
    edit: Callable[[Planner, Plan], Awaitable[Plan]] | None = None,
    signing_secret: str | None = None,
) -> Plan:
    """The plan of a file, as `edit` makes it."""
    profile, keys = (
        Profile("test", sandbox_base_url=service.base_url),
        KeyPair(service.key(key).api_key, signing_secret),
    )
    async with SignedClient(profile, keys) as client:
        references = ReferenceResolver(LOTS, COLLECTIONS, {})
        planner = Planner(client, references, lambda: datetime(2026, 1, 1, tzinfo=UTC))
        plan = await planner.plan(LOTS, read_corrections(name, text.encode(), ValueWords(decimal=decimal)), "plan")
        return plan if edit is None else await edit(planner, plan)


def told(row: PlanRow) -> list[str]:
    """What stands against a row."""
    return [problem.text for problem in row.problems]


async def test_every_kind_of_problem_is_told_on_its_row(lots: RunningService) -> None:
    before = len(lots.attempts)
    plan = await planned(
        lots,
        "id,name,status,tunnelId,colour,assay.auPpm,_action\n"
        "lot-000001,Silver ore 1,clsoed,tun-99999,red,12.5,\n"
        "lot-999999,x,,,,,\n"
        "../x,x,,,,,\n"
        "lot-000002,a,,,,,\n"
        "lot-000002,b,,,,,\n"
        "lot-000002,c,,,,,\n"
        ",New,open,tun-01,,,\n"
        ",New,open,tun-01,,,\n"
        ",Newer,open,tun-01,,,\n"
        "lot-000003,,,,,,delete\n"
        "lot-000004,,,,,,\n",
    )
    rows = {row.number: row for row in plan.rows}
    assert rows[2].fields == ("status", "tunnelId", "assay.auPpm")
    assert told(rows[2]) == [
        'status: unknown value "clsoed". Did you mean "closed"?',
        "tunnelId: no record operations/tunnels/tun-99999.",
    ]
    assert told(rows[3]) == ["No record lot-999999 in operations/lots."]
    assert told(rows[4]) == ["This is not a valid id."]
    assert told(rows[5]) == ["lot-000002 is also in 2 other rows, first in row 6. Delete one of them."]
    assert told(rows[8]) == ["The same new record is also in row 9. Delete one of them."]
    assert told(rows[10]) == []
    assert [row.state.name for row in plan.rows] == [
        *("DOUBTED", "BLOCKED", "BLOCKED", "BLOCKED", "BLOCKED", "BLOCKED"),
        *("BLOCKED", "BLOCKED", "READY", "READY", "ALREADY"),
    ]
    assert plan.warnings == ("ignored columns, because no loaded record has such a field: colour",)
    asked = [attempt.target for attempt in lots.attempts[before:]]
    assert len([target for target in asked if target.endswith("/lot-000002")]) == 1
    assert all(attempt.method == "GET" for attempt in lots.attempts)


async def test_an_exported_row_that_lost_its_id_is_in_doubt(lots: RunningService) -> None:
    plan = await planned(lots, "name,_version\nNew,v1:x\nNewer,\n")
    assert [row.state.name for row in plan.rows] == ["DOUBTED", "READY"]
    assert told(plan.rows[0]) == ["The row was exported, but its id is missing. Sending it creates a new record."]
    plan = await planned(lots, "id,name,_version,_action\nlot-x,New,v1:x,create\n")
    assert [row.state.name for row in plan.rows] == ["READY"]


async def test_a_column_that_was_misspelt_is_told_with_the_field_that_was_meant(lots: RunningService) -> None:
    plan = await planned(lots, "id,grdae,name,nam,assay.x\nlot-000001,1,,,\n")
    assert plan.warnings == (
        "ignored columns, because no loaded record has such a field: grdae (did you mean grade?), nam, assay.x",
    )


async def test_new_records_are_alike_in_whatever_order_their_fields_stand(lots: RunningService) -> None:
    plan = await planned(lots, '[{"name": "New", "grade": 1}, {"grade": 1.0, "name": "New"}]', "lots.json")
    assert [row.state for row in plan.rows] == [RowState.BLOCKED] * 2


async def test_a_file_without_rows_is_a_plan_of_nothing(lots: RunningService) -> None:
    plan = await planned(lots, "id,name\n")
    assert plan.rows == ()
    assert "there are no rows below the column names" in plan.notices


async def test_a_plan_has_so_many_rows_at_most(lots: RunningService) -> None:
    before = len(lots.attempts)
    rows = "".join(f"lot-{at},x\n" for at in range(MAX_ROWS + 1))
    with pytest.raises(
        PlanError, match=r"^the file has 10,001 rows, but the limit is 10,000; split it into several files$"
    ):
        await planned(lots, f"id,name\n{rows}")
    assert len(lots.attempts) == before


async def test_what_holds_for_every_record_is_no_problem_of_a_row(lots: RunningService) -> None:
    with pytest.raises(ServiceError):
        await planned(lots, "id,name\nlot-000001,x\n", key="revoked")


# Numbers with an unclear decimal mark


def masses(plan: Plan) -> list[Json]:
    """The new mass of each row, None where there is none."""
    return [row.edits.get("massKg") for row in plan.rows]


@pytest.mark.parametrize(
    "text",
    [
        "id;massKg\nlot-000020;3.215,57\nlot-000021;1.972\n",
        "id;massKg\nlot-000020;3215,57\nlot-000021;1.972\n",
        'id,massKg\nlot-000020,"3215,57"\nlot-000021,1.972\n',
        "id;massKg\nlot-000020;7\nlot-000021;1.972\n",
        "id\tmassKg\nlot-000020\t7\nlot-000021\t1.972\n",
    ],
)
async def test_a_point_that_may_separate_thousands_is_a_problem(lots: RunningService, text: str) -> None:
    plan = await planned(lots, text)
    row = plan.rows[1]
    assert row.state is RowState.DOUBTED
    (problem,) = row.problems
    assert (problem.kind, problem.field, problem.cell) == (ProblemKind.DECIMAL, "massKg", "1.972")
    assert problem.text == "massKg: “1.972” is 1972 with a decimal comma and 1.972 with a decimal point."
    assert not row.can_be_included
    assert plan.with_doubts_included().rows[1].state is RowState.DOUBTED
    for mark, value in ((DecimalMark.COMMA, "1972"), (DecimalMark.POINT, "1.972")):
        settled = (await planned(lots, text, decimal=mark)).rows[1]
        assert (settled.state, settled.edits) == (RowState.READY, {"massKg": Number(value)})


async def test_one_choice_settles_a_whole_column(lots: RunningService) -> None:
    text = (
        "id;massKg;grade\nlot-000020;3.215,57;\nlot-000021;1.972;1.500\nlot-000022;12.004.500;\nlot-000023;abc;\n"
        "lot-000024;2.468;\n"
    )

    async def by_hand(planner: Planner, plan: Plan) -> Plan:
        return await planner.edit(plan, {6: Number("5")}, "massKg")

    async def comma(planner: Planner, plan: Plan) -> Plan:
        return await planner.with_decimal_mark(await by_hand(planner, plan), "massKg", DecimalMark.COMMA)

    async def point(planner: Planner, plan: Plan) -> Plan:
        return await planner.with_decimal_mark(await by_hand(planner, plan), "massKg", DecimalMark.POINT)

    plan = await planned(lots, text, edit=comma)
    # A value that was edited by hand stays.
    assert masses(plan) == [Number("3215.57"), Number("1972"), Number("12004500"), "abc", Number("5")]
    assert [[problem.field for problem in row.problems] for row in plan.rows] == [[], ["grade"], [], ["massKg"], []]
    plan = await planned(lots, text, edit=point)
    assert masses(plan) == [Number("3215.57"), Number("1.972"), "12.004.500", "abc", Number("5")]
    assert [[problem.kind.name for problem in row.problems] for row in plan.rows] == [
        [],
        ["DECIMAL"],
        ["OTHER_KIND"],
        ["OTHER_KIND"],
        [],
    ]


async def test_a_file_with_commas_between_cells_has_decimal_points(lots: RunningService) -> None:
    plan = await planned(lots, "id,massKg\nlot-000020,2.468\nlot-000021,1.972\n")
    assert [row.state for row in plan.rows] == [RowState.READY] * 2
    assert masses(plan) == [Number("2.468"), Number("1.972")]


# Duplicates, keys and secrets


async def test_a_duplicate_is_resolved_by_leaving_one_row_out(lots: RunningService) -> None:
    plan = await planned(lots, "id,name\nlot-000002,a\nlot-000002,b\nlot-000002,c\n,New\n,New\n")
    assert {row.state for row in plan.rows} == {RowState.BLOCKED}
    plan = with_row_decided(plan, plan.rows[0], skipped=True)
    assert [row.state.name for row in plan.rows] == ["SKIPPED", "BLOCKED", "BLOCKED", "BLOCKED", "BLOCKED"]
    assert told(plan.rows[1]) == ["lot-000002 is also in row 4. Delete one of them."]
    plan = with_row_decided(plan, plan.rows[2], skipped=True)
    plan = with_row_decided(plan, plan.rows[4], skipped=True)
    assert [row.state.name for row in plan.rows] == ["SKIPPED", "READY", "SKIPPED", "READY", "SKIPPED"]
    assert [told(row) for row in plan.rows] == [[]] * 5
    plan = with_row_decided(plan, plan.rows[0], skipped=False)
    assert [row.state.name for row in plan.rows] == ["BLOCKED", "BLOCKED", "SKIPPED", "READY", "SKIPPED"]


async def test_new_records_that_are_alike_are_told_apart_by_an_edit(lots: RunningService) -> None:
    async def edit(planner: Planner, plan: Plan) -> Plan:
        return await planner.edit(plan, {3: "Newer"}, "name")

    async def edit_to_another(planner: Planner, plan: Plan) -> Plan:
        return await planner.edit(await edit(planner, plan), {4: "Newer"}, "name")

    text = "name,note\nNew,x\nNew,x\nOther,x\n"
    plan = await planned(lots, text, edit=edit)
    assert [row.state for row in plan.rows] == [RowState.READY] * 3
    plan = await planned(lots, text, edit=edit_to_another)
    assert [told(row) for row in plan.rows] == [
        [],
        ["The same new record is also in row 4. Delete one of them."],
        ["The same new record is also in row 3. Delete one of them."],
    ]


async def test_an_edit_that_points_nowhere_is_told(lots: RunningService) -> None:
    async def edit(planner: Planner, plan: Plan) -> Plan:
        plan = await planner.edit(plan, {2: "tun-99999"}, "tunnelId")
        assert told(plan.rows[0]) == ["tunnelId: no record operations/tunnels/tun-99999."]
        return await planner.edit(plan, {2: "tun-01"}, "tunnelId")

    plan = await planned(lots, "id,tunnelId\nlot-000001,tun-99998\n", edit=edit)
    assert told(plan.rows[0]) == []


async def test_an_edit_whose_target_can_not_be_read_is_kept_and_in_doubt() -> None:
    async def edit(planner: Planner, plan: Plan) -> Plan:
        service.faults.next("reset-before", 9)
        return await planner.edit(plan, {2: "tun-02"}, "tunnelId")

    with running_service(SandboxOptions(records=20)) as service:
        plan = await planned(service, "id,tunnelId\nlot-000001,tun-01\n", edit=edit)
    assert plan.rows[0].edits == {"tunnelId": "tun-02"}
    assert told(plan.rows[0])[0].startswith("tunnelId: could not check the reference: ")
    assert plan.rows[0].state is RowState.DOUBTED


async def test_a_row_that_was_taken_in_is_in_doubt_again_after_an_edit_that_points_nowhere() -> None:
    async def edit(planner: Planner, plan: Plan) -> Plan:
        plan = plan.with_doubts_included()
        assert [row.state for row in plan.rows] == [RowState.READY] * 3
        plan = await planner.edit(plan, {2: "tun-99999", 3: "tun-02"}, "tunnelId")
        service.faults.next("reset-before", 9)
        return await planner.edit(plan, {4: "tun-03"}, "tunnelId")

    with running_service(SandboxOptions(records=20)) as service:
        rows = "".join(f"lot-{number:06},tun-01,clsoed\n" for number in (1, 2, 3))
        plan = await planned(service, f"id,tunnelId,status\n{rows}", edit=edit)
    assert [row.state for row in plan.rows] == [RowState.DOUBTED, RowState.READY, RowState.DOUBTED]


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("lots.csv", "id,note,name\nlot-000001,x,y\nlot-000002,see {},y\n", "row 3, column note: "),
        ("lots.csv", "id,note\n{},x\n", "row 2, column id: "),
        ("lots.csv", "id,{}\nlot-000001,x\n", "the name of the file or of a column "),
        ("lots.json", '[{{"id": "lot-000001", "assay": {{"lab": ["{}"]}}}}]', "row 1, column assay: "),
        ("lots.json", '[{{"id": "lot-000001", "assay": {{"{}": 1}}}}]', "row 1, column assay: "),
        ("lots.csv", "name,note\nNew,{}\n", "row 2, column note: "),
    ],
)
@pytest.mark.parametrize("secret", ["svc_live_9f8e7d", "svc_test_abc", SIGNING_SECRET])
async def test_a_key_or_a_secret_in_a_file_makes_no_plan(
    lots: RunningService, name: str, text: str, where: str, secret: str
) -> None:
    before = len(lots.attempts)
    with pytest.raises(PlanError) as refused:
        await planned(lots, text.format(secret), name, signing_secret=SIGNING_SECRET)
    assert str(refused.value).startswith(where)
    assert secret not in str(refused.value)
    assert len(lots.attempts) == before


async def test_the_beginning_of_a_key_alone_is_no_key(lots: RunningService) -> None:
    plan = await planned(lots, "id,note\nlot-000001,keys begin with svc_live_ or svc_test_\n")
    assert [row.state for row in plan.rows] == [RowState.READY]


async def test_an_edit_that_holds_a_key_is_refused(lots: RunningService) -> None:
    async def edit(planner: Planner, plan: Plan) -> Plan:
        return await planner.edit(plan, {2: "svc_live_9f8e7d"}, "note")

    with pytest.raises(PlanError, match="API key"):
        await planned(lots, "id,note\nlot-000001,x\n", edit=edit)
