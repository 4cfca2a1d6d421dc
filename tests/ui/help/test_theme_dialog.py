"""Choosing a theme puts it on at once, and Esc puts the former one back."""

from svc_tui.core.values import replace
from svc_tui.ui.app.theming import theme_of
from svc_tui.ui.help.theme_dialog import ThemeScreen
from tests.ui.stage import DUSK, Stage, picture

DAWN = replace(DUSK, name="dawn", title="Dawn [/x]", dark=False, background="#fafafa", foreground="#222222")


class ThemeStage(Stage):
    """Opens the choice and keeps what it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.gave: list[str | None] = []
        self.register_theme(theme_of(DAWN))

    def on_mount(self) -> None:
        self.push_screen(ThemeScreen([DAWN, DUSK]), self.gave.append)


async def test_moving_previews_and_enter_keeps() -> None:
    app = ThemeStage()
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.theme == "dusk"
        assert any("Dawn [/x]" in line and "light" in line for line in picture(app))
        await pilot.press("k")
        assert app.theme == "dawn"
        await pilot.press("enter")
        assert app.gave == ["dawn"]
        assert app.theme == "dawn"


async def test_escape_restores() -> None:
    app = ThemeStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("up")
        assert app.theme == "dawn"
        await pilot.press("j", "k", "escape")
        assert app.gave == [None]
        assert app.theme == "dusk"
