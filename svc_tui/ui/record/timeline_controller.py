"""The history of the open record: from the journal, the record, the collections under it and the references to it."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.history.timeline import (
    Timeline,
    TimelineEvent,
    TimelineNote,
    around,
    moments_in,
    newest_first,
    noted,
    once,
    seen,
    written,
)
from svc_tui.search.referring import Pointer
from svc_tui.search.session_index import SessionIndex
from svc_tui.service.errors import ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.record_index.index_values import IndexProblem
from svc_tui.team.notes import Note
from svc_tui.ui.context import Context
from svc_tui.ui.finder.finder_controller import FinderController
from svc_tui.ui.record.record_views import HISTORY, LOAD_DELAY_SECONDS
from svc_tui.ui.report import Report, reading_error_line

NO_WRITES_TEXT = "No changes from this computer."
"""The note for a record without writes in the journal."""
NO_TEAM_WRITES_TEXT = "No changes from this computer or by colleagues."
"""The same note with a team."""
_HELD_TEXT = "Includes loaded records that reference this one. Press R to search for more."
_INDEXED_TEXT = "Includes loaded and indexed records that reference this one."
_MAX_OTHERS = 500
"""The most other records in the list; the newest are shown."""
_NO_FURTHER = "No more details."
_QUIET_STATUSES = {403: "no access with this key (403)", 404: "not found (404)", 410: "no longer exists (410)"}
"""Refusals that are no failure for the user, who did not ask for the collections under a record."""


@dataclass(frozen=True, slots=True)
class _FirstPage:
    """The first page of a collection under a record, or a note why it could not be loaded."""

    records: tuple[Record, ...] = ()
    notes: tuple[TimelineNote, ...] = ()


@dataclass(slots=True)
class _History:
    """The history of a record as far as it is loaded, personal data masked."""

    place: Place
    record: Record
    entries: Sequence[JournalEntry] = ()
    """Its writes in the journal."""
    changes: tuple[TimelineEvent, ...] = ()
    """Changes by others, found by the index."""
    team_notes: tuple[TimelineEvent, ...] = ()
    under: Sequence[TimelineEvent] = ()
    """Records of the collections under it."""
    references: list[TimelineEvent] = field(default_factory=list)
    """Records that reference it."""
    notes: list[TimelineNote] = field(default_factory=list)
    under_notes: Sequence[TimelineNote] = ()


class TimelineController:
    """The loading of the open record's history; `show` runs in a worker of the screen."""

    def __init__(self, context: Context, finder: FinderController, changes: SessionIndex | None = None) -> None:
        """Create the controller; `finder` finds references in loaded records, `changes` are those of the index."""
        self._context, self._finder, self._changes = context, finder, changes
        self._first_pages: tuple[Record | None, dict[Collection, _FirstPage]] = None, {}
        """The first pages loaded last, and the record they are under; the record loaded again has new ones."""
        self._newest: JournalEntry | None = None
        """The newest write in the history that was loaded last."""

    async def show(self) -> None:
        """Show the history of the open record: first what is stored here, then what must be searched or loaded."""
        display = self._context.workspace.record_display
        if display.shown is None:
            return
        place, record = display.shown
        history = _History(place, self._context.privacy_mask.record(record, place.collection.domain))
        if place.record_id is not None:
            await self._add_writes(history)
            await self._add_changes(history)
            await self._add_team_notes(history)
        display.show_history(place, self._timeline(history))
        if place.record_id is None:
            return
        # The cursor may be passing by, or the user on the way to another tab.
        await asyncio.sleep(LOAD_DELAY_SECONDS)
        if display.open_tab != HISTORY:
            display.refresh_history()
            return
        await self._add_references(history)
        under = display.offering.nested(place)
        history.under_notes = [TimelineNote(f"{collection.name}: loading…") for collection in under]
        display.show_history(place, self._timeline(history))
        if under:
            await self._add_under(history, record, under)
            display.show_history(place, self._timeline(history))

    async def look_for_news(self) -> None:
        """Load the history again if colleagues have changed the open record."""
        display = self._context.workspace.record_display
        if display.shown is None or display.open_tab != HISTORY:
            return
        with suppress(StoreError):
            # An error is shown with the history.
            entries = await self._context.writes.entries(1, place=display.shown[0].key)
            if entries and entries[0] != self._newest:
                display.refresh_history()

    def opened(self, event: TimelineEvent) -> None:
        """Handle Enter on an event: show its write or team note, or go to its record."""
        match event.leads_to:
            case JournalEntry() as entry:
                self._context.ask(self._show_entry(entry))
            case Note() as note:
                self._context.ask(self._show_note(note))
            case Place() as place:
                self._context.go(place)
            case None:
                self._context.notify(Report(_NO_FURTHER))

    async def _show_entry(self, entry: JournalEntry) -> None:
        from svc_tui.ui.dialogs.entry_list import EntryScreen
        from svc_tui.ui.widgets.record.journal_lines import entry_details, entry_title

        content = entry_details(entry, self._context.session.scope, self._context.tz)
        await self._context.show(EntryScreen(entry_title(entry), content))

    async def _show_note(self, note: Note) -> None:
        from svc_tui.ui.dialogs.entry_list import EntryScreen
        from svc_tui.ui.widgets.record.note_lines import note_details

        await self._context.show(EntryScreen(f"Team note on {note.place}", note_details(note, self._context.tz)))

    def _timeline(self, history: _History) -> Timeline:
        tz = self._context.tz
        others = newest_first(once((*history.under, *history.references)))
        shown, left_out = others[:_MAX_OTHERS], len(others) - _MAX_OTHERS
        events = newest_first(
            moments_in(history.record, tz),
            shown,
            history.changes,
            history.team_notes,
            written(history.entries, tz),
        )
        words = "1 older entry is" if left_out == 1 else f"{left_out:,} older entries are"
        more = (TimelineNote(f"{words} not shown."),) if left_out > 0 else ()
        return Timeline(events, (*history.under_notes, *history.notes, *more))

    # Sources

    async def _add_writes(self, history: _History) -> None:
        try:
            entries = await self._context.writes.entries(place=history.place.key)
        except StoreError as error:
            history.notes.append(TimelineNote(f"Could not load the journal: {error}", failed=True))
            return
        self._newest = entries[0] if entries else None
        history.entries = [self._context.privacy_mask.entry(entry) for entry in entries]
        if not entries:
            alone = self._context.session.team is None
            history.notes.append(TimelineNote(NO_WRITES_TEXT if alone else NO_TEAM_WRITES_TEXT))

    async def _add_changes(self, history: _History) -> None:
        if self._changes is None:
            return
        try:
            changes = await self._changes.changes_of(history.place)
        except IndexProblem as error:
            history.notes.append(TimelineNote(f"Could not load changes by others: {error}", failed=True))
            return
        mask, domain = self._context.privacy_mask, history.place.collection.domain
        masked = [mask.seen_change(change, domain, history.record.fields) for change in changes]
        history.changes = tuple(seen(masked, self._context.tz))

    async def _add_team_notes(self, history: _History) -> None:
        if (team := self._context.session.team) is None:
            return
        try:
            notes = await team.notes.of(history.place.key)
        except StoreError as error:
            history.notes.append(TimelineNote(f"Could not load the team notes: {error}", failed=True))
            return
        mask = self._context.privacy_mask
        masked = [replace(note, text=mask.text(note.text)) for note in notes]
        history.team_notes = tuple(noted(masked, self._context.tz))

    async def _add_references(self, history: _History) -> None:
        """Add the loaded and indexed records that reference the record; nothing is requested."""
        place = history.place
        async with aclosing(self._finder.held_pointers(place)) as parts:
            async for pointers in parts:
                history.references += self._reference_events(place, pointers)
        try:
            async with aclosing(self._finder.indexed_pointers(place)) as parts:
                async for pointers in parts:
                    history.references += self._reference_events(place, pointers)
                    if len(history.references) >= _MAX_OTHERS:
                        break
        except IndexProblem as error:
            history.notes.append(TimelineNote(f"Could not search the index: {error}", failed=True))
        history.notes.append(TimelineNote(_INDEXED_TEXT if self._finder.index_held else _HELD_TEXT))

    async def _add_under(self, history: _History, record: Record, collections: Sequence[Collection]) -> None:
        """Add the first page of each collection under the record."""
        if self._first_pages[0] is not record:
            self._first_pages = record, {}
        cache = self._first_pages[1]
        pages = await asyncio.gather(*(self._first_page(collection, cache) for collection in collections))
        history.under = [
            self._event(history.place, collection, other)
            for collection, page in zip(collections, pages, strict=True)
            for other in page.records
        ]
        mask = self._context.privacy_mask
        history.under_notes = [replace(note, text=mask.text(note.text)) for page in pages for note in page.notes]

    def _reference_events(self, about: Place, pointers: Iterable[Pointer]) -> list[TimelineEvent]:
        return [self._event(about, pointer.collection, pointer.record) for pointer in pointers]

    def _event(self, about: Place, collection: Collection, record: Record) -> TimelineEvent:
        shown = self._context.privacy_mask.record(record, collection.domain)
        return around(about, Place(collection, record.id), shown, self._context.tz)

    async def _first_page(self, collection: Collection, cache: dict[Collection, _FirstPage]) -> _FirstPage:
        """Return the first page of a collection: from its tab, from `cache`, or from the service."""
        rows = self._context.workspace.record_display.loaded(collection)
        if rows is not None:
            return _with_more_note(collection, rows.records_once(), rows.total)
        if collection not in cache:
            cache[collection] = await self._load_first_page(collection)
        return cache[collection]

    async def _load_first_page(self, collection: Collection) -> _FirstPage:
        limit = self._context.profile.page_size
        try:
            page = await self._context.gateway.page(collection, 1, limit)
        except ServiceError as error:
            quiet = _QUIET_STATUSES.get(error.status or 0)
            text = f"{collection.name}: {quiet}." if quiet else f"{collection.name}: {reading_error_line(error)}"
            return _FirstPage(notes=(TimelineNote(text, failed=quiet is None),))
        is_all = page.last or len(page.records) < limit
        total = len(page.records) if page.total is None and is_all else page.total
        return _with_more_note(collection, page.records, total)


def _with_more_note(collection: Collection, records: Sequence[Record], total: int | None) -> _FirstPage:
    """Return the records with a note about further ones; `total` is None if it is not known."""
    if total is None:
        note = f"{collection.name}: the {collection.name} tab may list more."
    else:
        more = total - len(records)
        note = f"{collection.name}: {more:,} more in the tab." if more > 0 else ""
    return _FirstPage(tuple(records), (TimelineNote(note),) if note else ())
