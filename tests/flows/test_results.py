"""What is done with what was found: marked, exported, shown as a table; and saved requests among it."""

import asyncio
import csv
import io
import json
import re
from pathlib import Path

import pytest
from textual.widgets import Input

from svc_tui.core.kinds import MASKED
from svc_tui.sandbox.seeds.hostile import MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.finder import finder_screen
from svc_tui.ui.finder.results_screen import ResultsScreen
from tests.browser import User, browser
from tests.flows.steps import RECORD, at_name, changed_elsewhere, renamed, stored
from tests.flows.test_exporting import there
from tests.flows.test_finding import finder_that_loads_nothing, looked_through
from tests.flows.test_saved_requests import shared

SAVED = """
name = "Assay lots [/bold]\\u202e"
description = "for the zircon lab"
method = "GET"
path = "/v1/operations/lots"
query = { status = "open" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program is started, and files go."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


async def found(user: User, text: str) -> None:
    """Open the finder on the lots that are loaded, and type."""
    await user.sees(r"lot-000001")
    await user.settled()
    await finder_that_loads_nothing(user)
    await user.types(text)
    await user.sees(r"\d match(es)? in")
    await user.settled()


async def exported(user: User, name: str) -> None:
    """Have what is found written to a file of that name."""
    await user.press("ctrl+e")
    await user.sees(r"─ Export search results ─")
    await user.press("tab", "tab", "end", "ctrl+u")
    await user.types(name)
    await user.press("enter")
    await user.loses(r"─ Export search results ─")


async def told(user: User, words: str) -> None:
    """Wait until a notice says so, however its lines are broken on the screen."""
    await user.until(lambda: any(words in report.body for report in user.app.main.reports), f"nobody said {words!r}")


async def table(user: User) -> ResultsScreen:
    """Show what is found as a table."""
    await user.press("ctrl+t")
    await user.sees(r"collection +id +label")
    screen = user.app.screen
    assert isinstance(screen, ResultsScreen)
    return screen


# Marks


async def test_space_is_typed_until_one_goes_to_a_line_and_again_once_one_types(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        await user.sees(r"↓ Into the list")
        await user.types("gold ore")
        assert screen.line.value == "gold ore"
        await user.sees(r"lots +lot-\d+ +Gold ore")
        await user.press("down", "up")
        await user.sees(r"Open  space Mark")
        first, second = (match.place.record_id for match in screen.results.matches[:2])
        await user.press("space", "space")
        await user.sees(rf"lots +{first}◆ +Gold ore")
        await user.sees(rf"lots +{second}◆ +Gold ore")
        await user.sees(r"2 marked · .*match(es)? in")
        assert screen.line.value == "gold ore"
        assert screen.results.highlighted == 2
        await user.press("up", "space")
        await user.loses(rf"{second}◆")
        await user.sees(r"1 marked · ")
        await user.types("s x")
        assert screen.line.value == "gold ores x"
        await user.sees(r"↓ Into the list")


async def test_marks_survive_another_search_and_end_with_the_finder(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, RECORD)
        await user.press("insert")
        await user.sees(rf"lots +{RECORD}◆")
        await user.press("ctrl+u")
        await user.types("lot-000005")
        await user.loses(rf"{RECORD}◆")
        await user.sees(r"1 marked · 1 match in")
        await user.press("shift+down")
        await user.sees(r"lot-000005◆")
        await user.press("ctrl+u")
        await user.types("lot-00000")
        await user.sees(r"2 marked · ")
        await user.sees(rf"{RECORD}◆")
        await user.press("escape")
        await user.loses(r"╭─ Search ")
        await finder_that_loads_nothing(user)
        await user.types(RECORD)
        await user.sees(rf"lots +{RECORD} ")
        assert "marked" not in user.text


async def test_moving_in_the_line_leaves_the_list(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "goldore")
        screen = user.app.screen
        await user.press("ctrl+u")
        await user.types("gold ore")
        await user.press("down")
        await user.sees(r"Open  space Mark")
        await user.press("left", "space")
        await user.sees(r"↓ Into the list")
        assert screen.query_one(Input).value == "gold or e"


async def test_what_is_covered_is_neither_marked_nor_exported(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "gold ore")
        await user.press("down", "ctrl+o")
        await user.sees(r"masked · ctrl")
        await user.press("space", "insert", "ctrl+e", "ctrl+t")
        await user.settled()
        await user.pilot.resize_terminal(80, 24)
        await user.puts_away_notices()
        await user.sees(r"masked · ctrl")
        assert "Export search results" not in user.text
        await user.press("ctrl+o")
        await user.sees(r"\d match(es)? in")
        await user.sees(r"Open  space Mark")
        assert " marked" not in user.text


async def test_marking_fits_a_small_terminal(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", size=(80, 24)) as user:
        await found(user, "gold ore")
        await user.press("down", "space")
        await user.sees(r"⏎ Open  space Mark  \^e Export  \^t Table  esc Close")
        await user.sees(r"lot-\d+◆ +Gold ore.* loaded ")


async def test_help_tells_why_space_does_not_mark_yet(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "gold")
        await user.press("f1")
        await user.sees(r"Mark or unmark the record · Not now: In the search")
        await user.sees(r"shift\+↓|⇧↓|shift\+down")


# Exports


async def test_the_marked_are_exported_each_with_its_collection_and_numbers_to_the_digit(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, RECORD)
        await user.press("insert", "ctrl+u")
        await looked_through(user, "workforce")
        await user.types("wrk-0001")
        await user.sees(r"workers +wrk-0001 .* loaded")
        await user.press("insert", "ctrl+e")
        await user.sees(r"2 marked +loaded just now")
        await user.press("escape")
        await exported(user, "two.jsonl")
        await told(user, f"Saved 2 records to {folder / 'two.jsonl'}, loaded just now.")
        text = (folder / "two.jsonl").read_text()
        rows = [json.loads(line) for line in text.splitlines()]
        # The one that is listed comes first.
        assert [(row["_collection"], row["_held"], row["id"]) for row in rows] == [
            ("workforce/workers", "read", "wrk-0001"),
            ("operations/lots", "loaded", RECORD),
        ]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", rows[0]["_readAt"])
        lot = service.record("operations/lots", RECORD)
        assert lot is not None
        for number in re.findall(r'"(?:massKg|grade)":([-\d.eE]+)', lot):
            assert number in text
        assert {name: value for name, value in rows[1].items() if name[0] != "_"} == json.loads(lot)
        # It is still there, as it was.
        await user.sees(r"╭─ Search .*\n.*wrk-0001")
        await user.sees(r"2 marked · ")


@pytest.mark.parametrize("ending", ["csv", "json", "md"])
async def test_all_that_are_listed_are_exported_where_none_is_marked(
    service: RunningService, folder: Path, tmp_path: Path, ending: str
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "gold ore")
        ids = [match.place.record_id for match in user.app.screen.query_one("ResultsList").matches]  # type: ignore[attr-defined]
        await exported(user, f"found.{ending}")
        await told(user, f"Saved {len(ids)} records to")
    text = (folder / f"found.{ending}").read_text()
    match ending:
        case "csv":
            assert [row["id"] for row in csv.DictReader(io.StringIO(text, newline=""))] == ids
            assert text.startswith("_collection,_held,_readAt,id,")
        case "json":
            assert [row["id"] for row in json.loads(text)] == ids
        case _:
            assert [line.split(" | ")[3] for line in text.splitlines()[2:]] == ids


async def test_an_export_is_masked_while_personal_data_is_hidden(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    record = stored(service, "wrk-0001", "workforce/workers")
    assert record is not None
    async with browser(service, tmp_path, key="live", place="workers") as user:
        await user.sees(r"wrk-0001")
        await finder_that_loads_nothing(user)
        await user.types("wrk-0001")
        await user.sees(r"workers +wrk-0001")
        await user.press("ctrl+o")
        await user.loses(str(record["name"]))
        await user.press("ctrl+o")
        await user.sees(re.escape(str(record["name"])))
        await user.press("escape", "ctrl+o")
        await user.sees(r"MASKED")
        await finder_that_loads_nothing(user)
        await user.types("wrk-0001")
        await user.sees(rf"workers +wrk-0001 +{MASKED}")
        await exported(user, "worker.json")
        await told(user, "Personal data is masked.")
    text = (folder / "worker.json").read_text()
    assert MASKED in text
    for name in ("name", "phone", "email"):
        assert str(record[name]) not in text


async def test_a_file_that_is_there_is_replaced_only_once_that_was_agreed_to(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    (folder / "there.csv").write_text("mine")
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, RECORD)
        await exported(user, "there.csv")
        await user.sees(r"The file already exists")
        await user.press("enter")
        await user.sees(r"─ Export search results ─")
        assert (folder / "there.csv").read_text() == "mine"
        await user.press("enter")
        await user.sees(r"The file already exists")
        await user.press("down", "enter")
        await told(user, "Saved 1 record to")
        assert RECORD in (folder / "there.csv").read_text()


async def test_an_edit_that_is_not_sent_is_exported_as_such(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await at_name(user)
        await renamed(user, "Zanzibar")
        await finder_that_loads_nothing(user)
        await user.types("zanzi")
        await user.sees(r"Zanzibar .* draft")
        await exported(user, "one.json")
        await told(user, ", 1 draft.")
    (row,) = json.loads((folder / "one.json").read_text())
    assert (row["_held"], row["_readAt"], row["name"]) == ("not sent", None, "Zanzibar")


async def test_a_file_that_can_not_be_written_is_told_and_nothing_is_lost(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, RECORD)
        await exported(user, "no/such/folder.csv")
        await user.until(
            lambda: any("Could not save" in report.title for report in user.app.main.reports), "nobody said so"
        )
        await user.sees(r"╭─ Search ")
    assert there(folder) == []


async def test_where_no_record_is_listed_there_is_nothing_to_export_and_no_table(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder_that_loads_nothing(user)
        await user.press("ctrl+e")
        await user.sees(r"No records to export")
        await user.press("ctrl+t")
        await user.sees(r"No records to show as a table")


# The table


async def test_results_stand_in_a_table_that_leads_back_to_the_finder_as_it_was(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots", size=(80, 24)) as user:
        await found(user, "gold")
        finder_screen = user.app.screen
        await user.press("down", "down", "space", "space")
        await user.sees(r"2 marked · ")
        screen = await table(user)
        await user.sees(r"╭─ Search · gold · 2 marked ─")
        await user.sees(r"collection +id +label +field +value +from +age")
        assert screen.table.rows.count == 2
        await user.sees(r"lots +lot-\d+ +.*name +Gold \S+.* loaded +now")
        await user.press("escape")
        await user.sees(r"2 marked · ")
        assert user.app.screen is finder_screen
        await user.sees(r"╭─ Search ─.*\n.*gold")
        await user.press("space")
        await user.sees(r"3 marked · ")


async def test_a_record_of_the_table_is_read_anew_and_opened(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "lot-00000")
        await table(user)
        await changed_elsewhere(service, RECORD, name="Corrected elsewhere")
        await user.press("down")
        await user.press("enter")
        await user.sees(rf"╭─ {RECORD} ")
        await user.sees(r"Corrected elsewhere")
        assert user.app.screen is user.app.main


async def test_the_table_is_sorted_by_the_column_under_the_cursor_and_exported_so(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "massKg>0")
        screen = await table(user)
        await user.press("right", "s", "s")
        await user.sees(r"id ▼")
        ids = [str(screen.table.rows.get(row).id) for row in range(screen.table.rows.count)]  # type: ignore[union-attr]
        assert ids == sorted(ids, reverse=True)
        assert screen.table.cursor_record is not None
        await exported(user, "sorted.csv")
        await told(user, f"Saved {len(ids)} records to")
        await user.press("s")
        await user.loses(r"id ▼")
    with (folder / "sorted.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ids


async def test_the_table_hides_personal_data_and_commands_nothing(service: RunningService, tmp_path: Path) -> None:
    record = stored(service, "wrk-0001", "workforce/workers")
    assert record is not None
    name = re.escape(str(record["name"]))
    async with browser(service, tmp_path, key="live", place="workers") as user:
        await user.sees(r"wrk-0001")
        await finder_that_loads_nothing(user)
        await user.types("wrk-0001")
        await table(user)
        await user.sees(rf"workers +wrk-0001 +{name}")
        await user.press("ctrl+o")
        await user.sees(rf"workers +wrk-0001 +{MASKED}")
        assert re.search(name, user.text) is None
        await user.press("escape")
        await user.sees(r"╭─ Search ")
        assert re.search(name, user.text) is None
        await user.press("ctrl+o", "ctrl+u")
        await looked_through(user)
        await user.types("[/x]")
        await user.sees(rf"lots +{MARKUP_LOT} ")
        await table(user)
        await user.sees(rf"lots +{MARKUP_LOT} +\[/x\] Lot \[bold")
        assert "\x1b" not in user.text
        assert "\u202e" not in user.text


async def test_the_table_follows_the_size_of_the_terminal_and_the_finder_behind_it_too(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "gold ore")
        await table(user)
        await user.pilot.resize_terminal(80, 24)
        await user.sees(r"collection +id +label +field +value +from +age")
        await user.press("escape")
        await user.sees(r"lots +lot-\d+ +Gold ore .* loaded ")


async def test_what_points_at_a_record_stands_in_a_table_with_the_field_that_does(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="workers/wrk-0001") as user:
        await user.sees(r"╭─ wrk-0001 ")
        await user.press("R")
        await user.sees(r"╭─ References to wrk-0001 ")
        await looked_through(user)
        await user.sees(r"shiftLogs +slog-\d+ .* workerId +loaded")
        await user.settled()
        await table(user)
        await user.sees(r"╭─ References to wrk-0001 · \d+ listed ─")
        await user.sees(r"shiftLogs +slog-\d+ .*workerId +wrk-0001 +loaded +now")


# While a search goes on


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one page looked at before anything is listed, and one at a time after that."""
    monkeypatch.setattr(finder_screen, "_AT_ONCE_SECONDS", 0.0)
    monkeypatch.setattr(finder_screen, "_SLICE_SECONDS", 0.0)
    monkeypatch.setattr(finder_screen, "_PAUSE_SECONDS", 0.002)


