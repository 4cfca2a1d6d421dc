"""What the record store costs, over plain Python with the same records: time, the longest slice, memory, loading.

Time is that of the processor, except where a service answers. Run as a module it takes a way to hold records and how
many, and prints the kilobytes that they add to the process.
"""

import asyncio
import gc
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from statistics import median
from time import monotonic, perf_counter, process_time
from typing import Any, TypeAlias, TypeVar

import httpx

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.field_path import value_at
from svc_tui.core.filters import Filter, parse_filter
from svc_tui.core.jsontext import ABSENT, encode_json, loads
from svc_tui.core.ordering import sort_key
from svc_tui.core.records import Page, Record
from svc_tui.core.settings import Profile
from svc_tui.core.views import Sort
from svc_tui.records.arranged_rows import ArrangedRows
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.records.summary import Summary, summarize
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from svc_tui.search.reading import CollectionsReader
from svc_tui.storage.record_store import RecordStore
from tests.benchmarks.sandbox import kilobytes
from tests.ui.memory_gateway import lot

T = TypeVar("T")

PAGE_SIZE = 200
FILTERS = ("massKg>500", "note:damp", "damp")
"""A comparison of numbers, a word in one field, a word in any."""

SORTS = ("massKg", "note", "createdAt")
"""Fields of numbers, texts and times."""

SUMMARIZED = "massKg"

ROUNDS = 3
_ROWS_IN_VIEW = 40
_CONCURRENCY = 4
"""Requests that the client has under way while it loads a collection."""

_FIELD_NAMES = {path.casefold(): path for path in SORTS}

Shown: TypeAlias = Sequence[Record] | Summary
"""The records in view, or the summary of a field."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of processor time until what is in view is `shown`, and of each slice until all was done."""

    in_view: float
    slices: Sequence[float]
    shown: Shown

    @property
    def whole(self) -> float:
        """Seconds until all was done."""
        return sum(self.slices)


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """A filter, sort or summary before and after the store made the columns for it, and seconds in plain Python."""

    kind: str
    name: str
    cold: Times
    warm: Times
    plain: float


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """Adding over parsing the JSON of the same pages, seconds of each page that was added, and each task."""

    adding: float
    pages: Sequence[float]
    tasks: Sequence[TaskFigures]

    @property
    def slices(self) -> dict[str, list[float]]:
        """Seconds of each slice, by the kind of work."""
        slices = {"adding": list(self.pages)}
        for task in self.tasks:
            slices.setdefault(task.kind, []).extend(task.cold.slices)
        return slices


@dataclass(frozen=True, slots=True)
class LoadingFigures:
    """Seconds to load all `records` of the local sandbox for a search, and those over a bare loop of httpx."""

    records: int
    seconds: float
    over_bare: float


def measure_store(count: int) -> StoreFigures:
    """Do each task twice in a store of its own with so many records, and once in plain Python."""
    bodies = list(_bodies(count))
    records = [record for body in bodies for record in _parse(body)]
    # What was there before is never looked at by the collector, as in the program itself.
    gc.collect()
    gc.freeze()
    ratios: list[float] = []
    pages: list[float] = []
    tasks: list[TaskFigures] = []
    for kind, name, run, run_plainly in _tasks():
        parsing = sum(_timed(partial(loads, body))[1] for body in bodies)
        rows, adding = _store(bodies, count)
        ratios.append(sum(adding) / parsing)
        pages += adding
        cold, warm = run(rows), run(rows)
        shown, plain = _timed(partial(run_plainly, records))
        assert cold.shown == warm.shown == shown
        tasks.append(TaskFigures(kind, name, cold, warm, plain))
    return StoreFigures(median(ratios), pages, tasks)


def stored_lots(count: int) -> SparseRows:
    """Store so many lots page by page."""
    return _store(_bodies(count), count)[0]


def arrange(arranged: ArrangedRows, wanted: Filter, sort: Sort | None = None) -> Times:
    """Filter and sort in the slices that the program takes; a sort shows nothing until all is sorted."""
    moments, in_view = [process_time()], 0.0
    arranging = arranged.arranging(wanted, sort)
    while not arranging.done:
        arranging.step()
        if arranging.done or (not in_view and sort is None and arranging.count >= _ROWS_IN_VIEW):
            arranged.show(arranging)
            shown = [record for _, record in arranged.held(range(_ROWS_IN_VIEW))]
            in_view = in_view or process_time() - moments[0]
        moments.append(process_time())
    return Times(in_view, [end - begin for begin, end in pairwise(moments)], shown)


def measure_store_memory(count: int) -> tuple[float, float]:
    """The memory that so many records take in the store, at first and once arranged, over that of parsed ones."""
    (parsed,) = _kilobytes_added("parse", count)
    stored, arranged = _kilobytes_added("store", count)
    return stored / parsed, arranged / parsed


