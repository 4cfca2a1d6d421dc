"""Marks from a list of ids: pasted, read where no row holds them, told of where they are not there, and used."""

from pathlib import Path

import pytest
from textual import events

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.ui.marks.mark_list_dialog import ListInput
from svc_tui.ui.navigation.goto_dialog import PlaceInput
from tests.browser import User, browser
from tests.flows.steps import changed_elsewhere, chosen, commanded, goes_to, heard, stored_field
from tests.flows.test_marked_runs import planned

FAR = ("lot-000290", "lot-000003", "lot-000150")


def marked(user: User) -> list[str]:
    return [record.id or "" for record in user.app.main.workspace.browse.marking.records]


async def pastes(user: User, text: str) -> None:
    user.app.screen.post_message(events.Paste(text))
    await user.sees(r"╭─ Go to ")


async def test_a_column_pasted_into_the_table_is_marked_in_its_order(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await pastes(user, "id\tgrade\r\n" + "".join(f"{name}\tA\r\n" for name in FAR))
        await user.sees(r"› Mark 3 records in lots")
        await user.sees(r"⏎ Mark  esc Cancel")
        await user.press("enter")
        await heard(user, r"Marked all 3 lots")
        assert marked(user) == list(FAR)
        await user.puts_away_notices()
        await user.sees(r"3 marked · 2 not shown")
        assert not any(attempt.method != "GET" for attempt in service.attempts)


async def test_links_and_places_are_marked_and_what_is_not_there_is_told_and_copied(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        host = user.app.main.session.gateway.host
        words = ["lots/lot-000002", f"svctui://sandbox@{host}/operations/lots/lot-000200", "lot-999998"]
        await pastes(user, "\n".join([*words, "operations/tunnels/tun-01", "lot-999999", "lot-999997", "lot-999996"]))
        await user.sees(r"› Mark 6 records in lots")
        await user.press("enter")
        await heard(
            user, r"Marked 2 of 7 lots\. Not found: operations/tunnels/tun-01, lot-999998, lot-999999 and 2 more"
        )
        assert sorted(marked(user)) == ["lot-000002", "lot-000200"]
        await user.press("y")
        await user.sees(r"5 not found in the list")
        await user.press("N")
        await user.until(lambda: user.app.clipboard.endswith("lot-999996"), "nothing was copied")
        assert user.app.clipboard.split("\n")[:2] == ["operations/tunnels/tun-01", "lot-999998"]


async def test_a_single_id_goes_to_its_record_and_several_typed_ones_are_marked(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "lot-000002, lot-000004")
        await heard(user, r"Marked all 2 lots")
        assert marked(user) == ["lot-000002", "lot-000004"]
        await pastes(user, "\nlot-000007\n")
        await user.press("enter")
        await user.sees(r"╭─ lot-000007 ")


async def test_a_list_pasted_into_the_line_of_colon_keeps_its_lines(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.sees(r"╭─ Go to ")
        line = user.app.screen.query_one(PlaceInput)
        line.post_message(events.Paste("lot-000002\nlot-000003\n"))
        await user.sees(r"Mark 2 records in lots")
        assert line.value == "lot-000002, lot-000003"
        await user.press("escape")
        await user.loses(r"╭─ Go to ")
        assert marked(user) == []


async def test_ids_of_another_collection_by_their_links_are_marked_there(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await pastes(user, "operations/tunnels/tun-02\ntunnels/tun-05")
        await user.sees(r"› Mark 2 records in tunnels")
        await user.press("enter")
        await user.sees(r"operations / tunnels")
        await heard(user, r"Marked all 2 tunnels")
        assert marked(user) == ["tun-02", "tun-05"]


async def test_the_dialog_takes_lines_and_says_what_they_come_to(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await commanded(user, "mark from", "Mark from a list…")
        await user.sees(r"╭─ Mark from a list ")
        await user.press("ctrl+j")
        await user.sees(r"Paste ids or links: one per line")
        await user.types("lot-000005\nlot-000006")
        await user.sees(r"Mark 2 records in lots")
        await user.press("ctrl+j")
        await heard(user, r"Marked all 2 lots")
        assert marked(user) == ["lot-000005", "lot-000006"]


@pytest.mark.parametrize("text", ["{key}\nlot-000001\nlot-000002", "lot-000001\n{key}\nlot-000003"])
async def test_a_key_in_a_list_is_refused_unseen(service: RunningService, tmp_path: Path, text: str) -> None:
    key = service.key("sandbox").api_key
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        user.app.screen.post_message(events.Paste(text.format(key=key)))
        await user.sees(r"looks like a key or a secret")
        await commanded(user, "mark from", "Mark from a list…")
        await user.sees(r"╭─ Mark from a list ")
        user.app.screen.query_one(ListInput).post_message(events.Paste(text.format(key=key)))
        await user.sees(r"Not accepted: this looks like a key or a secret")
        assert key not in user.text


async def test_marks_that_are_out_of_view_are_told_of_and_changed_as_well_and_go_when_that_is_done(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await goes_to(user, ", ".join(FAR))
        await heard(user, r"Marked all 3 lots")
        await user.puts_away_notices()
        await user.sees(r" x Actions on 3…  v Start range  \^e Export  y Copy  U Unmark ")
        await user.press("x")
        await user.sees(r"╭─ Actions: 3 marked lots, or this record \(lot-000001\) ")
        await chosen(user, "Change a field of 3 marked")
        await user.sees(r"Field to change in 3 records")
        await chosen(user, "mineral")
        await user.sees(r"3 records · mineral")
        await user.press("ctrl+u")
        await user.types("testite")
        await user.sees(r"Use “testite” as typed")
        await user.press("up", "enter")
        await user.sees(r"2 marked records are not shown: filtered out or not loaded\.")
        await user.press("y")
        await heard(user, r"3 records changed\. Press u to undo\.")
        assert [stored_field(service, "mineral", name) for name in FAR] == ["testite"] * 3
        await user.until(lambda: marked(user) == [], "marks stay")
        await user.loses(r" x Actions on 3…")


async def test_marks_stay_where_a_batch_stopped(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite", marked=2)
        await changed_elsewhere(service, "lot-000002", mineral="theirs")
        await user.press("y")
        await user.sees(r"Stopped: ")
        await chosen(user, "Resume later, with Runs")
        await user.settled()
        assert len(marked(user)) == 2


async def test_esc_stops_reading_on_and_one_key_takes_all_marks_off(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        service.faults.next("hold", count=50)
        await goes_to(user, "lot-000001, lot-000200, lot-000201")
        await user.sees(r"2 more to mark · esc stop · 1 marked")
        await user.press("escape")
        await user.loses(r"more to mark")
        assert marked(user) == ["lot-000001"]
        await goes_to(user, "lot-000002, lot-000003")
        await heard(user, r"Another list is being marked")
        service.faults.clear()
        await heard(user, r"Marked 1 of 3 lots: 2 were not searched for")
        await user.press("U")
        await user.until(lambda: marked(user) == [], "marks stay")


async def test_a_list_that_can_not_be_read_to_its_end_says_why(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        service.faults.next("login-page", count=2)
        await goes_to(user, "lot-000001, lot-000200, lot-000201")
        await heard(user, r"Marked 1 of 3 lots: 2 were not searched for \(.*page")
        assert marked(user) == ["lot-000001"]


async def test_ten_thousand_ids_are_marked_and_no_key_waits_for_it(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=12_000)) as service:
        async with browser(service, tmp_path, place="lots", page_size=200) as user:
            await user.sees(r"lot-000001")
            await pastes(user, "\n".join(f"lot-{at:06d}" for at in range(1, 10_001)))
            await user.sees(r"› Mark 10,000 records in lots")
            service.faults.always("hold")
            await user.press("enter")
            await user.press("j", "j", "j")
            await user.until(lambda: user.app.main.workspace.browse.table.cursor_row == 3, "the cursor stays")
            assert len(marked(user)) < 10_000
            service.faults.clear()
            await heard(user, r"Marked all 10,000 lots")
            assert len(marked(user)) == 10_000
            assert sum("/lots/" in attempt.target for attempt in service.attempts) == 0


async def test_more_than_ten_thousand_are_refused_in_one_line(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await pastes(user, "\n".join(f"lot-{at:06d}" for at in range(1, 12_000)))
        await user.sees(r"A list can mark at most 10,000 records")
        await user.press("enter")
        await user.settled()
        assert marked(user) == []
