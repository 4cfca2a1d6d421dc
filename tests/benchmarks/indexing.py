"""What an index costs: to build, on disk, in memory, at every key in the finder, to a page-down while it is built."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from svc_tui.bootstrap.index.open_index import index_file
from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import encode_json
from svc_tui.core.records import Page, Record
from svc_tui.sandbox.data.resources import Resources
from svc_tui.sandbox.seeds.settings import SeedSettings
from svc_tui.storage.key_fingerprints import FILE_NAME, KeyFingerprints
from svc_tui.storage.record_index.index_values import IndexRules, PageReading
from svc_tui.storage.record_index.record_index import RecordIndex
from svc_tui.storage.scope import StorageScope
from tests.benchmarks.memory import most_held
from tests.benchmarks.paints import ROWS, Lines, PseudoTerminal, Screen, anything, painter, text
from tests.ui.memory_gateway import LOTS

TYPED = ("lot-0123", "gold ore", "tun-07", "wrk-0042", "rejected massKg>4100")
"""What is typed key by key: an id, a name, references, a word with a condition."""

IN_BROWSED = ("damp north", "tunnel-007")
"""What is typed besides where memory is measured: the records that were browsed hold these."""

SCOPE = StorageScope("benchmark", Environment.SANDBOX, "benchmark")
KEY = "svc_test_benchmark"
"""The service that the program of the benchmarks is on."""

_STILL = 0.45
"""Seconds without a paint after which nothing more comes; less than from a key to the first blink of the cursor."""

_ABOVE_RESULTS = 4
"""Lines from the title of the finder to the first of its results."""

_LIMIT = 200
PAGES_DOWN = 100
BROWSED, PAGES_OF_RESULTS, _NEXT_KEY = 10_000, 10, 0.1
"""Where memory is measured: records of the collection, pages of results to look at, seconds between keys."""

_PAGE_DOWN = b"\x1b[6~"


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """Seconds from a key in the finder until what it finds is on the screen.

    `in_view`: until the lines of results in view are those that stay. `still`: until nothing else changes either, such
    as how many records fit.
    """

    in_view: float
    still: float


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """Seconds of processor for each record `built`; `size` over the records' JSON; what each of the `keys` took.

    `memory` is the most that the program ever took with the index, over the same browsing without one.
    `page_down` and `page_down_building` are seconds of a page-down, the latter while an index is built.
    """

    built: float
    size: float
    keys: Sequence[KeyFigures]
    memory: float
    page_down: float
    page_down_building: float

    @property
    def in_view(self) -> Sequence[float]:
        """Seconds until the results in view are those that stay, for each key."""
        return [key.in_view for key in self.keys]

    @property
    def still(self) -> Sequence[float]:
        """Seconds until nothing changes any more, for each key."""
        return [key.still for key in self.keys]


def measure_index(count: int = 1_000_000, rounds: int = 3) -> IndexFigures:
    """Everything, with so many records; a page-down in so many starts of the program each way."""
    with tempfile.TemporaryDirectory() as directory, _built(Path(directory), count) as (built, size):
        indexes = {"INDEXES": directory}
        with painter("indexed", 200, more=indexes) as program:
            keys = measure_keys(program)
        memory = _most_held("indexed", indexes) / _most_held("app", {})
        # By turns: from one start of the program to the next a page-down differs by a fifth.
        turns = [(_page_down("app", count), _page_down("indexing", count)) for _ in range(rounds)]
    page_down, building = (median(seconds) for seconds in zip(*turns, strict=True))
    return IndexFigures(built, size, keys, memory, page_down, building)


@contextmanager
def _built(directory: Path, count: int) -> Iterator[tuple[float, float]]:
    """An index of so many lots in that directory, which no other program sweeps; seconds a record, size over JSON."""
    loop = asyncio.new_event_loop()
    key = KeyFingerprints(directory / FILE_NAME).of(KEY)
    index = RecordIndex(index_file(directory, SCOPE, IndexRules(), key))
    try:
        index.claim()
        yield loop.run_until_complete(_build(index, count))
    finally:
        loop.run_until_complete(index.aclose())
        loop.close()


async def _build(index: RecordIndex, count: int) -> tuple[float, float]:
    lots = Resources(SeedSettings(count, 10))[LOTS.key]
    sweep = await index.begin_sweep(LOTS.key, _LIMIT)
    seconds, json_bytes = 0.0, 0
    for start in range(0, count, _LIMIT):
        rows = range(start, min(start + _LIMIT, count))
        records = tuple(Record(lots.seeded(row)) for row in rows)
        json_bytes += sum(len(encode_json(record.fields)) for record in records)
        began = process_time()
        page = Page(records, start // _LIMIT + 1, _LIMIT, count)
        await index.add_page(PageReading(LOTS.key, page, datetime.now(UTC)), sweep)
        seconds += process_time() - began
    await index.end_sweep(sweep, datetime.now(UTC), count)
    return seconds / count, (await index.status()).size / json_bytes


def measure_keys(program: PseudoTerminal) -> Sequence[KeyFigures]:
    """Every key of all that is typed, in the program that has just been started."""
    program.keep()
    program.begins(text("000002"))
    program.settled(quiet=1.0)
    program.paints(b"\x06", text("Search"))
    program.settled(quiet=_STILL)
    screen, keys = Screen(), list[KeyFigures]()
    *_, (_, shown) = screen.states(program.keep())
    for typed in TYPED:
        for letter in typed:
            began = perf_counter()
            program.press(letter.encode(), quiet=_STILL)
            states = list(screen.states(program.keep()))
            keys.append(KeyFigures(*(_last_change(states, shown, part) - began for part in (_results, _texts))))
            shown = states[-1][1]
        program.press(b"\x15", quiet=_STILL)
        *_, (_, shown) = screen.states(program.keep())
    return keys


def _last_change(
    states: Sequence[tuple[float, Lines]], before: Lines, part: Callable[[Lines], Sequence[object]]
) -> float:
    """When a part of the screen changed for the last time; where it did not, when something was painted first."""
    changed = states[0][0]
    for (_, earlier), (moment, later) in pairwise([(0.0, before), *states]):
        if part(earlier) != part(later):
            changed = moment
    return changed


def _texts(lines: Lines) -> Sequence[str]:
    """The texts of the lines: a cursor that blinks changes none."""
    return ["".join(cell.data for cell in line) for line in lines]


def _results(lines: Lines) -> Lines:
    """The lines of the finder below its title, what is typed, and how many records fit, with their colours."""
    title = next(row for row, line in enumerate(_texts(lines)) if "─ Search ─" in line)
    return lines[title + _ABOVE_RESULTS :]


def _most_held(name: str, variables: Mapping[str, str]) -> int:
    """The most kilobytes of a program in which somebody goes through a collection, then looks for some things."""
    with painter(name, BROWSED, more=variables) as program:
        program.begins(text("000002"))
        program.settled(quiet=1.0)
        for _ in range(PAGES_DOWN):
            program.paints(_PAGE_DOWN, anything)
        program.paints(b"\x06", text("Search"))
        for typed in (*TYPED, *IN_BROWSED):
            for letter in typed:
                program.press(letter.encode(), quiet=_NEXT_KEY)
            for _ in range(PAGES_OF_RESULTS):
                program.write(_PAGE_DOWN)
                program.settled()
            program.press(b"\x15", quiet=_NEXT_KEY)
        return most_held(program.process)


def _page_down(name: str, count: int) -> float:
    with painter(name, count) as program:
        program.begins(text("000002"))
        program.settled(quiet=0.3)
        # None at the end, where nothing is painted.
        pages = min(PAGES_DOWN, count // ROWS - 2)
        return median(program.paints(_PAGE_DOWN, anything) for _ in range(pages))
