"""The write pipeline over the real client, store and service: what each step journals, and that the lock is asked."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS, SPLIT
from svc_tui.core.credentials import KeyPair
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import number
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import SendResult
from svc_tui.service.routes import fill_path
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, entry_result
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.ui.report import write_report
from svc_tui.writes.approval_guard import Unguarded, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.undo import NotUndoable, RecreateRecord, RemoveRecord, RestoreValues, inverse_of
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request
from tests.browser import PATIENCE
from tests.direct_requests import update
from tests.flows.test_write_paths import STEPS

LOTS = COLLECTIONS[0]
PLACE = Place(LOTS, "lot-000002")


@asynccontextmanager
async def pipeline(
    service: RunningService, state: Path, refusal: Callable[[], str | None] = lambda: None
) -> AsyncIterator[tuple[WritePipeline, SignedClient, Journal]]:
    """A road to the service, the client that it takes, and its journal."""
    offered = service.key("sandbox")
    profile, keys = Profile("test", service.base_url, service.base_url), KeyPair(offered.api_key, None)
    scope = StorageScope("test", keys.environment, "test-service")
    async with Store.open(state / "svc-tui.db") as store, SignedClient(profile, keys) as client:
        journal = store.journal(scope)
        yield (
            WritePipeline(client, journal, WriteGate(refusal, Unguarded()), lambda: datetime.now(UTC)),
            client,
            journal,
        )


def changes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


def split() -> RequestSpec:
    """A split that the service takes."""
    return RequestSpec("POST", fill_path(SPLIT.path, {"id": "lot-000002"}), body=b'{"parts": 2}')


async def mine(freshness: Freshness) -> Draft:
    """Choose one's own values."""
    return freshness.draft


