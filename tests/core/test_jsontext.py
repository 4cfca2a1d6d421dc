"""JSON whose numbers come back as they were written, and text that is not JSON."""

import json
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import (
    Json,
    JsonError,
    Number,
    dumps,
    dumps_in_steps,
    encode_json,
    loads,
    number,
    release_in_steps,
    repeated_names,
    same_json,
    to_plain,
)

NUMBERS = ["0", "-0", "1.50", "1e3", "1E+3", "-1.0e-7", "0.10", "12345678901234567890.123456789", "1e400", "9" * 5000]


@pytest.mark.parametrize("text", NUMBERS, ids=lambda text: text[:20])
def test_numbers_come_back_as_they_were_written(text: str) -> None:
    assert dumps(loads(f'{{"n": {text}, "list": [{text}]}}')) == f'{{"n":{text},"list":[{text}]}}'
    assert loads(text) == Number(text)


@pytest.mark.parametrize("text", ["", "01", "1.", ".5", "+1", "0x1", "1_0", "٣", "NaN", "-", "1e", " 1", "Infinity"])
def test_what_is_no_json_number_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        Number(text)
    if text.strip() == text:
        with pytest.raises(JsonError):
            loads(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1"),
        ('{"a": 1,}', "line 1"),
        ('{"a": 1, "a": 2}', 'property "a" more than once'),
        ("[NaN]", "NaN is not a JSON value"),
        ("[-Infinity]", "-Infinity is not a JSON value"),
        ("[1] x", "line 1, column 5"),
        ("[\n\nx]", "line 3, column 1"),
        ("[" * 100_000, "deeper than 200"),
        ("[" * 201 + "]" * 201, "deeper than 200"),
        (b"\xff", r"not UTF-8 text \(byte 1\)"),
        ("'a'", "line 1"),
        ('"\x00"', "line 1"),
    ],
    ids=lambda value: ascii(value[:20]),
)
def test_what_is_not_json_is_said_with_its_place(text: str | bytes, words: str) -> None:
    with pytest.raises(JsonError, match=words):
        loads(text)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("  ", 3, "there is no value"),
        ('{"a": [1, 2', 12, "the text ends too early"),
        ("{a: 1}", 2, "a property name in double quotes is expected"),
        ('{"a" 1}', 6, "a colon is missing after the property name"),
        ('{"a": 1 "b": 2}', 9, "a comma or a closing bracket is missing"),
        ('{"a": 1,}', 9, "the comma before the closing bracket is not allowed"),
        ("[1,]", 4, "the comma before the closing bracket is not allowed"),
        ("1,5", 2, "unexpected text after the value"),
        ('["a]', 2, "the closing quote of a text is missing"),
        ('"a\nb"', 3, r"a line break in a text must be written as \n"),
        (r'"\u12"', 3, r"\u needs four hexadecimal digits"),
        (r'"C:\dir"', 4, r"a backslash in a text must be written as \\"),
        ("[abc]", 2, "a value is expected"),
    ],
)
def test_a_mistake_in_json_is_said_in_plain_words(text: str, column: int, reason: str) -> None:
    with pytest.raises(JsonError) as raised:
        loads(text)
    place = (raised.value.line, raised.value.column)
    # Python 3.13 counts a comma that is one too many, earlier releases the bracket after it.
    assert raised.value.reason == reason
    assert place == (1, column) or ("comma before" in reason and place == (1, column - 1))


@pytest.mark.parametrize(
    "text",
    ["{,", '{"a":1,"a":1}', "[NaN]", "[" * 100_000, "[" * 201 + "]" * 201, b"\xff", ""],
    ids=lambda text: repr(text[:9]),
)
def test_what_is_wrong_does_not_bring_the_text_along(text: str | bytes) -> None:
    with pytest.raises(JsonError) as raised:
        loads(text)
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


def test_names_that_stand_twice_can_be_kept_and_are_told() -> None:
    text = '{"id": "x", "a": 1, "a": 2, "a (2)": 3, "in": [{"b": null, "b": ""}]}'
    value = loads(text, keep_repeated=True)
    assert value == {
        "id": "x", "a": number(1), "a (3)": number(2), "a (2)": number(3), "in": [{"b": None, "b (2)": ""}]
    }  # fmt: skip
    assert repeated_names(value) == ("a", "b")
    assert repeated_names(loads('{"a": [1, {"b": 2}]}', keep_repeated=True)) == ()


