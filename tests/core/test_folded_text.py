"""What makes no difference to a search, what does, and where what was found stands in the text as it is."""

import re
import sys
from collections.abc import Iterator
from typing import Literal, TypeAlias
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_tui.core.folded_text import fold, place_of, places_of

Form: TypeAlias = Literal["NFC", "NFD"]

SAME = [
    ("Doré", "dore"),
    ("MÜLLER", "muller"),
    ("Łódź", "lodz"),
    ("Søren Ødegård", "soren odegard"),
    ("Đặng Nguyễn", "dang nguyen"),
    ("Straße", "strasse"),
    ("Æsir, œuvre", "aesir, oeuvre"),
    ("Þór, Guðrún", "thor, gudrun"),
    ("IŞIK, ışık", "isik, isik"),
    ("İstanbul", "istanbul"),
    ("Ǿ ǽ", "o ae"),
    ("Ángstrom \u212b \u212a", "angstrom a k"),
    ("Παπαδόπουλος Ἀθῆναι", "παπαδοπουλοσ αθηναι"),
    ("Ёж, ёлка", "еж, елка"),
    ("за\u0301мок", "замок"),
]
"""A text, and what is typed for it."""


@pytest.mark.parametrize(("text", "folded"), SAME)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_capitals_and_accents_make_no_difference_composed_or_not(text: str, folded: str, form: Form) -> None:
    assert fold(normalize(form, text)) == fold(normalize(form, folded)) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("май", "маи"),
        ("їхній", "іхній"),
        ("ўсё", "усё"),
        ("ѓон", "гон"),
        ("ЌЕ", "ке"),
        ("हिन्दी", "हनद"),
        ("नी", "न"),
        ("สมชาย ใจดี", "สมชาย ใจด"),
        ("が", "か"),
        ("שָׁלוֹם", "שלום"),
        ("≠", "="),
        ("dore", "doré x"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_marks_that_make_another_letter_or_are_vowels_make_a_difference(one: str, other: str, form: Form) -> None:
    assert fold(normalize(form, one)) != fold(normalize(form, other))


@pytest.mark.parametrize("text", ["ѓ", "ќ", "ѓаќо"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_acute_that_makes_another_consonant_is_no_stress(text: str, form: Form) -> None:
    assert fold(normalize(form, text)) == fold(normalize(form, text.upper())) == text
    assert fold("г\u0300 к\u0300 за\u0301мок") == "г к замок"


@pytest.mark.parametrize("text", ["й", "Ї", "ў", "їжаќ"])
def test_a_letter_that_keeps_its_mark_is_the_same_composed_or_not(text: str) -> None:
    assert fold(normalize("NFD", text)) == fold(normalize("NFC", text))


ACCENTED = st.text(
    st.sampled_from("eéÉe\u0301\u0323\u0306\u0308\u0345ßÆłŁiıİй и\u0438ёЕхкѓгn\n 1 नी札ﬁŉΐᾳ"), max_size=12
)
EVEN = st.text(st.sampled_from("eéÉłŁiİйиёЁкѓgn\n 1नी札ΐ"), max_size=40)
"""Texts in which each character becomes one when it is folded."""


@given(ACCENTED | st.text(max_size=12), ACCENTED | st.text(max_size=12))
def test_lines_are_folded_each_by_itself_and_folding_again_changes_nothing(one: str, other: str) -> None:
    assert fold(f"{one}\n{other}") == f"{fold(one)}\n{fold(other)}"
    assert fold(fold(one)) == fold(one)


@given(ACCENTED, ACCENTED, ACCENTED)
def test_what_is_part_of_a_text_is_found_in_it_where_it_stands(before: str, part: str, after: str) -> None:
    # A space on either side: marks after it are no part of a letter, but stand with it.
    text, sought = f"{before} {part} {after}", fold(f" {part} ")
    place = place_of(text, sought)
    assert place is not None
    assert fold(text[slice(*place)]).startswith(sought)
    assert place[0] <= len(before)


@given(ACCENTED | st.text(max_size=40), ACCENTED.filter(bool))
@example("ß" * 300 + "é" * 300, "e")
@example("e\u0301" * 400, "ee")
def test_places_are_those_of_the_folded_text_and_hold_whole_letters(text: str, part: str) -> None:
    sought = fold(part)
    places = list(places_of(text, sought))
    assert len(places) == fold(text).count(sought)
    for start, end in places:
        assert sought in fold(text[start:end])
    assert [start for start, _ in places] == sorted(start for start, _ in places)


def _places_one_by_one(text: str, sought: str) -> Iterator[tuple[int, int]]:
    """The places as they are seen where each character with its marks is folded by itself."""
    letters = [match for match in re.finditer("(?s:.)[\u0300-\u036f]*", text) for _ in fold(match[0])]
    for place in re.finditer(re.escape(sought), fold(text)):
        yield letters[place.start()].start(), letters[place.end() - 1].end()


@given(ACCENTED | EVEN | st.text(max_size=40), ACCENTED.filter(bool))
@example("ß" * 300 + "é" * 300, "e")
@example("1" + "\u0301" * 30, "\u0301\u0301")
@example("\u0301" * 3 + "ße\u0301ß", "ss")
@example("ß" + "x" * 16_382 + "e\u0301\u0323ßa", "esS")
@example("x" * 40_000 + "ßé" + "x" * 40_000, "xx")
def test_places_are_those_that_are_found_letter_by_letter(text: str, part: str) -> None:
    sought = fold(part)
    places = list(places_of(text, sought))
    assert places == list(_places_one_by_one(text, sought))
    assert place_of(text, sought) == (places[0] if places else None)


@given(EVEN, EVEN.filter(bool))
def test_where_no_letter_changes_its_length_places_are_those_in_the_folded_text(text: str, part: str) -> None:
    sought = fold(part)
    assert len(fold(text)) == len(text)
    assert list(places_of(text, sought)) == [match.span() for match in re.finditer(re.escape(sought), fold(text))]


def test_every_character_that_becomes_more_than_one_is_counted_as_such() -> None:
    longer = [letter for letter in map(chr, range(sys.maxunicode + 1)) if len(fold(letter)) != 1]
    assert {"ß", "ẞ", "Æ", "ﬁ", "ŉ"} <= set(longer)
    for letter in longer:
        assert place_of(f"{letter}1", "1") == (1, 2)


@pytest.mark.parametrize(
    ("text", "sought", "found"),
    [
        ("Gustave Doré, Paris", "dore", "Doré"),
        ("Gustave Dore\u0301, Paris", "dore", "Dore\u0301"),
        ("Dore\u0301 Dore\u0301 Łódź", "lodz", "Łódź"),
        ("Große Halle", "oss", "oß"),
        ("Große Halle", "halle", "Halle"),
        ("Œuvre", "e", "Œ"),
        ("x" * 1_000 + "Łódź", "od", "ód"),
        ("札幌 é", "e", "é"),
    ],
)
def test_what_was_found_is_marked_in_the_text_as_it_is(text: str, sought: str, found: str) -> None:
    place = place_of(text, sought)
    assert place is not None
    assert text[slice(*place)] == found


def test_nothing_is_found_for_nothing() -> None:
    assert place_of("abc", "") is place_of("abc", "é") is place_of("", "a") is None


@pytest.mark.parametrize("text", ["e" + "\u0301\u0323" * 200_000, "и" + "\u0306\u0323" * 200_000, "\u0301" * 200_000])
def test_what_follows_thousands_of_marks_is_found_where_it_stands(text: str) -> None:
    assert place_of(f"{text} x", "x") == (len(text) + 1, len(text) + 2)


@pytest.mark.parametrize("letter", ["1", "é1", "ß1", "札"])
def test_places_among_very_many_marks_or_letters_are_each_found_at_once(letter: str) -> None:
    # These would take hours if the text, or the marks of the letter, were gone through anew for each place.
    marked = letter + "\u0332" * 200_000
    assert set(places_of(marked, "\u0332")) == {(len(letter) - 1, len(marked))}
    many = f"{letter} " * 200_000
    spaces = range(len(letter), len(many), len(letter) + 1)
    assert list(places_of(many, " ")) == [(at, at + 1) for at in spaces]
