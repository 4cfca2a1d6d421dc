"""Every word can be read in every theme: its contrast with what is behind it, of the colours that are painted.

Measured is what the screen is made of at the end of a scene: styles that fade, blend, dim or invert count with what
becomes of them. Only what bears no text is left out: blanks, and the lines and blocks that frames, rules, bars and
scroll bars are drawn of.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.contrast import contrast_ratio
from tests.browser import User
from tests.looks.playing import played
from tests.looks.scenes import SCENES, Scene
from tests.looks.screen_cells import screen_rows

LEAST = dict.fromkeys((palette.name for palette in read_palettes()), 4.5) | {
    "svc-contrast": 7.0,
    "svc-light-contrast": 7.0,
}
"""The least contrast in each theme."""

_WORDLESS = re.compile(r"[\s\u2500-\u259f]*")
"""Blanks, box drawing and block elements."""
_DIM_SHARE = 0.5
"""How much of a dim colour is left: terminals differ, and this is what many do."""


async def _notices(user: User) -> None:
    """A notice of each kind, over a table in which the mouse is on a key."""
    await user.sees(r"lot-000001")
    for severity in ("information", "warning", "error"):
        user.app.notify("It was done as asked", title=f"Told as {severity}", severity=severity)
    await user.sees(r"Told as error")
    await user.pilot.hover("KeyBar", offset=(2, 0))


async def _palette(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("ctrl+p")
    await user.sees(r"│ +Here +│")


async def _guide(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("question_mark")
    await user.sees(r"f1 Guide")
    await user.press("f1")
    await user.sees(r"Guide")
    await user.settled()


async def _text_selected(user: User) -> None:
    """All of a line to type in is selected, and the text of a record's JSON."""
    await SCENES["json"].play(user)
    await user.press("colon")
    await user.sees(r"╭─ Go to ")
    await user.types("lots/lot-000003")
    await user.press("shift+home")


PLAYED: dict[str, Scene] = {
    **{
        name: SCENES[name]
        for name in (
            *("record", "edit-null", "ticket", "locked", "answer", "help", "finder", "journal-search"),
            *("throttled", "error", "marks", "conflict", "filter"),
        )
    },
    "notices": Scene(_notices),
    "palette": Scene(_palette),
    "guide": Scene(_guide),
    "selected": Scene(_text_selected, place="lots/lot-000002"),
}


AFRESH = {"palette": ("escape", "ctrl+p")}
"""Keys that have lines made anew which keep the colours they were made in: nobody changes the theme beside them."""


def words(rows: Iterable[Iterable[Segment]]) -> Iterator[tuple[str, str, str]]:
    """The text of every segment that has any, its colour, and the one behind it."""
    for segment in (segment for row in rows for segment in row if not segment.control):
        style = segment.style
        if _WORDLESS.fullmatch(segment.text):
            continue
        assert style is not None, segment
        assert style.color is not None, segment
        assert style.bgcolor is not None, segment
        ink, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
        if style.reverse:
            ink, ground = ground, ink
        if style.dim:
            ink = type(ink)(*(round(b + (a - b) * _DIM_SHARE) for a, b in zip(ink, ground, strict=True)))
        yield segment.text.strip(), ink.hex, ground.hex


def test_what_is_dim_is_measured_as_it_looks_and_inverse_the_other_way_round() -> None:
    plain, black, white = Style.parse("#808080 on #000000"), "#000000", "#ffffff"
    row = [
        Segment("word", plain),
        Segment("dim", plain + Style(dim=True)),
        Segment("inverse dim", Style.parse("dim reverse #000000 on #ffffff")),
        Segment("  ─│▁▅█╭ ", plain),
        Segment("●", Style.parse("#ffffff on #000000")),
    ]
    assert list(words([row])) == [
        ("word", "#808080", black),
        ("dim", "#404040", black),
        ("inverse dim", "#808080", black),
        ("●", white, black),
    ]


@pytest.mark.parametrize("name", PLAYED)
async def test_every_word_can_be_read_in_every_theme(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    hard: dict[tuple[str, str, str, float], str] = {}
    grounds: set[str] = set()
    async with played(PLAYED[name], "svc-dark", (120, 40), tmp_path) as user:
        for theme, least in LEAST.items():
            user.app.theme = theme
            await user.pilot.pause()
            if name in AFRESH:
                await user.press(*AFRESH[name])
                await user.settled()
            for text, ink, ground in words(screen_rows(user.app)):
                grounds.add(ground)
                ratio = contrast_ratio(ink, ground)
                if ratio < least:
                    hard.setdefault((theme, ink, ground, round(ratio, 2)), text)
    assert hard == {}
    # Each theme was on: all have a background of their own.
    assert {palette.background for palette in read_palettes()} <= grounds
