"""A second person over the real pipeline, client, stores and service: no door lets out what nobody approved."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS, SPLIT
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import Json, Number, dumps
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.plans.approval import PlanApproval
from svc_tui.plans.run import RunWriter
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import SendResult
from svc_tui.service.routes import fill_path
from svc_tui.storage.plan import Plan, PlanRow, RowAction
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.lines import LineKind, ServiceScope
from svc_tui.team.approval_rules import ApprovalRules, RefusingGuard
from svc_tui.team.asks import AskError, AskState, VerdictKind
from svc_tui.writes.approval_guard import Permit, Proposal, ProposedChange, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import (
    build_create_request,
    build_delete_request,
    build_update_request,
    change_from_action,
    proposal_from_request,
)
from tests.desks import Desk, a_desk, meet
from tests.direct_requests import update

LOTS = COLLECTIONS[0]
PLACE = Place(LOTS, "lot-000002")
SCOPE = StorageScope("tests", Environment.LIVE, "https://api.example.com")
SECRET = "svc_live_abcdefghijklmnop"
EDITS = {"massKg": Number("1.50")}


@pytest.fixture
async def client(service: RunningService) -> AsyncIterator[SignedClient]:
    """A client of the embedded service."""
    profile = Profile("tests", sandbox_base_url=service.base_url)
    async with SignedClient(profile, KeyPair(service.key("sandbox").api_key)) as client:
        yield client


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Desk]:
    """Who has to ask for everything."""
    async with a_desk(tmp_path / "ada", SCOPE, "ada", rules=["*"], masked=["email"]) as desk:
        yield desk


@pytest.fixture
async def bob(tmp_path: Path) -> AsyncIterator[Desk]:
    """Who is asked; his clock is an hour behind."""
    late = timedelta(hours=1)
    async with a_desk(tmp_path / "bob", SCOPE, "bob", now=lambda: datetime.now(UTC) - late) as desk:
        yield desk


async def never(_: Freshness) -> Draft | None:
    """Decide nothing."""
    return None


Send = Callable[[WritePipeline], Awaitable[WriteReport]]


def door(name: str, shown: Record) -> tuple[Proposal, Send]:
    """A change as it is asked for, and how it is sent."""
    split = RequestSpec("POST", fill_path(SPLIT.path, {"id": PLACE.id}), body=b'{"parts": 2}')
    match name:
        case "edit":
            draft = Draft(shown, EDITS)
            spec = build_update_request(PLACE, draft)
            change = ProposedChange(("update",), PLACE.key, spec)
            return Proposal(change, PLACE, shown, EDITS), lambda road: road.update(PLACE, draft, spec, never)
        case "create":
            spec = build_create_request(LOTS, {"name": "Made", **EDITS})
            change = ProposedChange(("create",), LOTS.key, spec)
            return Proposal(change, Place(LOTS)), lambda road: road.create(LOTS, spec)
        case "delete":
            spec = build_delete_request(PLACE)
            change = ProposedChange(("delete",), PLACE.key, spec)
            return Proposal(change, PLACE, shown), lambda road: road.delete(PLACE, shown, spec)
        case "action":
            return Proposal(change_from_action(PLACE, split), PLACE, shown), lambda road: road.act(PLACE, shown, split)
        case "written change":
            spec = RequestSpec("PATCH", PLACE.path, body=b'{"massKg": 1.5}')
        case "written deletion":
            spec = RequestSpec("DELETE", PLACE.path)
        case _:
            spec = split
    proposal = replace(proposal_from_request(spec), shown=shown)
    return proposal, lambda road: road.request(spec, read_before=False)


DOORS = ["edit", "create", "delete", "action", "written change", "written deletion", "written action"]


def road_of(client: SignedClient, desk: Desk) -> WritePipeline:
    """The road of a desk's writes."""
    gate = WriteGate(lambda: None, desk.approvals)
    return WritePipeline(client, desk.journal, gate, lambda: datetime.now(UTC))


def writes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


@pytest.mark.parametrize("name", DOORS)
async def test_a_change_leaves_once_and_only_once_it_is_approved(
    name: str, service: RunningService, client: SignedClient, ada: Desk, bob: Desk
) -> None:
    proposal, send = door(name, await client.record(LOTS, PLACE.id))
    road = road_of(client, ada)
    report = await send(road)
    assert (report.result, "Request approval first" in report.reason) == (SendResult.NOT_SENT, True)
    await ada.approvals.ask(proposal, "SUP-1", "please", ())
    await meet(ada, bob)
    assert "Waiting for approval by a colleague" in (await send(road)).reason
    assert "You can't approve your own request" in await ada.approvals.verdict(
        await ada.the_ask(), VerdictKind.APPROVED, "", ()
    )
    assert await bob.approvals.verdict(await bob.the_ask(), VerdictKind.APPROVED, "fine", ()) == ""
    assert writes(service) == []
    assert await ada.journal.entries() == []
    await meet(bob, ada)
    assert (await send(road)).result is SendResult.DONE
    (entry,) = await ada.journal.entries()
    await meet(ada, bob)
    ask = await bob.approvals.overview()
    assert (entry.intent.approved_by, list(ask.others)) == ("bob", [])
    assert entry.intent.approval == (await ada.the_ask()).id
    again = await send(road)
    assert (again.result, len(writes(service))) == (SendResult.NOT_SENT, 1)


