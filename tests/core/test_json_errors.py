"""Every mistake in a JSON text has a line and a column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import JsonError, check_document, number


def test_what_is_right_is_read() -> None:
    assert check_document('{"a": {"a": 1.0}, "b": [{"a": 1}, {"a": 2}]}') == {
        "a": {"a": number("1.0")},
        "b": [{"a": number(1)}, {"a": number(2)}],
    }


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"a": }', 1, 7),
        ('{"a": 1,\n "b": "}{",\n  "a": 2}', 3, 3),
        ('{"a": 1,\n "\\u0061": 2}', 2, 2),
        ('{"x": [1, {"b": "a",\n "b": 0}], "a": 1}', 2, 2),
        ('{"a": "NaN",\n "b": NaN}', 2, 7),
        ("[1,\n -Infinity]", 2, 2),
        ('{"a": 1,\n "a": {"b": 1,\n "b": 2}}', 3, 2),
        ('{"a": [{"b": 1, "b": 2}],\n "c": NaN}', 1, 17),
        ("[" * 201 + "]" * 201, 1, 201),
        ("[\n" * 100_000, 201, 1),
        ("", 1, 1),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(JsonError) as caught:
        check_document(text)
    assert (caught.value.line, caught.value.column) == (line, column)


@given(st.text(alphabet='{}[]:,"ab1 \n\\uN-'))
def test_every_mistake_has_a_place_inside_the_text(text: str) -> None:
    mistake = _mistake(text)
    if mistake is not None:
        assert 1 <= mistake.line <= text.count("\n") + 1
        assert 1 <= mistake.column <= len(text) + 1


def _mistake(text: str) -> JsonError | None:
    try:
        check_document(text)
    except JsonError as error:
        return error
    return None
