"""One change for all marked records: planned, agreed to, sent one after the other, taken up again after a stop.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from uuid import uuid4

from textual.content import Content

from svc_tui.domain.app.done_notices import LongWork
from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.data.references import target_of
from svc_tui.domain.editing.batch import (
    MAX_CHANGES,
    BatchChange,
    BatchPlan,
    common_field_names,
    common_value,
    inverse_plan,
    plan_changes,
    remaining_changes,
)
from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.field_entry import entry_of
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import StoreError, UnfinishedBatch
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import update_request
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Record
from svc_tui.ui.editing.write_controller import WriteController
from svc_tui.ui.report import Report, write_report
from svc_tui.ui.session.context import Context
from svc_tui.ui.table.pane import TablePane
from svc_tui.ui.terminal.done_notifier import announce_end
from svc_tui.ui.text import field_label, pad, styled

_FIELD_CELLS = 26
"""Cells of a field's name in the menu of fields."""
_UNSET_PROBLEM = "A batch gives all records one value, and unset is none."


class BatchDecision(Enum):
    """What is to be done after a batch has stopped."""

    SKIP = "go on without that record"
    AGAIN = "go on"
    UNDO = "undo what was done"
    STOP = "stop here"
    DROP = "give it up"


@dataclass(frozen=True, slots=True)
class _BatchStop:
    """Why a batch stopped before its end: the record that was a surprise, or the user's Esc."""

    why: str
    at: BatchChange | None = None


