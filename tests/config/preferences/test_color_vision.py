"""Whoever does not see all colours tells states apart: by a mark or a word, or by colours that differ for them too.

How far colours are apart is measured as each eye sees them, by CIEDE2000: `APART` is told at a glance, in small
letters; `GROUNDS_APART` in areas that touch.
"""

from itertools import combinations

import pytest

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.credentials import Environment
from svc_tui.core.kinds import Kind, display_text
from svc_tui.core.settings import Palette
from svc_tui.ui import report
from svc_tui.ui.record import comparison
from svc_tui.ui.terminal.colors import cursor_line_ground
from svc_tui.ui.widgets.bars.status_bar import LockState, lock_chip, status_chips
from svc_tui.ui.widgets.record.journal_lines import result_text
from svc_tui.ui.widgets.table.cell_painter import MARKED_SIGN, UNSENT_SIGN
from tests.config.preferences.color_vision import VISIONS, color_difference, seen_color

PALETTES = read_palettes()
APART, GROUNDS_APART = 8.0, 4.0
EVERY_VISION = ("typical", *VISIONS)

Told = tuple[str, str]
"""What stands for a state: its mark and words, and the role that it is written in."""


def _role(style: str) -> str:
    """The role that a style names."""
    return style.rpartition("$role-")[2]


def _seen(*values: object, kind: Kind = Kind.CHOICE) -> list[Told]:
    """How a table or a record shows these values."""
    return [((shown := display_text(value, kind)).text, shown.role) for value in values]  # type: ignore[arg-type]


def _status(environment: Environment) -> Told:
    chip = status_chips(environment, "", "", True, LockState(), None, 0.0)[0]
    return chip.text, _role(chip.style)


STATES: dict[str, list[Told]] = {
    "statuses": _seen("open", "in_transit", "closed", "rejected"),
    "flags": _seen(True, False, kind=Kind.FLAG),
    "where it goes": [_status(environment) for environment in Environment],
    "whether writes may leave": [
        (chip.text, _role(chip.style))
        for lock in (LockState(), LockState(locked=True), LockState(read_only=True), LockState(writable_until=60.0))
        for chip in (lock_chip(lock, 0.0),)
    ],
    "rows": [("", "text"), (MARKED_SIGN, "marked"), (UNSENT_SIGN, "changed"), ("*", "changed")],
    "reports": [(mark, _role(style)) for mark, style in report.MARKS.values()],
    "differences": [(mark, _role(style)) for mark, style in comparison.MARKS.values()],
    "writes": [
        (text, _role(style)) for text, style in map(result_text, ("done", "refused", "unknown", "not sent", "running"))
    ],
}
"""What the program tells apart, by the words of its own code."""

INKS = (("accent", "muted"), ("live", "sandbox"), ("live", "muted"), ("live", "accent"), ("marked", "foreground"))
"""Roles that are told apart by colour alone where there are frames, keys that work, and words that were found."""


def difference(one: str, other: str) -> float:
    """How far two colours are apart for the eyes that see least of it."""
    return min(color_difference(seen_color(one, vision), seen_color(other, vision)) for vision in EVERY_VISION)


def like(palette: Palette, states: list[Told]) -> list[tuple[Told, Told]]:
    """The pairs of states that nobody would tell apart in this theme: neither by a mark nor by colour."""
    roles = palette.roles()
    return [
        (one, other)
        for one, other in combinations(states, 2)
        if one[0].split()[:1] == other[0].split()[:1] and difference(roles[one[1]], roles[other[1]]) < APART
    ]


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_state_has_a_mark_of_its_own_or_a_colour_that_all_eyes_tell(palette: Palette) -> None:
    assert {what: alike for what, states in STATES.items() if (alike := like(palette, states))} == {}


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_what_colour_alone_tells_is_told_by_all_eyes(palette: Palette) -> None:
    roles = palette.roles()
    inks = {pair: difference(roles[pair[0]], roles[pair[1]]) for pair in INKS}
    assert {pair: apart for pair, apart in inks.items() if apart < APART} == {}
    grounds = {"panel": palette.panel, "cursor": cursor_line_ground(palette)}
    apart = {what: difference(ground, palette.background) for what, ground in grounds.items()}
    assert {what: near for what, near in apart.items() if near < GROUNDS_APART} == {}


def test_states_of_one_mark_in_colours_that_some_eyes_take_for_one_are_found() -> None:
    dark = next(palette for palette in PALETTES if palette.name == "svc-dark")
    assert like(dark, [("● done", "ok"), ("● failed", "danger")]) == [(("● done", "ok"), ("● failed", "danger"))]
    assert like(dark, [("● done", "ok"), ("✕ failed", "danger")]) == []
    assert like(dark, [("● done", "live"), ("● failed", "sandbox")]) == []


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_the_difference_of_colours_agrees_with_the_examples_of_its_standard(
    one: tuple[float, float, float], other: tuple[float, float, float], apart: float
) -> None:
    """From G. Sharma, W. Wu and E. N. Dalal, "The CIEDE2000 Color-Difference Formula", 2005."""
    assert color_difference(one, other) == color_difference(other, one) == pytest.approx(apart, abs=0.0001)


@pytest.mark.parametrize("vision", EVERY_VISION)
def test_greys_look_the_same_to_all_eyes(vision: str) -> None:
    for grey in ("#000000", "#808080", "#ffffff"):
        assert color_difference(seen_color(grey, vision), seen_color(grey, "typical")) < 0.5
