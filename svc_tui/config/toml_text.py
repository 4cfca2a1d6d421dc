"""Keys and values as a TOML file writes them."""

import re
from collections.abc import Mapping
from typing import Any

import tomli_w


def value_text(value: Any) -> str:
    """The value as a TOML file writes it behind `=`, on one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key_text(key)} = {value_text(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def key_text(key: str) -> str:
    """The key as a TOML file writes it, in quotes where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else value_text(key)