def test_a_name_that_stands_twice_is_found_in_one_pass() -> None:
    # Counting every name anew would take many minutes here.
    names = [*map(str, range(200_000)), "199999"]
    with pytest.raises(JsonError, match='property "199999" more than once'):
        loads("{" + ",".join(f'"{name}":1' for name in names) + "}")


def test_writing_costs_no_more_where_it_is_deep() -> None:
    def steps(depth: int) -> int:
        value = loads("[" * depth + ",".join(["1"] * 1000) + "]" * depth)
        counted = 0

        def count(_: object, event: str, __: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        dumps(value)
        sys.setprofile(None)
        return counted

    assert steps(150) < 2 * steps(1)


@pytest.mark.parametrize("wrapped", ['{"a": 1, "a": %s}', '[{"a": 1, "b": {"a": 1, "a": %s}}]'])
def test_what_is_too_deep_is_found_below_a_name_that_stands_twice(wrapped: str) -> None:
    levels = wrapped.count("{") + wrapped.count("[")
    text = wrapped % ("[" * (200 - levels) + "]" * (200 - levels))
    loads(text, keep_repeated=True)
    with pytest.raises(JsonError, match="deeper than 200"):
        loads(text.replace("[]", "[[]]"), keep_repeated=True)


def test_two_hundred_levels_are_enough() -> None:
    text = "[" * 200 + "]" * 200
    assert dumps(loads(text)) == text


def test_bytes_may_begin_with_a_byte_order_mark() -> None:
    assert loads(b'\xef\xbb\xbf{"a": "\xc3\xa9"}') == {"a": "é"}


def test_text_is_compact_or_indented_and_keeps_its_order() -> None:
    value = loads('{"z": [1, {"a": null}], "b": {}, "c": [], "d": true, "e": false, "f": "é\\n"}')
    assert dumps(value) == '{"z":[1,{"a":null}],"b":{},"c":[],"d":true,"e":false,"f":"é\\n"}'
    assert dumps(value, ascii_only=True).endswith('"f":"\\u00e9\\n"}')
    indented = dumps(loads('{"a":[1,{}],"b":2}'), indent=2)
    assert indented == '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": 2\n}'


def test_a_second_byte_order_mark_is_no_json() -> None:
    with pytest.raises(JsonError):
        loads("\ufeff\ufeff{}".encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_only_utf_8_is_json(encoding: str) -> None:
    with pytest.raises(JsonError):
        loads('{"a": "é"}'.encode(encoding))


Written = st.recursive(
    st.none()
    | st.booleans()
    | st.text(st.characters(exclude_categories=()))
    | st.from_regex(
        r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,30})?",
        fullmatch=True,
        alphabet=st.characters(max_codepoint=127),
    ).map(Number),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner),
    max_leaves=30,
)


@given(Written, st.sampled_from([None, 0, 2]), st.booleans())
def test_what_is_written_is_read_back_with_every_digit(value: Json, indent: int | None, ascii_only: bool) -> None:
    text = dumps(value, indent=indent, ascii_only=True)
    # Two halves that follow each other are one character in JSON, so what is read once is what counts.
    once = loads(text)
    assert dumps(once, indent=indent, ascii_only=True) == text
    assert loads(dumps(once, indent=indent, ascii_only=ascii_only)) == once
    assert loads(encode_json(once)) == once


class OwnText(str):
    """A text that is no plain `str`."""


class OwnNumber(Number):
    """A number of another class."""


def of_other_types(value: Json) -> Json:
    """The same value, nothing in it of the types that `loads` gives."""
    if isinstance(value, str):
        return OwnText(value)
    if isinstance(value, Number):
        return OwnNumber(value.text)
    if isinstance(value, Mapping):
        return MappingProxyType({OwnText(name): of_other_types(item) for name, item in value.items()})
    if isinstance(value, Sequence):
        return tuple(map(of_other_types, value))
    return value


