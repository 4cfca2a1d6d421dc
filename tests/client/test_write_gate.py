"""Every kind of write against a service that answers from a script: lock, approval, journal entry and report."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import Json, Number, dumps
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import SendResult
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.writes.approval_guard import Permit, ProposedChange, Unguarded, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request
from tests.client.raw_service import CannedReply, Connect, RawService, ReceivedRequest, reply

LOTS = COLLECTIONS[0]
PLACE = Place(LOTS, "lot-1")
FIELDS: Mapping[str, Json] = {"id": "lot-1", "grade": "B", "massKg": Number("1.50")}
BASE = Record(FIELDS, '"one"')
NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
EDIT = b'{"grade":"A"}'
SPLIT_IT = RequestSpec("POST", f"{PLACE.path}/split", body=b'{"parts":2}')
ELSEWHERE = RequestSpec("POST", "/v1/operations/tunnels/tun-1/close", body=b"[1, 2]")
NEW = b'{"grade":"A"}'
TICKET = "INC-7"


async def send_own(freshness: Freshness) -> Draft | None:
    return freshness.draft


@dataclass(frozen=True, slots=True)
class Step:
    """A kind of write: how it is sent, and what the journal's intent says of it."""

    send: Callable[[WritePipeline], Awaitable[WriteReport]]
    method: str
    target: str
    body: bytes
    before: Mapping[str, Json] | None
    after: Mapping[str, Json] | None
    read: Mapping[str, Json] | None = field(default_factory=lambda: FIELDS)
    """What an approval is checked against: the record as it was read just before, or the fields concerned."""
    place: str = PLACE.key
    row: int = 7


DRAFT = Draft(BASE, {"grade": "A"})
STEPS = {
    "update": Step(
        lambda way: way.update(
            PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), send_own, TICKET
        ),
        *("PATCH", PLACE.path, EDIT, {"grade": "B"}, {"grade": "A"}),
    ),
    "create": Step(
        lambda way: way.create(LOTS, way.with_idempotency_key(build_create_request(LOTS, {"grade": "A"})), TICKET),
        *("POST", LOTS.path, NEW, {}, {"grade": "A"}, None, LOTS.key),
    ),
    "delete": Step(
        lambda way: way.delete(PLACE, BASE, way.with_idempotency_key(build_delete_request(PLACE)), TICKET),
        *("DELETE", PLACE.path, b"", FIELDS, None),
    ),
    "act": Step(
        lambda way: way.act(PLACE, BASE, way.with_idempotency_key(SPLIT_IT), TICKET),
        *("POST", f"{PLACE.path}/split", b'{"parts":2}', None, {"parts": Number("2")}),
    ),
    "act elsewhere": Step(
        lambda way: way.act(PLACE, BASE, way.with_idempotency_key(ELSEWHERE), TICKET),
        *("POST", ELSEWHERE.path, ELSEWHERE.body, None, None),
    ),
    "typed change": Step(
        lambda way: way.request(RequestSpec("patch", PLACE.path, body=EDIT), TICKET),
        *("PATCH", PLACE.path, EDIT, {"grade": "B"}, {"grade": "A"}, {"grade": "B"}),
    ),
    "typed deletion": Step(
        lambda way: way.request(RequestSpec("DELETE", PLACE.path), TICKET),
        *("DELETE", PLACE.path, b"", FIELDS, None),
    ),
    "typed creation": Step(
        lambda way: way.request(RequestSpec("POST", LOTS.path, body=NEW), TICKET),
        *("POST", LOTS.path, NEW, {}, {"grade": "A"}, None, LOTS.key),
    ),
    "typed action": Step(
        lambda way: way.request(SPLIT_IT, TICKET),
        *("POST", f"{PLACE.path}/split", b'{"parts":2}', None, {"parts": Number("2")}),
    ),
}
KINDS = {
    **{name: (name,) for name in ("update", "create", "delete")},
    **dict.fromkeys(("act", "act elsewhere"), ("action",)),
    "typed change": ("request", "update"),
    "typed deletion": ("request", "delete"),
    "typed creation": ("request", "create"),
    "typed action": ("request", "action"),
}
CREATIONS = ("create", "typed creation")


