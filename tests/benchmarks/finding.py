"""What a key costs in the finder, with 20,000 records held: the search alone, and until its first results are painted.

The search is measured in processor time, the painting from the key to the last byte on a terminal.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time

from svc_tui.records.rows import MAX_RECORDS
from svc_tui.search.record_search import RecordSearch
from svc_tui.search.sources import LoadedRows, Origin
from tests.benchmarks.paints import anything, painter, text
from tests.benchmarks.records import stored_lots
from tests.ui.memory_gateway import LOTS

TYPED = ("damp north", "lot-012", "tunnel-007", "rejected massKg>500")
"""What is typed key by key: words, an id, a reference that many hold, a word with a condition."""


@dataclass(frozen=True, slots=True)
class FinderFigures:
    """Seconds for each key: `found` of processor until all is found, `painted` until first results are; `opening`."""

    found: Sequence[float]
    opening: float
    painted: Sequence[float]

    @property
    def worst(self) -> float:
        """The key that is painted last."""
        return max(self.painted)

    @property
    def median(self) -> float:
        """The key in the middle."""
        return median(self.painted)


def measure_finder(count: int = MAX_RECORDS) -> FinderFigures:
    """The keys of all that is typed, over so many records that are loaded."""
    found = measure_search(count)
    painted: list[float] = []
    with painter("loaded", count) as program:
        program.begins(text("000002"))
        # All has come, and is ready to be searched, when nothing more is painted.
        program.settled(quiet=1.0)
        opening = program.paints(b"\x06", text("Search"))
        # Between two blinks of the cursor.
        program.settled(quiet=0.2)
        for typed in TYPED:
            painted += [program.paints(letter.encode(), anything, quiet=0.2) for letter in typed]
            program.press(b"\x15")
    return FinderFigures(found, opening, painted)


def measure_search(count: int = MAX_RECORDS) -> Sequence[float]:
    """The search alone, from one key to the next, once all was made ready."""
    rows = stored_lots(count)
    gc.freeze()
    source = LoadedRows(LOTS, Origin.LOADED, rows=rows)
    _found(source, "")
    return [_found(source, typed[:length]) for typed in TYPED for length in range(1, len(typed) + 1)]


def _found(source: LoadedRows, typed: str) -> float:
    begun = process_time()
    search = RecordSearch([source], typed)
    while search.step():
        pass
    search.best()
    return process_time() - begun
