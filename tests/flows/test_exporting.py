"""Exporting and marking on the real app over the real service: what is in the files, and what stopping leaves."""

import csv
import io
import json
import stat
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser

HINT = r"─ Export lots ─"
FORMATS = ["csv", "jsonl", "json", "md"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program is started, and files go."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


async def asks(user: User, name: str, *keys: str) -> None:
    """Open the dialog, choose a share with keys, type the file's name, begin."""
    await user.sees(r"lot-000001")
    await user.press("ctrl+e")
    await user.sees(HINT)
    await user.press(*keys, "tab", "tab", "end", "ctrl+u")
    await user.types(name)
    await user.press("enter")


async def told(user: User, words: str) -> None:
    """Wait until a notice says so, however its lines are broken on the screen."""
    await user.until(lambda: any(words in report.body for report in user.app.main.reports), f"nobody said {words!r}")


def there(folder: Path) -> list[str]:
    """The names of all files in a folder, hidden ones too."""
    return sorted(file.name for file in folder.iterdir())


def records(service: RunningService) -> list[object]:
    """Every lot as the service holds it, in the order of the list."""
    found = [service.record("operations/lots", f"lot-{at:06d}") for at in range(1, 301)]
    return [json.loads(text) for text in found if text is not None]


def read(file: Path) -> list[str]:
    """The ids in a file, in whatever format."""
    text = file.read_text()
    match file.suffix:
        case ".csv":
            return [row["id"] for row in csv.DictReader(io.StringIO(text, newline=""))]
        case ".md":
            head, _, *rows = text.splitlines()
            at = head.split(" | ").index("| id") if "| id" in head.split(" | ") else 0
            return [row.strip("| ").split(" | ")[at] for row in rows]
        case ".jsonl":
            return [json.loads(line)["id"] for line in text.splitlines()]
        case _:
            return [record["id"] for record in json.loads(text)]


@pytest.mark.parametrize("ending", FORMATS)
async def test_all_are_exported_in_the_format_of_the_ending(
    service: RunningService, folder: Path, tmp_path: Path, ending: str
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, f"all.{ending}")
        await user.sees(r"Saved 300 records to")
        file = folder / f"all.{ending}"
        assert read(file) == [f"lot-{at:06d}" for at in range(1, 301)]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert there(folder) == [file.name]
        await user.loses(r"esc stop")


async def test_json_holds_what_the_service_holds(service: RunningService, folder: Path, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, "all.json")
        await user.sees(r"Saved 300 records to")
    assert json.loads((folder / "all.json").read_text()) == records(service)


async def test_a_csv_holds_every_field_of_every_record(service: RunningService, folder: Path, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, "all.csv")
        await user.sees(r"Saved 300 records to")
    rows = list(csv.DictReader(io.StringIO((folder / "all.csv").read_text(), newline="")))
    names = {name for record in records(service) if isinstance(record, dict) for name in record}
    assert set(rows[0]) == names


async def test_marked_records_are_exported_in_the_order_of_marking(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000005")
        await user.press("down", "down", "space", "home", "space", "G")
        await user.sees(r"lot-000300")
        await user.press("space")
        await user.sees(r"3 marked")
        # What is read ahead arrives before it is counted.
        await user.settled()
        before = len(service.attempts)
        await user.press("ctrl+e")
        await user.sees(r"3 marked records")
        await user.press("tab", "tab", "end", "ctrl+u")
        await user.types("marked.jsonl")
        await user.press("enter")
        await user.sees(r"Saved 3 records to")
        assert len(service.attempts) == before
    assert read(folder / "marked.jsonl") == ["lot-000003", "lot-000001", "lot-000300"]


async def test_all_that_fit_the_filter_are_found_on_every_page(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    wanted = [record["id"] for record in records(service) if isinstance(record, dict) and record["status"] == "closed"]
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000005")
        user.app.main.workspace.browse.arrangement.filter_by("status=closed")
        await user.press("ctrl+e")
        await user.sees(r"all records matching the filter +2 requests")
        await user.press("down", "tab", "tab", "end", "ctrl+u")
        await user.types("closed.jsonl")
        await user.press("enter")
        await user.sees(rf"Saved {len(wanted)} records to")
    assert read(folder / "closed.jsonl") == wanted


async def test_what_the_service_was_asked_to_choose_is_what_is_exported(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        user.app.main.workspace.browse.set_service_query((("status", "closed"),))
        await user.sees(r"\?status=closed")
        await user.until(lambda: user.app.main.workspace.browse.rows.loaded, "nothing was read")
        await user.press("ctrl+e")
        await user.sees(HINT)
        await user.press("tab", "tab", "end", "ctrl+u")
        await user.types("closed.json")
        await user.press("enter")
        await user.sees(r"Saved [\d,]+ records to")
    exported = json.loads((folder / "closed.json").read_text())
    assert {record["status"] for record in exported} == {"closed"}
    assert len(exported) < 300


async def test_esc_in_the_middle_stops_it_and_leaves_nothing(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        service.faults.next("hold", count=50)
        await asks(user, "all.csv")
        await user.sees(r"esc stop")
        # The rest of the program goes on meanwhile.
        await user.press("down", "space")
        await user.sees(r"1 marked")
        await user.press("escape")
        await user.sees(r"was not saved")
        await user.loses(r"esc stop")
        assert there(folder) == []
        service.faults.clear()
        await asks(user, "again.csv", "down")
        await user.sees(r"Saved 300 records to")


async def test_a_file_that_is_there_is_replaced_only_when_somebody_says_so(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    (folder / "mine.csv").write_text("precious")
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, "mine.csv")
        await user.sees(r"The file already exists")
        await user.press("enter")
        await user.sees(HINT)
        await user.sees(r"mine\.csv")
        assert (folder / "mine.csv").read_text() == "precious"
        await user.press("enter")
        await user.sees(r"The file already exists")
        await user.press("down", "enter")
        await user.sees(r"Saved 300 records to")
    assert len(read(folder / "mine.csv")) == 300


async def test_a_place_where_nothing_can_be_written_is_said(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, "nowhere/all.csv")
        await told(user, "nowhere does not exist")
        await asks(user, " ")
        await user.sees(r"The file name is empty")
    assert there(folder) == []


async def test_a_service_that_fails_in_the_middle_leaves_no_file(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        service.faults.next("500", count=50)
        await asks(user, "all.csv")
        await user.sees(r"Could not save all\.csv")
        assert there(folder) == []


async def test_the_notice_says_what_may_be_missing(service: RunningService, folder: Path, tmp_path: Path) -> None:
    service.faults.always("lying-total")
    async with browser(service, tmp_path, place="lots") as user:
        await asks(user, "all.jsonl")
        await told(user, "The service reports 601 records but returned 300; some may be missing.")
    assert len(read(folder / "all.jsonl")) == 300


async def test_esc_ends_a_range_before_anything_else(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000003")
        user.app.main.workspace.browse.arrangement.filter_by("lot")
        await user.sees(r"filter lot")
        # The page ahead is looked through as well.
        await user.settled()
        await user.press("v", "down", "down")
        await user.sees(r"v ends the range")
        await user.press("escape")
        await user.loses(r"ends the range")
        await user.sees(r"3 marked · filter lot")
        await user.press("escape")
        await user.loses(r"filter lot")
        await user.sees(r"3 marked")