@given(Written, st.booleans())
def test_a_value_is_written_the_same_whatever_its_types(value: Json, ascii_only: bool) -> None:
    text = dumps(value, ascii_only=ascii_only)
    assert dumps(of_other_types(value), ascii_only=ascii_only) == text
    assert dumps([value, of_other_types(value)], ascii_only=ascii_only) == f"[{text},{text}]"
    assert dumps({"a": of_other_types(value), "b": value}, ascii_only=ascii_only) == f'{{"a":{text},"b":{text}}}'


def test_an_object_with_a_repeated_name_is_written_like_any_other() -> None:
    value = loads('[{"a": 1, "a": {"b": 1.50, "b": []}}]', keep_repeated=True)
    assert dumps(value) == '[{"a":1,"a (2)":{"b":1.50,"b (2)":[]}}]'


@given(st.binary(max_size=200))
def test_no_bytes_fail_but_with_a_json_error(data: bytes) -> None:
    try:
        value = loads(data)
    except JsonError:
        return
    assert loads(encode_json(value)) == value


Plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(Plain)
def test_python_values_go_there_and_back(value: object) -> None:
    made = to_plain(value)
    assert json.loads(dumps(made, ascii_only=True)) == value
    assert loads(dumps(made)) == made
    assert same_json(made, loads(dumps(made, indent=2)))


@given(st.text(max_size=200))
def test_no_text_fails_but_with_a_json_error(text: str) -> None:
    try:
        value = loads(text)
    except JsonError:
        return
    assert loads(dumps(value, ascii_only=True)) == value


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), float("inf")])
def test_other_values_have_no_place_in_json(value: object) -> None:
    with pytest.raises(JsonError):
        to_plain(value)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1.5", "1.50", True),
        ("1e2", "100", True),
        ("0", "-0", True),
        ("1", "1.0000000000000000000000000000001", False),
        ("1", "true", False),
        ("0", "false", False),
        ('"1"', "1", False),
        ("null", '""', False),
        ('{"a":1,"b":2}', '{"b":2.0,"a":1}', True),
        ('{"a":1}', '{"a":1,"b":null}', False),
        ("[1,2]", "[2,1]", False),
        ("[1,[2]]", "[1.0,[2.0]]", True),
        ("[]", "{}", False),
        ("1e999999999", "2e999999999", False),
    ],
)
def test_sameness_is_by_value(left: str, right: str, same: bool) -> None:
    assert same_json(loads(left), loads(right)) is same
    assert same_json(loads(right), loads(left)) is same


def test_numbers_know_their_value() -> None:
    assert number(7) == Number("7")
    assert number("1.50").decimal == Decimal("1.50")
    assert Number("1e999999999").decimal is None
    assert Number("1e-99999999999999999999999").decimal is None
    assert Number("1e+00000000002").decimal == 100
    assert Number("9" * 5000).decimal == Decimal("9" * 5000)
    assert str(Number("1.50")) == "1.50"
    value: Json = [Number("1")]
    assert not same_json(value, "1")


def test_half_a_character_leaves_as_it_came() -> None:
    came = '{"caf\\ud83d":["Łódź 🚂","\\ud800\\\\"]}'.encode()
    assert encode_json(loads(came)) == came


@given(st.text(st.characters(exclude_categories=())))
def test_bytes_are_json_whatever_the_text(text: str) -> None:
    # Two halves that follow each other are one character in JSON, so what is read once is what counts.
    value = loads(encode_json({text: [text, Number("1.50")]}))
    assert loads(encode_json(value).decode("utf-8")) == value


def test_a_value_is_written_the_same_in_steps_and_then_taken_apart() -> None:
    value = loads(
        '{"items": [' + ",".join('{"a": [1, 2.50], "b": "é"}' for _ in range(12_000)) + '], "end": {"x": []}}'
    )
    assert dumps_in_steps(value, indent=2) == dumps(value, indent=2)
    assert isinstance(value, dict)
    items = value["items"]
    release_in_steps(value)
    assert (value, items) == ({}, [])
    release_in_steps("a text stays as it is")
