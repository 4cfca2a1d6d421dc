"""Where a text holds what is searched for."""

from array import array
from collections.abc import Sequence

from svc_tui.core.folded_text import fold, places_of

_SEARCH_CHUNK = 1_000_000

_MOST_MARKS = 4
"""Characters that a letter with its marks takes at most, in any writing."""


def find_offsets(text: str, needle: str) -> Sequence[int]:
    """Where what is folded as `needle` is begins; piece by piece, so that a thread that looks lets others go on."""
    sought, offsets = fold(needle), array("q")
    at = 0
    while sought and at < len(text):
        until = min(len(text), at + _SEARCH_CHUNK)
        # What begins in this piece may end in the next one, and be longer where its accents are marks behind letters.
        piece = text[at : until + _MOST_MARKS * len(sought)]
        begun = at
        for start, end in places_of(piece, sought):
            if begun + start >= until:
                break
            offsets.append(begun + start)
            at = begun + end
        at = max(at, until)
    return offsets
