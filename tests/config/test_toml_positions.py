"""Where keys stand in a TOML text: the lines that mistakes name, and the spans that are replaced."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.config.toml_positions import KeyPath, find_positions, line_of

TEXT = '''\
# a comment = "no key"
page_size = 50   # more = 1
"base url" = 'https://x'
list = [ # one
  "a, ]",
  2, [3, 4],
]
when = 1979-05-27 07:32:00
long = """
[not.a.table]
ends in a quote""""
inline = { one = 1, "t.wo" = { three = [5] } }

[collections."operations/lots"]
segment = "lots"
query.status = "open"

[[routes]]
name = "First"
[[routes]]
name = "Second"
[routes.query]
a = "b"
[after.all]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("page_size",), 2),
        (("base url",), 3),
        (("list",), 4),
        (("list", 0), 5),
        (("list", 2, 1), 6),
        (("when",), 8),
        (("long",), 9),
        (("inline", "t.wo", "three", 0), 12),
        (("collections",), 14),
        (("collections", "operations/lots"), 14),
        (("collections", "operations/lots", "segment"), 15),
        (("collections", "operations/lots", "query", "status"), 16),
        (("routes", 0), 18),
        (("routes", 0, "name"), 19),
        (("routes", 1, "name"), 21),
        (("routes", 1, "query", "a"), 23),
        (("routes", 1, "path"), 20),
        (("after", "all"), 24),
        (("after", "all", "missing"), 24),
        (("nowhere",), None),
    ],
)
def test_a_key_has_a_line_and_a_missing_one_that_of_its_table(path: KeyPath, line: int | None) -> None:
    assert line_of(find_positions(TEXT), path) == line


def leaves(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Everything in the tables that is no table and no list, with the way to it."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))
    else:
        yield path, value


def check_spans(text: str) -> None:
    """Each value, cut out of the text by its span, is still that value."""
    found = find_positions(text)
    for path, value in leaves(tomllib.loads(text)):
        spot = found[path]
        assert tomllib.loads(f"x = {text[spot.start : spot.end]}") == {"x": value}


def test_a_span_holds_the_value_and_nothing_else() -> None:
    check_spans(TEXT)
    check_spans(TEXT.replace("\n", "\r\n"))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.one_of(st.integers(-(2**40), 2**40), st.booleans(), words, st.datetimes(), st.floats(allow_nan=False)),
    lambda inside: st.one_of(st.lists(inside, max_size=3), st.dictionaries(words, inside, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(words, values, max_size=5), st.booleans())
def test_any_table_that_is_written_is_found_again(table: dict[str, Any], multiline: bool) -> None:
    check_spans(tomli_w.dumps(table, multiline_strings=multiline))
