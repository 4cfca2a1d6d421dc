"""A mistake in what the user set up, as one line that says where it is and what is allowed."""

from collections.abc import Iterable


class ConfigError(Exception):
    """Something in the configuration can't be used; the message names the place, what was found, and what to do."""


def meant(found: str, allowed: Iterable[str]) -> str:
    """`; did you mean "…"?` where one of the allowed words is close, else ""."""
    by_fold = {word.casefold(): word for word in allowed}
    import difflib  # loaded only when there is a mistake to explain

    close = difflib.get_close_matches(found.casefold(), by_fold, n=1, cutoff=0.6)
    return f'; did you mean "{by_fold[close[0]]}"?' if close else ""


def one_of(words: Iterable[str]) -> str:
    """The allowed words as a list for people."""
    return ", ".join(sorted(words))
