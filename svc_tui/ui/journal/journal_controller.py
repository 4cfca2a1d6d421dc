"""The journal from the main screen: shown and searched, written to a file, its old writes removed.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from textual.content import Content

from svc_tui.core.export_formats import Format
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.history.journal_rows import export_row
from svc_tui.plans.journal_runs import (
    FOUND_IN_RUN,
    PAGE,
    JournalItem,
    RunGroup,
    find_runs,
    group_matches,
    group_runs,
)
from svc_tui.records.record_export import ExportScope
from svc_tui.session.ports import FileWriteError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.menu import MenuScreen
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled

_MAX_LISTED = 200
"""Writes in the list at most; a search looks through all there are."""
_MAX_RUNS = 1_000
"""Runs whose titles are known."""
_MAX_TITLES = 20
"""Runs that are found by their title."""
_ALL = 1_000_000_000
_AGES = (30, 90, 365)
"""Days that writes can be kept for."""


class JournalController:
    """Opens the journal for one screen; its methods run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        resume: Callable[[], Awaitable[None]],
        undo: Callable[[int], Awaitable[None]],
        undo_run: Callable[[str], Awaitable[None]],
        copy: Callable[[str], Awaitable[None]],
        approvals: Callable[[], Awaitable[None]] | None,
    ) -> None:
        """Make it; `resume` continues a run that was cut short.

        `undo` takes the write of a number back, `undo_run` the run of an id; `approvals` shows what waits for a second
        person, None where there is no team.
        """
        self._context, self._resume, self._copy = context, resume, copy
        self._undo, self._undo_run, self._approvals = undo, undo_run, approvals

    async def show(self) -> None:
        """Show the journal until the user leaves it."""
        try:
            await self._shown()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))

    async def _shown(self) -> None:
        from svc_tui.ui.journal.journal_screen import JournalAction, JournalScreen, JournalSource

        text = ""
        while True:
            items, zone = await self._search(text), self._context.local_now().tzinfo
            scope, source = self._context.session.scope, JournalSource(self._search, self._read_run)
            screen = JournalScreen(items, scope, zone, source, self._copy, text)
            choice = await self._context.show(screen)
            if choice is None:
                return
            text = choice.search
            match choice.act:
                case JournalAction.EXPORT:
                    await self._export(text)
                case JournalAction.PRUNE:
                    await self._prune()
                case JournalAction.RESUME:
                    await self._resume()
                    return
                case JournalAction.APPROVALS:
                    if self._approvals is None:
                        self._context.notify(Report("This profile has no team, so there are no approval requests."))
                    else:
                        await self._approvals()
                case JournalAction.UNDO:
                    await (self._undo_run(choice.run) if choice.run else self._undo(choice.number))
                    return

    async def copy_proof(self, number: int) -> None:
        """Copy what is known of the write of this number, 0 for none, for the ticket that it was for."""
        if not number:
            self._context.notify(Report("No changes in this session. Press @ to see earlier ones."))
            return
        try:
            entry = await self._context.writes.find(number)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        if entry is None:
            self._context.notify(Report("This change is no longer in the journal.", severity="warning"))
        else:
            await self._copy_proof(self._context.privacy_mask.entry(entry))

    async def _copy_proof(self, entry: JournalEntry) -> None:
        from svc_tui.ui.widgets.record.journal_lines import entry_details

        zone = self._context.local_now().tzinfo
        await self._copy(entry_details(entry, self._context.session.scope, zone).plain.strip() + "\n")

    async def _search(self, text: str) -> Sequence[JournalItem]:
        """The newest writes, those of a run as one; or those that the words are found in, and runs by their title."""
        writes = self._context.writes
        runs = await self._context.session.run_store.runs(_MAX_RUNS)
        if not text.strip():
            return [self._masked(item) for item in group_runs(await writes.listed(_MAX_LISTED), runs)]
        # One more than is listed of a run tells that there are more.
        entries = await writes.search(text, _MAX_LISTED, per_run=FOUND_IN_RUN + 1)
        found = {entry.intent.batch for entry in entries if entry.intent.batch}
        found.update(find_runs(runs, text)[:_MAX_TITLES])
        return [self._masked(item) for item in group_matches(entries, await writes.runs_of(found), runs)]

    async def _read_run(self, group: RunGroup) -> RunGroup:
        before = group.writes[-1].number if group.writes else 0
        writes = await self._context.writes.newest_of_run(group.run.id, PAGE, before=before)
        return group.with_writes([self._context.privacy_mask.entry(write) for write in writes])

    def _masked(self, item: JournalItem) -> JournalItem:
        mask = self._context.privacy_mask.entry
        if isinstance(item, JournalEntry):
            return mask(item)
        run = replace(item.run, first=mask(item.run.first), last=mask(item.run.last))
        return replace(item, run=run, writes=tuple(mask(write) for write in item.writes))

    async def _export(self, text: str) -> None:
        from svc_tui.ui.dialogs.export_dialog import ask_destination

        everything = await self._context.writes.entries(_ALL)
        if not everything:
            self._context.notify(Report("Nothing to export: the journal is empty."))
            return
        offered = [_export_name("all", everything, self._rows(everything))]
        if text.strip():
            entries = await self._context.writes.search(text, _ALL)
            offered.insert(0, _export_name("matches:", entries, self._rows(entries)))
        name = f"journal-{self._context.local_now():%Y%m%d-%H%M}.{Format.CSV.ending}"
        destination = await ask_destination(self._context.screen, self._context.files, "the journal", offered, name)
        if destination is None or destination.share.records is None:
            return
        try:
            async with self._context.files.export(destination.name, destination.file_format) as out:
                await out.add([record.fields for record in destination.share.records])
                await out.finish()
        except FileWriteError as error:
            self._context.notify(Report(str(error), f"Could not save {destination.name}", "error"))
        else:
            where = self._context.files.path(destination.name)
            count = _counted_entries(len(destination.share.records))
            self._context.notify(Report(f"Saved {count} to {where}.{self._context.privacy_mask.notice}", "Exported"))

    def _rows(self, entries: Sequence[JournalEntry]) -> tuple[Record, ...]:
        return tuple(
            Record(export_row(self._context.privacy_mask.entry(entry), self._context.session.scope))
            for entry in entries
        )

    async def _prune(self) -> None:
        now = self._context.local_now()
        ages = [(days, await self._context.journal.prunable(now - timedelta(days=days))) for days in _AGES]
        lines = [
            (
                Content.assemble(
                    f"older than {days} days".ljust(22), (_counted_entries(prunable.writes), "$role-muted")
                ),
                days,
            )
            for days, prunable in ages
        ]
        days = await self._context.show(
            MenuScreen("Delete old entries from the journal", lines, hint="enter choose (asks first) · esc cancel")
        )
        if days is None:
            return
        before, prunable = now - timedelta(days=days), dict(ages)[days]
        if not prunable.writes:
            self._context.notify(Report(f"No entries older than {days} days."))
        elif await self._agreed(before, prunable.writes, prunable.unknown):
            pruning = await self._context.journal.prune(before, now)
            self._context.notify(
                Report(f"Deleted {_counted_entries(pruning.writes)}. The rest of the journal can still be verified.")
            )

    async def _agreed(self, before: datetime, writes: int, unknown: int) -> bool:
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        fate = f" The outcome of {unknown:,} of them is unknown." if unknown else ""
        body = Content.assemble(
            styled(f"{_counted_entries(writes)} from before {before:%Y-%m-%d}", "bold"),
            " will be deleted, for all profiles that use this journal. You can't undo this.",
            fate,
            " The last hash is kept, so the rest can still be verified. To keep the old entries, export them first.",
        )
        question = ConfirmScreen(Content("Delete old entries"), body, "Delete", danger=True)
        agreed: bool | None = await self._context.show(question)
        return bool(agreed)


def _export_name(what: str, entries: Sequence[JournalEntry], records: tuple[Record, ...]) -> ExportScope:
    return ExportScope(f"{what} {_counted_entries(len(entries))}", records=records, goal=len(records))


def _counted_entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"
