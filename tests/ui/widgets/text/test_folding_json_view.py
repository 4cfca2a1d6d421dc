"""JSON that folds: what stands on which line, with the keys, the mouse, and at any size."""

import random

import pytest

from svc_tui.core.jsontext import MAX_DEPTH, Json, dumps, loads, number
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView, HiddenRows
from tests.ui.stage import Stage, picture, until

VALUE = loads(
    '{"id": "lot-1", "assay": {"auPpm": 1.50, "lab": {"name": "x {"}}, "parts": [{"a": 1}, {"b": []}], "end": {}}'
)


def lines(app: Stage) -> list[str]:
    width = app.size.width
    return [line.ljust(width)[: width - 1].rstrip() for line in picture(app)]


@pytest.mark.parametrize("seed", range(40))
def test_rows_and_lines_agree_with_a_list_of_the_rows_that_are_left(seed: int) -> None:
    luck = random.Random(seed)
    ranges = [(first := luck.randint(1, 90), first + luck.randint(1, 12)) for _ in range(luck.randint(0, 6))]
    ranges = [(a, b) for a, b in ranges if not any(c <= a < d < b or a < c < b < d for c, d in ranges)]
    hidden = HiddenRows(ranges)
    gone = {row for first, until in ranges for row in range(first, until)}
    left = [row for row in range(110) if row not in gone]
    assert hidden.count == len(gone)
    assert [hidden.row_on(line) for line in range(len(left))] == left
    assert [hidden.line_of(row) for row in left] == list(range(len(left)))
    assert all(left[hidden.line_of(row)] < row for row in gone)


async def test_enter_folds_and_unfolds_what_begins_on_the_line() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json(VALUE)
        view.focus()
        await pilot.press("j", "j", "enter")
        assert lines(app)[:5] == ["{", '  "id": "lot-1",', '  "assay": { … 4 lines },', '  "parts": [', "    {"]
        await pilot.press("enter")
        assert lines(app)[3] == '    "auPpm": 1.50,'
        await pilot.press("j", "enter")
        assert lines(app)[3] == '    "auPpm": 1.50,'


async def test_left_folds_what_one_is_in_and_right_unfolds_it() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json(VALUE)
        view.focus()
        await pilot.press(*"jjjjj", "h")
        assert lines(app)[4] == '    "lab": { … 1 line }'
        await pilot.press("h")
        assert lines(app)[2] == '  "assay": { … 4 lines },'
        await pilot.press("h")
        assert lines(app)[:2] == ["{ … 16 lines }", ""]
        await pilot.press("l", "j", "j", "l")
        assert lines(app)[4] == '    "lab": { … 1 line }'
        await pilot.press("G", "h")
        assert lines(app)[:2] == ["{ … 16 lines }", ""]


async def test_what_is_found_is_unfolded_and_counted() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json(VALUE)
        view.focus()
        await pilot.press("h")
        assert lines(app)[0] == "{ … 16 lines }"
        assert view.find('": {')
        assert view.match_position == (1, 3)
        assert lines(app)[2] == '  "assay": {'
        await pilot.press("g", "enter")
        assert view.find("NAME")
        await pilot.pause()
        assert view.match_position == (1, 1)
        assert lines(app)[view.line] == '      "name": "x {"'
        assert not view.find("nowhere")
        assert view.match_position is None


async def test_folds_outlive_another_width() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json({"long": "word " * 60, "deep": {"a": "b"}, "last": True})
        view.focus()
        await pilot.press("G", "k", "k", "h")
        assert '  "deep": { … 1 line },' in lines(app)
        await pilot.resize_terminal(30, 30)
        await pilot.pause()
        assert '  "deep": { … 1 line },' in lines(app)
        assert sum("word" in line for line in lines(app)) > 10
        assert all(len(line) < 30 for line in lines(app))


async def test_the_deepest_json_folds_at_every_level() -> None:
    deep: Json = loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(500, 20)) as pilot:
        view.show_json(deep)
        view.focus()
        await pilot.press("G")
        for _ in range(3):
            await pilot.press("k")
        await pilot.press("h")
        assert view.line == 3


async def test_any_line_of_five_megabytes_folds() -> None:
    many: Json = {f"field{number}": {"note": "x" * 70} for number in range(50_000)}
    assert len(dumps(many, indent=2)) > 5_000_000
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(80, 24)) as pilot:
        view.show_json(many)
        view.focus()
        await pilot.press("G", "k", "k", "h")
        assert lines(app)[-2] == '  "field49999": { … 1 line }'
        await pilot.press("h")
        assert lines(app)[0] == "{ … 150,000 lines }"
        assert view.find("field25000")
        await pilot.pause()
        assert any("field25000" in line for line in lines(app))


async def test_a_click_on_the_line_of_the_cursor_folds() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json(VALUE)
        await pilot.click(view, offset=(4, 2))
        assert lines(app)[2] == '  "assay": {'
        await pilot.click(view, offset=(4, 2), times=1)
        assert lines(app)[2] == '  "assay": { … 4 lines },'


async def test_text_that_is_not_json_folds_nothing_however_it_looks() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_text("<script>\nfunction f() {\n  return [\n</script>")
        view.focus()
        await pilot.press("j", "enter", "right", "left", "j", "enter", "left")
        await until(pilot, lambda: lines(app)[:4] == ["<script>", "function f() {", "  return [", "</script>"])
        assert (view.line, view.cursor_node) == (2, None)


async def test_the_cursor_knows_the_path_and_the_value_that_it_is_on() -> None:
    view = FoldingJsonView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.show_json(VALUE)
        view.focus()
        await pilot.press("j", "j", "j")
        await until(pilot, lambda: view.cursor_node == ("$.assay.auPpm", number("1.50")))
        # A row behind what is folded has another place in the text than on the screen.
        await pilot.press("k", "enter", "j", "j", "j")
        await until(pilot, lambda: view.cursor_node == ("$.parts[0].a", number(1)))
