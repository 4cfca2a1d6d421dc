"""What makes no difference to a search, what does, and where what was found stands in the text as it is."""

from typing import Literal, TypeAlias
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_tui.domain.data.folded_text import fold, place_of, places_of

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


@pytest.mark.parametrize("text", ["й", "Ї", "ў", "їжаќ"])
def test_a_letter_that_keeps_its_mark_is_the_same_composed_or_not(text: str) -> None:
    assert fold(normalize("NFD", text)) == fold(normalize("NFC", text))


ACCENTED = st.text(st.sampled_from("eéÉe\u0301\u0323\u0306\u0308ßÆłŁiıİй и\u0438ёЕхкхn\n 1 नी札ﬁŉ"), max_size=12)


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