class BatchController:
    """Changes the marked records of one screen; its methods run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        writes: WriteController,
        table: Callable[[], TablePane],
        ended: Callable[[BatchPlan], None],
        new_id: Callable[[], str] = lambda: uuid4().hex[:12],
    ) -> None:
        """Make it; `ended` hears of a batch whose records all have what they were to get."""
        self._context, self._writes, self._table, self._new_id = context, writes, table, new_id
        self._told_end = ended

    async def report_unfinished(self, unfinished: Sequence[UnfinishedBatch]) -> None:
        """Report batches that were cut short when a program ended, and those that another program is running."""
        try:
            for batch in unfinished:
                plan = batch.plan
                if batch.elsewhere:
                    self._tell_elsewhere(plan)
                    continue
                total = len(plan.changes) - len(plan.skipped)
                done = total - len(remaining_changes(plan, await self._results(plan)))
                so_far = f"{plan.field} of {_count_in_collection(plan, total)}: {done} done."
                words = f"{so_far} Resume batch in the palette goes on, or undoes it."
                self._context.notify(Report(words, "A batch was cut short", "warning"))
        except StoreError as error:
            self._context.notify(Report(str(error), "The journal could not be read", "error"))

    async def change_marked(self) -> None:
        """Choose a field and a value for the marked records, look at what it means, and send it."""
        browse, notify = self._table(), self._context.notify
        records, collection = browse.marking.records, browse.collection
        if collection is None or not records:
            notify(Report("No records are marked. space marks one, v a range of them."))
        elif len(records) > MAX_CHANGES:
            notify(
                Report(
                    f"{len(records):,} records are marked; a batch changes at most {MAX_CHANGES}.", severity="warning"
                )
            )
        elif refusal := self._writes.lock.refusal():
            notify(Report(refusal, severity="warning"))
        elif (field := await self._field(records)) is not None:
            value = await self._value(records, field)
            if isinstance(value, Absent):
                notify(Report("No value was given, so there is nothing to send."))
                return
            offer = plan_changes(records, field, value)
            if not offer.changes:
                notify(Report(f"All {len(records)} have this value of {field} already."))
                return
            notes = [f"{offer.already} have it already and are left out." if offer.already else ""]
            notes.append(f"{offer.unnamed} have no id and can't be changed." if offer.unnamed else "")
            notes.append(browse.marking.out_of_view_note)
            plan = BatchPlan(self._new_id(), collection, field, offer.changes)
            await self._begin(plan, " ".join(filter(None, notes)))

    async def resume(self) -> None:
        """Go on with a batch that was cut short, or undo what it did."""
        try:
            unfinished = await self._context.session.batch_store.unfinished()
            if not unfinished:
                self._context.notify(Report("No batch was cut short."))
                return
            chosen = unfinished[0].plan if len(unfinished) == 1 else await self._one_of(unfinished)
            if chosen is None:
                return
            plan = await self._context.session.batch_store.take(chosen.id)
            if plan is not None:
                await self._held(plan, self._resumed(plan))
            elif any(batch.plan.id == chosen.id for batch in await self._context.session.batch_store.unfinished()):
                self._tell_elsewhere(chosen)
            else:
                self._context.notify(
                    Report(f"{chosen.field} of {_count_in_collection(chosen)} has come to its end meanwhile.")
                )
        except StoreError as error:
            self._context.notify(Report(str(error), "The batch could not be taken up", "error"))

    def _tell_elsewhere(self, plan: BatchPlan) -> None:
        words = "It can be stopped, resumed and given up there; here once that one has ended."
        self._context.notify(
            Report(words, f"{plan.field} of {_count_in_collection(plan)}: running in another svc-tui", "warning")
        )

    # Asking

    async def _field(self, records: Sequence[Record]) -> str | None:
        from svc_tui.ui.dialogs.search_menu import SearchMenu

        domain, names = self._domain, common_field_names(records)
        here = self._context.selection.field
        lines = []
        for name in names:
            value = common_value(records, name)
            if isinstance(value, Absent):
                value_text = "differs"
            else:
                value_text = (
                    "hidden" if self._context.privacy_mask.hides(records[0], name, domain) else dumps(value)[:40]
                )
            lines.append(
                (Content.assemble(pad(field_label(name), _FIELD_CELLS), styled(value_text, "$role-muted")), name)
            )
        at = names.index(here) if here in names else 0
        chosen: str | None = await self._context.show(
            SearchMenu(f"Change which field of {len(records)} records", lines, at=at)
        )
        return chosen

    async def _value(self, records: Sequence[Record], field: str) -> Json | Absent:
        """The value that all are to get; ABSENT where none was given."""
        from svc_tui.ui.editing.field_editor import EditedField, FieldEditor

        workspace = self._context.workspace
        old = common_value(records, field)
        given: list[Json | Absent] = [old]
        hidden = any(self._context.privacy_mask.hides(record, field, self._domain) for record in records)
        kind = workspace.selection.kind_of(field)
        target = target_of(field, self._context.session.collections)
        seen = workspace.selection.choices(field) if kind is Kind.CHOICE and not hidden else ()
        entry = entry_of(kind, old, frequent_values=seen, target=target.key if target else "")
        old = ABSENT if hidden else old
        await self._context.show(
            FieldEditor(
                EditedField(
                    f"{len(records)} records",
                    field,
                    entry,
                    old,
                    old,
                    unset_problem=_UNSET_PROBLEM,
                    missing_text="hidden" if hidden else "differs",
                ),
                given.append,
            )
        )
        return given[-1]

    async def _agreed(self, plan: BatchPlan, changes: Sequence[BatchChange], note: str) -> BatchPlan | None:
        """The plan as it was agreed to, on LIVE once the number was typed; None where it was not, or may not be."""
        if refusal := self._writes.lock.refusal():
            self._context.notify(Report(refusal, severity="warning"))
            return None
        from svc_tui.ui.writes.batch_dialogs import BatchScreen, ConfirmCountScreen

        what = f"{'Undo' if plan.undoes else 'Change'} {plan.field} of {_count_in_collection(plan, len(changes))}"
        seen = [self._masked(plan, change) for change in changes]
        line = self._writes.reviewer.ticket_line(plan.ticket)
        agreed = await self._context.show(
            BatchScreen(self._writes.heading(what), changes, seen, note, line, danger=self._writes.live)
        )
        self._writes.reviewer.remember(line)
        if agreed is None:
            return None
        if self._writes.live and not await self._context.show(
            ConfirmCountScreen(len(agreed.changes), self._context.gateway.host)
        ):
            return None
        out = {change.record_id for change in changes} - {change.record_id for change in agreed.changes}
        return replace(plan, ticket=agreed.ticket, skipped=(*plan.skipped, *sorted(out)))

    async def _one_of(self, unfinished: Sequence[UnfinishedBatch]) -> BatchPlan | None:
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [
            (
                Content.assemble(
                    styled(f"{batch.plan.field} of {_count_in_collection(batch.plan)}"),
                    ("  running in another svc-tui" if batch.elsewhere else "", "$role-muted"),
                ),
                batch.plan,
            )
            for batch in unfinished
        ]
        chosen: BatchPlan | None = await self._context.show(MenuScreen("Which batch", lines))
        return chosen

    async def _next(self, plan: BatchPlan, title: str, stop: _BatchStop | None, done: int, rest: int) -> BatchDecision:
        """Ask what is to be done, after a stop or on request."""
        from svc_tui.ui.writes.batch_dialogs import StoppedBatchScreen

        at = stop.at if stop is not None else None
        lines: list[tuple[Content, BatchDecision]] = []
        if at is not None and rest > 1:
            lines.append((styled(f"Go on without {at.record_id}"), BatchDecision.SKIP))
        if rest:
            again = f"Try {at.record_id} again, and go on" if at is not None else f"Go on with the {rest} that are left"
            lines.append((styled(again), BatchDecision.AGAIN))
        if done:
            undone = "again" if plan.undoes else f"{_record_count(done)} that were changed"
            lines.append((styled(f"Change {undone}" if plan.undoes else f"Undo the {undone}"), BatchDecision.UNDO))
        lines.append((Content("Stop here; Resume batch in the palette goes on"), BatchDecision.STOP))
        lines.append((Content("Give it up: what was done stays, the rest is forgotten"), BatchDecision.DROP))
        why = self._context.privacy_mask.text(stop.why) if stop is not None else ""
        return (
            await self._context.show(StoppedBatchScreen(title, why, lines, unsolicited=stop is not None))
            or BatchDecision.STOP
        )

    # Sending

    async def _begin(self, plan: BatchPlan, note: str) -> None:
        agreed = await self._agreed(plan, remaining_changes(plan, {}), note)
        if agreed is None:
            return
        try:
            # Before the first request leaves, so that a crash leaves behind what there is to go on with.
            await self._context.session.batch_store.keep(agreed)
        except StoreError as error:
            self._context.notify(Report(str(error), "The batch could not be kept, so nothing was sent", "error"))
            return
        try:
            await self._held(agreed, self._walk(agreed))
        except StoreError as error:
            self._context.notify(Report(str(error), "The batch stopped: its store can't be used", "error"))

    async def _held(self, plan: BatchPlan, work: Coroutine[Any, Any, None]) -> None:
        """Run a batch of this program's, and release what is left of it."""
        try:
            await work
        finally:
            await self._context.session.batch_store.let_go(plan.id)

    async def _resumed(self, plan: BatchPlan) -> None:
        results = await self._results(plan)
        rest = remaining_changes(plan, results)
        done = len(inverse_plan(plan, results, "").changes)
        title = f"{plan.field} of {_count_in_collection(plan)}: {len(rest)} left"
        match await self._next(plan, title, None, done, len(rest)):
            case BatchDecision.AGAIN:
                if (agreed := await self._agreed(plan, rest, "What was done stays as it is.")) is not None:
                    await self._context.session.batch_store.keep(agreed)
                    await self._walk(agreed)
            case other:
                await self._leave(plan, other)

    async def _walk(self, plan: BatchPlan) -> None:
        """Send what is left of a plan, asking after every stop, until the user is content."""
        passed: set[str] = set()
        while True:
            with announce_end(self._context.screen, LongWork.BATCH):
                stop = await self._sent(plan, passed)
            results = await self._results(plan)
            rest = [change for change in remaining_changes(plan, results) if change.record_id not in passed]
            done = len(inverse_plan(plan, results, "").changes)
            if stop is None:
                await self._ended(plan, done, passed, results)
                return
            total = len(plan.changes) - len(plan.skipped)
            title = f"Stopped: {total - len(rest)} of {total} done"
            # One that is in place all the same is neither tried again nor left out.
            stop = stop if stop.at in rest else replace(stop, at=None)
            choice = await self._next(plan, title, stop, done, len(rest))
            if choice is BatchDecision.SKIP and stop.at is not None:
                plan = plan.skipping(stop.at.record_id)
                await self._context.session.batch_store.keep(plan)
            elif choice is not BatchDecision.AGAIN:
                await self._leave(plan, choice)
                return

    async def _ended(self, plan: BatchPlan, done: int, passed: set[str], results: Mapping[str, str]) -> None:
        await self._context.session.batch_store.end(plan.id)
        self._told_end(plan)
        unsent = sum(plan.place(c).key not in results for c in plan.changes if c.record_id in passed)
        words = f"{_record_count(done)} changed."
        if unsent:
            words += f" {_record_count(unsent)} had the value already, and nothing was sent."
        if plan.skipped:
            words += f" {_record_count(len(plan.skipped))} left out."
        self._context.notify(
            Report(words, f"{plan.field} is written" if not plan.undoes else f"{plan.field} is undone")
        )

    async def _leave(self, plan: BatchPlan, choice: BatchDecision) -> None:
        """What is to be done with a batch that does not go on now."""
        if choice is BatchDecision.DROP:
            await self._context.session.batch_store.end(plan.id)
        elif choice is BatchDecision.UNDO:
            back = inverse_plan(plan, await self._results(plan), self._new_id())
            agreed = await self._agreed(back, back.changes, "Each gets back the value that it had.")
            if agreed is not None:
                await self._context.session.batch_store.keep(agreed)
                await self._context.session.batch_store.end(plan.id)
                await self._held(agreed, self._walk(agreed))

    async def _sent(self, plan: BatchPlan, passed: set[str]) -> _BatchStop | None:
        """Send one change after the other, until the first surprise; None: all are in place."""
        from svc_tui.ui.writes.batch_dialogs import BatchProgressScreen

        pipeline = await self._pipeline(plan)
        results = await self._results(plan)
        rest = [change for change in remaining_changes(plan, results) if change.record_id not in passed]
        total = len(plan.changes) - len(plan.skipped)
        progress = BatchProgressScreen(
            self._writes.heading(f"{plan.field} of {_count_in_collection(plan, total)}"), total, total - len(rest)
        )
        await self._context.screen.app.push_screen(progress)
        try:
            for index, change in enumerate(rest):
                if progress.stopping:
                    return _BatchStop("")
                progress.show_progress(total - len(rest) + index, change.record_id)
                if why := await self._one(pipeline, plan, change):
                    return _BatchStop(why, change)
                passed.add(change.record_id)
            return None
        finally:
            progress.dismiss(None)

    async def _pipeline(self, plan: BatchPlan) -> WritePipeline:
        """The pipeline of its writes; one of unknown outcome keeps its key when sent again, across sessions too."""
        session = self._context.session
        pipeline = WritePipeline(session.gateway, session.journal, self._writes.lock.refusal, session.now, plan.id)
        for entry in await self._context.session.journal.of_batch(plan.id):
            if entry_result(entry) == WriteResult.UNKNOWN.value:
                pipeline.unsettled.recall(entry.intent)
        return pipeline

    async def _one(self, pipeline: WritePipeline, plan: BatchPlan, change: BatchChange) -> str:
        """Send one change; gives what is surprising about how it ended, "" where nothing is."""
        moved: list[Freshness] = []

        async def ask(freshness: Freshness) -> Draft | None:
            moved.append(freshness)
            return None

        place, draft = plan.place(change), change.draft(plan.field)
        spec = pipeline.keyed(update_request(place, draft))
        report = await self._writes.run(pipeline.update(place, draft, spec, ask, plan.ticket), place)
        return self._surprise(report, plan, change, moved)

    def _surprise(self, report: WriteReport, plan: BatchPlan, change: BatchChange, moved: Sequence[Freshness]) -> str:
        if moved:
            now = moved[-1].draft.base.fields.get(plan.field)
            value_text = "another value" if self._context.privacy_mask.on else dumps(now)
            return f"{change.record_id} was not changed: others gave its {plan.field} {value_text} meanwhile."
        if report.result is WriteResult.DONE and not report.untaken and not report.journal_problem:
            return ""
        return write_report(report, change.record_id).line

    async def _results(self, plan: BatchPlan) -> dict[str, str]:
        """What the journal says of the plan's writes: place to result, the latest counting."""
        entries = await self._context.session.journal.of_batch(plan.id)
        return {entry.intent.place: entry_result(entry) for entry in entries}

    def _masked(self, plan: BatchPlan, change: BatchChange) -> BatchChange:
        """The change as it may be seen."""
        record = Record(change.draft(plan.field).fields)
        if not self._context.privacy_mask.hides(record, plan.field, plan.collection.domain):
            return change
        seen = self._context.privacy_mask.draft(change.draft(plan.field), plan.collection.domain)
        return replace(change, old=seen.base.fields.get(plan.field, change.old), new=seen.edits[plan.field])

    @property
    def _domain(self) -> str:
        collection = self._table().collection
        return collection.domain if collection is not None else ""


def _count_in_collection(plan: BatchPlan, count: int | None = None) -> str:
    return f"{len(plan.changes) if count is None else count} {plan.collection.name}"


def _record_count(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"
