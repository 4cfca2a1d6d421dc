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
from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import Intent, Journal, StorageScope
from svc_tui.domain.editing.undo import NotUndoable, RecreateRecord, RemoveRecord, inverse_of
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import create_request, delete_request, update_request
from svc_tui.domain.http.routes import fill_path
from svc_tui.domain.model.catalog import COLLECTIONS, SPLIT
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.jsontext import number
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.model.settings import Profile
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.store.store import Store
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
        yield WritePipeline(client, journal, refusal, lambda: datetime.now(UTC)), client, journal


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


async def walk(pipeline: WritePipeline, client: SignedClient, step: str) -> WriteReport:
    """Take one way onto the road."""
    record = await client.record(LOTS, "lot-000002")
    draft = Draft(record, {"name": "Changed"})
    match step:
        case "update":
            return await pipeline.update(PLACE, draft, pipeline.keyed(update_request(PLACE, draft)), mine)
        case "create":
            return await pipeline.create(LOTS, pipeline.keyed(create_request(LOTS, {"name": "Made"})))
        case "delete":
            return await pipeline.delete(PLACE, record, pipeline.keyed(delete_request(PLACE)))
        case "act":
            return await pipeline.act(PLACE, record, pipeline.keyed(split()))
        case "request":
            return await pipeline.request(RequestSpec("DELETE", PLACE.path))
    raise AssertionError(f"nobody walks {step} here")


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_every_step_asks_the_lock_before_anything_else(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with pipeline(service, tmp_path, lambda: "Locked.") as (locked, client, journal):
        report = await walk(locked, client, step)
        assert (report.result, report.reason) == (WriteResult.NOT_SENT, "Locked.")
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
        assert (report.result, report.reason) == (WriteResult.NOT_SENT, "Ran out.")
        assert not await journal.entries()
    assert not changes(service)


async def test_a_deletion_is_journalled_with_the_whole_record_as_it_was(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        before = await client.record(LOTS, "lot-000002")
        report = await walk(open_road, client, "delete")
        assert (report.result, report.gone) == (WriteResult.DONE, True)
        (entry,) = await journal.entries()
        assert entry.intent.before == before.fields
        assert entry.intent.after is None


async def test_a_deletion_of_what_is_gone_already_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, _):
        record = await client.record(LOTS, "lot-000002")
        await walk(open_road, client, "delete")
        report = await open_road.delete(PLACE, record, delete_request(PLACE))
        assert (report.result, report.reason) == (WriteResult.NOT_SENT, "The record is no longer there.")
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
        assert report.result is WriteResult.DONE
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
        assert (report.result, report.gone, report.settled) == (WriteResult.UNKNOWN, True, True)
        (entry,) = await journal.entries()
        assert entry.outcome is not None
        assert entry.outcome.message == "No clear answer came; read again, the record is gone."
        assert await endings(journal) == [("DELETE", "done")]
        assert isinstance(inverse_of(entry), RecreateRecord)
    assert outcome_lines(tmp_path) == ["unknown", "done"]


async def test_a_deletion_that_is_found_done_only_later_is_settled_then(
    service: RunningService, tmp_path: Path
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        record = await client.record(LOTS, "lot-000002")
        service.faults.next("hold", method="GET")
        walking = asyncio.create_task(open_road.delete(PLACE, record, open_road.keyed(delete_request(PLACE))))
        await until(lambda: service.faults.held == 1)
        # From here on no answer arrives: neither to the deletion, nor to the look at what became of the record.
        service.faults.always("reset", method="DELETE")
        service.faults.always("500", method="GET")
        service.faults.release()
        report = await walking
        service.faults.clear()
        assert (report.result, report.gone) == (WriteResult.UNKNOWN, False)
        assert await endings(journal) == [("DELETE", "unknown")]
        again = await open_road.delete(PLACE, record, open_road.keyed(delete_request(PLACE)))
        assert (again.result, again.gone, again.reason) == (
            WriteResult.NOT_SENT,
            True,
            "The record is no longer there.",
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
        report = await open_road.update(PLACE, draft, open_road.keyed(update_request(PLACE, draft)), mine)
        assert report.reason == "Nothing is left to change, so nothing was sent."
        assert await endings(journal) == [("PATCH", "done"), ("PATCH", "unknown"), ("PATCH", "done")]


@pytest.mark.parametrize("step", ["create", "act"])
async def test_what_no_reading_can_tell_stays_unknown_and_is_done_by_the_same_key(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        service.faults.next("500", method="POST")
        report = await walk(open_road, client, step)
        assert (report.result, report.settled) == (WriteResult.UNKNOWN, False)
        report = await walk(open_road, client, step)
        assert report.result is WriteResult.DONE
        assert await endings(journal) == [("POST", "unknown"), ("POST", "done")]
    keys = {attempt.idempotency_key for attempt in service.attempts if attempt.method == "POST"}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("spec", "place", "made"),
    [
        (RequestSpec("PATCH", "operations/lots/lot-000002", body=b'{"name": "By hand"}'), PLACE.key, ""),
        (RequestSpec("POST", SPLIT.path.replace("{id}", "lot-000002"), body=b'{"parts": 2}'), PLACE.key, ""),
        (RequestSpec("POST", LOTS.path, body=b'{"name": "By hand"}'), f"{LOTS.key}/lot-000301", "lot-000301"),
        (RequestSpec("DELETE", "/v1/operations/lots/lot-000002?x=y"), PLACE.key, ""),
    ],
    ids=["change", "action", "creation", "deletion"],
)
async def test_a_request_written_by_hand_is_in_the_history_of_its_record(
    service: RunningService, tmp_path: Path, spec: RequestSpec, place: str, made: str
) -> None:
    async with pipeline(service, tmp_path) as (open_road, _, journal):
        assert (await open_road.request(spec)).result is WriteResult.DONE
        (entry,) = await journal.entries(place=place)
        assert entry.outcome is not None
        assert (entry.outcome.made, entry.intent.before) == (made, {} if made else None)
        assert isinstance(inverse_of(entry), RemoveRecord if made else NotUndoable)
    assert [attempt.method for attempt in service.attempts] == [spec.method]


async def test_a_creation_is_in_the_history_of_what_it_made(service: RunningService, tmp_path: Path) -> None:
    async with pipeline(service, tmp_path) as (open_road, client, journal):
        await walk(open_road, client, "create")
        (entry,) = await journal.entries(place=f"{LOTS.key}/lot-000301")
        assert entry.intent.place == LOTS.key
