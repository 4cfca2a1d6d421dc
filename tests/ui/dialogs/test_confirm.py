"""A question with a safe answer, in terminals large and small; and the frame that all dialogs share."""

import pytest
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Button, Static

from svc_tui.core.requests import SignedRequest
from svc_tui.ui.dialogs.confirm import ConfirmScreen
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.sending.unlock import UnlockScreen
from svc_tui.ui.widgets.bars.border_title import StatefulTitle
from svc_tui.ui.widgets.request.request_preview import request_content
from tests.ui.stage import Stage, picture, until

LONG = Content("\n".join(f"line {number}" for number in range(40)))


class ConfirmStage(Stage):
    """Asks one question and keeps the answers."""

    def __init__(self, body: Content) -> None:
        super().__init__()
        self.gave: list[bool | None] = []
        self.question = ConfirmScreen(Content("Question"), body, "Do it", danger=True)

    def on_mount(self) -> None:
        self.push_screen(self.question, self.gave.append)

    @property
    def shown(self) -> str:
        return "\n".join(picture(self))


async def test_a_dialog_is_drawn_at_once_with_the_state_in_its_title() -> None:
    app, drawn = Stage(), list[str]()

    class Recorded(ConfirmScreen):
        def _compositor_refresh(self) -> None:
            super()._compositor_refresh()
            drawn.append("\n".join(picture(app)))

    async with app.run_test(size=(80, 24)) as pilot:
        title = StatefulTitle(Content("Question"), lambda: Content("SANDBOX"))
        app.push_screen(Recorded(title, Content("Really?"), "Do it"))
        await until(pilot, lambda: any("Really?" in picture for picture in drawn))
        assert "SANDBOX ─╮" in next(picture for picture in drawn if "Really?" in picture)


async def test_a_short_question_is_answered_at_once() -> None:
    app = ConfirmStage(Content("Really?"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Really?" in app.shown)
        await pilot.press("y")
        assert app.gave == [True]


async def test_enter_is_the_safe_answer() -> None:
    app = ConfirmStage(Content("Really?"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Really?" in app.shown)
        await pilot.press("enter")
        await until(pilot, lambda: app.gave == [None])


@pytest.mark.parametrize("size", [(60, 16), (120, 40)])
async def test_a_long_question_is_answered_when_all_of_it_was_seen(size: tuple[int, int]) -> None:
    app = ConfirmStage(LONG)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "↓ more below" in app.shown)
        seen = app.shown
        for _ in range(20):
            for part in ("#dialog", "#no", "#yes"):
                assert Region(0, 0, *size).contains_region(app.question.query_one(part).region)
            assert "y Do it" in app.shown
            await pilot.press("y")
            await pilot.pause()
            if app.gave:
                break
            seen += app.shown
        assert app.gave == [True]
        assert all(f"line {number}" in seen for number in range(40))


class TallDialog(Dialog[None]):
    """A dialog that is higher than most screens."""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(LONG)


async def test_no_dialog_is_larger_than_the_screen_and_a_long_one_scrolls() -> None:
    app = Stage()
    async with app.run_test(size=(60, 16)) as pilot:
        tall = TallDialog()
        await app.push_screen(tall)
        await pilot.pause()
        dialog = tall.query_one("#dialog")
        assert Region(0, 0, 60, 16).contains_region(dialog.region)
        dialog.scroll_end(animate=False, immediate=True)
        await until(pilot, lambda: any("line 39" in line for line in picture(app)))


async def test_the_line_for_the_word_that_unlocks_is_empty() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = UnlockScreen("Unlock sending", "live.example.com", 10)
        await app.push_screen(screen)
        await pilot.pause()
        line = screen.query_one("#word").region
        assert picture(app)[line.y][line.x : line.right].strip() == ""


def test_a_body_too_long_to_be_read_is_cut_with_a_word() -> None:
    request = SignedRequest("POST", "http://127.0.0.1:1/v1/x", "/v1/x", (), b"x" * 50_000)
    assert "… and 30,000 more bytes, 50,000 in total" in request_content(request, headers_shown=False).plain


async def test_a_button_under_the_mouse_or_pressed_moves_nothing() -> None:
    app = ConfirmStage(Content("Really?"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Really?" in app.shown)
        placed = [part.region for part in app.question.walk_children(Widget)]
        yes = app.question.query_one("#yes", Button)
        await pilot.hover(yes)
        assert yes.mouse_hover
        assert [part.region for part in app.question.walk_children(Widget)] == placed
        # What a button looks like from the press of the mouse on, for a moment.
        yes.add_class("-active")
        await pilot.pause()
        assert [part.region for part in app.question.walk_children(Widget)] == placed
