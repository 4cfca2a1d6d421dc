"""Every pane and state, in two sizes and two themes, compared cell by cell with what was looked at."""

import re
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion

from svc_tui.config.preferences.palettes import read_palettes
from tests.looks.playing import played
from tests.looks.scenes import SCENES
from tests.looks.screen_cells import CellsExtension, screen_cells

LOOKS = [("svc-dark", (120, 40)), ("svc-light", (80, 24))]
PICTURED = [
    *("browse", "record", "edit", "ticket", "conflict", "unknown", "console", "answer", "help", "form", "batch"),
    *("hostile", "mask", "live", "journal-running", "tour"),
]
"""The scenes that are kept as pictures, for people to look at; the others are kept as text."""
SIZES = [(60, 16), (80, 24), (100, 60), (200, 60), (300, 100)]
OTHER_THEMES = [palette.name for palette in read_palettes() if palette.name not in [theme for theme, _size in LOOKS]]

_PORT = re.compile(r"(127\.0\.0\.1:)\d{5}")
_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_STAMP = re.compile(r"(x-svc-timestamp:&#160;|x-svc-signature:&#160;t=)\d{10}")
_SIGNED_AT = re.compile(r">\d{10}<")
_ANSWER = re.compile(r"req-[0-9a-f]{16}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d&#160;\d\d:\d\d:\d\d|\w{3},&#160;\d\d&#160;\w{3}&#160;\d{4}&#160;\d\d:\d\d:\d\d")


def steady(picture: str) -> str:
    """The picture without what is another each time: the service's port, an idempotency key, when it was signed."""
    picture = _SIGNED_AT.sub(">1700000000<", picture)
    picture = _STAMP.sub(r"\g<1>1700000000", _PORT.sub(r"\g<1>40000", picture))
    picture = _ANSWER.sub("req-0000000000000000", _MOMENT.sub("2026-11-20&#160;05:12:07", picture))
    return _KEY.sub("00000000-0000-4000-8000-000000000000", picture)


@pytest.mark.parametrize(("theme", "size"), LOOKS, ids=lambda value: value if isinstance(value, str) else f"{value[0]}")
@pytest.mark.parametrize("name", PICTURED)
async def test_pictures(
    name: str,
    theme: str,
    size: tuple[int, int],
    snapshot: SnapshotAssertion,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert await picture(name, theme, size, tmp_path) == snapshot(extension_class=SVGImageExtension)


@pytest.mark.parametrize(("theme", "size"), LOOKS, ids=lambda value: value if isinstance(value, str) else f"{value[0]}")
@pytest.mark.parametrize("name", [name for name in SCENES if name not in PICTURED])
async def test_cells(
    name: str,
    theme: str,
    size: tuple[int, int],
    snapshot: SnapshotAssertion,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with played(SCENES[name], theme, size, tmp_path) as user:
        assert screen_cells(user.app) == snapshot(extension_class=CellsExtension)


@pytest.mark.parametrize("theme", OTHER_THEMES)
async def test_a_change_on_live_in_every_other_theme(
    theme: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert await picture("ticket", theme, (120, 40), tmp_path) == snapshot(extension_class=SVGImageExtension)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_record_on_screens_from_the_smallest_to_the_largest(
    size: tuple[int, int], snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with played(SCENES["record"], "svc-dark", size, tmp_path) as user:
        assert screen_cells(user.app) == snapshot(extension_class=CellsExtension)


async def picture(name: str, theme: str, size: tuple[int, int], state: Path) -> str:
    """The scene as SVG, without what is another each time."""
    async with played(SCENES[name], theme, size, state) as user:
        return steady(user.app.export_screenshot(title=name))
