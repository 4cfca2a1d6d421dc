"""Where a text holds what is searched for."""

import re
from array import array
from collections.abc import Sequence

_SEARCH_CHUNK = 1_000_000


def find_offsets(text: str, search_pattern: re.Pattern[str] | None) -> Sequence[int]:
    """Where the sought text begins; piece by piece, so that a thread that looks lets others go on."""
    offsets = array("q")
    at = 0
    while search_pattern is not None and at < len(text):
        until = min(len(text), at + _SEARCH_CHUNK)
        # What begins in this piece may end in the next one.
        for match in search_pattern.finditer(text, at, until + len(search_pattern.pattern)):
            if match.start() >= until:
                break
            offsets.append(match.start())
            at = match.end()
        at = max(at, until)
    return offsets


def compile_needle(needle: str) -> re.Pattern[str] | None:
    """Return a pattern that matches the needle without regard to case; None for an empty one."""
    return re.compile(re.escape(needle), re.IGNORECASE) if needle else None
