"""What points at a record, by collection and by the field that does; a large group is counted, and listed in part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place
from svc_tui.history.timeline import TimelineNote, details
from svc_tui.search.referring import Pointer


class PointerGroup(Struct, frozen=True):
    """Records of one collection that point by the same field: how many there are, and those that are listed."""

    collection: Collection
    path: str
    count: int
    pointers: tuple[Pointer, ...]


class PointsHere(Struct, frozen=True):
    """What points at the record at `about`, and the notes about that. All texts are raw."""

    about: Place
    groups: tuple[PointerGroup, ...] = ()
    notes: tuple[TimelineNote, ...] = ()


@dataclass(slots=True)
class _Part:
    """What was found so far of one group."""

    count: int = 0
    held: list[Pointer] = field(default_factory=list)


class PointerGroups:
    """Takes pointers as they are found, each record once, and lists at most so many of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: dict[tuple[Collection, str], _Part] = {}
        self._taken: set[Place] = set()

    def add(self, pointers: Iterable[Pointer]) -> None:
        """Take these; one that was taken before is older now. What nothing addresses can't be told from another."""
        for pointer in pointers:
            place = pointer.place
            if place.record_id is None or place in self._taken:
                continue
            self._taken.add(place)
            part = self._parts.setdefault((pointer.collection, pointer.path), _Part())
            part.count += 1
            # More of them are listed in no case.
            if len(part.held) < self._most:
                part.held.append(pointer)

    def groups(self) -> tuple[PointerGroup, ...]:
        """The groups by collection and field, the records of each by their ids; a large one leaves room for others."""
        parts = sorted(self._parts.items(), key=lambda item: (item[0][0].key, item[0][1]))
        shares = share_out(self._most, [len(part.held) for _, part in parts])
        return tuple(
            PointerGroup(collection, path, part.count, tuple(sorted(part.held, key=_id)[:share]))
            for ((collection, path), part), share in zip(parts, shares, strict=True)
        )


def share_out(most: int, wanted: Sequence[int]) -> list[int]:
    """How many of each may be listed where `most` may be in all: small ones whole, the others as many each."""
    shares = [0] * len(wanted)
    left = most
    for done, at in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[at] = min(wanted[at], left // (len(wanted) - done))
        left -= shares[at]
    return shares


def pointer_words(about: Place, pointer: Pointer) -> str:
    """What people call the record, or what it says in a few words."""
    return " · ".join(details(about, pointer.record))


def _id(pointer: Pointer) -> str:
    return pointer.place.id
