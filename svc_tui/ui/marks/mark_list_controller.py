"""Marking the records of a list of ids: the loaded ones at once, the others as they are loaded."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing

from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.search.id_list import MAX_IDS, IdList, ids_of, is_id_list, listed_records, listed_words
from svc_tui.service.errors import ServiceError
from svc_tui.ui.context import Context
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report, reading_error_line
from svc_tui.ui.table.open_collections import OpenCollection
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.text import shorten

_TOO_MANY = f"A list can mark at most {MAX_IDS:,} records. Shorten the list."
_BATCH_IDS = 100
"""Ids looked up between two turns of the event loop."""
_SHOW_SECONDS = 0.1
"""Seconds between two updates of the table: drawing all marks after each record would be slow."""
_MAX_NAMES, _NAME_CELLS = 3, 40
"""The ids not found that are in the notice at most, and the cells of each at most."""


class MarkListController:
    """Marking of one list at a time in the active table; records are loaded in a worker of the screen."""

    def __init__(self, context: Context, parse_place: Callable[[str], Place]) -> None:
        """Create the controller; `parse_place` parses a link or a place, and raises PlaceError."""
        self._context, self._parse_place = context, parse_place
        self._is_running = False
        self.not_found: tuple[str, ...] = ()
        """The words of the last list for which there is no record."""

    def commands(self) -> Iterator[Command]:
        """Return the commands for the palette."""
        yield Command(
            "Mark from a list…",
            "Mark records by pasting ids, links or a spreadsheet column",
            lambda: self._context.ask(self.ask()),
        )

    def words(self, text: str) -> tuple[str, ...]:
        """Return the ids and links in a text."""
        collection = self._context.table.collection
        return listed_words(text, () if collection is None else (collection.name,))

    def offer(self, words: Sequence[str]) -> tuple[str, bool]:
        """Return `Mark 12 records in lots` and True, or why they can't be marked and False."""
        collection = self._context.table.collection
        if collection is None:
            return "Open a collection to mark its records.", False
        if len(words) > MAX_IDS:
            return _TOO_MANY, False
        listed = ids_of(words, collection, self._parse_place)
        count = len(listed.ids)
        return f"Mark {counted(count, 'record')} in {listed.collection.name}", count > 0

    def offer_in_line(self, text: str) -> tuple[str, bool] | None:
        """Return the same for the text in the line of `:`; None if that is not a list of ids."""
        words = self.words(text)
        return self.offer(words) if is_id_list(words) else None

    async def ask(self) -> None:
        """Ask for a list, and mark its records."""
        from svc_tui.ui.marks.mark_list_dialog import MarkListDialog

        dialog = MarkListDialog(lambda text: self.offer(self.words(text)), self._context.gateway.secrets)
        if (text := await self._context.show(dialog)) is not None:
            self.mark(text)

    def mark(self, text: str) -> None:
        """Mark the records that a text lists: the loaded ones now, the others in the background."""
        words, collection = self.words(text), self._context.table.collection
        if collection is None or not words:
            self._context.notify(Report("The list contains no ids."))
        elif len(words) > MAX_IDS:
            self._context.notify(Report(_TOO_MANY, severity="warning"))
        elif self._is_running:
            self._context.notify(Report("Another list is being marked. Press esc to stop it.", severity="warning"))
        else:
            listed = ids_of(words, collection, self._parse_place)
            if listed.collection != collection:
                self._context.go(Place(listed.collection))
            self._is_running = True
            self._context.screen.run_worker(self._run(self._context.table, listed), group="mark-list")

    async def _run(self, pane: TablePane, listed: IdList) -> None:
        marking = _ListMarking(pane, listed)
        problem: ServiceError | None = None
        try:
            await marking.mark_loaded()
            await self._load_missing(marking)
        except ServiceError as error:
            problem = error
        finally:
            self._is_running = False
            marking.end()
        self.not_found = (*listed.others, *marking.missing)
        self._context.notify(self._report(marking, problem))

    async def _load_missing(self, marking: "_ListMarking") -> None:
        """Load the records that no row has, until the user stops it."""
        opened, monotonic = marking.opened, self._context.session.monotonic
        if opened is None or not marking.left:
            return
        batches = listed_records(
            self._context.gateway,
            marking.listed.collection,
            tuple(marking.left),
            page_size=self._context.profile.bulk_page_size,
            # With a query, the total is not the number of records in the collection.
            total=None if opened.query else opened.rows.total,
        )
        shown_at = monotonic()
        async with aclosing(batches):
            async for records in batches:
                marking.take(records)
                if monotonic() - shown_at >= _SHOW_SECONDS:
                    marking.show()
                    shown_at = monotonic()
                if marking.stopped:
                    return

    def _report(self, marking: "_ListMarking", problem: ServiceError | None) -> Report:
        listed, missing = marking.listed, self.not_found
        words = []
        if missing:
            names = ", ".join(shorten(word, _NAME_CELLS) for word in missing[:_MAX_NAMES])
            more = f" and {len(missing) - _MAX_NAMES:,} more" if len(missing) > _MAX_NAMES else ""
            words.append(f"Not found: {names}{more}. Press y, then N, to copy {'it' if len(missing) == 1 else 'them'}.")
        if unread := len(listed.ids) - marking.marked - len(marking.missing):
            why = f" ({reading_error_line(problem)})" if problem is not None else ""
            words.append(f"{unread:,} {'was' if unread == 1 else 'were'} not searched for{why}.")
        count, name = len(listed.ids) + len(listed.others), listed.collection.name
        marked = f"all {count:,}" if marking.marked == count else f"{marking.marked:,} of {count:,}"
        body = " ".join(words) or "Press x to change, export or unmark them."
        title = "Marked 1 record" if marking.marked == count == 1 else f"Marked {marked} {name}"
        return Report(body, title, "warning" if missing or problem else "information")


