"""The story of the record on show: gathered from the journal, the record, what hangs under it and what names it."""

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
"""What is said of a record that the journal does not know."""
NO_TEAM_WRITES_TEXT = "No changes from this computer or by colleagues."
"""The same with a team."""
_HELD_TEXT = "Includes loaded records that reference this one. Press R to search for more."
_INDEXED_TEXT = "Includes loaded and indexed records that reference this one."
_MAX_OTHERS = 500
"""Other records in the list at most, the newest."""
_NO_FURTHER = "No more details."
_QUIET_STATUSES = {403: "no access with this key (403)", 404: "not found (404)", 410: "no longer exists (410)"}
"""Refusals that are no trouble of the user's: what hangs under a record is asked for without being asked to."""


@dataclass(frozen=True, slots=True)
class _Under:
    """What was read of a collection under a record, or why it could not be."""

    records: tuple[Record, ...] = ()
    notes: tuple[TimelineNote, ...] = ()


@dataclass(slots=True)
class _Story:
    """What is known so far of one record, as it may be seen."""

    place: Place
    record: Record
    entries: Sequence[JournalEntry] = ()
    seen: tuple[TimelineEvent, ...] = ()
    noted: tuple[TimelineEvent, ...] = ()
    under: Sequence[TimelineEvent] = ()
    naming: list[TimelineEvent] = field(default_factory=list)
    notes: list[TimelineNote] = field(default_factory=list)
    under_notes: Sequence[TimelineNote] = ()