@dataclass(slots=True)
class Approver:
    """An approval guard that requires a second person for every change; approvals can be withdrawn."""

    refused_from: int = 99
    """From which permit on, counted from 0, none is given."""
    void_from: int = 99
    once: bool = False
    permits: int = 0
    rechecked: list[Mapping[str, Json] | None] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    changes: list[ProposedChange] = field(default_factory=list)

    def rule(self, change: ProposedChange) -> str:
        return "every change"

    async def permit(self, change: ProposedChange) -> Permit:
        self.permits += 1
        self.changes.append(change)
        await asyncio.sleep(0)
        if self.permits > self.refused_from or (self.once and self.settled):
            return Permit("Nobody has approved it.")
        return Permit("", "ask-1", "Bob")

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        self.rechecked.append(fields)
        return "The record changed since the approval." if len(self.rechecked) > self.void_from else ""

    async def settle(self, permit: Permit, result: str) -> None:
        assert permit.approval == "ask-1"
        self.settled.append(result)


def answer(came: ReceivedRequest) -> CannedReply:
    """Answer as a service that has the record, and takes every write."""
    if came.method == "GET":
        return reply(200, dumps(FIELDS), ("ETag", '"one"'))
    changed = {**FIELDS, "grade": "A"}
    if came.target == LOTS.path:
        changed["id"] = "lot-9"
    return reply(200, dumps(changed), ("ETag", '"two"'), ("x-request-id", "req-1"))


@pytest.fixture(autouse=True)
def _answers(service: RawService) -> None:
    service.rest = answer


def writes(service: RawService) -> list[ReceivedRequest]:
    return [came for came in service.received if came.method != "GET"]


@pytest.mark.parametrize("name", STEPS)
async def test_the_journal_has_every_part_of_a_write_and_of_its_outcome(
    service: RawService, connect: Connect, journal: Journal, name: str
) -> None:
    step, approver = STEPS[name], Approver()
    async with connect() as client:
        pipeline = WritePipeline(client, journal, WriteGate(lambda: None, approver), lambda: NOW, "run-1")
        pipeline.row = step.row
        report = await step.send(pipeline)
    assert (report.result, report.error, report.journal_problem) == (SendResult.DONE, None, "")
    assert (report.reason, report.read_failed) == ("", False)
    (sent,) = writes(service)
    (entry,) = await journal.entries()
    assert entry.number == report.entry_number
    assert entry.intent == Intent(
        NOW,
        step.method,
        step.target,
        step.place,
        sent.header("Idempotency-Key"),
        step.before,
        step.after,
        TICKET,
        None if step.after is not None else len(step.body),
        "run-1",
        hashlib.sha256(step.body).hexdigest(),
        step.row,
        "ask-1",
        "Bob",
    )
    made = "lot-9" if name in CREATIONS else ""
    place = Place(LOTS, made).key if made else ""
    assert entry.outcome == Outcome(NOW, "done", 200, "", "req-1", made, place)
    assert (sent.method, sent.target, sent.body) == (step.method, step.target, step.body)
    assert approver.settled == ["done"]
    assert approver.rechecked[-1] == step.read
    row = step.row if name in ("update", "create", "delete") else 0
    assert {(change.kinds, change.place, change.row) for change in approver.changes} == {(KINDS[name], step.place, row)}


