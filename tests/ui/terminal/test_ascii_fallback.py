"""ASCII twins: as wide as what they stand for, and one for everything that the program itself draws."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import svc_tui
from svc_tui.ui.terminal.abilities import needs_ascii
from svc_tui.ui.terminal.ascii_fallback import ASCII_EQUIVALENTS, to_ascii
from svc_tui.ui.text import measure, visible


def drawn() -> Iterator[str]:
    """Every text in the code but docstrings, the records that the sandbox begins with, and what is compared alone."""
    for file in Path(svc_tui.__file__).parent.rglob("*.py"):
        if "seeds" in file.parts or file.name == "folded_text.py":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in said:
                yield node.value


def test_everything_that_the_program_draws_has_a_twin_that_says_something() -> None:
    characters = {character for text in drawn() for character in text if not character.isascii()}
    visible = {c for c in characters if c.isprintable() and cell_len(c) == 1}
    assert len(visible) > 40
    assert {c for c in visible - set("␡␍␛␦⁀\ufffd") if to_ascii(c) == "?"} == set()


def test_no_twin_is_wider_than_its_character() -> None:
    assert {character: twin for character, twin in ASCII_EQUIVALENTS.items() if cell_len(character) != len(twin)} == {}


@given(st.text() | st.text(alphabet="ae\u0301👍🏽🇩🇪👩⁀金│1\u20e3ﬁ"))
def test_text_in_ascii_takes_as_much_room(text: str) -> None:
    shown = visible(text)
    plain = to_ascii(shown)
    assert plain.isascii()
    assert len(plain) == measure(shown)


def test_null_does_not_look_like_a_value() -> None:
    assert to_ascii("∅") == "~"


def test_letters_lose_their_accents_and_what_has_no_likeness_is_a_question_mark() -> None:
    assert to_ascii("Doré → 金") == "Dore > ??"
    assert to_ascii("Łukasz Żółkiewski, Søren Ødegård, Đặng, ığ") == "Lukasz Zolkiewski, Soren Odegard, Dang, ig"
    # Two letters have no room where one was.
    assert to_ascii("Æon, œuvre") == "?on, ?uvre"
    assert to_ascii("\x1b[1m╭─ lots ─╮") == "\x1b[1m+- lots -+"


@pytest.mark.parametrize(
    ("variables", "plain"),
    [
        ({}, False),
        ({"LANG": ""}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({"LANG": "C.utf8"}, False),
        ({"LANG": "de_DE"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, True),
        ({"LANG": "de_DE.ISO-8859-15@euro"}, True),
        ({"LANG": "en_US.UTF-8", "LC_CTYPE": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, False),
        ({"LC_ALL": "C", "LC_CTYPE": "en_US.UTF-8"}, True),
        ({"LC_ALL": "", "LC_CTYPE": "en_US.UTF-8"}, False),
    ],
)
def test_the_locale_says_what_the_terminal_speaks(variables: dict[str, str], plain: bool) -> None:
    assert needs_ascii(variables) is plain
