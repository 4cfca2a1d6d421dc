"""Fields with names that a service may well have and a program may well stumble over."""

import json
from pathlib import Path

from tests.browser import User
from tests.client.raw_service import CannedReply, ReceivedRequest, reply
from tests.flows.stand_in import browser_on

RECORDS = [
    {"id": f"lot-{number:06}", "": f"blank {9 - number}", "geo.lat": 10 + number, "geo": {"lat": 50 - number}}
    for number in range(9)
]


def answer(came: ReceivedRequest) -> CannedReply:
    record = next((record for record in RECORDS if came.target.endswith(str(record["id"]))), RECORDS[0])
    return reply(200, json.dumps(record))


def listed() -> bytes:
    return json.dumps({"items": RECORDS, "meta": {"total": len(RECORDS)}}).encode()


async def on_column(user: User, name: str) -> None:
    """Put the cursor of the table on the column of that name."""
    table = user.app.main.workspace.browse.table
    names = [column.name for column in table.columns]
    for _ in range(names.index(name)):
        await user.press("right")
    assert table.cursor_field == name


async def test_a_field_without_a_name_is_a_column_like_any_other(tmp_path: Path) -> None:
    async with browser_on(answer, tmp_path, listing=listed()) as (user, _):
        await user.press("colon")
        await user.types("lots")
        await user.press("enter")
        await user.sees(r"lot-000000 ")
        await on_column(user, "")
        await user.sees(r"blank 9")
        await user.press("s")
        await user.sees(r'│[ ▌]+"" +│')
        await user.press("enter")
        await user.sees(r"(?s)blank 1.+blank 2.+blank 9")
        await user.press("i")
        await user.sees(r"9 values|9 of 9")
        await user.press("escape")
        await user.press("enter")
        await user.sees(r"─ lot-00000\d ")
        assert user.app.main.workspace.selection.field == ""


async def test_a_name_with_a_point_and_a_nested_field_of_that_path_are_two_columns(tmp_path: Path) -> None:
    async with browser_on(answer, tmp_path, listing=listed()) as (user, _):
        await user.press("colon")
        await user.types("lots")
        await user.press("enter")
        await user.sees(r"lot-000000 ")
        await user.press("o")
        await user.sees(r'geo\["lat"\]')
