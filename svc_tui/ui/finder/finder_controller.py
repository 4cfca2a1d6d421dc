"""Finding records and saved requests: what the finder searches, and where it leads."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.core.references import ReferenceResolver
from svc_tui.search.record_search import Match
from svc_tui.search.referring import Pointer, Referring
from svc_tui.search.sources import ListedRecords, LoadedRows, Origin, SearchedRows
from svc_tui.service.routes import PlaceError, is_addressable, parse_place
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.context import Context
from svc_tui.ui.finder.finder_reading import FinderReading
from svc_tui.ui.finder.index_controller import IndexController
from svc_tui.ui.finder.result_export import ResultExport
from svc_tui.ui.keys import availability
from svc_tui.ui.navigation.navigation_controller import NavigationController
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest

_MAX_WRITES = 500
"""Writes of the journal that are searched, the newest."""


_MAX_GLANCED = 20
"""Records of each open collection that tell at a key what ids look like."""


class FinderController:
    """Opens the finder, and holds what was read for it until the session ends."""

    def __init__(
        self,
        context: Context,
        index: IndexController,
        navigation: NavigationController,
        saved: SavedRequestsController,
    ) -> None:
        """Make it; the places that `navigation` visited are searched too."""
        self._context, self._index = context, index
        self._navigation, self._saved = navigation, saved
        self._results = ResultExport(context, self.seen)
        self.reading = FinderReading(context, index)
        self._fixed: Sequence[SearchedRows] = ()
        """What does not change while the finder is open: edits, the journal, places visited."""

    async def find(self, text: str = "") -> None:
        """Have the user find a record or a saved request, `text` being in the line already, and open it."""
        await self._open(text)

    async def referrers(self) -> None:
        """Have the user choose among the records that point at the one at hand, and open it."""
        place = self._context.selection.place
        if place is None or self._context.selection.record is None:
            self._context.notify(Report(availability.NO_RECORD))
            return
        if place.record_id is None:
            self._context.notify(Report(availability.NO_ID))
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
        await self._index.look()
        before = self.reading.changes
        chosen = await self._context.show(FinderScreen(self, self.reading, text, referring))
        self._fixed = ()
        if isinstance(chosen, Place):
            self._context.go(chosen)
        elif chosen is not None:
            await self._saved.open(chosen.file)
        elif self.reading.changes != before:
            # More is held than when that was gathered for the record on show.
            self._context.workspace.record_display.refresh_history()

    # What is searched

    def local_now(self) -> datetime:
        """The time, in the zone of the user."""
        return self._context.local_now()

    @property
    def secrets(self) -> Sequence[str]:
        """Texts that are never taken."""
        return self._context.gateway.secrets

    def sources(self) -> Sequence[SearchedRows]:
        """The records held now, those that count first."""
        unsent = [source for source in self._fixed if source.origin is Origin.UNSENT]
        others = [source for source in self._fixed if source.origin is not Origin.UNSENT]
        return (*unsent, *self._held_rows(), *others)

    @property
    def index_held(self) -> bool:
        """Whether there is an index that can be searched."""
        return bool(self._index.rows())

    def indexed(self) -> Sequence[SearchedRows]:
        """The records in the index, which may be older."""
        return self._index.rows(self._index.note_problem)

    def held_pointers(self, place: Place) -> AsyncGenerator[Sequence[Pointer], None]:
        """What points at a place, of the records that are held: a page at a time, and keys go first."""
        return self._pointers(place, self._held_rows())

    def indexed_pointers(self, place: Place) -> AsyncGenerator[Sequence[Pointer], None]:
        """What points at a place, of the records in the index, some of which are held too; may raise IndexProblem."""
        return self._pointers(place, self._index.rows())

    async def _pointers(self, place: Place, sources: Sequence[SearchedRows]) -> AsyncGenerator[Sequence[Pointer], None]:
        referring = self.referring(place)
        for source in sources:
            for pointers in referring.pointers(source):
                yield pointers
                await asyncio.sleep(0)

    def _held_rows(self) -> Sequence[LoadedRows]:
        """The rows that are held of each collection, loaded or read, those that count first; no edits are in them."""
        loaded = (
            LoadedRows(one.collection, Origin.LOADED, one.read_at, rows=one.rows)
            for one in self._context.workspace.browse.open_collections.opened
        )
        return (*loaded, *self.reading.sources)

    def seen(self, match: Match) -> Record:
        """The record of a match, as it may be shown."""
        return self._context.privacy_mask.record(match.record, match.source.collection.domain)

    def seen_text(self, text: str) -> str:
        """A text, as it may be shown."""
        return self._context.privacy_mask.text(text)

    def requests(self, text: str) -> "Sequence[SavedRequest]":
        """The saved requests that fit."""
        if not self._saved.sound:
            return ()
        from svc_tui.console.saved_requests import find_requests

        return find_requests(self._saved.sound, text)

    def named(self, text: str) -> Place | None:
        """The record that `text` names, or whose id it looks like by a glance at the records held; None: neither."""
        try:
            place = parse_place(text, self._context.session.collections)
        except PlaceError:
            home = self._context.selection.home_of(text.strip(), _MAX_GLANCED)
            return Place(home, text.strip()) if home is not None else None
        return place if place.record_id is not None and is_addressable(place) else None

    def export(self, matches: Sequence[Match], what: str) -> None:
        """Have records written to a file, once the user has said to which; `what` they are, in words."""
        self._context.screen.run_worker(self._results.ask(matches, what), group="found", exclusive=False)

    @property
    def zone(self) -> tzinfo:
        """The time zone in which times are shown."""
        return self._context.tz

    def now(self) -> float:
        """The monotonic clock."""
        return self._context.session.monotonic()

    def _unsent(self) -> Sequence[SearchedRows]:
        records = [
            (place.collection, Record(draft.fields))
            for place in self._context.drafts.places
            if (draft := self._context.drafts.draft(place)) is not None
        ]
        return _by_collection(records, Origin.UNSENT)

    async def _journal(self) -> Sequence[SearchedRows]:
        try:
            entries = await self._context.writes.entries(_MAX_WRITES)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not search the journal", "warning"))
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
        places = dict.fromkeys(reversed(self._navigation.trail.places))
        return _by_collection(
            [(place.collection, Record({"id": place.id})) for place in places if place.record_id], Origin.VISITED
        )


def _by_collection(records: Sequence[tuple[Collection, Record]], origin: Origin) -> Sequence[SearchedRows]:
    """The records as what is searched, a part for each collection; of one that comes twice, the first."""
    parts: dict[Collection, dict[str, Record]] = {}
    for collection, record in records:
        if record.id is not None:
            parts.setdefault(collection, {}).setdefault(record.id, record)
    return [ListedRecords(collection, origin, records=list(part.values())) for collection, part in parts.items()]
