"""Corrections from a file: planned, looked at, sent, stopped, taken up again and undone."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from textual import events
from textual.widgets import Input

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Number
from svc_tui.core.kinds import MASKED
from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT, MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import JournalEntry, entry_result
from svc_tui.ui.dialogs.name_prompt import NamePromptScreen
from svc_tui.ui.plans.plan_screen import PlanScreen
from svc_tui.ui.plans.run_dialogs import StoppedRunScreen
from tests.browser import User, browser
from tests.flows.steps import changed_elsewhere, chosen, commanded, entered_unknown, heard, stored, stored_field

WORKERS = Collection("workforce", "workers")
WRITES = ("PATCH", "POST", "DELETE")


def writes(service: RunningService, method: str = "") -> list[str]:
    """The writes that arrived, each as its method and the last step of its path."""
    return [
        f"{attempt.method} {attempt.target.rpartition('/')[2]}"
        for attempt in service.attempts
        if attempt.method in ((method,) if method else WRITES)
    ]


async def reads(user: User, path: Path | str) -> None:
    """Have a file read."""
    await user.puts_away_notices()
    await commanded(user, "Corrections from a file", "Corrections from a file…")
    await user.sees(r"Corrections for \w+ from a file")
    user.app.screen.query_one(Input).value = str(path)
    await user.press("enter")


async def at_plan(user: User) -> PlanScreen:
    """Wait for the plan, which a notice may cover in part."""
    await user.until(lambda: isinstance(user.app.screen, PlanScreen), "no plan is shown")
    screen = user.app.screen
    assert isinstance(screen, PlanScreen)
    return screen


async def planned(user: User, path: Path, text: str) -> PlanScreen:
    """Come to the plan of a file with this text."""
    path.write_text(text)  # noqa: ASYNC240 - a small file
    await user.puts_away_notices()
    await user.sees(r"1–\d+ of \d+")
    await reads(user, path)
    return await at_plan(user)


async def journal(user: User) -> list[JournalEntry]:
    """The writes of the journal, the first one first."""
    return list(reversed(await user.store.journal(user.scope).entries()))


def report_of(path: Path) -> list[dict[str, str]]:
    """The newest report beside a file."""
    newest = max(path.parent.glob(f"{path.stem}.*.outcome.csv"), key=lambda found: found.stat().st_mtime_ns)
    with newest.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def outcomes(rows: Sequence[dict[str, str]]) -> dict[str, str]:
    """What became of each row, by its number."""
    return {row["row"]: row["outcome"] for row in rows}


def files_with(folder: Path, text: str) -> list[Path]:
    """The files of a folder that hold the text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


async def decided(user: User, words: str) -> None:
    """Choose how a run that stopped goes on."""
    await user.puts_away_notices()
    await user.sees(r"Resume later, with Runs in Commands \(ctrl\+p\)")
    await chosen(user, words)


async def to_runs(user: User) -> None:
    """Ask for the runs; where one alone was cut short and none was ever done, it is taken up at once."""
    await user.puts_away_notices()
    await commanded(user, "Runs", "Runs…")


