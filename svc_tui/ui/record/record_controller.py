"""Looking into a record from the main screen: where values lead, long texts whole, the pager.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

import asyncio
from collections.abc import Sequence

from svc_tui.core.jsontext import Absent
from svc_tui.core.outline import OutlineEntry, is_nested, path_text
from svc_tui.core.records import Place, Record, id_field
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report

MAX_CHOICES = 200
"""Records offered of those that one value names."""


class RecordController:
    """Looks into the record at hand for one screen; its methods run in workers of the screen.

    `ask` runs what opens a dialog; `go` opens a record that was read just now.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    # Where values lead

    def follow(self) -> None:
        """Go to the record that the value under the cursor names; where it can't be read, stay."""
        places = self._named()
        if len(places) > 1:
            self._context.ask(self._follow_one_of(places))
        elif places:
            self._set_out(places[0])

    async def _follow_one_of(self, places: Sequence[Place]) -> None:
        place = await self._chosen(places)
        if place is not None:
            self._set_out(place)

    def _set_out(self, place: Place) -> None:
        # Not as something asked: keys need not wait for the answer.
        self._context.screen.run_worker(self._arrive(place), group="follow", exclusive=True)

    async def _arrive(self, place: Place) -> None:
        here = self._context.selection.place
        try:
            reading = await self._read(place)
        except NotFound:
            self._context.notify(Report(f"{place.key} does not exist (404).", severity="warning"))
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.record_id}"))
        else:
            # A user who went elsewhere meanwhile is not called away from there.
            if self._context.selection.place == here:
                self._context.go(place, reading)

    async def peek(self) -> None:
        """Show the main fields of the record that the value under the cursor names, and go there if that is wanted."""
        places = self._named()
        place = await self._chosen(places) if places else None
        if place is None:
            return
        read: list[RecordReading] = []

        async def reading() -> Record:
            read.append(await self._read(place))
            return self._context.privacy_mask.record(read[-1].record, place.collection.domain)

        from svc_tui.ui.record.peek import PEEK_SECONDS, PeekScreen

        coming = asyncio.ensure_future(reading())
        # Mostly it is here at once: then the dialog opens as high as it stays.
        await asyncio.wait({coming}, timeout=PEEK_SECONDS)
        try:
            if await self._context.show(PeekScreen(place, coming, self._context.tz)):
                self._context.go(place, read[-1])
        finally:
            coming.cancel()

    def _named(self) -> Sequence[Place]:
        workspace = self._context.workspace
        steps = workspace.selection.steps
        places = workspace.selection.references(steps, workspace.selection.value) if steps else ()
        if not places:
            self._context.notify(Report(availability.NO_NAMED))
        return places

    async def _chosen(self, places: Sequence[Place]) -> Place | None:
        """The place that is meant, chosen by the user where there are several."""
        if len(places) == 1:
            return places[0]
        from svc_tui.ui.dialogs.menu import ChooseRecordScreen

        return await self._context.show(ChooseRecordScreen(places[:MAX_CHOICES]))

    async def _read(self, place: Place) -> RecordReading:
        return await self._context.gateway.reading(place.collection, place.id)

    # Values and texts whole

    def opened(self, entry: OutlineEntry, truncated: bool) -> None:
        """Enter on a value: go where it leads, or show it whole where only its beginning is seen."""
        if self._context.selection.references(entry.path, entry.value):
            self.follow()
        elif truncated and isinstance(entry.value, str):
            self._context.ask(self._whole(path_text(entry.path), entry.value))
        else:
            record = self._context.selection.record
            is_id = record is not None and entry.path == (id_field(record.fields),)
            self._context.notify(
                Report(availability.ITS_ID if is_id else f"{availability.NO_NAMED} Press e to edit it.")
            )

    async def _whole(self, path: str, text: str) -> None:
        from svc_tui.ui.dialogs.text_dialog import TextViewerScreen

        if await self._context.show(TextViewerScreen(path, text)):
            await self.show_in_pager(text)

    async def page(self) -> None:
        """Show the text at hand in the user's pager: the value under the cursor, the record's JSON, the raw answer."""
        text = self._text()
        if text is None:
            self._context.notify(Report(availability.NOTHING_TO_PAGE))
        else:
            await self.show_in_pager(text)

    def _text(self) -> str | None:
        from svc_tui.console.copy_as import record_json, value_text

        workspace = self._context.workspace
        if workspace.text is not None:
            return workspace.text
        value, record = workspace.selection.seen_value, workspace.selection.seen
        if not isinstance(value, Absent) and (isinstance(value, str) or is_nested(value)):
            return value_text(value)
        return None if record is None else record_json(record)

    async def show_in_pager(self, text: str) -> None:
        """Show a text in the user's pager."""
        from svc_tui.ui.terminal.pager import Pager, PagerError

        try:
            environment = await asyncio.to_thread(self._context.session.child_environment)
            await Pager(lambda: self._context.screen.app, environment).show(text)
        except PagerError as error:
            self._context.notify(Report(str(error), "Pager not opened", "warning"))
