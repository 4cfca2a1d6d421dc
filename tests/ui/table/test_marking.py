"""Marks in the table over a gateway of any size: what marks, what is seen of it, and what marks live through."""

import asyncio

import pytest
from textual.pilot import Pilot

from svc_tui.core.jsontext import number
from svc_tui.core.records import Record
from svc_tui.ui.table.table_pane import TablePane
from tests.ui.browsing import empty_pane, looked_at
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway, lot
from tests.ui.stage import Stage, picture, until


class MarkingStage(Stage):
    """A pane over a gateway, and the sentences that it told."""

    def __init__(self, gateway: MemoryGateway) -> None:
        super().__init__(lambda: [empty_pane(gateway)])
        self.gateway = gateway
        self.told: list[str] = []

    @property
    def pane(self) -> TablePane:
        return self.query_one(TablePane)

    @property
    def ids(self) -> list[str]:
        """The ids that the table shows as marked."""
        return list(self.pane.table.marks)

    def on_table_pane_notice_posted(self, event: TablePane.NoticePosted) -> None:
        self.told.append(event.text)


def lots(*numbers: int) -> list[str]:
    return [f"lot-{at:06d}" for at in numbers]


def bottom(app: Stage) -> str:
    return next(line for line in reversed(picture(app)) if line.startswith("╰"))


async def opened(app: MarkingStage, pilot: Pilot[object]) -> None:
    app.pane.open(LOTS)
    app.pane.table.focus()
    await until(pilot, lambda: "lot-000001" in "\n".join(picture(app)))
    await rested(app, pilot)


async def rested(app: MarkingStage, pilot: Pilot[object]) -> None:
    """Wait until nothing is under way and nothing more is wanted."""

    def rests() -> bool:
        rows = app.pane.rows
        return not app.gateway.under_way and looked_at(app.pane) and rows.queue.next_page() is None and rows.loaded

    await until(pilot, rests)
    await pilot.pause()


async def test_space_marks_and_goes_on_and_takes_a_mark_off_again() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "space", "down", "space")
        assert app.ids == lots(1, 2, 4)
        assert app.pane.table.cursor_row == 4
        assert "3 marked" in bottom(app)
        lines = [line for line in picture(app) if "lot-" in line]
        assert ["◆" in line for line in lines[:5]] == [True, True, False, True, False]
        await pilot.press("up", "space")
        assert app.ids == lots(1, 2)
        assert "2 marked" in bottom(app)


async def test_the_id_of_a_marked_record_has_the_marks_colour() -> None:
    app = MarkingStage(MemoryGateway(100))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "down")
        strips = app.screen._compositor.render_strips()
        (line,) = [strip for strip in strips if "lot-000001" in strip.text]
        style = next(segment.style for segment in line if "lot-000001" in segment.text)
        assert style is not None
        assert style.color is not None
        assert style.color.get_truecolor().hex == "#c9a0f0"


async def test_a_range_follows_the_cursor_both_ways_and_ends_with_v() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("down", "down", "v", "down", "down")
        await until(pilot, lambda: app.ids == lots(3, 4, 5))
        assert "3 marked · v ends the range" in bottom(app)
        await pilot.press("home")
        await until(pilot, lambda: app.ids == lots(3, 2, 1))
        await pilot.press("v", "pagedown")
        await rested(app, pilot)
        assert app.ids == lots(3, 2, 1)
        assert "range" not in bottom(app)


async def test_shift_and_arrows_mark_and_unmark_and_a_plain_move_keeps_them() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("shift+down", "shift+down", "shift+down", "shift+up")
        assert app.ids == lots(1, 2, 3)
        await pilot.press("down", "down", "down", "shift+up")
        await until(pilot, lambda: app.ids == lots(1, 2, 3, 6, 5))
        await pilot.press("home", "shift+up")
        assert app.ids == lots(1, 2, 3, 6, 5)


