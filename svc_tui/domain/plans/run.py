"""A plan carried out: each row by the one path of a write, one after the other, until the first surprise."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import create_request, delete_request, update_request
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.ports import RowResults


def row_results(plan: Plan, entries: Sequence[JournalEntry]) -> dict[int, str]:
    """What the journal says of the plan's rows: the row's number to the result of its last write."""
    by_place = {plan.place(row).key: row.number for row in plan.rows if row.record_id}
    numbers = (entry.intent.row or by_place.get(entry.intent.place, 0) for entry in entries)
    return {number: entry_result(entry) for number, entry in zip(numbers, entries, strict=True)}


def remaining_rows(plan: Plan, results: RowResults, *, honoured: bool = False) -> tuple[PlanRow, ...]:
    """The rows still to be sent.

    One whose outcome is unknown is among them: the record is read before anything is sent. A new record is not, since
    no reading tells for sure whether it was made, but where idempotency keys are `honoured`: then its key tells.
    """
    return tuple(row for row in plan.ready if not _is_settled(row, results.get(row.number, ""), honoured=honoured))


_KEY_LIFETIME = timedelta(days=7)
"""How long a service can be trusted to know a key; the document does not say."""


def honours_keys(plan: Plan, idempotency: str, now: datetime) -> bool:
    """Whether the keys of the plan's writes tell what became of them, as the profile says and its age allows."""
    return idempotency == "honoured" and now - plan.made < _KEY_LIFETIME


def _is_settled(row: PlanRow, result: str, *, honoured: bool) -> bool:
    if row.action is RowAction.CREATE and not honoured:
        return result in ("done", *_NOT_KNOWN)
    return result == "done"


def unknown_rows(plan: Plan, results: RowResults) -> tuple[PlanRow, ...]:
    """The rows that were sent and of which nobody knows whether they were carried out."""
    return tuple(row for row in plan.rows if results.get(row.number) in _NOT_KNOWN)


_NOT_KNOWN = ("unknown", "running")
"""Results of writes whose outcome nobody knows yet."""


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What became of one row: `report` of its write; `conflicts` are what others gave its fields meanwhile.

    `already`: it was so when it was read, and nothing was sent.
    """

    row: PlanRow
    report: WriteReport
    conflicts: tuple[tuple[str, Json], ...] = ()
    already: bool = False

    @property
    def surprising(self) -> bool:
        """Whether it ended in any way but the planned one; an answer that was lost is none where a look settled it."""
        report = self.report
        return (
            bool(self.conflicts) or not report.settled or bool(report.untaken) or bool(report.journal_problem)
        ) and not self.already

    @property
    def conflict_words(self) -> str:
        """What others made of the record meanwhile, in a sentence; "" where nothing."""
        if not self.conflicts:
            return ""
        fields = " and ".join(f"its {name} {dumps(value)}" for name, value in self.conflicts)
        return f"{self.row.name} was not changed: others gave {fields} meanwhile."


@dataclass(slots=True)
class RunWriter:
    """Writes the rows of one plan through `pipeline`, whose writes are part of the run."""

    plan: Plan
    pipeline: WritePipeline
    _conflicts: list[tuple[str, Json]] = field(default_factory=list)
    _keys: dict[int, str] = field(default_factory=dict)
    """The idempotency keys of rows whose outcome is unknown."""

    def recall(self, entries: Sequence[JournalEntry]) -> None:
        """Have writes of unknown outcome keep their keys when they are sent again, across sessions too."""
        for entry in entries:
            if entry_result(entry) == WriteResult.UNKNOWN.value:
                self.pipeline.unsettled.recall(entry.intent)
                self._keys[entry.intent.row] = entry.intent.idempotency_key

    async def write(self, row: PlanRow) -> RowOutcome:
        """Carry out one row."""
        assert row.state is RowState.READY
        self.pipeline.row, self._conflicts = row.number, []
        try:
            match row.action:
                case RowAction.UPDATE:
                    report = await self._update(row)
                case RowAction.CREATE:
                    report = await self._create(row)
                case RowAction.DELETE:
                    report = await self._delete(row)
        finally:
            self.pipeline.row = 0
        already = report.entry == 0 and (report.result is WriteResult.DONE or self._is_gone_before(row, report))
        return RowOutcome(row, report, tuple(self._conflicts), already)

    async def _update(self, row: PlanRow) -> WriteReport:
        place, draft = self._place(row), row.draft
        try:
            spec = self.pipeline.keyed(update_request(place, draft))
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, error=error)
        return await self.pipeline.update(place, draft, spec, self._refuse, self.plan.ticket)

    async def _create(self, row: PlanRow) -> WriteReport:
        # By its row, not by its bytes: another row may ask for the very same record.
        spec = self.pipeline.keyed(create_request(self.plan.collection, row.edits), self._keys.get(row.number, ""))
        return await self.pipeline.create(self.plan.collection, spec, self.plan.ticket)

    async def _delete(self, row: PlanRow) -> WriteReport:
        place = self._place(row)
        try:
            spec = self.pipeline.keyed(delete_request(place))
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, error=error)
        return await self.pipeline.delete(place, Record(row.base), spec, self.plan.ticket)

    def _place(self, row: PlanRow) -> Place:
        return Place(self.plan.collection, row.record_id)

    async def _refuse(self, freshness: Freshness) -> Draft | None:
        """A field that moved under the plan is a surprise: nothing is sent."""
        now = freshness.draft.base.fields
        self._conflicts = [(name, now.get(name)) for name in freshness.conflicts]
        return None

    def _is_gone_before(self, row: PlanRow, report: WriteReport) -> bool:
        """Whether a record that was to be deleted is there no longer."""
        return row.action is RowAction.DELETE and report.gone
