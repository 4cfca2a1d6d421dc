"""The hash chain of custody kept for each tunnel: every entry's hash covers the one before."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from svc_tui.core import jsontext
from svc_tui.core.jsontext import Json

GENESIS = "0" * 64
"""What the first entry of a chain names as the hash before it."""

HASHED_FIELDS = (
    "id",
    "tunnelId",
    "sequence",
    "lotId",
    "fromWorkerId",
    "toWorkerId",
    "massKg",
    "sealNumber",
    "handedOverAt",
    "previousHash",
)
"""The fields a hash vouches for; a note may change without harm."""


@dataclass(frozen=True, slots=True)
class CustodyBreak:
    """The first place where a chain does not hold; `index` counts from 0."""

    index: int
    record_id: str
    reason: str
    expected: str
    actual: str


def entry_hash(entry: Mapping[str, Json]) -> str:
    """SHA-256 in hex of the covered fields, numbers as they are written."""
    return hashlib.sha256(jsontext.dumps([entry.get(name) for name in HASHED_FIELDS]).encode()).hexdigest()


def linked(entry: Mapping[str, Json], previous: str) -> dict[str, Json]:
    """The entry with its place in the chain filled in."""
    placed = {**entry, "previousHash": previous}
    return {**placed, "hash": entry_hash(placed)}


def first_break(entries: Sequence[Mapping[str, Json]]) -> CustodyBreak | None:
    """Where a chain, in order, first fails; None: it holds."""
    previous = GENESIS
    for index, entry in enumerate(entries):
        named, stored, computed = entry.get("previousHash"), entry.get("hash"), entry_hash(entry)
        if named != previous:
            return CustodyBreak(index, str(entry["id"]), "does not follow the entry before it", previous, str(named))
        if stored != computed:
            return CustodyBreak(index, str(entry["id"]), "was changed after it was written", computed, str(stored))
        previous = computed
    return None
