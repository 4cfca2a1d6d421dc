"""What points at a record in a tab of its own: by collection and field, from what is loaded and from the index."""

import re
from pathlib import Path

import pytest

from svc_tui.core.jsontext import Json, loads
from svc_tui.core.kinds import MASKED
from svc_tui.history.pointers import PointsHere
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.ui.record import pointers_controller
from tests.browser import User, browser
from tests.flows.steps import changed_elsewhere, goes_to, stored
from tests.flows.test_finding import looked_through, requests
from tests.flows.test_index import indexed
from tests.flows.test_record_tabs import to_tab

INCIDENTS, WORKERS = "safety/incidents", "workforce/workers"
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


async def to_points_here(user: User, record_id: str) -> None:
    """Open the tab of the record that is open, and wait until all is in it."""
    await user.sees(rf"╭─ {record_id} ")
    await to_tab(user, "References")
    await user.sees(r"From loaded records|No references in loaded records")
    await user.settled()


def shown(user: User) -> PointsHere:
    """What the tab shows."""
    pointers = user.app.main.workspace.panes.record.views.pointers._pointers  # type: ignore[union-attr]
    assert pointers is not None
    return pointers


async def test_a_worker_shows_the_incidents_that_are_loaded_enter_opens_one_and_the_way_back_is_the_bracket(
    service: RunningService, tmp_path: Path
) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=INCIDENTS, size=WIDE, page_size=200) as user:
        await user.sees(r"inc-0001\b")
        await user.settled()
        before = len(service.attempts)
        await goes_to(user, f"workers/{worker}")
        await to_points_here(user, worker)
        await user.sees(rf"incidents · {FIELD} · {len(incidents)}\b")
        for incident in incidents:
            await user.sees(rf"  {incident}  \w")
        await user.sees(r"From loaded records\. Press R to search more")
        assert not any(INCIDENTS in path for path in requests(service)[before:]), "it costs no request"
        await user.press("home", "enter")
        await user.sees(rf"╭─ {incidents[0]} ")
        await user.press("left_square_bracket")
        await user.sees(rf"╭─ {worker} ")
        await user.sees(rf"incidents · {FIELD} · {len(incidents)}\b")


async def test_what_the_index_holds_is_listed_too_and_each_record_once(service: RunningService, tmp_path: Path) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=INCIDENTS, size=WIDE, index=True) as user:
        await user.sees(r"inc-0001\b")
        await indexed(user)
        await goes_to(user, f"workers/{worker}")
        await to_points_here(user, worker)
        await user.sees(rf"incidents · {FIELD} · {len(incidents)}\b")
        await user.sees(r"shiftLogs · workerId · [1-9]")
        await user.sees(r"From loaded records and the index\.")
        for group in shown(user).groups:
            ids = [pointer.place.id for pointer in group.pointers]
            assert len(ids) == len(set(ids)) == group.count
            for pointer in group.pointers:
                record = loads(service.record(group.collection.key, pointer.place.id) or "")
                assert isinstance(record, dict)
                value = record[group.path]
                assert worker in (value if isinstance(value, list) else [value])


async def test_a_tunnel_shows_its_lots(service: RunningService, tmp_path: Path) -> None:
    lot = stored(service, "lot-000001")
    assert lot is not None
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await goes_to(user, f"tunnels/{lot['tunnelId']}")
        await to_points_here(user, str(lot["tunnelId"]))
        await user.sees(r"lots · tunnelId · [1-9]")
        await user.sees(rf"  lot-000001  {re.escape(str(lot['name']))}")


async def test_where_nothing_points_here_one_line_says_so_and_what_is_read_by_r_is_listed_then(
    service: RunningService, tmp_path: Path
) -> None:
    worker, incidents = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=f"workers/{worker}", size=WIDE) as user:
        await to_points_here(user, worker)
        await user.sees(r"No references in loaded records\. Press R to search more")
        assert "From loaded records" not in user.text
        await user.press("enter")
        await user.settled()
        await user.press("R")
        await user.sees(rf"╭─ References to {worker} ")
        await looked_through(user, INCIDENTS)
        await user.press("escape")
        await user.sees(rf"incidents · {FIELD} · {len(incidents)}\b")


async def test_nothing_is_looked_for_before_the_tab_is_open_and_anew_when_it_is_opened_again(
    service: RunningService, tmp_path: Path
) -> None:
    worker, _ = worker_of_an_incident(service)
    async with browser(service, tmp_path, place=f"workers/{worker}", size=WIDE) as user:
        await user.sees(rf"╭─ {worker} ")
        await user.settled()
        views = user.app.main.workspace.panes.record.views  # type: ignore[union-attr]
        assert "pointers" not in vars(user.app.main.controllers)
        await to_points_here(user, worker)
        first = shown(user)
        await to_tab(user, "Actions")
        await to_tab(user, "References")
        await user.until(lambda: views.pointers._pointers is not first, "it is not looked for anew")
        await to_points_here(user, worker)


async def test_what_the_mask_hides_is_hidden_in_every_line(service: RunningService, tmp_path: Path) -> None:
    naming = next(record for record in held(service, "wrk", 4, WORKERS) if record.get("tunnelId"))
    tunnel, name = str(naming["tunnelId"]), str(naming["name"])
    async with browser(service, tmp_path, place="workers", size=WIDE) as user:
        await user.sees(rf"{naming['id']}\b")
        await user.settled()
        await goes_to(user, f"tunnels/{tunnel}")
        await to_points_here(user, tunnel)
        await user.sees(rf"  {naming['id']}  {re.escape(name)}")
        await user.press("ctrl+o")
        await user.sees(rf"  {naming['id']}  {MASKED}")
        assert name not in user.text


async def test_text_that_would_command_is_harmless_in_the_list(service: RunningService, tmp_path: Path) -> None:
    lot = stored(service, "lot-000001")
    assert lot is not None
    await changed_elsewhere(service, "lot-000001", name="\x1b[2J[/x] \u202e red")
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await goes_to(user, f"tunnels/{lot['tunnelId']}")
        await to_points_here(user, str(lot["tunnelId"]))
        await user.sees(r"  lot-000001  ␛\[2J\[/x\] ⟨202e⟩ red")


async def test_of_many_so_many_are_listed_and_the_rest_is_counted(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointers_controller, "_MAX_LISTED", 2)
    lots = held(service, "lot", 6, "operations/lots")
    tunnels = [str(lot["tunnelId"]) for lot in lots]
    tunnel = max(tunnels, key=tunnels.count)
    count = tunnels.count(tunnel)
    assert count > 2
    async with browser(service, tmp_path, place="lots", size=WIDE, page_size=200) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await goes_to(user, f"tunnels/{tunnel}")
        await to_points_here(user, tunnel)
        await user.sees(rf"lots · tunnelId · {count}\b")
        await user.sees(rf"{count - 2} more (is|are) not listed")
