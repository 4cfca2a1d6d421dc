"""Finding one's way: sidebar, table, record, places visited, help, copying, themes."""

import re
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, OptionList

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, chosen, commanded, goes_to, heard, renamed, sent


def at_hand(user: User) -> str | None:
    """The id of the record that keys are about."""
    place = user.app.main.workspace.selection.place
    return place.record_id if place else None


async def test_it_opens_the_first_collection_with_its_count(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"operations / lots ─+ 1–\d+ of 300 ")
        await user.sees(r"lots +300 ")
        await user.sees(r"SANDBOX .*unsigned +200 · [\d.]+ m?s")


@pytest.mark.parametrize("place", ["tunnels", "operations/tunnels", "/v1/operations/tunnels", "/operations/tunnels"])
async def test_a_place_given_at_the_start_is_opened(service: RunningService, tmp_path: Path, place: str) -> None:
    async with browser(service, tmp_path, place=place) as user:
        await user.sees(r"operations / tunnels")
        await user.sees(r"tun-01")


async def test_the_last_record_is_one_key_and_one_request_away(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        before = len(service.attempts)
        await user.press("G")
        await user.sees(r"lot-000300")
        await user.press("g")
        await user.sees(r"lot-000001")
    assert len(service.attempts) - before <= 2


async def test_every_collection_of_the_table_can_be_opened_from_the_sidebar(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, size=(140, 40)) as user:
        await user.sees(r"lot-000001")
        await user.press("1")
        for name in (
            "tunnels", "productionLogs", "shiftLogs", "custody", "analytics", "licenses", "stock", "monitoring",
            "invoices", "workers", "incidents",
        ):  # fmt: skip
            await user.press("j", "enter")
            await user.sees(rf"/ {name} ─+ 1–\d+ of [\d,]+ ")
            await user.press("1")


async def test_the_record_follows_the_cursor_once_it_is_open(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("2", "j", "j")
        await user.sees(r"╭─ lot-000003 ")


async def test_esc_closes_the_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("escape")
        await user.loses(r"╭─ lot-000001 ")


async def test_narrow_terminals_show_the_record_over_the_table(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, size=(80, 24)) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lots / lot-000001 · Silver ore 1 ─+ 1 of 300 ─╮")
        await user.loses(r"operations / lots")
        await user.press("escape")
        await user.sees(r"operations / lots")


async def test_nested_values_fold_and_unfold(service: RunningService, tmp_path: Path) -> None:
    # Where there is more room they are unfolded.
    async with browser(service, tmp_path, place="lots/lot-000001", size=(120, 27)) as user:
        await user.sees(r"assay +▸ \{\d\}")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        while user.app.main.workspace.selection.field != "assay":
            await user.press("j")
        await user.press("enter")
        await user.sees(r"(?s)assay +▾ \{\d\}.*auPpm")
        await user.press("h")
        await user.sees(r"assay +▸ \{\d\}")
        await user.loses(r"auPpm")


async def test_the_json_tab_keeps_every_digit(service: RunningService, tmp_path: Path) -> None:
    text = service.record("operations/lots", "lot-000002") or ""
    digits = re.search(r'"grade": ?([\d.]+)', text)
    assert digits
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"Record +JSON")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        await user.press("right_curly_bracket")
        await user.sees(rf'"grade": {re.escape(digits[1])},?')


async def test_a_reference_is_followed_and_back_comes_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000001") as user:
        found = await user.sees(r"tunnelId +(tun-\d+) →")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        while user.app.main.workspace.selection.field != "tunnelId":
            await user.press("j")
        await user.press("f")
        await user.sees(rf"╭─ {found[1]} [\s\S]+ q Back ")
        await user.press("left_square_bracket")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("right_square_bracket")
        await user.sees(rf"╭─ {found[1]} ")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_esc_goes_back_from_a_reference_to_its_record_and_from_there_to_the_table(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000001", size=size) as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        while user.app.main.workspace.selection.field != "workerId":
            await user.press("j")
        await user.press("f")
        await user.sees(r"╭─ [\w/ ]*wrk-\d+ [\s\S]+ q Back ")
        await user.press("escape")
        await user.sees(r"╭─ [\w/ ]*lot-000001 [\s\S]+ f Follow ")
        await user.press("escape")
        await user.loses(r"╭─ [\w/ ]*lot-000001 ")
        await user.sees(r"╭─ operations / lots ")


async def test_go_to_completes_checks_and_goes(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.types("nowhere/at/all")
        await user.press("enter")
        await user.sees(r"nowhere")
        await user.press("ctrl+u")
        await user.types("workers/wrk-0007")
        await user.press("enter")
        await user.sees(r"╭─ wrk-0007 ")
        await user.sees(r"workforce / workers")


async def test_a_record_that_is_not_there_is_said(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-999999") as user:
        await user.sees(r"Could not load lot-999999")


async def test_help_lists_the_keys_that_work_here_and_can_be_searched(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("question_mark")
        await user.sees(r"Keys · operations/lots")
        await user.types("journal")
        await user.sees(r"@ .*[Jj]ournal")
        await user.press("escape")
        await user.loses(r"Keys ·")


async def test_the_palette_runs_what_the_bindings_do(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.types("journal")
        await user.sees(r"Journal +Writes +@")
        await user.press("enter")
        await user.sees(r"─ Journal")


async def test_a_whole_word_comes_first_in_the_palette_and_movements_pages_and_themes_do_not_stand_in_it(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.sees(r"│ +Here ")
        await user.settled()
        listed = [str(option.prompt).strip() for option in user.app.screen.query_one(OptionList).options]
        assert not any(re.match(r"(Up|Down|Left|Right|First|Last|Page up|Page down) ", line) for line in listed)
        assert [line for line in listed if "Theme" in line or "Guide" in line] == ["Themes…", "Guide…"]
        await user.types("curl")
        await user.sees(r"Copy as curl")
        await user.settled()
        assert str(user.app.screen.query_one(OptionList).options[0].prompt).startswith("Copy as curl")
        await user.press("enter")
        await heard(user, r"characters")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.press("ctrl+u")
        await user.types("GET lots limit==3")
        await user.press("ctrl+p")
        await user.types("curl")
        await user.sees(r"Copy as curl")
        await user.settled()
        await user.press("enter")
        await heard(user, r"characters", 2)


async def test_the_guide_opens_at_its_list_of_pages(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await commanded(user, "troubleshooting", "Guide…")
        await user.sees(r"Find and read records")


async def test_the_line_opens_an_id_that_is_not_loaded_and_searches_for_any_other_word(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.types("tun-14")
        await user.sees(r"› Open tun-14 +operations/tunnels")
        await user.press("enter")
        await user.sees(r"╭─ tun-14 ")
        await user.press("colon")
        await user.types("kowal")
        await user.sees(r"› Search for “kowal” in all collections")
        await user.press("enter")
        await user.sees(r"╭─ Search ")
        assert user.app.screen.query_one(Input).value == "kowal"


async def test_a_theme_chosen_in_the_palette_is_used_and_remembered(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.types("light")
        await user.sees(r"Themes…")
        await user.press("enter")
        await user.sees(r"╭─ Theme ")
        await chosen(user, "Light")
        await user.until(lambda: user.app.theme == "svc-light", "the theme was not put on")
        await user.until((tmp_path / "state.toml").is_file, "the theme was not remembered")
        await user.until(lambda: "svc-light" in (tmp_path / "state.toml").read_text(), "another theme was remembered")


async def test_what_is_copied_is_raw(service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("c")
        await user.sees(r"Copied \(")
        assert user.app.clipboard == "lot-000001"
        await user.press("y")
        await user.sees(r"record as JSON")
        await user.press("l")
        await user.until(lambda: user.app.clipboard.startswith("svctui://"), "no link was copied")
        assert user.app.clipboard.endswith("/operations/lots/lot-000001")
        assert service.key("sandbox").api_key not in user.app.clipboard


async def test_a_paste_into_the_table_runs_no_keys_and_fills_the_line(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        user.app.screen.post_message(events.Paste("lots/lot-000007"))
        await user.sees(r"lots/lot-000007")
        await user.press("enter")
        await user.sees(r"╭─ lot-000007 ")


async def test_a_pasted_key_is_refused_unseen(service: RunningService, tmp_path: Path) -> None:
    secret = service.key("sandbox").api_key
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        user.app.screen.post_message(events.Paste(secret))
        await user.sees(r"looks like a key or a secret")
        assert secret not in user.text


async def test_panes_are_reached_by_number_and_the_sidebar_folds_away(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("b")
        await user.loses(r"Collections")
        await user.press("1")
        await user.sees(r"Collections")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.press("escape")
        await user.sees(r"operations / lots")
        await user.press("3")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("z")
        await user.loses(r"Collections")
        await user.press("z")
        await user.sees(r"Collections")


async def test_refresh_shows_what_others_changed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path / "one") as user:
        await user.sees(r"lot-000002")
        async with browser(service, tmp_path / "two", place="lots") as other:
            await at_name(other)
            await renamed(other, "Changed elsewhere")
            await sent(other)
        await user.press("r")
        await user.sees(r"Changed elsewhere")


async def test_refresh_takes_away_the_notice_of_what_was_done(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once more")
        await sent(user)
        await user.sees(r"Saved lot-")
        await user.press("r")
        await user.loses(r"Saved lot-")


async def test_an_empty_collection_says_so(tmp_path: Path, service: RunningService) -> None:
    async with browser(service, tmp_path, place="operations/lots/lot-000003/attachments") as user:
        await user.sees(r"No \w+\.|1–\d+ of \d+")


async def test_a_link_opens_its_record_here_and_is_refused_elsewhere(service: RunningService, tmp_path: Path) -> None:
    host = service.base_url.removeprefix("http://")
    async with browser(service, tmp_path, place=f"svctui://sandbox@{host}/operations/lots/lot-000007") as user:
        await user.sees(r"╭─ lot-000007 ")
        await user.press("colon")
        await user.types(f"svctui://live@{host}/operations/lots/lot-000008")
        await user.press("enter")
        await heard(user, r"the link is for LIVE at .*\. No other profile connects to it")
        await user.sees(r"╭─ lot-000007 ")


async def test_a_bare_id_opens_its_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        user.app.screen.post_message(events.Paste("lot-000299"))
        await user.sees(r"╭─ Go to")
        await user.press("enter")
        await user.sees(r"╭─ lot-000299 ")
        await user.press("colon")
        await user.types("wrk-0007")
        await user.press("enter")
        await user.sees(r"╭─ wrk-0007 ")


async def test_keys_wait_for_the_record_that_is_being_read(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000020") as user:
        await user.sees(r"╭─ lot-000020 ")
        # The rows are read as well, and are not to be held.
        await user.settled()
        service.faults.next("hold", method="GET")
        await user.press("colon")
        await user.types("lots/lot-000030")
        await user.press("enter")
        await user.until(lambda: service.faults.held == 1, "no record was held")
        await user.sees(r"╭─ lot-000030 ")
        await user.press("e")
        await user.sees(r"No record under the cursor|has not come yet")
        service.faults.release()
        await user.sees(r"id +lot-000030")


async def test_a_mistyped_id_leaves_the_record_that_was_open(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000020") as user:
        workspace = user.app.main.workspace
        await user.until(lambda: workspace.panes.in_record, "the record never had the focus")
        await goes_to(user, "lots/nope-1")
        await user.sees(r"Could not load nope-1")
        await user.sees(r"id +lot-000020")
        await user.until(lambda: workspace.panes.in_record, "the record lost the focus")


async def test_of_two_mistyped_ids_in_a_row_the_second_leaves_that_record_too(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000020") as user:
        await user.sees(r"╭─ lot-000020 ")
        await user.settled()
        service.faults.next("hold", method="GET")
        await goes_to(user, "lots/nope-1")
        await user.until(lambda: service.faults.held == 1, "no record was held")
        await goes_to(user, "lots/nope-2")
        await user.sees(r"Could not load nope-2")
        await user.sees(r"id +lot-000020")
        service.faults.release()


async def test_a_mistyped_id_in_another_collection_leaves_the_table_alone(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000020") as user:
        await user.sees(r"╭─ lot-000020 ")
        await goes_to(user, "tunnels/nope-1")
        await user.sees(r"Could not load nope-1")
        await user.sees(r"│ tun-01 ")
        assert not user.app.main.workspace.panes.record_open
        assert at_hand(user) == "tun-01"
        await user.press("j")
        await user.until(lambda: at_hand(user) == "tun-02", "the table had no focus")


async def test_a_record_opens_at_the_field_that_the_table_was_on(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("l", "l", "enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        assert user.app.main.workspace.selection.field == "status"


async def test_full_screen_and_back_leaves_the_record_open(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("2", "z")
        await user.loses(r"╭─ lot-000001 ")
        await user.sees(r"operations / lots")
        await user.press("z")
        await user.sees(r"╭─ lot-000001 ")