class TimelineController:
    """Tells what happened to the record on show, for one screen; `show` runs in a worker of the screen."""

    def __init__(self, context: Context, finder: FinderController, changes: SessionIndex | None = None) -> None:
        """Make it; `finder` knows the records that are held, `changes` what readings of collections differ in."""
        self._context, self._finder, self._changes = context, finder, changes
        self._read: tuple[Record | None, dict[Collection, _Under]] = None, {}
        """What was read last under a record, for as long as that is the same reading."""
        self._newest: JournalEntry | None = None
        """The newest write to the record that was told last, as it was then."""

    async def show(self) -> None:
        """Show what is known at once of the record on show; then what must be read or looked through for it."""
        display = self._context.workspace.record_display
        if display.shown is None:
            return
        place, record = display.shown
        story = _Story(place, self._context.privacy_mask.record(record, place.collection.domain))
        if place.record_id is not None:
            await self._add_writes(story)
            await self._add_seen(story)
            await self._add_notes(story)
        display.show_history(place, self._timeline(story))
        if place.record_id is None:
            return
        # The cursor, or the user on the way to another tab, may be gone again in a moment.
        await asyncio.sleep(LOAD_DELAY_SECONDS)
        if display.open_tab != HISTORY:
            display.refresh_history()
            return
        await self._add_naming(story)
        under = display.offering.nested(place)
        story.under_notes = [TimelineNote(f"{collection.name}: loading…") for collection in under]
        display.show_history(place, self._timeline(story))
        if under:
            await self._add_under(story, record, under)
            display.show_history(place, self._timeline(story))

    async def look_for_news(self) -> None:
        """Tell the story anew where colleagues have written to the record on show meanwhile."""
        display = self._context.workspace.record_display
        if display.shown is None or display.open_tab != HISTORY:
            return
        with suppress(StoreError):
            # Whether it can be read is told with the whole story.
            entries = await self._context.writes.entries(1, place=display.shown[0].key)
            if entries and entries[0] != self._newest:
                display.refresh_history()

    def opened(self, event: TimelineEvent) -> None:
        """Enter on an event: show the write whole, or go to the record."""
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

    def _timeline(self, story: _Story) -> Timeline:
        tz = self._context.tz
        others = newest_first(once((*story.under, *story.naming)))
        shown, left_out = others[:_MAX_OTHERS], len(others) - _MAX_OTHERS
        events = newest_first(moments_in(story.record, tz), shown, story.seen, story.noted, written(story.entries, tz))
        words = "1 older entry is" if left_out == 1 else f"{left_out:,} older entries are"
        more = (TimelineNote(f"{words} not shown."),) if left_out > 0 else ()
        return Timeline(events, (*story.under_notes, *story.notes, *more))

    # What it is made of

    async def _add_writes(self, story: _Story) -> None:
        try:
            entries = await self._context.writes.entries(place=story.place.key)
        except StoreError as error:
            story.notes.append(TimelineNote(f"Could not load the journal: {error}", failed=True))
            return
        self._newest = entries[0] if entries else None
        story.entries = [self._context.privacy_mask.entry(entry) for entry in entries]
        if not entries:
            alone = self._context.session.team is None
            story.notes.append(TimelineNote(NO_WRITES_TEXT if alone else NO_TEAM_WRITES_TEXT))

    async def _add_seen(self, story: _Story) -> None:
        if self._changes is None:
            return
        try:
            changes = await self._changes.changes_of(story.place)
        except IndexProblem as error:
            story.notes.append(TimelineNote(f"Could not load changes by others: {error}", failed=True))
            return
        mask, domain = self._context.privacy_mask, story.place.collection.domain
        masked = [mask.seen_change(change, domain, story.record.fields) for change in changes]
        story.seen = tuple(seen(masked, self._context.tz))

    async def _add_notes(self, story: _Story) -> None:
        """Add what the team says of the record."""
        if (team := self._context.session.team) is None:
            return
        try:
            notes = await team.notes.of(story.place.key)
        except StoreError as error:
            story.notes.append(TimelineNote(f"Could not load the team notes: {error}", failed=True))
            return
        mask = self._context.privacy_mask
        masked = [replace(note, text=mask.text(note.text)) for note in notes]
        story.noted = tuple(noted(masked, self._context.tz))

    async def _add_naming(self, story: _Story) -> None:
        """Add the records that name it, of those that are held, here or in the index; nothing is asked for."""
        async with aclosing(self._finder.held_pointers(story.place)) as parts:
            async for pointers in parts:
                story.naming += self._naming_events(story.place, pointers)
        try:
            async with aclosing(self._finder.indexed_pointers(story.place)) as parts:
                async for pointers in parts:
                    story.naming += self._naming_events(story.place, pointers)
                    if len(story.naming) >= _MAX_OTHERS:
                        break
        except IndexProblem as error:
            story.notes.append(TimelineNote(f"Could not search the index: {error}", failed=True))
        story.notes.append(TimelineNote(_INDEXED_TEXT if self._finder.index_held else _HELD_TEXT))

    async def _add_under(self, story: _Story, record: Record, collections: Sequence[Collection]) -> None:
        """Add what the first page of each of the collections under the record holds."""
        if self._read[0] is not record:
            self._read = record, {}
        parts = await asyncio.gather(*(self._first_page(collection, self._read[1]) for collection in collections))
        under = zip(collections, parts, strict=True)
        story.under = [self._event(story.place, where, found) for where, part in under for found in part.records]
        mask = self._context.privacy_mask
        story.under_notes = [replace(note, text=mask.text(note.text)) for part in parts for note in part.notes]

    def _naming_events(self, about: Place, pointers: Iterable[Pointer]) -> list[TimelineEvent]:
        return [self._event(about, pointer.collection, pointer.record) for pointer in pointers]

    def _event(self, about: Place, collection: Collection, record: Record) -> TimelineEvent:
        shown = self._context.privacy_mask.record(record, collection.domain)
        return around(about, Place(collection, record.id), shown, self._context.tz)

    async def _first_page(self, collection: Collection, read: dict[Collection, _Under]) -> _Under:
        """The first page of a collection: as its tab holds it, as it was `read` before, or read now."""
        rows = self._context.workspace.record_display.loaded(collection)
        if rows is not None:
            return _taken(collection, rows.records_once(), rows.total)
        if collection not in read:
            read[collection] = await self._read_page(collection)
        return read[collection]

    async def _read_page(self, collection: Collection) -> _Under:
        limit = self._context.profile.page_size
        try:
            page = await self._context.gateway.page(collection, 1, limit)
        except ServiceError as error:
            quiet = _QUIET_STATUSES.get(error.status or 0)
            text = f"{collection.name}: {quiet}." if quiet else f"{collection.name}: {reading_error_line(error)}"
            return _Under(notes=(TimelineNote(text, failed=quiet is None),))
        is_all = page.last or len(page.records) < limit
        return _taken(collection, page.records, len(page.records) if page.total is None and is_all else page.total)


def _taken(collection: Collection, records: Sequence[Record], total: int | None) -> _Under:
    """The records as they were read, and how many more there are; None: nobody knows."""
    found = tuple(records)
    if total is None:
        return _Under(found, (TimelineNote(f"{collection.name}: the {collection.name} tab may list more."),))
    more = total - len(records)
    return _Under(found, (TimelineNote(f"{collection.name}: {more:,} more in the tab."),) if more > 0 else ())