@pytest.mark.usefixtures("slow_search")
async def test_a_table_and_an_export_asked_for_while_a_search_goes_on_hold_all_that_fits(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="workers/wrk-0001") as user:
        await user.sees(r"╭─ wrk-0001 ")
        await user.press("R")
        await user.sees(r"╭─ References to wrk-0001 ")
        await looked_through(user)
        screen = user.app.screen
        assert isinstance(screen, finder_screen.FinderScreen)
        await screen.all_listed()
        count = len(screen.results.matches)
        assert count > 20
        screen._begin()
        assert not screen._search.done
        screen.action_table()
        await user.sees(rf"╭─ References to wrk-0001 · {count} listed ─")
        await user.press("escape")
        await user.sees(r"esc Close")
        screen._begin()
        assert len(screen.results.matches) < count
        screen.action_export()
        await user.sees(r"─ Export search results ─")
        await user.press("tab", "tab", "end", "ctrl+u")
        await user.types("pointing.csv")
        await user.press("enter")
        await told(user, f"Saved {count} records to")
    with (folder / "pointing.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == count


@pytest.mark.usefixtures("slow_search")
async def test_enter_right_after_the_last_letter_opens_what_fits_best_of_all(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder_that_loads_nothing(user)
        await looked_through(user)
        screen = user.app.screen
        assert isinstance(screen, finder_screen.FinderScreen)
        await user.types("wrk-000")
        await user.press("7", "enter")
        await user.sees(r"╭─ wrk-0007 ")
        assert user.app.screen is user.app.main


@pytest.mark.usefixtures("slow_search")
async def test_enter_is_forgotten_where_typing_goes_on_before_all_is_searched(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        await looked_through(user)
        await user.types("lot-00000")
        screen.post_message(Input.Submitted(screen.line, screen.line.value))
        screen.line.insert_text_at_cursor("5")
        await screen.all_listed()
        await user.settled()
        assert user.app.screen is screen
        await user.sees(r"lot-000005")


def held_back(user: User, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Have the search end when the event is set, as a slow index has it."""
    screen, ended = user.app.screen, asyncio.Event()
    assert isinstance(screen, finder_screen.FinderScreen)
    best_listed = screen.best_listed

    async def late() -> None:
        await ended.wait()
        await best_listed()

    monkeypatch.setattr(screen, "best_listed", late)
    return ended


@pytest.mark.parametrize("key", ["ctrl+p", "f1", "ctrl+l"])
async def test_enter_is_forgotten_where_something_opens_over_the_finder_before_all_is_searched(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "lot-000002")
        screen, ended = user.app.screen, held_back(user, monkeypatch)
        await user.press("enter", key)
        await user.until(lambda: user.app.screen is not screen, "nothing opened")
        over = user.app.screen
        ended.set()
        await user.settled()
        assert user.app.screen is over
        await user.press("escape")
        await user.until(lambda: user.app.screen is screen, "the finder is gone")
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")


async def test_enter_is_forgotten_where_a_line_is_gone_to_before_all_is_searched(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "lot-00000")
        screen, ended = user.app.screen, held_back(user, monkeypatch)
        await user.press("enter", "down", "down", "space")
        ended.set()
        await user.sees(r"1 marked · ")
        await user.settled()
        assert user.app.screen is screen


# Saved requests


async def test_a_saved_request_is_listed_after_the_records_and_opened_in_the_console(
    service: RunningService, tmp_path: Path
) -> None:
    shared(tmp_path, SAVED, "assay")
    async with browser(service, tmp_path, key="live", place="lots", size=(80, 24)) as user:
        await found(user, "zircon")
        await user.sees(r"1 saved request · 0 matches in")
        await user.sees(r"request +Assay lots \[/bold\].* GET /v1/operations/lots? .*saved")
        assert "\u202e" not in user.text
        await user.press("down", "space")
        await user.sees(r"Only records can be marked")
        await user.press("ctrl+e")
        await user.sees(r"No records to export")
        before = len(service.attempts)
        await user.press("enter")
        await user.sees(r"╭─ Console ─.*\n.*GET /v1/operations/lots status==open")
        assert not [attempt for attempt in service.attempts[before:] if "status=open" in attempt.target]


async def test_records_come_before_requests_which_no_referrers_are(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, SAVED, "assay")
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "lots")
        screen = user.app.screen
        results = screen.query_one("ResultsList").results  # type: ignore[attr-defined]
        assert [type(result).__name__ for result in results][-1] == "SavedRequest"
        await user.press("escape", "R")
        await user.sees(r"╭─ References to lot-000001 ")
        await user.types("zircon")
        await user.settled()
        assert "request" not in user.text.partition("loaded records")[0]


async def test_a_damaged_request_and_one_with_a_secret_are_not_listed(service: RunningService, tmp_path: Path) -> None:
    key = service.key("sandbox").api_key
    shared(tmp_path, SAVED.replace("zircon lab", f"zircon {key}"), "secret")
    shared(tmp_path, SAVED.replace("GET", ""), "damaged")
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await found(user, "zircon")
        await user.sees(r"(?<!request · )0 matches in")
        assert key not in user.text


async def test_a_request_is_masked_as_other_texts_are(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, SAVED.replace("Assay lots", "Lots of marta@example.com"), "assay")
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await found(user, "zircon")
        await user.sees(r"request +Lots of ▒")
        assert "marta@" not in user.text.partition("loaded records")[2].partition("╰")[0]


async def test_that_more_fit_than_are_listed_is_told_where_these_are_taken_out(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder_that_loads_nothing(user)
        await looked_through(user, "operations/lots")
        await user.types("lot-000")
        await user.sees(r"300 matches in 300")
        await user.press("ctrl+e")
        await user.sees(r"100 listed of 300 +loaded")
        await user.press("escape")
        await table(user)
        await user.sees(r"╭─ Search · lot-000 · 100 listed of 300 ─")
