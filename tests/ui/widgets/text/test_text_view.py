"""The view of JSON and other text: every digit, every colour by role, and only what is in view."""

import json
import re
import time

import pytest
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.selection import Selection
from textual.widgets import ContentSwitcher, Static

from svc_tui.core.jsontext import loads
from svc_tui.ui.widgets.text import text_view
from svc_tui.ui.widgets.text.text_rows import CHUNK_CHARACTERS, TextRows
from svc_tui.ui.widgets.text.text_view import LARGE_TEXT, TextView, find_offsets
from tests.ui.stage import DUSK, Stage, picture, until


def lines(app: Stage) -> list[str]:
    """The screen without its last column, where the scroll bar may be."""
    width = app.size.width
    return [line.ljust(width)[: width - 1].rstrip() for line in picture(app)]


def colours(app: Stage, row: int) -> dict[str, str]:
    """Each piece of a screen row with its colour."""
    strip = app.screen._compositor.render_strips()[row]
    return {
        segment.text.strip(): segment.style.color.name
        for segment in strip
        if segment.style and segment.style.color and segment.text.strip()
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "one\n",
        "one\ntwo",
        "\n",
        "\n\n",
        "a\n" * 20_000,
        "x" * (3 * CHUNK_CHARACTERS + 5),
        "a\n" + "y" * CHUNK_CHARACTERS + "\nz",
    ],
)
def test_rows_are_lines_and_parts_of_giant_lines(text: str) -> None:
    rows = TextRows(text)
    match_position = [rows[number] for number in range(len(rows))]
    joined = "".join(("" if rows.continues(n) else "\n") + row for n, row in enumerate(match_position))
    assert joined.removeprefix("\n") == text.removesuffix("\n")
    assert all(len(row) <= CHUNK_CHARACTERS for row in match_position)


def test_a_place_in_the_text_is_found_in_its_row() -> None:
    text = "".join(f"row {number}\n" for number in range(9_000))
    rows = TextRows(text)
    row, column = rows.row_at(text.index("8765"))
    assert (rows[row], column) == ("row 8765", 4)
    assert rows.offset_of(row) == text.index("row 8765")
    assert rows.offset_of(len(rows)) == len(text)


async def test_numbers_keep_every_digit_and_each_kind_its_role() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 12)) as pilot:
        view.show_json(loads('{"mass":1.500,"big":12345678901234567890,"ok":true,"name":"4711"}'))
        await pilot.pause()
        assert lines(app)[:6] == [
            "{",
            '  "mass": 1.500,',
            '  "big": 12345678901234567890,',
            '  "ok": true,',
            '  "name": "4711"',
            "}",
        ]
        assert colours(app, 1) == {'"mass"': DUSK.reference, ":": DUSK.muted, "1.500": DUSK.number, ",": DUSK.muted}
        assert colours(app, 3)["true"] == DUSK.accent
        assert colours(app, 4)['"4711"'] == DUSK.text


async def test_text_from_outside_neither_commands_nor_counts_as_markup() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 6)) as pilot:
        view.show_text("[/x] [bold]\x1b[31m\u202e end\r\nsecond")
        await pilot.pause()
        assert lines(app)[:2] == ["[/x] [bold]␛[31m⟨202e⟩ end", "second"]


async def test_keys_move_to_the_ends_and_sideways() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(40, 10)) as pilot:
        view.show_text("\n".join(f"{number:04} " + "x" * 100 + "|" for number in range(500)))
        view.focus()
        await pilot.press("G")
        await pilot.pause()
        assert lines(app)[-1].startswith("0499")
        await pilot.press("home", "j", "down")
        assert lines(app)[0].startswith("0002")
        await pilot.press("pagedown")
        assert lines(app)[0].startswith("0011")
        await pilot.press(*["l"] * 20)
        assert lines(app)[0].endswith("x|")
        await pilot.press(*["h"] * 20)
        assert lines(app)[0].startswith("0011")


async def test_a_row_that_goes_on_out_of_view_is_marked_where_it_does() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(40, 10)) as pilot:
        view.show_text("a" * 60 + "\n" + "b" * 40 + "\n\n" + "c" * 39)
        view.focus()
        await until(pilot, lambda: picture(app)[0] == "a" * 39 + "›")
        assert picture(app)[1:4] == ["b" * 40, "", "c" * 39]
        await pilot.press("l")
        await until(pilot, lambda: picture(app)[0] == "‹" + "a" * 38 + "›")
        assert picture(app)[1:4] == ["‹" + "b" * 31, "", "‹" + "c" * 30]
        await pilot.press("l", "l")
        await until(pilot, lambda: picture(app)[0] == "‹" + "a" * 39)


async def test_wide_characters_are_reached_by_moving_right() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(20, 4)) as pilot:
        view.show_text("矿" * 40 + "|")
        view.focus()
        await pilot.press(*["right"] * 12)
        assert lines(app)[0].endswith("|")


async def test_ten_megabytes_open_and_move_at_once() -> None:
    text = json.dumps([{"id": f"lot-{number:06}", "note": "x" * 60} for number in range(90_000)], indent=2)
    assert len(text) > 9_000_000
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(80, 24)) as pilot:
        # What this thread spends on it: the processor may be with others meanwhile.
        began = time.thread_time()
        view.show_text(text, "json")
        opened = time.thread_time() - began
        view.focus()
        await pilot.press("G")
        await pilot.pause()
        assert lines(app)[-1] == "]"
        assert opened < 0.5
        assert sum(map(len, view._rows._split.values())) < 20_000


