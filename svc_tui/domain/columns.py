"""Which columns a collection shows, in what order and how wide, from the records seen so far.

Columns hold still: they only ever grow, and a field that turns up later takes its place at the end.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from svc_tui.domain.jsontext import Json, Number
from svc_tui.domain.records import LABEL_NAMES, Record, id_field
from svc_tui.domain.values import STATUS_NAMES, Kind, display, kind_of

Measure: TypeAlias = Callable[[str], int]
"""The terminal cells that a text takes."""

MIN_WIDTH = 4
MAX_WIDTH = 32
_SAMPLE = 200
_TIME_WIDTH = len("2026-11-20 05:12")
_MAX_COLUMNS = 200
_ORDER = {
    Kind.ID: 0,
    Kind.NUMBER: 4,
    Kind.REFERENCE: 5,
    Kind.CHOICE: 6,
    Kind.TIME: 7,
    Kind.FLAG: 8,
    Kind.TEXT: 9,
    Kind.NULL: 10,
    Kind.LIST: 11,
    Kind.OBJECT: 12,
}
_FIRST_TIME = 3
"""A record's first time tells when it was; its further ones would push the numbers out of sight."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field as the table shows it: `width` in cells; `right` puts values at the right end, as for numbers."""

    name: str
    kind: Kind
    width: int
    right: bool = False
    fraction: int = 0
    """Digits kept after the point, so that numbers stand point under point; 0 where there are none or too many."""


def choose_columns(records: Sequence[Record], measure: Measure, wanted: Sequence[str] = ()) -> tuple[Column, ...]:
    """The columns for a collection of which `records` have been seen.

    `wanted`, from the profile, names the fields and their order; without it they are chosen: id, label, status,
    the first time, numbers, references, other choices, further times, flags, texts, and nested values last.
    """
    values = _values(records)
    if wanted:
        return tuple(_column(name, values.get(name, []), records, measure) for name in dict.fromkeys(wanted))
    names = list(values)[:_MAX_COLUMNS]
    made = [_column(name, values[name], records, measure) for name in names]
    own = id_field(records[0].fields) if records else None
    first_time = next((column for column in made if column.kind is Kind.TIME), None)
    return tuple(sorted(made, key=lambda column: (_FIRST_TIME, 0) if column is first_time else _rank(column, own)))


def widen(
    columns: Sequence[Column], records: Sequence[Record], measure: Measure, *, fixed: bool = False
) -> tuple[Column, ...]:
    """The columns after more records have been seen: none shrinks or moves; new fields come last unless `fixed`."""
    values = _values(records)
    grown = []
    for column in columns:
        seen = values.pop(column.name, None)
        grown.append(column if seen is None else _grown(column, seen, records, measure))
    if not fixed:
        room = max(0, _MAX_COLUMNS - len(grown))
        grown += [_column(name, seen, records, measure) for name, seen in list(values.items())[:room]]
    return tuple(grown)


def _values(records: Sequence[Record]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for record in records[:_SAMPLE]:
        for name, value in record.fields.items():
            found.setdefault(name, []).append(value)
    return found


def _column(name: str, values: Sequence[Json], records: Sequence[Record], measure: Measure) -> Column:
    own = id_field(records[0].fields) if records else None
    kind = Kind.ID if name == own else kind_of(name, values)
    fraction = _fraction(values) if kind is Kind.NUMBER else 0
    column = Column(name, kind, 0, kind is Kind.NUMBER, fraction)
    return replace(column, width=_width(column, values, measure))


def _grown(column: Column, values: Sequence[Json], records: Sequence[Record], measure: Measure) -> Column:
    if column.kind is Kind.NULL:
        # Nothing but null had been seen, so the kind was not yet known.
        made = _column(column.name, values, records, measure)
        return replace(made, width=max(made.width, column.width)) if made.kind is not Kind.NULL else column
    if column.kind is Kind.NUMBER:
        fraction = _fraction(values)
        column = replace(column, fraction=fraction) if fraction > column.fraction else column
    width = _width(column, values, measure)
    return column if width == column.width else replace(column, width=width)


def _width(column: Column, values: Iterable[Json], measure: Measure) -> int:
    """The width that shows every value, and the name as far as it is worth it; never less than the column has."""
    # A name is worth less room than what stands under it: it may be cut to the width of a few words.
    width = max(MIN_WIDTH, column.width, min(measure(column.name), 16))
    for value in values:
        if width >= MAX_WIDTH:
            return MAX_WIDTH
        if not _surely_fits(value, column, width):
            text = display(value, column.kind).text[: 4 * MAX_WIDTH]
            width = max(width, measure(aligned(text, column)))
    return min(width, MAX_WIDTH)


def _surely_fits(value: Json, column: Column, width: int) -> bool:
    """Whether a look tells that the value needs no more than `width` cells: measuring every value is dear."""
    if isinstance(value, Number):
        return len(value.text) + column.fraction < width
    if not isinstance(value, str):
        return isinstance(value, bool) or value is None
    if column.kind is Kind.TIME:
        return width >= _TIME_WIDTH
    room = width - 2 if column.kind is Kind.CHOICE else width
    return len(value) <= room and value.isascii() and value.isprintable()


def aligned(text: str, column: Column) -> str:
    """`text` with spaces after it so that, set at the right end of `column`, its point stands under the others."""
    if not column.fraction or "e" in text.lower() or not (text[:1].isdigit() or text[:1] == "-"):
        return text
    _, point, digits = text.partition(".")
    return text + " " * (column.fraction + 1 - len(point) - len(digits))


def _fraction(values: Iterable[Json]) -> int:
    longest = 0
    for value in values:
        if isinstance(value, Number):
            _, point, digits = value.text.partition(".")
            if point and digits.isdigit():
                longest = max(longest, len(digits))
    return longest if longest <= 4 else 0


def _rank(column: Column, own: str | None) -> tuple[int, int]:
    """Where the column stands, and where among several labels: the one that `Record.label` takes comes first."""
    name = column.name.casefold()
    if column.name == own:
        return 0, 0
    if name in LABEL_NAMES and column.kind in (Kind.TEXT, Kind.CHOICE):
        return 1, LABEL_NAMES.index(name)
    if name in STATUS_NAMES:
        return 2, 0
    return _ORDER[column.kind], 0
