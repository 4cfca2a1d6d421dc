"""Old and new under each other."""

import pytest

from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.jsontext import ABSENT, number
from svc_tui.ui.widgets.text.difference import diff_content, value_text


def emphasised(change: FieldChange) -> list[str]:
    """The parts of the content that stand out, in order."""
    content = diff_content([change])
    return [content.plain[s.start : s.end] for s in content.spans if "underline" in str(s.style) and s.end > s.start]


@pytest.mark.parametrize(
    ("value", "text"), [(ABSENT, "not set"), (None, "null"), ("", '""'), ("null", '"null"'), (number("1.50"), "1.50")]
)
def test_unset_null_empty_and_the_word_null_are_told_apart(value: object, text: str) -> None:
    assert json_or_unset(value) == text  # type: ignore[arg-type]


def test_a_field_is_its_name_and_beside_it_minus_above_plus() -> None:
    content = diff_content([FieldChange("grade", number("1.5"), None)])
    assert content.plain == "grade      - 1.5\n           + null"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("in_transit", "in_transit"),
        ("2024-01-06", "2024-01-06"),
        ("1.50", '"1.50"'),
        ("true", '"true"'),
        ("not set", '"not set"'),
        (" open", '" open"'),
        ('"open"', '"\\"open\\""'),
        ("{x", '"{x"'),
    ],
)
def test_a_text_is_without_quotes_unless_it_could_be_another_value(value: str, text: str) -> None:
    assert value_text(value) == text


def test_a_change_at_the_end_of_a_long_text_is_in_view() -> None:
    plain = diff_content([FieldChange("note", "x" * 5000 + "old", "x" * 5000 + "new")]).plain
    assert "- … 4,940 characters the same … " in plain
    assert "xold" in plain
    assert "xnew" in plain


def test_what_differs_is_emphasised_and_nothing_else() -> None:
    assert emphasised(FieldChange("name", "Copper ore 7", "Copper doré 7")) == ["ore", "doré"]


def test_of_two_different_texts_a_letter_at_their_ends_is_not_set_apart() -> None:
    assert emphasised(FieldChange("note", "colleague was here", "checked by me")) == [
        "colleague was here",
        "checked by me",
    ]
    assert emphasised(FieldChange("grade", number("8.42"), number("8.50"))) == ["42", "50"]


def test_a_repeated_part_is_not_counted_twice() -> None:
    assert emphasised(FieldChange("name", "aa", "aaa")) == ["a"]


def test_text_from_outside_is_harmless() -> None:
    plain = diff_content([FieldChange("[/x]", "[bold]\x1b[2J", "\u202e")]).plain
    assert "[/x]" in plain
    assert "[bold]" in plain
    assert "\x1b" not in plain
    assert "\u202e" not in plain


def test_long_values_are_cut_with_their_length() -> None:
    assert "(5,000 characters)" in diff_content([FieldChange("note", "", "x" * 5000)]).plain
