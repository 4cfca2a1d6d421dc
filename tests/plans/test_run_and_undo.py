"""A run on the embedded service, row by row, and the plan that takes it back."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.jsontext import Number
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.plans.planning import PlanError
from svc_tui.plans.run import (
    RowOutcome,
    RunWriter,
    affects_every_row,
    creations_of_run,
    find_remaining_rows,
    find_unknown_rows,
    honours_keys,
    make_creation_key,
    row_results,
)
from svc_tui.plans.run_report import outcome_words
from svc_tui.plans.run_undo import plan_undo
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import NotFound, SendResult
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Author, Intent, Outcome
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowState
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.writes.approval_guard import Unguarded, WriteGate
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_create_request, hash_body

LOTS = COLLECTIONS[0]
NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)


@pytest.fixture
async def client(service: RunningService) -> AsyncIterator[SignedClient]:
    """A client of the embedded service."""
    profile = Profile("tests", sandbox_base_url=service.base_url)
    async with SignedClient(profile, KeyPair(service.key("sandbox").api_key)) as client:
        yield client


@pytest.fixture
async def journal(client: SignedClient, tmp_path: Path) -> AsyncIterator[Journal]:
    """A journal on the disk."""
    async with Store.open(tmp_path / "svc-tui.db") as store:
        yield store.journal(StorageScope("tests", Environment.SANDBOX, client.base_url))


async def plan_of(client: SignedClient) -> Plan:
    """A change, a new record and a deletion."""
    first, second = await client.record(LOTS, "lot-000001"), await client.record(LOTS, "lot-000002")
    mass = {"massKg": Number("1.50")}
    return Plan(
        "p-1",
        LOTS,
        (
            PlanRow(2, record_id="lot-000001", base={"massKg": first.fields["massKg"]}, edits=mass, fields=("massKg",)),
            PlanRow(3, RowAction.CREATE, edits={"name": "Made", **mass}, fields=("name", "massKg")),
            PlanRow(4, RowAction.DELETE, "lot-000002", base=second.fields),
        ),
        NOW,
        ticket="T-7",
    )


async def carried_out(client: SignedClient, journal: Journal, plan: Plan) -> list[RowOutcome]:
    """What came of the rows that are left."""
    writer = RunWriter(
        plan, WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: NOW, batch=plan.id), client
    )
    writer.recall(await journal.unsettled())
    results = row_results(plan, await journal.row_writes(plan.id))
    return [await writer.write(row) for row in find_remaining_rows(plan, results)]


async def test_a_run_is_carried_out_once_and_taken_back_as_one(client: SignedClient, journal: Journal) -> None:
    before = [(await client.record(LOTS, f"lot-00000{number}")).fields for number in (1, 2)]
    plan = await plan_of(client)
    assert not any(outcome.is_unexpected for outcome in await carried_out(client, journal, plan))
    entries = await journal.of_run("p-1")
    assert row_results(plan, await journal.row_writes("p-1")) == {2: "done", 3: "done", 4: "done"}
    assert await carried_out(client, journal, plan) == []
    undo = await plan_undo(client, entries, journal.record_after, "p-2", NOW, title=plan.title)
    assert (undo.undoes, undo.ticket, undo.title) == ("p-1", "T-7", plan.title)
    assert [row.action for row in undo.rows] == [RowAction.CREATE, RowAction.DELETE, RowAction.UPDATE]
    outcomes = await carried_out(client, journal, undo)
    assert [outcome.report for outcome in outcomes if outcome.is_unexpected] == []
    assert (await client.record(LOTS, "lot-000001")).fields["massKg"] == before[0]["massKg"]
    assert outcomes[0].report.record is not None
    assert outcomes[0].report.record.fields["name"] == before[1]["name"]
    with pytest.raises(NotFound):
        await client.record(LOTS, "lot-000301")


async def test_what_others_changed_since_stands_against_taking_it_back(client: SignedClient, journal: Journal) -> None:
    plan = await plan_of(client)
    await carried_out(client, journal, plan)
    await client.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000001", body=b'{"massKg":77}'))
    undo = await plan_undo(client, await journal.of_run("p-1"), journal.record_after, "p-2", NOW)
    (moved,) = undo.rows[2].problems
    assert moved.kind is ProblemKind.MOVED


async def test_a_field_that_was_not_sent_and_changed_since_stands_against_taking_it_back(
    client: SignedClient, journal: Journal
) -> None:
    await carried_out(client, journal, await plan_of(client))
    await client.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000301", body=b'{"note":"seen by others"}'))
    await client.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000001", body=b'{"name":"Renamed"}'))
    undo = await plan_undo(client, await journal.of_run("p-1"), journal.record_after, "p-2", NOW)
    recreate, delete, restore = undo.rows
    assert (recreate.state, delete.state, restore.state) == (RowState.READY, RowState.DOUBTED, RowState.DOUBTED)
    assert [problem.text for problem in delete.problems] == ['note: is now "seen by others", added after this run.']
    assert [problem.text for problem in restore.problems] == ['name: is now "Renamed", changed later.']
    assert (delete.action, undo.notices) == (RowAction.DELETE, ())


async def test_a_lost_answer_is_looked_up_and_a_new_record_stays_unknown(
    client: SignedClient, journal: Journal, service: RunningService
) -> None:
    plan = await plan_of(client)
    service.faults.next("reset", method="POST")
    outcomes = await carried_out(client, journal, plan)
    assert [outcome.is_unexpected for outcome in outcomes] == [False, True, False]
    results = row_results(plan, await journal.row_writes("p-1"))
    assert [row.number for row in find_unknown_rows(plan, results)] == [3]
    assert find_remaining_rows(plan, results) == ()
    assert [row.number for row in find_remaining_rows(plan, results, honoured=True)] == [3]


async def test_a_row_keeps_its_own_key_and_another_one_alike_has_another(
    client: SignedClient, journal: Journal, service: RunningService
) -> None:
    rows = tuple(PlanRow(number, RowAction.CREATE, edits={"name": "Twin"}, fields=("name",)) for number in (2, 3))
    plan = Plan("p-1", LOTS, rows, NOW)
    service.faults.next("reset", method="POST")
    await carried_out(client, journal, plan)
    first, second = [a.idempotency_key for a in service.attempts if a.method == "POST"]
    assert first != second
    writer = RunWriter(
        plan, WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: NOW, batch=plan.id), client
    )
    writer.recall(await journal.unsettled())
    await writer.write(rows[0])
    assert [a.idempotency_key for a in service.attempts if a.method == "POST"] == [first, second, first]


def test_a_key_is_not_trusted_for_ever() -> None:
    plan = Plan("p-1", LOTS, (), NOW)
    assert honours_keys(plan, "honoured", NOW + timedelta(days=6))
    assert not honours_keys(plan, "honoured", NOW + timedelta(days=8))
    assert not honours_keys(plan, "unproven", NOW)


async def test_a_record_is_made_again_unasked_by_the_first_undo_alone(client: SignedClient, journal: Journal) -> None:
    await carried_out(client, journal, await plan_of(client))
    entries = await journal.of_run("p-1")
    first = await plan_undo(client, entries, journal.record_after, "p-2", NOW)
    assert first.problems == ()
    again = await plan_undo(client, entries, journal.record_after, "p-3", NOW, begun_before=True)
    assert [row.action for row in again.problems] == [RowAction.CREATE]


async def test_a_conflict_is_told_and_nothing_is_sent(client: SignedClient, journal: Journal) -> None:
    plan = await plan_of(client)
    await client.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000001", body=b'{"massKg":77}'))
    outcome = (await carried_out(client, journal, plan))[0]
    assert outcome.conflict_words == "lot-000001 was not changed: others set massKg to 77."
    assert outcome.report.entry_number == 0


async def test_a_run_that_changed_nothing_can_not_be_taken_back(client: SignedClient, journal: Journal) -> None:
    with pytest.raises(PlanError, match="changed nothing"):
        await plan_undo(client, [], journal.record_after, "p-2", NOW)


async def test_a_new_record_that_a_colleague_created_from_the_same_plan_is_not_sent(
    client: SignedClient, journal: Journal, service: RunningService
) -> None:
    rows = tuple(PlanRow(number, RowAction.CREATE, edits={"name": f"N{number}"}, fields=("name",)) for number in (2, 3))
    plan = Plan("p-1", LOTS, rows, NOW)
    await carried_out(client, journal, plan)
    ann = Author("ann", "laptop", "c-1")
    done, lost = [replace(entry, author=ann) for entry in await journal.of_run("p-1")]
    lost = replace(lost, outcome=None)
    colleagues = creations_of_run([lost, done])
    assert colleagues == {2: done, 3: lost}
    pipeline = WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: NOW, batch=plan.id)
    writer = RunWriter(plan, pipeline, client, colleagues)
    sent = len(service.attempts)
    outcomes = [await writer.write(row) for row in rows]
    assert [attempt.method for attempt in service.attempts[sent:]] == ["GET"]
    assert [(outcome.already, outcome.is_unexpected) for outcome in outcomes] == [(True, False), (False, True)]
    assert outcome_words(outcomes[0]) == "ann on laptop created lot-000301 from the same plan."
    assert outcome_words(outcomes[1]) == (
        "ann on laptop already sent this new record. It is not known whether it was created. Look for it first."
    )
    assert not affects_every_row(outcomes[1])
    await client.send(RequestSpec("DELETE", "/v1/operations/lots/lot-000301"))
    again = await writer.write(rows[0])
    assert (again.already, again.report.result) == (False, SendResult.DONE)
    keys = [attempt.idempotency_key for attempt in service.attempts if attempt.method == "POST"]
    assert len(set(keys)) == len(keys) == 3


def test_the_key_of_a_new_record_is_that_of_its_plan_row_body_and_application() -> None:
    key = make_creation_key("p-1", 2, "ab")
    assert key == make_creation_key("p-1", 2, "ab")
    others = [make_creation_key("p-2", 2, "ab"), make_creation_key("p-1", 3, "ab"), make_creation_key("p-1", 2, "ac")]
    assert len({key, *others, make_creation_key("p-1", 2, "ab", 2)}) == 5
    assert str(UUID(key)) == key


async def test_a_run_of_1_0_0_keeps_the_random_key_of_a_row_of_unknown_outcome(
    client: SignedClient, journal: Journal, service: RunningService
) -> None:
    row = PlanRow(2, RowAction.CREATE, edits={"name": "Old"}, fields=("name",))
    plan = Plan("p-1", LOTS, (row,), NOW)
    body = build_create_request(LOTS, row.edits).body
    intent = Intent(NOW, "POST", LOTS.path, "operations/lots", "random", {}, row.edits, batch="p-1", row=2)
    await journal.conclude(await journal.intend(replace(intent, body_digest=hash_body(body))), Outcome(NOW, "unknown"))
    writer = RunWriter(
        plan, WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: NOW, batch=plan.id), client
    )
    writer.recall(await journal.unsettled())
    await writer.write(row)
    assert service.attempts[-1].idempotency_key == "random"
