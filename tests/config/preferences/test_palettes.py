"""The themes: whole, readable (WCAG 2.2 contrast), and found in the right place."""

from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from svc_tui.config.errors import ConfigError
from svc_tui.config.preferences.palettes import parse_palette, read_palettes, read_user_palettes, themes_directory
from svc_tui.core.contrast import contrast_ratio, least_contrast
from svc_tui.core.settings import Palette, Preferences

GROUNDS = ("background", "surface", "panel")
PALETTES = read_palettes()
SOUND: dict[str, Any] = {"name": "mine", "title": "Mine", "dark": True, **PALETTES[0].roles()}


def test_there_is_a_theme_for_every_need() -> None:
    light = {palette.name for palette in PALETTES if not palette.dark}
    assert light == {"svc-light", "svc-sand", "svc-light-contrast"}
    assert {"svc-dark", "svc-contrast", "svc-safe", "svc-ember", "svc-forest", "svc-ink"} | light == {
        palette.name for palette in PALETTES
    }
    assert len({palette.title for palette in PALETTES}) == len(PALETTES)
    assert Preferences().theme in [palette.name for palette in PALETTES]


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_role_can_be_read_on_every_ground(palette: Palette) -> None:
    roles = palette.roles()
    least = 7.0 if palette.name in ("svc-contrast", "svc-light-contrast") else 4.5
    assert least_contrast(palette) == least
    ratios = {
        (role, ground): contrast_ratio(roles[role], roles[ground])
        for role, ground in product(roles.keys() - set(GROUNDS), GROUNDS)
    }
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least} == {}


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_the_words_stand_out_more_than_the_hints(palette: Palette) -> None:
    assert contrast_ratio(palette.foreground, palette.background) > 1.5 * contrast_ratio(
        palette.muted, palette.background
    )


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_live_is_no_other_role(palette: Palette) -> None:
    others = [color for role, color in palette.roles().items() if role != "live"]
    assert palette.live not in others


def test_the_checkout_wins_over_a_copy_in_the_package() -> None:
    checkout = Path(__file__).parents[3] / "themes"
    found: Traversable = themes_directory()
    assert found == checkout


def test_a_directory_of_ones_own_is_read_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        lines = [f'{key} = "{value}"' for key, value in SOUND.items() if key not in ("name", "dark")]
        (tmp_path / f"{name}.toml").write_text("\n".join([f'name = "{name}"', "dark = false", *lines]))
    (tmp_path / "notes.txt").write_text("not a theme")
    assert [palette.name for palette in read_palettes(tmp_path)] == ["a", "b"]


def theme(directory: Path, file: str, **changed: object) -> Path:
    """Write a theme's file: the sound one with some values changed."""
    path = directory / file
    path.write_text(tomli_w.dumps({**SOUND, **changed}))
    path.chmod(0o644)
    return path


def test_themes_of_ones_own_join_the_others(tmp_path: Path) -> None:
    theme(tmp_path, "b.toml", name="mine")
    theme(tmp_path, "a.toml", name="yours")
    (tmp_path / "notes.txt").write_text("not a theme")
    palettes, mistakes = read_user_palettes(tmp_path, ["svc-dark"])
    assert [palette.name for palette in palettes] == ["yours", "mine"]
    assert mistakes == ()


def test_without_a_directory_there_are_none_of_ones_own(tmp_path: Path) -> None:
    assert read_user_palettes(tmp_path / "none", []) == ((), ())


def test_a_mistake_in_one_theme_of_ones_own_leaves_the_others(tmp_path: Path) -> None:
    theme(tmp_path, "sound.toml")
    theme(tmp_path, "twice.toml")
    taken = theme(tmp_path, "a-taken.toml", name="svc-dark")
    pale = theme(tmp_path, "pale.toml", name="pale", background="#101010", live="#202020")
    dim = theme(tmp_path, "dim.toml", name="dim", foreground="#333333", background="#101010")
    open_to_all = theme(tmp_path, "open.toml", name="open")
    open_to_all.chmod(0o666)
    damaged = tmp_path / "worse.toml"
    damaged.write_text("name = ")
    palettes, mistakes = read_user_palettes(tmp_path, ["svc-dark"])
    assert [palette.name for palette in palettes] == ["mine"]
    assert mistakes == (
        f'{taken}: there is already a theme called "svc-dark"; change its name',
        f"{dim}: the contrast of foreground #333333 with background #101010 is 1.5; it must be 4.5 or more",
        f"{open_to_all} can be written by others; run: chmod go-w {open_to_all}",
        f"{pale}: the contrast of live #202020 with background #101010 is 1.2; it must be 3.0 or more",
        f'{tmp_path / "twice.toml"}: there is already a theme called "mine"; change its name',
        f"{damaged}:1: not valid TOML: a value is missing or not valid; text needs quotes",
    )


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(
        ConfigError, match=r"bad\.toml:1: not valid TOML: a value is missing or not valid; text needs quotes"
    ):
        read_palettes(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"acent": "#000000"}, 'mine.toml: unknown setting acent; allowed: .*; did you mean "accent"?'),
        ({"accent": None}, "mine.toml: missing accent; a theme must set them all"),
        ({"accent": "blue"}, 'mine.toml: accent is "blue"; allowed: a color such as "#1e2228"'),
        ({"accent": "#ABCDEF"}, 'mine.toml: accent is "#ABCDEF"; allowed: a color such as "#1e2228"'),
        ({"accent": 7}, 'mine.toml: accent is 7; allowed: a color such as "#1e2228"'),
        ({"dark": "yes"}, 'mine.toml: dark is "yes"; allowed: true, false'),
        ({"title": ""}, 'mine.toml: title is ""; allowed: text in quotes'),
    ],
)
def test_a_mistake_in_a_theme_is_told(change: dict[str, Any], message: str) -> None:
    values = {key: value for key, value in {**SOUND, **change}.items() if value is not None}
    with pytest.raises(ConfigError, match=message):
        parse_palette("mine.toml", values)
