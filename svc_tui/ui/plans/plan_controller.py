"""Changes of many records: planned from marks, from a file or to take a run back, looked at, and carried out.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from uuid import uuid4

from svc_tui.core.catalog import Collection
from svc_tui.core.phrases import capitalize_first
from svc_tui.plans.correction_file import CorrectionFileError, Corrections
from svc_tui.plans.journal_runs import find_effective_undos
from svc_tui.plans.planning import PlanError, Planner, ReadListener
from svc_tui.plans.run_undo import plan_undo
from svc_tui.service.errors import ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan
from svc_tui.ui.context import Context
from svc_tui.ui.keys.command import Command
from svc_tui.ui.plans.marked_records import MarkedRecords
from svc_tui.ui.plans.plan_review import PlanReview
from svc_tui.ui.plans.run_controller import RunController
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.sending.write_controller import WriteController

_ALL = 1_000_000_000


class PlanController:
    """Makes plans on one main screen and has them carried out; its methods run in workers of the screen.

    `exported` gives the name of the file that a collection was exported to last, "" for none.
    """

    def __init__(
        self,
        context: Context,
        writes: WriteController,
        exported: Callable[[Collection], str],
    ) -> None:
        self._context, self._writes, self._exported = context, writes, exported
        self._review = PlanReview(context, writes)
        self._marked = MarkedRecords(context, self._review)
        self.runs = RunController(context, writes, self._review, self.undo)

    def commands(self) -> Iterator[Command]:
        """What the palette offers of it."""
        ask = self._context.ask
        yield Command(
            "Corrections from a file…",
            "Compare a CSV, JSON or Excel file with the service, review the changes and send them",
            lambda: ask(self.from_file()),
        )
        yield Command(
            "Runs…",
            "Resume or undo a run",
            lambda: ask(self.choose_run()),
        )

    async def change_marked(self) -> None:
        """Choose a field and a value for the marked records, look at what it means, and send it."""
        if refusal := self._writes.lock.refusal():
            self._context.notify(Report(refusal, severity="warning"))
            return
        made = await self._marked.plan(_new_id())
        if made is None:
            return
        plan, records = made

        async def add_field(plan: Plan) -> Plan:
            return await self._marked.with_another_field(plan, records)

        agreed = await self._review.agreed(plan, add_field=add_field)
        if agreed is not None:
            await self.runs.begin(agreed)

    async def from_file(self, name: str = "") -> None:
        """Read a file of corrections for the collection on show, look at what it means, and send it.

        `name` is the file's, "" asks for it.
        """
        collection = self._context.table.collection
        if collection is None:
            self._context.notify(Report("Open the collection of the file first."))
            return
        corrections = await self._read(collection, name)
        if corrections is None:
            return
        planner = self._review.planner(collection)
        await self._carry_out(
            lambda on_read: planner.plan(collection, corrections, _new_id(), on_read), planner=planner
        )

    async def _read(self, collection: Collection, name: str) -> Corrections | None:
        """The corrections of a file; None where nobody named one that can be read.

        A name that was typed is asked for again, as it stands, where its file can't be read.
        """
        from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

        title, typed = f"Corrections for {collection.name} from a file", not name
        # What was exported a moment ago is most likely what was edited since.
        offered = self._exported(collection)
        while True:
            if typed:
                name = (
                    await self._context.show(NamePromptScreen(title, "grades.csv", name or offered, verb="open")) or ""
                )
            if not name:
                return None
            try:
                return await asyncio.to_thread(self._context.session.read_corrections, name)
            except CorrectionFileError as error:
                self._context.notify(Report(str(error), f"Could not read {name}", "error"))
                if not typed:
                    return None

    async def carry_out_approved(self, plan: Plan) -> None:
        """Look once more at a plan that a colleague approved, and send it."""
        agreed = await self._review.agreed(plan)
        if agreed is not None:
            await self.runs.begin(agreed)

    async def choose_run(self) -> None:
        """Choose from the runs that were cut short, done or undone, to go on with one, or to take it back."""
        from svc_tui.ui.plans.runs_screen import RunsScreen

        try:
            runs = await self._context.session.run_store.runs()
            reached = await self.runs.how_far(runs)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the runs", "error"))
            return
        unfinished = [run for run in runs if run.ended is None]
        run = unfinished[0] if len(runs) == len(unfinished) == 1 else None
        if run is None:
            run = await self._context.show(RunsScreen(runs, reached, self._context.tz))
        if run is None:
            return
        if run.ended is None:
            await self.runs.take_up(run)
        else:
            await self.undo(run.id)

    async def take_back(self, run: str) -> None:
        """Take back what a run did; of one that was cut short, ask first how it goes on."""
        try:
            known = await self._context.session.run_store.find(run)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the runs", "error"))
            return
        if known is not None and known.ended is None:
            await self.runs.take_up(known)
        else:
            await self.undo(run)

    async def undo(self, run: str, *, in_place_of: str = "") -> None:
        """Take back what a run did, once its plan was looked at.

        `in_place_of` is a run that is given up then, since it is cut short; "" for none.
        """
        session = self._context.session
        try:
            entries, runs = await session.journal.of_run(run), await session.run_store.runs()
            if not entries:
                # A colleague's; what it wrote is taken back as one's own writes are, by writes of one's own.
                entries = (await session.writes.newest_of_run(run, _ALL))[::-1]
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        if any(undo.undoes == run for undo in find_effective_undos(runs)):
            words = "This run is already undone. To restore its changes, undo that undo: choose it in Runs."
            self._context.notify(Report(words, severity="warning"))
            return

        other_key = any(entry.other_key for entry in entries)
        if other_key and not await self._writes.confirm_other_key("The run was sent"):
            return
        title = next((one.title_of_undo for one in runs if one.id == run), "")

        async def planned(on_read: ReadListener) -> Plan:
            return await plan_undo(
                session.gateway,
                entries,
                session.writes.record_after,
                _new_id(),
                session.now(),
                collections=session.collections,
                title=title,
                begun_before=any(one.undoes == run for one in runs),
                on_read=on_read,
            )

        await self._carry_out(planned, in_place_of)

    async def _carry_out(
        self,
        planned: Callable[[ReadListener], Awaitable[Plan]],
        in_place_of: str = "",
        planner: Planner | None = None,
    ) -> None:
        """Make a plan, look at it, and send it once it was agreed to; `planner` makes it, if it compares a file."""
        plan = await self._planned(planned)
        if plan is None:
            return
        agreed = await self._review.agreed(plan, planner=planner)
        if agreed is not None:
            await self.runs.begin(agreed, in_place_of)

    async def _planned(self, planned: Callable[[ReadListener], Awaitable[Plan]]) -> Plan | None:
        """The plan, with how far reading has come shown meanwhile; None where it failed, or was stopped."""
        from svc_tui.ui.plans.run_dialogs import ProgressScreen

        progress = ProgressScreen(self._writes.heading("Loading records"), "Stop")
        await self._context.screen.app.push_screen(progress)
        making = asyncio.ensure_future(planned(lambda read, total: progress.show_progress(read, "loaded", total=total)))
        progress.when_stopped = making.cancel
        try:
            return await making
        except asyncio.CancelledError:
            if not progress.stopping:
                raise
            return None
        except ServiceError as error:
            self._context.notify(error_report(error, "Could not load the records"))
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
        except PlanError as error:
            self._context.notify(Report(f"{capitalize_first(str(error))}.", "Plan not created", "warning"))
        finally:
            progress.dismiss(None)
        return None


def _new_id() -> str:
    return uuid4().hex[:12]
