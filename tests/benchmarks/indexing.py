"""What an index costs: to build, on the disk, at every key in the finder, and to a page-down while it is built."""

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import process_time

from svc_tui.bootstrap.index.open_index import index_file
from svc_tui.domain.editing.ports import StorageScope
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.jsontext import encode_json
from svc_tui.domain.model.records import Page, Record
from svc_tui.domain.search.record_index import IndexRules, PageReading
from svc_tui.sandbox.seeds.operations import CollectionSizes, lots
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.store.record_index.sqlite_index import SqliteRecordIndex
from tests.benchmarks.paints import ROWS, PseudoTerminal, anything, painter, text
from tests.ui.memory_gateway import LOTS

TYPED = ("lot-0123", "gold ore", "tun-07", "wrk-0042", "rejected massKg>4100")
"""What is typed key by key: an id, a name, references, a word with a condition."""

SCOPE = StorageScope("benchmark", Environment.SANDBOX, "benchmark")
"""The service that the program of the benchmarks is on."""

_LIMIT = 200
_PAGES_DOWN = 100
_PAGE_DOWN = b"\x1b[6~"


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """Seconds of processor for each record `built`; `size` over the records' JSON; seconds until each key is painted.

    `page_down` and `page_down_building` are seconds of a page-down, the latter while an index is built.
    """

    built: float
    size: float
    painted: Sequence[float]
    page_down: float
    page_down_building: float

    @property
    def median(self) -> float:
        """The key in the middle."""
        return median(self.painted)

    @property
    def worst(self) -> float:
        """The key that is painted last."""
        return max(self.painted)


def measure_index(count: int = 1_000_000) -> IndexFigures:
    """Everything, with so many records."""
    with tempfile.TemporaryDirectory() as directory, _built(Path(directory), count) as (built, size):
        with painter("indexed", 200, more={"INDEXES": directory}) as program:
            painted = _keys_painted(program)
        page_down, building = (_page_down(name, count) for name in ("app", "indexing"))
    return IndexFigures(built, size, painted, page_down, building)


@contextmanager
def _built(directory: Path, count: int) -> Iterator[tuple[float, float]]:
    """An index of so many lots in that directory, which no other program sweeps; seconds a record, size over JSON."""
    loop = asyncio.new_event_loop()
    index = SqliteRecordIndex(index_file(directory, SCOPE, IndexRules()))
    try:
        index.claim()
        yield loop.run_until_complete(_build(index, count))
    finally:
        loop.run_until_complete(index.aclose())
        loop.close()


async def _build(index: SqliteRecordIndex, count: int) -> tuple[float, float]:
    make = lots(sizes := CollectionSizes(count, 10))
    sweep = await index.begin_sweep(LOTS.key, _LIMIT)
    seconds, json_bytes = 0.0, 0
    for start in range(0, count, _LIMIT):
        rows = range(start, min(start + _LIMIT, count))
        records = tuple(Record(make(row, SeededRandom(LOTS.key, row), sizes)) for row in rows)
        json_bytes += sum(len(encode_json(record.fields)) for record in records)
        began = process_time()
        page = Page(records, start // _LIMIT + 1, _LIMIT, count)
        await index.add_page(PageReading(LOTS.key, page, datetime.now(UTC)), sweep)
        seconds += process_time() - began
    await index.end_sweep(sweep, datetime.now(UTC), count)
    return seconds / count, (await index.status()).size / json_bytes


def _keys_painted(program: PseudoTerminal) -> list[float]:
    program.begins(text("000002"))
    program.settled(quiet=1.0)
    program.paints(b"\x06", text("Find"))
    program.settled(quiet=0.3)
    painted: list[float] = []
    for typed in TYPED:
        painted += [program.last_paint(letter.encode(), quiet=0.3) for letter in typed]
        program.press(b"\x15", quiet=0.3)
    return painted


def _page_down(name: str, count: int) -> float:
    with painter(name, count) as program:
        program.begins(text("000002"))
        program.settled(quiet=0.3)
        # None at the end, where nothing is painted.
        pages = min(_PAGES_DOWN, count // ROWS - 2)
        return median(program.paints(_PAGE_DOWN, anything) for _ in range(pages))
