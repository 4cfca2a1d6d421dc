"""What is typed is read as it was meant, exactly; every kind steps, remarks and offers in its own way."""

from datetime import timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.field_entry import (
    MAX_SUGGESTIONS,
    ChoiceEntry,
    FieldEntry,
    ReferenceCandidate,
    ReferenceEntry,
    TimeEntry,
    ValueProblem,
    entry_among,
    entry_of,
)
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, number
from svc_tui.core.kinds import Kind, editable_text, kind_of_value

NOON = "2026-11-20T12:00:00Z"
LABS = ReferenceEntry(
    target="labs",
    candidates=(
        ReferenceCandidate("lab-1", "lab-1", "North shaft"),
        ReferenceCandidate("lab-2", "lab-2", "South shaft, Łódź"),
    ),
)

scalars = st.none() | st.booleans() | st.integers().map(number) | st.text()
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(values.filter(lambda value: value is not None))
def test_what_an_editor_starts_with_gives_the_value_back(value: Json) -> None:
    kind = kind_of_value(value)
    assert entry_of(kind, value).read(editable_text(value)) == value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (" 1.50 ", Kind.NUMBER, number("1.50")),
        ("123456789012345678901234567890.10", Kind.NUMBER, number("123456789012345678901234567890.10")),
        ("Yes", Kind.FLAG, True),
        ("false", Kind.FLAG, False),
        (f" {NOON}", Kind.TIME, NOON),
        ("", Kind.TEXT, ""),
        ("  two  ", Kind.TEXT, "  two  "),
        ("null", Kind.TEXT, "null"),
        ('{"a": 1.0}', Kind.OBJECT, {"a": number("1.0")}),
        ("[]", Kind.LIST, []),
    ],
)
def test_text_is_taken_as_meant(text: str, kind: Kind, value: Json) -> None:
    assert entry_of(kind).read(text) == value


