"""A run: the rows of a plan written one after the other through the write pipeline, until the first surprise."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID, uuid5

from msgspec import Struct

from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import Json, dumps
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.service.errors import NotFound, SendResult, ServerFault, ServiceError, is_about_one_record
from svc_tui.service.gateway import Gateway
from svc_tui.storage.journal_entries import JournalEntry, RowWrite, entry_result
from svc_tui.storage.plan import Plan, PlanRow, RowAction, RowState
from svc_tui.storage.runs import RowResults, RunCounts
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request, hash_body

_NOT_KNOWN = ("unknown", "running")
"""Results of writes with an outcome that is not known yet."""


def writes_by_row(plan: Plan, writes: Iterable[RowWrite]) -> dict[int, RowWrite]:
    """Return the last writes of the plan's rows by the number of the row; old journal lines have the record only."""
    by_place = {plan.place(row).key: row.number for row in plan.rows if row.record_id}
    return {write.row or by_place.get(write.place, 0): write for write in writes}


def row_results(plan: Plan, writes: Iterable[RowWrite]) -> dict[int, str]:
    """Return the journal's result of the last write of each row, by the number of the row."""
    return {number: write.result for number, write in writes_by_row(plan, writes).items()}


# How the rows of a run ended


class RowOutcome(Struct, frozen=True):
    """The outcome of one row: the `report` of its write, and the `conflicts`, new values that others set meanwhile.

    `already`: the record was as planned before, so nothing was sent. `may_exist`: a colleague sent the new record with
    an unknown outcome.
    """

    row: PlanRow
    report: WriteReport
    conflicts: tuple[tuple[str, Json], ...] = ()
    already: bool = False
    may_exist: bool = False

    @property
    def is_unexpected(self) -> bool:
        """True if the row did not end as planned; a lost answer does not count if reading the record settled it."""
        report = self.report
        return (
            bool(self.conflicts) or not report.was_applied or bool(report.unapplied) or bool(report.journal_problem)
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
        """The conflicts in a sentence, "" without any."""
        if not self.conflicts:
            return ""
        fields = " and ".join(f"{name} to {dumps(value)}" for name, value in self.conflicts)
        return f"{self.row.name} was not changed: others set {fields}."


class RowFate(Enum):
    """The end of a row in a run."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    LEFT = "not tried"


def find_fate(row: PlanRow, result: str, outcome: RowOutcome | None = None) -> RowFate | None:
    """Return how a row ended; None for one that needed no change when it was planned.

    `result` is the journal's word for its last write, "" for none; `outcome` comes from this program's own write.
    """
    if result in _NOT_KNOWN:
        return RowFate.UNKNOWN
    if row.state is not RowState.READY:
        ended = {"done": RowFate.DONE, "refused": RowFate.FAILED}.get(result, RowFate.SKIPPED)
        return None if row.state is RowState.ALREADY and not result else ended
    if outcome is not None:
        return RowFate.FAILED if outcome.is_unexpected else RowFate.DONE
    return {"": RowFate.LEFT, "done": RowFate.DONE}.get(result, RowFate.FAILED)


def count_fates(counts: Mapping[RowFate | None, int]) -> RunCounts:
    """Return the counts as a value."""
    return RunCounts(
        done=counts.get(RowFate.DONE, 0),
        failed=counts.get(RowFate.FAILED, 0),
        skipped=counts.get(RowFate.SKIPPED, 0),
        unknown=counts.get(RowFate.UNKNOWN, 0),
        left=counts.get(RowFate.LEFT, 0),
    )


def count_rows(plan: Plan, results: RowResults, outcomes: Mapping[int, RowOutcome] | None = None) -> RunCounts:
    """Count the rows of a run by how they ended, from the journal's `results` and this program's own `outcomes`."""
    seen = outcomes or {}
    return count_fates(Counter(find_fate(row, results.get(row.number, ""), seen.get(row.number)) for row in plan.rows))


# Which rows are left

_KEY_LIFETIME = timedelta(days=7)
"""The time for which a service is assumed to know a key; the API document gives none."""


def find_remaining_rows(plan: Plan, results: RowResults, *, honoured: bool = False) -> tuple[PlanRow, ...]:
    """Return the rows that are still to be sent.

    A row with an unknown outcome is among them: its record is read before anything is sent. A new record is not, since
    reading does not prove that it was created; only if the service has `honoured` idempotency keys, its key does.
    """
    return tuple(row for row in plan.ready if not _is_settled(row, results.get(row.number, ""), honoured=honoured))


def _is_settled(row: PlanRow, result: str, *, honoured: bool) -> bool:
    if row.action is RowAction.CREATE and not honoured:
        return result in ("done", *_NOT_KNOWN)
    return result == "done"


def honours_keys(plan: Plan, idempotency: str, now: datetime) -> bool:
    """Return True if a key prevents a second write: the profile says so, and the plan is young enough."""
    return idempotency == "honoured" and now - plan.made < _KEY_LIFETIME


def find_unknown_rows(plan: Plan, results: RowResults) -> tuple[PlanRow, ...]:
    """Return the rows that were sent with an unknown outcome."""
    return tuple(row for row in plan.rows if results.get(row.number) in _NOT_KNOWN)


# Write the rows

_KEY_NAMESPACE = "5c0b2f0e-6f0c-4f3a-9a57-5d1f3f6f0d1b"

_REPLAYED = ("idempotency-replayed", "idempotent-replayed")
"""Headers of a repeated answer to a known key; they are not standardized."""


def make_creation_key(plan_id: str, row: int, digest: str, application: int = 1) -> str:
    """Return the idempotency key of the new record of a row: the same on every machine that applies the plan.

    `digest` is the body's. `application` counts the times that the plan was applied and undone: with the old key, a
    service would answer with the deleted record. Changes and deletions have random keys: they read the record first,
    and the answer to an old key would hide that others have changed it back.
    """
    return str(uuid5(UUID(_KEY_NAMESPACE), f"{plan_id}\n{row}\n{digest}\n{application}"))


def creations_of_run(entries: Iterable[JournalEntry]) -> dict[int, JournalEntry]:
    """Return the last creation of each row that may have been carried out; `entries` come newest first."""
    creations: dict[int, JournalEntry] = {}
    for entry in entries:
        if entry.intent.method == "POST" and entry.intent.row and entry_result(entry) in ("done", *_NOT_KNOWN):
            creations.setdefault(entry.intent.row, entry)
    return creations


class RunWriter:
    """Writes the rows of one plan through `pipeline`, whose writes are part of the run.

    `colleagues` are the last writes of colleagues who applied the same plan, by the row; `gateway` reads what these
    created.
    """

    def __init__(
        self,
        plan: Plan,
        pipeline: WritePipeline,
        gateway: Gateway,
        colleagues: Mapping[int, JournalEntry] | None = None,
    ) -> None:
        self.plan, self._pipeline, self._gateway = plan, pipeline, gateway
        self._colleagues = colleagues or {}
        self._conflicts: list[tuple[str, Json]] = []
        self._may_exist = False
        self._keys: dict[tuple[int, str], str] = {}
        """The idempotency keys of rows whose outcome is unknown, by row and digest of the body."""

    def recall(self, entries: Sequence[JournalEntry]) -> None:
        """Keep the idempotency keys of writes with an unknown outcome, for when they are sent again."""
        for entry in entries:
            intent = entry.intent
            if intent.batch == self.plan.id and entry_result(entry) == SendResult.UNKNOWN.value:
                self._pipeline.unknown_writes.add(intent)
                self._keys.setdefault((intent.row, intent.body_digest), intent.idempotency_key)

    async def write(self, row: PlanRow) -> RowOutcome:
        """Send the change of one row."""
        assert row.state is RowState.READY
        self._pipeline.row, self._conflicts, self._may_exist = row.number, [], False
        try:
            match row.action:
                case RowAction.UPDATE:
                    report = await self._update(row)
                case RowAction.CREATE:
                    report = await self._create(row)
                case RowAction.DELETE:
                    report = await self._delete(row)
        finally:
            self._pipeline.row = 0
        already = report.entry_number == 0 and (report.result is SendResult.DONE or self._is_gone_before(row, report))
        return RowOutcome(row, report, tuple(self._conflicts), already, self._may_exist)

    async def _update(self, row: PlanRow) -> WriteReport:
        place, draft = self._place(row), row.draft
        try:
            spec = self._pipeline.with_idempotency_key(build_update_request(place, draft))
        except ServiceError as error:
            return WriteReport(SendResult.NOT_SENT, error=error)
        return await self._pipeline.update(place, draft, spec, self._refuse, self.plan.ticket)

    async def _create(self, row: PlanRow) -> WriteReport:
        application, colleague = 1, self._colleagues.get(row.number)
        if colleague is not None:
            found = await self._created_by(colleague)
            if found is not None:
                return found
            application = 2
        spec = build_create_request(self.plan.collection, row.edits)
        digest = hash_body(spec.body)
        # By its row, not by its bytes: another row may ask for the very same record.
        recalled = self._keys.get((row.number, digest))
        while True:
            key = recalled or make_creation_key(self.plan.id, row.number, digest, application)
            report = await self._pipeline.create(
                self.plan.collection, self._pipeline.with_idempotency_key(spec, key), self.plan.ticket
            )
            if recalled or not await self._is_of_undone_application(report):
                return report
            application += 1

    async def _created_by(self, entry: JournalEntry) -> WriteReport | None:
        """Return the report of a row that a colleague's run sent; None if the record was deleted since."""
        who = f"{entry.author.name} on {entry.author.machine}" if entry.author is not None else "Another computer"
        made = "" if entry.outcome is None else entry.outcome.made
        if entry_result(entry) != SendResult.DONE.value or not made:
            self._may_exist = True
            words = f"{who} already sent this new record. It is not known whether it was created. Look for it first."
            return WriteReport(SendResult.NOT_SENT, words)
        try:
            record = await self._gateway.record(self.plan.collection, made)
        except NotFound:
            return None
        except ServiceError as error:
            return WriteReport(SendResult.NOT_SENT, f"{who} created {made} from the same plan.", error)
        return WriteReport(SendResult.DONE, f"{who} created {made} from the same plan.", record=record)

    async def _is_of_undone_application(self, report: WriteReport) -> bool:
        """Return True if the service repeated its answer to an earlier application whose record is deleted by now."""
        if report.result is not SendResult.DONE or report.exchange is None or report.record is None:
            return False
        answer = report.exchange.answer
        if not any((answer.header(name) or "").strip().casefold() == "true" for name in _REPLAYED):
            return False
        try:
            await self._gateway.record(self.plan.collection, report.record.id or "")
        except NotFound:
            return True
        except ServiceError:
            # The outcome of the creation is known; the failed reading adds nothing to it.
            return False
        return False

    async def _delete(self, row: PlanRow) -> WriteReport:
        place = self._place(row)
        try:
            spec = self._pipeline.with_idempotency_key(build_delete_request(place))
        except ServiceError as error:
            return WriteReport(SendResult.NOT_SENT, error=error)
        return await self._pipeline.delete(place, Record(row.base), spec, self.plan.ticket)

    def _place(self, row: PlanRow) -> Place:
        return Place(self.plan.collection, row.record_id)

    async def _refuse(self, freshness: Freshness) -> Draft | None:
        """Note the conflicts and send nothing: a run does not overwrite changes of others."""
        now = freshness.draft.base.fields
        self._conflicts = [(name, now.get(name)) for name in freshness.conflicts]
        return None

    def _is_gone_before(self, row: PlanRow, report: WriteReport) -> bool:
        """Return True if the record of a deletion was already deleted."""
        return row.action is RowAction.DELETE and report.is_gone


# Go through the rows

_MIN_ROWS = 3
"""Rows that must have been written before the rest of the time is estimated."""


class StopReason(Enum):
    """The reason why a run stopped before its last row; the value is its display text."""

    FAILURES = "the limit of failed rows was reached"
    FOR_ALL = "the same failure would affect every row"
    INTERRUPTED = "it was interrupted"


class RunProgress:
    """The progress through `rows`, those that are still to be sent, and where and why it stops.

    Ask for `next_row`, write it, and `add` the outcome, until there is no next row. The run stops at `max_failures`
    rows that did not end as planned; at 0, like at 1, it stops at the first. A failure that affects every row (a
    refused key, an unreachable service, a journal that can't be written, a lock that ran out) stops it at once.
    `results` are the journal's words for earlier writes of the rows; `others` counts the other rows of the plan.
    """

    def __init__(
        self,
        rows: Sequence[PlanRow],
        max_failures: int = 0,
        results: RowResults | None = None,
        others: RunCounts | None = None,
    ) -> None:
        self.rows = rows
        self._max_failures = max_failures
        self._results = results or {}
        self._others = others or RunCounts()
        self.outcomes: list[RowOutcome] = []
        """The outcomes of the rows so far in order, without the answers of the service."""
        self.last_failure: RowOutcome | None = None
        """The last outcome that was not as planned, with its answer."""
        self.stopped: StopReason | None = None
        self._fates: Counter[RowFate | None] = Counter()

    @classmethod
    def of_plan(
        cls,
        plan: Plan,
        rows: Sequence[PlanRow],
        results: RowResults,
        max_failures: int = 0,
        outcomes: Mapping[int, RowOutcome] | None = None,
    ) -> "RunProgress":
        """Make it for the `rows` of a plan that are still to be sent; `outcomes` are those of rows tried before."""
        numbers = {row.number for row in rows}
        others = replace(plan, rows=tuple(row for row in plan.rows if row.number not in numbers))
        return cls(rows, max_failures, results, count_rows(others, results, outcomes))

    @property
    def next_row(self) -> PlanRow | None:
        """The row to write now; None at the end, or after a stop."""
        at = len(self.outcomes)
        return self.rows[at] if self.stopped is None and at < len(self.rows) else None

    def add(self, outcome: RowOutcome) -> None:
        """Add the outcome of `next_row`."""
        self.outcomes.append(outcome.without_answer)
        self._fates[self._fate(outcome)] += 1
        if not outcome.is_unexpected:
            return
        self.last_failure = outcome
        if affects_every_row(outcome):
            self.stopped = StopReason.FOR_ALL
        elif len(self.failed) >= max(1, self._max_failures):
            self.stopped = StopReason.FAILURES

    def _fate(self, outcome: RowOutcome) -> RowFate | None:
        """Return how a row ended, before the journal is read again: a write that is not settled is unknown."""
        report = outcome.report
        if report.entry_number:
            is_unknown = report.journal_problem or (report.result is SendResult.UNKNOWN and not report.was_applied)
            result = SendResult.UNKNOWN.value if is_unknown else report.result.value
        else:
            result = "" if outcome.already else self._results.get(outcome.row.number, "")
        return find_fate(outcome.row, result, outcome)

    def interrupt(self) -> None:
        """Stop after this row, unless the run stopped before."""
        if self.stopped is None and self.next_row is not None:
            self.stopped = StopReason.INTERRUPTED

    @property
    def counts(self) -> RunCounts:
        """The counts of the whole plan so far."""
        return self._others + count_fates(self._fates) + RunCounts(left=self.left)

    @property
    def failed(self) -> tuple[RowOutcome, ...]:
        """The outcomes that are not as planned."""
        return tuple(outcome for outcome in self.outcomes if outcome.is_unexpected)

    @property
    def left(self) -> int:
        """The number of rows that have not been tried."""
        return len(self.rows) - len(self.outcomes)

    @property
    def sent(self) -> bool:
        """True if a write was sent, so that the journal has it."""
        return any(outcome.report.entry_number for outcome in self.outcomes)

    def seconds_left(self, seconds: float) -> float | None:
        """Estimate the seconds for the rest from the `seconds` so far; None after too few rows."""
        count = len(self.outcomes)
        return seconds / count * self.left if count >= _MIN_ROWS else None


def affects_every_row(outcome: RowOutcome) -> bool:
    """Return True if the failure of a row would repeat with every other row.

    An error of the service (5xx) may be about one record, so it counts as that row's.
    """
    report = outcome.report
    if report.journal_problem:
        return True
    if report.is_gone or outcome.conflicts or outcome.may_exist:
        return False
    if report.error is not None:
        return not (isinstance(report.error, ServerFault) or is_about_one_record(report.error))
    # A row that was not sent because of its record has the record in its report.
    return report.result is SendResult.NOT_SENT and not report.changed_by_others and report.record is None
