"""Long texts in rows: broken at spaces, nothing lost, nothing wider than its room."""

import random

import pytest

from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows
from svc_tui.ui.widgets.text.wrapping import wrap_text

HARD = ["a", " ", "\n", "矿", "e\u0301", "\x1b", "\u202e", "⛏️", "word", "  ", "\U0001d173", "\r"]


def test_rows_are_broken_at_spaces_and_feeds_and_long_words_anywhere() -> None:
    assert wrap_text("of the north\nface, damp", 8, 9) == (["of the", "north", "face,", "damp"], 23)
    assert wrap_text("abcdefghij", 4, 9) == (["abcd", "efgh", "ij"], 10)
    assert wrap_text("坑道坑道", 4, 9) == (["坑道", "坑道"], 4)
    assert wrap_text("", 4, 9) == ([""], 0)


def test_what_there_is_no_room_for_is_counted() -> None:
    text = "word " * 400
    rows, held = wrap_text(text, 10, 3)
    assert rows == ["word word"] * 3
    assert len(text) - held == 1970


def test_of_a_text_of_five_megabytes_only_what_is_shown_is_looked_at() -> None:
    class CountingStr(str):
        looked = 0

        def __getitem__(self, key: object) -> str:
            found = str.__getitem__(self, key)  # type: ignore[index]
            CountingStr.looked += len(found)
            return found

    rows, held = wrap_text(CountingStr("x" * 5_000_000), 50, 4)
    assert (len(rows), held) == (4, 200)
    assert CountingStr.looked < 1_000


@pytest.mark.parametrize("seed", range(30))
def test_no_character_is_lost_and_no_row_too_wide_whatever_the_text(seed: int) -> None:
    luck = random.Random(seed)
    text = "".join(luck.choices(HARD, k=400))
    cells = luck.randint(8, 40)
    rows, held = wrap_text(text, cells, 10_000)
    assert held == len(text)
    assert all(measure(row) <= cells for row in rows)
    assert "".join(rows).replace(" ", "") == visible(text, lines=True).replace("\n", "").replace(" ", "")

    wrapped_rows = TextRows(text, cells)
    found = [wrapped_rows[number] for number in range(len(wrapped_rows))]
    assert all(measure(visible(row)) <= cells for row in found)
    joined = "".join(("" if wrapped_rows.continues(n) else "\n") + row for n, row in enumerate(found))
    assert joined.removeprefix("\n") == text.removesuffix("\n")
    for offset in range(0, len(text), 7):
        row, place = wrapped_rows.row_at(offset)
        assert wrapped_rows.offset_of(row) + place == offset
