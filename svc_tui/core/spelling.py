"""Suggestions for a misspelled name: the known name that is nearest to what was typed."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def nearest_name(typed: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to `typed`, ignoring case; None if none is near, or two equally so.

    A name is near if few characters differ (one in four, at least one; two swapped neighbours count once), or if all
    words of one are words of the other: `unlock_minutes` is near `live_unlock_minutes`.
    """
    by_folded = {name.casefold(): name for name in known}
    folded, words = typed.casefold(), _words(typed)
    nearness: dict[str, tuple[int, int]] = {}
    for other, name in by_folded.items():
        distance = _edit_distance(folded, other)
        if distance <= max(1, len(folded) // 4):
            nearness[name] = (0, distance)
        elif words and (words <= _words(name) or words >= _words(name) > set()):
            nearness[name] = (1, len(words ^ _words(name)))
    if not nearness:
        return None
    best = min(nearness.values())
    nearest = [name for name, value in nearness.items() if value == best]
    return nearest[0] if len(nearest) == 1 else None


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(_CAMEL_CASE.sub(" ", name))}


def _edit_distance(one: str, other: str) -> int:
    """Return how many characters are inserted, removed, replaced or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, character in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (character != wanted))
            if i > 1 and j > 1 and character == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
