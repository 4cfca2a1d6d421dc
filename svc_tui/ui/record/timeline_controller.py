"""The story of the record on show: gathered from the journal, the record, what hangs under it and what names it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from svc_tui.domain.app.timeline import (
    Timeline,
    TimelineEvent,
    TimelineNote,
    around,
    moments_in,
    newest_first,
    seen,
    written,
)
from svc_tui.domain.editing.ports import JournalEntry, StoreError
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.seen_changes import SeenChanges
from svc_tui.ui.finder.controller import FinderController
from svc_tui.ui.record.nested_table import LOAD_DELAY_SECONDS
from svc_tui.ui.report import Report, reading_error_line
from svc_tui.ui.session.context import Context

NO_WRITES_TEXT = "No writes to this record from here."
"""What is said of a record that the journal does not know."""
_HELD_TEXT = "Others that name it: of the records that are loaded. R looks further."
_MAX_OTHERS = 500
"""Other records in the list at most, the newest."""
_NO_FURTHER = "Nothing more is known of this."
_QUIET_STATUSES = {403: "this key may not read them (403)", 404: "there are none (404)", 410: "there are none (410)"}
"""Refusals that are no trouble of the user's: what hangs under a record is asked for without being asked to."""


@dataclass(frozen=True, slots=True)
class _Under:
    """What was read of the collections under a record, or why it could not be."""

    records: tuple[tuple[Collection, Record], ...] = ()
    notes: tuple[TimelineNote, ...] = ()


@dataclass(slots=True)
class _Story:
    """What is known so far of one record, as it may be seen."""

    place: Place
    record: Record
    entries: Sequence[JournalEntry] = ()
    seen: tuple[TimelineEvent, ...] = ()
    under: _Under = field(default_factory=_Under)
    naming: list[tuple[Collection, Record]] = field(default_factory=list)
    notes: list[TimelineNote] = field(default_factory=list)


class TimelineController:
    """Tells what happened to the record on show, for one screen; `show` runs in a worker of the screen."""

    def __init__(self, context: Context, finder: FinderController, changes: SeenChanges | None = None) -> None:
        """Make it; `finder` knows the records that are held, `changes` what readings of collections differ in."""
        self._context, self._finder, self._changes = context, finder, changes
        self._read: tuple[Record, _Under] | None = None
        """What was read last under a record, for as long as that is the same reading."""

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
        display.show_history(place, self._timeline(story))
        if place.record_id is None:
            return
        # The cursor, or the user on the way to another tab, may be gone again in a moment.
        await asyncio.sleep(LOAD_DELAY_SECONDS)
        if not display.history_on_show:
            display.forget_history()
            return
        async for naming in self._naming(place):
            story.naming += naming
        story.notes.append(TimelineNote(_HELD_TEXT))
        collections = display.offering.nested(place)
        story.under = _Under(notes=tuple(TimelineNote(f"{each.name}: being read.") for each in collections))
        display.show_history(place, self._timeline(story))
        story.under = await self._under(record, collections)
        display.show_history(place, self._timeline(story))

    def opened(self, event: TimelineEvent) -> None:
        """Enter on an event: show the write whole, or go to the record."""
        match event.leads_to:
            case JournalEntry() as entry:
                self._context.ask(self._show_entry(entry))
            case Place() as place:
                self._context.go(place)
            case None:
                self._context.notify(Report(_NO_FURTHER))

    async def _show_entry(self, entry: JournalEntry) -> None:
        from svc_tui.ui.dialogs.entry_list import EntryScreen
        from svc_tui.ui.widgets.record.journal_lines import entry_details

        content = entry_details(entry, self._context.session.scope, self._context.tz)
        await self._context.show(EntryScreen(f"Write {entry.number}", content))

    def _timeline(self, story: _Story) -> Timeline:
        tz = self._context.tz
        others = newest_first(around(story.place, (*story.under.records, *story.naming), tz))
        shown, left_out = others[:_MAX_OTHERS], len(others) - _MAX_OTHERS
        events = newest_first(moments_in(story.record, tz), reversed(shown), story.seen, written(story.entries, tz))
        words = "1 older one is" if left_out == 1 else f"{left_out:,} older ones are"
        more = (TimelineNote(f"{words} left out."),) if left_out > 0 else ()
        return Timeline(events, (*story.under.notes, *story.notes, *more))

    # What it is made of

    async def _add_writes(self, story: _Story) -> None:
        try:
            entries = await self._context.journal.entries(place=story.place.key)
        except StoreError as error:
            story.notes.append(TimelineNote(f"The journal could not be read: {error}", failed=True))
            return
        story.entries = [self._context.privacy_mask.entry(entry) for entry in entries]
        if not entries:
            story.notes.append(TimelineNote(NO_WRITES_TEXT))

    async def _add_seen(self, story: _Story) -> None:
        if self._changes is None:
            return
        try:
            changes = await self._changes.changes_of(story.place)
        except StoreError as error:
            story.notes.append(TimelineNote(f"What was seen to change could not be read: {error}", failed=True))
            return
        mask, domain = self._context.privacy_mask, story.place.collection.domain
        masked = [mask.seen_change(change, domain, story.record.fields) for change in changes]
        story.seen = tuple(seen(masked, self._context.tz))

    async def _naming(self, place: Place) -> AsyncIterator[list[tuple[Collection, Record]]]:
        """The records that name the place, of those that are held; nothing is asked for."""
        finder, mask = self._finder, self._context.privacy_mask
        referring = finder.referring(place)
        for collection, rows in finder.held_rows():
            for records in referring.records(collection, rows):
                yield [(collection, mask.record(record, collection.domain)) for record in records]
                # Keys go first: there may be many pages.
                await asyncio.sleep(0)

    async def _under(self, record: Record, collections: Sequence[Collection]) -> _Under:
        """The first page of each of the collections under the record, as it may be seen."""
        if self._read is None or self._read[0] is not record:
            parts = await asyncio.gather(*map(self._first_page, collections))
            under = _Under(
                tuple(found for part in parts for found in part.records), tuple(n for part in parts for n in part.notes)
            )
            self._read = record, under
        under, mask = self._read[1], self._context.privacy_mask
        shown = tuple((collection, mask.record(found, collection.domain)) for collection, found in under.records)
        return _Under(shown, tuple(TimelineNote(mask.text(note.text), note.failed) for note in under.notes))

    async def _first_page(self, collection: Collection) -> _Under:
        rows = self._context.workspace.record_display.loaded(collection)
        if rows is not None:
            return _taken(collection, rows.records_once(), rows.total)
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
    found = tuple((collection, record) for record in records)
    if total is None:
        return _Under(found, (TimelineNote(f"{collection.name}: there may be more in their tab."),))
    more = total - len(records)
    return _Under(found, (TimelineNote(f"{collection.name}: {more:,} more in their tab."),) if more > 0 else ())
