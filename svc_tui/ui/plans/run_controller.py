"""Carries plans out: kept before the first write, sent row by row, stopped, taken up again, given up, reported."""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, Protocol

from textual.content import Content

from svc_tui.core.durations import span_words
from svc_tui.core.export_formats import Format
from svc_tui.core.phrases import counted
from svc_tui.core.values import replace
from svc_tui.plans.run import (
    RowOutcome,
    RunProgress,
    RunWriter,
    StopReason,
    count_rows,
    creations_of_run,
    find_remaining_rows,
    find_unknown_rows,
    honours_keys,
    row_results,
)
from svc_tui.plans.run_report import describe_run_end, make_report_rows
from svc_tui.service.errors import SendResult
from svc_tui.service.redact import mask_fields
from svc_tui.session.ports import FileWriteError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.plan import Plan, PlanRow, RowAction, RowState
from svc_tui.storage.runs import RowResults, Run, RunCounts, RunStore
from svc_tui.ui.context import Context
from svc_tui.ui.plans.plan_guard import end_approval, plan_guard
from svc_tui.ui.plans.plan_review import PlanReview
from svc_tui.ui.report import UNDO_OFFER, Report, write_report
from svc_tui.ui.sending.write_controller import WriteController
from svc_tui.ui.terminal.done_notifier import LongWork, announce_end
from svc_tui.ui.text import styled
from svc_tui.writes.approval_guard import ApprovalGuard, WriteGate
from svc_tui.writes.pipeline import WritePipeline


class RunDecision(Enum):
    """What is to be done after a run has stopped."""

    SKIP = "skip this row"
    AGAIN = "resume"
    GO_PAST = "skip refused rows"
    UNDO = "undo"
    REPORT = "save a report"
    STOP = "stop"
    DROP = "cancel the rest"


@dataclass(frozen=True, slots=True)
class RunStop:
    """Where a run stands: `rest` of its rows are left; `at` is the one that was a surprise, `why` in a sentence.

    `reason` None: it did not stop, but waits to be taken up.
    """

    plan: Plan
    rest: Sequence[PlanRow]
    counts: RunCounts
    why: str = ""
    at: PlanRow | None = None
    reason: StopReason | None = None

    @property
    def title(self) -> str:
        """How far it has come."""
        if self.reason is None:
            return f"{self.plan.title}: {_progress_words(self.counts)}"
        return f"Stopped: {_progress_words(self.counts)}"


class UndoRun(Protocol):
    """Takes a run back; `in_place_of` is a run that is given up once its undo is begun."""

    async def __call__(self, run: str, *, in_place_of: str = "") -> None: ...


