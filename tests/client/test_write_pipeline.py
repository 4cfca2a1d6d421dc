"""The road of an edit over a service that answers from a script: what `If-Match` carries, and what a 412 leads to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.field_forms import FormAction, FormTarget
from svc_tui.core.jsontext import Number, dumps, number
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused, SendResult
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome, WrittenRecord
from svc_tui.storage.key_fingerprints import KeyInUse
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.writes.approval_guard import Unguarded, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request
from tests.client.raw_service import BREAK, KEYS, CannedReply, Connect, RawService, ReceivedRequest, reply

PLACE = Place(COLLECTIONS[0], "lot-1")
BASE = Record({"id": "lot-1", "grade": "B", "massKg": Number("1.50")}, '"one"')
DRAFT = Draft(BASE, {"grade": "A"})


def told(etag: str = "", **fields: str) -> CannedReply:
    """An answer that holds the record with these fields in place of its own."""
    record = {**BASE.fields, **fields}
    return reply(200, dumps(record), *([("ETag", etag)] if etag else []))


def refused(status: int = 412) -> CannedReply:
    return reply(status, '{"error":{"code":"precondition_failed","message":"the record has changed"}}')


def patches(service: RawService) -> list[ReceivedRequest]:
    return [came for came in service.received if came.method == "PATCH"]


class ConflictChooser:
    """Somebody who is asked and sends their own values."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, freshness: Freshness) -> Draft | None:
        self.asked.append(freshness.conflicts)
        return freshness.draft


@pytest.fixture
def chooser() -> ConflictChooser:
    return ConflictChooser()


@asynccontextmanager
async def pipeline(
    connect: Connect, journal: Journal, **settings: str
) -> AsyncIterator[tuple[SignedClient, WritePipeline]]:
    async with connect(**settings) as client:
        yield client, WritePipeline(client, journal, WriteGate(lambda: None, Unguarded()), lambda: datetime.now(UTC))


async def walked(connect: Connect, journal: Journal, chooser: ConflictChooser, draft: Draft = DRAFT) -> WriteReport:
    """Confirm the draft's request and walk it to its end."""
    async with pipeline(connect, journal) as (_, way):
        return await way.update(PLACE, draft, way.with_idempotency_key(build_update_request(PLACE, draft)), chooser)


