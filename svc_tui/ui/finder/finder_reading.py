"""What is read for the finder, besides what is held anyway: what that costs, how far it has come, what failed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.durations import span_words
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.reading import MAX_RECORDS, CollectionsReader
from svc_tui.domain.search.record_search import SearchedRows, count_held
from svc_tui.ui.finder.index_controller import KEEP, IndexController
from svc_tui.ui.session.context import Context

if TYPE_CHECKING:
    from svc_tui.ui.table.open_collection import OpenCollection

_READING = "finder"
"""The group of the worker that reads collections for the finder."""


class FinderReading:
    """Reads collections to their end where the user wants that; what was read is held until the session ends."""

    def __init__(
        self, context: Context, index: IndexController, opened: "Callable[[], Sequence[OpenCollection]]"
    ) -> None:
        """Make it; `opened` gives the collections that are open."""
        self._context, self._index, self._opened = context, index, opened
        self._reader = CollectionsReader(context.gateway, context.profile.bulk_page_size, context.session.monotonic)

    @property
    def reading(self) -> bool:
        """Whether collections are being read."""
        return self._reader.now_reading is not None

    @property
    def sources(self) -> Sequence[SearchedRows]:
        """The records that were read."""
        return [reading.source for reading in self._reader.readings.values()]

    def state(self, searched: Sequence[SearchedRows]) -> str:
        """What is searched, and what is being read, in one line."""
        reader = self._reader
        held = _count(count_held(searched), "loaded record")
        if (reading := reader.now_reading) is not None:
            left = reading.requests_left
            of = f" of {reading.pages + left:,}" if left is not None else ""
            pace = self._time(left) if left else ""
            return f"{held} · loading {reading.source.collection.name} {reading.pages:,}{of}{pace} · esc stop"
        unread = len(self._left)
        indexed = self._index.state()
        if indexed:
            return f"{count_held(searched):,} loaded and {indexed}"
        return f"{held} · ctrl+l load more ({_count(unread, 'collection')})" if unread else held

    def problem(self) -> str:
        """What could not be read, and why; "" where nothing failed."""
        readings = self._reader.readings.values()
        failed = [(reading, str(reading.problem)) for reading in readings if reading.problem is not None]
        cut = [(reading, f"only the first {MAX_RECORDS:,} records are searched") for reading in readings if reading.cut]
        lines = [f"{reading.source.collection.name}: {problem}" for reading, problem in (*failed, *cut)]
        return "; ".join(filter(None, (*lines, self._index.problem())))

    def offers(self) -> "Sequence[tuple[Content, Callable[[], None]]]":
        """What more can be read, what each of it costs, and what begins it."""
        return [(line, partial(self.start_reading, chosen)) for line, chosen in self._readable()] + self._index_offer()

    def _index_offer(self) -> "list[tuple[Content, Callable[[], None]]]":
        return [] if self._index.wanted else [(KEEP, self._index.keep)]

    def _readable(self) -> "Sequence[tuple[Content, Sequence[Collection]]]":
        left = self._left
        if not left:
            return ()
        costs = {collection.key: self._requests_left(collection) for collection in left}
        known, unknown = sum(cost or 0 for cost in costs.values()), sum(cost is None for cost in costs.values())
        alone = [(Content(f"{c.key}: {_cost_words(costs[c.key] or 0, costs[c.key] is None)}"), (c,)) for c in left]
        if len(left) == 1:
            return alone
        # What nobody has counted takes nobody knows how long.
        time = "" if unknown else self._time(known)
        return [
            (Content(f"All {len(left)} collections: {_cost_words(known, unknown)}{time}"), left),
            *alone,
        ]

    def _time(self, requests: int) -> str:
        reader = self._reader
        seconds = requests * reader.seconds / reader.requests if reader.requests else 0
        return f", about {span_words(seconds)}" if seconds >= 1 else ""

    @property
    def changes(self) -> int:
        """How often something changed of what was read, or is being read."""
        return self._reader.changes + self._index.changes

    def start_reading(self, collections: Sequence[Collection]) -> None:
        """Read these to their end, behind whatever the user does meanwhile."""
        self._context.screen.run_worker(self._reader.read(collections), group=_READING, exclusive=True)

    def stop_reading(self) -> None:
        """Read no further; what was read stays."""
        self._context.screen.workers.cancel_group(self._context.screen, _READING)

    def note(self, place: Place, record: Record) -> None:
        """The record at `place` was read by itself just now."""
        self._reader.note(place, record)

    @property
    def _left(self) -> Sequence[Collection]:
        """The collections of which there is more to read."""
        whole = self._whole
        return [collection for collection in self._context.session.collections if collection.key not in whole]

    @property
    def _whole(self) -> set[str]:
        """The keys of the collections of which every record is held, or was tried to be read."""
        # What the service chose for a query is not all that there is.
        alls = [opened for opened in self._opened() if opened.rows.end_known and not opened.query]
        loaded = {opened.collection.key for opened in alls if opened.rows.cached == opened.rows.total}
        loaded |= {one.key for one in self._context.session.collections if self._index.complete(one.key)}
        return loaded | {key for key, reading in self._reader.readings.items() if reading.complete}

    def _requests_left(self, collection: Collection) -> int | None:
        """How many requests read the rest of a collection; None where nothing tells."""
        reading = self._reader.readings.get(collection.key, None)
        if reading is not None and (left := reading.requests_left) is not None:
            return left
        opened = next((opened for opened in self._opened() if opened.collection == collection), None)
        if opened is None or opened.rows.total is None or opened.query:
            return None
        return -(-opened.rows.total // self._reader.page_size)


def _cost_words(requests: int, unknown: int) -> str:
    """What reading costs: so many requests, and for each of the `unknown` at least one."""
    return f"at least {_count(requests + unknown, 'request')}, size unknown" if unknown else _count(requests, "request")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