async def test_finding_goes_round_and_marks_every_place() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(40, 10)) as pilot:
        view.show_text("\n".join("Needle" if number in (3, 150, 400) else "hay" for number in range(500)))
        view.focus()
        assert view.find("needle")
        await pilot.pause()
        assert colours(app, 3)["Needle"] == DUSK.background
        assert view.find_next()
        await pilot.pause()
        assert "Needle" in lines(app)
        assert view.scroll_offset.y == 147
        assert view.find_next()
        assert view.find_next()
        await pilot.pause()
        assert view.scroll_offset.y <= 3
        assert view.find_previous()
        await pilot.pause()
        assert 390 < view.scroll_offset.y <= 400
        assert not view.find("nowhere")


async def test_selected_text_is_what_is_seen() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(40, 10)) as pilot:
        view.show_text("first line\nsecond\x07\nthird")
        await pilot.pause()
        assert view.get_selection(Selection(Offset(6, 0), Offset(3, 2))) == ("line\nsecond␇\nthi", "\n")
        app.screen.selections = {view: Selection(Offset(0, 0), Offset(5, 0))}
        await pilot.pause()
        assert list(colours(app, 0)) == ["first", "line"]


async def test_finding_makes_no_difference_of_accents_and_marks_what_stands_there() -> None:
    view = TextView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(40, 10)) as pilot:
        view.show_text("by Gustave Doré\nhay\nby Gustave Dore\u0301 too")
        view.focus()
        for needle in ("dore", "DORÉ", "dore\u0301"):
            assert view.find(needle)
            assert view.match_position == (1, 2)
        await pilot.pause()
        assert colours(app, 0)["Doré"] == DUSK.background
        assert colours(app, 2)["Dore\u0301"] == DUSK.background


def test_a_long_text_with_accents_is_gone_through_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Doré, Łódź\n" * 50 + "Dore\u0301"
    wanted = [11 * number for number in range(51)]
    for length in (1, 2, 3, 5, 11, 100, 1_000):
        monkeypatch.setattr(text_view, "_SEARCH_CHUNK", length)
        assert list(find_offsets(text, "dore")) == wanted


@pytest.mark.parametrize("needle", ["ab", "A", "aab", "xx", "\n", ""])
def test_places_are_the_same_in_pieces_as_at_once(needle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "aabAB\nxxxxx\naab" * 5
    search_pattern = re.compile(re.escape(needle), re.IGNORECASE) if needle else None
    at_once = [match.start() for match in search_pattern.finditer(text)] if search_pattern else []
    for length in range(1, len(text) + 2):
        monkeypatch.setattr(text_view, "_SEARCH_CHUNK", length)
        assert list(find_offsets(text, needle)) == at_once


async def test_a_large_text_is_shown_found_in_and_wrapped_anew_while_keys_are_answered() -> None:
    view = TextView(wrap=True)
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 10)) as pilot:
        text = "\n".join(f"line {number} with some more words in it" for number in range(60_000))
        assert len(text) > LARGE_TEXT
        await view.show_text_in_thread(text, None)
        view.focus()
        await until(pilot, lambda: picture(app)[0].startswith("line 0 "))
        assert await view.find_in_thread("line 59999 ")
        assert view.match_position == (1, 1)
        await until(pilot, lambda: any(line.startswith("line 59999 ") for line in picture(app)))
        before = len(view._rows)
        await pilot.resize_terminal(30, 10)
        await until(pilot, lambda: len(view._rows) == 2 * before)
        # The row on top of the view stays there, whatever the width.
        await until(pilot, lambda: picture(app)[0].startswith("line 59990 "))
        assert not await view.find_in_thread("line 60000 ")


async def test_a_large_text_that_is_put_out_of_sight_while_it_is_laid_out_keeps_its_width() -> None:
    text = "\n".join(f"{number} of the north face, damp" for number in range(2 * LARGE_TEXT // 30))
    app = Stage(lambda: [TextView(wrap=True)])
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(TextView)
        view.show_text(text)
        # Laid out anew for another width, while nobody sees it.
        view.styles.width = 30
        await until(pilot, lambda: view._wrapping is not None)
        view.display = False
        await until(pilot, lambda: view._wrapping is not None and view._wrapping.is_finished)
        view.display = True
        await until(pilot, lambda: any("0 of the north face" in line for line in picture(app)))
        assert picture(app)[1].startswith("1 of the north face, damp")


class SwitchingStage(Stage):
    """A view that wraps, out of sight behind another one."""

    def compose(self) -> ComposeResult:
        with ContentSwitcher(initial="other"):
            yield Static("other", id="other")
            yield TextView(wrap=True, id="text")


async def test_a_text_is_wrapped_before_it_is_drawn_for_the_first_time() -> None:
    app = SwitchingStage()
    async with app.run_test(size=(30, 10)):
        app.screen.query_one(TextView).show_text("word " * 12)
        app.screen.query_one(ContentSwitcher).current = "text"
        # As at the end of a key, before any message about the new size is handled.
        app.screen._refresh_layout()
        assert [len(line.split()) for line in lines(app)[:4]] == [5, 5, 2, 0]
