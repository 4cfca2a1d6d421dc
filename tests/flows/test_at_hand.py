"""What is at hand in the record: long texts whole, one of several records, the user's editor, what `x` offers."""

from pathlib import Path

import pytest
from textual.widgets import OptionList

from svc_tui.core.catalog import COLLECTIONS, Route
from svc_tui.core.jsontext import dumps
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import RECORD, goes_to, heard, stored, unfolded
from tests.flows.test_acting import arrived, chosen, filled, journal
from tests.flows.test_inspecting import at

PLACE = f"lots/{RECORD}"
REGRADE = Route(
    "Grade anew", "PATCH", "/v1/operations/lots/{id}", body='{"grade": {grade}, "note": "by {who}, for {tunnelId}"}'
)


async def changed(user: User, **fields: object) -> None:
    """Give the record fields that it did not have at the start, and read it again."""
    body = dumps(fields).encode()  # type: ignore[arg-type]
    await user.app.main.session.gateway.send(RequestSpec("PATCH", f"/v1/operations/{PLACE}", body=body))
    await user.press("r")

    def read() -> bool:
        record = user.app.main.workspace.selection.record
        return record is not None and all(record.fields.get(name) == value for name, value in fields.items())

    await user.until(read, "the record was not read again")
    # Where a value leads is told by the ids of the rows.
    await user.until(lambda: user.app.main.workspace.browse.rows.loaded, "no rows came")


async def test_a_long_text_is_shown_whole_searched_and_left(service: RunningService, tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(900)) + " THE VERY END"
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "note")
        await changed(user, note=text)
        await user.sees(r"word0 word1")
        assert "THE VERY END" not in user.text
        await user.press("enter")
        await user.sees(rf"{len(text):,} characters ─╯")
        await user.sees(r"/ Search  f3 Pager  esc Close")
        await user.press("slash")
        await user.types("very")
        await user.press("enter")
        await user.sees(r"THE VERY END")
        await user.sees(r"1 of 1")
        await user.press("q")
        await user.loses(r"esc Close")
        await user.sees(rf"╭─ {RECORD} ")


@pytest.mark.parametrize("wanted", ["lot-000003", "lot-000004"])
async def test_a_value_that_names_several_records_is_a_choice(
    service: RunningService, tmp_path: Path, wanted: str
) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "tags")
        await changed(user, tags=["lot-000003", "lot-000004"])
        await user.press("f")
        await user.sees(r"2 records ")
        await user.sees(r"operations/lots/lot-000003")
        if wanted != "lot-000003":
            await user.press("down")
        await user.press("enter")
        await user.sees(rf"╭─ {wanted} ")


async def test_a_choice_among_records_that_is_left_goes_nowhere(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "tags")
        await changed(user, tags=["lot-000003", "lot-000004"])
        await user.press("f")
        await user.sees(r"2 records ")
        await user.press("escape")
        await user.loses(r"2 records ")
        await user.sees(rf"╭─ {RECORD} ")


async def test_f4_opens_the_fields_editor_and_goes_outside_at_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "name")
        await user.press("f4")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        # The terminal of a test can't be lent; the dialog stays, with the value as it was.
        await heard(user, r"An editor can't be opened in this terminal")
        await user.press("f4")
        await user.until(
            lambda: (
                [report.body for report in user.app.main.reports].count("An editor can't be opened in this terminal.")
                == 2
            ),
            "the dialog's own f4 did nothing",
        )
        await user.press("escape")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        assert not user.app.main.features.drafting.drafts.places


async def test_x_exports_what_the_table_shows(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await chosen(user, PLACE, "Export the table")
        await user.sees(r"╭─ Export ")
        await user.press("escape")
        await user.loses(r"╭─ Export ")


async def test_a_route_of_the_users_own_asks_for_its_placeholders_and_is_sent(
    service: RunningService, tmp_path: Path
) -> None:
    before = stored(service, RECORD)
    assert before is not None
    async with browser(service, tmp_path, place="lots", routes=(REGRADE,)) as user:
        await chosen(user, PLACE, "Grade anew")
        await user.sees(rf"Grade anew · {RECORD}")
        # The record itself gives its id; what stands only in the body is asked for.
        await filled(user, grade="7.10", who='Ann "A"', tunnelId="tun-1")
        await user.press("ctrl+s")
        await user.sees(rf"PATCH /v1/operations/lots/{RECORD}")
        await unfolded(user)
        await user.sees(r"If-Match:")
        await user.sees(r"y Send")
        await user.press("y")
        await user.sees(r"Grade anew · 200")
        (entry,) = await journal(user)
        assert (entry.intent.method, entry.intent.place) == ("PATCH", f"operations/{PLACE}")
    after = stored(service, RECORD)
    assert after is not None
    assert (str(after["grade"]), after["note"]) == ("7.10", 'by Ann "A", for tun-1')
    assert len(arrived(service, "PATCH")) == 1


async def test_a_route_of_the_users_own_that_fits_no_record_is_not_offered(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="tunnels", routes=(REGRADE,)) as user:
        await user.sees(r"tun-01")
        await user.press("x")
        await user.sees(r"Actions on tun-01")
        await user.until(lambda: bool(user.app.screen.query(OptionList)), "no menu is open")
        offered = [str(option.prompt) for option in user.app.screen.query_one(OptionList).options]
        assert any("Delete the record" in line for line in offered)
        assert not any("Grade anew" in line for line in offered)


async def test_with_marks_the_keys_for_one_record_name_it_and_the_menu_keeps_the_two_apart(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000003")
        await user.press("space", "space")
        await user.until(lambda: user.app.main.workspace.selection.marked == 2, "nothing is marked")
        await user.press("right", "e")
        await user.sees(r"This changes only lot-000003, not the 2 marked records\.")
        await user.press("escape")
        await user.loses(r"This changes only lot-000003")
        await user.press("left", "e")
        await heard(user, r"The id can't be changed\. Go to another field\.")
        await user.press("delete")
        await user.sees(r"Delete lot-000003[\s\S]+This changes only lot-000003, not the 2 marked records\.")
        await user.press("escape")
        await user.loses(r"This changes only lot-000003")
        await user.press("x")
        await user.sees(r"2 marked lots[\s\S]+Change a field of 2 marked records…[\s\S]+This record: lot-000003")
        await user.types("delete")
        await user.loses(r"Change a field")
        await user.sees(r"This record: lot-000003[\s\S]+Delete the record…")
        await user.press("enter")
        await user.sees(r"Delete lot-000003")
    assert not arrived(service, "DELETE")


async def test_an_open_record_without_a_row_is_told_of_on_the_frame_until_it_is_closed_or_loaded(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000003")
        await goes_to(user, "lots/lot-000250")
        await user.sees(r"╭─ lot-000250 ")
        await user.sees(r"lot-000250: not shown here")
        user.app.main.workspace.browse.viewport.load_rest()
        await user.until(
            lambda: user.app.main.workspace.browse.table.cursor_row == 249, "the cursor stays where it was"
        )
        await user.loses(r"lot-000250: not shown here")
        assert user.app.main.workspace.selection.place == Place(COLLECTIONS[0], "lot-000250")
