"""The themes: whole, readable (WCAG 2.2 contrast), and found in the right place."""

from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from svc_tui.config.mistakes import ConfigError
from svc_tui.config.palettes import check_palette, read_palettes, themes_directory
from svc_tui.domain.settings import Palette, Preferences

GROUNDS = ("background", "surface", "panel")
PALETTES = read_palettes()
SOUND: dict[str, Any] = {"name": "mine", "title": "Mine", "dark": True, **PALETTES[0].roles()}


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_agrees_with_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_there_is_a_theme_for_every_need() -> None:
    assert [palette.name for palette in PALETTES] == ["svc-contrast", "svc-dark", "svc-light", "svc-safe"]
    assert [palette.dark for palette in PALETTES] == [True, True, False, True]
    assert Preferences().theme in [palette.name for palette in PALETTES]


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_role_can_be_read_on_every_ground(palette: Palette) -> None:
    roles = palette.roles()
    least = dict.fromkeys(GROUNDS, 4.5)
    if palette.name == "svc-contrast":
        least |= {"background": 7.0, "surface": 7.0}
    ratios = {
        (role, ground): contrast(roles[role], roles[ground])
        for role, ground in product(roles.keys() - set(GROUNDS), GROUNDS)
    }
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least[pair[1]]} == {}


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_the_words_stand_out_more_than_the_hints(palette: Palette) -> None:
    assert contrast(palette.foreground, palette.background) > 1.5 * contrast(palette.muted, palette.background)


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_live_is_no_other_role(palette: Palette) -> None:
    others = [colour for role, colour in palette.roles().items() if role != "live"]
    assert palette.live not in others


def test_the_checkout_wins_over_a_copy_in_the_package() -> None:
    checkout = Path(__file__).parents[2] / "themes"
    found: Traversable = themes_directory()
    assert found == checkout


def test_a_directory_of_ones_own_is_read_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        lines = [f'{key} = "{value}"' for key, value in SOUND.items() if key not in ("name", "dark")]
        (tmp_path / f"{name}.toml").write_text("\n".join([f'name = "{name}"', "dark = false", *lines]))
    (tmp_path / "notes.txt").write_text("not a theme")
    assert [palette.name for palette in read_palettes(tmp_path)] == ["a", "b"]


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(ConfigError, match=r"bad\.toml is not valid TOML: Invalid value \(at end of document\)"):
        read_palettes(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"acent": "#000000"}, 'mine.toml: unknown key acent; allowed: .*; did you mean "accent"?'),
        ({"accent": None}, "mine.toml: missing accent; a theme gives every one of them"),
        ({"accent": "blue"}, "mine.toml: accent is 'blue'; allowed: a colour such as \"#1e2228\""),
        ({"accent": "#ABCDEF"}, "mine.toml: accent is '#ABCDEF'; allowed: a colour such as \"#1e2228\""),
        ({"accent": 7}, 'mine.toml: accent is 7; allowed: a colour such as "#1e2228"'),
        ({"dark": "yes"}, "mine.toml: dark is 'yes'; allowed: true, false"),
        ({"title": ""}, "mine.toml: title is ''; allowed: a text in quotes"),
    ],
)
def test_a_mistake_in_a_theme_is_told(change: dict[str, Any], message: str) -> None:
    values = {key: value for key, value in {**SOUND, **change}.items() if value is not None}
    with pytest.raises(ConfigError, match=message):
        check_palette("mine.toml", values)