@pytest.mark.parametrize("name", [name for name in DOORS if name != "create"])
async def test_a_record_that_moved_since_makes_the_approval_void(
    name: str, service: RunningService, client: SignedClient, ada: Desk, bob: Desk
) -> None:
    proposal, send = door(name, await client.record(LOTS, PLACE.id))
    await ada.approvals.ask(proposal, "", "", ())
    await meet(ada, bob)
    await bob.approvals.verdict(await bob.the_ask(), VerdictKind.APPROVED, "", ())
    await meet(bob, ada)
    await update(client, LOTS, PLACE.id, {"massKg": Number("7")})
    before = len(writes(service))
    report = await send(road_of(client, ada))
    assert (report.result, len(writes(service))) == (SendResult.NOT_SENT, before)
    assert report.reason.startswith("The approval is outdated: massKg")
    assert "The approval is outdated" in report.reason
    await meet(ada, bob)
    assert (await ada.the_ask()).state is AskState.VOIDED
    assert not (await bob.approvals.overview()).others
    assert "Request approval first" in (await send(road_of(client, ada))).reason


async def test_another_request_under_the_same_approval_does_not_leave(
    client: SignedClient, ada: Desk, bob: Desk
) -> None:
    proposal, _ = door("written change", await client.record(LOTS, PLACE.id))
    await ada.approvals.ask(proposal, "", "", ())
    await meet(ada, bob)
    await bob.approvals.verdict(await bob.the_ask(), VerdictKind.APPROVED, "", ())
    await meet(bob, ada)
    road, spec = road_of(client, ada), proposal.change.spec
    for other in (
        replace(spec, body=b'{"massKg": 1.50}'),
        replace(spec, method="PUT"),
        replace(spec, headers=(("X-HTTP-Method-Override", "DELETE"),)),
        replace(spec, path=f"{PLACE.path[:-1]}3"),
    ):
        assert (await road.request(other)).result is SendResult.NOT_SENT
    assert (await road.request(spec)).result is SendResult.DONE


async def test_a_refusal_is_told_once_and_a_name_on_another_machine_is_the_same_person(
    client: SignedClient, ada: Desk, bob: Desk, tmp_path: Path
) -> None:
    proposal, send = door("edit", await client.record(LOTS, PLACE.id))
    await ada.approvals.ask(proposal, "", "", ())
    async with a_desk(tmp_path / "laptop", SCOPE, "Ada", "laptop") as laptop:
        await meet(ada, bob, laptop)
        overview = await laptop.approvals.overview()
        assert (len(overview.mine), len(overview.waiting), len(overview.sendable)) == (1, 0, 0)
        assert "You can't approve your own request" in await laptop.approvals.verdict(
            overview.mine[0], VerdictKind.APPROVED, "", ()
        )
    ask = await bob.the_ask()
    await bob.approvals.verdict(ask, VerdictKind.APPROVED, "", ())
    await bob.approvals.verdict(ask, VerdictKind.REFUSED, f"not today {SECRET}", ())
    await meet(bob, ada)
    ask = await ada.the_ask()
    assert [await ada.approvals.note_told(ask), await ada.approvals.note_told(ask)] == [True, False]
    reason = (await send(road_of(client, ada))).reason
    assert "bob declined: not today" in reason
    assert SECRET not in reason
    await ada.approvals.withdraw(ask.id)
    await meet(ada, bob)
    assert "withdrawn" in await bob.approvals.verdict(ask, VerdictKind.APPROVED, "", ())


async def test_what_is_masked_or_secret_stays_on_the_authors_machine(ada: Desk, bob: Desk) -> None:
    shown = Record({"id": "lot-1", "email": "eve@x", "contact": {"email": "eve@x"}, "note": "old"})
    spec = RequestSpec(
        "PATCH",
        "/v1/operations/lots/lot-1?email=eve%40x",
        headers=(("Authorization", f"Bearer {SECRET}"),),
        body=json.dumps({"email": "mal@x", "note": SECRET, "contact": {"email": "mal@x"}}).encode(),
    )
    edits: dict[str, Json] = {"email": "mal@x", "note": SECRET, "contact": {"email": "mal@x"}}
    proposal = Proposal(ProposedChange(("request",), "operations/lots/lot-1", spec), PLACE, shown, edits)
    await ada.approvals.ask(proposal, "SUP-1", SECRET, (SECRET,))
    (line,) = await ada.own.waiting()
    assert not any(word in line.text for word in ("eve", "mal@x", SECRET))
    await meet(ada, bob)
    change = (await bob.the_ask()).change
    assert change.masked == ("email", "contact.email")
    assert (change.before["note"], change.target.partition("?")[2]) == ("old", "email=%E2%80%A6")
    (kept,) = await ada.asks.all()
    assert (kept.spec, kept.shown, kept.edits) == (spec, shown.fields, edits)


