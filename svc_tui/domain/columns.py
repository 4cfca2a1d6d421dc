"""Which columns a collection shows, in what order and how wide, from the records seen so far.

Columns hold still: they only ever grow, and a field that turns up later takes its place at the end.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from svc_tui.domain.jsontext import Json
from svc_tui.domain.records import Record, id_field
from svc_tui.domain.values import STATUS_NAMES, Kind, display, kind_of

Measure: TypeAlias = Callable[[str], int]
"""The terminal cells that a text takes."""

MIN_WIDTH = 4
MAX_WIDTH = 32
_SAMPLE = 200
_MAX_COLUMNS = 200
_LABELS = ("name", "title", "label", "fullname", "full_name", "number", "code", "reference")
_ORDER = {
    Kind.ID: 0,
    Kind.CHOICE: 3,
    Kind.TIME: 4,
    Kind.NUMBER: 5,
    Kind.REFERENCE: 6,
    Kind.FLAG: 7,
    Kind.TEXT: 8,
    Kind.NULL: 9,
    Kind.LIST: 10,
    Kind.OBJECT: 11,
}


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
    other choices, times, numbers, references, flags, texts, and nested values last.
    """
    values = _values(records)
    if wanted:
        return tuple(_column(name, values.get(name, []), records, measure) for name in dict.fromkeys(wanted))
    names = list(values)[:_MAX_COLUMNS]
    made = [_column(name, values[name], records, measure) for name in names]
    own = id_field(records[0].fields) if records else None
    return tuple(sorted(made, key=lambda column: _rank(column, own)))


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
        return replace(made, width=max(made.width, column.width))
    if column.kind is Kind.NUMBER:
        column = replace(column, fraction=max(column.fraction, _fraction(values)))
    return replace(column, width=max(column.width, _width(column, values, measure)))


def _width(column: Column, values: Iterable[Json], measure: Measure) -> int:
    texts = (aligned(display(value, column.kind).text[: 4 * MAX_WIDTH], column) for value in values)
    widest = max(map(measure, texts), default=0)
    # A name is worth less room than what stands under it: it may be cut to the width of a few words.
    return max(MIN_WIDTH, min(MAX_WIDTH, max(widest, min(measure(column.name), 16))))


def aligned(text: str, column: Column) -> str:
    """`text` with spaces after it so that, set at the right end of `column`, its point stands under the others."""
    if not column.fraction or "e" in text.lower() or not (text[:1].isdigit() or text[:1] == "-"):
        return text
    _, point, digits = text.partition(".")
    return text + " " * (column.fraction + 1 - len(point) - len(digits))


def _fraction(values: Iterable[Json]) -> int:
    longest = 0
    for value in values:
        text = display(value, Kind.NUMBER).text
        _, point, digits = text.partition(".")
        if point and digits.isdigit():
            longest = max(longest, len(digits))
    return longest if longest <= 4 else 0


def _rank(column: Column, own: str | None) -> int:
    name = column.name.casefold()
    if column.name == own:
        return 0
    if name in _LABELS and column.kind in (Kind.TEXT, Kind.CHOICE):
        return 1
    if name in STATUS_NAMES:
        return 2
    return _ORDER[column.kind]
