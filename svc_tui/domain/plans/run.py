"""A plan carried out: each row by the one path of a write, one after the other, until the first surprise."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry, RowWrite
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import body_digest, create_request, delete_request, update_request
from svc_tui.domain.http.errors import NotFound, ServiceError
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.ports import RowResults, RunCounts


def writes_by_row(plan: Plan, writes: Iterable[RowWrite]) -> dict[int, RowWrite]:
    """Return the last writes of the plan's rows by the number of the row; old lines name the record alone."""
    by_place = {plan.place(row).key: row.number for row in plan.rows if row.record_id}
    return {write.row or by_place.get(write.place, 0): write for write in writes}


def row_results(plan: Plan, writes: Iterable[RowWrite]) -> dict[int, str]:
    """What the journal says of the plan's rows: the row's number to the result of its last write."""
    return {number: write.result for number, write in writes_by_row(plan, writes).items()}


class RowFate(Enum):
    """How a row of a run ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    LEFT = "not tried"


def row_fate(row: PlanRow, result: str, outcome: "RowOutcome | None" = None) -> RowFate | None:
    """How a row ended; None for one that needed no change when it was planned.

    `result` is the journal's word for its last write, "" for none; `outcome` is what this program saw of it.
    """
    if result in _NOT_KNOWN:
        return RowFate.UNKNOWN
    if row.state is not RowState.READY:
        ended = {"done": RowFate.DONE, "refused": RowFate.FAILED}.get(result, RowFate.SKIPPED)
        return None if row.state is RowState.ALREADY and not result else ended
    if outcome is not None:
        return RowFate.FAILED if outcome.surprising else RowFate.DONE
    return {"": RowFate.LEFT, "done": RowFate.DONE}.get(result, RowFate.FAILED)


def count_fates(counts: Mapping[RowFate | None, int]) -> RunCounts:
    """Return the numbers of rows by how they ended."""
    return RunCounts(
        done=counts.get(RowFate.DONE, 0),
        failed=counts.get(RowFate.FAILED, 0),
        skipped=counts.get(RowFate.SKIPPED, 0),
        unknown=counts.get(RowFate.UNKNOWN, 0),
        left=counts.get(RowFate.LEFT, 0),
    )


def count_rows(plan: Plan, results: RowResults, outcomes: "Mapping[int, RowOutcome] | None" = None) -> RunCounts:
    """Return how many rows of a run ended how, by the journal's `results` and what this program saw."""
    seen = outcomes or {}
    return count_fates(Counter(row_fate(row, results.get(row.number, ""), seen.get(row.number)) for row in plan.rows))


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

    `already`: it was so when it was read, and nothing was sent. `may_exist`: a colleague sent it, and nobody knows
    whether it was created.
    """

    row: PlanRow
    report: WriteReport
    conflicts: tuple[tuple[str, Json], ...] = ()
    already: bool = False
    may_exist: bool = False

    @property
    def surprising(self) -> bool:
        """Whether it ended in any way but the planned one; an answer that was lost is none where a look settled it."""
        report = self.report
        return (
            bool(self.conflicts) or not report.settled or bool(report.untaken) or bool(report.journal_problem)
        ) and not self.already

    @property
    def without_answer(self) -> "RowOutcome":
        """The outcome without answer and record, which take 8 kB (measured for lots of 20 fields)."""
        error = copy(self.report.error)
        if error is not None:
            error.exchange = None
        return replace(self, report=replace(self.report, exchange=None, record=None, error=error))

    @property
    def conflict_words(self) -> str:
        """What others made of the record meanwhile, in a sentence; "" where nothing."""
        if not self.conflicts:
            return ""
        fields = " and ".join(f"{name} to {dumps(value)}" for name, value in self.conflicts)
        return f"{self.row.name} was not changed: others set {fields}."


_KEY_NAMESPACE = "5c0b2f0e-6f0c-4f3a-9a57-5d1f3f6f0d1b"


def creation_key(plan_id: str, row: int, digest: str, application: int = 1) -> str:
    """Return the idempotency key of the new record of a row: the same on every machine that applies the plan.

    `digest` is the body's. An application after an undo is another one: a service that honours keys would answer with
    the deleted record. Changes and deletions have random keys: they read the record first, and the answer to an old key
    would hide that others have changed it back.
    """
    from uuid import UUID, uuid5  # as in client/signed_request.py: loaded with the first write

    return str(uuid5(UUID(_KEY_NAMESPACE), f"{plan_id}\n{row}\n{digest}\n{application}"))


_REPLAYED = ("idempotency-replayed", "idempotent-replayed")
"""Headers of an answer that a service gives again for a key that it knows; they are not standardized."""


def creations_of_run(entries: Iterable[JournalEntry]) -> dict[int, JournalEntry]:
    """Return the last creation of each row that may have been carried out; `entries` come newest first."""
    creations: dict[int, JournalEntry] = {}
    for entry in entries:
        if entry.intent.method == "POST" and entry.intent.row and entry_result(entry) in ("done", *_NOT_KNOWN):
            creations.setdefault(entry.intent.row, entry)
    return creations


@dataclass(slots=True)
class RunWriter:
    """Writes the rows of one plan through `pipeline`, whose writes are part of the run.

    `colleagues` are the last writes of colleagues who applied the same plan, by the row; `gateway` reads what these
    created.
    """

    plan: Plan
    pipeline: WritePipeline
    gateway: Gateway
    colleagues: Mapping[int, JournalEntry] = field(default_factory=dict)
    _conflicts: list[tuple[str, Json]] = field(default_factory=list)
    _may_exist: bool = False
    _keys: dict[tuple[int, str], str] = field(default_factory=dict)
    """The idempotency keys of rows whose outcome is unknown, by row and digest of the body."""

    def recall(self, entries: Sequence[JournalEntry]) -> None:
        """Have writes of unknown outcome keep their keys when they are sent again, across sessions too."""
        for entry in entries:
            intent = entry.intent
            if intent.batch == self.plan.id and entry_result(entry) == WriteResult.UNKNOWN.value:
                self.pipeline.unsettled.recall(intent)
                self._keys.setdefault((intent.row, intent.body_digest), intent.idempotency_key)

    async def write(self, row: PlanRow) -> RowOutcome:
        """Carry out one row."""
        assert row.state is RowState.READY
        self.pipeline.row, self._conflicts, self._may_exist = row.number, [], False
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
        return RowOutcome(row, report, tuple(self._conflicts), already, self._may_exist)

    async def _update(self, row: PlanRow) -> WriteReport:
        place, draft = self._place(row), row.draft
        try:
            spec = self.pipeline.keyed(update_request(place, draft))
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, error=error)
        return await self.pipeline.update(place, draft, spec, self._refuse, self.plan.ticket)

    async def _create(self, row: PlanRow) -> WriteReport:
        application, colleague = 1, self.colleagues.get(row.number)
        if colleague is not None:
            found = await self._created_by(colleague)
            if found is not None:
                return found
            application = 2
        spec = create_request(self.plan.collection, row.edits)
        digest = body_digest(spec.body)
        # By its row, not by its bytes: another row may ask for the very same record.
        recalled = self._keys.get((row.number, digest))
        while True:
            key = recalled or creation_key(self.plan.id, row.number, digest, application)
            report = await self.pipeline.create(self.plan.collection, self.pipeline.keyed(spec, key), self.plan.ticket)
            if recalled or not await self._is_of_undone_application(report):
                return report
            application += 1

    async def _created_by(self, entry: JournalEntry) -> WriteReport | None:
        """Return the report of a row that a colleague's run sent; None where the record was deleted since."""
        who = f"{entry.author.name} on {entry.author.machine}" if entry.author is not None else "Another computer"
        made = "" if entry.outcome is None else entry.outcome.made
        if entry_result(entry) != WriteResult.DONE.value or not made:
            self._may_exist = True
            words = f"{who} already sent this new record. It is not known whether it was created. Look for it first."
            return WriteReport(WriteResult.NOT_SENT, words)
        try:
            record = await self.gateway.record(self.plan.collection, made)
        except NotFound:
            return None
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, f"{who} created {made} from the same plan.", error)
        return WriteReport(WriteResult.DONE, f"{who} created {made} from the same plan.", record=record)

    async def _is_of_undone_application(self, report: WriteReport) -> bool:
        """Whether the service answered for an application on another machine whose record is deleted by now."""
        if report.result is not WriteResult.DONE or report.exchange is None or report.record is None:
            return False
        answer = report.exchange.answer
        if not any((answer.header(name) or "").strip().casefold() == "true" for name in _REPLAYED):
            return False
        try:
            await self.gateway.record(self.plan.collection, report.record.id or "")
        except NotFound:
            return True
        except ServiceError:
            # The creation's own outcome is what counts; why a look afterwards failed adds nothing to it.
            return False
        return False

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
