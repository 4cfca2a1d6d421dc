"""Compares two marked records, or one with what it was: reads them as they are now, and shows them side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from textual.content import Content

from svc_tui.core.record_comparison import compare_records
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.history.record_versions import RecordVersion, WriteSide, record_versions
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.command import Command
from svc_tui.ui.record.comparison_screen import ComparedRecord, RecordComparisonScreen, RecordPair
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.text import pad, shorten, styled, visible
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.journal_lines import outcome_text

_MAX_WRITES = 200
"""Writes to a record whose versions are offered, the newest."""
_MAX_SCANNED_RECORDS = 20
"""Records of a collection whose ids are looked at for every value that is drawn."""
_LINE_CELLS, _TICKET_CELLS = 68, 20
_MARKED_COMMAND = "Compare the 2 marked records…"
_EARLIER_COMMAND = "Compare with an earlier version…"


class ComparisonController:
    """Its methods run in workers of the screen; what is compared is what the service has, not what is being edited."""

    def __init__(self, context: Context, page: Callable[[str], Awaitable[None]]) -> None:
        """Make it; `page` shows a text in the user's pager."""
        self._context, self._page = context, page

    def commands(self) -> Iterator[Command]:
        """What the palette offers of it here and now."""
        ask, selection = self._context.ask, self._context.selection
        if selection.marked == 2:
            yield Command(_MARKED_COMMAND, "Compare two records side by side", lambda: ask(self.marked()))
        if selection.record is not None:
            yield Command(
                _EARLIER_COMMAND,
                "Compare the record with an earlier version from the journal",
                lambda: ask(self.earlier()),
            )

    async def marked(self) -> None:
        """Compare the two records that are marked, the one that was marked first at the left."""
        table = self._context.table
        records, collection = table.marking.records, table.collection
        if collection is None or len(records) != 2:
            self._context.notify(Report("Mark two records to compare. Press space to mark one."))
            return
        places = [Place(collection, record.id) for record in records]
        read = await self._read(places)
        if read is not None:
            left, right = (ComparedRecord(place.id, record) for place, record in zip(places, read, strict=True))
            await self._show(Place(collection), left, right)

    async def earlier(self) -> None:
        """Compare the record at hand with one of its earlier versions, which stands at the left."""
        place = self._context.selection.place
        if place is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return
        version = await self._version(place)
        if version is None or (read := await self._read([place])) is None:
            return
        (now,) = read
        left = ComparedRecord(place.id, version.record(now), self._when(version))
        await self._show(place, left, ComparedRecord(place.id, now, "now"), version)

    async def _read(self, places: Sequence[Place]) -> Sequence[Record] | None:
        """The records as they are now; None, with a word, where one of them can't be read."""
        gateway = self._context.gateway
        answers = await asyncio.gather(
            *(gateway.record(place.collection, place.id) for place in places), return_exceptions=True
        )
        records: list[Record] = []
        gone: list[str] = []
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, NotFound):
                gone.append(place.id)
            elif isinstance(answer, ServiceError):
                self._context.notify(error_report(answer, f"Could not load {place.id}"))
                return None
            elif isinstance(answer, BaseException):
                raise answer
            else:
                records.append(answer)
        if gone:
            words = f"{' and '.join(gone)} no longer exist{'s' if len(gone) == 1 else ''} (404)."
            self._context.notify(Report(f"Not compared: {words}", severity="warning"))
            return None
        return records

    async def _show(
        self, place: Place, left: ComparedRecord, right: ComparedRecord, version: RecordVersion | None = None
    ) -> None:
        unknown = version.unknown(right.record) if version is not None else ()
        # Long lists take their time, and nothing waits for it.
        comparison = await asyncio.to_thread(compare_records, left.record.fields, right.record.fields, unknown)
        title = styled(f"Compare {place.record_id or place.key} · {comparison.summary}")
        mask, domain = self._context.privacy_mask, place.collection.domain

        def seen(one: ComparedRecord) -> ComparedRecord:
            return replace(one, record=mask.record(one.record, domain), note=mask.text(one.note))

        selection = self._context.selection
        value_format = ValueFormat(
            selection.kind_of,
            lambda path, value: bool(selection.references(path, value, _MAX_SCANNED_RECORDS)),
            self._context.tz,
        )
        pair = RecordPair(left, right, comparison)
        await self._context.show(RecordComparisonScreen(title, pair, seen, value_format, self._page))

    # Versions

    async def _version(self, place: Place) -> RecordVersion | None:
        """Ask which of the versions is meant; None where there is none, or none was chosen."""
        try:
            entries = await self._context.writes.entries(_MAX_WRITES, place=place.key)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return None
        versions = record_versions(place, entries, self._context.session.collections)
        if not versions:
            whose = (
                "from this computer" if self._context.session.team is None else "from this computer or by colleagues"
            )
            words = f"No earlier version of {place.id}. The journal has only changes sent {whose}."
            self._context.notify(Report(words))
            return None
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(self._line(version), version) for version in versions]
        return await self._context.show(MenuScreen(f"Compare {visible(place.id)} with an earlier version", lines))

    def _line(self, version: RecordVersion) -> Content:
        """A version on one line: when, before or after what, and for which ticket."""
        intent = version.entry.intent
        word, style = outcome_text(version.entry)
        side = pad(version.side.value, max(len(side.value) for side in WriteSide))
        ticket = shorten(visible(self._context.privacy_mask.text(intent.ticket)), _TICKET_CELLS)
        start = Content.assemble(
            (self._time(version), "$role-time"), "  ", (side, "bold"), f"  {visible(intent.method)}  "
        )
        names = ", ".join(intent.after or ()) or "all fields"
        if version.entry.author is not None:
            names = f"{version.entry.author} · {names}"
        room = _LINE_CELLS - start.cell_length - len(ticket) - len(word) - 4
        return Content.assemble(
            start,
            (pad(visible(names), max(1, room)), "$role-muted"),
            "  ",
            (ticket, "$role-reference"),
            "  " if ticket else "",
            (word, style),
        )

    def _time(self, version: RecordVersion) -> str:
        return f"{version.entry.intent.at.astimezone(self._context.tz):%Y-%m-%d %H:%M:%S}"

    def _when(self, version: RecordVersion) -> str:
        """When it was, short enough for the head of a column: seconds tell versions apart in the menu alone."""
        ticket = version.entry.intent.ticket
        minute = self._time(version)[: -len(":00")]
        return f"{version.side.value} {minute}{f' · {ticket}' if ticket else ''}"
