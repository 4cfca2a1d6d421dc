"""Records as draws in a fixed order, so that one field can be read from a record's bits without making the record."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from svc_tui.core.jsontext import Json
from svc_tui.sandbox.seeds.seeded_random import SeededRandom, fixed_point, seed_bits

T = TypeVar("T")

RecordMaker = Callable[[int, Mapping[str, Any], SeededRandom], dict[str, Json]]
"""Makes a record of its index, of what was drawn by name, and of what it draws itself after that."""


@dataclass(frozen=True, slots=True)
class Draw(Generic[T]):
    """A number below `limit`, and what it stands for.

    Where some cases of 100 are `left_out`, the case is drawn first; then there is no number, and None for its value.
    """

    limit: int
    value: Callable[[int], T]
    left_out: range = range(0)


def below(limit: int, value: Callable[[int], T]) -> Draw[T]:
    """What `value` makes of a whole number in [0, limit)."""
    return Draw(limit, value)


def one_of(choices: Sequence[T]) -> Draw[T]:
    """One of the choices."""
    return Draw(len(choices), choices.__getitem__)


def chance(percent: int) -> Draw[bool]:
    """True in `percent` of 100 cases."""
    return Draw(100, percent.__gt__)


def decimal(low: int, high: int, places: int) -> Draw[Json]:
    """A number in [low, high) with exactly `places` digits after the point, trailing zeros and all."""
    scale = 10**places
    return Draw((high - low) * scale, lambda number: fixed_point(low * scale + number, places))


def some_of(percent: int, choices: Sequence[str]) -> Draw[Json]:
    """A list of the choices, each of which is there in `percent` of 100 cases."""

    def value(number: int) -> list[Json]:
        chosen: list[Json] = []
        for choice in choices:
            number, case = divmod(number, 100)
            if case < percent:
                chosen.append(choice)
        return chosen

    return Draw(100 ** len(choices), value)


def at_times(percent: int, draw: Draw[T]) -> Draw[T]:
    """The draw in `percent` of 100 cases, else None."""
    return replace(draw, left_out=range(percent, 100))


def unless(percent: int, draw: Draw[T]) -> Draw[T]:
    """None in `percent` of 100 cases, else the draw."""
    return replace(draw, left_out=range(percent))


class RecordLayout:
    """How the records of a collection are made: what is drawn for each, in this order, and a record made of that.

    A draw that has the name of a field is the value of that field.
    """

    def __init__(self, draws: Mapping[str, Draw[Any]], make: RecordMaker) -> None:
        # All of them are taken from the 512 bits of one hash. Only a hash that begins with 192 zeros would have too
        # few of them, and there is none.
        assert math.prod((100 if draw.left_out else 1) * draw.limit for draw in draws.values()) < 2**256
        self.draws = draws
        self._make = make

    def __call__(self, index: int, draws: SeededRandom, settings: object) -> dict[str, Json]:
        """The record of that index; the limits of the draws are those of the `settings` already."""
        drawn: dict[str, Any] = {}
        for name, draw in self.draws.items():
            missing = draw.left_out and draws.below(100) in draw.left_out
            drawn[name] = None if missing else draw.value(draws.below(draw.limit))
        return self._make(index, drawn, draws)

    def matching(
        self, stream: str, positions: Iterable[int], name: str, equals: Callable[[Json], bool], count: int
    ) -> Iterator[int]:
        """Those of the positions, about `count`, whose record has a field `name`, one of the draws, that `equals`."""
        skips, before = self._way_to(name)
        limit, value = _always_drawn(self.draws[name])

        def fits(number: int) -> bool:
            return equals(value(number))

        wanted: Callable[[int], bool] = fits
        if limit < count:
            # There are fewer values than records, so each value is compared once, and then numbers alone.
            wanted = frozenset(filter(fits, range(limit))).__contains__
        span = before * limit
        for position, bits in seed_bits(stream, positions):
            for skip in skips:
                bits = skip(bits)
            if wanted(bits % span // before):
                yield position

    def _way_to(self, name: str) -> tuple[list[Callable[[int], int]], int]:
        """What leaves of a record's bits those for `name`: functions, then a division by the number."""
        skips: list[Callable[[int], int]] = []
        before = 1
        for earlier, draw in self.draws.items():
            if earlier == name:
                break
            if draw.left_out:
                skips.append(_past(before, draw))
                before = 1
            else:
                # Draws in a row are one number below the product of their limits.
                before *= draw.limit
        return skips, before


def _past(before: int, draw: Draw[Any]) -> Callable[[int], int]:
    """What leaves of bits those after a draw that may be left out, before which numbers up to `before` are drawn."""
    span, limit, left_out = 100 * before, draw.limit, draw.left_out

    def skip(bits: int) -> int:
        bits, number = divmod(bits, span)
        return bits if number // before in left_out else bits // limit

    return skip


def _always_drawn(draw: Draw[Any]) -> tuple[int, Callable[[int], Json]]:
    """Limit and value of a draw as one number, left out or not: what is drawn after it is of no interest."""
    if not draw.left_out:
        return draw.limit, draw.value
    return 100 * draw.limit, lambda number: None if number % 100 in draw.left_out else draw.value(number // 100)
