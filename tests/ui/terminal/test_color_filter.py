"""What is drawn is drawn in the terminal's colours, keeps what can be clicked, and can be dimmed under a dialog."""

import pytest
from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen

from svc_tui.ui.terminal.abilities import ColorDepth
from svc_tui.ui.terminal.colors import ColorDepthFilter

BLACK = Color(0, 0, 0)
LIVE = Style(color="#ff5555", bgcolor="#0000aa", bold=True, reverse=True)


def fewer(style: Style | None, depth: ColorDepth) -> Style | None:
    """The style of one segment as a terminal of this depth shows it."""
    (segment,) = ColorDepthFilter(depth).apply([Segment(" LIVE ", style)], BLACK)
    assert segment.text == " LIVE "
    return segment.style


def kind(color: RichColor | None) -> ColorType | None:
    """How a colour is written to the terminal."""
    return color and color.type


@pytest.mark.parametrize(
    ("depth", "written"),
    [
        (ColorDepth.FEW, ColorType.STANDARD),
        (ColorDepth.MANY, ColorType.EIGHT_BIT),
        (ColorDepth.NONE, ColorType.DEFAULT),
    ],
)
def test_every_colour_is_one_of_the_terminals(depth: ColorDepth, written: ColorType) -> None:
    style = fewer(Style(color="#7db2f0", bgcolor="#14171d", italic=True), depth)
    assert style is not None
    assert (kind(style.color), kind(style.bgcolor)) == (written, written)
    assert style.italic


def test_inverse_is_turned_into_colours_where_there_are_some() -> None:
    style = fewer(LIVE, ColorDepth.FEW)
    assert style is not None
    assert not style.reverse
    assert style.color is not None
    assert style.bgcolor is not None
    assert (style.color.number, style.bgcolor.number) == (15, 1)


def test_without_colours_a_strong_ground_is_inverse_a_soft_one_underlined_and_muted_words_are_dim() -> None:
    strong = fewer(Style(color="#000000", bgcolor="#ffffff"), ColorDepth.NONE)
    soft = fewer(Style(color="#ffffff", bgcolor="#404040"), ColorDepth.NONE)
    muted = fewer(Style(color="#808080", bgcolor="#000000"), ColorDepth.NONE)
    seen = [style and (bool(style.reverse), bool(style.underline), bool(style.dim)) for style in (strong, soft, muted)]
    assert seen == [(True, False, False), (False, True, False), (False, False, True)]


@pytest.mark.parametrize("depth", [ColorDepth.NONE, ColorDepth.FEW, ColorDepth.MANY])
def test_what_can_be_clicked_stays_so(depth: ColorDepth) -> None:
    style = fewer(Style(color="#7db2f0", bgcolor="#14171d") + Style.from_meta({"@click": "app.bell"}), depth)
    assert style is not None
    assert style.meta == {"@click": "app.bell"}


def test_what_has_no_style_is_left_alone() -> None:
    assert fewer(None, ColorDepth.FEW) is None


@pytest.mark.parametrize(("depth", "ground"), [(ColorDepth.FEW, (1,)), (ColorDepth.MANY, (52, 88))])
def test_live_is_still_red_where_a_dialog_dims_it(depth: ColorDepth, ground: tuple[int, ...]) -> None:
    once = ColorDepthFilter(depth).apply([Segment(" LIVE ", LIVE)], BLACK)
    dimmed = list(BackgroundScreen.process_segments(once, BLACK.with_alpha(0.6)))
    (twice,) = ColorDepthFilter(depth).apply(dimmed, BLACK)
    assert twice.style is not None
    assert twice.style.bgcolor is not None
    assert twice.style.color is not None
    assert twice.style.bgcolor.number in ground
    assert twice.style.color.number != twice.style.bgcolor.number


def test_live_is_still_inverse_where_a_dialog_dims_it() -> None:
    once = ColorDepthFilter(ColorDepth.NONE).apply(
        [Segment(" LIVE ", Style(color="#404040", bgcolor="#ffffff"))], BLACK
    )
    dimmed = list(BackgroundScreen.process_segments(once, BLACK.with_alpha(0.6)))
    (twice,) = ColorDepthFilter(ColorDepth.NONE).apply(dimmed, BLACK)
    assert twice.style is not None
    assert twice.style.reverse
