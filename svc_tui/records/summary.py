"""What the values of one field amount to: how many, which most often, from where to where, and how they spread."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.jsontext import Absent, Json, Number, dumps
from svc_tui.core.ordering import NUMBER, TEXT, TIME, SortKey, sort_key
from svc_tui.core.times import parse_time

BINS = 24
"""Parts that the span of numbers is cut into."""
_MAX_STEPS = 60
"""Steps of time at most."""
_MAX_FREQUENT = 8
_DECIMAL_CONTEXT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Exact for sums of what a service measures; what is beyond all measure ends as no number instead of an error."""


class Histogram(Struct, frozen=True):
    """How many values there are in each part of the way from the least to the greatest.

    The parts are equal for numbers; for times they are steps of the calendar, and `step` is `day`, `month`, …
    """

    counts: tuple[int, ...]
    step: str = ""


class Summary(Struct, frozen=True):
    """The values at one path in `count` records.

    `missing`, `null` and `empty` (texts of no character) are counted apart and not among the rest. `least` and
    `greatest` are those of the kind that most values have: numbers, times or texts; None where it has no order worth
    telling.
    """

    count: int
    missing: int
    null: int
    empty: int
    distinct: int
    frequent: tuple[tuple[Json, int], ...]
    """The most frequent values, each with how often it comes."""
    least: Json = None
    greatest: Json = None
    mean: Decimal | None = None
    """Of the numbers, with two digits more than they have; None where there are none."""
    spread: Histogram | None = None

    @property
    def values(self) -> int:
        """The values that are something."""
        return self.count - self.missing - self.null - self.empty


_Key: TypeAlias = tuple[type, Hashable]


def summarize(values: Iterable[tuple[Json | Absent, int]], tz: tzinfo = UTC) -> Summary:
    """Return the summary of values, each with how often it comes; steps of time are those of `tz`."""
    count = missing = null = empty = 0
    counted: Counter[_Key] = Counter()
    first: dict[_Key, Json] = {}
    for value, times in values:
        count += times
        if isinstance(value, Absent):
            missing += times
        elif value is None:
            null += times
        elif value == "":
            empty += times
        else:
            key = _key(value)
            counted[key] += times
            first.setdefault(key, value)
    frequent = tuple((first[key], times) for key, times in counted.most_common(_MAX_FREQUENT))
    # Each value is looked at once, however often it comes.
    different = [(order, first[key], times) for key, times in counted.items() if (order := sort_key(first[key]))]
    kind = _most_frequent(different)
    alike = sorted((item for item in different if item[0][0] == kind), key=lambda item: item[0])
    summary = Summary(count, missing, null, empty, len(counted), frequent)
    if kind not in (NUMBER, TIME, TEXT) or not alike:
        return summary
    least, greatest = alike[0][1], alike[-1][1]
    mean, spread = None, None
    if kind == NUMBER:
        numbers = [(order[1], times) for order, _, times in alike if isinstance(order[1], Decimal)]
        mean, spread = _mean(numbers), _equal_parts(numbers)
    elif kind == TIME:
        spread = _steps([(_local(value, tz), times) for _, value, times in alike])
    return Summary(count, missing, null, empty, len(counted), frequent, least, greatest, mean, spread)


def _key(value: Json) -> _Key:
    """Alike for values that are the same: 1.50 and 1.5 are, 1 and true and "1" are not."""
    match value:
        case Number():
            try:
                return Number, Decimal(value.text)
            except InvalidOperation:
                return Number, value.text
        case Mapping() | list():
            return dict, dumps(value)
        case _:
            assert isinstance(value, str | bool)
            return type(value), value


def _most_frequent(different: Iterable[tuple[SortKey, Json, int]]) -> int | None:
    kinds: Counter[int] = Counter()
    for order, _, times in different:
        kinds[order[0]] += times
    return kinds.most_common(1)[0][0] if kinds else None


def _mean(numbers: Sequence[tuple[Decimal, int]]) -> Decimal | None:
    total, count, digits = Decimal(0), 0, 0
    for value, times in numbers:
        total = _DECIMAL_CONTEXT.add(total, _DECIMAL_CONTEXT.multiply(value, Decimal(times)))
        count += times
        exponent = value.as_tuple().exponent
        digits = max(digits, -exponent if isinstance(exponent, int) else 0)
    mean = _DECIMAL_CONTEXT.divide(total, Decimal(count))
    if not mean.is_finite():
        return None
    rounded = _DECIMAL_CONTEXT.quantize(mean, Decimal(1).scaleb(-digits - 2, _DECIMAL_CONTEXT))
    # More digits than can be reckoned with: the mean as near as it is known.
    return rounded if rounded.is_finite() else mean


def _equal_parts(numbers: Sequence[tuple[Decimal, int]]) -> Histogram | None:
    """`numbers` in ascending order."""
    low, high = numbers[0][0], numbers[-1][0]
    span = _DECIMAL_CONTEXT.subtract(high, low)
    if not span or not span.is_finite():
        return None
    counts = [0] * BINS
    for value, times in numbers:
        part = _DECIMAL_CONTEXT.divide(_DECIMAL_CONTEXT.subtract(value, low), span)
        counts[min(BINS - 1, int(part * BINS))] += times
    return Histogram(tuple(counts))


_STEPS: tuple[tuple[str, Callable[[datetime], int]], ...] = (
    ("minute", lambda at: (at.toordinal() * 24 + at.hour) * 60 + at.minute),
    ("hour", lambda at: at.toordinal() * 24 + at.hour),
    ("day", lambda at: at.toordinal()),
    ("week", lambda at: (at.toordinal() - 1) // 7),
    ("month", lambda at: at.year * 12 + at.month),
    ("year", lambda at: at.year),
    ("10 years", lambda at: at.year // 10),
    ("100 years", lambda at: at.year // 100),
    ("1000 years", lambda at: at.year // 1000),
)


def _steps(moments: Sequence[tuple[datetime, int]]) -> Histogram:
    """The finest steps of the calendar of which there are not too many."""
    earliest, latest = min(moments)[0], max(moments)[0]
    step, number = next(step for step in _STEPS if step[1](latest) - step[1](earliest) < _MAX_STEPS)
    first = number(earliest)
    counts = [0] * (number(latest) - first + 1)
    for at, times in moments:
        counts[number(at) - first] += times
    return Histogram(tuple(counts), step)


def _local(value: Json, tz: tzinfo) -> datetime:
    """The moment as clocks in `tz` show it; at the ends of the calendar as its own clock does."""
    at = parse_time(value) if isinstance(value, str) else None
    assert at is not None
    try:
        return at.replace(tzinfo=None) if at.tzinfo is None else at.astimezone(tz).replace(tzinfo=None)
    except (OverflowError, ValueError):
        return at.replace(tzinfo=None)
