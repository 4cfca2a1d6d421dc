"""Which columns a collection shows, in what order and how wide: from the records seen so far, or as the user chose.

Columns hold still: they only ever grow, and a field that turns up later takes its place at the end. A column is named
by the path of its field, so that `assay.auPpm` is one too where it is chosen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.field_path import paths, value_at
from svc_tui.core.jsontext import Absent, Json, Number
from svc_tui.core.kinds import STATUS_NAMES, Kind, display_text, kind_of, raw_text
from svc_tui.core.records import LABEL_NAMES, Record, id_field
from svc_tui.core.references import points_elsewhere
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn

Measure: TypeAlias = Callable[[str], int]
"""The terminal cells that a text takes."""

MIN_WIDTH = 4
MAX_WIDTH = 32
MAX_CHOSEN_WIDTH = 120
"""The cells that the user can give a column by hand."""
_MIN_TEXT_CELLS = 12
"""Cells that a column of texts keeps where room is short."""
_SAMPLE_RECORDS = 200
_TIME_WIDTH = len("2026-11-20 05:12")
_MAX_COLUMNS = 200
_RANKS = {kind: rank for rank, kind in enumerate(Kind)}
_FIRST_TIME = (3, 0)
"""A record's first time tells when it was; its further ones would push the numbers out of sight."""


class Column(Struct, frozen=True):
    """One field as the table shows it."""

    name: str
    """The path of the field."""
    kind: Kind
    width: int
    """In cells."""
    fraction: int = 0
    """Digits kept after the point, so that numbers stand point under point; 0 where there are none or too many."""
    by_hand: bool = False
    """Whether the user gave it its width, which then stays."""
    role: str = ""
    """The role that all of its values have; "" has each tell its own."""

    @property
    def right(self) -> bool:
        """Values stand at the right end."""
        return self.kind.facts.is_right_aligned


class Layout(Struct, frozen=True):
    """The columns of one collection.

    `chosen` is what the user wants to see, in order; where it is empty all fields are shown, the most telling first.
    `own` are the columns of the records' fields, and `requested` those of paths chosen besides; each is as wide as what
    was seen.
    """

    chosen: tuple[ChosenColumn, ...] = ()
    own: tuple[Column, ...] = ()
    requested: tuple[Column, ...] = ()

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns to show."""
        if not self.chosen:
            return self.own
        known = {column.name: column for column in (*self.requested, *self.own)}
        return tuple(_apply_choice(known[wanted.field], wanted) for wanted in self.chosen if wanted.field in known)

    @property
    def explicit(self) -> tuple[ChosenColumn, ...]:
        """The columns on show as the user would have chosen them."""
        return self.chosen or tuple(ChosenColumn(column.name) for column in self.own)

    def saw(self, records: Sequence[Record], measure: Measure) -> "Layout":
        """The layout after more records have been seen: no column shrinks or moves, new fields come last."""
        own = widen(self.own, records, measure) if self.own else choose_columns(records, measure)
        chosen = _unique(self.chosen)
        names = {column.name for column in own}
        known = {column.name: column for column in self.requested}
        requested = []
        for path in (wanted.field for wanted in chosen if wanted.field not in names):
            column, values = known.get(path), _values_at(records, path)
            if column is None:
                requested.append(_column(path, values, records, measure))
            else:
                requested.append(_widened(column, values, records, measure) if values else column)
        return Layout(chosen, own, tuple(requested))

    def choosing(self, chosen: Sequence[ChosenColumn], records: Sequence[Record], measure: Measure) -> "Layout":
        """The layout with other columns chosen; `records` tell about paths not asked for before."""
        return replace(self, chosen=tuple(chosen)).saw(records, measure)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds of the fields that were seen."""
        return {column.name: column.kind for column in (*self.requested, *self.own)}


