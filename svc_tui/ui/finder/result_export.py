"""Exporting what was found: records of any collections, as they are held, in one file."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from svc_tui.core.export_formats import Format
from svc_tui.core.phrases import counted
from svc_tui.core.records import Record
from svc_tui.records.record_export import ExportScope
from svc_tui.search.record_search import Match
from svc_tui.search.result_rows import export_rows, held_words
from svc_tui.session.ports import FileWriteError
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report


class ResultExport:
    """Its methods run in workers of the main screen, so that a file is written to its end whatever is closed."""

    def __init__(self, context: Context, seen: Callable[[Match], Record]) -> None:
        """Make it; `seen` gives the record of a match as it may be handed out."""
        self._context, self._seen = context, seen

    async def ask(self, matches: Sequence[Match], what: str) -> None:
        """Ask for the file, and write the records of the matches to it; `what` they are, in words."""
        from svc_tui.ui.dialogs.export_dialog import ask_destination

        context, monotonic = self._context, self._context.session.monotonic
        held = held_words(matches, monotonic())
        scope = ExportScope(what, held, goal=len(matches))
        name = f"found-{context.local_now():%Y%m%d-%H%M}.{Format.CSV.ending}"
        choice = await ask_destination(context.screen, context.files, "search results", [scope], name)
        if choice is None:
            return
        now, monotonic_now = context.local_now(), monotonic()
        # As they may be seen now: the mask may have been turned since the dialog was opened.
        found, masked = [(match, self._seen(match)) for match in matches], context.privacy_mask.notice
        rows = export_rows(found, lambda moment: now - timedelta(seconds=monotonic_now - moment))
        try:
            async with context.files.export(choice.name, choice.file_format) as out:
                await out.add([row.fields for row in rows])
                await out.finish()
        except FileWriteError as error:
            context.notify(Report(str(error), f"Could not save {choice.name}", "error"))
            return
        where = f"Saved {counted(len(rows), 'record')} to {context.files.path(choice.name)}, {held}."
        context.notify(Report(f"{where}{masked}", "Exported", "warning" if masked else "information"))
