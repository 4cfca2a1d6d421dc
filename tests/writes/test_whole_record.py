"""A record that was edited as one text changes exactly in what was changed in the text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import ABSENT, Json, dumps, loads, number
from svc_tui.core.records import Record
from svc_tui.writes.whole_record import (
    RecordChanges,
    TextMistake,
    apply_changes,
    fields_left_out,
    parse_changes,
    record_text,
)

LOT: dict[str, Json] = {"id": "lot-1", "grade": "A", "massKg": number("1.50"), "note": None, "empty": ""}

values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 3).map(number)
    | st.sampled_from(["", "a", "1.50", "null", "\ud800", "\n"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
fields = st.dictionaries(st.sampled_from(["id", "a", "b", "c.d", ""]), values, max_size=5)


@given(fields)
def test_what_comes_back_untouched_changes_nothing(record: dict[str, Json]) -> None:
    assert parse_changes(record, record_text(record)) == RecordChanges()


@given(fields, fields)
def test_what_comes_back_is_what_the_draft_becomes(record: dict[str, Json], came: dict[str, Json]) -> None:
    record["id"] = came["id"] = "lot-1"
    changed = parse_changes(record, record_text(came))
    assert isinstance(changed, RecordChanges)
    draft = apply_changes(Draft(Record(record)), changed)
    assert draft.fields == {**record, **came}
    assert set(draft.edits) == {name for name in came if came[name] != record.get(name, ABSENT)}
    assert set(fields_left_out(draft, changed)) == set(record) - set(came)


def test_numbers_keep_every_digit() -> None:
    text = record_text({"id": "x", "massKg": number("1.50"), "far": number("123456789012345678901234567890.10")})
    assert '"massKg": 1.50' in text
    assert "123456789012345678901234567890.10" in text
    changed = parse_changes(LOT, record_text(LOT).replace("1.50", "1.5"))
    assert changed == RecordChanges({"massKg": number("1.5")})


def test_null_empty_and_left_out_are_three_things() -> None:
    changed = parse_changes(LOT, dumps({"id": "lot-1", "grade": "", "massKg": None, "empty": None}))
    assert changed == RecordChanges({"grade": "", "massKg": None, "empty": None}, ("note",))


def test_another_order_of_names_is_no_change() -> None:
    assert parse_changes(LOT, dumps(dict(reversed(LOT.items())))) == RecordChanges()


def test_a_field_that_only_the_draft_had_is_gone_when_left_out() -> None:
    draft = Draft(Record(LOT)).with_value("extra", "x").with_value("grade", "B")
    came = {name: value for name, value in draft.fields.items() if name not in ("extra", "grade")}
    changed = parse_changes(draft.fields, dumps(came))
    assert isinstance(changed, RecordChanges)
    assert fields_left_out(draft, changed) == ("grade",)
    assert apply_changes(draft, changed).edits == {"grade": "B"}


@pytest.mark.parametrize(
    ("text", "reason", "line", "column", "shown"),
    [
        ('{\n  "id": "lot-1",\n  "grade": \n}', "a value is expected", 4, 1, "}"),
        ('{\n  "id": "lot-1"\n  "grade": 1}', "a comma or a closing bracket is missing", 3, 3, '  "grade": 1}'),
        (
            '{"id": "lot-1",\r\n  "id": "lot-1"}',
            'an object has the property "id" more than once',
            2,
            3,
            '  "id": "lot-1"}',
        ),
        ("", "there is no value", 1, 1, ""),
        ("[]", "A record must be a JSON object, in { and }.", 0, 0, ""),
        ('{"id": "lot-2"}', 'The id was changed. It identifies the record and must stay "lot-1".', 0, 0, ""),
        ("{}", 'The id is missing. It identifies the record and must stay "lot-1".', 0, 0, ""),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, reason: str, line: int, column: int, shown: str) -> None:
    assert parse_changes(LOT, text) == TextMistake(reason, line, column, shown)


@given(fields)
def test_the_text_is_json_that_others_read(record: dict[str, Json]) -> None:
    text = record_text(record)
    assert loads(text) == record
    assert json.loads(text).keys() == record.keys()
    text.encode()
