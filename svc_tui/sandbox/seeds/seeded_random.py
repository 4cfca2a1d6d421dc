"""Repeatable choices for one record: a hash in place of a random generator, so any record can be made alone."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from svc_tui.domain.model.jsontext import Number

SEED = "svc-tui 1"
"""Names the data; another seed is another mine."""

T = TypeVar("T")


class SeededRandom:
    """Choices that depend on the collection and the record's index alone, on every platform alike."""

    __slots__ = ("_bits", "_name", "_round")

    def __init__(self, collection: str, index: int) -> None:
        self._name = f"{SEED}/{collection}/{index}".encode()
        self._round = 0
        self._bits = self._fresh()

    def below(self, limit: int) -> int:
        """A whole number in [0, limit)."""
        if self._bits >> 64 == 0:
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
        scale = 10**places
        whole, part = divmod(self.below((high - low) * scale), scale)
        return Number(f"{low + whole}.{part:0{places}d}")

    def whole(self, low: int, high: int) -> Number:
        """A whole number in [low, high)."""
        return Number(str(low + self.below(high - low)))

    def _fresh(self) -> int:
        self._round += 1
        return int.from_bytes(hashlib.blake2b(self._name + b"/%d" % self._round).digest(), "big")