async def test_the_etag_read_just_before_is_what_if_match_carries(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"two"', massKg="9"), told('"three"', grade="A")]
    report = await walked(connect, journal, chooser)
    assert (report.result, report.changed_by_others) == (SendResult.DONE, ("massKg",))
    assert [patch.header("If-Match") for patch in patches(service)] == ['"two"']
    assert report.record is not None
    assert report.record.etag == '"three"'


@pytest.mark.parametrize("etag", ["", 'W/"two"', "two", '"Ł"'])
async def test_without_a_strong_etag_no_if_match_is_sent(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, etag: str
) -> None:
    service.script = [told(etag), told(grade="A")]
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.DONE
    assert [patch.header("If-Match") for patch in patches(service)] == [""]


async def test_what_is_confirmed_goes_out_with_its_own_key(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one"'), told('"two"', grade="A")]
    async with pipeline(connect, journal) as (client, way):
        shown = way.with_idempotency_key(build_update_request(PLACE, DRAFT))
        preview = client.preview(shown)
        await way.update(PLACE, DRAFT, shown, chooser)
    (patch,) = patches(service)
    names = ("if-match", "idempotency-key", "content-type")
    sent = [(name.lower(), value) for name, value in patch.headers if name.lower() in names]
    assert sent == [(name.lower(), value) for name, value in preview.headers if name.lower() in names]
    assert len(sent) == len(names)
    assert patch.body == preview.body


async def test_a_412_has_the_record_read_again_and_another_field_that_moved_is_no_question(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one"'), refused(), told('"two"', massKg="9"), told('"three"', grade="A", massKg="9")]
    report = await walked(connect, journal, chooser)
    assert (report.result, report.changed_by_others, chooser.asked) == (SendResult.DONE, ("massKg",), [])
    assert [patch.header("If-Match") for patch in patches(service)] == ['"one"', '"two"']
    assert len({patch.header("Idempotency-Key") for patch in patches(service)}) == 2
    outcomes = [entry.outcome for entry in await journal.entries()]
    assert [outcome and (outcome.result, outcome.code) for outcome in outcomes] == [
        ("done", ""),
        ("refused", "precondition_failed"),
    ]


async def test_a_412_for_the_field_being_changed_is_the_choice_again(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [
        told('"one"', grade="C"),
        refused(),
        told('"two"', grade="D"),
        told('"three"', grade="A"),
    ]
    report = await walked(connect, journal, chooser)
    assert (report.result, chooser.asked) == (SendResult.DONE, [("grade",), ("grade",)])
    newest, *_ = await journal.entries()
    assert newest.intent.before == {"grade": "D"}


async def test_a_service_that_does_not_know_its_own_etag_is_asked_without(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one-gzip"'), refused(), told('"one-gzip"'), told(grade="A")]
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.DONE
    assert [patch.header("If-Match") for patch in patches(service)] == ['"one-gzip"', ""]


async def test_a_record_that_never_holds_still_hands_the_change_back(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    def ever_another(came: ReceivedRequest) -> CannedReply:
        return refused() if came.method == "PATCH" else told(f'"{len(service.received)}"')

    service.rest = ever_another
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.REFUSED
    assert report.error is not None
    assert report.error.status == 412
    assert len(patches(service)) == 6


async def test_a_412_without_an_if_match_is_a_refusal(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told(), refused()]
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.REFUSED
    assert len(patches(service)) == 1


async def test_a_412_to_a_write_sent_again_is_looked_up(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one"'), BREAK, refused(), told('"two"', grade="A")]
    report = await walked(connect, journal, chooser)
    assert (report.result, report.was_applied, report.unapplied) == (SendResult.UNKNOWN, True, ())
    assert len({patch.header("Idempotency-Key") for patch in patches(service)}) == 1


async def test_a_field_that_the_answer_has_otherwise_is_named(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    draft = Draft(BASE, {"grade": "A", "massKg": number(7)})
    service.script = [told('"one"'), told('"two"', grade="A")]
    report = await walked(connect, journal, chooser, draft)
    assert (report.result, report.unapplied) == (SendResult.DONE, ("massKg",))


SPLIT_IT = RequestSpec("POST", f"{PLACE.path}/split", body=b'{"parts":2}')
ELSEWHERE = RequestSpec("POST", "/v1/operations/tunnels/tun-1/close", body=b"{}")


async def guarded(way: WritePipeline, method: str, shown: Record = BASE) -> WriteReport:
    """Walk a deletion, or an action on the record, as it was `shown`."""
    if method == "DELETE":
        return await way.delete(PLACE, shown, way.with_idempotency_key(build_delete_request(PLACE)))
    return await way.act(PLACE, shown, way.with_idempotency_key(SPLIT_IT))


def sent(service: RawService, method: str) -> list[str]:
    """What `If-Match` said in each request of the method."""
    return [came.header("If-Match") for came in service.received if came.method == method]


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_a_deletion_and_an_action_name_the_etag_of_the_record_that_was_looked_at(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    service.script = [told('"one"'), reply(200)]
    async with pipeline(connect, journal) as (_, way):
        # A row of a list: it came without an ETag, and with fewer fields.
        report = await guarded(way, method, Record({"id": "lot-1", "grade": "B"}))
    assert report.result is SendResult.DONE
    assert sent(service, method) == ['"one"']


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_a_412_to_them_is_told_as_the_change_that_it_is(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    service.script = [told('"one"'), refused(), told('"two"', grade="C")]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, method)
    assert (report.result, report.changed_by_others, report.is_gone) == (SendResult.NOT_SENT, ("grade",), False)
    assert report.reason == "Others have changed grade since. Check the record, then try again."
    assert report.record is not None
    assert report.record.fields["grade"] == "C"
    assert sent(service, method) == ['"one"']


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_they_go_on_where_nothing_that_was_shown_moved(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    service.script = [told('"one"'), refused(), told('"two"'), refused(), told('"two"'), reply(200)]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, method)
    assert report.result is SendResult.DONE
    assert sent(service, method) == ['"one"', '"two"', ""]
    keys = [came.header("Idempotency-Key") for came in service.received if came.method == method]
    assert len(set(keys)) == 3


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_a_record_that_never_holds_still_is_neither_deleted_nor_acted_on(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    def ever_another(came: ReceivedRequest) -> CannedReply:
        return refused() if came.method == method else told(f'"{len(service.received)}"')

    service.rest = ever_another
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, method)
    assert report.result is SendResult.REFUSED
    assert report.reason == "The record has changed. Check it, then try again."
    assert report.record == replace(BASE, etag=f'"{len(service.received)}"')
    assert len(sent(service, method)) == 6


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_a_412_to_them_without_an_if_match_is_a_refusal(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    service.script = [told(), refused()]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, method)
    assert (report.result, report.reason) == (SendResult.REFUSED, "")
    assert sent(service, method) == [""]


async def test_an_action_of_unknown_fate_is_not_done_twice_under_another_etag(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), BREAK, told('"one"'), told('"one"'), refused(), told('"two"')]
    async with pipeline(connect, journal) as (_, way):
        first = await guarded(way, "POST")
        assert first.result is SendResult.UNKNOWN
        report = await guarded(way, "POST")
    assert (report.result, report.reason) == (
        SendResult.REFUSED,
        "The record has changed. Check it, then try again.",
    )
    assert sent(service, "POST") == ['"one"', '"one"']


async def test_an_action_of_unknown_fate_that_changed_its_record_is_not_sent_again(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), BREAK, *[told('"two"', grade="split")] * 2]
    async with pipeline(connect, journal) as (_, way):
        await guarded(way, "POST")
        report = await guarded(way, "POST")
    assert report.result is SendResult.NOT_SENT
    assert report.reason.startswith("grade changed. It is not known whether the change was saved.")
    assert len(sent(service, "POST")) == 1


async def test_an_action_elsewhere_does_not_name_this_records_etag(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), reply(200), told('"one"')]
    async with pipeline(connect, journal) as (_, way):
        report = await way.act(PLACE, BASE, way.with_idempotency_key(ELSEWHERE))
    assert report.result is SendResult.DONE
    assert sent(service, "POST") == [""]


async def test_an_action_elsewhere_is_not_sent_where_others_have_changed_its_record(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"two"', grade="C")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.act(PLACE, BASE, way.with_idempotency_key(ELSEWHERE))
    assert (report.result, report.changed_by_others) == (SendResult.NOT_SENT, ("grade",))
    assert sent(service, "POST") == []


@pytest.mark.parametrize(
    ("answer", "status"), [(reply(204), 204), (told(grade="A"), 200), (reply(202, '{"id":"lot-1","grade":"A"}'), 202)]
)
async def test_the_journal_has_the_record_after_a_change_read_once_where_the_answer_does_not_hold_it(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, answer: CannedReply, status: int
) -> None:
    whole = status == 200
    service.script = [told('"one"'), answer, *([] if whole else [told('"two"', grade="A")])]
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.DONE
    assert [came.method for came in service.received] == ["GET", "PATCH", *([] if whole else ["GET"])]
    left = await journal.record_after(report.entry_number)
    assert left == WrittenRecord(Record({**BASE.fields, "grade": "A"}, "" if whole else '"two"'))
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert (entry.outcome.result, entry.outcome.status) == ("done", status)


async def test_the_journal_has_the_record_after_a_creation_and_the_one_that_a_lost_answer_left(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    made = {"id": "lot-9", "name": "New", "createdAt": "2026-01-01T00:00:00Z"}
    spec = build_create_request(COLLECTIONS[0], {"name": "New"})
    async with pipeline(connect, journal) as (_, way):
        service.script = [reply(201, dumps(made), ("ETag", '"one"'))]
        report = await way.create(COLLECTIONS[0], way.with_idempotency_key(spec))
        assert await journal.record_after(report.entry_number) == WrittenRecord(Record(made, '"one"'))
        assert [came.method for came in service.received] == ["POST"]
        service.script = [reply(201, '{"id":"lot-9"}'), reply(200, dumps(made), ("ETag", '"one"'))]
        report = await way.create(COLLECTIONS[0], way.with_idempotency_key(spec))
        assert report.record == Record(made, '"one"')
        assert await journal.record_after(report.entry_number) == WrittenRecord(Record(made, '"one"'))
    service.script = [told('"one"'), BREAK, told('"two"', grade="A", massKg="9"), told('"two"', grade="A", massKg="9")]
    report = await walked(connect, journal, chooser)
    assert report.was_applied
    left = await journal.record_after(report.entry_number)
    assert left is not None
    assert left.record.fields["massKg"] == "9"


async def test_a_secret_in_the_record_is_not_journalled(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    secret = KEYS.signing_secret or ""
    assert secret
    service.script = [told(), told(grade="A", note=secret)]
    report = await walked(connect, journal, chooser)
    left = await journal.record_after(report.entry_number)
    assert left is not None
    assert secret not in dumps(left.record.fields)


@pytest.mark.parametrize("status", [200, 422])
async def test_a_request_id_that_repeats_a_secret_is_journalled_without_it(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, status: int
) -> None:
    secret = KEYS.signing_secret or ""
    assert secret
    service.script = [told('"one"'), reply(status, dumps(BASE.fields), ("x-request-id", f"req-{secret}"))]
    await walked(connect, journal, chooser)
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.request_id == "req-…"


@pytest.mark.parametrize("etag", [None, "", '"two"'])
async def test_a_record_that_is_read_too_late_is_no_state_that_the_write_left(
    service: RawService, connect: Connect, journal: Journal, etag: str | None
) -> None:
    # The reading after the write is held back for longer than a second, in which a colleague may write.
    late = told(etag or "", grade="theirs")
    late = replace(late, pieces=(b"", *late.pieces), pause=1.2)
    service.script = [told('"one"'), reply(204, "", *([] if etag is None else [("ETag", etag)])), late]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
    assert report.result is SendResult.DONE
    left = await journal.record_after(report.entry_number)
    assert (left is not None) == bool(etag)


async def test_a_done_write_does_not_wait_for_a_reading_that_is_held_back(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), reply(204, ""), reply(429, "{}", ("Retry-After", "30")), told(grade="theirs")]
    async with pipeline(connect, journal) as (_, way), asyncio.timeout(10):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
    assert (report.result, report.record) == (SendResult.DONE, None)
    assert await journal.record_after(report.entry_number) is None
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == "done"


async def test_an_answer_that_holds_no_more_than_what_was_sent_is_not_taken_for_the_whole_record(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    partial = {"id": "lot-1", "grade": "A"}
    whole = {**BASE.fields, "grade": "A"}
    async with pipeline(connect, journal) as (_, way):
        service.script = [told('"one"'), reply(200, dumps(partial)), told('"two"', grade="A")]
        patched = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
        service.script = [reply(201, dumps(partial)), told(grade="A")]
        created = await way.create(
            COLLECTIONS[0], way.with_idempotency_key(build_create_request(COLLECTIONS[0], {"grade": "A"}))
        )
        service.script = [told('"one"'), reply(200, dumps(partial)), reply(403)]
        unread = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
    assert await journal.record_after(patched.entry_number) == WrittenRecord(Record(whole, '"two"'))
    assert await journal.record_after(created.entry_number) == WrittenRecord(Record(whole))
    assert await journal.record_after(unread.entry_number) is None


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (told(), "the record is unchanged."),
        (told('"two"'), "the record changed."),
        (told(parts="2"), "parts changed."),
        (reply(200, '{"id":"lot-1","grade":"B"}'), "massKg changed."),
    ],
    ids=["same", "etag", "added", "removed"],
)
async def test_a_record_is_as_it_was_only_where_nothing_differs_from_the_reading_before_the_action(
    service: RawService, connect: Connect, journal: Journal, now: CannedReply, words: str
) -> None:
    tagged = b"ETag" in now.pieces[0]
    service.script = [told('"one"' if tagged else ""), BREAK, now]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, "POST", Record({"id": "lot-1", "grade": "B"}))
    assert (report.result, report.reason) == (SendResult.UNKNOWN, f"Checked again: {words}")


async def test_a_record_that_held_an_action_back_is_not_said_to_be_as_it_was(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told(), reply(503, "{}", ("Retry-After", "1")), told(grade="C"), told()]
    async with pipeline(connect, journal, idempotency="honoured") as (_, way):
        report = await guarded(way, "POST")
    assert (report.result, report.reason) == (SendResult.UNKNOWN, "Checked again: the record changed.")


class FailingJournal:
    """A journal that fails at some of its conclusions, counted from 0."""

    def __init__(self, journal: Journal, fails: set[int]) -> None:
        self._journal, self._fails, self._count = journal, fails, 0
        self.origins: list[Place | FormTarget | None] = []

    async def intend(self, intent: Intent, origin: Place | FormTarget | None = None) -> int:
        self.origins.append(origin)
        return await self._journal.intend(intent, origin)

    async def conclude(self, number: int, outcome: Outcome, record: Record | None = None) -> None:
        self._count += 1
        if self._count - 1 in self._fails:
            raise StoreError("the disk is full")
        await self._journal.conclude(number, outcome, record)

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        return await self._journal.entries(limit, place=place)


@pytest.mark.parametrize(("fails", "problem"), [({0}, ""), ({1}, ""), ({0, 1}, "the disk is full")])
async def test_an_outcome_is_missing_in_the_journal_only_where_neither_conclusion_is_written(
    service: RawService, connect: Connect, journal: Journal, fails: set[int], problem: str
) -> None:
    service.script = [told('"one"'), reply(204, ""), told('"two"', grade="A")]
    failing: Journal = FailingJournal(journal, fails)  # type: ignore[assignment]
    async with pipeline(connect, failing) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
    assert (report.result, report.journal_problem) == (SendResult.DONE, problem)
    (entry,) = await journal.entries()
    assert (entry.outcome is None) == bool(problem)


class Decliner(ConflictChooser):
    """Somebody who sends their own values the first time, and then none."""

    async def __call__(self, freshness: Freshness) -> Draft | None:
        answer = await super().__call__(freshness)
        return answer if len(self.asked) == 1 else None


@pytest.mark.parametrize("lost", [False, True])
async def test_a_choice_not_made_after_a_refusal_leaves_the_write_refused(
    service: RawService, connect: Connect, journal: Journal, lost: bool
) -> None:
    # After a lost answer the record is read before the second attempt and after its 412.
    before_refusal = [BREAK, told('"one"', grade="C")] if lost else []
    after_refusal = [told('"two"', grade="D", massKg="9")] * (2 if lost else 1)
    service.script = [told('"one"', grade="C"), *before_refusal, refused(), *after_refusal]
    report = await walked(connect, journal, Decliner())
    assert report.result is SendResult.REFUSED
    assert report.record is not None
    assert report.record.fields["grade"] == "D"
    assert report.changed_by_others == ("massKg",)
    assert [entry.outcome and entry.outcome.result for entry in await journal.entries()] == ["refused"]


async def test_a_record_that_has_a_field_twice_is_not_edited(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [reply(200, '{"id":"lot-1","grade":"B","grade":"C"}')]
    report = await walked(connect, journal, chooser)
    assert (report.result, report.reason) == (
        SendResult.NOT_SENT,
        "The record has the field grade more than once.",
    )
    assert report.record is not None
    assert report.record.repeated == ("grade",)
    assert not patches(service)


@pytest.mark.parametrize("method", ["PATCH", "DELETE", "POST"])
async def test_a_write_whose_record_can_not_be_read_before_is_not_sent(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, method: str
) -> None:
    service.script = [reply(403, "{}")]
    async with pipeline(connect, journal) as (_, way):
        if method == "PATCH":
            report = await way.update(
                PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), chooser
            )
        else:
            report = await guarded(way, method)
    words = "Could not reload the record before sending."
    assert (report.result, report.reason, report.is_gone) == (SendResult.NOT_SENT, words, False)
    assert report.error is not None
    assert [came.method for came in service.received] == ["GET"]
    assert not await journal.entries()


async def test_a_field_that_moved_twice_is_named_once(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    last = [told('"three"', massKg="11", name="x"), told('"four"', grade="A", massKg="11", name="x")]
    service.script = [told('"one"', massKg="9"), refused(), told('"two"', massKg="10"), refused(), *last]
    report = await walked(connect, journal, chooser)
    assert (report.result, report.changed_by_others) == (SendResult.DONE, ("massKg",))


async def test_a_choice_not_made_at_first_sends_nothing_and_gives_the_record_as_it_is(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    async def decline(freshness: Freshness) -> None:
        assert freshness.conflicts == ("grade",)

    service.script = [told('"two"', grade="C")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.update(PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), decline)
    theirs = Record({**BASE.fields, "grade": "C"}, '"two"')
    assert report == WriteReport(SendResult.NOT_SENT, "Nothing was sent.", record=theirs)
    assert not patches(service)


async def test_an_edit_that_the_record_has_already_is_not_sent(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"two"', grade="A")]
    report = await walked(connect, journal, chooser)
    already = Record({**BASE.fields, "grade": "A"}, '"two"')
    words = "The record already has these values. Nothing was sent."
    assert report == WriteReport(SendResult.DONE, words, record=already)
    assert not patches(service)
    assert not await journal.entries()


WEB_PAGE = reply(200, "<html>Please log in</html>", ("Content-Type", "text/html"))
"""An answer that leaves the outcome of a write unknown."""


@pytest.mark.parametrize(
    ("look", "untaken", "is_settled", "words"),
    [
        (told('"two"', grade="A"), (), True, ""),
        (told('"two"', grade="C"), ("grade",), False, ""),
        (reply(200, '{"id":"lot-1"}'), ("grade",), False, ""),
        (reply(403, "{}"), (), False, "Could not reload the record."),
    ],
    ids=["saved", "another value", "no value", "not read"],
)
@pytest.mark.parametrize("typed", [False, True])
async def test_a_change_of_unknown_outcome_is_settled_by_a_reading_that_has_its_values(
    service: RawService,
    connect: Connect,
    journal: Journal,
    chooser: ConflictChooser,
    typed: bool,
    look: CannedReply,
    untaken: tuple[str, ...],
    is_settled: bool,
    words: str,
) -> None:
    spec = RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}') if typed else build_update_request(PLACE, DRAFT)
    service.script = [told('"one"'), WEB_PAGE, look]
    async with pipeline(connect, journal) as (_, way):
        if typed:
            report = await way.request(spec)
        else:
            report = await way.update(PLACE, DRAFT, way.with_idempotency_key(spec), chooser)
        is_same_key = way.with_idempotency_key(spec).idempotency_key == patches(service)[0].header("Idempotency-Key")
    assert (report.result, report.reason, report.was_applied) == (SendResult.UNKNOWN, words, is_settled)
    assert (report.unapplied, report.applied) == (untaken, int(is_settled))
    assert report.error is not None
    assert (report.error.sent is SendResult.DONE) == is_settled
    # Sent again while nobody knows, it must not be done twice.
    assert is_same_key == (not is_settled)
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    if is_settled:
        assert entry.outcome.message == "No usable response; checked again: the record has the change."
        assert await journal.record_after(report.entry_number) == WrittenRecord(
            Record({**BASE.fields, "grade": "A"}, '"two"')
        )
    assert entry.outcome.result == ("done" if is_settled else "unknown")


@pytest.mark.parametrize(
    ("draft", "grade"), [(DRAFT, "C"), (Draft(BASE, {"grade": "A", "note": "x"}), "A")], ids=["another", "in part"]
)
async def test_a_refusal_that_a_reading_confirms_is_journalled_with_what_the_service_answered(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, draft: Draft, grade: str
) -> None:
    refusal = reply(409, '{"error":{"code":"conflict","message":"somebody was first"}}', ("x-request-id", "req-2"))
    service.script = [told(), BREAK, told(), refusal, told(grade=grade)]
    async with pipeline(connect, journal) as (_, way):
        shown = way.with_idempotency_key(build_update_request(PLACE, draft))
        report = await way.update(PLACE, draft, shown, chooser)
        is_same_key = (
            way.with_idempotency_key(build_update_request(PLACE, draft)).idempotency_key == shown.idempotency_key
        )
    assert (report.result, report.applied, report.unapplied) == (SendResult.REFUSED, 0, ())
    assert report.error is not None
    assert report.error.sent is SendResult.REFUSED
    assert not is_same_key
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    outcome = entry.outcome
    assert (outcome.result, outcome.status, outcome.request_id, outcome.code) == ("refused", 409, "req-2", "conflict")
    assert outcome.message == f"{report.error}; checked again: not saved"


@pytest.mark.parametrize(
    ("look", "is_gone", "words"),
    [
        (reply(404, '{"error":{"code":"not_found"}}'), True, "Checked again: the record is deleted."),
        (told('"one"'), False, "Checked again: the record still exists."),
        (reply(403, "{}"), False, ""),
    ],
    ids=["deleted", "there", "not read"],
)
@pytest.mark.parametrize("typed", [False, True])
async def test_a_deletion_of_unknown_outcome_is_settled_by_a_reading_that_finds_nothing(
    service: RawService, connect: Connect, journal: Journal, typed: bool, look: CannedReply, is_gone: bool, words: str
) -> None:
    spec = build_delete_request(PLACE)
    service.script = [told('"one"'), WEB_PAGE, look]
    async with pipeline(connect, journal) as (_, way):
        report = await (way.request(spec) if typed else way.delete(PLACE, BASE, way.with_idempotency_key(spec)))
        (sent,) = [came for came in service.received if came.method == "DELETE"]
        is_same_key = way.with_idempotency_key(spec).idempotency_key == sent.header("Idempotency-Key")
    assert (report.result, report.reason, report.is_gone) == (SendResult.UNKNOWN, words, is_gone)
    assert (report.record, report.was_applied, is_same_key) == (None, is_gone, not is_gone)
    assert report.error is not None
    assert (report.error.sent is SendResult.DONE) == is_gone
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == ("done" if is_gone else "unknown")


@pytest.mark.parametrize("typed", [False, True])
async def test_a_deletion_that_met_another_record_and_left_it_there_is_refused(
    service: RawService, connect: Connect, journal: Journal, typed: bool
) -> None:
    service.script = [told(), BREAK, told(), reply(409, '{"error":{"code":"conflict"}}'), told()]
    async with pipeline(connect, journal) as (_, way):
        spec = build_delete_request(PLACE)
        report = await (way.request(spec) if typed else way.delete(PLACE, BASE, way.with_idempotency_key(spec)))
    assert (report.result, report.reason) == (SendResult.REFUSED, "Checked again: the record still exists.")
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert (entry.outcome.result, entry.outcome.code) == ("refused", "conflict")


async def test_a_deletion_found_done_whose_outcome_can_not_be_journalled_says_so(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), WEB_PAGE, reply(404, '{"error":{"code":"not_found"}}')]
    failing: Journal = FailingJournal(journal, {1})  # type: ignore[assignment]
    async with pipeline(connect, failing) as (_, way):
        report = await guarded(way, "DELETE")
    assert (report.is_gone, report.journal_problem) == (True, "the disk is full")
    assert [entry.outcome and entry.outcome.result for entry in await journal.entries()] == ["unknown"]


async def test_a_deletion_whose_outcome_is_not_in_the_journal_says_so_where_a_later_write_hides_it(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    async def write_again() -> None:
        now = datetime.now(UTC)
        number_of = await journal.intend(
            Intent(now, "PATCH", PLACE.path, PLACE.key, "k", {"grade": "B"}, {"grade": "C"})
        )
        await journal.conclude(number_of, Outcome(now, "done"))

    gone = replace(reply(404, '{"error":{"code":"not_found"}}'), before=write_again)
    service.script = [told('"one"'), WEB_PAGE, gone]
    failing: Journal = FailingJournal(journal, {0})  # type: ignore[assignment]
    async with pipeline(connect, failing) as (_, way):
        report = await guarded(way, "DELETE")
    assert (report.is_gone, report.journal_problem) == (True, "the disk is full")
    assert [entry.outcome and entry.outcome.result for entry in await journal.entries()] == ["done", None]


@pytest.mark.parametrize(
    ("shown", "look", "words"),
    [
        (BASE, told('"one"'), "Checked again: the record is unchanged."),
        (BASE, told('"two"'), "Checked again: the record changed."),
        (BASE, told('"two"', grade="C"), "Checked again: grade changed."),
        (BASE, reply(403, "{}"), ""),
        (Record({"id": "lot-1", "grade": "B"}), told('"two"'), "Checked again: the record changed."),
    ],
    ids=["same", "etag", "field", "not read", "row of a list"],
)
async def test_an_action_elsewhere_of_unknown_outcome_is_told_by_the_record_that_was_shown(
    service: RawService, connect: Connect, journal: Journal, shown: Record, look: CannedReply, words: str
) -> None:
    service.script = [told('"one"'), WEB_PAGE, look]
    async with pipeline(connect, journal) as (_, way):
        report = await way.act(PLACE, shown, way.with_idempotency_key(ELSEWHERE))
    assert (report.result, report.reason) == (SendResult.UNKNOWN, words)
    assert (report.record is None) == (not words)


async def test_the_journal_has_the_fields_of_an_action_elsewhere(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), reply(200), told('"one"')]
    async with pipeline(connect, journal) as (_, way):
        await way.act(PLACE, BASE, way.with_idempotency_key(replace(ELSEWHERE, body=b'{"reason":"flood"}')))
    (entry,) = await journal.entries()
    assert (entry.intent.after, entry.intent.body_bytes) == ({"reason": "flood"}, None)


async def test_an_action_of_unknown_outcome_whose_record_can_not_be_read_has_no_record(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), WEB_PAGE, reply(403, "{}")]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, "POST")
    assert (report.result, report.reason, report.record) == (SendResult.UNKNOWN, "", None)


@pytest.mark.parametrize("path", ["act", "act elsewhere"])
async def test_a_refused_action_is_not_followed_by_a_reading(
    service: RawService, connect: Connect, journal: Journal, path: str
) -> None:
    service.script = [told('"one"'), reply(422, '{"error":{"code":"invalid","message":"no"}}')]
    async with pipeline(connect, journal) as (_, way):
        report = await way.act(PLACE, BASE, way.with_idempotency_key(SPLIT_IT if path == "act" else ELSEWHERE))
    assert (report.result, report.record) == (SendResult.REFUSED, None)
    assert len(service.received) == 2


@pytest.mark.parametrize("step", ["act", "request"])
async def test_a_path_that_can_not_be_sent_is_told_with_its_error(
    service: RawService, connect: Connect, journal: Journal, step: str
) -> None:
    spec = RequestSpec("POST", "/v1/auth/keys", body=b"{}")
    service.script = [told('"one"')]
    async with pipeline(connect, journal) as (_, way):
        report = await (way.act(PLACE, BASE, spec) if step == "act" else way.request(spec))
    assert report.result is SendResult.NOT_SENT
    assert isinstance(report.error, RequestRefused)
    assert not sent(service, "POST")
    assert not await journal.entries()


@pytest.mark.parametrize("batch", ["", "run-1"])
async def test_the_draft_or_form_that_is_sent_is_named_to_the_journal_and_a_plans_row_sends_none(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser, batch: str
) -> None:
    form = FormTarget(FormAction.NEW, COLLECTIONS[0])
    service.script = [
        told(),
        told(grade="A"),
        reply(201, '{"id":"lot-9","a":"b"}', ("ETag", '"1"')),
        *[told(), reply(200), told()] * 2,
    ]
    named = FailingJournal(journal, set())
    async with connect() as client:
        gate = WriteGate(lambda: None, Unguarded())
        way = WritePipeline(client, named, gate, lambda: datetime.now(UTC), batch)  # type: ignore[arg-type]
        await way.update(PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), chooser)
        await way.create(
            COLLECTIONS[0], way.with_idempotency_key(build_create_request(COLLECTIONS[0], {"a": "b"})), origin=form
        )
        await way.act(PLACE, BASE, way.with_idempotency_key(SPLIT_IT), origin=form)
        await way.act(PLACE, BASE, way.with_idempotency_key(ELSEWHERE), origin=form)
    assert named.origins == [None if batch else PLACE, form, form, form]


async def test_a_field_that_the_record_does_not_have_yet_has_no_old_value_in_the_journal(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one"'), told('"two"', note="x")]
    report = await walked(connect, journal, chooser, Draft(BASE, {"note": "x"}))
    assert report.result is SendResult.DONE
    (entry,) = await journal.entries()
    assert (entry.intent.before, entry.intent.after) == ({}, {"note": "x"})


async def test_a_choice_of_other_values_is_sent_under_a_key_of_its_own(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    async def choose(freshness: Freshness) -> Draft:
        return freshness.draft.with_value("grade", "Z")

    service.script = [told('"one"', grade="C"), told('"two"', grade="Z")]
    async with pipeline(connect, journal) as (_, way):
        shown = way.with_idempotency_key(build_update_request(PLACE, DRAFT))
        report = await way.update(PLACE, DRAFT, shown, choose)
    assert report.result is SendResult.DONE
    (patch,) = patches(service)
    assert patch.body == b'{"grade":"Z"}'
    assert patch.header("Idempotency-Key") not in ("", shown.idempotency_key)


async def test_a_choice_once_made_holds_for_the_next_attempt(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    asked: list[tuple[str, ...]] = []

    async def choose(freshness: Freshness) -> Draft:
        asked.append(freshness.conflicts)
        return freshness.draft.with_value("grade", "Z")

    service.script = [told('"one"', grade="C"), refused(), told('"two"', grade="C"), told('"three"', grade="Z")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.update(PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), choose)
    assert (report.result, asked) == (SendResult.DONE, [("grade",)])
    assert [patch.body for patch in patches(service)] == [b'{"grade":"Z"}'] * 2


async def test_a_creation_whose_answer_names_no_record_is_not_followed_by_a_reading(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [reply(201, "{}")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.create(
            COLLECTIONS[0], way.with_idempotency_key(build_create_request(COLLECTIONS[0], {"name": "New"}))
        )
    assert (report.result, report.record) == (SendResult.DONE, None)
    assert [came.method for came in service.received] == ["POST"]
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert (entry.outcome.made, entry.outcome.place) == ("", "")


async def test_a_creation_whose_record_can_not_be_read_has_what_its_answer_tells(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [reply(201, '{"id":"lot-9"}'), reply(403, "{}")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.create(
            COLLECTIONS[0], way.with_idempotency_key(build_create_request(COLLECTIONS[0], {"name": "New"}))
        )
    assert (report.result, report.record) == (SendResult.DONE, Record({"id": "lot-9"}))
    assert await journal.record_after(report.entry_number) is None


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (reply(422, '{"id":"lot-9","error":{"code":"invalid"}}'), SendResult.REFUSED),
        (
            reply(200, "<html>", ("Content-Type", "text/html"), ("Location", f"{COLLECTIONS[0].path}/lot-9")),
            SendResult.UNKNOWN,
        ),
    ],
    ids=["refused", "unknown"],
)
async def test_a_creation_that_is_not_known_to_be_done_has_made_nothing_that_an_undo_would_delete(
    service: RawService, connect: Connect, journal: Journal, answer: CannedReply, result: SendResult
) -> None:
    service.script = [answer]
    async with pipeline(connect, journal) as (_, way):
        report = await way.create(
            COLLECTIONS[0], way.with_idempotency_key(build_create_request(COLLECTIONS[0], {"name": "New"}))
        )
    assert (report.result, report.record) == (result, None)
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert (entry.outcome.made, entry.outcome.place) == ("", "")


async def test_an_earlier_deletion_found_done_that_can_not_be_journalled_is_told(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    now = datetime.now(UTC)
    number_of = await journal.intend(Intent(now, "DELETE", PLACE.path, PLACE.key, "k", BASE.fields))
    await journal.conclude(number_of, Outcome(now, "unknown"))
    service.script = [reply(404, '{"error":{"code":"not_found"}}')]
    failing: Journal = FailingJournal(journal, {0})  # type: ignore[assignment]
    async with pipeline(connect, failing) as (_, way):
        report = await guarded(way, "DELETE")
    assert (report.result, report.is_gone, report.journal_problem) == (SendResult.NOT_SENT, True, "the disk is full")


@pytest.mark.parametrize("record_id", ["lot-1", "lot-2"])
async def test_a_reading_tells_of_earlier_writes_to_its_own_record_alone(
    service: RawService, connect: Connect, journal: Journal, record_id: str
) -> None:
    now, place = datetime.now(UTC), Place(COLLECTIONS[0], record_id)
    number_of = await journal.intend(Intent(now, "PATCH", place.path, place.key, "k", {"grade": "C"}, {"grade": "B"}))
    await journal.conclude(number_of, Outcome(now, "unknown"))
    service.script = [told('"one"')]
    async with pipeline(connect, journal) as (_, way):
        assert await way.read_again(PLACE) == BASE
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == ("done" if place == PLACE else "unknown")


@pytest.mark.parametrize("other", [False, True])
async def test_a_reading_tells_nothing_of_a_write_that_was_sent_with_another_key(
    service: RawService, connect: Connect, tmp_path: Path, other: bool
) -> None:
    # Another key may be another tenant's, whose record of this id is another one.
    keys = [KEYS.api_key]
    async with Store.open(tmp_path / "svc-tui.db") as store:
        scope = StorageScope("tests", Environment.SANDBOX, "https://tests")
        journal = store.journal(scope, "", KeyInUse(store.fingerprints, lambda: keys[-1]))
        now = datetime.now(UTC)
        intent = Intent(now, "PATCH", PLACE.path, PLACE.key, "k", {"grade": "C"}, {"grade": "B"})
        await journal.conclude(await journal.intend(intent), Outcome(now, "unknown"))
        if other:
            keys.append("svc_test_fedcba9876543210")
        service.script = [told('"one"')]
        async with pipeline(connect, journal) as (_, way):
            assert await way.read_again(PLACE) == BASE
        (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == ("unknown" if other else "done")


async def test_a_typed_request_before_which_nothing_may_be_read_is_not_followed_by_a_reading(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [reply(204), told('"two"', grade="A")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'), read_before=False)
    assert (report.result, report.record, report.read_failed) == (SendResult.DONE, None, False)
    assert [came.method for came in service.received] == ["PATCH"]
    assert await journal.record_after(report.entry_number) is None


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (told(grade="A"), "The record has the sent values. It is not known whether it had them before."),
        (told(grade="C"), ""),
        (reply(403, "{}"), ""),
    ],
    ids=["sent values", "other values", "not read"],
)
async def test_a_typed_request_before_which_nothing_was_read_is_not_settled_by_a_reading(
    service: RawService, connect: Connect, journal: Journal, look: CannedReply, words: str
) -> None:
    service.script = [WEB_PAGE, look]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'), read_before=False)
    assert (report.result, report.reason, report.was_applied) == (SendResult.UNKNOWN, words, False)
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == "unknown"


@pytest.mark.parametrize(
    ("look", "result"),
    [(told(grade="C"), SendResult.REFUSED), (reply(403, "{}"), SendResult.UNKNOWN)],
    ids=["other values", "not read"],
)
async def test_a_typed_request_that_met_another_record_is_refused_only_where_a_reading_shows_it(
    service: RawService, connect: Connect, journal: Journal, look: CannedReply, result: SendResult
) -> None:
    service.script = [BREAK, reply(409, '{"error":{"code":"conflict"}}'), look]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'), read_before=False)
    assert report.result is result
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == result.value


async def test_a_whole_record_that_was_put_need_not_have_every_field_of_before(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    put = reply(200, '{"id":"lot-1","grade":"A"}', ("ETag", '"two"'))
    service.script = [told('"one"'), put, told('"three"')]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PUT", PLACE.path, body=b'{"id":"lot-1","grade":"A"}'))
    assert report.result is SendResult.DONE
    assert [came.method for came in service.received] == ["GET", "PUT"]
    assert await journal.record_after(report.entry_number) == WrittenRecord(
        Record({"id": "lot-1", "grade": "A"}, '"two"')
    )


@pytest.mark.parametrize(
    ("method", "path", "result"),
    [
        ("PATCH", PLACE.path, SendResult.UNKNOWN),
        ("POST", COLLECTIONS[0].path, SendResult.UNKNOWN),
        ("POST", SPLIT_IT.path, SendResult.DONE),
        ("PUT", "/v1/reports/daily", SendResult.DONE),
    ],
    ids=["change", "creation", "action", "no record"],
)
async def test_only_an_answer_about_records_has_to_be_json(
    service: RawService, connect: Connect, journal: Journal, method: str, path: str, result: SendResult
) -> None:
    service.script = [reply(200, "done", ("Content-Type", "text/plain"))]
    service.rest = reply(403)
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec(method, path, body=b'{"grade":"A"}'), read_before=False)
    assert report.result is result
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert entry.outcome.result == result.value


class FullJournal(FailingJournal):
    """A journal that takes no write."""

    async def intend(self, intent: Intent, origin: Place | FormTarget | None = None) -> int:
        raise StoreError("the disk is full")


@pytest.mark.parametrize("method", ["DELETE", "POST"])
async def test_a_write_that_can_not_be_journalled_is_not_sent(
    service: RawService, connect: Connect, journal: Journal, method: str
) -> None:
    service.rest = told('"one"')
    full: Journal = FullJournal(journal, set())  # type: ignore[assignment]
    async with pipeline(connect, full) as (_, way):
        report = await guarded(way, method)
    words = "Not sent, because the journal could not be written: the disk is full"
    assert (report.result, report.reason) == (SendResult.NOT_SENT, words)
    assert {came.method for came in service.received} == {"GET"}


async def test_the_journal_has_the_record_after_a_change_that_names_no_fields(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), told('"two"', grade="A")]
    body = b'[{"op":"replace","path":"/grade","value":"A"}]'
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=body))
    assert report.result is SendResult.DONE
    assert [came.method for came in service.received] == ["GET", "PATCH"]
    after = Record({**BASE.fields, "grade": "A"}, '"two"')
    assert await journal.record_after(report.entry_number) == WrittenRecord(after)


async def test_a_change_whose_answer_broke_off_is_done_and_its_record_is_read(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [told('"one"'), reply(200, "{", length=9), told('"two"', grade="A")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("PATCH", PLACE.path, body=b'{"grade":"A"}'))
    after = Record({**BASE.fields, "grade": "A"}, '"two"')
    assert (report.result, report.exchange, report.record) == (SendResult.DONE, None, after)
    assert [came.method for came in service.received] == ["GET", "PATCH", "GET"]
    assert await journal.record_after(report.entry_number) == WrittenRecord(after)


async def test_an_action_may_be_answered_with_any_text(service: RawService, connect: Connect, journal: Journal) -> None:
    service.script = [told('"one"'), reply(200, "done", ("Content-Type", "text/plain")), told('"two"')]
    async with pipeline(connect, journal) as (_, way):
        report = await guarded(way, "POST")
    assert (report.result, report.error) == (SendResult.DONE, None)


async def test_the_answer_to_a_key_that_was_used_before_is_compared_with_a_fresh_reading(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    kept_answer = told('"two"', grade="A")
    service.script = [told('"one"'), WEB_PAGE, told('"one"'), told('"one"'), kept_answer, told('"three"', grade="C")]
    async with pipeline(connect, journal) as (_, way):
        for expected in (SendResult.UNKNOWN, SendResult.DONE):
            report = await way.update(
                PLACE, DRAFT, way.with_idempotency_key(build_update_request(PLACE, DRAFT)), chooser
            )
            assert report.result is expected
    assert len({patch.header("Idempotency-Key") for patch in patches(service)}) == 1
    assert report.record is not None
    assert (report.record.fields["grade"], report.unapplied) == ("C", ("grade",))


async def test_an_answer_without_a_field_that_was_sent_is_not_taken_for_the_whole_record(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    service.script = [told('"one"'), told('"two"'), told('"three"', note="x")]
    report = await walked(connect, journal, chooser, Draft(BASE, {"note": "x"}))
    assert (report.result, report.unapplied) == (SendResult.DONE, ())
    assert [came.method for came in service.received] == ["GET", "PATCH", "GET"]


async def test_a_typed_creation_of_unknown_outcome_is_looked_for_in_the_list(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [WEB_PAGE, reply(403, "{}")]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("POST", COLLECTIONS[0].path, body=b'{"name":"New"}'))
    assert report.result is SendResult.UNKNOWN
    assert report.reason == "Could not load the list to search for the new record."
    assert [(came.method, came.target.partition("?")[0]) for came in service.received] == [
        ("POST", COLLECTIONS[0].path),
        ("GET", COLLECTIONS[0].path),
    ]


async def test_a_refusal_is_journalled_and_shown_with_its_answer(
    service: RawService, connect: Connect, journal: Journal, chooser: ConflictChooser
) -> None:
    no = reply(422, '{"error":{"code":"invalid","message":"no such grade"}}', ("x-request-id", "req-7"))
    service.script = [told('"one"'), no]
    report = await walked(connect, journal, chooser)
    assert report.result is SendResult.REFUSED
    assert report.exchange is not None
    assert report.exchange.answer.status == 422
    (entry,) = await journal.entries()
    assert entry.outcome is not None
    assert (entry.outcome.status, entry.outcome.code, entry.outcome.request_id) == (422, "invalid", "req-7")
    assert entry.intent.row == 0, "it is no row of a run"


async def test_the_journal_has_the_record_after_a_typed_creation(
    service: RawService, connect: Connect, journal: Journal
) -> None:
    service.script = [reply(201, '{"id":"lot-9","name":"New"}', ("ETag", '"one"'))]
    async with pipeline(connect, journal) as (_, way):
        report = await way.request(RequestSpec("POST", COLLECTIONS[0].path, body=b'{"name":"New"}'))
    assert report.result is SendResult.DONE
    made = WrittenRecord(Record({"id": "lot-9", "name": "New"}, '"one"'))
    assert await journal.record_after(report.entry_number) == made
