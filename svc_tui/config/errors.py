"""A mistake in what the user set up, as one line that says where it is and what is allowed."""

from collections.abc import Iterable

from svc_tui.domain.model.spelling import nearest_name


class ConfigError(Exception):
    """Something in the configuration can't be used; the message names the place, what was found, and what to do."""


def did_you_mean(unknown: str, allowed: Iterable[str]) -> str:
    """`; did you mean "…"?` where one of the allowed words is close, else ""."""
    close = nearest_name(unknown, allowed)
    return f'; did you mean "{close}"?' if close else ""


def joined_words(words: Iterable[str]) -> str:
    """The allowed words as a list for people."""
    return ", ".join(sorted(words))
