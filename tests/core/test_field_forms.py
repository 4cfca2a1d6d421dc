"""Forms: which fields a new record may want, what is sent of them, and what a copy takes along."""

import pytest

from svc_tui.core.catalog import COLLECTIONS, SPLIT
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import (
    BlankMeaning,
    FieldForm,
    FormAction,
    FormLine,
    FormTarget,
    fill_from_record,
    form_for,
    is_set_by_service,
    kind_seen,
)
from svc_tui.core.jsontext import Json, loads, number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Record

LOTS = COLLECTIONS[0]


def record(text: str) -> Record:
    fields = loads(text)
    assert isinstance(fields, dict)
    return Record(fields)


SEEN = [
    record('{"id": "lot-1", "note": null, "massKg": 1.50, "tags": [], "createdAt": "2026-01-01T00:00:00Z"}'),
    record(
        '{"id": "lot-2", "note": "x", "massKg": 2, "tags": [], "updatedBy": "w", "openedAt": "2026-01-01T00:00:00Z"}'
    ),
]


def test_the_fields_most_often_filled_in_come_first_and_the_services_own_not_at_all() -> None:
    form = form_for(SEEN)
    assert [line.name for line in form.lines] == ["massKg", "note", "openedAt", "tags"]
    assert [line.kind for line in form.lines] == [Kind.NUMBER, Kind.TEXT, Kind.TIME, Kind.LIST]


@pytest.mark.parametrize("name", ["createdAt", "updated_by", "deletedAt", "modified", "etag", "previousHash"])
def test_names_of_what_the_service_fills_in(name: str) -> None:
    assert is_set_by_service(name)


@pytest.mark.parametrize("name", ["openedAt", "createdByHandOnPaper", "name", "hashRate", ""])
def test_names_of_what_people_fill_in(name: str) -> None:
    assert not is_set_by_service(name)


def test_only_what_is_filled_in_is_sent_and_numbers_keep_their_digits() -> None:
    form = form_for(SEEN).with_line(FormLine("massKg", Kind.NUMBER, "12.50"))
    assert form.values == {"massKg": number("12.50")}
    assert not form.problems


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (FormLine("a", Kind.TEXT, "12"), "12"),
        (FormLine("a", Kind.NULL, "12"), number("12")),
        (FormLine("a", Kind.NULL, '"12"'), "12"),
        (FormLine("a", Kind.NULL, "plain words"), "plain words"),
        (FormLine("a", Kind.LIST, "[1]"), [number("1")]),
        (FormLine("a", Kind.FLAG, "true"), True),
        (FormLine("a", Kind.TEXT, blank=BlankMeaning.EMPTY), ""),
        (FormLine("a", Kind.NUMBER, blank=BlankMeaning.NULL), None),
    ],
)
def test_what_a_line_stands_for(line: FormLine, value: Json) -> None:
    assert FieldForm((line,)).values == {"a": value}


def test_a_blank_line_turns_from_not_sent_to_null_and_for_texts_to_the_empty_one() -> None:
    text, count = FormLine("a", Kind.TEXT, "typed"), FormLine("b", Kind.NUMBER)
    assert [text.turned().blank, text.turned().turned().blank] == [BlankMeaning.NULL, BlankMeaning.EMPTY]
    assert text.turned().turned().turned().blank is BlankMeaning.NOT_SENT
    assert text.turned().text == ""
    assert count.turned().turned().blank is BlankMeaning.NOT_SENT


def test_text_that_is_no_value_is_a_problem_with_the_lines_name() -> None:
    form = FieldForm(
        (FormLine("a", Kind.TEXT, "fine"), FormLine("b", Kind.NUMBER, "12,5"), FormLine("c", Kind.OBJECT, "[1]"))
    )
    assert [name for name, _ in form.problems] == ["b", "c"]
    with pytest.raises(ValueProblem):
        _ = form.values