async def test_a_file_is_sent_reported_undone_and_done_again(service: RunningService, tmp_path: Path) -> None:
    file, before, deleted = tmp_path / "lots.csv", stored(service, "lot-000001"), stored(service, "lot-000015")
    assert before is not None
    assert deleted is not None
    async with browser(service, tmp_path, place="lots") as user:
        await planned(
            user,
            file,
            "id,name,assay.auPpm,note,_action\n"
            "lot-000001,Renamed,12.5,(empty),\n"
            "lot-000002,,,(null),\n"
            f"{MARKUP_LOT},[/x] Lot [bold,,(null),\n"
            ",Brand new,,,\n"
            "lot-000015,,,,delete\n"
            "lot-999999,x,,,\n",
        )
        await user.sees(r"Changes in 4 of 6 lots · lots\.csv")
        await user.sees(r"assay\.auPpm +11\.280 +12\.5")
        await user.sees(r"4 to send · 1 unchanged · 1 can't be sent")
        await user.press("t")
        await user.types("SUP-7")
        await user.press("enter", "y")
        await heard(user, r"2 records changed, 1 created, 1 deleted\. .*Saved the outcome to")
        entries = await journal(user)
        assert [(entry.intent.row, entry_result(entry), entry.intent.ticket) for entry in entries] == [
            (row, "done", "SUP-7") for row in (2, 4, 5, 6)
        ]
        assert len({entry.intent.batch for entry in entries}) == 1
        assert writes(service) == ["PATCH lot-000001", f"PATCH {MARKUP_LOT}", "POST lots", "DELETE lot-000015"]
        changed = stored(service, "lot-000001")
        assert changed is not None
        assert changed["note"] == ""
        assert changed["assay"] == {**before["assay"], "auPpm": changed["assay"]["auPpm"]}  # type: ignore[dict-item,index,call-overload]
        assert stored(service, "lot-000015") is None
        assert stored_field(service, "name", "lot-000301") == "Brand new"
        rows = report_of(file)
        assert outcomes(rows) == {
            **dict.fromkeys("2456", "done"),
            "3": "already so",
            "7": "can't be sent",
        }
        assert {row["ticket"] for row in rows} == {"SUP-7"}
        assert next(row for row in rows if row["row"] == "5")["id"] == "lot-000301"
        assert next(row for row in rows if row["row"] == "7")["message"] == "No record lot-999999 in operations/lots."

        await to_runs(user)
        await user.sees(r"changes in 4 lots +done")
        await changed_elsewhere(service, MARKUP_LOT, note="by others")
        await user.press("enter")
        await user.sees(r"Undo changes in 4 lots")
        await user.sees(rf'\? +{MARKUP_LOT} .*Is now "by others"')
        await user.sees(r"✓ +lot-000301 +Brand new +delete")
        await user.press("y")
        await heard(user, r"1 record changed, 1 created, 1 deleted\. 1 record skipped")
        after = stored(service, "lot-000001")
        assert after is not None
        assert {name: after[name] for name in before if name != "updatedAt"} == {
            name: value for name, value in before.items() if name != "updatedAt"
        }
        assert stored(service, "lot-000301") is None
        assert stored_field(service, "note", MARKUP_LOT) == "by others"
        assert stored_field(service, "name", "lot-000302") == deleted["name"]
        await to_runs(user)
        await user.sees(r"changes in 4 lots +undone")
        await chosen(user, "  changes in 4 lots")
        await heard(user, r"This run is already undone\. To restore its changes, undo that undo")
        await user.until(lambda: not user.app.main.asking, "a dialog is still open")
        await to_runs(user)
        await user.sees(r"changes in 4 lots +undone")
        await user.sees(r"undo of changes in 4 lots +done")
        await chosen(user, "undo of")
        await user.sees(r"Undo the undo of changes in 4 lots")
        await user.press("y")
        await user.until(lambda: stored(service, "lot-000302") is None, "the undo was not undone")
        await heard(user, r"1 record changed, 1 created, 1 deleted\.", 2)
        assert stored_field(service, "name", "lot-000001") == "Renamed"
        assert stored_field(service, "name", "lot-000303") == "Brand new"


