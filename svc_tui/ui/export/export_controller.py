"""Exporting from the main screen: asks what and where, writes in the background, says how it goes and ends."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.worker import Worker

from svc_tui.core.catalog import Collection
from svc_tui.core.export_formats import Format
from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.records.progress import Progress, progress_line
from svc_tui.records.record_export import ExportScope, RecordExport, export_scopes, file_name, name_to_edit
from svc_tui.service.errors import ServiceError
from svc_tui.session.ports import FileWriteError
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.table.view_controller import scope_text
from svc_tui.ui.terminal.done_notifier import LongWork, announce_end
from svc_tui.ui.text import measure, shorten, visible

if TYPE_CHECKING:
    from svc_tui.ui.dialogs.export_dialog import ExportChoice


_HINT = "esc stop"
_GAP = "  "


class ExportBar(Widget):
    """The progress of an export: the name of the file, a bar, numbers, and the key that stops it."""

    DEFAULT_CSS = """
    ExportBar { height: 1; padding: 0 1; background: $role-panel; color: $role-foreground; }
    """

    progress: reactive[Progress] = reactive(Progress(0, None, 0.0))

    def __init__(self, name: str) -> None:
        super().__init__()
        self._file = name

    def render(self) -> Content:
        """Return the line; the name is shortened if there is little room."""
        width = self.size.width
        name = shorten(visible(self._file), max(8, width // 3))
        numbers = progress_line(self.progress, max(0, width - measure(name) - len(_HINT) - 2 * len(_GAP)))
        return Content.assemble((name, "bold $role-accent"), _GAP, numbers, _GAP, (_HINT, "$role-muted"))


class ExportController:
    """Exports what `browse` shows, one file at a time; its methods run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._running: Worker[None] | None = None
        self._writing = ""
        """The name of the file that is being written."""
        self._closing = False
        """Whether all of it is there, and only the disk is waited for."""
        self._exported: dict[Collection, str] = {}
        """The file that each collection was written to last, by its name, and can be read from."""

    async def ask(self) -> None:
        """Ask what to export and where to, and begin."""
        browse = self._context.table
        if self._running is not None:
            self._context.notify(Report(f"Still exporting to {self._writing}. Press esc to stop."))
            return
        if browse.collection is None or not browse.rows.loaded:
            self._context.notify(Report(availability.NOTHING_TO_EXPORT))
            return
        from svc_tui.ui.dialogs.export_dialog import CSV_TO_EDIT, FORMATS, ask_destination

        collection, query = browse.collection, browse.view.query
        name = file_name(collection, self._context.local_now(), Format.CSV)
        # What is masked would come back as what is to be written.
        formats = FORMATS if self._context.privacy_mask.on else (*FORMATS, CSV_TO_EDIT)
        choice = await ask_destination(
            self._context.screen,
            self._context.files,
            collection.name,
            self._shares(browse),
            name,
            formats,
            name_to_edit(collection, Format.CSV),
        )
        if choice is not None:
            export = RecordExport(self._context.gateway, collection, query=query, scope=choice.share)
            self._running = self._context.screen.run_worker(self._run(export, choice), group="export", exclusive=False)

    @property
    def running(self) -> bool:
        """Whether something is being exported."""
        return self._running is not None

    def exported(self, collection: Collection) -> str:
        """The file that the collection was exported to last, as corrections are read from one; "" for none."""
        return self._exported.get(collection, "")

    def stop(self) -> bool:
        """Stop what is being exported, which leaves nothing; gives whether anything was."""
        if self._running is None or self._closing:
            return False
        self._running.cancel()
        return True

    def _shares(self, browse: TablePane) -> tuple[ExportScope, ...]:
        rows, chosen = browse.rows, browse.arrangement.filter
        return export_scopes(
            rows.total,
            self._context.profile.bulk_page_size,
            chosen,
            browse.arrangement.records(),
            scope_text(browse),
            browse.marking.records,
        )

    async def _run(self, export: RecordExport, choice: "ExportChoice") -> None:
        self._writing, self._closing = choice.name, False
        line, began = ExportBar(choice.name), self._context.session.monotonic()
        line.progress = export.progress(0.0)
        await self._context.screen.mount(line, before="StatusBar")
        try:
            with announce_end(self._context.screen, LongWork.EXPORT, self._context.session.monotonic):
                await self._write(export, choice, lambda: self._show(line, export, began))
        except asyncio.CancelledError:
            self._context.notify(
                Report(f"Stopped after {counted(export.read, 'record')}. {choice.name} was not saved.")
            )
            raise
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not save {choice.name}"))
        except FileWriteError as error:
            self._context.notify(Report(str(error), f"Could not save {choice.name}", "error"))
        else:
            if choice.file_format is not Format.MARKDOWN:
                self._exported[export.collection] = choice.name
            notice = f"{capitalize_first(export.notice)}{'.' if export.notice else ''}"
            notice = f"{notice}{self._context.privacy_mask.notice}".strip()
            where = f"Saved {counted(export.written, 'record')} to {self._context.files.path(choice.name)}."
            self._context.notify(
                Report(f"{where} {notice}".strip(), "Exported", "warning" if notice else "information")
            )
        finally:
            self._running = None
            line.remove()

    def _show(self, line: ExportBar, export: RecordExport, began: float) -> None:
        line.progress = export.progress(self._context.session.monotonic() - began)

    async def _write(self, export: RecordExport, choice: "ExportChoice", progressed: Callable[[], None]) -> None:
        async with self._context.files.export(choice.name, choice.file_format, for_edit=choice.offered.for_edit) as out:
            async with aclosing(export.records()) as some:
                async for records in some:
                    if choice.offered.for_edit and self._context.privacy_mask.on:
                        raise FileWriteError("Personal data is masked, and masked values can't be imported again.")
                    masked = self._context.privacy_mask.records(records, export.collection.domain)
                    await out.add([record.fields for record in masked])
                    progressed()
            await out.finish()
            self._closing = True