def choose_columns(records: Sequence[Record], measure: Measure) -> tuple[Column, ...]:
    """The columns for a collection of which `records` have been seen.

    In order: id, label, status, the first time, numbers, references, other choices, further times, flags, texts, and
    nested values last.
    """
    values = _values(records)
    names = list(values)[:_MAX_COLUMNS]
    own_columns = [_column(name, values[name], records, measure) for name in names]
    first_time = next((column for column in own_columns if column.kind is Kind.TIME), None)
    return tuple(sorted(own_columns, key=lambda column: _FIRST_TIME if column is first_time else _rank(column)))


def widen(columns: Sequence[Column], records: Sequence[Record], measure: Measure) -> tuple[Column, ...]:
    """The columns after more records have been seen: none shrinks or moves; new fields come last."""
    values = _values(records)
    grown = []
    for column in columns:
        seen = values.pop(column.name, None)
        grown.append(column if seen is None else _widened(column, seen, records, measure))
    room = max(0, _MAX_COLUMNS - len(grown))
    grown += [_column(name, seen, records, measure) for name, seen in list(values.items())[:room]]
    return tuple(grown)


def fitted_columns(columns: Sequence[Column], cells: int, gap: int, giving_way: Sequence[str]) -> tuple[Column, ...]:
    """The columns in so many cells, `gap` between them, if those that give way can do so far: the widest first."""
    fitted = list(columns)
    excess = sum(column.width for column in fitted) + gap * (len(fitted) - 1) - cells
    texts = [at for at, column in enumerate(fitted) if column.name in giving_way]
    while excess > 0 and texts:
        widest = max(texts, key=lambda at: fitted[at].width)
        if fitted[widest].width <= _MIN_TEXT_CELLS:
            break
        fitted[widest] = replace(fitted[widest], width=fitted[widest].width - 1)
        excess -= 1
    return tuple(fitted)


def widen_for_raw(columns: Sequence[Column], records: Iterable[Record], measure: Measure) -> tuple[Column, ...]:
    """The columns as wide as the values take as they came; those with a width by hand stay."""
    raw = []
    sample = list(records)[:_SAMPLE_RECORDS]
    for column in columns:
        width = column.width
        for value in () if column.by_hand else _values_at(sample, column.name):
            if width >= MAX_WIDTH:
                break
            width = max(width, measure(raw_text(value, column.kind).text[: 4 * MAX_WIDTH]))
        raw.append(replace(column, width=max(column.width, min(width, MAX_WIDTH))))
    return tuple(raw)


def paths_seen(records: Iterable[Record]) -> tuple[str, ...]:
    """The path of every field in the records, nested ones too, each once."""
    seen: dict[str, None] = {}
    for record in records:
        seen.update(dict.fromkeys(paths(record.fields)))
    return tuple(seen)


def _unique(chosen: Iterable[ChosenColumn]) -> tuple[ChosenColumn, ...]:
    kept: dict[str, ChosenColumn] = {}
    for wanted in chosen:
        kept.setdefault(wanted.field, wanted)
    return tuple(kept.values())


def _apply_choice(column: Column, wanted: ChosenColumn) -> Column:
    if wanted.width is None:
        return column
    return replace(column, width=max(MIN_WIDTH, min(wanted.width, MAX_CHOSEN_WIDTH)), by_hand=True)


def _values(records: Sequence[Record]) -> dict[str, list[Json]]:
    values: dict[str, list[Json]] = {}
    for record in records[:_SAMPLE_RECORDS]:
        for name, value in record.fields.items():
            values.setdefault(name, []).append(value)
    return values


def _values_at(records: Sequence[Record], path: str) -> list[Json]:
    values = (value_at(record.fields, path) for record in records[:_SAMPLE_RECORDS])
    return [value for value in values if not isinstance(value, Absent)]


