"""What is told of a record by the text that its export wrote beside it."""

import re

import pytest
from hypothesis import given

from svc_tui.core.jsontext import ABSENT, Json, Number
from svc_tui.plans.cell_text import to_plain_form
from svc_tui.plans.cells import Cell
from svc_tui.plans.for_edit import ExportedVersion, format_version
from tests.plans.test_cells import VALUES

RECORD: dict[str, Json] = {
    "id": "lot-1",
    "grade": "A",
    "massKg": Number("1.50"),
    "note": None,
    "geo.lat": Number("5"),
    "assay": {"goldPpm": Number("12.5"), "lab": {"name": "X"}},
    "tags": ["a"],
}


def test_a_field_stood_so_while_nobody_changed_it() -> None:
    version = ExportedVersion.parse(format_version(RECORD))
    assert version.holds("grade", "A")
    assert not version.holds("grade", "B")
    assert not version.holds("name", "A")
    assert version.holds("massKg", Number("1.5"))
    assert version.holds("massKg", Cell("1.500"))
    assert version.holds("massKg", Cell("1,5", decimal_comma=True))
    assert not version.holds("massKg", Cell("1.6"))
    assert version.holds("geo.lat", Cell("5.0"))
    assert version.holds("tags", Cell('["a"]'))


def test_what_stood_empty_is_known_too() -> None:
    version = ExportedVersion.parse(format_version(RECORD))
    assert all(version.holds("note", value) for value in (None, "", ABSENT, Cell("")))
    assert not version.holds("note", "x")
    assert version.holds("never", ABSENT)
    assert not version.holds("grade", None)


def test_an_object_and_the_fields_inside_it_are_known_each() -> None:
    version = ExportedVersion.parse(format_version(RECORD))
    assert version.holds("assay.goldPpm", Cell("12.50"))
    assert version.holds("assay.lab.name", "X")
    assert version.holds("assay", {"lab": {"name": "X"}, "goldPpm": Number("12.5")})
    assert not version.holds("assay", {"goldPpm": Number("12.5")})


def test_a_version_tells_of_which_record_it_is() -> None:
    version = ExportedVersion.parse(format_version(RECORD))
    assert version.holds("id", "lot-1")
    assert not version.holds("id", "lot-2")


def test_the_order_of_fields_does_not_count() -> None:
    assert format_version(dict(reversed(RECORD.items()))) == format_version(RECORD)


@given(VALUES)
def test_a_version_is_a_text_that_no_program_takes_for_anything_else(value: Json) -> None:
    text = format_version({"id": "x", "value": value})
    assert re.fullmatch(r"v1:[\w-]+:v", text, re.ASCII)
    assert to_plain_form(text) == f"text {text}"
    assert ExportedVersion.parse(text).holds("value", value)


@pytest.mark.parametrize("text", ["", "x", "v1:abc:v", "v1:abcdefgh", "v2:abcdefgh:v", "v1::v:v"])
def test_a_text_that_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Export the record again"):
        ExportedVersion.parse(text)
