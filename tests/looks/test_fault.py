"""Pictures of the screen after a fault, in two sizes and two themes."""

from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.widgets import OptionList

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.settings import Preferences
from svc_tui.ui.app.crash import Crash
from svc_tui.ui.app.crash_app import CrashApp, CrashedApp
from tests.ui.stage import picture, until

LOOKS = [("svc-dark", (120, 40)), ("svc-light", (80, 24))]


async def _written() -> str:
    return "Saved the report to /home/me/svc-tui-report-20261120-120000.md. Read it before you share it."


@pytest.mark.parametrize(("theme", "size"), LOOKS, ids=lambda value: value if isinstance(value, str) else f"{value[0]}")
async def test_the_screen_after_a_fault(
    theme: str, size: tuple[int, int], snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    fault, log = Crash("KeyError", "arranging.py:112"), Path("/home/me/.local/state/svc-tui/svc-tui.log")
    told = CrashedApp(fault, "Drafts are kept.", log, _written)
    app = CrashApp(told, read_palettes(), Preferences(theme))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.focused, OptionList))
        await pilot.press("b")
        await until(pilot, lambda: "Saved the report to" in "\n".join(picture(app)))
        before = ""
        while before != (before := app.export_screenshot(title="fault")):
            await pilot.pause(0.05)
        assert before == snapshot(extension_class=SVGImageExtension)