def measure_loading(records: int | None = None, rounds: int = ROUNDS) -> LoadingFigures:
    """Load all collections as a search does and with a bare loop, in turn; `records` is that of `SandboxOptions`."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service:
        loadings = [asyncio.run(_load(service)) for _ in range(rounds)]
    counts, seconds, ratios = zip(*loadings, strict=True)
    return LoadingFigures(counts[0], median(seconds), median(ratios))


def _bodies(count: int) -> Iterator[bytes]:
    """The JSON of so many lots, a page at a time."""
    rows = iter(range(count))
    while page := [lot(row).fields for row in islice(rows, PAGE_SIZE)]:
        yield encode_json(page)


def _parse(body: bytes) -> tuple[Record, ...]:
    fields: Any = loads(body)
    return tuple(map(Record, fields))


def _store(bodies: Iterable[bytes], count: int) -> tuple[SparseRows, list[float]]:
    """Add pages to a store of their own; return the rows and the seconds for each page."""
    rows = SparseRows(RecordStore(), "lots", PAGE_SIZE, count + PAGE_SIZE)
    pages = (Page(_parse(body), number, PAGE_SIZE, count) for number, body in enumerate(bodies, 1))
    return rows, [_timed(partial(rows.add, page))[1] for page in pages]


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = process_time()
    result = work()
    return result, process_time() - began


def _tasks() -> Iterator[tuple[str, str, Callable[[SparseRows], Times], Callable[[Sequence[Record]], Shown]]]:
    """Yield the kind and the name of each task, the task in the store, and the same in plain Python."""
    for text in FILTERS:
        yield "filtering", text, partial(_filter, text), partial(_filter_plainly, text)
    for path in SORTS:
        yield "sorting", path, partial(_sort, path), partial(_sort_plainly, path)
    yield "summarizing", SUMMARIZED, _summarize, _summarize_plainly


def _filter(text: str, rows: SparseRows) -> Times:
    return arrange(ArrangedRows(rows), parse_filter(text, _FIELD_NAMES))


def _filter_plainly(text: str, records: Sequence[Record]) -> Shown:
    return list(filter(parse_filter(text, _FIELD_NAMES).matcher(), records))[:_ROWS_IN_VIEW]


def _sort(path: str, rows: SparseRows) -> Times:
    return arrange(ArrangedRows(rows), Filter(), Sort(path))


def _sort_plainly(path: str, records: Sequence[Record]) -> Shown:
    def key_of(record: Record) -> tuple[bool, Any]:
        key = sort_key(value_at(record.fields, path))
        return key is None, key or ()

    return sorted(records, key=key_of)[:_ROWS_IN_VIEW]


def _summarize(rows: SparseRows) -> Times:
    moments, counts = [process_time()], Counter[str]()
    for part in rows.store.counts(rows.query, SUMMARIZED):
        counts = part
        moments.append(process_time())
    # The program does the rest at one go.
    values = [(loads(text, keep_repeated=True) if text else ABSENT, times) for text, times in counts.items()]
    summary = summarize(values)
    moments.append(process_time())
    return Times(moments[-1] - moments[0], [end - begin for begin, end in pairwise(moments)], summary)


def _summarize_plainly(records: Sequence[Record]) -> Shown:
    return summarize((value_at(record.fields, SUMMARIZED), 1) for record in records)


def _hold(way: str, count: int) -> Iterator[object]:
    """Yield an object that holds so many records; for a store, once more after a filter, a sort and a word."""
    if way == "parse":
        yield [record for body in _bodies(count) for record in _parse(body)]
        return
    rows = stored_lots(count)
    yield rows
    arranged = ArrangedRows(rows)
    arrange(arranged, parse_filter(FILTERS[0], _FIELD_NAMES))
    arrange(arranged, Filter(), Sort(SORTS[1]))
    arrange(arranged, parse_filter(FILTERS[2], _FIELD_NAMES))
    yield arranged


def _kilobytes_added(way: str, count: int) -> list[int]:
    run = subprocess.run([sys.executable, "-m", __name__, way, str(count)], capture_output=True, check=True)
    return [int(line) for line in run.stdout.split()]


async def _load(service: SandboxProcess) -> tuple[int, float, float]:
    """Return how many records were loaded, in how many seconds, and that over the seconds of a bare loop."""
    profile, key = Profile("benchmark", sandbox_base_url=service.base_url), service.key("sandbox").api_key
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        SignedClient(profile, KeyPair(key)) as ours,
        httpx.AsyncClient(base_url=service.base_url, headers=headers) as bare,
    ):
        reader = CollectionsReader(ours, RecordStore(), profile.bulk_page_size, monotonic)
        began = perf_counter()
        for collection in COLLECTIONS:
            await reader.read(collection)
        seconds = perf_counter() - began
        loaded = sum(reading.source.rows.cached for reading in reader.readings.values())
        began = perf_counter()
        assert loaded == sum([await _load_bare(bare, collection.path) for collection in COLLECTIONS])
        return loaded, seconds, seconds / (perf_counter() - began)


async def _load_bare(client: httpx.AsyncClient, path: str) -> int:
    """Return how many records a collection has, of which a few pages at a time were loaded after the first."""

    async def load_page(number: int) -> Any:
        response = await client.get(path, params={"page": number, "limit": PAGE_SIZE})
        return response.raise_for_status().json()

    first = await load_page(1)
    numbers = iter(range(2, -(-first["meta"]["total"] // PAGE_SIZE) + 1))

    async def load_rest() -> int:
        return sum([len((await load_page(number))["items"]) for number in numbers])

    return len(first["items"]) + sum(await asyncio.gather(*(load_rest() for _ in range(_CONCURRENCY))))


if __name__ == "__main__":
    before = kilobytes(os.getpid(), "VmRSS")
    for _held in _hold(sys.argv[1], int(sys.argv[2])):
        print(kilobytes(os.getpid(), "VmRSS") - before)
