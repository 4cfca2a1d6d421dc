"""What points at a record: `R` counts it by collection and field, from loaded records and from the index."""

from collections import Counter
from pathlib import Path

import pytest

from svc_tui.core.catalog import find_collection
from svc_tui.core.jsontext import Json, loads
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.ui.finder import finder_screen
from tests.browser import User, browser
from tests.flows.steps import changed_elsewhere, goes_to, stored
from tests.flows.test_finding import looked_through, requests
from tests.flows.test_index import indexed

INCIDENTS = "safety/incidents"
WIDE = (200, 40)
FIELD = "workerId"


@pytest.fixture
def service() -> object:
    """A service of few records, each of which is indexed in a moment."""
    with running_service(SandboxOptions(records=120)) as running:
        yield running


def held(service: RunningService, prefix: str, digits: int, collection: str) -> list[dict[str, Json]]:
    """The first records of a collection."""
    records = (stored(service, f"{prefix}-{number:0{digits}d}", collection) for number in range(1, 400))
    return [record for record in records if record is not None]


def worker_of_an_incident(service: RunningService) -> tuple[str, list[str]]:
    """A worker, and the ids of the incidents that name them."""
    incidents = held(service, "inc", 4, INCIDENTS)
    worker = str(incidents[0][FIELD])
    return worker, [str(incident["id"]) for incident in incidents if incident.get(FIELD) == worker]


async def references(user: User, record_id: str) -> finder_screen.FinderScreen:
    """Search for what points at the record that is open, and wait until all that is held was searched."""
    await user.sees(rf"╭─ {record_id} ")
    await user.press("R")
    await user.sees(rf"╭─ References to {record_id} ")
    screen = user.app.screen
    assert isinstance(screen, finder_screen.FinderScreen)
    await screen.all_listed()
    return screen


async def test_a_worker_shows_the_incidents_that_are_loaded_enter_opens_one_and_the_way_back_is_the_bracket(
    service: RunningService, tmp_path: Path
) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=INCIDENTS, size=WIDE, page_size=200) as user:
        await user.sees(r"inc-0001\b")
        await user.settled()
        before = len(service.attempts)
        await goes_to(user, f"workers/{worker}")
        await references(user, worker)
        await user.sees(rf"{FIELD}: {len(incidents)} in all incidents\b")
        for incident in incidents:
            await user.sees(rf"incidents +{incident} .* {FIELD} +loaded")
        await user.sees(r"\d+ references? · ctrl\+l search \d+ more collections")
        assert not any(INCIDENTS in path for path in requests(service)[before:]), "it costs no request"
        await user.press("ctrl+end", "ctrl+home", "enter")
        await user.sees(rf"╭─ {incidents[0]} [\s\S]+ q Back to {worker} ")
        await user.press("left_square_bracket")
        await user.sees(rf"╭─ {worker} ")


async def test_what_the_index_holds_is_counted_too_and_each_record_once(
    service: RunningService, tmp_path: Path
) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=INCIDENTS, size=WIDE, index=True) as user:
        await user.sees(r"inc-0001\b")
        await indexed(user)
        await goes_to(user, f"workers/{worker}")
        screen = await references(user, worker)
        await user.sees(rf"{FIELD}: \d+ in[\s\S]*?all shiftLogs")
        matches = screen.results.matches
        assert len({match.place for match in matches}) == len(matches)
        assert screen._search.references == Counter((match.place.collection, match.path) for match in matches)
        collection = find_collection(INCIDENTS)
        assert collection is not None
        assert screen._search.references[collection, FIELD] == len(incidents)
        for match in matches:
            assert match.path is not None
            record = loads(service.record(match.place.collection.key, match.place.id) or "")
            assert isinstance(record, dict)
            value = record[match.path]
            assert worker in (value if isinstance(value, list) else [value])


async def test_where_nothing_points_here_the_count_says_so_and_what_is_loaded_is_counted_then(
    service: RunningService, tmp_path: Path
) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=f"workers/{worker}", size=WIDE) as user:
        await references(user, worker)
        await user.sees(r"0 references in [\d,]+ loaded records?")
        assert f"{FIELD}: " not in user.text
        await looked_through(user, INCIDENTS)
        await user.sees(rf"{FIELD}: {len(incidents)} in all incidents\b")


async def test_text_that_would_command_is_harmless_in_the_list(service: RunningService, tmp_path: Path) -> None:
    lot = stored(service, "lot-000001")
    assert lot is not None
    await changed_elsewhere(service, "lot-000001", name="\x1b[2J[/x] \u202e red")
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await goes_to(user, f"tunnels/{lot['tunnelId']}")
        await references(user, str(lot["tunnelId"]))
        await user.sees(r"lots +lot-000001 +␛\[2J\[/x\] ⟨202e⟩ red")


async def test_of_many_so_many_are_listed_and_all_are_counted(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder_screen, "MAX_REFERENCES", 2)
    lots = held(service, "lot", 6, "operations/lots")
    tunnels = [str(lot["tunnelId"]) for lot in lots]
    tunnel = max(tunnels, key=tunnels.count)
    count = tunnels.count(tunnel)
    assert count > 2
    async with browser(service, tmp_path, place="lots", size=WIDE, page_size=200) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await goes_to(user, f"tunnels/{tunnel}")
        await references(user, tunnel)
        await user.sees(rf"2 listed · tunnelId: {count} in all lots\b")
