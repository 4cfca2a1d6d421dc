"""Which field is the id, what a record is called, and how places are named."""

import pytest

from svc_tui.core.catalog import find_collection
from svc_tui.core.jsontext import Json, number
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.core.records import ID_NAMES, STAND_IN_NAMES, Place, Record, id_field


@pytest.mark.parametrize(
    ("fields", "name", "record_id"),
    [
        ({"name": "x", "id": "lot-1"}, "id", "lot-1"),
        ({"ID": number(7)}, "ID", "7"),
        ({"_id": "abc", "key": "k"}, "_id", "abc"),
        ({"id": None, "uuid": "u-1"}, "uuid", "u-1"),
        ({"id": "", "code": "C"}, "code", "C"),
        ({"id": {"$oid": "1"}}, None, None),
        ({"id": True}, None, None),
        ({}, None, None),
    ],
)
def test_the_id_is_found(fields: dict[str, Json], name: str | None, record_id: str | None) -> None:
    assert id_field(fields) == name
    assert Record(fields).id == record_id


def test_a_large_numeric_id_keeps_every_digit() -> None:
    assert Record({"id": number("12345678901234567890")}).id == "12345678901234567890"


def test_a_label_is_a_name_that_is_not_the_id() -> None:
    assert Record({"id": "w-1", "fullName": "Ada Stone"}).label == "Ada Stone"
    assert Record({"id": "w-1", "FullName": "Ada Stone", "number": "7"}).label == "Ada Stone"
    assert Record({"id": "i-1", "reference": "INV-7"}).label == "INV-7"
    assert Record({"code": "C-1"}).label == ""
    assert Record({"id": "1", "name": ""}).label == ""
    assert Record({"id": "1", "name": number(3)}).label == ""


def test_places_are_named_as_people_write_them() -> None:
    lots = find_collection("lots")
    assert lots is not None
    assert Place(lots).key == "operations/lots"
    assert Place(lots, "lot-000001").key == "operations/lots/lot-000001"


@pytest.mark.parametrize("name", ID_NAMES)
def test_what_is_always_an_id_counts_before_what_stands_in_for_one(name: str) -> None:
    assert kind_of(name, ["x"]) is Kind.ID
    for other in STAND_IN_NAMES:
        assert id_field({other: "C-1", name: "x"}) == name
        assert id_field({other: "C-1"}) == other
        assert kind_of(other, ["C-1"]) is not Kind.ID
