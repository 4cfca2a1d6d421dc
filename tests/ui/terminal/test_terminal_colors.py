"""What a terminal with fewer colours shows: words can be read, and the cursor, LIVE and states are told apart."""

from itertools import combinations, product

import pytest

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.contrast import contrast_ratio
from svc_tui.core.settings import Palette
from svc_tui.ui.terminal.abilities import ColorDepth, detect_color_depth
from svc_tui.ui.terminal.colors import (
    XTERM_COLORS,
    Emphasis,
    adapt_palette,
    choose_emphasis,
    cursor_line_ground,
    nearest_colors,
    unreadable_in_bold,
)

PALETTES = read_palettes()
GROUNDS = ("background", "surface", "panel")
INDEXED = (ColorDepth.FEW, ColorDepth.MANY)
NONE, FEW, MANY, FULL = ColorDepth.NONE, ColorDepth.FEW, ColorDepth.MANY, ColorDepth.FULL


def every_theme(*depths: ColorDepth) -> pytest.MarkDecorator:
    """Run the test for every theme at each of these depths."""
    cases = [
        pytest.param(palette, depth, id=f"{palette.name}, {depth.value}") for palette in PALETTES for depth in depths
    ]
    return pytest.mark.parametrize(("palette", "depth"), cases)


def ground(palette: Palette, role: str, depth: ColorDepth) -> int:
    """The number of the colour that a role has as a ground."""
    roles = adapt_palette(palette, depth).roles()
    return nearest_colors(roles["foreground"], roles[role], depth)[1]


