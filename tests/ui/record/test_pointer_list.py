"""How what points at a record looks in the room there is, where the cursor may go, and that no text commands."""

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place, Record
from svc_tui.history.pointers import PointerGroup, PointsHere
from svc_tui.history.timeline import TimelineNote
from svc_tui.search.referring import Pointer
from svc_tui.ui.text import measure
from svc_tui.ui.widgets.record.pointer_list import PointerList, heading, pointer_line
from tests.ui.record.test_record_pane import kept
from tests.ui.stage import Stage, picture, until

BY_NAME = {collection.name: collection for collection in COLLECTIONS}
WORKER = Place(BY_NAME["workers"], "wrk-1")


def pointer(record_id: str, name: str = "", collection: str = "incidents") -> Pointer:
    """A record that points at the worker."""
    return Pointer(BY_NAME[collection], Record({"id": record_id, "workerId": "wrk-1", "name": name}), "workerId")


def group(*pointers: Pointer, count: int = 0) -> PointerGroup:
    """The pointers as a group."""
    return PointerGroup(pointers[0].collection, pointers[0].path, count or len(pointers), pointers)


def test_a_heading_is_the_collection_the_field_and_the_count() -> None:
    assert heading(group(pointer("inc-1"), count=1200), 60).plain == "incidents · workerId · 1,200"
    assert heading(group(pointer("inc-1"), count=1200), 24).plain == "incidents · wor… · 1,200"


@pytest.mark.parametrize("cells", range(12, 80, 5))
def test_no_line_is_wider_than_its_room(cells: int) -> None:
    assert measure(heading(group(pointer("inc-1"), count=12), cells).plain) <= cells
    assert measure(pointer_line(WORKER, pointer("inc-1", "坑道 " * 20), 6, cells).plain) <= cells


def test_text_from_outside_is_made_visible() -> None:
    line = pointer_line(WORKER, pointer("\x1b[2J", "\x1b]0;x\x07 [/x] \u202e"), 8, 90).plain
    assert line.startswith("  ␛[2J      ␛]0;x␇ [/x] ⟨202e⟩")


async def test_the_cursor_goes_from_record_to_record_past_headings_and_comes_back_to_its_own() -> None:
    app = Stage(lambda: [PointerList()])
    lots, incidents = group(pointer("lot-1", "Ore", "lots")), group(pointer("inc-1"), pointer("inc-2"), count=5)
    shown_here = PointsHere(WORKER, (incidents, lots), (TimelineNote("From loaded records."),))
    opened: list[PointerList.Opened] = []
    async with app.run_test(size=(60, 12), message_hook=kept(opened, PointerList.Opened)) as pilot:
        shown = app.query_one(PointerList)
        shown.focus()
        shown.show(shown_here)
        await until(pilot, lambda: any("3 more are not listed." in line for line in picture(app)))
        await pilot.press("j", "j", "enter")
        await until(pilot, lambda: len(opened) == 1)
        assert opened.pop().place == lots.pointers[0].place
        shown.show(None)
        await until(pilot, lambda: not shown.option_count)
        shown.show(shown_here)
        await pilot.press("enter")
        await until(pilot, lambda: len(opened) == 1)
        assert opened.pop().place == lots.pointers[0].place
        await pilot.press("home", "enter")
        await until(pilot, lambda: len(opened) == 1)
        assert opened.pop().place == incidents.pointers[0].place