@pytest.mark.parametrize("name", STEPS)
async def test_a_write_leaves_only_while_its_approval_stands(
    service: RawService, connect: Connect, journal: Journal, name: str
) -> None:
    async with connect() as client:
        for is_void, reason in ((False, "Nobody has approved it."), (True, "The record changed since the approval.")):
            left = 0
            records: list[Record | None] = []
            while True:
                approver = Approver(void_from=left) if is_void else Approver(refused_from=left)
                pipeline = WritePipeline(client, journal, WriteGate(lambda: None, approver), lambda: NOW)
                report = await STEPS[name].send(pipeline)
                if report.result is SendResult.DONE:
                    break
                records.append(report.record)
                assert (report.result, report.reason) == (SendResult.NOT_SENT, reason)
                assert not writes(service)
                assert not approver.settled
                left += 1
            # Nothing is read before the first permit; the last is asked for right before it is sent.
            assert left == (len(approver.rechecked) if is_void else approver.permits)
            assert left >= (1 if is_void else 2)
            assert len(writes(service)) == 1
            if name in ("update", "delete", "act"):
                assert records == ([BASE, None] if is_void else [None, BASE, None])
            service.received.clear()
    assert len(await journal.entries()) == 2


@pytest.mark.parametrize("name", STEPS)
async def test_a_write_leaves_only_while_the_lock_is_open(
    service: RawService, connect: Connect, journal: Journal, name: str
) -> None:
    async with connect() as client:
        for closes in (0, 1):
            refusals = iter([None] * closes + ["LIVE is locked."] * 9)
            gate = WriteGate(lambda refusals=refusals: next(refusals), Unguarded())  # type: ignore[misc]
            report = await STEPS[name].send(WritePipeline(client, journal, gate, lambda: NOW))
            assert (report.result, report.reason) == (SendResult.NOT_SENT, "LIVE is locked.")
            # Nothing is read for a write that may not leave anyway.
            assert closes or not service.received
    assert not writes(service)
    assert not await journal.entries()


@pytest.mark.parametrize("name", STEPS)
async def test_one_approval_is_good_for_one_of_two_writes_at_a_time(
    service: RawService, connect: Connect, journal: Journal, name: str
) -> None:
    async with connect() as client:
        pipeline = WritePipeline(client, journal, WriteGate(lambda: None, Approver(once=True)), lambda: NOW)
        reports = await asyncio.gather(STEPS[name].send(pipeline), STEPS[name].send(pipeline))
    assert {report.result for report in reports} == {SendResult.DONE, SendResult.NOT_SENT}
    assert len(writes(service)) == 1


async def test_a_write_that_nobody_has_to_approve_does_not_wait_for_another(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    is_second_done = asyncio.Event()
    service.script = [replace(reply(200), before=is_second_done.wait)]
    async with connect() as client:
        pipeline = WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: NOW)
        first = asyncio.create_task(pipeline.request(ELSEWHERE))
        while not service.received:  # noqa: ASYNC110  the service has no event for it
            await asyncio.sleep(0.01)
        assert (await pipeline.request(ELSEWHERE)).result is SendResult.DONE
        is_second_done.set()
        assert (await first).result is SendResult.DONE


@pytest.mark.parametrize("name", ["typed change", "typed deletion", "typed action"])
async def test_an_approved_request_is_checked_against_its_record_where_none_else_would_be_read(
    service: RawService, connect: Connect, journal: Journal, name: str
) -> None:
    step, approver = STEPS[name], Approver()
    spec = RequestSpec(step.method, step.target, body=step.body)
    async with connect() as client:
        pipeline = WritePipeline(client, journal, WriteGate(lambda: None, approver), lambda: NOW)
        report = await pipeline.request(spec, read_before=False)
    assert report.result is SendResult.DONE
    assert approver.rechecked == [step.read]


async def test_an_approved_request_to_a_whole_collection_is_sent_without_a_reading(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    async with connect() as client:
        approver = Approver()
        pipeline = WritePipeline(client, journal, WriteGate(lambda: None, approver), lambda: NOW)
        report = await pipeline.request(RequestSpec("DELETE", LOTS.path))
    assert report.result is SendResult.DONE
    assert [came.method for came in service.received] == ["DELETE"]
    assert approver.rechecked == [None]
