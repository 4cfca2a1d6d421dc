"""A mistake in what the user set up, as one line that says where it is and what is allowed."""

from collections.abc import Iterable
from typing import NoReturn

from svc_tui.core.spelling import nearest_name

_MAX_SHOWN = 60


class ConfigError(Exception):
    """Something in the configuration can't be used; the message names the place, what was found, and what to do."""


class ValueRejected(ValueError):
    """A value that can't be used; the text follows the key's name: `is "x"; allowed: …`."""


def reject(problem: str) -> NoReturn:
    """End a check of one value; raises ValueRejected."""
    raise ValueRejected(problem)


def display_value(value: object) -> str:
    """The value as a mistake shows it; of what begins like a key only the beginning."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            from svc_tui.service.redact import mask_keys

            text = mask_keys(value)
            return f'"{text}"' if len(text) <= _MAX_SHOWN else f'"{text[: _MAX_SHOWN - 1]}…"'
        case int() | float():
            return str(value)
        case list():
            return "a list"
        case dict():
            return "a table"
    return "a date or a time"


def did_you_mean(unknown: str, allowed: Iterable[str]) -> str:
    """`; did you mean "…"?` where one of the allowed words is close, else ""."""
    close = nearest_name(unknown, allowed)
    return f'; did you mean "{close}"?' if close else ""


def joined_words(words: Iterable[str]) -> str:
    """The allowed words as a list for people."""
    return ", ".join(sorted(words))
