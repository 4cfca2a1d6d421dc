"""Loading of collections for the search: start and stop, number of requests, progress, problems."""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.durations import span_words
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.search.reading import CollectionsReader, fails_for_all
from svc_tui.search.sources import LoadedRows
from svc_tui.service.errors import is_about_one_record
from svc_tui.ui.context import Context
from svc_tui.ui.finder.index_controller import KEEP, IndexController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    pass

_READING = "finder"
"""The group of the worker that reads collections for the finder."""

_ALWAYS = Content("Always load all collections when you search")
_NEVER = Content("Load collections only when you choose them here")


class FinderReading:
    """Loads collections to their end, in the background; the records are held until the session ends."""

    @dataclass
    class Loading(Message):
        """The collection that is being loaded, for the status bar; "" where loading has ended."""

        name: str

    def __init__(self, context: Context, index: IndexController) -> None:
        """Make it; `opened` gives the collections that are open."""
        self._context, self._index = context, index
        self._reader = CollectionsReader(
            context.gateway, context.records, context.profile.bulk_page_size, context.session.monotonic
        )
        self._pending: list[Collection] = []
        """The collections left to load; the first one is being loaded."""
        self._total = 0
        """The number of collections when loading began."""

    @property
    def reading(self) -> bool:
        """Whether collections are being loaded."""
        return bool(self._pending)

    @property
    def sources(self) -> Sequence[LoadedRows]:
        """The records that were read."""
        return [reading.source for reading in self._reader.readings.values()]

    def loaded(self, collection: Collection) -> LoadedRows | None:
        """The records of a collection if all of them were loaded."""
        reading = self._reader.readings.get(collection.key)
        whole = reading is not None and reading.complete and not reading.is_cut and reading.problem is None
        return reading.source if reading is not None and whole else None

    def state(self, held: int) -> str:
        """Return how many records were searched, `held` and those of the index, and the progress of loading."""
        indexed = self._index.state()
        words = (
            f"{held:,} loaded and {indexed}"
            if indexed
            else counted(held, "record" if self._pending else "loaded record")
        )
        return " · ".join(filter(None, (words, self.progress)))

    @property
    def progress(self) -> str:
        """The progress of loading; "" if nothing is being loaded."""
        if not self._pending:
            return ""
        collection = self._pending[0]
        if self._total > 1:
            number = self._total - len(self._pending) + 1
            return f"loading {collection.name}, {number} of {self._total} collections"
        reading = self._reader.reading(collection)
        left = reading.requests_left
        of = f" of {reading.pages + left:,}" if left is not None else ""
        return f"loading {collection.name} {reading.pages:,}{of}{self._time(left) if left else ''}"

    @property
    def hint(self) -> str:
        """The key that loads more; "" if nothing is left to load."""
        missing = self._missing
        return f"ctrl+l search {counted(len(missing), 'more collection')}" if missing and not self._pending else ""

    @property
    def question(self) -> str:
        """The question whether a search loads all collections of a LIVE profile; "" where there is none."""
        missing = self._missing
        if not missing or self._pending or not self._is_live or self._context.remembered.search_loading is not None:
            return ""
        amount = "all" if len(missing) == len(self._context.session.collections) else "the other"
        known, unknown = self._cost(missing)
        requests = counted(known + unknown, "request")
        collections = counted(len(missing), "collection")
        cost = f"at least {requests}" if unknown else f"about {requests}"
        return f"Load {amount} {collections} ({cost})? ctrl+l yes · ctrl+n no"

    def answer(self, *, yes: bool) -> None:
        """Have each search load all collections from now on, or only what the user chooses."""
        self._context.screen.run_worker(self._context.remembered.choose_search_loading(on=yes), group="memory")
        if yes:
            self.load_missing()

    @property
    def is_automatic(self) -> bool:
        """True if a search loads all collections without being asked to."""
        return not self._is_live or self._context.remembered.search_loading is True

    @property
    def _is_live(self) -> bool:
        return self._context.gateway.environment is Environment.LIVE

    def problem(self) -> str:
        """What could not be read, and why; "" where nothing failed."""
        readings = self._reader.readings.values()
        failed = [(reading, str(reading.problem)) for reading in readings if reading.problem is not None]
        cut = [
            (reading, f"only the first {reading.source.rows.cached:,} records are searched")
            for reading in readings
            if reading.is_cut
        ]
        lines = [f"{reading.source.collection.name}: {problem}" for reading, problem in (*failed, *cut)]
        return "; ".join(filter(None, (*lines, self._index.problem())))

    def offers(self) -> "Sequence[tuple[Content, Callable[[], None]]]":
        """What more can be read, what each of it costs, and what begins it."""
        offers: list[tuple[Content, Callable[[], None]]] = []
        offers += [(line, partial(self.start_reading, chosen)) for line, chosen in self._readable()]
        if not self._index.wanted:
            offers.append((KEEP, self._index.keep))
        if self._is_live:
            automatic = self.is_automatic
            offers.append((_NEVER if automatic else _ALWAYS, partial(self.answer, yes=not automatic)))
        return offers

    def _readable(self) -> "Sequence[tuple[Content, Sequence[Collection]]]":
        left = self._left
        if not left:
            return ()
        known, unknown = self._cost(left)
        alone = [(Content(f"{one.key}: {_cost_words(*self._cost((one,)))}"), (one,)) for one in left]
        if len(left) == 1:
            return alone
        # What nobody has counted takes nobody knows how long.
        time = "" if unknown else self._time(known)
        return [
            (Content(f"All {len(left)} collections: {_cost_words(known, unknown)}{time}"), left),
            *alone,
        ]

    def _cost(self, collections: Sequence[Collection]) -> tuple[int, int]:
        """Return the number of requests that load these, and how many collections are of unknown size."""
        costs = [self._requests_left(collection) for collection in collections]
        return sum(cost or 0 for cost in costs), costs.count(None)

    def _time(self, requests: int) -> str:
        reader = self._reader
        seconds = requests * reader.seconds / reader.requests if reader.requests else 0
        return f", about {span_words(seconds)}" if seconds >= 1 else ""

    @property
    def changes(self) -> int:
        """How often something changed of what was read, or is being read."""
        return self._reader.changes + self._index.changes

    def load_missing(self) -> None:
        """Load the missing collections, the smallest first, if a search loads all collections."""
        if self.is_automatic and not self._pending and (missing := self._missing):
            self._start(list(missing), by_size=True)

    def start_reading(self, collections: Sequence[Collection]) -> None:
        """Load these in the background, then those that were to be loaded before."""
        self._start([*collections, *(one for one in self._pending if one not in collections)])

    def _start(self, pending: list[Collection], *, by_size: bool = False) -> None:
        self._pending, self._total = pending, len(pending)
        self._context.screen.run_worker(self._load(pending, by_size=by_size), group=_READING, exclusive=True)

    async def _load(self, pending: list[Collection], *, by_size: bool) -> None:
        screen = self._context.screen
        try:
            while pending:
                if by_size:
                    pending.sort(key=self._loading_order)
                collection = pending[0]
                reading = self._reader.reading(collection)
                screen.post_message(self.Loading(collection.name))
                await self._reader.read(collection, first_page_only=by_size and self._is_of_unknown_size(collection))
                if reading.problem is not None and fails_for_all(reading.problem):
                    # The search shows it, where that is open; Textual calls the screen below it current, too.
                    if screen.app.screen is screen:
                        self._context.notify(Report(str(reading.problem), "Loading for the search stopped", "warning"))
                    break
                if reading.complete or reading.problem is not None:
                    pending.pop(0)
        finally:
            if self._pending is pending:
                self._pending = []
                screen.post_message(self.Loading(""))
            self._reader.changes += 1
        self._context.workspace.record_display.refresh_history()

    def _is_of_unknown_size(self, collection: Collection) -> bool:
        """Whether the number of requests that load a collection is unknown, and its first page may have it."""
        return self._requests_left(collection) is None and self._reader.reading(collection).pages == 0

    def _loading_order(self, collection: Collection) -> tuple[bool, bool, float]:
        """Collections that failed come last, those of unknown size first, then those with the fewest requests."""
        has_failed = self._reader.reading(collection).problem is not None
        requests = self._requests_left(collection)
        return has_failed, not self._is_of_unknown_size(collection), inf if requests is None else requests

    def stop_reading(self) -> None:
        """Stop loading; the records that were loaded stay."""
        self._context.screen.workers.cancel_group(self._context.screen, _READING)

    def commands(self) -> Iterator[Command]:
        """Commands for the palette while collections are being loaded."""
        if self._pending:
            yield Command("Stop loading", "Stop loading collections for the search", self.stop_reading)

    def note(self, place: Place, record: Record) -> None:
        """The record at `place` was read by itself just now."""
        self._reader.note(place, record)

    @property
    def _left(self) -> Sequence[Collection]:
        """The collections of which there is more to read."""
        ended = self.whole | {key for key, reading in self._reader.readings.items() if reading.complete}
        return [collection for collection in self._context.session.collections if collection.key not in ended]

    @property
    def _missing(self) -> Sequence[Collection]:
        """The collections that a search still has to load; an index that is kept up to date loads them itself."""
        if self._index.is_updated:
            return ()
        readings = self._reader.readings
        problems = {key: reading.problem for key, reading in readings.items() if reading.problem is not None}
        refused = {key for key, problem in problems.items() if is_about_one_record(problem)}
        return [collection for collection in self._left if collection.key not in refused]

    @property
    def whole(self) -> Set[str]:
        """The keys of the collections of which every record is held."""
        # What the service chose for a query is not all that there is.
        alls = [
            opened
            for opened in self._context.workspace.browse.open_collections.opened
            if opened.rows.end_known and not opened.query
        ]
        loaded = {opened.collection.key for opened in alls if opened.rows.cached == opened.rows.total}
        loaded |= {one.key for one in self._context.session.collections if self._index.complete(one.key)}
        return loaded | {one.key for one in self._context.session.collections if self.loaded(one) is not None}

    def _requests_left(self, collection: Collection) -> int | None:
        """How many requests read the rest of a collection; None where nothing tells."""
        reading = self._reader.readings.get(collection.key, None)
        if reading is not None and (left := reading.requests_left) is not None:
            return left
        opened = next(
            (
                opened
                for opened in self._context.workspace.browse.open_collections.opened
                if opened.collection == collection
            ),
            None,
        )
        if opened is None or opened.rows.total is None or opened.query:
            return None
        return -(-opened.rows.total // self._reader.page_size)


def _cost_words(requests: int, unknown: int) -> str:
    """What reading costs: so many requests, and for each of the `unknown` at least one."""
    words = counted(requests + unknown, "request")
    return f"at least {words}, size unknown" if unknown else words
