"""Finding records: what the finder searches, what it reads for that, and where it leads."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.domain.app.visit_history import VisitHistory
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.data.references import ReferenceResolver
from svc_tui.domain.editing.ports import JournalEntry, StoreError
from svc_tui.domain.http.routes import PlaceError, parse_place
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.durations import span_words
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.reading import MAX_RECORDS, CollectionsReader
from svc_tui.domain.search.record_search import Match, Origin, SearchedRows, count_held
from svc_tui.domain.search.referring import Referring
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.session.context import Context
from svc_tui.ui.session.drafts import Drafts

if TYPE_CHECKING:
    from svc_tui.ui.table.open_collection import OpenCollection

_READING = "finder"
"""The group of the worker that reads collections for the finder."""

_MAX_WRITES = 500
"""Writes of the journal that are searched, the newest."""


class FinderController:
    """Opens the finder, and holds what was read for it until the session ends."""

    def __init__(
        self,
        context: Context,
        opened: "Callable[[], Sequence[OpenCollection]]",
        drafts: Drafts,
        visited: Callable[[], VisitHistory],
    ) -> None:
        """Make it; `opened` gives the collections that are open, `visited` the places visited."""
        self._context, self._opened, self._drafts, self._visited = context, opened, drafts, visited
        self._reader = CollectionsReader(context.gateway, context.profile.page_size, context.session.monotonic)
        self._loaded: dict[SparseRows, SearchedRows] = {}
        self._fixed: Sequence[SearchedRows] = ()
        """What does not change while the finder is open: edits, the journal, places visited."""

    async def find(self, text: str = "") -> None:
        """Have the user find a record, `text` being in the line already, and open it."""
        await self._open(text)

    async def referrers(self) -> None:
        """Have the user choose among the records that point at the one at hand, and open it."""
        place = self._context.selection.place
        if place is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return
        await self._open("", self.referring(place))

    def referring(self, place: Place) -> Referring:
        """What tells which records point at the one at `place`."""
        return Referring(place, self._resolver)

    def _resolver(self, collection: Collection) -> ReferenceResolver:
        session, profile = self._context.session, self._context.profile
        return ReferenceResolver(
            collection, session.collections, profile.references(collection), self._context.selection.home_of
        )

    async def _open(self, text: str, referring: Referring | None = None) -> None:
        from svc_tui.ui.finder.finder_screen import FinderScreen

        # The journal and the places visited hold ids alone, or what was before: nothing points by them.
        self._fixed = self._unsent() if referring else (*self._unsent(), *await self._journal(), *self._places())
        place = await self._context.show(FinderScreen(self, text, referring))
        # What was made ready to be searched takes more room than what it was made of.
        for source in (*self._loaded.values(), *(reading.source for reading in self._reader.readings.values())):
            source.index.clear()
        self._loaded, self._fixed = {}, ()
        if place is not None:
            self._context.go(place)

    # What is searched

    @property
    def secrets(self) -> Sequence[str]:
        """Texts that are never taken."""
        return self._context.gateway.secrets

    @property
    def reading(self) -> bool:
        """Whether collections are being read."""
        return self._reader.now_reading is not None

    def sources(self) -> Sequence[SearchedRows]:
        """The records held now, those that count first."""
        loaded = {opened.rows: self._loaded_rows(opened) for opened in self._opened()}
        self._loaded = loaded
        read = [reading.source for reading in self._reader.readings.values()]
        unsent = [source for source in self._fixed if source.origin is Origin.UNSENT]
        others = [source for source in self._fixed if source.origin is not Origin.UNSENT]
        return (*unsent, *loaded.values(), *read, *others)

    def held_rows(self) -> Sequence[tuple[Collection, SparseRows]]:
        """The rows that are held of each collection, loaded or read, those that count first; no edits are in them."""
        loaded = [(opened.collection, opened.rows) for opened in self._opened()]
        read = [(reading.source.collection, reading.source.rows) for reading in self._reader.readings.values()]
        return (*loaded, *read)

    def seen(self, match: Match) -> Record:
        """The record of a match, as it may be shown."""
        return self._context.privacy_mask.record(match.record, match.source.collection.domain)

    def now(self) -> float:
        """The monotonic clock."""
        return self._context.session.monotonic()

    def _loaded_rows(self, opened: "OpenCollection") -> SearchedRows:
        known = self._loaded.get(opened.rows)
        if known is None:
            known = SearchedRows(opened.collection, opened.rows, Origin.LOADED)
        known.read_at = opened.read_at
        return known

    def _unsent(self) -> Sequence[SearchedRows]:
        records = [
            (place.collection, Record(draft.fields))
            for place in self._drafts.places
            if (draft := self._drafts.draft(place)) is not None
        ]
        return _by_collection(records, Origin.UNSENT)

    async def _journal(self) -> Sequence[SearchedRows]:
        try:
            entries = await self._context.journal.entries(_MAX_WRITES)
        except StoreError as error:
            self._context.notify(Report(str(error), "The journal could not be searched", "warning"))
            return ()
        records = [written for entry in entries if (written := self._written(entry)) is not None]
        return _by_collection(records, Origin.JOURNAL)

    def _written(self, entry: JournalEntry) -> tuple[Collection, Record] | None:
        intent, outcome = entry.intent, entry.outcome
        try:
            place = parse_place((outcome.place if outcome else "") or intent.place, self._context.session.collections)
        except PlaceError:
            # A request by hand, to what is no record.
            return None
        if place.record_id is None:
            return None
        fields: dict[str, Json] = {"id": place.record_id, **(intent.before or {}), **(intent.after or {})}
        ticket: dict[str, Json] = {"ticket": intent.ticket} if intent.ticket else {}
        return place.collection, Record({**fields, "id": place.record_id, **ticket})

    def _places(self) -> Sequence[SearchedRows]:
        places = dict.fromkeys(reversed(self._visited().places))
        return _by_collection(
            [(place.collection, Record({"id": place.id})) for place in places if place.record_id], Origin.VISITED
        )

    # What is read besides

    def state(self) -> str:
        """What is searched, and what is being read, in one line."""
        reader, sources = self._reader, self.sources()
        held = f"{_count(count_held(sources), 'record')} held"
        if (reading := reader.now_reading) is not None:
            left = reading.requests_left
            of = f" of {reading.pages + left:,}" if left is not None else ""
            pace = self._time(left) if left else ""
            return f"{held} · reading {reading.source.collection.name} {reading.pages:,}{of}{pace} · esc stops"
        unread = len(self._left)
        return f"{held} · ctrl+l reads {_count(unread, 'more collection')}" if unread else held

    def problem(self) -> str:
        """What could not be read, and why; "" where nothing failed."""
        readings = self._reader.readings.values()
        failed = [(reading, str(reading.problem)) for reading in readings if reading.problem is not None]
        cut = [(reading, f"only its first {MAX_RECORDS:,} records are searched") for reading in readings if reading.cut]
        return "; ".join(f"{reading.source.collection.name}: {problem}" for reading, problem in (*failed, *cut))

    def offers(self) -> "Sequence[tuple[Content, Sequence[Collection]]]":
        """What more can be read, and what each of it costs."""
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
            (Content(f"all {len(left)} collections: {_cost_words(known, unknown)}{time}"), left),
            *alone,
        ]

    def _time(self, requests: int) -> str:
        reader = self._reader
        seconds = requests * reader.seconds / reader.requests if reader.requests else 0
        return f", about {span_words(seconds)}" if seconds >= 1 else ""

    @property
    def changes(self) -> int:
        """How often something changed of what was read, or is being read."""
        return self._reader.changes

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
        return loaded | {key for key, reading in self._reader.readings.items() if reading.complete}

    def _requests_left(self, collection: Collection) -> int | None:
        """How many requests read the rest of a collection; None where nothing tells."""
        reading = self._reader.readings.get(collection.key, None)
        if reading is not None and (left := reading.requests_left) is not None:
            return left
        opened = next((opened for opened in self._opened() if opened.collection == collection), None)
        if opened is None or opened.rows.total is None or opened.query:
            return None
        return -(-opened.rows.total // opened.rows.page_size)


def _cost_words(requests: int, unknown: int) -> str:
    """What reading costs: so many requests, and for each of the `unknown` at least one."""
    return (
        f"at least {_count(requests + unknown, 'request')}, not counted yet" if unknown else _count(requests, "request")
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _by_collection(records: Sequence[tuple[Collection, Record]], origin: Origin) -> Sequence[SearchedRows]:
    """The records as what is searched, a part for each collection; of one that comes twice, the first."""
    parts: dict[Collection, dict[str, Record]] = {}
    for collection, record in records:
        if record.id is not None:
            parts.setdefault(collection, {}).setdefault(record.id, record)
    return [SearchedRows.of(collection, list(part.values()), origin) for collection, part in parts.items()]
