"""What is painted bit by bit, and written as far as it changed, shows what painting all of the screen at once would."""

import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyte
import pytest
from rich.segment import Segment
from rich.style import Style
from textual._compositor import Compositor, LayoutUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.events import Resize
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen
from textual.widget import Widget

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.terminal.painting import CullingCompositor, PaintsDirtyCells, has_words, veil_style
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.browser import User, browser
from tests.budget import share_of
from tests.flows.steps import RECORD

SIZES = ((120, 40), (80, 24), (100, 60), (60, 16), (200, 30))

KEYS = (
    *("down", "up", "right", "left", "pagedown", "pageup", "g", "G", "enter", "escape", "tab", "space", "v"),
    *("1", "2", "3", "4", "colon", "question_mark", "slash", "o", "i", "s", "p", "z", "b", "y", "n"),
    *("left_curly_bracket", "right_curly_bracket", "left_square_bracket", "right_square_bracket"),
    *("ctrl+p", "ctrl+o", "ctrl+t", "f8", "f2", "less_than_sign", "greater_than_sign"),
)
"""Keys that open, move, fold, filter and hide; none of them writes."""

Cells = list[list[pyte.screens.Char]]


class Terminal:
    """A terminal that is written to by the app under test, which is told that it has one."""

    def __init__(self, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
        self._screen = pyte.Screen(*user.app.size)
        self._stream = pyte.Stream(self._screen)
        assert user.app._driver is not None
        monkeypatch.setattr(App, "is_headless", False)
        monkeypatch.setattr(user.app._driver, "write", self._stream.feed)

    def scribble(self, text: str) -> None:
        """Another program writes over what is shown."""
        self._stream.feed(text)

    def resize(self, columns: int, rows: int) -> None:
        """Take another size, with what is shown cut off there or kept."""
        self._screen.resize(rows, columns)

    @property
    def cells(self) -> Cells:
        """What is shown, row by row."""
        return _cells(self._screen)


def _cells(screen: pyte.Screen) -> Cells:
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


def _veiled(least: float, segments: Iterable[Segment], veil: Color) -> Iterable[Segment]:
    """What shows through a dialog's background, which Textual alone would have fade words until none can be read."""
    for text, style, control in segments:
        bare = Style() if style is None else style.clear_meta_and_links()
        yield Segment(text, veil_style(bare, veil, least if has_words(text) else 1.0), control)


def whole(app: App[Any]) -> Cells:
    """What Textual alone would show: every widget rendered anew, put together by its own compositor."""
    with pytest.MonkeyPatch.context() as plain:
        for name in ("_render_chops", "render_strips"):
            plain.delattr(CullingCompositor, name)
        plain.delattr(PaintsDirtyCells, "render_lines")
        plain.setattr(
            BackgroundScreen, "process_segments", partial(_veiled, float(app.theme_variables["least-contrast"]))
        )
        for screen in app.screen_stack:
            for widget in screen.walk_children(Widget, with_self=True):
                widget._styles_cache.clear()
                # What it has rendered counts no more, and nothing of it is told to be painted.
                widget._dirty_regions.add(widget.size.region)
                if isinstance(widget, RecordTable):
                    widget._painter.forget_styles()
        compositor: Compositor = app.screen._compositor
        visible_screen_stack.set(app._background_screens)
        region = compositor.size.region
        chops = compositor._render_chops(region, lambda y: True)
        update = LayoutUpdate([row.values() for row in chops], region)
        shown = pyte.Screen(*compositor.size)
        pyte.Stream(shown).feed(update.render_segments(app.console))
    return _cells(shown)


def differences(painted: Cells, wanted: Cells) -> str:
    """The rows in which they differ, each with its first cell that does; "" where there is none."""
    lines = []
    for y, (ours, theirs) in enumerate(zip(painted, wanted, strict=True)):
        if ours != theirs:
            x = next(x for x, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
            texts = ("".join(cell.data for cell in row) for row in (ours, theirs))
            lines.append("\n".join((f"row {y}, column {x}: {ours[x]} for {theirs[x]}", *texts)))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(share_of(3)))
async def test_any_way_through_the_program_shows_what_painting_all_of_it_would(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chosen = random.Random(seed)
    async with browser(
        service, tmp_path, place=f"lots/{RECORD}", theme=chosen.choice(["svc-dark", "svc-light"])
    ) as user:
        await user.settled()
        terminal = Terminal(user, monkeypatch)
        user.app.refresh(layout=True)
        for _ in range(30):
            if chosen.random() < 0.1:
                size = chosen.choice(SIZES)
                terminal.resize(*size)
                await user.pilot.resize_terminal(*size)
                done = f"{size[0]}x{size[1]}"
            else:
                done = chosen.choice(KEYS)
                await user.press(done)
            await user.settled()
            wrong = differences(terminal.cells, whole(user.app))
            if wrong:
                # A clock may have gone on in between; what was painted wrongly stays so.
                await user.settled()
                wrong = differences(terminal.cells, whole(user.app))
            assert not wrong, f"after {done}:\n{wrong}"


async def test_what_another_program_wrote_over_the_screen_is_gone_after_a_refresh(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.settled()
        terminal = Terminal(user, monkeypatch)
        user.app.refresh(layout=True)
        await user.settled()
        assert not differences(terminal.cells, whole(user.app))
        terminal.scribble("\x1b[10;10HBroadcast message from root")
        await user.press("down")
        await user.settled()
        assert "Broadcast" in differences(terminal.cells, whole(user.app))
        await user.press("r")
        await user.settled()
        assert not differences(terminal.cells, whole(user.app))


async def test_a_window_that_was_smaller_for_a_moment_is_drawn_again_where_it_changes(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.settled()
        terminal = Terminal(user, monkeypatch)
        user.app.refresh(layout=True)
        await user.settled()
        size = user.app.size
        # Its rows are gone, and the program hears only of the size that it has at last.
        terminal.resize(*SIZES[1])
        terminal.resize(*size)
        user.app.post_message(Resize(size, size))
        user.app.screen.refresh()
        await user.settled()
        assert not differences(terminal.cells, whole(user.app))


class Work:
    """What was done for the screen since it was last asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._styled = self._paints = 0
        apply, display = Stylesheet.apply, App._display

        def apply_counted(sheet: Stylesheet, node: DOMNode, **how: Any) -> None:
            self._styled += 1
            apply(sheet, node, **how)

        def display_counted(app: App[Any], screen: Screen[Any], update: Any) -> None:
            self._paints += update is not None
            display(app, screen, update)

        monkeypatch.setattr(Stylesheet, "apply", apply_counted)
        monkeypatch.setattr(App, "_display", display_counted)

    def done(self) -> tuple[int, int]:
        """How many widgets were styled, and how often something was painted."""
        done = self._styled, self._paints
        self._styled = self._paints = 0
        return done


async def test_a_key_in_the_table_or_its_filter_styles_nothing_and_paints_once(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees("lot-000001")
        # The page ahead is told of in the status bar when it comes.
        await user.until(lambda: user.app.main.workspace.browse.rows.cached > 50, "the page ahead never came")
        await user.settled()
        # Textual styles nine widgets for itself; before anything was spared it were 209 in all.
        assert work.done()[0] <= 80
        for keys in (("right", "down", "right", "up", "left"), ("slash", "g", "o", "l", "d", "backspace")):
            await user.press(keys[0])
            await user.settled()
            work.done()
            for key in keys[1:]:
                await user.press(key)
                await user.settled()
                # The mark of the filter that holds comes with its first letter.
                assert work.done() == (5 if key == "g" else 0, 1), f"at {key}"


async def test_a_record_is_opened_with_one_pass_of_styles_for_what_it_shows(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees("lot-000001")
        for most in (110, 30):
            await user.settled()
            work.done()
            await user.press("enter")
            await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
            await user.settled()
            # The parts of its pane are made for the first record, and kept for all others.
            assert work.done()[0] <= most
            await user.press("escape")