def _column(name: str, values: Sequence[Json], records: Sequence[Record], measure: Measure) -> Column:
    own = id_field(records[0].fields) if records else None
    # In `tunnel.id` both words tell what it is; in `assay.grade` the last one alone.
    telling = name if points_elsewhere(name) else name.rpartition(".")[2]
    kind = Kind.ID if name == own else kind_of(telling, values)
    fraction = _fraction(values) if kind.facts.is_right_aligned else 0
    column = Column(name, kind, 0, fraction)
    return replace(column, width=_width(column, values, measure))


def _widened(column: Column, values: Sequence[Json], records: Sequence[Record], measure: Measure) -> Column:
    if column.kind is Kind.NULL:
        # Nothing but null had been seen, so the kind was not yet known.
        own_columns = _column(column.name, values, records, measure)
        return (
            replace(own_columns, width=max(own_columns.width, column.width))
            if own_columns.kind is not Kind.NULL
            else column
        )
    if column.right:
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
            text = display_text(value, column.kind).text[: 4 * MAX_WIDTH]
            width = max(width, measure(align_number(text, column)))
    return min(width, MAX_WIDTH)


def _surely_fits(value: Json, column: Column, width: int) -> bool:
    """Whether the value surely fits into `width` cells, without measuring it, which is slow."""
    if isinstance(value, Number):
        return len(value.text) + column.fraction < width
    if not isinstance(value, str):
        return isinstance(value, bool) or value is None
    if column.kind is Kind.TIME:
        return width >= _TIME_WIDTH
    room = width - 2 if column.kind is Kind.CHOICE else width
    return len(value) <= room and value.isascii() and value.isprintable()


def align_number(text: str, column: Column) -> str:
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


def _rank(column: Column) -> tuple[int, int]:
    """The column's sort key; among labels the one that `Record.label` takes comes first."""
    name = column.name.casefold()
    if column.kind is Kind.ID:
        return 0, 0
    if name in LABEL_NAMES and column.kind in (Kind.TEXT, Kind.CHOICE):
        return 1, LABEL_NAMES.index(name)
    if name in STATUS_NAMES:
        return 2, 0
    return 4, _RANKS[column.kind]


class ColumnChoice(Struct, frozen=True):
    """The columns that are shown, in order, and the paths that are hidden. At least one stays shown."""

    shown: tuple[ChosenColumn, ...]
    hidden: tuple[str, ...] = ()

    @classmethod
    def of(cls, shown: Iterable[ChosenColumn], paths: Iterable[str]) -> "ColumnChoice":
        """The choice where all paths in `paths` that are not shown are hidden."""
        shown = tuple(shown)
        fields = {column.field for column in shown}
        return cls(shown, tuple(path for path in paths if path not in fields))

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths, the shown ones first, as they stand under each other."""
        return (*(column.field for column in self.shown), *self.hidden)

    def column(self, path: str) -> ChosenColumn | None:
        """The column as it is shown; None where it is hidden."""
        return next((column for column in self.shown if column.field == path), None)

    def toggled(self, path: str) -> "ColumnChoice":
        """A hidden column is shown, as the last; a shown one is hidden, unless it is the only one."""
        if path in self.hidden:
            others = tuple(other for other in self.hidden if other != path)
            return ColumnChoice((*self.shown, ChosenColumn(path)), others)
        left = tuple(column for column in self.shown if column.field != path)
        return ColumnChoice(left, (path, *self.hidden)) if left and left != self.shown else self

    def moved(self, path: str, steps: int) -> "ColumnChoice":
        """A shown column further to the left (negative) or to the right, as far as there is room."""
        column = self.column(path)
        if column is None:
            return self
        columns = [other for other in self.shown if other != column]
        at = self.shown.index(column) + steps
        columns.insert(max(0, min(at, len(columns))), column)
        return replace(self, shown=tuple(columns))

    def sized(self, path: str, width: int | None) -> "ColumnChoice":
        """A shown column with another width in cells; None: as its values need."""
        if width is not None:
            width = max(MIN_WIDTH, min(width, MAX_CHOSEN_WIDTH))
        return replace(self, shown=tuple(replace(c, width=width) if c.field == path else c for c in self.shown))