class _ListMarking:
    """A list being marked in a pane."""

    def __init__(self, pane: TablePane, listed: IdList) -> None:
        self.listed = listed
        self.left = dict.fromkeys(listed.ids)
        """The ids that are not looked up yet."""
        self.missing: list[str] = []
        """The ids for which the service has no record."""
        self.marked = 0
        self.stopped = False
        """True if the user stopped the marking, or the collection is no longer open."""
        self._pane = pane
        self._unmarked: list[Record] = []
        """The records found since the last update of the marks."""
        self._awaited = 0
        """The number of ids not looked up at the last update of the marks."""

    @property
    def opened(self) -> OpenCollection | None:
        """The open collection, a new one after a change of its query; None once it is closed."""
        return self._pane.open_collections.get(self.listed.collection)

    async def mark_loaded(self) -> None:
        """Mark the records that are loaded, in any row."""
        if (opened := self.opened) is None:
            return
        self.take({name: record for name, record in opened.marks.records.items() if name in self.left})
        for at, record_id in enumerate(list(self.left)):
            row = opened.rows.index_of(record_id)
            record = None if row is None else opened.rows.peek(row)
            if record is not None:
                self.take({record_id: record})
            if at % _BATCH_IDS == 0:
                await asyncio.sleep(0)
        self._mark(len(self.left))

    def take(self, records: Mapping[str, Record | None]) -> None:
        """Take records by their ids; None for one that does not exist."""
        for record_id, record in records.items():
            if record_id not in self.left:
                continue
            del self.left[record_id]
            if record is None:
                self.missing.append(record_id)
            else:
                self._unmarked.append(record)

    def show(self) -> None:
        """Mark the records found since the last update, unless the user stopped it."""
        opened = self.opened
        self.stopped = self.stopped or opened is None or not opened.marks.awaited
        if not self.stopped:
            self._mark(len(self.left))

    def end(self) -> None:
        """Mark the records found, and put the marks in the order of the list."""
        opened = self.opened
        if self._awaited and (opened is None or not opened.marks.awaited):
            self.stopped = True
        if opened is not None and not self.stopped:
            self._mark(0)
            self._pane.marking.end_list(opened, self.listed.ids)

    def _mark(self, awaited: int) -> None:
        if (opened := self.opened) is not None:
            self.marked += len(self._unmarked)
            self._pane.marking.mark_listed(opened, self._unmarked, awaited)
            self._unmarked, self._awaited = [], awaited
