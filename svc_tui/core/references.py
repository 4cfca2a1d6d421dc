"""Which value points at which record: as the user configured, by the field's name, or by ids seen.

The document shows no fields. `tunnelId` names a record of `operations/tunnels`, since its last words, before the
`Id`, are those of a collection; `lots: ["lot-4"]` and `lot: {"id": "lot-4"}` name lots; and a text that begins as the
ids of some collection do is taken for one of them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct, field

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import Absent, Json, Number
from svc_tui.core.records import ID_NAMES, Place, Record, id_field

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_STEM = re.compile(r"([^\W\d]+[-_:.]?)\d[\w-]*\Z")
"""The letters that ids of one kind begin with: `lot-` in `lot-004711`."""
_PEOPLE = frozenset({
    "worker", "operator", "supervisor", "foreman", "driver", "inspector", "reporter", "assignee", "miner", "employee",
})  # fmt: skip
"""Words for people who work there; `reportedById` and `approvedById` are people too."""


Held: TypeAlias = Iterable[tuple[Collection, Iterable[Record]]]
"""Collections with records of them that have been seen."""

_MAX_REFERENCES = 1_000
"""References that one value is looked through for; nobody follows more."""


def points_elsewhere(name: str) -> bool:
    """Whether the name is one of a reference: `tunnelId`, `tunnel_id`, `lotIds`; `id` alone is the record's own."""
    words = split_words(name)
    return len(words) > 1 and words[-1] in ("id", "ids", "uuid")


@lru_cache(maxsize=1024)
def target_of(name: str, collections: tuple[Collection, ...] = COLLECTIONS) -> Collection | None:
    """The collection that the field `name` points at; None where the name tells of none, or of more than one."""
    if not points_elsewhere(name):
        return None
    stem = split_words(name)[:-1]
    candidates: list[tuple[int, Collection]] = []
    for collection in collections:
        words = split_words(collection.name)
        one = (*words[:-1], singular(words[-1]))
        if _ends_with(stem, words) or _ends_with(stem, one):
            candidates.append((len(words), collection))
    if candidates:
        longest = max(length for length, _ in candidates)
        best = [collection for length, collection in candidates if length == longest]
        return best[0] if len(best) == 1 else None
    if stem[-1] in _PEOPLE or stem[-1] == "by":
        return next((c for c in collections if c.name == "workers"), None)
    return None


class ReferenceResolver(Struct, frozen=True):
    """What tells where the values of one collection's records point.

    `configured` gives for a field, or for the path of one (`assay.labId`), the key of the collection it points at;
    `home_of` tells which collection an id belongs to, as far as ids seen can tell.
    """

    here: Collection | None
    collections: tuple[Collection, ...] = COLLECTIONS
    configured: Mapping[str, str] = field(default_factory=dict)
    home_of: Callable[[str], Collection | None] = lambda _: None

    def references(self, path: Sequence[str | int], value: Json | Absent) -> tuple[Place, ...]:
        """The records that the value at `path` names, each once: one, or those of a list; none where it names none."""
        return tuple(dict.fromkeys(self._named(tuple(path), value)))

    def _named(self, path: tuple[str | int, ...], value: Json | Absent) -> Iterable[Place]:
        match value:
            case str() | Number():
                text = value if isinstance(value, str) else value.text
                target = self._target(path, text) if text else None
                if target is not None:
                    yield Place(target, text)
            case bool() | None | Absent():
                pass
            case Mapping():
                if (own := id_field(value)) is not None and own.casefold() in ID_NAMES:
                    yield from self._named((*path, own), value[own])
            case _:
                for index, item in enumerate(value[:_MAX_REFERENCES]):
                    if not isinstance(item, Sequence) or isinstance(item, str):
                        yield from self._named((*path, index), item)

    def _target(self, path: tuple[str | int, ...], text: str) -> Collection | None:
        names = [step for step in path if isinstance(step, str)]
        if not names or (len(names) == 1 and names[0].casefold() in ID_NAMES):
            return None
        for known in (".".join(names), names[-1]):
            if key := self.configured.get(known):
                return next((c for c in self.collections if c.key == key), None)
        return self._by_name(names, text) or (self.home_of(text) if _reference_stem(text) else None)

    def _by_name(self, names: list[str], text: str) -> Collection | None:
        if (collection := target_of(names[-1], self.collections)) is not None:
            return collection
        if names[-1].casefold() in ID_NAMES:
            # The id of an object: `lot: {"id": …}`, and not one of the record itself.
            return _collections_named(names[-2], self.collections)
        # A name without `Id` may hold anything; what looks like an id is one.
        return _collections_named(names[-1], self.collections) if _reference_stem(text) else None


def home_of(record_id: str, held: Held) -> Collection | None:
    """The collection that an id belongs to, told by ids seen: `lot-004711` looks like the `lot-…` of records held.

    Their own ids count first, then the ids in fields that name other collections.
    """
    stem = _reference_stem(record_id)
    if stem is None:
        return None
    pointed: Collection | None = None
    for collection, records in held:
        for record in records:
            if record.id is not None and _reference_stem(record.id) == stem:
                return collection
            for name, value in record.fields.items():
                if pointed is None and isinstance(value, str) and _reference_stem(value) == stem:
                    pointed = target_of(name)
    return pointed


def _collections_named(name: str, collections: tuple[Collection, ...]) -> Collection | None:
    """The collection that a name is one of, or one record of: `lots`, `lot`, `parent_lot`."""
    return target_of(f"{name}_id", collections)


def _reference_stem(record_id: str) -> str | None:
    match = _STEM.match(record_id)
    return match[1].casefold() if match else None


def split_words(name: str) -> tuple[str, ...]:
    """The words that a name is made of, in lower case: `tunnel`, `id` of `tunnelId`; no others than ASCII ones."""
    return tuple(word.lower() for word in _WORD.findall(name))


def _ends_with(stem: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return stem[-len(words) :] == words


def singular(word: str) -> str:
    """One of what the word says several of: `lot` of `lots`."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
