"""A key may be pressed for lines that are there and were never drawn."""

from textual.widgets.option_list import Option

from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from tests.ui.stage import Stage


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
