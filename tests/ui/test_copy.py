"""What can be copied of a record, and the menu that offers it."""

import pytest

from svc_tui.domain.catalog import COLLECTIONS
from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import ABSENT
from svc_tui.domain.exports import copies, link, record_json, value_text
from svc_tui.domain.jsontext import Json, loads
from svc_tui.domain.records import Place, Record
from svc_tui.ui.screens.copy_menu import CopyMenu
from tests.ui.stage import Stage, picture

LOTS = COLLECTIONS[0]


def record(text: str) -> Record:
    fields = loads(text)
    assert isinstance(fields, dict)
    return Record(fields)


LOT = record('{"id": "lot-000001", "massKg": 1.50, "note": "[/x] \\u001b[2J", "assay": {"au": 2e3}}')


class Copying(Stage):
    """Opens the menu and keeps what it gave."""

    def __init__(self, field: str | None = None) -> None:
        super().__init__()
        self.gave: list[str | None] = []
        self._field = field

    def on_mount(self) -> None:
        found = copies(Environment.LIVE, "api.example.com", Place(LOTS, "lot-000001"), LOT, self._field)
        self.push_screen(CopyMenu(found), self.gave.append)


@pytest.mark.parametrize(
    ("value", "text"),
    [("a b", "a b"), (None, "null"), (True, "true"), (ABSENT, ""), (LOT.fields["massKg"], "1.50"), ([], "[]")],
)
def test_a_value_is_pasted_bare(value: Json, text: str) -> None:
    assert value_text(value) == text


def test_a_record_keeps_its_numbers() -> None:
    assert '"massKg": 1.50' in record_json(LOT)
    assert "2e3" in record_json(LOT)


def test_a_link_names_environment_host_and_place_in_one_encoded_segment() -> None:
    assert (
        link(Environment.LIVE, "api.example.com", Place(LOTS, "a/b ?"))
        == "svctui://live@api.example.com/operations/lots/a%2Fb%20%3F"
    )
    assert link(Environment.SANDBOX, "127.0.0.1:8080", Place(LOTS)) == "svctui://sandbox@127.0.0.1:8080/operations/lots"


def test_without_a_record_there_is_the_link() -> None:
    assert [copy.key for copy in copies(Environment.LIVE, "h", Place(LOTS))] == ["l"]


def test_the_id_is_not_offered_twice() -> None:
    found = copies(Environment.LIVE, "h", Place(LOTS, "lot-000001"), LOT, "id")
    assert [copy.key for copy in found] == ["i", "j", "l"]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["i"], "lot-000001"),
        (["v"], "1.50"),
        (["j"], record_json(LOT)),
        (["l"], "svctui://live@api.example.com/operations/lots/lot-000001"),
        (["down", "enter"], "1.50"),
        (["escape"], None),
    ],
)
async def test_a_letter_or_enter_gives_the_text(keys: list[str], text: str | None) -> None:
    app = Copying("massKg")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("w", *keys)
        assert app.gave == [text]


async def test_hostile_values_are_only_text() -> None:
    app = Copying("note")
    async with app.run_test(size=(80, 24)):
        assert any("[/x] ␛[2J" in line for line in picture(app))
