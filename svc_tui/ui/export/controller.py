"""Exporting from the main screen: asks what and where, writes in the background, says how it goes and ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from textual.screen import Screen
from textual.worker import Worker

from svc_tui.domain.app.done_notices import LongWork
from svc_tui.domain.app.ports import FileWriteError, FileWriter
from svc_tui.domain.collections.export_scope import ExportScope, export_scopes, file_name
from svc_tui.domain.collections.filters import SearchableRecord
from svc_tui.domain.collections.page_walk import PageWalk, count_words
from svc_tui.domain.collections.progress import Progress
from svc_tui.domain.data.export_formats import Format, format_of
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Page, Record
from svc_tui.ui.dialogs.save_file import confirm_replace
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.session.context import Context
from svc_tui.ui.table.pane import TablePane
from svc_tui.ui.terminal.done_notifier import announce_end
from svc_tui.ui.widgets.bars.export_bar import ExportBar

if TYPE_CHECKING:
    from svc_tui.ui.export.export_dialog import ExportChoice

_CHUNK_RECORDS = 200
"""Records at hand that are written between two chances for keys to count."""


class ExportController:
    """Exports what `browse` shows, one file at a time; its methods run in workers of the screen."""

    def __init__(self, context: Context, table: Callable[[], TablePane]) -> None:
        self._context, self._table = context, table
        self._running: Worker[None] | None = None
        self._writing = ""
        """The name of the file that is being written."""
        self._closing = False
        """Whether all of it is there, and only the disk is waited for."""

    async def ask(self) -> None:
        """Ask what to export and where to, and begin."""
        browse = self._table()
        if self._running is not None:
            self._context.notify(Report(f"{self._writing} is being written. Esc stops it."))
            return
        if browse.collection is None or not browse.rows.loaded:
            self._context.notify(Report(availability.NOTHING_TO_EXPORT))
            return
        collection, query, limit = browse.collection, browse.view_state.view.query, browse.rows.limit
        name = file_name(collection, self._context.local_now(), Format.CSV)
        choice = await ask_destination(
            self._context.screen, self._context.files, collection.name, self._shares(browse), name
        )
        if choice is not None:
            export = _ExportJob(self._context.gateway, collection, query, limit, choice.share)
            self._running = self._context.screen.run_worker(self._run(export, choice), group="export", exclusive=False)

    @property
    def running(self) -> bool:
        """Whether something is being exported."""
        return self._running is not None

    def stop(self) -> bool:
        """Stop what is being exported, which leaves nothing; gives whether anything was."""
        if self._running is None or self._closing:
            return False
        self._running.cancel()
        return True

    def _shares(self, browse: TablePane) -> tuple[ExportScope, ...]:
        rows, chosen = browse.rows, browse.arrangement.filter
        return export_scopes(rows.total, rows.page_size, chosen, browse.arrangement.records(), browse.marking.records)

    async def _run(self, export: "_ExportJob", choice: "ExportChoice") -> None:
        self._writing, self._closing = choice.name, False
        line, began = ExportBar(choice.name), self._context.session.monotonic()
        line.progress = export.progress(0.0)
        await self._context.screen.mount(line, before="StatusBar")
        try:
            with announce_end(self._context.screen, LongWork.EXPORT, self._context.session.monotonic):
                await self._write(export, choice, lambda: self._show(line, export, began))
        except asyncio.CancelledError:
            self._context.notify(Report(f"Stopped after {count_words(export.read)}: {choice.name} was not written."))
            raise
        except ServiceError as error:
            self._context.notify(error_report(error, f"{choice.name} was not written"))
        except FileWriteError as error:
            self._context.notify(Report(str(error), f"{choice.name} was not written", "error"))
        else:
            notice = f"{export.notice}{self._context.privacy_mask.notice}".strip()
            where = f"{count_words(export.written)} in {self._context.files.path(choice.name)}."
            self._context.notify(
                Report(f"{where} {notice}".strip(), "Exported", "warning" if notice else "information")
            )
        finally:
            self._running = None
            line.remove()

    def _show(self, line: ExportBar, export: "_ExportJob", began: float) -> None:
        line.progress = export.progress(self._context.session.monotonic() - began)

    async def _write(self, export: "_ExportJob", choice: "ExportChoice", progressed: Callable[[], None]) -> None:
        async with self._context.files.export(choice.name, choice.file_format) as out:
            async with aclosing(export.records()) as some:
                async for records in some:
                    seen = self._context.privacy_mask.records(records, export.domain)
                    await out.add([record.fields for record in seen])
                    progressed()
            await out.finish()
            self._closing = True


async def ask_destination(
    screen: Screen[Any], files: FileWriter, title: str, offered: Sequence[ExportScope], name: str
) -> "ExportChoice | None":
    """What to export where, `name` being offered, once a file that is there may be replaced."""
    from svc_tui.ui.export.export_dialog import ExportDialog

    file_format, at = format_of(name) or Format.CSV, 0
    while True:
        dialog = ExportDialog(
            title, offered, name, lambda name: _name_problem(files, name), file_format=file_format, at=at
        )
        choice = await screen.app.push_screen_wait(dialog)
        if choice is None or not files.taken(choice.name) or await confirm_replace(screen, choice.name):
            return choice
        name, file_format, at = choice.name, choice.file_format, offered.index(choice.share)


def _name_problem(files: FileWriter, name: str) -> str:
    try:
        files.taken(name)
    except FileWriteError as error:
        return str(error)
    return ""


class _ExportJob:
    """The records of one share, and how many of them have gone by."""

    def __init__(
        self, gateway: Gateway, collection: Collection, query: Sequence[tuple[str, str]], limit: int, share: ExportScope
    ) -> None:
        self._gateway, self._collection, self._query = gateway, collection, tuple(query)
        self._limit, self._share = limit, share
        self._walked = PageWalk()
        self.read = 0
        """How many records were looked at."""
        self.written = 0
        """How many of them are meant."""

    def progress(self, seconds: float) -> Progress:
        """How far it has come in that time."""
        goal = self._share.goal if self._walked.total is None else self._walked.total
        return Progress(self.read, goal, seconds)

    @property
    def domain(self) -> str:
        """The domain of its records."""
        return self._collection.domain

    @property
    def notice(self) -> str:
        """What readers of the file should know, in a sentence, or ""."""
        if self._share.records is not None or not (notice := self._walked.notice(whole=True)):
            return ""
        return f"{notice[0].upper()}{notice[1:]}."

    async def records(self) -> AsyncGenerator[list[Record], None]:
        """Some records after the others; each comes once."""
        async with aclosing(cast("AsyncGenerator[list[Record], None]", self._some())) as some:
            async for records in some:
                meant = [
                    entry.record
                    for entry in self._share.filter.chosen(
                        SearchableRecord.of(0, records_read) for records_read in records
                    )
                ]
                self.read += len(records)
                self.written += len(meant)
                yield meant

    async def _some(self) -> AsyncIterator[list[Record]]:
        if self._share.records is not None:
            rest = iter(self._share.records)
            while records := list(islice(rest, _CHUNK_RECORDS)):
                yield records
                await asyncio.sleep(0)
            return
        pages = self._gateway.walk(self._collection, limit=self._limit, query=self._query)
        async with aclosing(cast("AsyncGenerator[Page, None]", pages)):
            async for page in pages:
                yield self._walked.new(page.records, page.total)
