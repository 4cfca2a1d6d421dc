"""Which field points at which collection, told by its name: `tunnelId` names a record of `operations/tunnels`.

The document shows no fields, so a name is all there is: its last words, before the `Id`, are those of a collection.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from svc_tui.domain.catalog import COLLECTIONS, Collection
from svc_tui.domain.records import Record

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_STEM = re.compile(r"([^\W\d]+[-_:.]?)\d[\w-]*\Z")
"""The letters that ids of one kind begin with: `lot-` in `lot-004711`."""
_PEOPLE = frozenset({
    "worker", "operator", "supervisor", "foreman", "driver", "inspector", "reporter", "assignee", "miner", "employee",
})  # fmt: skip
"""Words for somebody who works there; `reportedById` and `approvedById` are people too."""


def points_elsewhere(name: str) -> bool:
    """Whether the name is one of a reference: `tunnelId`, `tunnel_id`, `lotIds`; `id` alone is the record's own."""
    words = _words(name)
    return len(words) > 1 and words[-1] in ("id", "ids", "uuid")


@lru_cache(maxsize=1024)
def target_of(name: str, collections: tuple[Collection, ...] = COLLECTIONS) -> Collection | None:
    """The collection that the field `name` points at; None where the name tells of none, or of more than one."""
    if not points_elsewhere(name):
        return None
    stem = _words(name)[:-1]
    found: list[tuple[int, Collection]] = []
    for collection in collections:
        words = _words(collection.name)
        singular = (*words[:-1], _singular(words[-1]))
        if _ends_with(stem, words) or _ends_with(stem, singular):
            found.append((len(words), collection))
    if found:
        longest = max(length for length, _ in found)
        best = [collection for length, collection in found if length == longest]
        return best[0] if len(best) == 1 else None
    if stem[-1] in _PEOPLE or stem[-1] == "by":
        return next((c for c in collections if c.name == "workers"), None)
    return None


def home_of(record_id: str, here: Collection | None, records: Iterable[Record]) -> Collection | None:
    """The collection that an id belongs to, told by ids seen: `lot-004711` looks like the `lot-…` of these records.

    `records` are of `here`; their own ids count first, then the ids in fields that name other collections.
    """
    stem = _stem(record_id)
    if stem is None:
        return None
    pointed: Collection | None = None
    for record in records:
        if record.id is not None and _stem(record.id) == stem:
            return here
        for name, value in record.fields.items():
            if pointed is None and isinstance(value, str) and _stem(value) == stem:
                pointed = target_of(name)
    return pointed


def _stem(record_id: str) -> str | None:
    found = _STEM.match(record_id)
    return found[1].casefold() if found else None


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(name))


def _ends_with(stem: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return stem[-len(words) :] == words


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
