"""What a key costs in the filter line, with 20,000 records loaded: the choosing alone, and until it is painted.

The choosing is measured in processor time, the painting from the key to the last byte on a terminal.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time

from svc_tui.domain.collections.arranged_rows import ArrangedRows
from svc_tui.domain.collections.filters import Filter, field_begun, parse_filter
from svc_tui.domain.collections.page_cache import MAX_RECORDS
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.model.records import Page
from tests.benchmarks.paints import anything, painter, text
from tests.ui.memory_gateway import lot

TYPED = ("damp north", "note:damp", "massKg>500.5", "createdAt>2026-06-01", "assay.goldPpm>=1.5", "!grade:b", "status=")
"""Filters that are typed key by key: a text, one in a field, numbers, a time, one inside another, inverted, empty."""

PAINTED = ("damp", "note:damp", "massKg>500", "createdAt>2026-06-01")
"""Those of them that are typed on the terminal."""

_PAGE, _IN_VIEW = 50, 40
"""Rows of a page, and rows that fill a view."""


@dataclass(frozen=True, slots=True)
class FilterFigures:
    """Seconds of processor time: `shown` of each key until the first rows in view are known, `keys` until all are.

    `step` is the longest that can't be interrupted, `first` is `shown` of the first key of all, `take_in` of a page
    that comes while a filter stands, `order` of sorting.
    """

    shown: Sequence[float]
    keys: Sequence[float]
    step: float
    first: float
    take_in: float
    order: float

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
    pages = [
        Page(tuple(lot(row) for row in range(first, first + _PAGE)), first // _PAGE + 1, _PAGE, count)
        for first in range(0, count, _PAGE)
    ]
    # What was there before is never looked at by the collector, as in the program itself.
    gc.freeze()
    rows = SparseRows(_PAGE, count)
    for page in pages:
        rows.add(page)
    arranged = ArrangedRows(rows)
    times = [_arrange(arranged, TYPED[0][:1])]
    for typed in TYPED:
        arranged.choose(Filter())
        times += [_arrange(arranged, typed[:length]) for length in range(1, len(typed) + 1)]
    _arrange(arranged, "note:damp")
    rows.add(pages[-1])
    take_in = _arrange(arranged, "note:damp")
    order = _arrange(arranged, "", Sort("massKg"))
    first, *keys = times
    step = max(key.step for key in (*times, take_in, order))
    return FilterFigures(
        [key.shown for key in keys], [key.whole for key in keys], step, first.shown, take_in.whole, order.whole
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """Seconds until the rows in view were known, until all were, and of the longest step in between."""

    shown: float
    whole: float
    step: float


def _arrange(arranged: ArrangedRows, typed: str, sort: Sort | None = None) -> _Times:
    begun = latest = process_time()
    arranging = arranged.arranging(parse_filter(typed, arranged.field_names()), sort)
    shown = step = 0.0
    while arranging.step():
        if not shown and sort is None and arranging.count >= _IN_VIEW:
            arranged.show(arranging)
            shown = process_time() - begun
        step, latest = max(step, process_time() - latest), process_time()
    arranged.show(arranging)
    ended = process_time()
    if path := field_begun(typed, arranged.field_names()):
        for _ in arranged.preparing(path):
            pass
    return _Times(shown or ended - begun, ended - begun, max(step, ended - latest))


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
