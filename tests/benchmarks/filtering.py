"""What a key costs in the filter line, with 20,000 records loaded: the choosing alone, and until it is painted.

The choosing is measured in processor time, the painting from the key to the last byte on a terminal.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time

from svc_tui.domain.collections.arranged_rows import ArrangedRows
from svc_tui.domain.collections.filters import Filter, parse_filter
from svc_tui.domain.collections.page_cache import MAX_RECORDS
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.model.records import Page
from tests.benchmarks.paints import anything, painter, text
from tests.ui.memory_gateway import lot

TYPED = ("damp north", "note:damp", "massKg>500.5", "createdAt>2026-06-01", "assay.goldPpm>=1.5", "!grade:b", "status=")
"""Filters that are typed key by key: a text, one in a field, numbers, a time, one inside another, inverted, empty."""

PAINTED = ("damp", "note:damp", "massKg>500", "createdAt>2026-06-01")
"""Those of them that are typed on the terminal."""

_PAGE = 50


@dataclass(frozen=True, slots=True)
class FilterFigures:
    """Seconds: `keys` of each key, `take_in` when pages have come and a filter stands, `first` of the first key."""

    keys: Sequence[float]
    take_in: float
    first: float

    @property
    def worst(self) -> float:
        """The dearest key."""
        return max(self.keys)

    @property
    def median(self) -> float:
        """The key in the middle."""
        return median(self.keys)


@dataclass(frozen=True, slots=True)
class PaintedFilterFigures:
    """Seconds until the last byte: `opening` for `/`, `first` for the first key, `keys` for those that follow."""

    opening: float
    first: float
    keys: Sequence[float]


def measure_filter(count: int = MAX_RECORDS) -> FilterFigures:
    """The choosing alone, by seconds of processor time."""
    # What was there before is never looked at by the collector, as in the program itself.
    gc.freeze()
    rows = SparseRows(_PAGE, count)
    arranged = ArrangedRows(rows)
    for number in range(1, count // _PAGE + 1):
        records = tuple(lot(row) for row in range((number - 1) * _PAGE, number * _PAGE))
        rows.add(Page(records, number, _PAGE, count))
    begun = process_time()
    arranged.take_in()
    _choose(arranged, TYPED[0][0])
    first = process_time() - begun
    keys: list[float] = []
    for typed in TYPED:
        arranged.choose(Filter())
        keys += [_choose(arranged, typed[:length]) for length in range(1, len(typed) + 1)]
    _choose(arranged, "note:damp")
    begun = process_time()
    arranged.take_in()
    return FilterFigures(keys, process_time() - begun, first)


def _choose(arranged: ArrangedRows, typed: str) -> float:
    begun = process_time()
    arranged.choose(parse_filter(typed, arranged.field_names()))
    return process_time() - begun


def measure_painted_filter(count: int = MAX_RECORDS) -> PaintedFilterFigures:
    """From key to last byte, in the whole program with all records loaded."""
    keys: list[float] = []
    with painter("loaded", count) as table:
        table.begins(text("000002"))
        # All has come when nothing more is painted.
        table.settled(quiet=1.0)
        opening = table.paints(b"/", anything)
        for typed in PAINTED:
            for length in range(1, len(typed) + 1):
                # The frame says which filter the rows were chosen by, once there is one.
                shows = anything if typed[length - 1] == ">" else text(f"filter {typed[:length]}")
                keys.append(table.paints(typed[length - 1].encode(), shows))
            table.press(b"\x15")
        first, *others = keys
        return PaintedFilterFigures(opening, first, others)