async def test_the_rows_of_a_plan_are_walked_decided_edited_and_filtered(
    service: RunningService, tmp_path: Path
) -> None:
    long = "long " * 1000
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        screen = await planned(
            user,
            tmp_path / "lots.csv",
            "id,name,status,grade,assay.auPpm,tunnelId,note\n"
            "lot-000001,,clsoed,8.4,,,\n"
            "lot-000002,,,,10.5,,\n"
            "lot-000006,x,,,,,\n"
            "lot-000006,y,,,,,\n"
            f"{HOSTILE_LOT},renamed,,,,,{long}\n"
            "lot-000014,,,,,tun-99999,\n",
        )
        await user.sees(r"1 to send · 3 to check · 2 can't be sent")
        assert "\x1b" not in user.text
        await user.sees(r'unknown value "clsoed"\. Did you mean "closed"\?')
        await user.press("n")
        await user.sees(r"8\.4 is 8\.42 with fewer digits\. A spreadsheet may have\s+│?\s*│? *rounded it")
        # Whoever only looks at a value has not decided about it.
        await user.press("e")
        await user.sees(r"lot-000001 · grade")
        await user.press("escape")
        await user.sees(r"1 to send · 3 to check")
        await user.press("e")
        await user.sees(r"lot-000001 · grade")
        await user.press("ctrl+u")
        await user.types("8.41")
        await user.press("enter")
        await user.sees(r"grade +8\.42 +8\.41")
        await user.press("n", "e")
        await user.sees(r"lot-000002 · assay\.auPpm")
        await user.press("ctrl+u")
        await user.types("10.55")
        await user.press("enter")
        await user.sees(r"2 to send · 2 to check")
        assert str(screen.plan.rows[1].edits["assay"]["auPpm"]) == "10.55"  # type: ignore[call-overload,index]
        # The status of the first row stays in doubt until it is taken in.
        await user.press("g", "space")
        await user.sees(r"3 to send · 1 to check")
        await user.press("n", "space")
        await user.sees(r"4 to send · 1 skipped · 1 to check")
        await user.press("k", "space")
        await user.sees(r"3 to send · 1 to check · 2 can't be sent")
        await user.press("A")
        await user.sees(r"4 to send · 2 can't be sent")
        await user.press("A")
        await user.sees(r"2 to send · 2 to check · 2 can't be sent")
        await user.press("G")
        await user.sees(r"o record operations/tunnels/tun-99999")
        await user.press("n")
        await user.sees(r"continued from the top")
        await user.sees(r'unknown value "clsoed"')
        await user.press("j")
        await user.loses(r"continued from the top")
        await user.press("N", "N")
        await user.sees(r"continued from the bottom")
        await user.sees(r"no record operations/tunnels/tun-99999")
        await user.press("N")
        await user.sees(r"lot-000006 is also in row 4")
        await user.loses(r"continued from the bottom")
        await user.press("slash")
        await user.types(HOSTILE_LOT.upper())
        await user.sees(rf"2 rows match “{HOSTILE_LOT.upper()}”")
        await user.press("enter", "space")
        await user.sees(rf"· +6 +{HOSTILE_LOT} ")
        await user.sees(r"1 to send · 1 skipped")
        await user.press("g", "space")
        await user.sees(r"2 to send")
        await user.press("enter")
        await user.sees(rf"lots: {HOSTILE_LOT}")
        assert "\x1b" not in user.text
        await user.press("escape")
        await user.sees(r"2 rows match")
        await user.press("escape")
        await user.loses(r"rows match")
        user.app.post_message(events.Paste("SUP\n9"))
        await user.sees(r"Ticket +SUP 9")
        await user.puts_away_notices()
        await user.press("enter", "f")
        await user.sees(r"not available for a file: add a column to the file")
        await user.press("y")
        await heard(user, r"2 records changed\.")
        assert {entry.intent.ticket for entry in await journal(user)} == {"SUP 9"}
    assert writes(service) == ["PATCH lot-000002", f"PATCH {HOSTILE_LOT}"]
    assert stored_field(service, "note", HOSTILE_LOT) == long
    rows = report_of(tmp_path / "lots.csv")
    assert outcomes(rows)["2"] == "in doubt"
    assert any(row["message"] for row in rows if row["row"] == "7")


