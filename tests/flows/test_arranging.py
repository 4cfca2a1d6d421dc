"""Filtering, sorting, asking the service, saved views, tabs, rows by number, and what is remembered of it all."""

import re
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.variants import Variants
from tests.browser import User, browser
from tests.flows.steps import at_name, changed_elsewhere, deleted_elsewhere, renamed


def lists(service: RunningService) -> list[str]:
    """The queries of the lists of lots that were asked for."""
    return [target.partition("?")[2] for target in (a.target for a in service.attempts) if "/lots?" in target]


def rows(user: User) -> list[str]:
    """The ids of the lots on the screen, from the top."""
    return re.findall(r"lot-\d{6}", user.text)


def remembered(state: Path) -> str:
    """What the next start will know."""
    file = state / "state.toml"
    return file.read_text() if file.is_file() else ""


async def filtered(user: User, text: str) -> None:
    """Type a filter and keep it, whatever it offers then."""
    await user.press("slash")
    await user.sees(r"│ / ")
    await user.types(text)
    await user.press("enter")


async def palette(user: User, command: str) -> None:
    """Run a command of the palette."""
    await user.press("ctrl+p")
    await user.sees(r"Search for commands")
    await user.types(command.lower())
    await user.sees(command)
    await user.press("enter")


async def click(user: User, text: str) -> None:
    """Click on the first place where the screen shows `text`."""
    lines = user.text.split("\n")
    line = next(number for number, line in enumerate(lines) if text in line)
    await user.pilot.click(offset=(lines[line].index(text), line))


async def test_a_filter_holds_as_one_types_and_says_what_it_looked_through(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"1–\d+ of 300")
        await user.sees(r"lot-000030")
        # The page after the one in view is read as well.
        await user.settled()
        await user.press("slash")
        await user.types("status:rej")
        await user.sees(r"\d+ match(es)? in (50|100) of 300 loaded ")
        await user.sees(r"filter status:rej ✕")
        asked = len(lists(service))
        statuses = re.findall(r"● open|◐ in transit|✓ closed|✕ rejected", user.text)
        assert statuses
        assert set(statuses) == {"✕ rejected"}
        await user.press("escape")
        await user.sees(r"1–\d+ of 300")
        assert len(lists(service)) == asked


async def test_enter_offers_the_rest_for_what_it_costs(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each key is to show what it does: no clock helps.
    monkeypatch.setattr("svc_tui.ui.table.table_pane._AGE_SECONDS", 3600)
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await filtered(user, "status:rejected")
        cost = await user.sees(r"ctrl\+l +Load the rest \((\d+) requests\)")
        before = len(lists(service))
        # It takes no key: the table goes on below it.
        await user.press("G", "slash")
        await user.loses(r"Load the rest")
        await user.press("enter")
        await user.sees(r"ctrl\+l +Load the rest \(\d+ requests\)")
        assert len(lists(service)) == before
        await user.press("ctrl+l")
        await user.sees(r" \d+ match(es)? in 300 ─╮")
        assert len(lists(service)) - before == int(cost[1])
        await user.loses(r"Load(ing)? the rest")
        await user.press("G")
        await user.sees(r"lot-0002\d\d")


async def test_the_rest_comes_in_requests_of_200(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=2500)) as service:
        async with browser(service, tmp_path, size=(80, 24)) as user:
            await user.sees(r"of 2,500 ")
            await user.settled()
            await filtered(user, "status:rejected")
            await user.sees(r"\d+ matches in 100 of 2,500 loaded ─╮")
            await user.sees(r"ctrl\+l +Load the rest \(13 requests\)")
            before = len(lists(service))
            service.faults.next("hold", 2)
            await user.press("ctrl+l")
            await user.sees(r"Loading the rest: 0 of 13 requests · esc stop")
            service.faults.clear()
            await user.sees(r" \d+ matches in 2,500 ─╮")
            assert sorted(lists(service)[before:]) == sorted(f"page={page}&limit=200" for page in range(1, 14))
            found = user.app.main.workspace.browse.rows.records_once()
            assert [record.id for record in found] == [f"lot-{number:06d}" for number in range(1, 2501)]


