"""The whole program on a service that settles otherwise what the service's document leaves open."""

import re
from pathlib import Path

import pytest

from svc_tui.core.jsontext import loads
from svc_tui.sandbox.data.resources import Resource, Resources
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.seeds.settings import SeedSettings
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.variants import OPEN_POINTS, Variants
from tests.browser import User, browser
from tests.flows.steps import LOTS, goes_to, heard

RECORDS = 130
OTHER_WAYS = [(point.name, way) for point in OPEN_POINTS.values() for way in point.ways if way != point.usual]


def lots_of(variants: Variants) -> Resource:
    return Resources(SeedSettings.sized(RECORDS, ids=variants["ids"]))[LOTS.key]


async def renamed_first(user: User, record_id: str) -> None:
    """Open the first lot and give it another name."""
    await user.press("g", "enter")
    await user.until(lambda: bool(user.app.main.workspace.panes.in_record), "no record is in focus")
    for _ in range(40):
        if user.app.main.workspace.selection.field == "name":
            break
        await user.press("j")
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types("Renamed")
    await user.press("enter")
    await user.sees(r"draft: 1 field")


@pytest.mark.parametrize(("name", "way"), OTHER_WAYS)
async def test_records_are_browsed_to_the_last_changed_and_removed(tmp_path: Path, name: str, way: str) -> None:
    variants = Variants({name: way})
    lots = lots_of(variants)
    first, last = lots.id_at(0), lots.id_at(RECORDS - 1)
    # A table cuts what is too long for its column.
    in_table = [re.escape(record_id[:20]) for record_id in (first, last)]
    with running_service(SandboxOptions(records=RECORDS, variants=variants)) as service:
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(in_table[0])
            await user.press("G")
            await user.sees(in_table[1])
            await renamed_first(user, first)
            await user.press("ctrl+s")
            await user.sees(rf"Change {first}")
            await user.press("y")
            await heard(user, rf"Saved {first}")
            assert stored(service, first)["name"] == "Renamed"
            await goes_to(user, "lots")
            await user.press("g", "delete")
            await user.sees(rf"Delete {first}")
            await user.sees(r"Searched")
            await user.press("y")
            await heard(user, rf"Deleted {first}")
            assert service.record(LOTS.key, first) is None


def stored(service: RunningService, record_id: str) -> dict[str, object]:
    record = loads(service.record(LOTS.key, record_id) or "")
    assert isinstance(record, dict)
    return dict(record)


@pytest.mark.parametrize("way", OPEN_POINTS["errors"].ways)
async def test_a_refusal_of_any_shape_is_told(tmp_path: Path, way: str) -> None:
    with running_service(SandboxOptions(records=RECORDS, variants=Variants({"errors": way}))) as service:
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            await user.press("4")
            await user.sees(r"╭─ Console ")
            await user.types("GET lots?colour=red")
            await user.press("ctrl+j")
            await user.sees(r"✕ 400")
            if way != "empty":
                await user.sees(r"unknown parameter 'colour'")
