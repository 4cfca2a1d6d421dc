"""Two answers compared: what differs is marked, all can be asked for, it is searched, and handed on as text."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.screen import Screen

from svc_tui.console.comparison import ComparedAnswer, compare_answers
from svc_tui.core.requests import Answer
from svc_tui.ui.console.answer_comparison import ComparisonAction, ComparisonScreen, ComparisonView
from svc_tui.ui.dialogs.text_dialog import TextViewerScreen
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from tests.ui.stage import DUSK, Stage, picture, until

OLD = b'{"items": [{"id": "lot-1", "grade": "A1", "site": "North"}, {"id": "lot-2"}], "total": 2}'
NEW = b'{"items": [{"id": "lot-1", "grade": "A2", "site": "North"}], "total": 2}'


def screen(old: bytes = OLD, new: bytes = NEW) -> ComparisonScreen:
    sides = (
        ComparedAnswer("GET /lots 05:12:07", Answer(200, "OK", (), old)),
        ComparedAnswer("GET /lots 05:13:00", Answer(200, "OK", (), new)),
    )
    return ComparisonScreen(*sides, compare_answers(*sides))


def text_of(app: Stage) -> str:
    return "\n".join(picture(app))


async def test_differences_alone_are_shown_until_all_is_asked_for() -> None:
    app = Stage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(screen())
        await until(pilot, lambda: "changed  $.items[?@.id=='lot-1'].grade" in text_of(app))
        shown = text_of(app)
        assert "1 changed · 1 gone" in shown
        assert '- "A1"' in shown
        assert '+ "A2"' in shown
        assert "gone  $.items[?@.id=='lot-2']" in shown
        assert "total" not in shown
        await pilot.press("a")
        await until(pilot, lambda: "same  $.total" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "$.total" not in text_of(app))


async def test_the_part_of_a_value_that_differs_is_marked() -> None:
    app = Stage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(screen())
        await until(pilot, lambda: '- "A1"' in text_of(app))
        rows = {strip.text.strip("│ ").rstrip(): strip for strip in app.screen._compositor.render_strips()}
        for row, sign, colour in (('- "A1"', "1", DUSK.danger), ('+ "A2"', "2", DUSK.ok)):
            marked = [s for s in rows[row] if s.style and s.style.underline]
            assert [s.text for s in marked] == [sign]
            assert marked[0].style is not None
            assert marked[0].style.color is not None
            assert marked[0].style.color.name == colour
        # A record that has gone has nothing beside it to differ from.
        assert not [s for s in rows['-   "id": "lot-2"'] if s.style and s.style.underline]


async def test_the_comparison_is_searched() -> None:
    app = Stage()
    async with app.run_test(size=(80, 16)) as pilot:
        lines = [b"%d" % number for number in range(300)]
        app.push_screen(screen(b"\n".join(lines), b"\n".join(line + b"x" for line in lines)))
        await until(pilot, lambda: "300 changed" in text_of(app))
        await pilot.press("slash", *"line 250", "enter")
        await until(pilot, lambda: "changed  line 250" in text_of(app))
        await until(pilot, lambda: "1 of 1" in text_of(app))
        await pilot.press("slash", *"nothing here", "enter")
        await until(pilot, lambda: "no matches: nothing here" in text_of(app))


@pytest.mark.parametrize(
    ("key", "wish"), [("y", ComparisonAction.COPY), ("c", ComparisonAction.COPY), ("f3", ComparisonAction.PAGE)]
)
async def test_the_text_on_show_is_handed_on(key: str, wish: ComparisonAction) -> None:
    app = Stage()
    got: list[object] = []
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(screen(), got.append)
        await until(pilot, lambda: '- "A1"' in text_of(app))
        text = app.screen.query_one(ComparisonView).text
        await pilot.press(key)
        await until(pilot, lambda: got)
    assert got == [(wish, text)]
    assert text.startswith("- GET /lots 05:12:07\n+ GET /lots 05:13:00\n\nBody\n")


async def test_equal_answers_say_so() -> None:
    app = Stage()
    async with app.run_test(size=(80, 16)) as pilot:
        app.push_screen(screen(OLD, OLD))
        await until(pilot, lambda: "no differences" in text_of(app))


@pytest.mark.parametrize(
    "opened", [screen, lambda: TextViewerScreen("note", "a text")], ids=["comparison", "whole text"]
)
async def test_what_was_not_found_is_told_as_it_was_typed(opened: Callable[[], Screen[Any]]) -> None:
    app = Stage()
    async with app.run_test(size=(120, 30)) as pilot:
        app.push_screen(opened())
        await until(pilot, lambda: "/ Search" in text_of(app))
        await pilot.press("slash")
        line = app.screen.query_one(FindInput)
        await until(pilot, lambda: line.line.has_focus)
        line.line.value = "[/x]"
        await pilot.press("enter")
        await until(pilot, lambda: "no matches: [/x]" in text_of(app))
