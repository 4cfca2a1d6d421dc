"""What can be copied of a record, and the menu that offers it."""

from collections.abc import Sequence

import pytest

from svc_tui.console.copy_as import copy_options, curl_line, record_json, value_text
from svc_tui.console.links import link_to
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import ABSENT, Json, loads
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import SignedRequest
from svc_tui.ui.record.copy_menu import CopyMenu
from svc_tui.ui.text import without_commands
from tests.ui.stage import Stage, picture

LOTS = COLLECTIONS[0]


def record(text: str) -> Record:
    fields = loads(text)
    assert isinstance(fields, dict)
    return Record(fields)


LOT = record('{"id": "lot-000001", "massKg": 1.50, "note": "[/x] \\u001b[2J", "assay": {"au": 2e3}}')


ASKED = SignedRequest(
    "GET", "https://api.example.com/v1/operations/lots/lot-000001", "/v1/operations/lots/lot-000001", (), b""
)
MARKED = [record('{"id": "lot-1", "grade": "=A"}'), record('{"id": "lot-2", "massKg": 1.50}')]


class CopyStage(Stage):
    """Opens the menu and keeps what it gave."""

    def __init__(self, field: str | None = None, marked: Sequence[Record] = ()) -> None:
        super().__init__()
        self.gave: list[str | None] = []
        self._marked = marked
        self._field = field

    def on_mount(self) -> None:
        place = Place(LOTS, "lot-000001")
        found = copy_options(Environment.LIVE, "api.example.com", place, LOT, self._field, ASKED, self._marked)
        self.push_screen(CopyMenu(found), lambda copy: self.gave.append(copy.make() if copy else None))


@pytest.mark.parametrize(
    ("value", "text"),
    [("a b", "a b"), (None, "null"), (True, "true"), (ABSENT, ""), (LOT.fields["massKg"], "1.50"), ([], "[]")],
)
def test_a_value_is_pasted_bare(value: Json, text: str) -> None:
    assert value_text(value) == text


def test_a_record_keeps_its_numbers() -> None:
    assert '"massKg": 1.50' in record_json(LOT)
    assert "2e3" in record_json(LOT)


@pytest.mark.parametrize("many", [False, True])
def test_json_loses_no_character_to_the_clipboard(many: bool) -> None:
    hostile = record('{"id": "lot-1", "note": "\\u001b[2J\\u007f\\u009b31m\\ud800 doré\\u202e"}')
    found = copy_options(Environment.LIVE, "api.example.com", Place(LOTS, "lot-1"), hostile, marked=[hostile])
    text = next(copy for copy in found if copy.key == ("J" if many else "j")).make()
    assert without_commands(text) == (text, 0)
    assert "doré" in text
    read = loads(text)
    assert (read[0] if isinstance(read, list) else read) == hostile.fields


def test_a_link_names_environment_host_and_place_in_one_encoded_segment() -> None:
    assert (
        link_to(Environment.LIVE, "api.example.com", Place(LOTS, "a/b ?"))
        == "svctui://live@api.example.com/operations/lots/a%2Fb%20%3F"
    )
    assert (
        link_to(Environment.SANDBOX, "127.0.0.1:8080", Place(LOTS)) == "svctui://sandbox@127.0.0.1:8080/operations/lots"
    )


def test_without_a_record_there_is_the_link() -> None:
    assert [copy.key for copy in copy_options(Environment.LIVE, "h", Place(LOTS))] == ["l"]


def test_the_id_is_not_offered_twice() -> None:
    found = copy_options(Environment.LIVE, "h", Place(LOTS, "lot-000001"), LOT, "id")
    assert [copy.key for copy in found] == ["i", "j", "c", "l"]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["i"], "lot-000001"),
        (["v"], "1.50"),
        (["j"], record_json(LOT)),
        (["l"], "svctui://live@api.example.com/operations/lots/lot-000001"),
        (["c"], 'id,massKg,note,assay\r\nlot-000001,1.50,[/x] \x1b[2J,"{""au"":2e3}"\r\n'),
        (["r"], "svc-tui request GET /v1/operations/lots/lot-000001"),
        (["u"], curl_line(ASKED)),
        (["down", "enter"], "1.50"),
        (["escape"], None),
    ],
)
async def test_a_letter_or_enter_gives_the_text(keys: list[str], text: str | None) -> None:
    app = CopyStage("massKg")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("w", *keys)
        assert app.gave == [text]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("I", "lot-1\nlot-2"),
        ("J", '[\n{"id":"lot-1","grade":"=A"},\n{"id":"lot-2","massKg":1.50}\n]\n'),
        ("C", "id,grade,massKg\r\nlot-1,'=A,\r\nlot-2,,1.50\r\n"),
        ("M", "| id | grade | massKg |\n| --- | --- | --- |\n| lot-1 | =A |  |\n| lot-2 |  | 1.50 |\n"),
    ],
)
async def test_marked_records_are_copied_together(key: str, text: str) -> None:
    app = CopyStage(marked=MARKED)
    async with app.run_test(size=(80, 24)) as pilot:
        assert any("2 marked as CSV" in line for line in picture(app))
        await pilot.press(key)
        assert app.gave == [text]


def test_a_record_that_can_t_be_asked_for_is_copied_without_a_request() -> None:
    assert [copy.key for copy in copy_options(Environment.LIVE, "h", Place(LOTS, "a"), LOT)] == ["i", "j", "c", "l"]


async def test_hostile_values_are_only_text() -> None:
    app = CopyStage("note")
    async with app.run_test(size=(80, 24)):
        assert any("[/x] ␛[2J" in line for line in picture(app))
