"""What comes through the gate for text from outside can't command a terminal, hide, or break a line's width."""

import re
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.ui.text import measure, pad, shorten, styled, visible

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
"""Any code point at all, halves of surrogate pairs among them."""
HOSTILE = st.text(
    st.sampled_from(
        "a[]/\\=$@\x1b\x00\x07\n\r\t\x7f\x9b\u200b\u200d\u202e\u2066\ufeff\xad\u3000漢한👩👍🏽é́\ufe0f🇩🇪\ud800"
    ),
    max_size=40,
)
TEXTS = st.one_of(ANY, HOSTILE)

INKED = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Format characters that are written out: number signs and abbreviation marks that stand before what they mark."""
BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Fillers that Unicode counts among letters and marks, and that show nothing."""


def harmful(text: str) -> list[str]:
    return [
        character
        for character in text
        if (unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp", "Cf") and character not in INKED)
        or character in BLANK
    ]


def test_no_code_point_hides_or_commands() -> None:
    everything = map(chr, range(sys.maxunicode + 1))
    assert [f"{ord(character):04x}" for character in everything if harmful(visible(character))] == []


@given(TEXTS)
def test_nothing_that_hides_or_commands_is_left(text: str) -> None:
    assert harmful(visible(text)) == []


@given(TEXTS)
def test_line_feeds_alone_stay_when_asked(text: str) -> None:
    assert set(harmful(visible(text, lines=True))) <= {"\n"}
    assert visible(text, lines=True).count("\n") == text.count("\n")


@given(TEXTS)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(TEXTS, st.integers(0, 40), st.booleans())
def test_padded_takes_exactly_its_cells(text: str, cells: int, right: bool) -> None:
    assert measure(pad(visible(text), cells, right=right)) == cells


@given(TEXTS, st.integers(0, 40))
def test_shortened_never_takes_more_and_leaves_what_fits(text: str, cells: int) -> None:
    line = visible(text)
    short = shorten(line, cells)
    assert measure(short) <= cells
    if measure(line) <= cells:
        assert short == line
    else:
        assert line.startswith(short.removesuffix("…"))


@given(TEXTS)
def test_shown_interprets_no_markup(text: str) -> None:
    content = styled(text)
    assert content.plain == visible(text)
    assert not content.spans


@given(TEXTS.filter(bool))
def test_shown_has_one_style_from_end_to_end(text: str) -> None:
    spans = styled(text, "bold").spans
    assert [(span.start, span.end, span.style) for span in spans] == (
        [(0, len(visible(text)), "bold")] if visible(text) else []
    )


def test_marks_name_what_they_stand_for() -> None:
    assert visible("a\x1b[31m\tb\r\n\u202e\u200d\xad") == "a␛[31m⇥b␍↵⟨202e⟩⁀⟨shy⟩"
    assert re.fullmatch(r"plain \[/x\] text", visible("plain [/x] text"))


def test_marks_stacked_upon_one_character_are_counted_instead_of_shown() -> None:
    assert visible("z" + "\u0301" * 103 + "a") == "z" + "\u0301" * 3 + "⟨+100⟩a"
    assert visible("e\u0301\u0302\u0303") == "e\u0301\u0302\u0303"
