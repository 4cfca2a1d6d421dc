"""Files of corrections on their way into a plan and out of it: exported, edited, of a spreadsheet; a key that fails."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from textual.widgets import Input

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.browser import User, browser
from tests.fixed_keys import fixed
from tests.flows.steps import changed_elsewhere, commanded, heard, stored_field
from tests.flows.test_corrections import at_plan, decided, planned, reads, report_of, writes
from tests.flows.test_exporting import folder
from tests.optional import skip_without

__all__ = ["folder"]


async def test_a_workbook_is_read_sent_and_reported(service: RunningService, tmp_path: Path) -> None:
    skip_without("openpyxl")
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("id", "name", "massKg", "hazardous", "note"),
        ("lot-000001", "From Excel", 12.5, True, None),
        ("lot-000002", None, 7, None, "(empty)"),
        (None, None, None, None, None),
        ("lot-000003", 2026, None, None, None),
    ):
        sheet.append(row)
    file = tmp_path / "lots.xlsx"
    book.save(file)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"1–\d+ of \d+")
        await reads(user, file)
        await at_plan(user)
        await user.sees(r"Change name and (\d other fields|\w+) of 3 lots · lots\.xlsx")
        await user.sees(r"2 +lot-000001 .* massKg +[\d.]+ +12\.5")
        await user.press("y")
        await heard(user, r"3 records changed\. .*Saved the outcome to")
    assert [stored_field(service, name, "lot-000001") for name in ("name", "massKg", "hazardous")] == [
        *("From Excel", "12.5"),
        True,
    ]
    assert stored_field(service, "massKg", "lot-000002") == "7"
    assert stored_field(service, "name", "lot-000003") == "2026"
    assert [row["row"] for row in report_of(file) if row["outcome"] == "done"] == ["2", "2", "2", "3", "3", "5"]


async def test_what_was_exported_to_be_edited_is_offered_to_be_read(
    service: RunningService, folder: Path, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"1–\d+ of 300")
        await user.press("ctrl+e")
        await user.sees(r"─ Export lots ─")
        await user.sees(r"lots-\d{8}-\d{4}\.csv")
        await user.press("tab", *["right"] * 4)
        await user.sees(r"lots-to-edit\.csv")
        # Another format has another name; what somebody typed stays.
        await user.press("left")
        await user.sees(r"lots-\d{8}-\d{4}\.md")
        await user.press("right")
        await user.sees(r"lots-to-edit\.csv")
        await user.press("tab", "enter")
        await heard(user, r"Saved 300 records to .*lots-to-edit\.csv")
        with (folder / "lots-to-edit.csv").open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        rows[1][head.index("name")] = "Edited in a table"
        with (folder / "lots-to-edit.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])
        await user.puts_away_notices()
        await commanded(user, "Corrections from a file", "Corrections from a file…")
        await user.sees(r"Corrections for lots from a file")
        assert user.app.screen.query_one(Input).value == "lots-to-edit.csv"
        await user.press("enter")
        await at_plan(user)
        await user.sees(r"Change name of 1 of 300 lots · lots-to-edit\.csv")
        await user.sees(r'lot-000002 .*"Edited in a table"')


async def test_what_can_not_be_sent_is_not_taken_in_with_the_other_doubts(
    service: RunningService, tmp_path: Path
) -> None:
    text = "id,grade,status,colour\nlot-000001,abc,,red\nlot-000002,,clsoed,\nlot-000003,,zzz,\n"
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, tmp_path / "lots.csv", text)
        await user.sees(r"n Next problem  A Include rows marked \?")
        await user.sees(r"! Ignored columns, because no loaded record has such a field: colour\.")
        await user.press("A")
        await user.sees(r"2 rows included · 1 row marked \? can't be included")
        await user.sees(r"2 to send · 1 to check")
        await user.press("A")
        await user.sees(r"2 rows skipped again")
        # Whoever wants to try it takes it in by itself.
        await user.press("g", "space")
        await user.sees(r"1 to send · 2 to check")
        await user.press("escape")
        await user.loses(r"y Send")
        await planned(user, tmp_path / "lots.csv", "id,name\nlot-000001,fine\n")
        await user.sees(r"space Skip  e Edit  / Filter  ⏎ Details  \? All keys")


@contextmanager
def again(first: RunningService, database: Path, secret: str) -> Iterator[RunningService]:
    """The service in the place of another one that has ended, with another signing secret for its key."""
    port, key = int(first.base_url.rsplit(":", 1)[1]), first.key("test-signed")
    changed = IssuedKey(key.name, key.api_key, secret)
    with running_service(SandboxOptions(records=60, database=database, port=port, keys=fixed(changed))) as service:
        yield service


async def stands_at(user: User, words: str) -> None:
    """Wait for the question after a stop, and what it says."""
    await user.puts_away_notices()
    await user.sees(words)


async def test_a_secret_that_the_service_no_longer_takes_stops_a_run_which_goes_on_once_it_does(
    tmp_path: Path,
) -> None:
    database = tmp_path / "mine.db"
    with running_service(SandboxOptions(records=60, database=database)) as first:
        right = first.key("test-signed").signing_secret or ""
        running = browser(first, tmp_path, key="test-signed", place="lots")
        user = await running.__aenter__()
        rows = "".join(f"lot-{at:06},new {at}\n" for at in range(1, 6))
        await planned(user, tmp_path / "lots.csv", f"id,name\n{rows}")
        await changed_elsewhere(first, "lot-000002", name="elsewhere")
        await user.press("y")
        await stands_at(user, r"Stopped: 1 of 5 done")
        sent = writes(first)
    with again(first, database, "svcsec_of_somebody_else") as second:
        await decided(user, "Skip this record: lot-000002")
        await stands_at(user, r"Stopped: 1 of 4 done")
        await user.sees(r"\(signature_mismatch\)")
        await user.sees(r"Press K to replace the key and the +│[\s\S]+secret")
        assert writes(second) == []
    with again(first, database, right) as third:
        await decided(user, "Resume: send lot-000003 again")
        await heard(user, r"4 records changed\. 1 record skipped\.")
        await running.__aexit__(None, None, None)
        sent += writes(third)
        assert [stored_field(third, "name", f"lot-{at:06}") for at in range(1, 6)] == [
            *("new 1", "elsewhere", "new 3", "new 4", "new 5")
        ]
    assert [write for write in sent if write != "PATCH lot-000002"] == [f"PATCH lot-{at:06}" for at in (1, 3, 4, 5)]
