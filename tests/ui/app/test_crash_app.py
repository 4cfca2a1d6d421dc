"""The screen after a fault tells what is to be told, starts again, writes a report, or leaves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.settings import Preferences
from svc_tui.ui.app.crash import Crash
from svc_tui.ui.app.crash_app import CrashApp, CrashedApp
from tests.ui.stage import picture, until

FAULT = Crash("ZeroDivisionError", "rows.py:7")
LOG = Path("/home/me/.local/state/svc-tui/svc-tui.log")


@asynccontextmanager
async def faulted(
    reports: Sequence[str] = (), *, reassurance: str = "Drafts are kept.", log_file: Path | None = LOG
) -> AsyncIterator[tuple[CrashApp, Pilot[bool]]]:
    """The app after a fault; a report, when it is written, says the next of `reports`."""
    said = iter(reports)

    async def write() -> str:
        return next(said)

    app = CrashApp(CrashedApp(FAULT, reassurance, log_file, write), read_palettes(), Preferences())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.focused, OptionList))
        yield app, pilot


async def test_it_says_what_happened_what_is_safe_and_where_the_log_is() -> None:
    async with faulted() as (app, _):
        text = "\n".join(picture(app))
        assert "svc-tui stopped: internal error" in text
        assert "ZeroDivisionError at rows.py:7" in text
        assert "Drafts are kept." in text
        assert str(LOG) in text


async def test_it_promises_nothing_that_is_not_kept() -> None:
    async with faulted(reassurance="", log_file=None) as (app, _):
        text = "\n".join(picture(app))
        assert "may be lost." in text
        assert "are kept." not in text
        assert "log  " not in text


@pytest.mark.parametrize(
    ("keys", "again"),
    [(["enter"], True), (["q"], False), (["j", "j", "enter"], False), (["j", "k", "enter"], True)],
)
async def test_enter_starts_again_and_q_leaves(keys: list[str], again: bool) -> None:
    async with faulted() as (app, pilot):
        await pilot.press(*keys)
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value is again


async def test_esc_does_nothing() -> None:
    async with faulted(["Written."]) as (app, pilot):
        await pilot.press("escape", "b")
        await until(pilot, lambda: "Written." in "\n".join(picture(app)))
        assert app.return_value is None


async def test_b_writes_a_report_and_says_where_or_why_not_as_often_as_is_wanted() -> None:
    async with faulted(["The report can't be saved: [/x] the disk is full", "Saved the report to a.md"]) as (
        app,
        pilot,
    ):
        await pilot.press("b")
        await until(pilot, lambda: "The report can't be saved: [/x] the disk is full" in "\n".join(picture(app)))
        await pilot.press("j", "enter")
        await until(pilot, lambda: "Saved the report to a.md" in "\n".join(picture(app)))
        assert app.return_value is None
