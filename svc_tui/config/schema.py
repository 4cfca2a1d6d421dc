"""What `config.toml` may hold, checked with pydantic and told in plain words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from svc_tui.config.mistakes import ConfigError, meant, one_of


class ConfigFile(BaseModel):
    """The keys of `config.toml`; None: not written there."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    default_profile: Annotated[str, Field(min_length=1)] | None = None
    theme: Annotated[str, Field(min_length=1)] | None = None
    live_unlock_minutes: Annotated[int, Field(ge=1, le=60)] | None = None
    keys: dict[str, str] | None = None
    mask_fields: list[Annotated[str, Field(min_length=1)]] | None = None


_ALLOWED = {
    "default_profile": "the name of a profile",
    "theme": "the name of a theme",
    "live_unlock_minutes": "a whole number from 1 to 60",
    "keys": 'a table of lines such as "record.edit" = "e"',
    "mask_fields": 'a list of fields, such as ["operator", "assay.lab.name"]',
}


def check_config(path: Path, tables: Mapping[str, Any]) -> ConfigFile:
    """The tables as `config.toml` may hold them; raises ConfigError for the first thing that it may not."""
    try:
        return ConfigFile.model_validate(dict(tables))
    except ValidationError as error:
        raise ConfigError(_told(path, error.errors(include_url=False)[0])) from None


def _told(path: Path, error: ErrorDetails) -> str:
    key, *below = map(str, error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{path}: unknown key {key}; allowed: {one_of(_ALLOWED)}{meant(key, _ALLOWED)}"
    if below and key == "keys":
        return f'{path}: {key}."{below[0]}" is {_shown(error["input"])}; allowed: keys in quotes, such as "e"'
    return f"{path}: {key} is {_shown(error['input'])}; allowed: {_ALLOWED[key]}"


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"' if len(value) <= 60 else f'"{value[:59]}…"'
        case int() | float():
            return str(value)
        case list():
            return "an array"
        case dict():
            return "a table"
    return f"a {type(value).__name__}"