async def test_a_range_marks_what_is_loaded_and_says_how_much_is_not() -> None:
    app = MarkingStage(MemoryGateway(10_000_000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("v", "end")
        await until(pilot, lambda: "lot-10000000" in app.ids)
        await rested(app, pilot)
        held = app.pane.rows.cached
        assert len(app.ids) == held
        assert f"{10_000_000 - held:,} not loaded · v ends the range" in "\n".join(picture(app))
        await pilot.press("v")
        assert app.told == [f"Not marked: {10_000_000 - held:,} of 10,000,000 records (not loaded yet)."]
        assert len(app.ids) == held


async def paged(app: MarkingStage, pilot: Pilot[object]) -> None:
    """A page down, and its rows have come: a view that is flung on is read only where it rests."""
    await pilot.press("pagedown")
    await until(pilot, lambda: app.pane.table.cursor_record is not None)
    await rested(app, pilot)


async def test_rows_of_a_range_are_marked_as_they_come() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("v")
        for _ in range(30):
            await paged(app, pilot)
        row = app.pane.table.cursor_row
        assert row > 200
        await until(pilot, lambda: app.ids == lots(*range(1, row + 2)))


async def test_marks_live_through_paging_until_the_page_has_left_and_back() -> None:
    gateway = MemoryGateway(10_000_000)
    app = MarkingStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "space")
        app.pane.rows._pages._max_records = 150
        for _ in range(60):
            await paged(app, pilot)
        assert app.pane.rows.get(0) is None
        assert app.ids == lots(1, 2)
        await pilot.press("home")
        await rested(app, pilot)
        await until(pilot, lambda: [line.count("◆") for line in picture(app) if "lot-" in line][:3] == [1, 1, 0])


async def test_marks_stay_on_their_records_when_rows_move_and_hold_the_newest_reading() -> None:
    gateway = MemoryGateway(1000)
    app = MarkingStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("down", "down", "space")
        gateway.dropped = 2
        gateway.overlay[0] = Record({**lot(2).fields, "massKg": number("9.75")})
        app.pane.refresh_rows()
        await rested(app, pilot)
        await until(pilot, lambda: app.pane.rows.index_of("lot-000003") == 0)
        (line,) = [line for line in picture(app) if "◆" in line]
        assert "lot-000003" in line
        sheet = app.pane.open_collections.current
        assert sheet is not None
        assert sheet.marks.records["lot-000003"].fields["massKg"] == number("9.75")


async def test_all_that_the_filter_lets_through_is_marked_and_unmarked_and_no_other() -> None:
    app = MarkingStage(MemoryGateway(100))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("end")
        await rested(app, pilot)
        await pilot.press("home", "space")
        app.pane.arrangement.filter_by("grade=B")
        await pilot.pause()
        await pilot.press("asterisk")
        assert app.ids == lots(1, *range(2, 101, 3))
        app.pane.arrangement.filter_by("")
        await pilot.pause()
        assert app.ids == lots(1, *range(2, 101, 3))
        app.pane.arrangement.filter_by("grade=B")
        await pilot.press("asterisk")
        assert app.ids == lots(1)
        assert app.told == []


async def test_marking_all_says_that_these_are_the_loaded_ones() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        held = app.pane.rows.cached
        await pilot.press("asterisk")
        assert len(app.ids) == held
        assert app.told == [f"Marked {held} loaded records."]
        await pilot.press("U")
        assert app.ids == []
        assert "marked" not in bottom(app)


async def test_each_collection_keeps_its_own_marks() -> None:
    app = MarkingStage(MemoryGateway(100))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space")
        app.pane.open(TUNNELS)
        await rested(app, pilot)
        assert app.ids == []
        app.pane.open(LOTS)
        assert app.ids == lots(1)


async def test_another_question_to_the_service_keeps_the_marks() -> None:
    app = MarkingStage(MemoryGateway(100))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "v", "down")
        app.pane.set_service_query((("status", "open"),))
        await rested(app, pilot)
        assert app.ids == lots(1, 2, 3)


async def test_a_row_that_has_not_come_can_t_be_marked() -> None:
    gateway = MemoryGateway(10_000)
    app = MarkingStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        gateway.gate = asyncio.Event()
        app.pane.table.move_to(5000)
        await pilot.press("space")
        gateway.gate.set()
        assert app.ids == []
        assert app.told == ["This record is not loaded yet and can't be marked."]


@pytest.mark.parametrize(
    ("control", "shift", "marked"), [(True, False, lots(4)), (False, True, lots(1, 2, 3, 4)), (False, False, [])]
)
async def test_a_click_with_control_marks_one_and_with_shift_all_up_to_it(
    control: bool, shift: bool, marked: list[str]
) -> None:
    app = MarkingStage(MemoryGateway(100))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        # The header is the first line of the table.
        await pilot.click(app.pane.table, offset=(3, 4), control=control, shift=shift)
        assert app.ids == marked
        assert app.pane.table.cursor_row == 3
        if control:
            await pilot.click(app.pane.table, offset=(3, 4), control=True)
            assert app.ids == []


async def test_a_batch_that_ended_takes_its_marks_off_and_leaves_those_of_what_it_left_out() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "space", "space", "space")
        # The first had the value already, so it is no part of the run; its mark was for it all the same.
        app.pane.marking.unmark_finished(frozenset(lots(2, 3)), frozenset(lots(4)))
        assert app.ids == lots(4)
        await pilot.press("space")
        # One that was taken up again, while other records are marked.
        app.pane.marking.unmark_finished(frozenset(lots(4, 9)), frozenset())
        assert app.ids == lots(5)


async def test_marks_that_a_filter_holds_back_are_said_to_be_out_of_view() -> None:
    app = MarkingStage(MemoryGateway(1000))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        await pilot.press("space", "space")
        assert "2 marked" in bottom(app)
        assert "not shown" not in bottom(app)
        app.pane.arrangement.filter_by("lot-000002")
        await until(pilot, lambda: "2 marked · 1 not shown" in bottom(app))
        assert app.pane.marking.out_of_view_note.startswith("1 marked record is not shown")
