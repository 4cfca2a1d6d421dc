"""The browse pane over a gateway of any size: what it asks for, how often, and where the cursor stays."""

import asyncio
from time import monotonic

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Place, Record
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.core.values import replace
from svc_tui.service.errors import ServerFault, ServiceError, Unreachable
from svc_tui.ui.table.open_collections import CursorPosition
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.ui.browsing import PaneStage, quiet, text
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway, lot
from tests.ui.stage import picture, until


def line_ground(table: RecordTable, line: int) -> object:
    """The ground of a line of a table, in the column behind the cursor."""
    style = list(table.render_line(line))[2].style
    assert style is not None
    return style.bgcolor


async def test_a_collection_opens_with_its_count_in_the_frame() -> None:
    gateway = MemoryGateway(5000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert "lot-000009" in text(app)
        top = picture(app)[0]
        assert top.startswith("╭─ operations / lots ─")
        assert top.endswith("─ 1–9 of 5,000 ─╮")
        assert len(top) == 80
        assert ("lots", 5000) in app.told
        assert (0, "lot-000001") in app.told
        await pilot.press("enter")
        assert app.told[-1] == ("lots", "lot-000001")


async def test_the_last_of_ten_million_is_two_requests_away() -> None:
    gateway = MemoryGateway(10_000_000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.asked.clear()
        await pilot.press("G")
        await until(pilot, lambda: "lot-10000000" in text(app))
        await quiet(app, pilot, gateway)
        assert [(number, background) for _, number, background in gateway.asked] == [(200_000, False)]
        assert "9,999,992–10,000,000 of 10,000,000" in picture(app)[0]


async def test_without_a_total_the_end_is_looked_for_and_said() -> None:
    gateway = MemoryGateway(12_345, told=False)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert "1–9 of 100+" in picture(app)[0] or "1–9 of 50+" in picture(app)[0]
        assert ("lots", None) not in app.told
        gateway.asked.clear()
        await pilot.press("G")
        await until(pilot, lambda: "lot-012345" in text(app))
        assert len(gateway.asked) < 25
        await until(pilot, lambda: "12,337–12,345 of 12,345" in picture(app)[0])
        assert app.pane.table.cursor_row == 12_344
        assert ("lots", 12_345) in app.told


async def test_the_end_is_found_where_the_total_named_too_many() -> None:
    gateway = MemoryGateway(12_345, surplus=12_345)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        await pilot.press("G")
        await until(pilot, lambda: "lot-012345" in text(app))
        await until(pilot, lambda: "12,337–12,345 of 12,345" in picture(app)[0])
        assert app.pane.table.cursor_row == 12_344


async def test_a_page_that_is_not_found_is_past_the_end() -> None:
    gateway = MemoryGateway(1234, told=False, strict=True)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        await pilot.press("G")
        await until(pilot, lambda: "lot-001234" in text(app))
        await until(pilot, lambda: "of 1,234 ─╮" in picture(app)[0])


async def test_old_rows_say_their_age_until_they_are_read_again() -> None:
    hour = [0.0]
    gateway = MemoryGateway(500)
    app = PaneStage(gateway, now=lambda: monotonic() + hour[0])
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.failure = Unreachable("no route")
        hour[0] = 3600.0
        app.pane.refresh_rows()
        await until(pilot, lambda: "loaded 60 min ago · ✕ no route" in picture(app)[-1])
        assert "lot-000001" in text(app)
        gateway.failure = None
        app.pane.refresh_rows()
        await until(pilot, lambda: "ago" not in picture(app)[-1])
        await quiet(app, pilot, gateway)
        assert "no route" not in text(app)


async def test_moving_on_while_the_end_is_looked_for_leaves_the_cursor_alone() -> None:
    gateway = MemoryGateway(12_345, told=False)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.gate = asyncio.Event()
        await pilot.press("G")
        assert "searching for the last record" in picture(app)[-1]
        await pilot.press("down")
        gateway.gate.set()
        await until(pilot, lambda: app.pane.rows.end_known)
        await quiet(app, pilot, gateway)
        assert app.pane.table.cursor_row == 1


async def test_no_page_is_asked_for_twice_and_at_most_two_at_a_time() -> None:
    gateway = MemoryGateway(100_000, latency=0.002)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await until(pilot, lambda: app.pane.rows.loaded)
        for key in [*["pagedown"] * 25, "G", *["pageup"] * 10, "g"]:
            await pilot.press(key)
        await quiet(app, pilot, gateway)
        numbers = [number for _, number, _ in gateway.asked]
        assert len(numbers) == len(set(numbers))
        assert gateway.most_under_way <= 2


async def test_what_is_in_view_is_asked_for_by_hand_and_the_next_page_in_the_background() -> None:
    gateway = MemoryGateway(1000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert gateway.asked == [("lots", 1, False), ("lots", 2, True)]


async def test_a_faster_scroll_skips_what_was_left_behind() -> None:
    gateway = MemoryGateway(100_000)
    # The clock stands while the view is flung: a slow machine must not make rests of it.
    clock = [1.0]
    app = PaneStage(gateway, now=lambda: clock[0])
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.gate = asyncio.Event()
        gateway.asked.clear()
        for row in range(1000, 90_000, 1000):
            app.pane.table.move_to(row)
            await pilot.pause()
        await until(pilot, lambda: len(gateway.asked) == 2)
        gateway.gate.set()
        clock[0] += 1.0
        await quiet(app, pilot, gateway)
        assert len(gateway.asked) < 8
        assert "lot-089001" in text(app)


async def test_a_late_answer_lands_in_rows_that_nobody_looks_at() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        gateway.gate = asyncio.Event()
        app.start()
        await until(pilot, lambda: gateway.under_way == 1)
        before = app.pane.rows
        app.pane.open(TUNNELS)
        await until(pilot, lambda: gateway.under_way == 2)
        gateway.gate.set()
        await until(pilot, lambda: before.loaded and app.pane.rows.loaded)
        assert before is not app.pane.rows
        assert picture(app)[0].startswith("╭─ operations / tunnels ─")
        assert ("lots", 500) not in app.told
        assert ("tunnels", 500) in app.told


async def test_coming_back_finds_the_cursor_where_it_was() -> None:
    gateway = MemoryGateway(5000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.table.move_to(3210)
        await pilot.press("right", "right")
        await quiet(app, pilot, gateway)
        app.pane.open(TUNNELS)
        await quiet(app, pilot, gateway)
        assert app.pane.table.cursor_row == 0
        app.pane.open(LOTS)
        await until(pilot, lambda: "lot-003211" in text(app))
        assert app.pane.cursor.position == CursorPosition(3210, "createdAt", "lot-003211")


async def test_a_refresh_keeps_the_cursor_on_its_record() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        await pilot.press(*["down"] * 6)
        gateway.dropped = 2
        gateway.gate = asyncio.Event()
        app.pane.refresh_rows()
        await pilot.pause()
        assert "lot-000007" in text(app), "what was seen stays until it is read again"
        assert "500" in picture(app)[0]
        gateway.gate.set()
        await until(pilot, lambda: "of 498" in picture(app)[0])
        await quiet(app, pilot, gateway)
        assert app.pane.cursor.position == CursorPosition(4, "id", "lot-000007")
        assert "lot-000001" not in text(app)


async def test_a_refresh_finds_the_cursors_record_on_the_page_before() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.table.move_to(70)
        await quiet(app, pilot, gateway)
        app.pane.table.scroll_to(y=50, animate=False, force=True)
        app.pane.table.move_to(50)
        await quiet(app, pilot, gateway)
        gateway.dropped = 2
        gateway.asked.clear()
        app.pane.refresh_rows()
        await until(pilot, lambda: app.pane.table.cursor_row == 48)
        assert app.pane.cursor.position.record_id == "lot-000051"
        assert gateway.asked[0] == ("lots", 2, False), "what is in view goes first"


async def test_a_failed_first_page_is_said_in_place_and_tried_again() -> None:
    gateway = MemoryGateway(500, failure=Unreachable("cannot reach [gateway.test]: no route"))
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "no route" in text(app))
        assert "✕ Could not load lots: cannot reach [gateway.test]: no route." in text(app)
        assert "r  Try again" in text(app)
        gateway.failure = None
        app.pane.refresh_rows()
        await until(pilot, lambda: "lot-000001" in text(app))
        assert "no route" not in text(app)


async def test_a_later_failure_leaves_what_is_there() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.failure = ServiceError("the service is away")
        await pilot.press("G")
        await until(pilot, lambda: "r Retry" in text(app))
        assert any("✕ the service is away · r Retry" in line for line in picture(app)[2:-1])
        assert "the service is away" in picture(app)[-1]
        assert gateway.failure in app.told
        await pilot.press("g")
        await until(pilot, lambda: "lot-000001" in text(app))
        gateway.failure = None
        await pilot.press("G")
        assert "r Retry" in text(app)
        app.pane.refresh_rows()
        await until(pilot, lambda: "lot-000500" in text(app))
        assert "away" not in text(app)


async def test_an_empty_collection_says_so() -> None:
    gateway = MemoryGateway(0)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "No lots.  a Add one" in text(app))
        assert "─ 0 ─╮" in picture(app)[0]
        gateway.count = 3
        app.pane.refresh_rows()
        await until(pilot, lambda: "lot-000003" in text(app))
        assert "No lots" not in text(app)


async def test_what_the_service_was_asked_for_is_named_where_nothing_comes_of_it() -> None:
    gateway = MemoryGateway(0)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "No lots." in text(app))
        app.pane.set_service_query((("status", "opne"), ("grade", "A")))
        await until(pilot, lambda: "No lots match ?status=opne ?grade=A." in text(app))
        assert "-  Clear it" in text(app)
        gateway.failure = Unreachable("no route")
        app.pane.set_service_query((("colour", "red"),))
        await until(pilot, lambda: "r  Try again" in text(app))
        lines = text(app).splitlines()
        again = next(at for at, line in enumerate(lines) if "r  Try again" in line)
        assert "-  Clear ?colour=red" in lines[again + 1]


async def test_the_spinner_turns_only_after_a_while_and_stops() -> None:
    gateway = MemoryGateway(500)
    clock = [1.0]
    app = PaneStage(gateway, now=lambda: clock[0])
    async with app.run_test(size=(80, 12)) as pilot:
        gateway.gate = asyncio.Event()
        app.start()
        await until(pilot, lambda: gateway.under_way)
        assert not set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") & set(picture(app)[0])
        clock[0] += 1.0
        await until(pilot, lambda: bool(set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") & set(picture(app)[0])))
        gateway.gate.set()
        await until(pilot, lambda: not set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") & set(picture(app)[0]))
        assert "1–9 of 500" in picture(app)[0]


async def test_an_answered_patch_shows_in_its_row() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        changed = Record({**lot(3).fields, "grade": "premium+"})
        place = Place(LOTS, "lot-000004")
        app.drafts.put(place, Draft(lot(3)).with_value("grade", "premium+"))
        app.pane.show_drafts()
        await pilot.pause()
        assert "premium+*" in picture(app)[5]
        assert "1 draft" in picture(app)[-1]
        app.drafts.put(place, Draft(lot(3)))
        app.pane.show_drafts()
        app.pane.replace(changed)
        await pilot.pause()
        assert "premium+ " in picture(app)[5]
        assert "changed" not in picture(app)[-1]


async def test_a_record_among_those_held_is_found() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.pane.open(LOTS)
        assert not app.pane.cursor.select_record("lot-000030"), "nothing has come yet"
        await quiet(app, pilot, gateway)
        assert app.pane.table.cursor_row == 29, "it was kept in mind"
        assert app.pane.cursor.select_record("lot-000042")
        assert app.pane.table.cursor_row == 41
        assert not app.pane.cursor.select_record("lot-000400")


async def test_the_profiles_columns_and_query_are_used() -> None:
    profile = Profile(
        "test", page_size=20, collections={"operations/lots": CollectionSettings(columns=("massKg", "id", "nothing"))}
    )
    gateway = MemoryGateway(500)
    app = PaneStage(gateway, profile)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert picture(app)[1].strip("│ ").split() == ["massKg", "id", "nothing"]
        assert app.pane.rows.page_size == 20


async def test_rows_that_shift_are_said() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.dropped = 3
        app.pane.table.move_to(120)
        await until(pilot, lambda: "records moved while loading" in picture(app)[-1])
        app.pane.refresh_rows()
        await quiet(app, pilot, gateway)
        assert "records moved while loading" not in picture(app)[-1]


async def test_markup_and_controls_in_data_harm_nothing() -> None:
    def nasty(row: int) -> Record:
        fields: dict[str, Json] = {
            "id": f"[/x]{row}\x1b]0;owned\x07",
            "[bold]name": "[red]a[/] \u202egnp.exe\n\r\x9b2J",
            "big": "x" * 100_000,
            "deep": number("9" * 4000),
        }
        return Record(fields)

    gateway = MemoryGateway(60, make=nasty)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 12)) as pilot:
        app.pane.open(replace(LOTS, name="[/lots]\x1b[2J", segment="lots"))
        await quiet(app, pilot, gateway)
        shown = text(app)
        assert "operations / [/lots]␛[2J" in shown
        assert "[/x]0␛]0;owned␇" in shown
        assert not any(character in shown for character in "\x1b\x07\x9b\u202e\r")
        assert {len(line) for line in picture(app)} == {100}


async def test_the_cursor_goes_to_an_open_record_as_soon_as_its_row_is_loaded() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.pane.open(LOTS)
        await quiet(app, pilot, gateway)
        assert not app.pane.cursor.select_record("lot-000300")
        await pilot.pause()
        assert "lot-000300: not shown here" in picture(app)[-1]
        # Beside a record that has no row none looks as if it were the record's.
        table = app.pane.table
        assert (line_ground(table, 1) != line_ground(table, 2)) is table.has_focus
        app.screen.set_focus(None)
        await until(pilot, lambda: not table.has_focus)
        assert line_ground(table, 1) == line_ground(table, 2)
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.table.cursor_row == 299)
        assert "lot-000300" not in picture(app)[-1]


async def test_a_record_that_is_not_in_the_list_is_told_of_until_another_is_open() -> None:
    gateway = MemoryGateway(20)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.pane.open(LOTS)
        await quiet(app, pilot, gateway)
        assert not app.pane.cursor.select_record("lot-000300")
        await pilot.pause()
        assert "lot-000300 is not in this list" in picture(app)[-1]
        app.pane.cursor.release_record("lot-000300")
        await pilot.pause()
        assert "lot-000300 is not in this list" in picture(app)[-1]
        app.pane.cursor.release_record(None)
        await pilot.pause()
        assert "lot-000300" not in picture(app)[-1]


async def test_the_rest_is_read_two_requests_at_a_time_behind_what_is_in_view() -> None:
    gateway = MemoryGateway(1000)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.asked.clear()
        gateway.gate = asyncio.Event()
        gateway.most_under_way = 0
        app.pane.viewport.load_rest()
        await until(pilot, lambda: gateway.under_way == 2)
        await until(pilot, lambda: "Loading the rest: 0 of 5 requests · esc stop" in picture(app)[-1])
        gateway.gate.set()
        await until(pilot, lambda: app.pane.rows.cached == 1000)
        assert gateway.asked == [("lots", number, True) for number in range(1, 6)]
        assert gateway.most_under_way == 2
        assert [record.id for record in app.pane.rows.records_once()] == [lot(row).id for row in range(1000)]


async def test_a_loading_of_the_rest_that_failed_is_over() -> None:
    gateway = MemoryGateway(1000)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        opened = app.pane.open_collections.current
        assert opened is not None
        gateway.failure = ServerFault("the service failed")
        app.pane.viewport.load_rest()
        await until(pilot, lambda: opened.load_rest_started_at is None)
        assert "Loading the rest" not in text(app)
        gateway.failure = None
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.rows.cached == 1000)


async def test_records_for_which_there_is_no_space_are_read_again_and_the_user_is_told_once() -> None:
    gateway = MemoryGateway(2000)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 20)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.rows.store._db.execute("PRAGMA max_page_count = 1")
        app.pane.viewport.load_rest()
        await until(pilot, lambda: len(app.notices) == 1)
        assert app.notices[0].startswith("No space left for temporary files")
        app.pane.table.move_to(0)
        await until(pilot, lambda: "lot-000001" in text(app))
        app.pane.table.move_to(1999)
        await until(pilot, lambda: "lot-002000" in text(app))
        assert len(app.notices) == 1


async def test_while_the_first_rows_are_awaited_a_sentence_in_the_middle_says_so() -> None:
    gateway = MemoryGateway(3)
    gateway.gate = asyncio.Event()
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "Loading lots…" in text(app))
        line = next(line for line in picture(app) if "Loading lots…" in line)
        left, right = line.split("Loading lots…")
        assert abs(len(left) - len(right)) <= 1
        gateway.gate.set()
        await until(pilot, lambda: "lot-000003" in text(app))
        assert "Loading" not in text(app)
