"""The parts of Textual that the painting knows from the inside are as it knows them."""

import gc
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate, ReflowResult
from textual.app import App
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip

from svc_tui.ui.dialogs.confirm import ConfirmScreen
from tests.ui.stage import Stage, picture, until

_KNOWN: Mapping[Callable[..., Any], str] = {
    Compositor.render_partial_update: "(self) -> 'ChopsUpdate | None'",
    Compositor.render_strips: "(self, size: 'Size | None' = None) -> 'list[Strip]'",
    Compositor._render_chops: (
        "(self, crop: 'Region', is_rendered_line: 'Callable[[int], bool]') -> 'Sequence[Mapping[int, Strip]]'"
    ),
    Compositor._regions_to_spans: "(regions: 'Iterable[Region]') -> 'Iterable[tuple[int, int, int]]'",
    Compositor.reflow: "(self, parent: 'Widget', size: 'Size') -> 'ReflowResult'",
    Compositor.reflow_visible: "(self, parent: 'Widget', size: 'Size') -> 'set[Widget]'",
    Compositor.update_widgets: "(self, widgets: 'set[Widget]') -> 'None'",
    ChopsUpdate.__init__: (
        "(self, chops: 'Sequence[Mapping[int, Strip | None]]', spans: 'list[tuple[int, int, int]]', "
        "chop_ends: 'list[list[int]]') -> 'None'"
    ),
    LayoutUpdate.__init__: "(self, strips: 'list[Iterable[Strip]]', region: 'Region') -> 'None'",
    App._prune: "(self, *nodes: 'Widget', parent: 'DOMNode | None' = None) -> 'AwaitRemove'",
    App._display: "(self, screen: 'Screen', renderable: 'RenderableType | None') -> 'None'",
    Screen._compositor_refresh: "(self) -> 'None'",
    Screen._screen_resized: "(self, size: 'Size') -> 'None'",
}


def test_textual_is_inside_as_the_painting_knows_it() -> None:
    """Where this fails, read `svc_tui/ui/terminal/painting.py` beside the new Textual, then let it say so."""
    assert {part: str(inspect.signature(part)) for part in _KNOWN} == _KNOWN
    assert isinstance(Compositor()._dirty_regions, set)
    assert isinstance(Screen()._compositor, Compositor)
    assert ReflowResult._fields == ("hidden", "shown", "resized")
    assert isinstance(inspect.getattr_static(App, "_background_screens"), property)


async def test_a_dialog_that_was_closed_leaves_no_lines_behind() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:

        def lines() -> int:
            gc.collect()
            return sum(isinstance(held, Strip) for held in gc.get_objects())

        async def open_and_close() -> None:
            question = ConfirmScreen(Content("Question"), Content("\n".join(map(str, range(30)))), "Do it")
            app.push_screen(question)
            await until(pilot, lambda: "Question" in "\n".join(picture(app)))
            question.dismiss(None)
            await until(pilot, lambda: app.screen is not question)
            await pilot.pause()

        await open_and_close()
        first = lines()
        for _ in range(5):
            await open_and_close()
        # A dialog that is still on its way out has its lines; those of one that is gone would be held for good.
        await until(pilot, lambda: lines() <= first + 24)


def test_behind_a_dialog_textual_still_draws_in_its_own_way_what_the_painting_does_in_another() -> None:
    """The branch of `Screen._compositor_refresh` for a screen in the background is stood in for."""
    source = inspect.getsource(Screen._compositor_refresh)
    assert "self in self.app._background_screens and self._compositor._dirty_regions" in source
    assert "app.screen.refresh(*self._compositor._dirty_regions)" in source
