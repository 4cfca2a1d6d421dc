"""A key may be pressed for lines that are there and were never drawn."""

from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions
from textual.widgets.option_list import Option

from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from tests.ui.stage import Stage, until


class CountedLine(Content):
    """A line, and how often one of them was drawn."""

    times_drawn = 0

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        CountedLine.times_drawn += 1
        return super().render_strips(width, height, style, options)


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


async def test_each_line_is_drawn_once_as_the_list_opens_and_once_in_another_width() -> None:
    lines = ChangingList(*(Option(CountedLine(f"line {number:05}")) for number in range(50)))
    # Lines look otherwise while the list has the focus.
    lines.can_focus = False
    lines.styles.scrollbar_gutter = "stable"
    app = Stage(lambda: [lines])
    async with app.run_test(size=(30, 20)) as pilot:
        await until(pilot, lambda: lines.show_vertical_scrollbar)
        await pilot.pause(0.1)
        in_view = lines.scrollable_content_region.height
        assert CountedLine.times_drawn == in_view
        await pilot.resize_terminal(40, 20)
        await pilot.pause(0.1)
        assert CountedLine.times_drawn == 2 * in_view