@pytest.mark.parametrize("over_cap", ["capped", "refused"])
async def test_a_service_that_gives_fewer_than_200_is_asked_for_pages_of_50(tmp_path: Path, over_cap: str) -> None:
    options = SandboxOptions(records=300, variants=Variants({"page-cap": "100", "over-cap": over_cap}))
    with running_service(options) as service:
        async with browser(service, tmp_path) as user:
            await user.sees(r"1–\d+ of 300")
            await user.settled()
            await filtered(user, "status:rejected")
            await user.sees(r" \d+ match(es)? in 300 ─╮")
            assert {query.partition("limit=")[2] for query in lists(service)} == {"50", "200"}
            found = user.app.main.workspace.browse.rows.records_once()
            assert [record.id for record in found] == [f"lot-{number:06d}" for number in range(1, 301)]


async def test_a_request_for_the_rest_that_fails_is_offered_again(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=2500)) as service:
        async with browser(service, tmp_path) as user:
            await user.sees(r"of 2,500 ")
            await user.settled()
            await filtered(user, "status:rejected")
            await user.sees(r"Load the rest \(13 requests\)")
            service.faults.always("500", method="GET")
            await user.press("ctrl+l")
            await user.sees(r"Could not load the records|✕ ")
            await user.quiet()
            service.faults.clear()
            await user.sees(r"ctrl\+l +Load the rest \(13 requests\)")
            await user.press("ctrl+l")
            await user.sees(r" \d+ matches in 2,500 ─╮")


async def test_few_requests_are_not_asked_about(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "status:rejected")
        await user.sees(r" \d+ match(es)? in 300 ─╮")
        assert "Load the rest" not in user.text
        # Rows 51 to 200 or 101 to 200, and 201 to 300.
        assert len([query for query in lists(service) if query.endswith("limit=200")]) == 2


async def test_where_nothing_fits_the_rest_is_offered_too(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "id:lot-000299")
        # The header stays, and what is said stands below it.
        await user.sees(r"(?s)│ id .*No matches in ")
        await user.sees(r"ctrl\+l +Load the rest")
        await user.press("ctrl+l")
        await user.sees(r"lot-000299")


async def test_a_match_that_no_column_shows_is_told(service: RunningService, tmp_path: Path) -> None:
    await changed_elsewhere(service, "lot-000003", note="the pump at the north face is wet")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "pump")
        await user.sees(r"match in note: the pump at the nort…")
        assert rows(user) == ["lot-000003"]