def test_a_reference_that_was_a_number_stays_one() -> None:
    assert entry_of(Kind.REFERENCE, number(7)).read("12") == number(12)
    assert entry_of(Kind.REFERENCE, "7").read("12") == "12"
    with pytest.raises(ValueProblem, match="not a number"):
        entry_of(Kind.REFERENCE, number(7)).read("twelve")


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("1,5", Kind.NUMBER, "“1,5” is not a number. Use a decimal point: 1.5."),
        ("٣", Kind.NUMBER, "is not a number. Examples: -12.50, 1e6."),
        ("1_0", Kind.NUMBER, "is not a number"),
        ("nan", Kind.NUMBER, "is not a number"),
        ("", Kind.NUMBER, "Enter a number"),
        ("tomorrow", Kind.TIME, "Example: 2026-11-20T05:12:00Z"),
        ("2026-13-01T00:00:00Z", Kind.TIME, "is not a time"),
        ("2026-11-20T05:12:00", Kind.TIME, "is not a time"),
        ("maybe", Kind.FLAG, "neither true nor false"),
        ('{"a": }', Kind.OBJECT, r"line 1, column 7"),
        ("[1]", Kind.OBJECT, "Enter a JSON object"),
        ("{}", Kind.LIST, "Enter a JSON array"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, kind: Kind, sentence: str) -> None:
    with pytest.raises(ValueProblem, match=sentence) as caught:
        entry_of(kind).read(text)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "correction"), [("8,24", "8.24"), ("-1,5", "-1.5"), ("1,234", ""), ("1.000,5", ""), ("eight", "")]
)
def test_a_decimal_comma_is_corrected_where_it_can_be_nothing_else(text: str, correction: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        entry_of(Kind.NUMBER).read(text)
    assert caught.value.correction == correction


def test_a_problem_quotes_only_the_beginning_of_a_long_text() -> None:
    with pytest.raises(ValueProblem) as caught:
        entry_of(Kind.NUMBER).read("x" * 10_000)
    assert len(str(caught.value)) < 100


@given(values | st.just(ABSENT), st.sampled_from(Kind))
def test_a_value_of_another_kind_than_its_field_comes_back_as_it_was(value: Json | Absent, kind: Kind) -> None:
    if value is None or value == "" or isinstance(value, Absent):
        return
    assert entry_of(kind, value).read(editable_text(value)) == value


@given(numbers)
def test_a_number_comes_back_to_the_digit(text: str) -> None:
    assert entry_of(Kind.NUMBER).read(text) == Number(text)


@given(numbers, st.integers(-3, 3))
def test_a_number_steps_in_its_last_digit_and_keeps_its_exponent(text: str, steps: int) -> None:
    stepped = entry_of(Kind.NUMBER).stepped(text, 0, steps)
    assert stepped is not None
    Number(stepped)
    (mantissa, exponent), (was, had) = _parts(stepped), _parts(text)
    assert exponent == had
    digits = len(was.partition(".")[2])
    assert len(mantissa.partition(".")[2]) == digits
    assert int(mantissa.replace(".", "")) - int(was.replace(".", "")) == steps
    assert Decimal(mantissa).as_tuple().exponent == -digits


def _parts(text: str) -> tuple[str, str]:
    at = min((text.index(sign) for sign in "eE" if sign in text), default=len(text))
    return text[:at], text[at:]


@pytest.mark.parametrize(
    ("text", "up", "down"),
    [("1.50", "1.51", "1.49"), ("0", "1", "-1"), ("9", "10", "8"), ("-0.01", "0.00", "-0.02"),
     ("1.5E+3", "1.6E+3", "1.4E+3"),
     ("12345678901234567890.1234567890", "12345678901234567890.1234567891", "12345678901234567890.1234567889")],
)  # fmt: skip
def test_numbers_step_up_and_down(text: str, up: str, down: str) -> None:
    entry = entry_of(Kind.NUMBER)
    assert (entry.stepped(text, 0, 1), entry.stepped(text, 0, -1)) == (up, down)


@pytest.mark.parametrize("entry", [entry_of(Kind.NUMBER), entry_of(Kind.TIME)])
def test_what_is_no_value_has_no_next_one(entry: FieldEntry) -> None:
    assert entry.stepped("12,5", 0, 1) is None


def test_a_flag_is_told_by_its_first_letter_and_turned() -> None:
    entry = entry_of(Kind.FLAG)
    assert [entry.read(text) for text in ("t", "TR", "f", "n", "y", "0")] == [True, True, False, False, True, False]
    assert entry.stepped("true", 0, 1) == "false"
    assert entry.stepped("f", 0, -1) == "true"
    with pytest.raises(ValueProblem):
        entry.read("")


def test_a_time_is_said_in_utc_and_where_the_reader_is() -> None:
    entry = TimeEntry(tz=timezone(timedelta(hours=1), "CET"))
    assert entry.remark("2026-11-20T05:12:33-02:00") == "2026-11-20 07:12:33 UTC · 2026-11-20 08:12:33 CET"
    assert TimeEntry().remark(NOON) == "2026-11-20 12:00:00 UTC"
    assert entry.remark("2026-11-20") == "2026-11-20"


def test_words_come_with_their_counts_and_typing_narrows_them() -> None:
    entry = ChoiceEntry(frequent_values=(("closed", 3), ("open", 2), ("ébauche", 1)))
    assert [(offer.value, offer.note) for offer in entry.offers(None)] == [
        ("closed", "in 3 loaded records"),
        ("ébauche", "in 1 loaded record"),
        ("open", "in 2 loaded records"),
    ]
    assert [offer.value for offer in entry.offers("PE")] == ["open"]
    assert [offer.value for offer in entry.offers("eb")] == ["ébauche"]
    assert [offer.value for offer in entry.offers("e")] == ["ébauche", "closed", "open"]


def test_of_many_known_values_the_frequent_ones_are_offered_in_the_order_of_the_alphabet() -> None:
    words = tuple((f"word-{number:02}", 100 - number % 7) for number in range(MAX_SUGGESTIONS + 20))
    frequent = sorted(words, key=lambda word: -word[1])
    offered = [offer.value for offer in ChoiceEntry(frequent_values=tuple(frequent)).offers(None)]
    assert offered == sorted(word for word, _ in frequent[:MAX_SUGGESTIONS])


def test_a_word_that_nobody_used_is_taken_and_said_to_be_new() -> None:
    entry = ChoiceEntry(frequent_values=(("closed", 3),))
    assert entry.read("exploded") == "exploded"
    assert entry.remark("exploded") == "Unknown value."
    assert (
        ChoiceEntry(frequent_values=(("Closed", 3), ("open", 9))).remark("clsoed")
        == "Unknown value. Did you mean “Closed”?"
    )
    assert entry.remark("closed") == ""


def test_a_reference_is_searched_by_id_and_by_name() -> None:
    assert [offer.value for offer in LABS.offers(None)] == ["lab-1", "lab-2"]
    assert [offer.value for offer in LABS.offers("south")] == ["lab-2"]
    assert [offer.value for offer in LABS.offers("lab shaft 1")] == ["lab-1"]
    assert [offer.value for offer in LABS.offers("lodz")] == ["lab-2"]
    assert LABS.remark("lab-2") == "South shaft, Łódź"


def test_a_reference_that_is_not_among_those_read_is_taken_and_said() -> None:
    assert LABS.read("lab-9") == "lab-9"
    assert LABS.remark("lab-9") == "Not found in 2 loaded records."
    whole = ReferenceEntry(target="labs", candidates=LABS.candidates, complete=True)
    assert whole.remark("lab-9") == "labs has no record with this id."


def test_an_id_that_is_a_number_there_becomes_one_here() -> None:
    entry = ReferenceEntry(target="labs", candidates=(ReferenceCandidate("7", number(7), "North"),))
    assert entry.read("7") == number(7)
    assert entry.read("8") == "8"


def test_json_is_told_with_its_size_and_depth() -> None:
    assert entry_of(Kind.OBJECT).remark('{"a": [{"b": 1}]}') == "1 field, 3 levels"
    assert entry_of(Kind.LIST).remark("[1, 2]") == "2 items"


def test_a_name_that_stands_twice_is_told_with_its_place() -> None:
    with pytest.raises(ValueProblem, match=r"line 3, column 2: an object has the property \"a\" more than once"):
        entry_of(Kind.OBJECT).read('{\n "a": 1,\n "a": 2}')


def test_blanks_that_nobody_sees_are_said() -> None:
    assert entry_of(Kind.TEXT).remark(" x") == "The text starts or ends with a space."
    assert entry_of(Kind.TEXT).remark("x y") == ""


@pytest.mark.parametrize(
    ("name", "old", "seen", "proposed", "typed", "value"),
    [
        ("massKg", Number("1"), ["x", Number("2")], "1,25", "1.25", Number("1.25")),
        ("massKg", None, [Number("2"), None], "1,25", "1.25", Number("1.25")),
        ("massKg", ABSENT, [Number("2")], ABSENT, "1.25", Number("1.25")),
        ("shaftId", None, [Number("17")], ABSENT, "18", Number("18")),
        ("shaftId", ABSENT, ["17"], Number("1"), "18", "18"),
        ("note", None, [None], Number("5"), "6", Number("6")),
        ("note", "7", [Number("5")], Number("5"), "6", "6"),
        ("note", None, ["x", Number("5")], ABSENT, "6", "6"),
    ],
)
def test_what_is_typed_has_the_type_of_the_value_that_it_replaces(
    name: str, old: Json | Absent, seen: list[Json], proposed: Json | Absent, typed: str, value: Json
) -> None:
    assert entry_among(name, old, seen, None, proposed=proposed).read(typed) == value
