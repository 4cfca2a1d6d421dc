"""What a key costs in the filter line, with 20,000 records loaded: the choosing alone, and until it is painted.

The choosing is measured in processor time, the painting from the key to the last byte on a terminal.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from svc_tui.core.filters import Filter, field_begun, parse_filter
from svc_tui.core.records import Page
from svc_tui.records.arranged_rows import ArrangedRows
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.records.sparse_rows import SparseRows
from tests.benchmarks.paints import anything, painter, text
from tests.benchmarks.records import Times, arrange, stored_lots

TYPED = ("damp north", "note:damp", "massKg>500.5", "createdAt>2026-06-01", "assay.goldPpm>=1.5", "!grade:b", "status=")
"""Filters that are typed key by key: a text, one in a field, numbers, a time, one inside another, inverted, empty."""

PAINTED = ("damp", "note:damp", "massKg>500", "createdAt>2026-06-01")
"""Those of them that are typed on the terminal."""


@dataclass(frozen=True, slots=True)
class FilterFigures:
    """Seconds of processor time: `shown` of each key until the rows in view are read, `keys` until all are known.

    `step` is the longest that can't be interrupted, `take_in` of a page that comes while a filter stands.
    """

    shown: Sequence[float]
    keys: Sequence[float]
    step: float
    take_in: float

    @property
    def worst(self) -> float:
        """The dearest key."""
        return max(self.shown)

    @property
    def median(self) -> float:
        """The key in the middle."""
        return median(self.shown)


@dataclass(frozen=True, slots=True)
class PaintedFilterFigures:
    """Seconds until the last byte: `opening` for `/`, `first` for the first key, `keys` for those that follow."""

    opening: float
    first: float
    keys: Sequence[float]


def measure_filter(count: int = MAX_RECORDS) -> FilterFigures:
    """The choosing alone, in the steps that the program takes; what it does between the keys is not counted."""
    rows = stored_lots(count)
    # What was there before is never looked at by the collector, as in the program itself.
    gc.freeze()
    arranged = ArrangedRows(rows)
    times: list[Times] = []
    for typed in TYPED:
        arranged.choose(Filter())
        times += [_type(rows, arranged, typed[:length]) for length in range(1, len(typed) + 1)]
    _type(rows, arranged, "note:damp")
    last = rows.pages[-1]
    rows.add(Page(tuple(rows.page_records(last)), last, rows.page_size, count))
    take_in = _type(rows, arranged, "note:damp")
    step = max(seconds for key in (*times, take_in) for seconds in key.slices)
    return FilterFigures([key.in_view for key in times], [key.whole for key in times], step, take_in.whole)


def _type(rows: SparseRows, arranged: ArrangedRows, typed: str) -> Times:
    times = arrange(arranged, parse_filter(typed, arranged.field_names()))
    if path := field_begun(typed, arranged.field_names()):
        for _ in rows.store.prepare(rows.query, path):
            pass
    return times


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
