"""The panes share the screen: their edges are moved, remembered and put back; where there is little room they fold."""

import tomllib
from pathlib import Path

import pytest
from textual.geometry import Region
from textual.widgets._toast import ToastHolder

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.record.record_pane import RecordPane
from svc_tui.ui.report import Report
from tests.browser import User, browser
from tests.flows.steps import RECORD, unlocked

PLACE = f"lots/{RECORD}"
WIDE, TALL, NARROW = (120, 40), (100, 60), (60, 16)


def regions(user: User) -> dict[str, Region]:
    """Where the panes in view are."""
    main = user.app.main
    found = {"sidebar": main.sidebar, "table": main.workspace.browse}
    record = main.query(RecordPane)
    panes = {**found, **({"record": record.first()} if record else {})}
    return {name: pane.region for name, pane in panes.items() if pane.display and pane.region}


async def arranged(user: User, *names: str) -> dict[str, Region]:
    """Wait until these panes are in view, and all of them stand still."""
    await user.until(lambda: set(regions(user)) == set(names), f"there are {sorted(regions(user))}, not {names}")
    await user.settled()
    return regions(user)


async def widths(user: User, **wanted: int) -> None:
    """Wait until the panes have so many columns."""
    await user.until(
        lambda: {name: regions(user)[name].width for name in wanted if name in regions(user)} == wanted,
        f"the panes are at {regions(user)}, not {wanted}",
    )


