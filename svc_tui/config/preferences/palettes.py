"""Palettes from `themes/*.toml`: every role, every colour, checked."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from svc_tui.config.errors import ConfigError, did_you_mean, display_value, joined_words
from svc_tui.config.files import check_owner, read_toml
from svc_tui.core.contrast import contrast_ratio
from svc_tui.core.settings import Palette

_HEX_COLOR = re.compile(r"#[0-9a-f]{6}")
_TEXT_KEYS = ("name", "title")
_ROLES = tuple(name for name in Palette.__struct_fields__ if name not in (*_TEXT_KEYS, "dark"))

_MIN_CONTRAST = {"foreground": 4.5, "live": 3.0, "danger": 3.0}
"""Roles that a theme of the user's own must keep readable on its background, with the least contrast ratio."""


def themes_directory() -> Path:
    """Where the themes are: beside the package in a checkout, inside it once installed.

    A checkout comes first, because an editable install leaves a copy inside the package that grows stale.
    """
    package = Path(__file__).parents[2]
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "themes").is_dir():
        return checkout / "themes"
    return package / "themes"


def read_palettes(directory: Path | None = None) -> tuple[Palette, ...]:
    """Every palette, by name; raises ConfigError for a file that is not one."""
    files = [file for file in (directory or themes_directory()).iterdir() if file.name.endswith(".toml")]
    return tuple(_read_palette(file) for file in sorted(files, key=lambda file: file.name))


def read_user_palettes(directory: Path, taken: Collection[str]) -> tuple[tuple[Palette, ...], tuple[str, ...]]:
    """The user's own palettes, by file name, and one line for each file that is none.

    A palette may have no name in `taken` and must keep words, LIVE and danger readable.
    """
    palettes: list[Palette] = []
    mistakes: list[str] = []
    try:
        files = sorted(directory.glob("*.toml"))
    except OSError as error:
        return (), (f"{directory} can't be read: {error.strerror}",)
    for file in files:
        try:
            check_owner(file)
            palette = parse_palette(str(file), read_toml(file))
            _check_user_palette(file, palette, (*taken, *(palette.name for palette in palettes)))
        except OSError as error:
            mistakes.append(f"{file} can't be read: {error.strerror}")
        except ConfigError as error:
            mistakes.append(str(error))
        else:
            palettes.append(palette)
    return tuple(palettes), tuple(mistakes)


def _check_user_palette(file: Path, palette: Palette, taken: Collection[str]) -> None:
    if palette.name in taken:
        raise ConfigError(f"{file}: there is already a theme called {display_value(palette.name)}; change its name")
    for role, least in _MIN_CONTRAST.items():
        color = palette.roles()[role]
        ratio = contrast_ratio(color, palette.background)
        if ratio < least:
            raise ConfigError(
                f"{file}: the contrast of {role} {color} with background {palette.background} "
                f"is {ratio:.1f}; it must be {least} or more"
            )


def _read_palette(file: Path) -> Palette:
    return parse_palette(str(file), read_toml(file))


def parse_palette(source: str, values: Mapping[str, Any]) -> Palette:
    """The palette that a theme's file writes; `source` is the file's name for people. Raises ConfigError."""
    allowed = (*_TEXT_KEYS, "dark", *_ROLES)
    for key in values:
        if key not in allowed:
            raise ConfigError(
                f"{source}: unknown setting {key}; allowed: {joined_words(allowed)}{did_you_mean(key, allowed)}"
            )
    missing = [key for key in allowed if key not in values]
    if missing:
        raise ConfigError(f"{source}: missing {', '.join(missing)}; a theme must set them all")
    for key in _TEXT_KEYS:
        if not isinstance(values[key], str) or not values[key]:
            raise ConfigError(f"{source}: {key} is {display_value(values[key])}; allowed: text in quotes")
    if not isinstance(values["dark"], bool):
        raise ConfigError(f"{source}: dark is {display_value(values['dark'])}; allowed: true, false")
    for key in _ROLES:
        if not isinstance(values[key], str) or not _HEX_COLOR.fullmatch(values[key]):
            raise ConfigError(f'{source}: {key} is {display_value(values[key])}; allowed: a color such as "#1e2228"')
    return Palette(**values)
