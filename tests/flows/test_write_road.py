"""The road of writes over the real client, store and service: what each step journals, and that the lock is asked."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.client import SignedClient
from svc_tui.domain.catalog import COLLECTIONS, SPLIT
from svc_tui.domain.credentials import KeyPair
from svc_tui.domain.draft import Draft, Freshness
from svc_tui.domain.gateway import Journal, Shelf
from svc_tui.domain.jsontext import number
from svc_tui.domain.records import Place
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.routes import fill
from svc_tui.domain.settings import Profile
from svc_tui.domain.writes import Result, WriteReport, WriteRoad, create_request, delete_request, update_request
from svc_tui.sandbox.inprocess import RunningService
from svc_tui.store import Store
from tests.flows.test_write_paths import STEPS

LOTS = COLLECTIONS[0]
PLACE = Place(LOTS, "lot-000002")


@asynccontextmanager
async def road(
    service: RunningService, state: Path, refusal: Callable[[], str | None] = lambda: None
) -> AsyncIterator[tuple[WriteRoad, SignedClient, Journal]]:
    """A road to the service, the client that it takes, and its journal."""
    offered = service.key("sandbox")
    profile, keys = Profile("test", service.base_url, service.base_url), KeyPair(offered.api_key, None)
    shelf = Shelf("test", keys.environment, "test-service")
    async with Store.open(state / "svc-tui.db") as store, SignedClient(profile, keys) as client:
        journal = store.journal(shelf)
        yield WriteRoad(client, journal, refusal, lambda: datetime.now(UTC)), client, journal


def changes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


def split() -> RequestSpec:
    """A split that the service takes."""
    return RequestSpec("POST", fill(SPLIT.path, {"id": "lot-000002"}), body=b'{"parts": 2}')


async def walk(road: WriteRoad, client: SignedClient, step: str) -> WriteReport:
    """Take one way onto the road."""

    async def mine(freshness: Freshness) -> Draft:
        return freshness.draft

    record = await client.record(LOTS, "lot-000002")
    draft = Draft(record, {"name": "Changed"})
    match step:
        case "update":
            return await road.update(PLACE, draft, road.keyed(update_request(PLACE, draft)), mine)
        case "create":
            return await road.create(LOTS, road.keyed(create_request(LOTS, {"name": "Made"})))
        case "delete":
            return await road.delete(PLACE, record, road.keyed(delete_request(PLACE)))
        case "act":
            return await road.act(PLACE, record, road.keyed(split()))
        case "request":
            return await road.request(RequestSpec("DELETE", PLACE.path))
    raise AssertionError(f"nobody walks {step} here")


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_every_step_asks_the_lock_before_anything_else(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    async with road(service, tmp_path, lambda: "Locked.") as (locked, client, journal):
        report = await walk(locked, client, step)
        assert (report.result, report.reason) == (Result.NOT_SENT, "Locked.")
        assert not await journal.entries()
    assert not changes(service)
    assert len(service.attempts) == 1


@pytest.mark.parametrize("step", sorted(STEPS))
async def test_a_lock_that_runs_out_on_the_way_is_seen_right_before_the_intent(
    service: RunningService, tmp_path: Path, step: str
) -> None:
    answers = iter([None, "Ran out."])
    async with road(service, tmp_path, lambda: next(answers)) as (closing, client, journal):
        report = await walk(closing, client, step)
        assert (report.result, report.reason) == (Result.NOT_SENT, "Ran out.")
        assert not await journal.entries()
    assert not changes(service)


async def test_a_deletion_is_journalled_with_the_whole_record_as_it_was(
    service: RunningService, tmp_path: Path
) -> None:
    async with road(service, tmp_path) as (open_road, client, journal):
        before = await client.record(LOTS, "lot-000002")
        report = await walk(open_road, client, "delete")
        assert (report.result, report.gone) == (Result.DONE, True)
        (entry,) = await journal.entries()
        assert entry.intent.before == before.fields
        assert entry.intent.after is None


async def test_a_deletion_of_what_is_gone_already_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with road(service, tmp_path) as (open_road, client, _):
        record = await client.record(LOTS, "lot-000002")
        await walk(open_road, client, "delete")
        report = await open_road.delete(PLACE, record, delete_request(PLACE))
        assert (report.result, report.reason) == (Result.NOT_SENT, "The record is no longer there.")
    assert changes(service) == ["DELETE"]


async def test_a_creation_is_journalled_with_the_id_of_what_it_made(service: RunningService, tmp_path: Path) -> None:
    async with road(service, tmp_path) as (open_road, client, journal):
        report = await walk(open_road, client, "create")
        assert report.record is not None
        assert report.record.id == "lot-000301"
        (entry,) = await journal.entries()
        assert (entry.intent.before, entry.intent.after) == ({}, {"name": "Made"})
        assert entry.outcome is not None
        assert entry.outcome.made == "lot-000301"


async def test_an_action_is_followed_by_a_look_at_its_record(service: RunningService, tmp_path: Path) -> None:
    async with road(service, tmp_path) as (open_road, client, journal):
        before = await client.record(LOTS, "lot-000002")
        report = await walk(open_road, client, "act")
        assert report.result is Result.DONE
        assert report.record is not None
        assert report.record.fields != before.fields
        (entry,) = await journal.entries()
        assert entry.intent.before is None
        assert entry.intent.after == {"parts": number(2)}
        assert entry.outcome is not None
        assert entry.outcome.made == ""
