"""Repeatable choices for one record: a hash in place of a random generator, so any record can be made alone."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from svc_tui.core.jsontext import Number

SEED = "svc-tui 1"
"""Begins the name of every stream: other generators make other data."""

T = TypeVar("T")

_FEWEST = 1 << 64
"""Numbers are drawn from a hash until it has fewer than 64 bits left; then the next hash takes its place."""


class SeededRandom:
    """Choices that depend on the stream's name and the record's index alone, on every platform alike."""

    __slots__ = ("_bits", "_index", "_round", "_stream")

    def __init__(self, stream: str, index: int) -> None:
        self._stream, self._index = stream, index
        self._round = 0
        self._bits = self._fresh()

    def below(self, limit: int) -> int:
        """A whole number in [0, limit)."""
        if self._bits < _FEWEST:
            self._bits = self._fresh()
        self._bits, drawn = divmod(self._bits, limit)
        return drawn

    def of(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 cases."""
        return self.below(100) < percent

    def decimal(self, low: int, high: int, places: int) -> Number:
        """A number in [low, high) with exactly `places` digits after the point, trailing zeros and all."""
        return fixed_point(low * 10**places + self.below((high - low) * 10**places), places)

    def whole(self, low: int, high: int) -> Number:
        """A whole number in [low, high)."""
        return _number(str(low + self.below(high - low)))

    def _fresh(self) -> int:
        self._round += 1
        [(_, bits)] = seed_bits(self._stream, (self._index,), self._round)
        return bits


def seed_bits(stream: str, indexes: Iterable[int], round_: int = 1) -> Iterator[tuple[int, int]]:
    """Each index with 512 bits to draw its record from; those of another round are for when they run out."""
    # A search takes millions of these: what they share is looked up once.
    of_stream = hashlib.blake2b(f"{stream}/".encode()).copy
    of_record, from_bytes = b"%%d/%d" % round_, int.from_bytes
    for index in indexes:
        state = of_stream()
        state.update(of_record % index)
        yield index, from_bytes(state.digest(), "big")


def fixed_point(units: int, places: int) -> Number:
    """So many units of the last of `places` digits after the point, trailing zeros and all; `units` is not negative."""
    digits = str(units).zfill(places + 1)
    return _number(f"{digits[:-places]}.{digits[-places:]}")


def _number(text: str) -> Number:
    """A number of digits that were written just now: set as the constructor sets them, and not looked at again."""
    number = Number.__new__(Number)
    object.__setattr__(number, "text", text)
    return number
