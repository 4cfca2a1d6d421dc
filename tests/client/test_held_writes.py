"""A write that waits, or may have arrived, leaves only while its record is as it was read."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from svc_tui.cli.output.request_report import error_status
from svc_tui.client.client import SignedClient
from svc_tui.client.throttle import MAX_CONNECTIONS
from svc_tui.core.catalog import COLLECTIONS, SPLIT
from svc_tui.core.credentials import KeyPair
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.field_forms import FormTarget
from svc_tui.core.jsontext import Json, dumps, loads
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.variants import Variants
from svc_tui.service import errors
from svc_tui.service.errors import SendResult
from svc_tui.service.retry import RetryRules
from svc_tui.service.routes import fill_path
from svc_tui.service.traffic import Retrying, Throttled, TrafficEvent
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.writes.approval_guard import Unguarded, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_delete_request, build_update_request
from tests.client.one_record import OneRecord
from tests.client.raw_service import BREAK, CannedReply, Connect, RawService, ReceivedRequest, reply
from tests.direct_requests import update

LOTS = COLLECTIONS[0]
QUICK = RetryRules(first_wait=0.01)
BUSY = reply(429, '{"error":{"code":"rate_limit_exceeded"}}', ("Retry-After", "1"))


class Chooser:
    """A user who is asked about a conflict, and answers with their own values or not at all."""

    def __init__(self, *, sends: bool) -> None:
        self.sends = sends
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, freshness: Freshness) -> Draft | None:
        self.asked.append(freshness.conflicts)
        return freshness.draft if self.sends else None


def pipeline_of(client: SignedClient, journal: Journal) -> WritePipeline:
    return WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: datetime.now(UTC))


async def outcomes(journal: Journal) -> list[tuple[str, str, Mapping[str, Json] | None]]:
    """Method, result and old values of every write in the journal, the oldest first."""
    entries = reversed(await journal.entries())
    return [(e.intent.method, e.outcome.result if e.outcome else "", e.intent.before) for e in entries]


# Against the embedded service


@pytest.fixture(params=["checked", "ignored"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[RunningService]:
    """The service, with ETags and without."""
    with running_service(SandboxOptions(records=3, variants=Variants({"if-match": request.param}))) as service:
        yield service


@asynccontextmanager
async def client_of(sandbox: RunningService) -> AsyncIterator[SignedClient]:
    key = sandbox.key("live")
    profile = Profile("tests", sandbox.base_url, idempotency="honoured")
    async with SignedClient(profile, KeyPair(key.api_key, key.signing_secret), rules=QUICK) as client:
        yield client


LOT = Place(LOTS, "lot-000002")


async def write_with_colleague(
    sandbox: RunningService,
    fault: str,
    method: str,
    colleagues: Mapping[str, Json],
    write: Callable[[SignedClient], Awaitable[WriteReport]],
) -> WriteReport:
    """Make a write that `fault` holds back for a second, in which a colleague sets other values."""
    writing: list[asyncio.Task[object]] = []

    async with client_of(sandbox) as client, client_of(sandbox) as colleague:

        def hear(event: TrafficEvent) -> None:
            if isinstance(event, Retrying) and not writing:
                writing.append(asyncio.create_task(update(colleague, LOTS, LOT.id, colleagues)))

        client.listen(hear)
        sandbox.faults.next(fault, method=method, retry_after=1)
        report = await write(client)
        await asyncio.gather(*writing)
    assert len(writing) == 1
    return report


def stored(sandbox: RunningService) -> Mapping[str, Json]:
    """The record as the service has it now."""
    text = sandbox.record(LOTS.key, LOT.id)
    assert text is not None
    value = loads(text)
    assert isinstance(value, Mapping)
    return value


FAULTS = ["429", "503"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("sends", [True, False])
async def test_an_edit_that_waits_does_not_overwrite_a_colleagues(
    sandbox: RunningService, journal: Journal, fault: str, sends: bool
) -> None:
    chooser = Chooser(sends=sends)

    async def edit(client: SignedClient) -> WriteReport:
        draft = Draft(await client.record(LOTS, LOT.id)).with_value("note", "mine")
        pipeline = pipeline_of(client, journal)
        return await pipeline.update(
            LOT, draft, pipeline.with_idempotency_key(build_update_request(LOT, draft)), chooser
        )

    before = stored(sandbox)["note"]
    report = await write_with_colleague(sandbox, fault, "PATCH", {"note": "theirs"}, edit)
    assert chooser.asked == [("note",)]
    first = ("PATCH", "not sent" if fault == "429" else "refused", {"note": before})
    if sends:
        assert report.result is SendResult.DONE
        assert stored(sandbox)["note"] == "mine"
        assert await outcomes(journal) == [first, ("PATCH", "done", {"note": "theirs"})]
    else:
        assert report.result is (SendResult.NOT_SENT if fault == "429" else SendResult.REFUSED)
        assert stored(sandbox)["note"] == "theirs"
        assert await outcomes(journal) == [first]


@pytest.mark.parametrize("fault", FAULTS)
async def test_an_edit_that_waits_goes_on_where_another_field_changed(
    sandbox: RunningService, journal: Journal, fault: str
) -> None:
    async def edit(client: SignedClient) -> WriteReport:
        draft = Draft(await client.record(LOTS, LOT.id)).with_value("note", "mine")
        pipeline = pipeline_of(client, journal)
        return await pipeline.update(
            LOT, draft, pipeline.with_idempotency_key(build_update_request(LOT, draft)), Chooser(sends=False)
        )

    report = await write_with_colleague(sandbox, fault, "PATCH", {"name": "theirs"}, edit)
    assert report.result is SendResult.DONE
    assert "name" in report.changed_by_others
    assert (stored(sandbox)["note"], stored(sandbox)["name"]) == ("mine", "theirs")


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_typed_request_that_waits_does_not_overwrite_a_colleagues_value(
    sandbox: RunningService, journal: Journal, fault: str
) -> None:
    async def send(client: SignedClient) -> WriteReport:
        return await pipeline_of(client, journal).request(RequestSpec("PATCH", LOT.path, body=b'{"note":"mine"}'))

    report = await write_with_colleague(sandbox, fault, "PATCH", {"note": "theirs"}, send)
    assert stored(sandbox)["note"] == "theirs"
    is_first = fault == "429"
    assert report.result is (SendResult.NOT_SENT if is_first else SendResult.REFUSED)
    assert report.changed_by_others == ("note",)
    assert error_status(report.error, write=True) == 1
    assert report.error is not None
    assert report.error.sent is (errors.SendResult.NOT_SENT if is_first else errors.SendResult.REFUSED)
    end = "nothing was sent" if is_first else "it was not sent again"
    assert f"others have changed note since, so {end}; check the record first" in str(report.error)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_typed_request_that_waits_journals_what_was_read_last(
    sandbox: RunningService, journal: Journal, fault: str
) -> None:
    async def send(client: SignedClient) -> WriteReport:
        return await pipeline_of(client, journal).request(RequestSpec("PATCH", LOT.path, body=b'{"note":"mine"}'))

    before = stored(sandbox)["note"]
    report = await write_with_colleague(sandbox, fault, "PATCH", {"name": "theirs"}, send)
    assert stored(sandbox)["name"] == "theirs"
    assert (report.result, stored(sandbox)["note"]) == (SendResult.DONE, "mine")
    assert [line[1:] for line in await outcomes(journal)] == [
        ("not sent" if fault == "429" else "refused", {"note": before}),
        ("done", {"note": before}),
    ]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("typed", [True, False])
async def test_a_deletion_that_waits_spares_a_record_that_changed(
    sandbox: RunningService, journal: Journal, fault: str, typed: bool
) -> None:
    async def delete(client: SignedClient) -> WriteReport:
        pipeline = pipeline_of(client, journal)
        if typed:
            return await pipeline.request(build_delete_request(LOT))
        shown = await client.record(LOTS, LOT.id)
        return await pipeline.delete(LOT, shown, pipeline.with_idempotency_key(build_delete_request(LOT)))

    report = await write_with_colleague(sandbox, fault, "DELETE", {"note": "theirs"}, delete)
    assert stored(sandbox)["note"] == "theirs"
    assert report.result is (SendResult.NOT_SENT if fault == "429" else SendResult.REFUSED)
    assert [line[1] for line in await outcomes(journal)] == [report.result.value]


@pytest.mark.parametrize("fault", FAULTS)
async def test_an_action_that_waits_is_not_done_to_a_record_that_changed(
    sandbox: RunningService, journal: Journal, fault: str
) -> None:
    async def split(client: SignedClient) -> WriteReport:
        pipeline = pipeline_of(client, journal)
        spec = pipeline.with_idempotency_key(
            RequestSpec("POST", fill_path(SPLIT.path, {"id": LOT.id}), body=b'{"parts": 2}')
        )
        return await pipeline.act(LOT, await client.record(LOTS, LOT.id), spec)

    report = await write_with_colleague(sandbox, fault, "POST", {"note": "theirs"}, split)
    # What changed the record may have been the action's first attempt, which a 503 does not rule out.
    assert report.result is (SendResult.NOT_SENT if fault == "429" else SendResult.UNKNOWN)
    assert [attempt.status for attempt in sandbox.attempts if attempt.method == "POST"] == [int(fault)]


# Against a scripted service


PLACE = Place(LOTS, "lot-1")
DRAFT = Draft(Record({"id": "lot-1", "grade": "B", "note": ""}), {"grade": "A"})


@pytest.fixture
def record(service: RawService) -> OneRecord:
    return OneRecord(service)


async def edit(client: SignedClient, journal: Journal, *, sends: bool = False) -> WriteReport:
    pipeline = pipeline_of(client, journal)
    return await pipeline.update(
        PLACE, DRAFT, pipeline.with_idempotency_key(build_update_request(PLACE, DRAFT)), Chooser(sends=sends)
    )


async def delete(client: SignedClient, journal: Journal) -> WriteReport:
    pipeline = pipeline_of(client, journal)
    # A row of a list: it has fewer fields than the record.
    shown = Record({"id": "lot-1", "grade": "B"})
    return await pipeline.delete(PLACE, shown, pipeline.with_idempotency_key(build_delete_request(PLACE)))


async def test_a_write_that_leaves_at_once_is_not_preceded_by_a_second_reading(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    async with connect(rules=QUICK) as client:
        assert (await edit(client, journal)).result is SendResult.DONE
    assert record.methods == ["GET", "PATCH"]


async def test_a_write_that_waited_reads_again_and_leaves_under_the_same_intent(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BUSY]
    async with connect(rules=QUICK) as client:
        assert (await edit(client, journal)).result is SendResult.DONE
    assert record.methods == ["GET", "PATCH", "GET", "PATCH"]
    assert await outcomes(journal) == [("PATCH", "done", {"grade": "B"})]


class SlowJournal:
    """A journal whose intent takes as long as `meanwhile`."""

    def __init__(self, journal: Journal, meanwhile: Callable[[], Awaitable[None]]) -> None:
        self._journal, self._meanwhile = journal, meanwhile

    async def intend(self, intent: Intent, origin: Place | FormTarget | None = None) -> int:
        number = await self._journal.intend(intent, origin)
        await self._meanwhile()
        return number

    async def conclude(self, number: int, outcome: Outcome, record: Record | None = None) -> None:
        await self._journal.conclude(number, outcome, record)

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        return await self._journal.entries(limit, place=place)


async def test_a_write_that_waits_before_its_first_attempt_reads_again(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    async with connect(rules=QUICK) as client:
        other: list[asyncio.Task[object]] = []
        held = asyncio.Event()
        client.listen(lambda event: held.set() if isinstance(event, Throttled) else None)

        async def meanwhile() -> None:
            if not other:
                record.troubles = [BUSY]
                other.append(asyncio.create_task(client.send(RequestSpec("POST", "/v1/operations/tunnels"))))
                await held.wait()
                record.fields["grade"] = "C"

        slow: Journal = SlowJournal(journal, meanwhile)  # type: ignore[assignment]
        report = await edit(client, slow)
        await asyncio.gather(*other)
    assert report.result is SendResult.NOT_SENT
    assert "PATCH" not in record.methods
    assert record.fields["grade"] == "C"
    assert [line[1] for line in await outcomes(journal)] == ["not sent"]


async def test_after_a_429_the_reading_goes_in_the_one_turn_that_is_given(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BUSY]
    async with connect(rules=QUICK) as client:
        async with asyncio.timeout(20):
            editing = asyncio.create_task(edit(client, journal))
            held = asyncio.Event()
            client.listen(lambda event: held.set() if isinstance(event, Throttled) else None)
            await held.wait()
            waiting = [client.send(RequestSpec("GET", "/v1/operations/tunnels")) for _ in range(20)]
            await asyncio.gather(*waiting)
            assert (await editing).result is SendResult.DONE


async def test_writes_that_hold_all_connections_read_again_all_the_same(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    everybody = asyncio.Barrier(MAX_CONNECTIONS)
    doubted: set[str] = set()

    def answer(came: ReceivedRequest) -> CannedReply:
        if came.method == "PATCH" and came.target not in doubted:
            doubted.add(came.target)
            return replace(reply(503), before=everybody.wait)
        return reply(200, dumps({"id": came.target.rpartition("/")[2], "grade": "B"}))

    service.rest = answer
    async with connect(rules=QUICK) as client:
        pipeline = pipeline_of(client, journal)

        async def patch(number: int) -> WriteReport:
            spec = RequestSpec("PATCH", f"/v1/operations/lots/lot-{number}", body=b'{"grade":"A"}')
            return await pipeline.request(spec)

        async with asyncio.timeout(20):
            reports = await asyncio.gather(*map(patch, range(MAX_CONNECTIONS)))
    assert [report.result for report in reports] == [SendResult.DONE] * MAX_CONNECTIONS


@pytest.mark.parametrize(
    "trouble", [BUSY, reply(503, "{}", ("Retry-After", "1")), reply(500), BREAK], ids=["429", "503", "500", "broken"]
)
async def test_a_reading_that_meets_trouble_is_tried_again(
    record: OneRecord, connect: Connect, journal: Journal, trouble: CannedReply
) -> None:
    record.troubles = [BUSY]

    def second(record: OneRecord) -> None:
        if record.methods.count("GET") == 2:
            record.unread = [trouble]

    record.reads = second
    async with connect(rules=QUICK) as client:
        async with asyncio.timeout(20):
            assert (await edit(client, journal)).result is SendResult.DONE
    assert record.methods == ["GET", "PATCH", "GET", "GET", "PATCH"]


@pytest.mark.parametrize(
    ("trouble", "result"), [(BUSY, SendResult.NOT_SENT), (reply(503), SendResult.UNKNOWN)], ids=["429", "503"]
)
async def test_a_write_whose_record_can_not_be_read_again_does_not_leave(
    record: OneRecord, connect: Connect, journal: Journal, trouble: CannedReply, result: SendResult
) -> None:
    record.troubles = [trouble]

    def broken_from_the_second_on(record: OneRecord) -> None:
        if record.methods.count("GET") > 1:
            record.unread = [reply(403, '{"error":{"code":"ip_not_allowed"}}')]

    record.reads = broken_from_the_second_on
    async with connect(rules=QUICK) as client:
        report = await edit(client, journal)
    assert report.result is result
    assert str(report.error).startswith("the record could not be reloaded before the change: ")
    assert record.methods.count("PATCH") == 1
    assert [line[1] for line in await outcomes(journal)] == [result.value]


async def test_a_record_that_is_gone_when_the_write_is_to_leave_is_said_to_be(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BUSY]

    def gone(record: OneRecord) -> None:
        if record.methods.count("GET") > 1:
            record.unread = [reply(404)]

    record.reads = gone
    async with connect(rules=QUICK) as client:
        report = await edit(client, journal)
    assert (report.result, report.is_gone) == (SendResult.NOT_SENT, True)
    assert record.methods.count("PATCH") == 1


async def test_a_deletion_that_was_carried_out_before_its_answer_was_lost_is_not_sent_again(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BREAK]

    def gone(record: OneRecord) -> None:
        if record.methods.count("GET") > 1:
            record.unread = [reply(404)]

    record.reads = gone
    async with connect(rules=QUICK) as client:
        pipeline = pipeline_of(client, journal)
        report = await pipeline.delete(PLACE, DRAFT.base, pipeline.with_idempotency_key(build_delete_request(PLACE)))
    assert (report.was_applied, report.is_gone, report.is_undoable) == (True, True, True)
    assert record.methods.count("DELETE") == 1
    assert [line[1] for line in await outcomes(journal)] == ["done"]


async def test_an_edit_that_was_carried_out_before_its_answer_was_lost_is_not_sent_again(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BREAK]
    record.reads = lambda record: record.fields.update(grade="A") if len(record.methods) > 1 else None
    async with connect(rules=QUICK) as client:
        report = await edit(client, journal)
    assert (report.was_applied, report.applied, report.is_undoable) == (True, 1, True)
    assert error_status(report.error, write=True) == 0
    assert record.methods.count("PATCH") == 1
    assert await outcomes(journal) == [("PATCH", "done", {"grade": "B"})]


@pytest.mark.parametrize("status", [409, 412])
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(
    ("grade", "result", "line"),
    [
        ("A", SendResult.UNKNOWN, "done"),
        ("B", SendResult.REFUSED, "refused"),
        ("", SendResult.UNKNOWN, "unknown"),
    ],
    ids=["ours", "others", "unread"],
)
async def test_a_refusal_after_an_attempt_that_may_have_arrived_is_settled_by_a_reading(
    record: OneRecord,
    connect: Connect,
    journal: Journal,
    status: int,
    typed: bool,
    grade: str,
    result: SendResult,
    line: str,
) -> None:
    record.troubles = [reply(503), reply(status)]

    def then(record: OneRecord) -> None:
        if record.methods.count("PATCH") > 1:
            if not grade:
                record.unread = [reply(403)]
            record.fields["grade"] = grade

    record.reads = then
    async with connect(rules=QUICK) as client:
        if typed:
            spec = RequestSpec("PATCH", PLACE.path, headers=(("If-Match", '"x"'),), body=b'{"grade":"A"}')
            report = await pipeline_of(client, journal).request(spec)
        else:
            report = await edit(client, journal)
    assert (report.result, report.was_applied) == (result, grade == "A")
    assert [entry[1] for entry in await outcomes(journal)] == [line]
    assert error_status(report.error, write=True) == {"A": 0, "B": 1, "": 3}[grade]


async def test_a_412_after_a_mere_hold_is_a_refusal(record: OneRecord, connect: Connect, journal: Journal) -> None:
    record.troubles = [BUSY, reply(412)]
    async with connect(rules=QUICK) as client:
        spec = RequestSpec("PATCH", PLACE.path, headers=(("If-Match", '"x"'),), body=b'{"grade":"A"}')
        report = await pipeline_of(client, journal).request(spec)
    assert report.result is SendResult.REFUSED
    assert error_status(report.error, write=True) == 1


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_an_etag_that_changed_alone_starts_the_write_over(
    record: OneRecord, connect: Connect, journal: Journal, method: str
) -> None:
    record.etags, record.troubles = True, [BUSY]
    record.reads = lambda record: record.fields.update(other="x") if len(record.methods) > 1 else None
    async with connect(rules=QUICK) as client:
        report = await (edit if method == "PATCH" else delete)(client, journal)
    assert report.result is SendResult.DONE
    first, second = (came for came in record.service.received if came.method == method)
    assert first.header("If-Match") != second.header("If-Match")
    assert first.header("Idempotency-Key") == second.header("Idempotency-Key")


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_a_write_that_starts_over_keeps_to_its_deadline(
    record: OneRecord, connect: Connect, journal: Journal, method: str
) -> None:
    count = 0

    def change(record: OneRecord) -> None:
        nonlocal count
        count += 1
        record.fields["note"] = f"{count}"

    record.troubles, record.reads = [BUSY] * 5, change
    async with connect(rules=RetryRules(first_wait=0.01, deadline=2.5)) as client:
        async with asyncio.timeout(20):
            report = await (edit if method == "PATCH" else delete)(client, journal)
    assert report.result is not SendResult.DONE
    assert record.methods.count(method) <= 3
    assert {line[1] for line in await outcomes(journal)} <= {"not sent", "refused"}


async def test_an_action_whose_answer_was_lost_is_sent_again_with_its_honoured_key(
    sandbox: RunningService, journal: Journal
) -> None:
    sandbox.faults.next("reset", method="POST")
    async with client_of(sandbox) as client:
        pipeline = pipeline_of(client, journal)
        spec = pipeline.with_idempotency_key(
            RequestSpec("POST", fill_path(SPLIT.path, {"id": LOT.id}), body=b'{"parts": 2}')
        )
        report = await pipeline.act(LOT, await client.record(LOTS, LOT.id), spec)
    assert (report.result, report.error) == (SendResult.DONE, None)
    posts = [attempt for attempt in sandbox.attempts if attempt.method == "POST"]
    assert len(posts) == 2
    assert len({attempt.idempotency_key for attempt in posts}) == 1
    assert [line[1] for line in await outcomes(journal)] == ["done"]


@pytest.mark.parametrize("typed", [True, False])
async def test_a_write_that_starts_over_keeps_to_its_three_attempts(
    record: OneRecord, connect: Connect, journal: Journal, typed: bool
) -> None:
    count = 0

    def change(record: OneRecord) -> None:
        nonlocal count
        count += 1
        record.fields["note"] = f"{count}"

    record.troubles, record.reads = [reply(500)] * 30, change
    async with connect(rules=QUICK) as client:
        if typed:
            spec = RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}')
            report = await pipeline_of(client, journal).request(spec)
        else:
            report = await edit(client, journal)
    assert report.result is SendResult.UNKNOWN
    assert record.methods.count("PATCH") == 3
    assert [line[1] for line in await outcomes(journal)] == ["refused", "refused", "unknown"]


async def test_a_typed_patch_is_not_sent_again_where_its_record_can_not_be_read_again(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BUSY]

    def change(record: OneRecord) -> None:
        record.fields["note"] = "theirs" if len(record.methods) > 1 else ""
        if record.methods.count("GET") > 2:
            record.unread = [reply(403)]

    record.reads = change
    async with connect(rules=QUICK) as client:
        # The record does not have the field yet, so that no old value of it can have changed.
        spec = RequestSpec("PATCH", PLACE.path, body=b'{"colour":"red"}')
        report = await pipeline_of(client, journal).request(spec)
    assert (report.result, report.changed_by_others) == (SendResult.NOT_SENT, ())
    assert record.methods == ["GET", "PATCH", "GET", "GET"]


async def test_a_typed_patch_that_names_no_fields_is_held_back_by_any_that_changed(
    record: OneRecord, connect: Connect, journal: Journal
) -> None:
    record.troubles = [BUSY]
    record.reads = lambda record: record.fields.update(note="theirs") if len(record.methods) > 1 else None
    body = b'[{"op":"replace","path":"/grade","value":"A"}]'
    async with connect(rules=QUICK) as client:
        report = await pipeline_of(client, journal).request(RequestSpec("PATCH", PLACE.path, body=body))
    assert (report.result, report.changed_by_others) == (SendResult.NOT_SENT, ("note",))
    assert record.methods.count("PATCH") == 1
