"""The contrast ratio agrees with the standard, and colours are mixed only as far as it stays."""

import pytest

from svc_tui.core.contrast import blend_colors, contrast_ratio, tinted_ground, veil_colors

BLACK, WHITE, GREY = "#000000", "#ffffff", "#808080"


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#ff0000", "#ffffff", 4.0),
        ("#123456", "#123456", 1),
    ],
)
def test_the_formula_agrees_with_the_standard(one: str, other: str, ratio: float) -> None:
    assert contrast_ratio(one, other) == contrast_ratio(other, one) == pytest.approx(ratio, abs=0.005)


def test_a_share_of_one_colour_is_laid_over_another() -> None:
    assert blend_colors("#102030", "#f0e0d0", 0) == "#102030"
    assert blend_colors("#102030", "#f0e0d0", 1) == "#f0e0d0"
    assert blend_colors("#000000", "#ff8000", 0.25) == "#402000"


def test_a_ground_is_tinted_as_far_as_words_stay_readable() -> None:
    assert tinted_ground(BLACK, WHITE, 0.25, [WHITE], 4.5) == "#404040"
    less = tinted_ground(BLACK, WHITE, 0.25, [WHITE, "#909090"], 4.5)
    assert contrast_ratio("#909090", "#404040") < 4.5 <= contrast_ratio("#909090", less)
    assert BLACK < less < "#404040"
    assert tinted_ground(BLACK, WHITE, 0.25, ["#202020"], 4.5) == BLACK


def test_under_a_veil_words_fade_no_further_than_they_can_be_read() -> None:
    thick = veil_colors(WHITE, "#101010", BLACK, 0.6, 1.0)
    assert thick == ("#666666", "#060606")
    readable = veil_colors(WHITE, "#101010", BLACK, 0.6, 7.0)
    assert readable[1] == thick[1]
    assert contrast_ratio(*thick) < 7 <= contrast_ratio(*readable)
    assert thick[0] < readable[0] < WHITE


def test_under_a_veil_what_is_inverse_fades_as_a_whole() -> None:
    ink, ground = veil_colors(BLACK, WHITE, BLACK, 0.6, 7.0)
    assert ink == BLACK
    assert contrast_ratio(BLACK, ground) >= 7
    assert ground != WHITE


def test_a_veil_takes_nothing_from_what_could_hardly_be_read_before() -> None:
    before = contrast_ratio(GREY, "#707070")
    assert before < 4.5
    assert contrast_ratio(*veil_colors(GREY, "#707070", BLACK, 0.6, 4.5)) >= before
    assert contrast_ratio(*veil_colors(GREY, "#7c7c7c", WHITE, 0.6, 4.5)) >= contrast_ratio(GREY, "#7c7c7c")
