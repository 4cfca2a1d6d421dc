"""The welcome's pages, in two sizes and two themes, cell by cell."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input, OptionList

from tests.looks.screen_cells import CellsExtension, screen_cells
from tests.newcomer import Newcomer, newcomer

LOOKS = [("svc-dark", (120, 40)), ("svc-light", (80, 24))]


async def _doors(user: Newcomer) -> None:
    await user.sees("Set up an API key")


async def _typed(user: Newcomer) -> None:
    await user.fills_in("svc_live_0123456789abcdef", "svcsec_0123456789abcdef", "http://api.example.com")
    await user.sees("plain http to api.example.com")


async def _unreached(user: Newcomer) -> None:
    await user.fills_in("svc_test_0123456789abcdef", "", "http://127.0.0.1:1")
    await user.sees("Could not check the key")


async def _places(user: Newcomer) -> None:
    await _unreached(user)
    await user.press("k")
    await user.until(lambda: [one for one in user.app.screen.query(OptionList) if one.highlighted is not None])
    await user.press("down", "down")
    await user.sees("SVC_SANDBOX_KEY")


PAGES: dict[str, Callable[[Newcomer], Awaitable[None]]] = {
    "doors": _doors,
    "typed": _typed,
    "unreached": _unreached,
    "places": _places,
}


@pytest.mark.parametrize(("theme", "size"), LOOKS, ids=lambda value: value if isinstance(value, str) else f"{value[0]}")
@pytest.mark.parametrize("name", PAGES)
async def test_pages(
    name: str,
    theme: str,
    size: tuple[int, int],
    snapshot: SnapshotAssertion,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with newcomer(tmp_path, size=size, theme=theme) as user:
        await PAGES[name](user)
        for field in user.app.screen.query(Input):
            field.cursor_blink = False
        before = ""
        while before != (before := screen_cells(user.app)):
            await user.pilot.pause(0.05)
        assert before == snapshot(extension_class=CellsExtension)
