"""Finding one's way in indented JSON: brackets, values and paths of lines, the same as those of the value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.indented_json import closing_of, line_around, opening_around, opening_on, path_on, value_on
from svc_tui.core.jsontext import Json, dumps, number, to_plain

VALUE: Json = {
    "items": [
        {"id": "lot-1", "massKg": number("1.50"), "assay": {"gold ppm": [number(1), [], {}], "": None}},
        "}, ] {",
        [[True], [False]],
    ],
    "it's": {"a.b": "x"},
}
TEXT = dumps(VALUE, indent=2)


def line(sign: str) -> int:
    """The place of the first line that holds the sign."""
    return line_around(TEXT, TEXT.index(sign))[0]


@pytest.mark.parametrize(
    ("sign", "path", "value"),
    [
        ('"id"', "$.items[0].id", "lot-1"),
        ('"massKg"', "$.items[0].massKg", number("1.50")),
        ('"gold ppm"', "$.items[0].assay['gold ppm']", [number(1), [], {}]),
        ("1,", "$.items[0].assay['gold ppm'][0]", number(1)),
        ("{}", "$.items[0].assay['gold ppm'][2]", {}),
        ('"": ', "$.items[0].assay['']", None),
        ('"}, ] {"', "$.items[1]", "}, ] {"),
        ("true", "$.items[2][0][0]", True),
        ("false", "$.items[2][1][0]", False),
        ('"a.b"', "$['it\\'s']['a.b']", "x"),
    ],
)
def test_a_line_has_a_path_and_a_value(sign: str, path: str, value: Json) -> None:
    assert (path_on(TEXT, line(sign)), value_on(TEXT, line(sign))) == (path, value)


def test_the_line_that_closes_something_stands_for_it() -> None:
    closing = closing_of(TEXT, opening_on(TEXT, line('"assay"')) or 0)
    assert path_on(TEXT, closing) == "$.items[0].assay"
    assert value_on(TEXT, closing) == VALUE["items"][0]["assay"]  # type: ignore[index,call-overload]
    assert (path_on(TEXT, len(TEXT) - 1), value_on(TEXT, 0)) == ("$", VALUE)


def test_brackets_open_what_a_line_is_in() -> None:
    assert opening_around(TEXT, 0) is None
    around = opening_around(TEXT, line('"id"'))
    assert around is not None
    assert opening_around(TEXT, around) == opening_on(TEXT, line('"items"'))


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


def lines(value: Json, path: str = "$") -> list[tuple[str, Json]]:
    """The path and value of each line that begins a value, in order."""
    found: list[tuple[str, Json]] = [(path, value)]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += lines(inner, f"{path}<{name}>")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            found += lines(inner, f"{path}[{place}]")
    return found


@given(NESTED)
def test_every_line_leads_to_the_value_that_begins_on_it(made: object) -> None:
    value = to_plain(made)
    text = dumps(value, indent=2)
    at, found = 0, []
    for row in text.split("\n"):
        if row.strip()[:1] not in ("}", "]"):
            found.append((at, value_on(text, at)))
        at += len(row) + 1
    assert [value for _, value in found] == [value for _, value in lines(value)]
    paths = [path_on(text, at) for at, _ in found]
    assert len(set(paths)) == len(paths)