async def dragged(user: User, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Take hold of a cell of the screen, and let go at another."""
    await user.pilot.mouse_down(offset=start)
    await user.pilot.hover(offset=end)
    await user.pilot.mouse_up(offset=end)


def kept(state: Path) -> dict[str, object]:
    """What the state file says of the panes."""
    path = state / "state.toml"
    panes = tomllib.loads(path.read_text()).get("panes", {}) if path.exists() else {}
    assert isinstance(panes, dict)
    return panes


@pytest.mark.parametrize("handle", [0, -1], ids=["the border of the table", "the border of the sidebar"])
async def test_the_edge_of_the_sidebar_is_dragged_and_is_there_the_next_time(
    service: RunningService, tmp_path: Path, handle: int
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        edge = (await arranged(user, "sidebar", "table"))["sidebar"].right
        focused = user.app.main.focused
        await dragged(user, (edge + handle, 5), (edge + handle + 7, 9))
        await widths(user, sidebar=37, table=83)
        await user.until(lambda: kept(tmp_path) == {"sidebar": 37}, "the width was not remembered")
        assert user.app.main.focused is focused
        assert not user.app.screen.selections
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await widths(user, sidebar=37, table=83)
        edge = (await arranged(user, "sidebar", "table"))["sidebar"].right
        await user.pilot.click(offset=(edge, 5), times=2)
        await widths(user, sidebar=30, table=90)
        await user.until(lambda: kept(tmp_path) == {}, "the width was not forgotten")


async def test_the_edge_of_a_record_is_dragged_beside_the_table_and_below_it_each_for_itself(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=WIDE) as user:
        edge = (await arranged(user, "sidebar", "table", "record"))["record"].x
        await dragged(user, (edge, 5), (edge - 5, 5))
        await widths(user, table=45, record=45)
        await user.until(lambda: kept(tmp_path) == {"beside": 0.5}, "the share was not remembered")
    async with browser(service, tmp_path, place=PLACE, size=TALL) as user:
        before = await arranged(user, "sidebar", "table", "record")
        assert before["record"].x == before["table"].x
        edge = before["record"].y
        assert before["table"].bottom == edge
        # Away from the titles, which stand in the borders.
        await dragged(user, (before["record"].right - 3, edge), (40, edge + 10))
        await user.until(lambda: regions(user)["record"].y == edge + 10, "the edge was not moved")
        await user.until(lambda: set(kept(tmp_path)) == {"beside", "below"}, "the share was not remembered")
    async with browser(service, tmp_path, place=PLACE, size=(210, 60)) as user:
        await widths(user, sidebar=30, table=90, record=90)


async def test_an_edge_stops_where_a_pane_would_get_too_small(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE, size=WIDE) as user:
        edge = (await arranged(user, "sidebar", "table", "record"))["record"].x
        await dragged(user, (edge, 5), (2, 5))
        await widths(user, sidebar=30, table=30, record=60)
        edge = (await arranged(user, "sidebar", "table", "record"))["record"].x
        await dragged(user, (edge, 5), (119, 5))
        await widths(user, sidebar=30, table=60, record=30)


async def test_a_mouse_beside_an_edge_means_what_it_is_on(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15, place=PLACE, size=TALL) as user:
        before = await arranged(user, "sidebar", "table", "record")
        table = user.app.main.workspace.browse.table
        await user.pilot.click(offset=(before["table"].x + 2, before["table"].y + 5))
        await user.until(lambda: table.has_focus and table.cursor_row == 3, "the click did not reach the table")
        await user.press("slash", *"silver", "enter")
        await user.sees(r"filter silver ✕")
        await user.settled()
        # What stands in the border between table and record is there to be clicked.
        row = regions(user)["table"].bottom - 1
        column = user.text.split("\n")[row].index("✕")
        await user.pilot.click(offset=(column, row))
        await user.loses(r"filter silver")
        assert regions(user) == before
        await dragged(user, (before["table"].x + 2, before["table"].y + 4), (before["table"].x + 9, 9))
        await user.settled()
        assert regions(user) == before


async def test_keys_give_the_pane_in_focus_more_room_and_less(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE, size=WIDE) as user:
        await arranged(user, "sidebar", "table", "record")
        main = user.app.main
        await user.until(lambda: main.workspace.panes.in_record, "the focus is not in the record")
        await user.press("greater_than_sign")
        await widths(user, sidebar=30, table=48, record=42)
        await user.press("less_than_sign", "less_than_sign")
        await widths(user, sidebar=30, table=52, record=38)
        await user.press("2", "greater_than_sign")
        await widths(user, sidebar=30, table=54, record=36)
        await user.press("1", "greater_than_sign")
        await widths(user, sidebar=32)
        await user.until(lambda: set(kept(tmp_path)) == {"sidebar", "beside"}, "the sizes were not remembered")
        await user.press("equals_sign")
        await widths(user, sidebar=30, table=50, record=40)
        await user.until(lambda: kept(tmp_path) == {}, "the sizes were not forgotten")
        await user.press("2", "z", "greater_than_sign")
        await user.sees(r"This pane can't be larger\.")


async def test_a_sidebar_that_was_put_away_stays_so(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await arranged(user, "sidebar", "table")
        await user.press("b")
        await widths(user, table=120)
        await user.until(lambda: kept(tmp_path) == {"folded": True}, "it was not remembered")
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await arranged(user, "table")
        await user.press("1")
        await widths(user, sidebar=30, table=90)
        await user.until(lambda: user.app.main.sidebar.has_focus, "the sidebar has no focus")
        await user.until(lambda: kept(tmp_path) == {}, "it was not remembered")


async def test_on_a_narrow_screen_the_sidebar_is_a_drawer(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=NARROW) as user:
        table = (await arranged(user, "table"))["table"]
        assert table.width == NARROW[0]
        await user.press("b")
        over = await arranged(user, "sidebar", "table")
        # Nothing below it moves.
        assert over["table"] == table
        assert user.app.main.sidebar.has_focus
        await user.press("down", "enter")
        await user.sees(r"operations / tunnels")
        assert (await arranged(user, "table"))["table"] == table
        await user.until(lambda: user.app.main.workspace.browse.has_focus_within, "the table has no focus")
        assert kept(tmp_path) == {}


async def test_the_drawer_is_drawn_over_the_table(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=NARROW) as user:
        await user.sees(r"lot-000001")
        assert "╭─ Collections ─" not in user.text
        await user.sees(r"1 Collections")
        await user.press("b")
        await user.sees(r"╭─ Collections ─")
        await user.sees(r"▪ tunnels")
        await user.sees(r"esc Close")
        await user.press("escape")
        await user.loses(r"╭─ Collections ─")


@pytest.mark.parametrize("key", ["escape", "b"])
async def test_a_drawer_that_is_closed_leaves_one_where_one_was(
    service: RunningService, tmp_path: Path, key: str
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=NARROW) as user:
        await arranged(user, "record")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the focus is not in the record")
        await user.press("1")
        await arranged(user, "sidebar", "record")
        await user.press(key)
        await arranged(user, "record")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the focus is not back in the record")


async def test_a_terminal_that_is_left_for_a_while_keeps_its_drawer(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=NARROW) as user:
        await arranged(user, "table")
        await user.press("1")
        await arranged(user, "sidebar", "table")
        user.app.app_focus = False
        await user.until(lambda: user.app.focused is None, "the focus was not taken away")
        user.app.app_focus = True
        await user.until(lambda: user.app.main.sidebar.has_focus, "the focus did not come back")
        await arranged(user, "sidebar", "table")


async def test_what_one_is_at_stays_in_view_where_table_and_record_no_longer_share_the_screen(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=WIDE) as user:
        before = await arranged(user, "sidebar", "table", "record")
        workspace = user.app.main.workspace
        await user.until(lambda: workspace.panes.in_record, "the focus is not in the record")
        await user.pilot.resize_terminal(80, 24)
        await arranged(user, "record")
        assert workspace.panes.in_record
        await user.pilot.resize_terminal(*WIDE)
        assert await arranged(user, "sidebar", "table", "record") == before
        await user.press("2")
        await user.until(lambda: workspace.browse.has_focus_within, "the focus is not in the table")
        await user.pilot.resize_terminal(80, 24)
        await arranged(user, "table")
        assert workspace.browse.has_focus_within
        await user.press("j", "enter")
        await arranged(user, "record")
        await user.sees(r"╭─ lots / lot-000003 · \S.* 3 of 300 ─╮")
        await user.pilot.resize_terminal(*WIDE)
        assert await arranged(user, "sidebar", "table", "record") == before


async def test_a_record_opened_from_a_table_in_full_screen_has_the_screen(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await arranged(user, "sidebar", "table")
        await user.sees(RECORD)
        await user.press("z")
        await arranged(user, "table")
        await user.press("j", "enter")
        assert (await arranged(user, "record"))["record"].width == WIDE[0]
        await user.press("z")
        await arranged(user, "sidebar", "table", "record")


async def test_the_edge_of_a_record_is_let_go_where_the_terminal_gets_too_small(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(120, 40)) as user:
        await user.sees(RECORD)
        await user.press("enter")
        await user.settled()
        edge = user.app.main.workspace.panes.record_region
        assert edge is not None
        await user.pilot.mouse_down(offset=(edge.x, edge.y + 5))
        await user.pilot.resize_terminal(80, 24)
        await user.settled()
        await user.pilot.hover(offset=(40, 10))
        await user.settled()
        assert user.app.mouse_captured is None


SIZES = [(60, 16), (80, 24), (100, 60), (200, 60), (300, 100)]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_after_a_storm_of_sizes_all_is_as_if_it_had_begun_so_and_nothing_is_lost(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path / "fresh", place=PLACE, size=size) as user:
        names = ("sidebar",) * (size[0] >= 100) + ("table",) * (size[0] >= 100) + ("record",)
        fresh = await arranged(user, *names)
    (tmp_path / "storm").mkdir()
    async with browser(service, tmp_path / "storm", place=PLACE, size=WIDE) as user:
        await arranged(user, "sidebar", "table", "record")
        workspace = user.app.main.workspace
        await user.until(lambda: workspace.panes.in_record, "the focus is not in the record")
        await user.press("j", "j")
        await user.until(lambda: workspace.selection.path == "priority", "the cursor is not on its field")
        for step in range(30):
            await user.pilot.resize_terminal(41 + 59 * step % 260, 9 + 23 * step % 90)
        await user.pilot.resize_terminal(*size)
        assert await arranged(user, *names) == fresh
        assert workspace.panes.in_record
        assert workspace.selection.path == "priority"


async def test_a_storm_of_sizes_loses_no_filter_that_is_being_typed_and_no_dialog(
    service: RunningService, tmp_path: Path
) -> None:
    sizes = [(61 + 47 * step % 240, 17 + 13 * step % 80) for step in range(20)]
    async with browser(service, tmp_path, page_size=15, place="lots", size=WIDE) as user:
        await user.sees(RECORD)
        await user.press("slash", *"silv")
        for size in [*sizes, (20, 5), (80, 24)]:
            await user.pilot.resize_terminal(*size)
        await arranged(user, "table")
        await user.press(*"er")
        await user.sees(r"/ silver")
        await user.press("enter")
        await user.press("x")
        await user.sees(r"╭─ Actions on ")
        for size in [*sizes, (20, 5), (60, 16)]:
            await user.pilot.resize_terminal(*size)
        await user.sees(r"╭─ Actions on ")
        await user.settled()
        dialog = user.app.screen.query_one("#dialog").region
        assert Region(0, 0, 60, 16).contains_region(dialog)
        await user.press("escape")
        await user.until(lambda: user.app.screen is user.app.main, "the dialog was not closed")
        await user.sees(r"filter silver ✕")


async def test_a_terminal_too_small_to_be_used_says_so_and_does_nothing_until_it_is_larger(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press("slash", "s")
        await user.pilot.resize_terminal(40, 10)
        await user.sees(r"svc-tui needs 60x16, you have 40x10\.")
        assert "lot-0" not in user.text
        await user.press("x", "escape", "delete")
        await user.pilot.resize_terminal(60, 15)
        await user.sees(r"svc-tui needs 60x16, you have 60x15\.")
        await user.pilot.resize_terminal(60, 16)
        await user.loses(r"svc-tui needs")
        await user.press("i")
        await user.sees(r"/ si\b")
        assert user.app.screen is user.app.main


@pytest.mark.parametrize("key", ["x", "ctrl+p", "question_mark"])
async def test_a_dialog_says_that_the_terminal_is_too_small_too(
    service: RunningService, tmp_path: Path, key: str
) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press(key)
        await user.until(lambda: user.app.screen is not user.app.main, "no dialog was opened")
        dialog = user.app.screen
        await user.settled()
        await user.pilot.resize_terminal(50, 15)
        await user.sees(r"svc-tui needs 60x16, you have 50x15\.")
        await user.settled()
        assert user.text.split() == ["svc-tui", "needs", "60x16,", "you", "have", "50x15."]
        await user.pilot.resize_terminal(80, 24)
        await user.loses(r"svc-tui needs")
        assert user.app.screen is dialog


async def test_the_top_of_a_frame_is_of_one_colour_wherever_the_focus_goes(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.settled()

        def colours_at_the_top() -> set[str]:
            top = user.app.screen._compositor.render_strips()[0].crop(user.app.main.workspace.region.x)
            return {str(s.style.color and s.style.color.name) for s in top if s.style and "─" in s.text}

        focused = colours_at_the_top()
        await user.press("1")
        await user.settled()
        left = colours_at_the_top()
        assert (len(focused), len(left)) == (1, 1)
        assert left != focused


# Cursors


async def at_record(user: User, record_id: str, field: str) -> None:
    """Wait until the record is open with the cursor on that field."""
    main = user.app.main

    def is_there() -> bool:
        selection = main.workspace.selection
        is_open = main.workspace.panes.in_record and selection.record is not None
        return is_open and (selection.record.id, selection.field) == (record_id, field)  # type: ignore[union-attr]

    await user.until(is_there, f"the cursor is not on {field} of {record_id}")


@pytest.mark.parametrize("size", [WIDE, (80, 24)])
async def test_back_in_the_record_the_cursor_is_on_its_field_however_the_user_comes_back(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, place="lots", size=size) as user:
        await user.sees(r"lot-000001")
        table = user.app.main.workspace.browse.table
        await user.press("j", "enter")
        await at_record(user, "lot-000002", "name")
        while user.app.main.workspace.selection.field != "grade":
            await user.press("j")
        for number, (leave, back) in enumerate([("escape", "enter"), ("2", "enter"), ("2", "3")], start=2):
            await user.press(leave)
            await user.until(lambda: table.has_focus, "the table has no focus")
            assert table.cursor_record is not None
            assert (table.cursor_record.id, table.cursor_field) == (f"lot-{number:06d}", "id")
            await user.press("j", back)
            await at_record(user, f"lot-{number + 1:06d}", "grade")
        await user.press("escape")
        await user.until(lambda: table.has_focus, "the table has no focus")
        # Another column leads to its own field.
        await user.press("l", "enter")
        await at_record(user, "lot-000005", "name")


async def test_the_cursor_of_the_record_stays_on_its_field_over_rows_that_are_not_loaded(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE, page_size=10) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await at_record(user, "lot-000001", "name")
        while user.app.main.workspace.selection.field != "grade":
            await user.press("j")
        await user.press("2", "G")
        await user.sees(r"╭─ lot-000300 ")
        await user.press("3")
        await at_record(user, "lot-000300", "grade")


async def test_back_from_a_reference_the_cursors_are_on_the_record_and_the_field_that_led_there(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(r"lot-000001")
        await user.press("j", "enter")
        await at_record(user, "lot-000002", "name")
        while user.app.main.workspace.selection.field != "tunnelId":
            await user.press("j")
        await user.press("f")
        await user.sees(r"╭─ tun-\d+ ")
        await user.press("left_square_bracket")
        await at_record(user, "lot-000002", "tunnelId")
        await user.press("2")
        table = user.app.main.workspace.browse.table
        await user.until(lambda: table.has_focus and table.cursor_record is not None, "no row has the cursor")
        assert table.cursor_record is not None
        assert table.cursor_record.id == "lot-000002"


async def test_a_record_alone_on_the_screen_says_where_it_is(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press("j", "enter")
        await user.sees(r"╭─ lots / lot-000002 · Cobalt doré 2 ─+ 2 of 300 ─╮")
        await user.loses(r"Cobalt doré 2 ─╯")
        # Beside the table, which says all that, it is called by its id.
        await user.pilot.resize_terminal(*WIDE)
        await user.sees(r"╭─ lot-000002 ─+╮")
        await user.pilot.resize_terminal(80, 24)
        await user.press("escape", "slash", *"nickel", "enter")
        await user.sees(r"matches in")
        await user.press("enter")
        await user.sees(r"╭─ lots / lot-000007 · Nickel ore 7 ─+ 1 of \d+\+? ─╮")


async def test_on_a_narrow_screen_the_line_of_keys_says_how_to_open_and_close_the_collections(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(r"⏎ Open  space Mark  1 Collections  / Filter  q Quit  \^p Commands  \? Help")
        await user.press("1")
        await user.sees(r"⏎ Open  : Go to  esc Close")
        await user.press("escape", "enter")
        await user.sees(r" / Search  e Edit  x Actions  R Referenced by  q Back  \^p Commands  \? Help")
        await user.press("up")
        # The id can't be edited.
        await user.sees(r" / Search  x Actions  R Referenced by  : Go to  q Back  \^p Commands  \? Help")
        await user.press("slash", *"gra", "enter")
        await user.sees(r"q End search")
        await user.press("escape")
        await user.sees(r"q Back")
        await user.press("escape")
        await user.sees(r"1 Collections")
        await user.pilot.resize_terminal(*WIDE)
        await user.loses(r"1 Collections")
        await user.sees(
            r" ⏎ Open  space Mark  v Start range  x Actions  : Go to  / Filter  q Quit  \^p Commands  \? Help"
        )
        await user.press("v")
        await user.sees(r"v ends the range [\s\S]+ space Mark  x Actions on 1…  v End range  ")
        await user.press("v")
        await user.sees(r"1 marked [\s\S]+ v Start range  ")
        await user.press("U", "enter")
        await user.sees(r" } Next tab  / Search  e Edit  x Actions  R Referenced by  : Go to  q Back")


async def test_on_a_narrow_screen_the_line_of_keys_names_the_record_that_a_reference_was_followed_from(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(80, 24)) as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        user.app.main.go(Place(COLLECTIONS[1], "tun-01"))
        await user.sees(r" e Edit  x Actions  R Referenced by  q Back to lot-000002  \^p Commands  \? Help")
        await user.press("q")
        await user.sees(r"╭─ lots / lot-000002 [\s\S]+ q Back  ")


async def test_on_a_narrow_screen_the_line_of_keys_names_undo_once_something_was_sent(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(80, 24)) as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        await user.press("e", *"Once", "enter", "ctrl+s")
        await user.sees(r"esc Keep the draft +y Send")
        await user.press("y")
        await user.sees(r"Saved lot-000002")
        await user.sees(r" e Edit  x Actions  u Undo…  R Referenced by  q Back  \^p Commands  \? Help")
        await user.press("escape")
        await user.sees(r" ⏎ Open  space Mark  u Undo…  : Go to  / Filter  q Quit  \^p Commands  \? Help")
        # Where there is no room for all, what is next stays.
        await user.press("space")
        await user.sees(r"space Mark  x Actions on 1…  ")
        await user.press("U")
        await user.loses(r"1 marked")
        await user.press("slash", *"silver", "enter")
        await user.sees(r" ⏎ Open  space Mark  x Actions  / Filter  q Clear filter  ")


async def test_an_applied_filter_is_cleared_before_the_same_key_quits_as_the_line_of_keys_says(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(RECORD)
        for key in ("q", "escape"):
            await user.sees(r"q Quit")
            await user.press("slash", *"silver", "enter")
            await user.sees(r"matches in 300 ")
            await user.sees(r"/ Filter  q Clear filter  \^p Commands")
            await user.press(key)
            await user.loses(r"q Clear filter")
            await user.sees(r"lot-000002")
        await user.press("slash", *"silver", "enter", "v")
        await user.sees(r"v End range")
        await user.loses(r"q (Clear filter|Quit)")


async def test_the_line_of_keys_names_only_what_can_be_done_with_what_is_under_the_cursor(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(RECORD)
        # The id can't be edited.
        await user.sees(r"⏎ Open  space Mark  v Start range  x Actions")
        await user.loses(r"f Follow")
        while user.app.main.workspace.selection.field != "tunnelId":
            await user.press("l")
        await user.sees(r"⏎ Open  space Mark  v Start range  e Edit  x Actions  f Follow")
        await user.loses(r"R Referenced by")
        await user.press("enter")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        await user.sees(r"/ Search  e Edit  x Actions  f Follow  R Referenced by")
        await user.press("k")
        await user.sees(r"/ Search  e Edit  x Actions  R Referenced by")
        await user.press("slash")
        await user.sees(r" ⏎ Find  esc Close  \^p Commands  f1 Help")
        await user.press("escape")
        await user.press("g", "j", "e")
        await user.sees(r"Apply  esc Cancel")
        await user.press("ctrl+u", *"new", "enter")
        await user.sees(r"\^s Review")
        await user.press("backspace")
        await user.loses(r"\^s Review")


async def test_the_line_of_keys_says_that_enter_takes_a_filter_to_what_is_not_loaded(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(RECORD)
        await user.press("slash", *"silver")
        await user.sees(r" ⏎ Search all 300  esc Clear filter  \^p Commands  f1 Help")
        await user.press("enter")
        await user.sees(r"matches in 300 ")
        await user.press("slash")
        await user.sees(r" ⏎ Apply  esc Clear filter  \^p Commands")


async def test_the_line_of_keys_speaks_of_the_dialog_that_is_open(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(r"⏎ Open  space Mark  1 Collections")
        for key, keys in (
            ("ctrl+p", r"⏎ Run  esc Close"),
            ("x", r"⏎ Choose  esc Cancel"),
            ("colon", r"⏎ Go  tab Complete  \^f Search records  esc Cancel"),
            ("at", r"⏎ Details  u Undo  y Copy  / Search  esc Close  \? Keys"),
        ):
            await user.press(key)
            await user.sees(keys + r" *$")
            await user.loses(r"space Mark")
            await user.press("escape")
            await user.sees(r"⏎ Open  space Mark  1 Collections")


async def test_a_key_that_a_button_names_is_not_in_the_line_of_keys(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press("delete")
        await user.sees(r"esc Cancel +y Delete")
        await user.sees(r"t Ticket [^\n]*\? Keys *$")
        assert user.text.count("esc Cancel") == 1
        assert "Commands" not in user.text


async def test_the_line_of_keys_of_a_dialog_names_no_letter_that_is_typed_and_is_clicked(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(100, 30)) as user:
        await user.sees(RECORD)
        await user.press("o")
        await user.sees(r"J K Move  < > = Width")
        columns = user.app.main.workspace.browse.table.columns
        width = columns[0].width
        line = user.text.splitlines()[-1]
        await user.pilot.click(offset=(line.index("< > ="), 29))
        await user.until(
            lambda: user.app.main.workspace.browse.table.columns[0].width != width, "the column is as wide as before"
        )
        await user.press("slash")
        await user.loses(r"J K Move")


async def test_a_notice_of_what_was_done_makes_way_for_a_dialog(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press("c")
        await user.sees(r"Copied")
        await user.press("s")
        await user.sees(r"─ Sort")
        await user.loses(r"Copied")


async def test_a_search_of_the_record_without_a_match_stays_open_and_esc_ends_it_alone(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        await user.press("slash", *"nowhere", "enter")
        await user.sees(r"/ nowhere +no matches ")
        # A search that is over, but goes on with n, is ended before the record is.
        await user.press(*["backspace"] * 7, *"tun-", "enter")
        await user.sees(r"1 of \d")
        for _ in range(2):
            assert user.app.main.workspace.panes.record_open
            await user.press("escape")
            await user.loses(r"1 of \d")
        await user.until(lambda: not user.app.main.workspace.panes.record_open, "the record is still open")


async def test_what_was_searched_for_in_vain_is_hidden_with_personal_data(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="workers/wrk-0001") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        await user.press("slash", *"somebody", "enter")
        await user.sees(r"/ somebody +no matches ")
        await user.press("ctrl+o")
        await user.loses(r"somebody")


async def test_on_live_the_line_of_keys_names_the_key_of_the_lock(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", key="live", size=WIDE) as user:
        await user.sees(r"LOCKED[\s\S]+ w Unlock ")
        await unlocked(user)
        await user.sees(r"WRITABLE[\s\S]+ w Lock ")
        await user.press("w")
        await user.sees(r"LOCKED[\s\S]+ w Unlock ")
    async with browser(service, tmp_path / "sandbox", place="lots", size=WIDE) as user:
        await user.sees(
            r"⏎ Open  space Mark  v Start range  x Actions  : Go to  / Filter  q Quit  \^p Commands  \? Help"
        )


async def test_nothing_is_left_of_a_notice_that_was_taken_away(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(RECORD)
        for number in range(3):
            user.app.main.report(Report(f"Notice {number}."))
            await user.sees(rf"Notice {number}\.")
            await user.press("colon")
            await user.sees(r"╭─ Go to ")
            await user.press("escape")
            await user.loses(r"Notice \d\.")
        await user.until(lambda: not user.app.screen.query(ToastHolder), "what held a notice is still there")


async def test_esc_clears_a_filter_without_matches_before_it_closes_the_record(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(RECORD)
        await user.press("enter", "2", "slash")
        await user.types("no such thing")
        await user.press("enter")
        # Before that it would stop loading the rest.
        await user.sees(r"0 matches in 300 ")
        await user.press("escape")
        await user.sees(r"lot-000001")
        assert user.app.main.workspace.panes.record_open


async def test_b_opens_the_drawer_of_a_narrow_screen_that_is_maximized(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(RECORD)
        await user.press("z", "b")
        await arranged(user, "sidebar", "table")
        assert not user.app.main.context.remembered.sizes.folded