class RunController:
    """Runs plans of one main screen; its methods run in workers of the screen.

    `undo` takes a run back.
    """

    def __init__(
        self,
        context: Context,
        writes: WriteController,
        review: PlanReview,
        undo: UndoRun,
    ) -> None:
        self._context, self._writes, self._review, self._undo = context, writes, review, undo

    async def begin(self, plan: Plan, in_place_of: str = "") -> None:
        """Carry out a plan that was agreed to; the run `in_place_of` which it comes is given up then, "" for none."""
        plan = plan.with_run_title()
        try:
            # Before the first request leaves, so that a crash leaves behind what there is to go on with.
            await self._store.keep(plan)
            if in_place_of:
                await self._store.end(in_place_of, given_up=True)
        except StoreError as error:
            self._context.notify(Report(str(error), "Nothing sent: could not save the plan", "error"))
            return
        try:
            await self._held(plan, self._walk(plan))
        except StoreError as error:
            self._context.notify(Report(str(error), "Run stopped: could not save its state", "error"))

    async def report_unfinished(self, unfinished: Sequence[Run]) -> None:
        """Report runs that were cut short when a program ended, and those that another program is at."""
        try:
            for run in unfinished:
                if run.elsewhere:
                    self._notify_elsewhere(run)
                    continue
                plan = await self._store.plan_of(run.id)
                counts = None if plan is None else count_rows(plan, await self._results(plan))
                far = "" if counts is None else f": {_progress_words(counts)}"
                words = f"{run.title}{far}. To resume or undo it, open Runs in Commands (ctrl+p)."
                self._context.notify(Report(words, "Unfinished run", "warning"))
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))

    async def how_far(self, runs: Sequence[Run]) -> dict[str, str]:
        """How the rows of the runs ended, by the id of the run, where not all are done. Raises StoreError."""
        words = {}
        for run in runs:
            if run.counts is not None:
                words[run.id] = run.counts.exceptions
            elif run.ended is None and not run.elsewhere and (plan := await self._store.plan_of(run.id)) is not None:
                words[run.id] = f"after {_progress_words(count_rows(plan, await self._results(plan)))}"
        return words

    async def take_up(self, run: Run) -> None:
        """Ask what is to be done with a run that was cut short, and do it."""
        try:
            plan = await self._store.take(run.id)
            if plan is not None:
                await self._held(plan, self._resumed(run, plan.with_run_title()))
            elif any(one.id == run.id for one in await self._store.unfinished()):
                self._notify_elsewhere(run)
            else:
                self._context.notify(Report(f"{run.title} has already ended."))
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not resume the run", "error"))

    def _notify_elsewhere(self, run: Run) -> None:
        words = "Use the other window to stop, resume or cancel the run. To use the run here, close that window first."
        self._context.notify(Report(words, f"{run.title}: running in another window", "warning"))

    # Sending

    async def _held(self, plan: Plan, work: Coroutine[Any, Any, None]) -> None:
        """Run a plan of this program's, and release what is left of it."""
        try:
            await work
        finally:
            await self._store.let_go(plan.id)

    async def _resumed(self, run: Run, plan: Plan) -> None:
        writes = await self._context.session.journal.row_writes(plan.id)
        results = row_results(plan, writes)
        rest = self._left(plan, results, {})
        choice = await self._next(RunStop(plan, rest, count_rows(plan, results)), results)
        if choice is not RunDecision.AGAIN:
            await self._leave(plan, choice, {})
            return
        if self._is_locked():
            return
        other_key = run.other_key or any(write.other_key for write in writes)
        if other_key and not await self._writes.confirm_other_key("The run was started"):
            return
        left = replace(plan, rows=rest, notices=("Finished rows stay changed.",))
        agreed = await self._review.agreed(left)
        if agreed is None:
            return
        plan = replace(plan.with_rows(agreed.rows), ticket=agreed.ticket)
        await self._store.keep(plan)
        await self._walk(plan)

    def _is_locked(self) -> bool:
        """Whether nothing may be written now, which is said."""
        refusal = self._writes.lock.refusal()
        if refusal:
            self._context.notify(Report(refusal, severity="warning"))
        return bool(refusal)

    async def _walk(self, plan: Plan) -> None:
        """Send what is left of a plan, asking after every stop, until the user is content."""
        outcomes: dict[int, RowOutcome] = {}
        max_failures = 1
        # As many as there are now: a row that is left out later makes no smaller plan of it.
        guard = plan_guard(self._context.session, plan)
        while True:
            with announce_end(self._context.screen, LongWork.RUN):
                progress = await self._sent(plan, outcomes, max_failures, guard)
            outcomes.update((outcome.row.number, outcome) for outcome in progress.outcomes)
            results = await self._results(plan)
            rest, counts = self._left(plan, results, outcomes), count_rows(plan, results, outcomes)
            if not rest:
                await self._ended(plan, outcomes, results)
                return
            failure = progress.last_failure
            # One that is in place all the same is neither tried again nor left out.
            at = failure.row if failure is not None and failure.row in rest and len(progress.failed) == 1 else None
            why = "" if failure is None else self._why(plan, failure)
            stop = RunStop(plan, rest, counts, why, at, progress.stopped or StopReason.FAILURES)
            choice = await self._next(stop, results)
            if choice is RunDecision.SKIP and at is not None:
                plan = plan.with_row_skipped(at.number)
                await self._store.keep(plan)
            elif choice is RunDecision.GO_PAST:
                max_failures = len(plan.rows) + 1
            elif choice is not RunDecision.AGAIN:
                await self._leave(plan, choice, outcomes)
                return

    async def _sent(
        self, plan: Plan, outcomes: Mapping[int, RowOutcome], max_failures: int, guard: ApprovalGuard
    ) -> RunProgress:
        """Send one row after the other, until as many failed as may; `outcomes` are those of rows sent before."""
        from svc_tui.ui.plans.run_dialogs import ProgressScreen

        results = await self._results(plan)
        session = self._context.session
        pipeline = WritePipeline(
            session.gateway,
            session.journal,
            WriteGate(self._writes.lock.refusal, guard),
            session.now,
            plan.id,
            session.collections,
        )
        writer = RunWriter(plan, pipeline, session.gateway, await self._colleagues(plan))
        if results:
            writer.recall(await session.journal.unsettled())
        progress = RunProgress.of_plan(plan, self._left(plan, results, outcomes), results, max_failures, outcomes)
        counts, began = progress.counts, session.monotonic()
        screen = ProgressScreen(
            self._writes.heading(plan.title), "Stop after the current row", counts.total, counts.done
        )
        screen.when_stopped = progress.interrupt
        await self._context.screen.app.push_screen(screen)
        self._writes.run_under_way = True
        try:
            while (row := progress.next_row) is not None:
                left, counts = progress.seconds_left(session.monotonic() - began), progress.counts
                words = "" if left is None else f"{span_words(left)} left"
                screen.show_progress(counts.done, row.name, words, exceptions=counts.exceptions)
                progress.add(await self._written(writer, row))
        finally:
            self._writes.run_under_way = False
            screen.dismiss(None)
        return progress

    async def _written(self, writer: RunWriter, row: PlanRow) -> RowOutcome:
        """One row carried out; the screen is told of the write as of any other."""
        outcomes: list[RowOutcome] = []

        async def write() -> Any:
            outcomes.append(await writer.write(row))
            return outcomes[0].report

        await self._writes.run(write(), writer.plan.place(row) if row.record_id else None)
        return outcomes[0]

    def _why(self, plan: Plan, outcome: RowOutcome) -> str:
        """What was unexpected about how a row ended."""
        if outcome.conflicts:
            return self._review.seen_outcome(plan, outcome).conflict_words
        return write_report(outcome.report, outcome.row.name).line

    # After it

    async def _next(self, stop: RunStop, results: RowResults) -> RunDecision:
        """Ask what is to be done, after a stop or on request."""
        from svc_tui.ui.plans.run_dialogs import StoppedRunScreen

        plan, at = stop.plan, stop.at
        why = self._context.privacy_mask.text(stop.why)
        unknown = find_unknown_rows(plan, results)
        if unknown:
            why = f"{why}\n{counted(len(unknown), 'record')} with unknown outcome: {_names(unknown)}.".strip()
        lines: list[tuple[Content, RunDecision]] = []
        if at is not None and len(stop.rest) > 1:
            lines.append((styled(f"Skip this record: {at.name}"), RunDecision.SKIP))
        again = (
            f"Resume: {counted(len(stop.rest), 'remaining record')}" if at is None else f"Resume: send {at.name} again"
        )
        lines.append((styled(again), RunDecision.AGAIN))
        if stop.reason is StopReason.FAILURES and len(stop.rest) > 1:
            lines.append((Content("Skip refused records"), RunDecision.GO_PAST))
        if done := sum(result in _MAY_BE_DONE for result in results.values()):
            changed = "record that may have changed" if unknown else "changed record"
            words = changed if done == 1 else changed.replace("record", "records")
            undo = "Redo" if plan.undoes else "Undo"
            lines.append((styled(f"{undo} {done:,} {words}"), RunDecision.UNDO))
        lines += [
            (Content("Save the outcome of every record, resume later"), RunDecision.REPORT),
            (Content("Resume later, with Runs in Commands (ctrl+p)"), RunDecision.STOP),
            (Content("Cancel the rest; finished records stay changed"), RunDecision.DROP),
        ]
        screen = StoppedRunScreen(stop.title, why, lines, unsolicited=stop.reason is not None)
        chosen: RunDecision | None = await self._context.show(screen)
        return chosen or RunDecision.STOP

    async def _leave(self, plan: Plan, choice: RunDecision, outcomes: Mapping[int, RowOutcome]) -> None:
        """What is to be done with a run that does not go on now."""
        if choice is RunDecision.DROP:
            results = await self._results(plan)
            await self._store.end(plan.id, count_rows(plan, results, outcomes), given_up=True)
            await end_approval(self._context.session, plan, given_up=True)
        elif choice is RunDecision.REPORT:
            self._context.notify(Report(await self._report(plan, outcomes), plan.title))
        elif choice is RunDecision.UNDO and not self._is_locked():
            await self._undo(plan.id, in_place_of=plan.id)

    async def _ended(self, plan: Plan, outcomes: Mapping[int, RowOutcome], results: RowResults) -> None:
        await self._store.end(plan.id, count_rows(plan, results, outcomes))
        await end_approval(self._context.session, plan)
        self._show_in_table(plan)
        end = describe_run_end(plan, results, outcomes)
        sentences = [end.words]
        if plan.source is not None:
            sentences.append(await self._report(plan, outcomes))
        if end.changed and not plan.undoes:
            sentences.append(UNDO_OFFER)
        self._context.notify(Report(" ".join(sentences), end.title, "success" if end.complete else "warning"))

    def _show_in_table(self, plan: Plan) -> None:
        """Read the rows of the table again, and take the marks off, unless the run took back what another did.

        Where all records got the same field, the table shows its column, and no notice over it.
        """
        pane = self._context.table
        if pane.collection != plan.collection:
            return
        if plan.source is None and len(plan.fields) == 1:
            pane.table.move_to_field(plan.fields[0])
            pane.table.leave_rows_below(_NOTICE_ROWS)
        pane.refresh_rows()
        if not plan.undoes:
            written = frozenset(row.record_id for row in plan.rows if row.state in (RowState.READY, RowState.ALREADY))
            left_out = frozenset(row.record_id for row in plan.rows) - written
            pane.marking.unmark_finished(written, left_out)

    async def _report(self, plan: Plan, outcomes: Mapping[int, RowOutcome]) -> str:
        """Write what became of every row beside the file of the plan; gives where it is, or why it is nowhere."""
        context, mask, review = self._context, self._context.privacy_mask, self._review
        seen = replace(plan, rows=tuple(review.seen(plan, row) for row in plan.rows))
        seen_outcomes = [review.seen_outcome(plan, outcome) for outcome in outcomes.values()]
        rows = [
            {**mask_fields(row, context.gateway.secrets), "message": mask.text(str(row["message"]))}
            for row in make_report_rows(seen, await self._context.session.journal.row_writes(plan.id), seen_outcomes)
        ]
        # Beside the file; where there is none, in the directory that the program was started in.
        beside = plan.collection.name if plan.source is None else plan.source.path or plan.source.name
        name = f"{PurePath(beside).with_suffix('')}.{plan.id}.outcome.csv"
        try:
            async with context.files.export(name, Format.CSV) as out:
                await out.add(rows)
                await out.finish()
        except FileWriteError as error:
            return f"Could not save the outcome: {error}"
        return f"Saved the outcome to {context.files.path(name)}.{mask.notice}"

    def _left(self, plan: Plan, results: RowResults, outcomes: Mapping[int, RowOutcome]) -> tuple[PlanRow, ...]:
        """The rows still to be sent; those that were so already when they were read are not."""
        honoured = honours_keys(plan, self._context.profile.idempotency, self._context.session.now())
        settled = {number for number, outcome in outcomes.items() if not outcome.is_unexpected}
        rows = find_remaining_rows(plan, results, honoured=honoured)
        return tuple(row for row in rows if row.number not in settled)

    async def _colleagues(self, plan: Plan) -> Mapping[int, JournalEntry]:
        """The new records of a plan that colleagues have sent, as far as this machine's copy tells."""
        team = self._context.session.team
        if team is None or all(row.action is not RowAction.CREATE for row in plan.ready):
            return {}
        return creations_of_run(await team.mirror.run(team.scope, plan.id, _ALL))

    async def _results(self, plan: Plan) -> RowResults:
        return row_results(plan, await self._context.session.journal.row_writes(plan.id))

    @property
    def _store(self) -> RunStore:
        return self._context.session.run_store


_ALL = 1_000_000
_NOTICE_ROWS = 5
"""Rows that the notice of a run's end takes at the foot of the table."""

_MAY_BE_DONE = (SendResult.DONE.value, SendResult.UNKNOWN.value, "running")
"""Results of writes that may have changed something."""


def _progress_words(counts: RunCounts) -> str:
    """How far a run has come: `120 of 340 done, 1 failed`."""
    return ", ".join(filter(None, (f"{counts.done:,} of {counts.total:,} done", counts.exceptions)))


def _names(rows: Sequence[PlanRow]) -> str:
    names = ", ".join(row.name for row in rows[:3])
    return f"{names}, …" if len(rows) > 3 else names