async def until(holds: Callable[[], bool]) -> None:
    """Wait until `holds()`."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110  what holds is said by another thread
            await asyncio.sleep(0.01)


def outcome_lines(state: Path) -> list[str]:
    """The results in all outcome lines of the journal, in order."""
    with closing(sqlite3.connect(state / "svc-tui.db")) as database:
        rows = database.execute("SELECT said FROM journal WHERE kind = 'outcome' ORDER BY number")
        return [json.loads(said)["result"] for (said,) in rows]


METHODS = {"update": "PATCH", "create": "POST", "delete": "DELETE", "act": "POST", "request": "DELETE"}


async def walk(pipeline: WritePipeline, client: SignedClient, step: str) -> WriteReport:
    """Take one way onto the road."""
    record = await client.record(LOTS, "lot-000002")
    draft = Draft(record, {"name": "Changed"})
    match step:
        case "update":
            return await pipeline.update(
                PLACE, draft, pipeline.with_idempotency_key(build_update_request(PLACE, draft)), mine
            )
        case "create":
            return await pipeline.create(
                LOTS, pipeline.with_idempotency_key(build_create_request(LOTS, {"name": "Made"}))
            )
        case "delete":
            return await pipeline.delete(PLACE, record, pipeline.with_idempotency_key(build_delete_request(PLACE)))
        case "act":
            return await pipeline.act(PLACE, record, pipeline.with_idempotency_key(split()))
        case "request":
            return await pipeline.request(RequestSpec("DELETE", PLACE.path))
    raise AssertionError(f"nobody walks {step} here")


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_every_step_asks_the_lock_before_anything_else(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with pipeline(service, tmp_path, lambda: "Locked.") as (locked, client, journal):
        report = await walk(locked, client, step)
        assert (report.result, report.reason) == (SendResult.NOT_SENT, "Locked.")
        assert not await journal.entries()
    assert not changes(service)
    assert len(service.attempts) == 1


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_a_lock_that_runs_out_on_the_way_is_seen_right_before_the_intent(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    answers = iter([None, "Ran out."])
    async with pipeline(service, tmp_path, lambda: next(answers)) as (closing, client, journal):
        report = await walk(closing, client, step)
        assert (report.result, report.reason) == (SendResult.NOT_SENT, "Ran out.")
        assert not await journal.entries()
    assert not changes(service)


@pytest.mark.parametrize("place", [PLACE, Place(LOTS, "lot-none")])
async def test_a_look_at_a_record_only_reads_it(service: RunningService, tmp_path: Path, place: Place) -> None:
    async with pipeline(service, tmp_path, lambda: "Locked.") as (locked, _, journal):
        record = await locked.read_again(place)
        assert (record.id if record else None) == (place.id if place == PLACE else None)
        assert not await journal.entries()
    assert [attempt.method for attempt in service.attempts] == ["GET"]


async def test_a_deletion_is_journalled_with_the_whole_record_as_it_was(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        before = await client.record(LOTS, "lot-000002")
        report = await walk(open_road, client, "delete")
        assert (report.result, report.is_gone) == (SendResult.DONE, True)
        (entry,) = await journal.entries()
        assert entry.intent.before == before.fields
        assert entry.intent.after is None


async def test_a_deletion_of_what_is_gone_already_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, _):
        record = await client.record(LOTS, "lot-000002")
        await walk(open_road, client, "delete")
        report = await open_road.delete(PLACE, record, build_delete_request(PLACE))
        assert (report.result, report.reason) == (SendResult.NOT_SENT, "The record no longer exists.")
    assert changes(service) == ["DELETE"]


async def test_a_creation_is_journalled_with_the_id_of_what_it_made(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        report = await walk(open_road, client, "create")
        assert report.record is not None
        assert report.record.id == "lot-000301"
        (entry,) = await journal.entries()
        assert (entry.intent.before, entry.intent.after) == ({}, {"name": "Made"})
        assert entry.outcome is not None
        assert entry.outcome.made == "lot-000301"


async def test_an_action_is_followed_by_a_look_at_its_record(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        before = await client.record(LOTS, "lot-000002")
        report = await walk(open_road, client, "act")
        assert report.result is SendResult.DONE
        assert report.record is not None
        assert report.record.fields != before.fields
        (entry,) = await journal.entries()
        assert entry.intent.before is None
        assert entry.intent.after == {"parts": number(2)}
        assert entry.outcome is not None
        assert entry.outcome.made == ""


async def endings(journal: Journal) -> list[tuple[str, str]]:
    """Method and outcome of every write, the first one first."""
    return [(entry.intent.method, entry_result(entry)) for entry in reversed(await journal.entries())]


async def test_a_deletion_without_an_answer_that_is_found_done_has_that_as_a_second_outcome(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        service.faults.next("reset", count=3, method="DELETE")
        report = await walk(open_road, client, "delete")
        assert (report.result, report.is_gone, report.was_applied) == (SendResult.UNKNOWN, True, True)
        (entry,) = await journal.entries()
        assert entry.outcome is not None
        assert entry.outcome.message == "No usable response; checked again: the record is deleted."
        assert await endings(journal) == [("DELETE", "done")]
        assert isinstance(inverse_of(entry), RecreateRecord)
    assert outcome_lines(tmp_path) == ["unknown", "done"]


async def test_a_deletion_that_is_found_done_only_later_is_settled_then(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        record = await client.record(LOTS, "lot-000002")
        service.faults.next("hold", method="GET")
        walking = asyncio.create_task(
            open_road.delete(PLACE, record, open_road.with_idempotency_key(build_delete_request(PLACE)))
        )
        await until(lambda: service.faults.held == 1)
        # From here on no answer arrives: neither to the deletion, nor to the look at what became of the record.
        service.faults.always("reset", method="DELETE")
        service.faults.always("500", method="GET")
        service.faults.release()
        report = await walking
        service.faults.clear()
        assert (report.result, report.is_gone) == (SendResult.UNKNOWN, False)
        assert await endings(journal) == [("DELETE", "unknown")]
        again = await open_road.delete(PLACE, record, open_road.with_idempotency_key(build_delete_request(PLACE)))
        assert (again.result, again.is_gone, again.reason) == (
            SendResult.NOT_SENT,
            True,
            "The record no longer exists.",
        )
        assert await endings(journal) == [("DELETE", "done")]


async def test_a_change_of_an_earlier_session_that_is_found_in_place_is_settled(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (_, client, journal):
        record = await client.record(LOTS, "lot-000002")
        for after in ({"name": "Arrived"}, {"name": "Never arrived"}, {"note": record.fields["note"]}):
            await journal.intend(Intent(datetime.now(UTC), "PATCH", PLACE.path, PLACE.key, "key", {}, after))
        await update(client, LOTS, "lot-000002", {"name": "Arrived"})
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        assert await endings(journal) == [("PATCH", "unknown")] * 3
        draft = Draft(record, {"name": "Arrived"})
        report = await open_road.update(
            PLACE, draft, open_road.with_idempotency_key(build_update_request(PLACE, draft)), mine
        )
        assert report.reason == "The record already has these values. Nothing was sent."
        assert await endings(journal) == [("PATCH", "done"), ("PATCH", "unknown"), ("PATCH", "done")]


@pytest.mark.parametrize("step", ["create", "act"])
async def test_what_no_reading_can_tell_stays_unknown_and_is_done_by_the_same_key(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        service.faults.next("500", method="POST")
        report = await walk(open_road, client, step)
        assert (report.result, report.was_applied) == (SendResult.UNKNOWN, False)
        report = await walk(open_road, client, step)
        assert report.result is SendResult.DONE
        assert await endings(journal) == [("POST", "unknown"), ("POST", "done")]
    keys = {attempt.idempotency_key for attempt in service.attempts if attempt.method == "POST"}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("spec", "place", "made", "inverse"),
    [
        (RequestSpec("PATCH", "operations/lots/lot-000002", body=b'{"name": "x"}'), PLACE.key, "", RestoreValues),
        (
            RequestSpec("POST", SPLIT.path.replace("{id}", "lot-000002"), body=b'{"parts": 2}'),
            PLACE.key,
            "",
            NotUndoable,
        ),
        (RequestSpec("POST", LOTS.path, body=b'{"name": "x"}'), f"{LOTS.key}/lot-000301", "lot-000301", RemoveRecord),
        (RequestSpec("DELETE", "/v1/operations/lots/lot-000002?x=y"), PLACE.key, "", RecreateRecord),
    ],
    ids=["change", "action", "creation", "deletion"],
)
async def test_a_request_written_by_hand_is_in_the_history_of_its_record(
    service: RunningService, tmp_path: Path, spec: RequestSpec, place: str, made: str, inverse: type
) -> None:
    async with pipeline(service, tmp_path) as (open_road, _, journal):
        assert (await open_road.request(spec)).result is SendResult.DONE
        (entry,) = await journal.entries(place=place)
        assert entry.outcome is not None
        assert (entry.outcome.made, entry.intent.before is None) == (made, spec.path.endswith("/split"))
        assert type(inverse_of(entry)) is inverse
    read_before = ["GET"] if inverse in (RestoreValues, RecreateRecord) else []
    assert [attempt.method for attempt in service.attempts] == [*read_before, spec.method]


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_a_request_written_by_hand_can_be_taken_back_unless_nothing_may_be_read_before(
    service: RunningService, tmp_path: Path, method: str
) -> None:
    body = b'{"name": "By hand"}' if method == "PATCH" else b""
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        record = await client.record(LOTS, "lot-000002")
        assert (await open_road.request(RequestSpec(method, PLACE.path, body=body), "INC-7")).result is SendResult.DONE
        (entry,) = await journal.entries()
        assert entry.intent.ticket == "INC-7"
        assert entry.intent.before == ({"name": record.fields["name"]} if body else record.fields)
        unread = RequestSpec(method, f"{LOTS.path}/lot-000003", body=body)
        assert (await open_road.request(unread, read_before=False)).result is SendResult.DONE
        entry, _ = await journal.entries()
        assert entry.intent.before is None
        assert isinstance(inverse_of(entry), NotUndoable)


async def test_what_can_not_be_read_before_is_sent_all_the_same(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, _, journal):
        service.faults.always("500", method="GET")
        report = await open_road.request(RequestSpec("PATCH", PLACE.path, body=b'{"name": "By hand"}'))
        assert (report.result, report.read_failed) == (SendResult.DONE, True)
        (entry,) = await journal.entries()
        assert entry.intent.before is None


async def test_what_was_there_perhaps_before_proves_no_write_of_unknown_outcome(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        record = await client.record(LOTS, "lot-000002")
        held = {"name": record.fields["name"]}
        # Neither of the two is stored; the second holds nothing but what was there before.
        for fields, told in ((held | {"note": "Not stored"}, ""), (held, "It is not known whether it had them before")):
            service.faults.next("login-page", count=2)
            report = await open_road.request(RequestSpec("PATCH", PLACE.path, body=json.dumps(fields).encode()))
            assert (report.result, report.was_applied, report.read_failed) == (SendResult.UNKNOWN, False, True)
            assert told in report.reason
        # The record is read again before this one, which tells no more of those.
        assert (await walk(open_road, client, "update")).result is SendResult.DONE
        assert [ending for _, ending in await endings(journal)] == ["unknown", "unknown", "done"]


async def test_a_creation_is_in_the_history_of_what_it_made(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        await walk(open_road, client, "create")
        (entry,) = await journal.entries(place=f"{LOTS.key}/lot-000301")
        assert entry.intent.place == LOTS.key


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_a_write_that_a_login_page_answers_is_of_unknown_outcome_and_looked_up(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        service.faults.next("login-page", method=METHODS[step])
        report = await walk(open_road, client, step)
        assert (report.result, report.was_applied, report.is_gone) == (SendResult.UNKNOWN, False, False)
        assert "a web page (“Please log in”)" in str(report.error)
        (entry,) = await journal.entries()
        assert entry_result(entry) == "unknown"
        assert entry.outcome is not None
        assert "gateway" in entry.outcome.message
        looked = {
            "update": "",
            "create": "Searched 100 records of the list: no record has the sent values.",
            "delete": "Checked again: the record still exists.",
            "act": "Checked again: the record is unchanged.",
            "request": "Checked again: the record still exists.",
        }
        assert report.reason == looked[step]


async def test_a_record_that_may_have_been_made_is_looked_for_at_both_ends_of_its_list(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        service.faults.next("reset", count=3, method="POST")
        report = await walk(open_road, client, "create")
        assert report.result is SendResult.UNKNOWN
        assert report.reason == (
            "Searched 51 records of the list: lot-000301 has the sent values and may be the new record."
        )
        assert await endings(journal) == [("POST", "unknown")]


async def test_an_action_that_may_have_been_done_is_told_by_what_changed(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, _):
        service.faults.next("reset", count=3, method="POST")
        report = await walk(open_road, client, "act")
        assert (report.result, report.was_applied) == (SendResult.UNKNOWN, False)
        assert report.reason.startswith("Checked again: ")
        assert report.reason.endswith(" changed.")


async def test_a_change_that_nothing_came_of_is_not_called_a_change_in_part(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, _):
        record = await client.record(LOTS, "lot-000002")
        service.faults.next("login-page", method="PATCH")
        draft = Draft(record, {"name": "Changed"})
        report = await open_road.update(
            PLACE, draft, open_road.with_idempotency_key(build_update_request(PLACE, draft)), mine
        )
        assert (report.applied, report.unapplied) == (0, ("name",))
        assert write_report(report, "lot-000002").title == "lot-000002: outcome unknown"
        nothing_taken = replace(report, result=SendResult.DONE, error=None)
        assert write_report(nothing_taken, "lot-000002").title == "lot-000002 was not changed"


async def test_the_journal_masks_keys_of_others_and_leaves_out_what_could_not_be_put_back(
    service: RunningService, tmp_path: Path
) -> None:
    key = "svc_live_0123456789abcdefghij"
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        await update(client, LOTS, "lot-000002", {"name": f"was {key}", "note": "plain"})
        spec = RequestSpec("PATCH", PLACE.path, body=json.dumps({"name": f"now {key}", "note": "more"}).encode())
        assert (await open_road.request(spec, f"for {key}")).result is SendResult.DONE
        (entry,) = await journal.entries()
        assert entry.intent.before == {"note": "plain"}
        assert entry.intent.after == {"name": "now svc_live_…", "note": "more"}
        assert entry.intent.ticket == "for svc_live_…"
    assert key.encode() not in (tmp_path / "svc-tui.db").read_bytes()
