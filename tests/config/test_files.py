"""Mistakes in TOML files: each is said with file, line and reason, in no words of the parser's."""

import tomllib
from pathlib import Path

import pytest

from svc_tui.config.errors import ConfigError
from svc_tui.config.files import parse_toml

FILE = Path("/x/config.toml")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a = ", 1, "a value is missing or not valid; text needs quotes"),
        ("\na = word\n", 2, "a value is missing or not valid; text needs quotes"),
        ("a\n", 1, "= is missing after the name"),
        ('a = "b" c\n', 1, "there is more text after the value; start a new line"),
        ("a.=1\n", 1, "the name of a setting is missing or not valid; use letters, digits, - and _, or quotes"),
        ("\n\n= 1\n", 3, "a setting or a [table] is expected"),
        ("a = 1\na = 2\nb = 3\n", 2, "the setting is set twice"),
        ("a = { b = 1, b = 2 }\n", 1, "the setting is set twice"),
        ("[a]\n[b]\n[a]\n", 3, "the table is defined twice"),
        ("a = {}\n[a.b]\n", 2, "the table is defined twice"),
        ("[a.b]\n[c]\n[a]\nb.c = 1\n", 4, "the table is already defined above"),
        ("a = [1 2]\n", 1, "the closing ] is missing"),
        ("a = { b = 1\n", 1, "the closing } is missing"),
        ("[a\n", 1, "] is missing after the table name"),
        ("[[a]\n", 1, "] is missing after the table name"),
        ('a = "b\n', 1, "the closing quote is missing"),
        ("a = 'b\n", 1, "the closing quote is missing"),
        ('a = """b\n', 1, "the closing quote is missing"),
        ("a = '''b\n", 1, "the closing quote is missing"),
        ('a = "b\x07"\n', 1, r"a control character must be written as \uXXXX"),
        ("# b\x07\n", 1, r"a control character must be written as \uXXXX"),
        ('a = "C:\\dir"\n', 1, r"a backslash in double quotes must be written as \\"),
        (r'a = "\u12"', 1, r"\u needs four hexadecimal digits, \U eight"),
        (r'a = "\ud800"', 1, r"the \u escape is not a character"),
        ("a = 2026-02-30\n", 1, "there is no such date or time"),
    ],
)
def test_a_mistake_in_toml_is_said_in_plain_words(text: str, line: int, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(FILE, text)
    assert str(caught.value) == f"{FILE}:{line}: not valid TOML: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a = " + "[" * 5_000, "it is nested too deeply"), ("a = " + "1" * 5_000, "a number has too many digits")],
)
def test_hostile_toml_is_refused_in_plain_words(text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(FILE, text)
    assert str(caught.value) == f"{FILE} is not valid TOML: {reason}"


def test_words_of_a_later_parser_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise tomllib.TOMLDecodeError("Quux failed (at line 2, column 1)")

    monkeypatch.setattr(tomllib, "loads", fail)
    with pytest.raises(ConfigError) as caught:
        parse_toml(FILE, "a = 1\nb = 2\n")
    assert str(caught.value) == f"{FILE}:2: not valid TOML: unknown error at this line"
