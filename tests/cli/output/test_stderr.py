"""What is said on stderr is one line that a terminal can't be fooled by."""

import pytest

from svc_tui.cli.output.stderr import MAX_LENGTH, one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain · Łódź 🚂", "plain · Łódź 🚂"),
        ("two\nlines\r\nand more", "two lines and more"),
        ("\x1b[31mred\x07", "\\u{1b}[31mred\\u{7}"),
        ("evil\u202egnp.exe", "evil\\u{202e}gnp.exe"),
        ("zero\u200bwidth", "zero\\u{200b}width"),
        ("half \ud800", "half \\u{d800}"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_secret_that_a_service_repeats_is_masked() -> None:
    assert one_line("no key svc_live_abc here", ("svc_live_abc", "shh")) == "no key … here"


def test_a_long_text_is_cut() -> None:
    assert one_line("x" * 10_000) == "x" * (MAX_LENGTH - 1) + "…"
