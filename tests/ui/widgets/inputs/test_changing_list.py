"""A key may be pressed for lines that are there and were never drawn."""

import pytest
from textual.widgets.option_list import Option

from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from tests.ui.stage import Stage


@pytest.mark.parametrize(("page", "expected"), [("page_down", 9), ("page_up", 0)])
async def test_a_page_key_finds_lines_that_have_just_been_changed(page: str, expected: int) -> None:
    app = Stage(lambda: [ChangingList(*(Option(f"before {number}") for number in range(5)))])
    async with app.run_test(size=(30, 20)) as pilot:
        options = app.query_one(ChangingList)
        options.focus()
        await pilot.pause()
        options.clear_options()
        options.add_options([Option(f"after {number}") for number in range(10)])
        options.highlighted = 4
        await options.run_action(page)
        assert options.highlighted == expected


async def test_a_page_key_does_nothing_in_a_list_that_has_no_room() -> None:
    app = Stage(lambda: [ChangingList(*(Option(f"line {number}") for number in range(5)))])
    async with app.run_test(size=(30, 20)) as pilot:
        options = app.query_one(ChangingList)
        options.highlighted = 2
        options.display = False
        await pilot.pause()
        options.clear_options()
        options.add_options([Option("one"), Option("two"), Option("three")])
        options.highlighted = 1
        await options.run_action("page_down")
        assert options.highlighted == 1
