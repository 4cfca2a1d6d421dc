"""The shapes that the ids of records can have; the service's document shows none."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-([0-9a-f]{12})")
_DIGITS = re.compile(r"([0-9]{1,12})")


@dataclass(frozen=True, slots=True)
class IdKind:
    """What the ids of one collection begin with, and in how many digits at least their number is written."""

    prefix: str
    digits: int


@dataclass(frozen=True, slots=True)
class IdShape:
    """A way to write ids: `write` makes one of a number from 1, `read` gives the number that a text may stand for.

    `pattern` is a regular expression that every id of a kind matches.
    """

    write: Callable[[IdKind, int], str]
    read: Callable[[IdKind, str], int | None]
    pattern: Callable[[IdKind], str]

    def id_at(self, kind: IdKind, position: int) -> str:
        """The id of the record at a position from 0."""
        return self.write(kind, position + 1)

    def position_of(self, kind: IdKind, text: str) -> int | None:
        """The position that an id names; None for any text that is not written as `id_at` writes it."""
        number = self.read(kind, text)
        return number - 1 if number and self.write(kind, number) == text else None


def _prefixed(kind: IdKind, number: int) -> str:
    return f"{kind.prefix}-{number:0{kind.digits}d}"


def _prefixed_pattern(kind: IdKind) -> str:
    return f"^{kind.prefix}-[0-9]{{{kind.digits},12}}$"


def _read_prefixed(kind: IdKind, text: str) -> int | None:
    return _number(text.removeprefix(f"{kind.prefix}-"))


def _uuid(kind: IdKind, number: int) -> str:
    # A UUID of version 8 (RFC 9562), whose bits are the maker's own: the last 48 are the number, folded so that ids of
    # neighbours are not alike, and the others follow from it.
    mask = _hash(kind.prefix)
    tail = (number * 0x5DEECE66D ^ mask) & (1 << 48) - 1
    head = f"{_hash(f'{kind.prefix}/{number}'):012x}{mask:012x}"
    return f"{head[:8]}-{head[8:12]}-8{head[12:15]}-8{head[15:18]}-{tail:012x}"


def _uuid_pattern(kind: IdKind) -> str:
    return f"^{_UUID.pattern}$"


def _read_uuid(kind: IdKind, text: str) -> int | None:
    if (found := _UUID.fullmatch(text)) is None:
        return None
    # The factor is odd, so it has an inverse among the numbers of 48 bits.
    return (int(found[1], 16) ^ _hash(kind.prefix)) * pow(0x5DEECE66D, -1, 1 << 48) & (1 << 48) - 1


def _digits(kind: IdKind, number: int) -> str:
    return str(number)


def _digits_pattern(kind: IdKind) -> str:
    return "^[1-9][0-9]{0,11}$"


def _read_digits(kind: IdKind, text: str) -> int | None:
    return _number(text)


def _awkward(kind: IdKind, number: int) -> str:
    return f"{kind.prefix.upper()}/{number:0{kind.digits}d} é"


def _awkward_pattern(kind: IdKind) -> str:
    return f"^{kind.prefix.upper()}/[0-9]{{{kind.digits},12}} é$"


def _read_awkward(kind: IdKind, text: str) -> int | None:
    return _number(text.removeprefix(f"{kind.prefix.upper()}/").removesuffix(" é"))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and _DIGITS.fullmatch(text) else None


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest())


ID_SHAPES: Mapping[str, IdShape] = {
    "prefixed": IdShape(_prefixed, _read_prefixed, _prefixed_pattern),
    "uuid": IdShape(_uuid, _read_uuid, _uuid_pattern),
    "digits": IdShape(_digits, _read_digits, _digits_pattern),
    "awkward": IdShape(_awkward, _read_awkward, _awkward_pattern),
}
"""Every shape by its name."""

USUAL_IDS = "prefixed"