async def test_enter_keeps_to_what_is_loaded(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await filtered(user, "doré")
        await user.sees(r"ctrl\+l +Load the rest")
        before = len(lists(service))
        await user.press("n", "n", "N")
        await user.sees(r"match(es)? in \d+ of 300 loaded")
        assert len(lists(service)) == before


async def test_esc_stops_looking_through_the_rest(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "ore")
        await user.sees(r"ctrl\+l +Load the rest")
        await user.quiet()
        service.faults.next("hold", 2)
        await user.press("ctrl+l")
        await user.sees(r"Loading the rest: \d+ of \d+ requests · esc stop")
        await user.press("escape")
        await user.loses(r"Loading the rest")
        await user.sees(r"ctrl\+l +Load the rest")
        await user.sees(r"match(es)? in \d+ of 300 loaded")


async def test_the_rest_is_loaded_from_the_palette_for_an_exact_order(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.press("s")
        await user.sees(r"Sort \d+ of 300 loaded")
        await user.press("down", "enter")
        # The order of what is loaded says little: the rest is offered with it.
        await user.sees(r"ctrl\+l +Load the rest")
        await user.sees(r"name ↑ ─")
        await palette(user, "Load the rest")
        await user.sees(r"─ 300 of 300 ─")
        await user.sees(r"name ↑ ─")
        await palette(user, "Load the rest")
        await user.sees(r"All records are loaded\.")


async def test_the_line_of_the_filter_says_its_keys(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        assert "Apply" not in user.text
        await user.press("slash")
        await user.sees(r"⏎ Search all 300  esc Clear")


async def test_nothing_that_fits_is_said_with_the_way_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("slash")
        await user.types("no such thing")
        await user.sees(r"No matches in the \d+ loaded lots\.")
        await user.sees(r"⏎  Search all 300 [^\n]*\n[^\n]* esc  Clear the filter ")
        assert "Load the rest" not in user.text
        await user.press("escape")
        await user.sees(r"lot-000001")


async def test_a_comparison_with_a_moment_and_one_that_can_match_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    await changed_elsewhere(service, "lot-000007", note="just now")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("slash")
        await user.types("updatedAt>1h")
        await user.sees(r"│ lot-000007")
        await user.loses(r"│ lot-000001")
        await user.press("ctrl+u")
        await user.types("massKg>1h")
        await user.sees(r"No matches\. massKg contains only numbers \(example: massKg>10\)\.")
        await user.press("escape", "ctrl+f")
        await user.types("massKg>yesterday")
        await user.sees(r"massKg contains only numbers \(example: massKg>10\)\.")
        await user.press("ctrl+u")
        await user.types("updatedAt>yesterday")
        await user.sees(r"lots +lot-000007")


async def test_the_service_is_asked_for_a_choice_of_its_own(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lots +300 ")
        await filtered(user, "?status=rejected")
        await user.sees(r"\?status=rejected ✕")
        chosen = await user.sees(r"1–\d+ of (\d+) ")
        assert int(chosen[1]) < 300
        assert lists(service)[-1].endswith("limit=50&status=rejected")
        assert re.search(r"lots +300 ", user.text), "the collection still holds as many as before"
        await user.until(lambda: "rejected" in remembered(tmp_path), "the choice was not remembered")
    async with browser(service, tmp_path) as user:
        await user.sees(r"\?status=rejected ✕")
        await user.press("minus")
        await user.loses(r"\?status=rejected")
        await user.sees(r"1–\d+ of 300")
        await user.until(lambda: "rejected" not in remembered(tmp_path), "the choice is still remembered")
    async with browser(service, tmp_path) as user:
        await user.sees(r"1–\d+ of 300")


async def test_a_click_on_a_chip_takes_it_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "?status=rejected ?mineral=gold")
        await user.sees(r"\?status=rejected ✕ · \?mineral=gold ✕")
        await user.sees(r"lot-\d")
        await filtered(user, "ore")
        await user.sees(r"filter ore ✕")
        await click(user, "status=rejected ✕")
        await user.loses(r"\?status=rejected")
        await user.sees(r"\?mineral=gold ✕ · filter ore ✕")
        # Where the chip stands may change once the rows have come.
        await user.settled()
        await click(user, "filter ore ✕")
        await user.loses(r"filter ore")
        await user.sees(r"\?mineral=gold ✕")


async def test_sorting_says_what_it_sorts_and_turns_round(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("s")
        await user.sees(r"Sort (50|100) of 300 loaded")
        await user.press("enter")
        await user.sees(r"id ↑ ─")
        # The few requests for the rest are not asked about.
        await user.sees(r"─ 300 of 300 ─")
        assert rows(user)[0] == "lot-000001"
        await user.press("s")
        await user.sees(r"Sort")
        await user.press("enter")
        await user.sees(r"id ↓ ─")
        await user.press("g")
        await user.sees(r"lot-000300")
        assert rows(user) == sorted(rows(user), reverse=True)
        await user.press("minus")
        await user.loses(r"id ↓ ─")
        await user.sees(r"1–\d+ of 300|\d+–\d+ of 300")


async def test_a_view_is_saved_comes_back_and_is_forgotten(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await filtered(user, "gold")
        await user.sees(r"ctrl\+l +Load the rest")
        await user.press("ctrl+p")
        await user.types("save this view")
        await user.sees(r"Save this view…")
        await user.press("enter")
        await user.sees(r"╭─ Save view")
        await user.types("only gold")
        await user.press("enter")
        await user.sees(r"▹ only gold")
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"▹ only gold")
        await user.sees(r"1–\d+ of 300")
        await user.press("colon")
        await user.types("only gold")
        await user.sees(r"operations/lots ▹ only gold")
        await user.press("enter")
        await user.sees(r"filter gold ✕")
        await user.press("minus", "1", "j", "enter")
        await user.sees(r"filter gold ✕")
        await user.press("1", "delete")
        await user.sees(r"Delete the view only gold")
        await user.press("j", "enter")
        await user.loses(r"▹ only gold")
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        assert "only gold" not in user.text


async def test_collections_stay_open_as_tabs_and_coming_back_asks_for_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("G")
        await user.sees(r"lot-000300")
        await user.press("colon")
        await user.types("workers")
        await user.press("enter")
        await user.sees(r"workforce / workers")
        await user.sees(r"lots  workers")
        await user.sees(r"wrk-0001")
        await user.settled()
        before = len(service.attempts)
        await user.press("left_curly_bracket")
        await user.sees(r"operations / lots ─")
        await user.sees(r"lot-000300")
        await user.press("ctrl+pagedown")
        await user.sees(r"workforce / workers ─")
        await user.press("ctrl+w")
        await user.sees(r"operations / lots ─")
        await user.loses(r"lots  workers")
        assert len(service.attempts) == before
        await user.press("ctrl+w")
        await user.sees(r"Only this collection is open\.")


async def test_a_row_is_reached_by_its_number(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        before = len(lists(service))
        await user.press("colon")
        await user.types("#0")
        await user.press("enter")
        await user.sees(r"rows start at #1")
        await user.press("ctrl+u")
        await user.types("#251")
        await user.sees(r"› Row 251   operations/lots")
        await user.press("enter")
        await user.sees(r"lot-000251")
        assert len(lists(service)) - before <= 3


async def test_the_next_start_comes_back_to_the_row_that_was_left(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="stock") as user:
        await user.sees(r"stk-00001")
        await user.press("G", "l", "l")
        last = (await user.sees(r"stk-00600|stk-00\d{3}"))[0]
        field = user.app.main.workspace.selection.field
        await user.press("q")
        await user.until(lambda: user.app._exit, "it did not end")
    async with browser(service, tmp_path) as user:
        await user.sees(r"inventory / stock")
        await user.sees(last)
        await user.until(lambda: user.app.main.workspace.selection.field == field, "the cursor is in another column")
        shown = user.app.main.workspace.selection.shown
        assert shown is not None
        assert shown.id == "stk-00600"


async def test_the_rest_is_read_once_more_in_order_when_a_record_goes_meanwhile(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.quiet()
        service.faults.always("hold", after=4, method="GET")
        await palette(user, "Load the rest")
        await user.until(lambda: service.faults.held > 0, "no page is held")
        await deleted_elsewhere(service, "lot-000003")
        service.faults.clear()
        rows = user.app.main.workspace.browse.rows
        await user.until(lambda: rows.cached == 299 and not rows.queue.requested, "not all rows are loaded")
        assert len({record.id for record in rows.records()}) == 299
        assert not rows.shifted
        await user.settled()
        assert "rows moved" not in user.text


async def test_a_draft_is_shown_among_the_rows_that_the_service_chooses(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Only here")
        await user.sees(r"Only here\*[\s\S]+1 draft")
        await user.press("slash", *"?id=lot-000002", "enter")
        await user.sees(r"\?id=lot-000002 ✕")
        await user.sees(r"Only here\*[\s\S]+1 draft")
        await user.press("minus")
        await user.loses(r"\?id=lot-000002 ✕")
        await user.sees(r"Only here\*[\s\S]+1 draft")


async def test_keys_of_a_record_are_named_again_once_there_is_one_under_the_cursor(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The table never says that it waits, as where a response is quick.
    monkeypatch.setattr("svc_tui.ui.table.table_frame.SPINNER_DELAY_SECONDS", 3600)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"⏎ Open  space Mark  (v Start range  )?x Actions")
        await user.press("slash", *"?status=open", "enter")
        await user.sees(r"\?status=open ✕")
        await palette(user, "Save this view")
        await user.sees("Save view")
        await user.press(*"Open ones", "enter")
        await user.sees(r"▹ Open ones")
        await user.press("minus")
        await user.loses(r"\?status=open ✕")
        await user.press("1", "j")
        await user.sees(r"⏎ Open  : Go to")
        await user.settled()
        service.faults.next("hold", method="GET")
        await user.press("enter")
        await user.until(lambda: service.faults.held == 1, "no response is held")
        # The focus is in a table without rows now.
        await user.sees(r"ms\n : Go to [^\n]*/ Filter")
        service.faults.clear()
        await user.sees(r"lot-0000")
        await user.sees(r"⏎ Open  space Mark  (v Start range  )?x Actions")