def test_half_a_character_is_a_problem() -> None:
    assert "incomplete Unicode character" in FormLine("a", Kind.TEXT, "\ud800").problem


def test_a_needed_line_wants_something() -> None:
    line = FormLine("a", Kind.TEXT, needed=True)
    assert line.problem == "This field is required."
    assert line.turned() == line


def test_a_copy_has_no_id_no_times_and_nothing_of_the_services() -> None:
    values = fill_from_record(form_for(SEEN), SEEN[1]).values
    assert values == {"massKg": number("2"), "note": "x", "tags": []}


def test_a_copy_with_times_has_every_value_as_it_was() -> None:
    odd = record('{"id": "1", "n": "1.50", "m": 1.50, "t": "2026-01-01", "o": {"a": [1.0]}, "z": null, "e": ""}')
    form = fill_from_record(form_for([record('{"id": "2", "n": 5, "m": "five"}')]), odd, times=True)
    assert form.values == {name: value for name, value in odd.fields.items() if name != "id"}


def test_a_value_that_was_touched_is_read_as_it_was_typed() -> None:
    form = fill_from_record(form_for(SEEN), SEEN[0])
    line = form.line("massKg")
    assert line is not None
    assert form.with_line(line.typed("3.00")).values["massKg"] == number("3.00")
    assert form.with_line(line.typed("")).values.keys() == {"note", "tags"}


def test_a_reference_that_is_a_number_elsewhere_is_a_number_in_a_new_record() -> None:
    seen = [record('{"id": "1", "shaftId": 17}'), record('{"id": "2", "shaftId": null}')]
    (line,) = form_for(seen).lines
    assert line.typed("18").value == number("18")
    assert kind_seen("shaftId", seen) is Kind.NUMBER
    assert form_for([record('{"id": "1", "shaftId": "17"}')]).lines[0].typed("18").value == "18"


def test_a_field_added_by_name_has_the_kind_that_was_seen() -> None:
    assert kind_seen("massKg", SEEN) is Kind.NUMBER
    assert kind_seen("unheardOf", SEEN) is Kind.NULL
    form = form_for(SEEN)
    assert form.adding("note") is form
    assert form.adding("new", Kind.NUMBER).lines[-1] == FormLine("new", Kind.NUMBER)


def test_a_form_that_is_gone_on_with_keeps_its_lines_and_gets_the_fields_seen_since() -> None:
    begun = FieldForm((FormLine("own", Kind.TEXT, "typed"), FormLine("name", Kind.TEXT, "mine")))
    empty = FieldForm((FormLine("name", Kind.CHOICE), FormLine("massKg", Kind.NUMBER)))
    joined = begun.beside(empty)
    assert joined.lines == (*begun.lines, FormLine("massKg", Kind.NUMBER))
    assert joined.filled == ("own", "name")


def test_null_and_the_empty_text_are_filled_in_and_a_blank_line_is_not() -> None:
    lines = (
        FormLine("a", Kind.TEXT, blank=BlankMeaning.NULL),
        FormLine("b", Kind.TEXT, blank=BlankMeaning.EMPTY),
        FormLine("c", Kind.TEXT),
    )
    assert FieldForm(lines).filled == ("a", "b")
    assert FieldForm(lines).touched
    assert not FieldForm(lines[2:]).touched


@pytest.mark.parametrize(
    ("purpose", "words"),
    [
        (FormTarget(FormAction.NEW, LOTS), "new record in operations/lots"),
        (FormTarget(FormAction.COPY, LOTS, "lot-1"), "copy of lot-1 in operations/lots"),
        (FormTarget(FormAction.AGAIN, LOTS, "lot-1"), "lot-1 created again in operations/lots"),
        (FormTarget(FormAction.ACTION, LOTS, "lot-1", SPLIT), "Split a lot · lot-1"),
    ],
)
def test_what_a_form_is_for_in_words(purpose: FormTarget, words: str) -> None:
    assert purpose.words == words