async def test_a_text_that_nobody_can_look_into_is_not_shown_and_too_much_is_not_asked(ada: Desk, bob: Desk) -> None:
    spec = RequestSpec("POST", "/v1/x", body=b"email=eve@x")
    await ada.approvals.ask(proposal_from_request(spec), "", "", ())
    await meet(ada, bob)
    change = (await bob.the_ask()).change
    assert (change.body, change.body_bytes) == (None, 11)
    huge = RequestSpec("POST", "/v1/x", body=dumps({"a": "x" * 200_001}).encode())
    with pytest.raises(AskError):
        await ada.approvals.ask(proposal_from_request(huge), "", "", ())
    assert len(await ada.asks.all()) == 1


async def a_plan(client: SignedClient) -> Plan:
    """Three changes, one of them of a masked field."""
    records = [await client.record(LOTS, f"lot-00000{number}") for number in (2, 3)]
    rows = tuple(
        PlanRow(number, record_id=f"lot-00000{number}", base={"massKg": mass}, edits=EDITS, fields=("massKg",))
        for number, mass in enumerate((record.fields["massKg"] for record in records), 2)
    )
    masked = PlanRow(4, record_id="lot-000004", base={"email": "eve@x"}, edits={"email": "mal@x"}, fields=("email",))
    return Plan("p-1", LOTS, (*rows, masked), datetime(2026, 11, 20, tzinfo=UTC), ticket="SUP-1")


async def test_a_plan_is_asked_for_as_one_and_only_its_own_rows_leave(
    service: RunningService, client: SignedClient, tmp_path: Path, bob: Desk
) -> None:
    plan = await a_plan(client)
    async with a_desk(tmp_path / "desk", SCOPE, "ada", rules=["batch>2"], masked=["email"]) as ada:
        guard = PlanApproval(ada.approvals, ada.asks, plan)
        few = PlanApproval(ada.approvals, ada.asks, plan.with_row_skipped(2))
        assert (guard.plan_rule, few.plan_rule) == ("batch>2", "")

        async def written(row: PlanRow) -> WriteReport:
            road = WritePipeline(client, ada.journal, WriteGate(lambda: None, guard), lambda: plan.made, plan.id)
            changed = plan.with_rows([row])
            return (await RunWriter(changed, road, client).write(row)).report

        assert "The rule batch>2 requires approval" in (await written(plan.rows[0])).reason
        await guard.ask(plan.ticket, "please", ())
        await meet(ada, bob)
        asked = (await bob.the_ask()).change.plan
        assert asked is not None
        assert (asked.rows, asked.sample[0][0]) == (3, "lot-000002")
        assert asked.sample[2] == ("lot-000004", "email: masked")
        assert "Waiting for approval" in (await guard.find_approval())[1]
        await bob.approvals.verdict(await bob.the_ask(), VerdictKind.APPROVED, "", ())
        await meet(bob, ada)
        ask, _ = await guard.find_approval()
        assert ask is not None
        other = replace(plan.rows[0], edits={"massKg": Number("9")})
        assert "not part of the approved plan" in (await written(other)).reason
        changed = PlanApproval(ada.approvals, ada.asks, plan.with_rows([other]))
        assert "changed after approval" in (await changed.find_approval())[1]
        assert writes(service) == []
        report = await written(plan.rows[1])
        (entry,) = await ada.journal.entries()
        assert (report.result, entry.intent.approval, entry.intent.row) == (SendResult.DONE, ask.id, 3)
        await guard.ended()
        await meet(ada, bob)
        assert (await ada.the_ask()).state is AskState.SENT


@pytest.mark.parametrize("kind", [RowAction.UPDATE, RowAction.DELETE])
async def test_where_nobody_can_be_asked_nothing_leaves_that_a_rule_names(kind: RowAction) -> None:
    guard = RefusingGuard(ApprovalRules.parse(["delete", "batch>1"]), "ask.", rows=1)
    permit = await guard.permit(ProposedChange((kind.value,), PLACE.key, RequestSpec("X", "/")))
    assert bool(permit.refusal) is (kind is RowAction.DELETE)
    many = RefusingGuard(ApprovalRules.parse(["delete", "batch>1"]), "ask.", rows=2)
    assert (await many.permit(ProposedChange((kind.value,), PLACE.key, RequestSpec("X", "/")))) != Permit()


async def test_lines_of_another_service_are_none_of_this_one(ada: Desk, bob: Desk, client: SignedClient) -> None:
    proposal, _ = door("edit", await client.record(LOTS, PLACE.id))
    await ada.approvals.ask(proposal, "", "", ())
    await meet(ada, bob)
    elsewhere = ServiceScope("sandbox", SCOPE.base_url)
    assert await bob.mirror.lines(elsewhere, [LineKind.ASK]) == []
