"""Tabs on one line."""

from textual.widgets import Input

from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar
from tests.ui.stage import Stage, until


async def test_down_leads_from_the_tabs_into_what_they_show() -> None:
    app = Stage(lambda: [TabBar([Tab("one"), Tab("two")]), Input()])
    async with app.run_test() as pilot:
        tabs = app.query_one(TabBar)
        tabs.focus()
        await pilot.press("right")
        assert (tabs.chosen, tabs.has_focus) == (1, True)
        await pilot.press("down")
        await until(pilot, lambda: app.query_one(Input).has_focus)
        assert tabs.chosen == 1