async def test_a_value_corrected_in_the_plan_is_sent_with_the_type_of_the_record(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        screen = await planned(
            user,
            tmp_path / "lots.csv",
            'id,massKg,priority,tunnelId\nlot-000011,"1,25",,\nlot-000012,,hgih,\nlot-000013,,,tun-99999\n',
        )
        await user.sees(r"3 to check")
        await user.press("e")
        await user.sees(r"lot-000011 · massKg")
        await user.press("ctrl+u")
        await user.types("1.25")
        await user.press("enter")
        await user.sees(r"1 to send · 2 to check")
        # Another word that nobody used, and another record that is not there, are doubts as well.
        await user.press("n", "e")
        await user.sees(r"lot-000012 · priority")
        await user.press("ctrl+u")
        await user.types("hihg")
        await entered_unknown(user)
        await user.until(lambda: screen.plan.rows[1].edits == {"priority": "hihg"}, "nothing was edited")
        await user.sees(r'unknown value "hihg"\. Did you mean "high"\?')
        await user.press("n", "e")
        await user.sees(r"lot-000013 · tunnelId")
        await user.press("ctrl+u")
        await user.types("tun-88888")
        await user.press("enter")
        await user.sees(r"o record operations/tunnels/tun-88888")
        await user.sees(r"1 to send · 2 to check")
        await user.press("y")
        await heard(user, r"1 record changed\.")
    changed = stored(service, "lot-000011")
    assert changed is not None
    assert changed["massKg"] == Number("1.25")
    assert writes(service) == ["PATCH lot-000011"]


async def test_a_plan_takes_no_key_while_an_edit_is_compared(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        screen = await planned(
            user, tmp_path / "lots.csv", "id,tunnelId\nlot-000011,tun-15\nlot-000012,tun-15\nlot-000013,tun-15\n"
        )
        await user.sees(r"3 to send")
        await user.press("e")
        await user.sees(r"lot-000011 · tunnelId")
        await user.press("ctrl+u")
        await user.types("tun-16")
        service.faults.next("hold", path="/v1/operations/tunnels/tun-16")
        await user.press("enter")
        await user.until(lambda: service.faults.held == 1, "the new value is not looked up")
        await user.sees(r"still checking the edit")
        # Of the old plan nothing is sent, and nothing is decided that the new one would not have.
        before = screen.plan
        await user.press("y", "A", "f", "d", "j", "space", "e")
        assert user.app.screen is screen
        assert screen.plan is before
        service.faults.release()
        await user.until(lambda: screen.plan is not before, "the edit is lost")
        await user.loses(r"still checking the edit")
        await user.press("space")
        await user.sees(r"2 to send · 1 skipped")
        await user.press("y")
        await heard(user, r"2 records changed\.")
    assert writes(service) == ["PATCH lot-000011", "PATCH lot-000013"]
    assert [stored_field(service, "tunnelId", f"lot-{number:06}") for number in (11, 13)] == ["tun-16", "tun-15"]


async def test_an_edit_is_dropped_where_the_journal_can_not_be_read(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        screen = await planned(
            user, tmp_path / "lots.csv", "id;name;massKg\nlot-000020;;3.215,57\n;Newer;1.972\n;New;2\n"
        )
        await user.sees(r"2 to send · 1 to check")
        before = screen.plan
        user.store._database.now(lambda connection: connection.execute("DROP TABLE journal"))
        await user.press("n", "d")
        await chosen(user, "Decimal comma")
        await heard(user, r"Edit discarded: could not load the journal")
        await user.press("G", "k", "e")
        await user.sees(r"row 4 · name")
        await user.press("ctrl+u")
        await user.types("Newest")
        await user.press("enter")
        await heard(user, r"Edit discarded: could not load the journal", times=2)
        assert screen.plan is before


async def test_one_choice_says_how_the_numbers_of_a_column_are_written(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(
            user,
            tmp_path / "lots.csv",
            "id;massKg;name\nlot-000020;3.215,57;\nlot-000021;1.972;\nlot-000022;2.468;\nlot-000023;;Renamed\n",
        )
        await user.sees(r"2 to send · 2 to check")
        await user.press("d")
        await user.sees(r"the decimal separator is clear here")
        await user.press("right")
        await user.loses(r"the decimal separator is clear here")
        await user.press("A")
        await user.sees(r"no row marked \? can be included · 2 rows marked \? can't be included")
        await user.press("n")
        await user.sees(r"“1\.972” is 1972 with a decimal comma and 1\.972 with a decimal point")
        await user.press("d")
        await user.sees(r"Decimal separator of 2 numbers in massKg")
        await user.sees(r"Decimal comma +1\.972 is 1972")
        await user.press("escape")
        await user.sees(r"2 to check")
        await user.press("d")
        await chosen(user, "Decimal comma")
        await user.sees(r"4 to send")
        await user.press("y")
        await heard(user, r"4 records changed\.")
    masses = [stored_field(service, "massKg", f"lot-{number:06}") for number in (20, 21, 22)]
    assert masses == ["3215.57", "1972", "2468"]


async def test_the_next_problem_is_a_field_and_a_duplicate_is_resolved_in_place(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        screen = await planned(
            user,
            tmp_path / "lots.csv",
            "id,name,note,priority\nlot-000001,Renamed,a note,hgih\nlot-000002,one,,\nlot-000002,two,,\nlot-x,x,,\n",
        )
        await user.sees(r"1 to check · 3 can't be sent")
        await user.press("n", "e")
        await user.sees(r"lot-000001 · priority")
        await user.press("ctrl+u")
        await user.types("low")
        await user.press("enter")
        await user.sees(r"1 to send · 3 can't be sent")
        await user.press("n", "space")
        await user.sees(r"2 to send · 1 skipped · 1 can't be sent")
        assert [row.state.name for row in screen.plan.rows] == ["READY", "SKIPPED", "READY", "BLOCKED"]
        await user.press("k", "space")
        await user.sees(r"1 to send · 3 can't be sent")
        await user.press("space")
        await user.sees(r"2 to send · 1 skipped · 1 can't be sent")
        await user.press("space")
        await user.sees(r"lot-x: can't be sent")
        await user.press("N")
        await user.sees(r"no other problem")
        await user.press("y")
        await heard(user, r"2 records changed\.")
    assert stored_field(service, "name", "lot-000002") == "one"
    assert writes(service) == ["PATCH lot-000001", "PATCH lot-000002"]


async def test_a_file_with_a_key_makes_no_plan_and_nothing_of_it_is_stored(
    service: RunningService, tmp_path: Path
) -> None:
    key = "svc_live_9f8e7d6c5b4a"
    file = tmp_path / "lots.csv"
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"1–\d+ of \d+")
        file.write_text(f"id,note\nlot-000001,{key}\n")
        await reads(user, file)
        await heard(user, r"Row 2, column note: the value contains an API key or signing secret")
        assert key not in user.text
        await planned(user, file, "id,note\nlot-000001,x\n")
        await user.press("e")
        await user.sees(r"lot-000001 · note")
        await user.press("ctrl+u")
        await user.types(key)
        await user.press("enter")
        await heard(user, r"It contains your API key or signing secret")
        await user.sees(r"1 to send")
        await user.press("y")
        await heard(user, r"1 record changed\.")
    assert stored_field(service, "note", "lot-000001") == "x"
    assert files_with(tmp_path, key) == []


async def test_personal_data_is_seen_nowhere_while_it_is_masked(service: RunningService, tmp_path: Path) -> None:
    people = [stored(service, f"wrk-000{at}", WORKERS.key) for at in (1, 2, 3)]
    texts = [str(person[name]) for person in people if person for name in ("name", "phone", "email")]
    texts += ["Nina Secret", "elsewhere@secret.example", "Otto Else"]

    def hidden() -> bool:
        return not any(text in user.text for text in texts)

    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        # What stands against a row may tell a value.
        await planned(user, tmp_path / "workers.json", '[{"id": "wrk-0003", "name": ["Nina Secret"]}]')
        await user.sees(r"Wrong type\.")
        assert hidden()
        await user.press("escape")
        await user.loses(r"y Send")
        await planned(
            user,
            tmp_path / "workers.csv",
            "id,name,role,_action,email\nwrk-0001,Nina Secret,miner,,\nwrk-0002,,,delete,\n"
            ",Nina Secret,,create,elsewhere@secret.example\n",
        )
        await user.sees(rf"wrk-0001 +{re.escape(MASKED)}")
        assert hidden()
        await user.press("enter")
        await user.sees(r"PATCH /v1/workforce/workers/wrk-0001")
        assert hidden()
        await user.press("escape", "G", "enter")
        await user.sees(r"POST /v1/workforce/workers")
        assert hidden()
        await user.press("escape", "ctrl+o")
        await user.sees(r"Nina Secret")
        await user.press("ctrl+o")
        await user.loses(r"Nina Secret")
        assert hidden()
        # The editor shows neither the old value nor the new one, and closing it changes nothing.
        await user.press("g", "e")
        await user.sees(r"wrk-0001 · name")
        await user.sees(r"│ hidden")
        assert hidden()
        await user.press("escape")
        await user.loses(r"wrk-0001 · name")
        await changed_in(service, WORKERS, "wrk-0001", name="Otto Else")
        await user.quiet()
        service.faults.next("hold", method="GET")
        await user.press("y")
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        await user.sees(r"0 of 3 · wrk-0001")
        assert hidden()
        service.faults.release()
        await user.sees(r"Stopped: 0 of 3 done")
        await user.sees(r"others set name to ")
        assert hidden()
        await decided(user, "Save the outcome of every record")
        await heard(user, r"Saved the outcome to .*Personal data is masked\.")
    report = "\n".join(",".join(row.values()) for row in report_of(tmp_path / "workers.csv"))
    assert not any(text in report for text in texts)
    assert writes(service)[1:] == []


async def changed_in(service: RunningService, collection: Collection, record_id: str, **fields: str) -> None:
    """Another user changes a record."""
    from svc_tui.client.client import SignedClient
    from svc_tui.core.credentials import KeyPair
    from svc_tui.core.settings import Profile
    from tests.direct_requests import update

    keys = KeyPair(service.key("sandbox").api_key)
    async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
        await update(other, collection, record_id, fields)


async def test_several_fields_of_marked_records_are_changed_and_undone_as_one(
    service: RunningService, tmp_path: Path
) -> None:
    ids = ("lot-000001", "lot-000002")
    before = [(stored_field(service, "mineral", lot), stored_field(service, "priority", lot)) for lot in ids]
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("space", "space", "x")
        await chosen(user, "Change a field of 2 marked")
        await chosen(user, "mineral")
        await user.sees(r"2 records · mineral")
        await user.press("ctrl+u")
        await user.types("testite")
        await entered_unknown(user)
        await user.sees(r"Change mineral of 2 lots")
        await user.press("f")
        await chosen(user, "priority")
        await user.sees(r"2 records · priority")
        await user.press("ctrl+u")
        await user.types("low")
        await user.press("enter")
        await user.sees(r"Change mineral and priority of 2 lots")
        await user.press("y")
        await heard(user, r"2 records changed\.")
        assert [stored_field(service, "priority", lot) for lot in ids] == ["low", "low"]
        await to_runs(user)
        await chosen(user, "mineral and priority")
        await user.sees(r"Undo mineral and priority of 2 lots")
        await user.press("y")
        await heard(user, r"2 records changed\.", 2)
    assert [(stored_field(service, "mineral", lot), stored_field(service, "priority", lot)) for lot in ids] == before
    assert writes(service) == [f"PATCH {lot}" for lot in (*ids, *reversed(ids))]


async def test_it_stops_at_refusals_goes_on_without_them_and_reports(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "lots.csv"
    rows = "".join(f"lot-00000{at},{word}\n" for at, word in enumerate(("bad1", "open", "bad2", "bad3", "open"), 1))
    before = stored_field(service, "status", "lot-000005")
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, file, f"id,status\n{rows}")
        await user.press("A", "y")
        await user.sees(r"Stopped: 0 of 5 done")
        await user.sees(r"lot-000001 was not changed")
        await decided(user, "Skip this record: lot-000001")
        await user.sees(r"Stopped: 1 of 5 done, 2 failed")
        await user.sees(r"lot-000003 was not changed")
        await decided(user, "Skip refused records")
        await user.sees(r"Stopped: 2 of 5 done, 3 failed")
        await decided(user, "Save the outcome of every record")
        await heard(user, r"Saved the outcome to")
    assert before != "open"
    assert writes(service) == [f"PATCH lot-00000{at}" for at in (1, 2, 3, 3, 4, 5)]
    reported = {row["row"]: (row["outcome"], row["status"]) for row in report_of(file)}
    assert reported == {
        "2": ("refused", "422"),
        "3": ("done", "200"),
        "4": ("refused", "422"),
        "5": ("refused", "422"),
        "6": ("done", "200"),
    }


async def test_the_end_tells_what_was_refused_from_what_was_left_out(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        rows = "lot-000001,bad1\nlot-000002,bad2\nlot-000003,bad3\nlot-999999,open\nlot-000005,open\n"
        await planned(user, tmp_path / "lots.csv", f"id,status\n{rows}")
        # The first two are taken in; the third stays in doubt.
        await user.press("space", "space", "y")
        await user.sees(r"Stopped: 0 of")
        await decided(user, "Skip this record: lot-000001")
        await user.sees(r"lot-000002 was not changed")
        await decided(user, "Skip this record: lot-000002")
        await heard(user, r"2 records refused by the service\. 2 records skipped \(1 because of a problem\)\.")


async def test_it_is_taken_up_after_a_restart_just_where_it_was(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(
            user,
            tmp_path / "lots.csv",
            "id,name,_action\nlot-000001,a,\n,new one,\nlot-000005,,delete\n"
            "lot-000006,b,\n,new two,\nlot-000008,,delete\n",
        )
        await changed_elsewhere(service, "lot-000006", name="elsewhere")
        service.attempts.clear()
        await user.press("y")
        await user.sees(r"Stopped: 3 of 6 done")
        # The program ends here.
    assert writes(service)[1:] == ["PATCH lot-000001", "POST lots", "DELETE lot-000005"]
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"changes in 6 lots: 3 of 6 done")
        await to_runs(user)
        await chosen(user, "Resume: 3 remaining records")
        await user.sees(r"Changes in 3 lots · lots\.csv")
        await user.press("space", "y")
        await heard(user, r"1 record changed, 2 created, 2 deleted\. 1 record skipped\.")
        assert await user.store.runs(user.scope).unfinished() == []
    assert writes(service)[1:] == [
        *("PATCH lot-000001", "POST lots", "DELETE lot-000005"),
        *("POST lots", "DELETE lot-000008"),
    ]
    assert outcomes(report_of(tmp_path / "lots.csv"))["5"] == "left out"


@pytest.mark.parametrize("idempotency", ["honoured", "unproven"])
async def test_a_new_record_whose_answer_was_lost_is_not_made_twice(
    service: RunningService, tmp_path: Path, idempotency: Literal["honoured", "unproven"]
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency=idempotency) as user:
        await planned(user, tmp_path / "lots.csv", "id,name\n,new one\n,new two\n")
        service.faults.next("reset", count=9, method="POST")
        await user.press("y")
        await user.sees(r"Stopped: \d of 2 done")
        service.faults.clear()
    async with browser(service, tmp_path, place="lots", idempotency=idempotency) as user:
        await heard(user, r"Unfinished run")
        await to_runs(user)
        await chosen(user, "Resume: ")
        await user.sees(r"y Send \d")
        await user.press("y")
        await heard(
            user,
            r"2 records created" if idempotency == "honoured" else r"1 record created\. 1 record with unknown outcome",
        )
    assert stored_field(service, "name", "lot-000301") == "new one"
    assert stored_field(service, "name", "lot-000302") == "new two"
    assert stored(service, "lot-000303") is None


async def test_a_record_that_changed_is_not_deleted_and_one_that_is_gone_needs_no_deletion(
    service: RunningService, tmp_path: Path
) -> None:
    from svc_tui.client.client import SignedClient
    from svc_tui.core.credentials import KeyPair
    from svc_tui.core.settings import Profile
    from tests.direct_requests import remove
    from tests.flows.steps import LOTS

    file = tmp_path / "lots.csv"
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, file, "id,_action\nlot-000001,delete\nlot-000002,delete\nlot-000004,delete\n")
        await user.sees(r"Deletion of 3 lots")
        keys = KeyPair(service.key("sandbox").api_key)
        async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
            await remove(other, LOTS, "lot-000001")
        await changed_elsewhere(service, "lot-000002", name="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 1 of 3 done")
        await user.sees(r"lot-000002 was not sent\. Others have changed name, updatedAt since")
        await decided(user, "Skip this record: lot-000002")
        await heard(user, r"1 record deleted\. 1 record was already deleted\. 1 record skipped")
    assert stored_field(service, "name", "lot-000002") == "elsewhere"
    assert stored(service, "lot-000004") is None
    assert outcomes(report_of(file)) == {"2": "already so", "3": "not sent", "4": "done"}


async def test_on_live_it_can_be_looked_at_while_it_is_locked_and_wants_the_number_typed(
    service: RunningService, tmp_path: Path
) -> None:
    many = "".join(f"lot-{at:06},x\n" for at in range(1, 202))
    async with browser(service, tmp_path, place="lots", key="live") as user:
        await planned(user, tmp_path / "lots.csv", "id,name\nlot-000001,x\n")
        await user.sees(r"LIVE   Change name of 1 lot ")
        await user.press("y")
        await user.sees(r"LIVE is locked\. Press w to unlock\.")
        assert writes(service) == []
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.loses(r"Unlock sending")
        await user.sees(r"WRITABLE")
        await user.press("y")
        await user.sees(r"Type 1 and press enter")
        # What was decided stays where it is not confirmed.
        await user.press("escape")
        await user.puts_away_notices()
        await user.sees(r"y Send 1")
        await user.press("escape")
        await planned(user, tmp_path / "many.csv", f"id,name\n{many}")
        await user.press("y")
        await user.sees(r"Type 201 lots and press enter")
        await user.types("201")
        await user.press("enter")
        await user.sees(r"This is not the number and the collection")
        await user.press("escape")
        await user.loses(r"Type 201")
        await user.press("escape")
        await planned(user, tmp_path / "lots.csv", "id,name\nlot-000001,x\n")
        await user.press("y")
        await user.sees(r"Type 1 and press enter")
        await user.types("1")
        await user.press("enter")
        await heard(user, r"1 record changed")
    assert writes(service) == ["PATCH lot-000001"]


async def test_what_is_no_file_of_corrections_is_told_in_a_line(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "lots.csv"
    async with browser(service, tmp_path, place="lots", size=(200, 60)) as user:
        await user.sees(r"1–\d+ of 300")
        for text, words in (
            (None, r"lots\.csv can\'t be read: No such file or directory\."),
            ("", r"lots\.csv is empty\. Add a row of column names"),
            ("id,_action\nlot-000001,burn\n", r"Row 2: unknown _action “burn”\. Use update"),
            ("id,id\n1,2\n", r"columns A and B are both named “id”"),
            (
                "id,name\n" + "".join(f"l{at},x\n" for at in range(10_001)),
                r"The file has 10,001 rows, but the limit is",
            ),
        ):
            if text is not None:
                file.write_text(text)
            await reads(user, file)
            await heard(user, words)
            if "but the limit is" not in words:
                # The name that was typed stands there still.
                await user.until(lambda: isinstance(user.app.screen, NamePromptScreen), "nothing asks again")
                assert user.app.screen.query_one(Input).value == str(file)
                await user.press("escape")
        await reads(user, tmp_path)
        await heard(user, r"is not a regular file\. Choose a file")
        await user.press("escape")
        # A file without rows, or of columns that no record has, is a plan of nothing.
        for text, words in (
            ("id,name\n", r"There are no rows below"),
            ("id,colour\nlot-000001,red\n", r"such a field: colour"),
        ):
            await planned(user, file, text)
            await user.sees(words)
            await user.press("y")
            await user.sees(r"nothing to send")
            await user.press("escape")
            await user.loses(r"y Send")
        await planned(user, file, "id,name\nlot-000001,x\n")
        user.store._database.now(lambda connection: connection.execute("DROP TABLE batches"))
        await user.press("y")
        await heard(user, r"Nothing sent: could not save the plan")
    assert writes(service) == []


async def test_what_a_write_of_unknown_outcome_did_is_not_said_for_sure(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, tmp_path / "lots.csv", "id,name\nlot-000001,new 1\nlot-000002,new 2\n")
        service.faults.always("reset", method="PATCH")
        # It is read before the change, and no more after it.
        service.faults.always("reset-before", method="GET", after=1, path="/v1/operations/lots/lot-000001")
        await user.press("y")
        await user.until(lambda: isinstance(user.app.screen, StoppedRunScreen), "it did not stop")
        await user.sees(r"1 record with unknown outcome: lot-000001")
        await user.sees(r"Undo 1 record that may have changed")
        service.faults.clear()
        await decided(user, "Resume: send lot-000001 again")
        await heard(user, r"changed|already had the value")
    assert [stored_field(service, "name", f"lot-00000{at}") for at in (1, 2)] == ["new 1", "new 2"]


async def test_the_service_may_stop_or_hold_back_and_the_program_may_end_in_the_middle(
    service: RunningService, tmp_path: Path
) -> None:
    file = tmp_path / "lots.csv"
    file.write_text("id,name\n" + "".join(f"lot-{at:06},new {at}\n" for at in range(1, 7)))
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"1–\d+ of 300")
        # It stops while the records are read, and the user stops the reading.
        service.faults.always("reset-before")
        await reads(user, file)
        await heard(user, r"Could not load the records")
        service.faults.clear()
        # The page ahead of the table may have failed as well, and is read again: it is not what is to be held.
        await user.quiet()
        service.faults.next("hold", method="GET")
        await reads(user, file)
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        await user.sees(r"Loading records")
        await user.press("escape")
        await user.loses(r"Loading records")
        service.faults.release()
        assert "y Send" not in user.text
        # It holds back, which is waited for; then it stops.
        await reads(user, file)
        await at_plan(user)
        service.faults.next("429", method="PATCH", retry_after=1)
        await user.press("y")
        await user.until(lambda: len(writes(service)) >= 3, "it did not go on")
        await heard(user, r"6 records changed")
        assert writes(service)[:2] == ["PATCH lot-000001", "PATCH lot-000001"]
        await planned(user, file, "id,name\n" + "".join(f"lot-{at:06},newer {at}\n" for at in range(1, 7)))
        service.faults.always("reset-before")
        await user.press("y")
        await user.until(lambda: isinstance(user.app.screen, StoppedRunScreen), "it did not stop")
        service.faults.clear()
        service.faults.next("hold", method="PATCH")
        await decided(user, "Resume: send lot-000001 again")
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        await user.press("ctrl+q")
        await heard(user, r"A run is in progress\. Press esc to stop after the current row, then quit")
        await user.press("escape")
        await user.sees(r"Stopping…")
        service.faults.release()
        await decided(user, "Resume later")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"Unfinished run")
        service.attempts.clear()
        await to_runs(user)
        await user.sees(r"name of 6 lots +stopped after 1 of 6")
        await user.press("enter")
        await chosen(user, "Resume: ")
        await at_plan(user)
        await user.press("y")
        await heard(user, r"6 records changed|already had the value")
    assert [stored_field(service, "name", f"lot-{at:06}") for at in range(1, 7)] == [
        f"newer {at}" for at in range(1, 7)
    ]