def blended(one: str, other: str, share: float) -> str:
    """A colour with some share of `one` over `other`, as a style sheet blends them."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{int(low + (high - low) * share):02x}" for high, low in pairs)


@every_theme(*INDEXED)
def test_every_role_can_be_read_on_every_ground(palette: Palette, depth: ColorDepth) -> None:
    roles = adapt_palette(palette, depth).roles()
    ratios = {}
    for role, behind in product(roles.keys() - set(GROUNDS), GROUNDS):
        before, at = nearest_colors(roles[role], roles[behind], depth)
        ratios[role, behind] = round(contrast_ratio(XTERM_COLORS[before], XTERM_COLORS[at]), 2)
    least = 2.65 if depth is FEW else 3.3
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < least} == {}


@every_theme(*INDEXED)
def test_the_cursor_a_chosen_row_and_live_stand_out_from_what_is_around_them(
    palette: Palette, depth: ColorDepth
) -> None:
    roles = adapt_palette(palette, depth).roles()
    grounds = {role: ground(palette, role, depth) for role in ("background", "panel", "accent", "live")}
    assert len(set(grounds.values())) == 4
    soft = nearest_colors(roles["foreground"], cursor_line_ground(palette, depth), depth)
    assert soft[1] not in (grounds["background"], grounds["accent"])
    assert contrast_ratio(XTERM_COLORS[soft[0]], XTERM_COLORS[soft[1]]) > 4.5


@every_theme(*INDEXED)
def test_what_stands_on_the_cursor_and_on_live_can_be_read(palette: Palette, depth: ColorDepth) -> None:
    roles = adapt_palette(palette, depth).roles()
    pairs = (("background", "accent"), ("background", "live"), ("panel", "live"), ("background", "marked"))
    for ink, behind in pairs:
        before, at = nearest_colors(roles[ink], roles[behind], depth)
        assert contrast_ratio(XTERM_COLORS[before], XTERM_COLORS[at]) > 3.2, (ink, behind)


@every_theme(*INDEXED)
def test_live_stays_a_red_under_a_dialog_and_in_a_frame_without_the_focus(palette: Palette, depth: ColorDepth) -> None:
    roles = adapt_palette(palette, depth).roles()
    for share in (0.4, 0.45):
        dimmed = blended(roles["live"], roles["background"], share)
        number = nearest_colors(dimmed, roles["background"], depth)[0]
        red, green, blue = (int(XTERM_COLORS[number][at : at + 2], 16) for at in (1, 3, 5))
        assert red > max(green, blue), XTERM_COLORS[number]


@every_theme(*INDEXED)
def test_states_are_told_apart(palette: Palette, depth: ColorDepth) -> None:
    roles = adapt_palette(palette, depth).roles()
    numbers = {role: nearest_colors(roles[role], roles["background"], depth)[0] for role in ("ok", "warning", "danger")}
    assert all(one != other for one, other in combinations(numbers.values(), 2)), numbers


def test_16_colours_take_no_bright_ground_but_white() -> None:
    for palette, role in product(PALETTES, (*GROUNDS, "accent", "live", "marked")):
        assert ground(palette, role, FEW) in (*range(8), 15)


def test_bold_black_on_a_colour_is_not_bold_at_16_colours() -> None:
    assert unreadable_in_bold(0, 6)
    assert not unreadable_in_bold(0, 15)
    assert not unreadable_in_bold(15, 1)


def test_what_is_hidden_in_its_ground_stays_hidden() -> None:
    before, behind = nearest_colors("#252b36", "#252b36", MANY)
    assert before == behind


def test_what_would_vanish_in_its_ground_is_drawn_in_black_or_white() -> None:
    assert nearest_colors("#aa5500", "#aaaaaa", FEW) == (0, 7)
    # The middle of LIVE's chip under a dialog.
    assert nearest_colors("#666666", "#662222", FEW) == (15, 1)


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_without_colours_the_cursor_and_live_are_inverse_and_a_chosen_row_is_underlined(palette: Palette) -> None:
    roles = adapt_palette(palette, NONE).roles()
    assert choose_emphasis(roles["background"], roles["accent"]) == (Emphasis.INVERSE, False)
    assert choose_emphasis(roles["panel"], roles["live"]) == (Emphasis.INVERSE, False)
    assert choose_emphasis(roles["panel"], blended(roles["live"], roles["background"], 0.4))[0] is Emphasis.INVERSE
    assert choose_emphasis(roles["foreground"], roles["panel"]) == (Emphasis.UNDERLINED, False)
    soft = blended(roles["accent"], roles["background"], 0.25)
    assert choose_emphasis(roles["foreground"], soft) == (Emphasis.UNDERLINED, False)
    assert choose_emphasis(roles["foreground"], roles["background"]) == (Emphasis.NONE, False)
    assert choose_emphasis(roles["muted"], roles["background"]) == (Emphasis.NONE, True)


def test_a_theme_in_every_colour_is_as_it_is_and_keeps_its_name_in_fewer() -> None:
    for palette in PALETTES:
        assert adapt_palette(palette, FULL) == adapt_palette(palette, MANY) == palette
        assert {adapt_palette(palette, depth).name for depth in ColorDepth} == {palette.name}


@pytest.mark.parametrize(
    ("variables", "known", "depth"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 256, FULL),
        ({"TERM": "xterm-256color", "COLORTERM": "24BIT"}, 256, FULL),
        ({"TERM": "xterm-256color"}, 256, MANY),
        ({"TERM": "xterm-direct"}, 1 << 24, FULL),
        ({"TERM": "linux"}, 8, FEW),
        ({"TERM": "xterm-16color"}, 16, FEW),
        ({"TERM": "vt100"}, -1, NONE),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 256, NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 256, MANY),
        # GNU screen inside a terminal of every colour.
        ({"TERM": "screen", "COLORTERM": "truecolor", "STY": "1.tty"}, 8, FEW),
        ({"TERM": "screen.xterm-256color", "COLORTERM": "truecolor", "STY": "1.tty"}, 256, MANY),
        # Where terminfo knows nothing, the name says it.
        ({"TERM": "foot-extra-256color"}, None, MANY),
        ({"TERM": "new-direct"}, None, FULL),
        ({"TERM": "dumb"}, None, NONE),
        ({"TERM": "new"}, None, FEW),
        ({}, None, FEW),
    ],
)
def test_the_environment_says_how_many_colours_there_are(
    variables: dict[str, str], known: int | None, depth: ColorDepth
) -> None:
    assert detect_color_depth(variables, known) is depth
