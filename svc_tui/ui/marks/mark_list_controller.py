"""Marks the records that a list of ids names: those at hand at once, the others as they are read."""

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
_AT_ONCE = 100
"""Ids that are looked up at a time."""
_SHOW_SECONDS = 0.1
"""Seconds between two looks of the table at what was marked: to draw all marks for each that comes would be dear."""
_NAMED, _NAME_CELLS = 3, 40
"""How many of the words that nothing was found by are in the notice, and how wide each is at most."""


class MarkListController:
    """Marks records of the table at hand, one list at a time; it reads in a worker of the screen."""

    def __init__(self, context: Context, place: Callable[[str], Place]) -> None:
        """Make it; `place` reads a link or a written place, and raises PlaceError."""
        self._context, self._place = context, place
        self._running = False
        self.not_found: tuple[str, ...] = ()
        """The words of the last list that nothing was found by."""

    def commands(self) -> Iterator[Command]:
        """What the palette offers of it here and now."""
        yield Command(
            "Mark from a list…",
            "Mark records by pasting ids, links or a spreadsheet column",
            lambda: self._context.ask(self.ask()),
        )

    def words(self, text: str) -> tuple[str, ...]:
        """The ids and links in a text."""
        collection = self._context.table.collection
        return listed_words(text, () if collection is None else (collection.name,))

    def offer(self, words: Sequence[str]) -> tuple[str, bool]:
        """`Mark 12 records in lots`, or why they can't be marked; and whether they can."""
        collection = self._context.table.collection
        if collection is None:
            return "Open a collection to mark its records.", False
        if len(words) > MAX_IDS:
            return _TOO_MANY, False
        listed = ids_of(words, collection, self._place)
        count = len(listed.ids)
        return f"Mark {counted(count, 'record')} in {listed.collection.name}", count > 0

    def offer_in_line(self, text: str) -> tuple[str, bool] | None:
        """The same for what stands in the line of `:`; None where that is not several ids."""
        words = self.words(text)
        return self.offer(words) if is_id_list(words) else None

    async def ask(self) -> None:
        """Have a list pasted, and mark its records."""
        from svc_tui.ui.marks.mark_list_dialog import MarkListDialog

        dialog = MarkListDialog(lambda text: self.offer(self.words(text)), self._context.gateway.secrets)
        if (text := await self._context.show(dialog)) is not None:
            self.mark(text)

    def mark(self, text: str) -> None:
        """Mark the records that a text names: those at hand now, the others in the background."""
        words, collection = self.words(text), self._context.table.collection
        if collection is None or not words:
            self._context.notify(Report("The list contains no ids."))
        elif len(words) > MAX_IDS:
            self._context.notify(Report(_TOO_MANY, severity="warning"))
        elif self._running:
            self._context.notify(Report("Another list is being marked. Press esc to stop it.", severity="warning"))
        else:
            listed = ids_of(words, collection, self._place)
            if listed.collection != collection:
                self._context.go(Place(listed.collection))
            self._running = True
            self._context.screen.run_worker(self._run(self._context.table, listed), group="mark-list")

    async def _run(self, pane: TablePane, listed: IdList) -> None:
        marking = _ListMarking(pane, listed)
        problem: ServiceError | None = None
        try:
            await marking.mark_held()
            await self._read(marking)
        except ServiceError as error:
            problem = error
        finally:
            self._running = False
            marking.end()
        self.not_found = (*listed.others, *marking.missing)
        self._context.notify(self._report(marking, problem))

    async def _read(self, marking: "_ListMarking") -> None:
        """Read what no row holds, until all has come or the user has enough."""
        opened, monotonic = marking.opened, self._context.session.monotonic
        if opened is None or not marking.left:
            return
        reading = listed_records(
            self._context.gateway,
            marking.listed.collection,
            tuple(marking.left),
            page_size=self._context.profile.bulk_page_size,
            # What the service was asked to choose is not all there is.
            total=None if opened.query else opened.rows.total,
        )
        shown_at = monotonic()
        async with aclosing(reading) as some:
            async for answers in some:
                marking.take(answers)
                if monotonic() - shown_at >= _SHOW_SECONDS:
                    marking.show()
                    shown_at = monotonic()
                if marking.stopped:
                    return

    def _report(self, marking: "_ListMarking", problem: ServiceError | None) -> Report:
        listed, missing = marking.listed, self.not_found
        words = []
        if missing:
            names = ", ".join(shorten(word, _NAME_CELLS) for word in missing[:_NAMED])
            more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
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
    """One list being marked in a pane: what is `left` of it to be read, and what is `missing` at the service."""

    def __init__(self, pane: TablePane, listed: IdList) -> None:
        self.listed = listed
        self.left = dict.fromkeys(listed.ids)
        self.missing: list[str] = []
        self.marked = 0
        self.stopped = False
        """Whether the user has enough, or the collection is no longer open."""
        self._pane = pane
        self._read: list[Record] = []
        self._awaited = 0
        """How many were awaited as the marks stood last."""

    @property
    def opened(self) -> OpenCollection | None:
        """The collection, which another query puts another in the place of; None once it is closed."""
        return self._pane.open_collections.get(self.listed.collection)

    async def mark_held(self) -> None:
        """Mark what is held already, whatever row it is in."""
        if (opened := self.opened) is None:
            return
        self.take({name: record for name, record in opened.marks.records.items() if name in self.left})
        for at, record_id in enumerate(list(self.left)):
            row = opened.rows.index_of(record_id)
            record = None if row is None else opened.rows.peek(row)
            if record is not None:
                self.take({record_id: record})
            if at % _AT_ONCE == 0:
                # Other work has its turn in between.
                await asyncio.sleep(0)
        self._mark(len(self.left))

    def take(self, answers: Mapping[str, Record | None]) -> None:
        """Take in what was read; None stands for a record that is not there."""
        for record_id, record in answers.items():
            if record_id not in self.left:
                continue
            del self.left[record_id]
            if record is None:
                self.missing.append(record_id)
            else:
                self._read.append(record)

    def show(self) -> None:
        """Mark what was read since, unless the user has enough."""
        opened = self.opened
        self.stopped = self.stopped or opened is None or not opened.marks.awaited
        if not self.stopped:
            self._mark(len(self.left))

    def end(self) -> None:
        """No more is read: what has come is marked, in the order of the list."""
        opened = self.opened
        if self._awaited and (opened is None or not opened.marks.awaited):
            self.stopped = True
        if opened is not None and not self.stopped:
            self._mark(0)
            self._pane.marking.end_list(opened, self.listed.ids)

    def _mark(self, awaited: int) -> None:
        if (opened := self.opened) is not None:
            self.marked += len(self._read)
            self._pane.marking.mark_listed(opened, self._read, awaited)
            self._read, self._awaited = [], awaited
