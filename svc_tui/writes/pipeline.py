"""The path of a write, from the lock to the outcome in the journal.

Everything that changes something at the service goes through `WritePipeline`: an edit, a new record, a deletion, an
action, a request of the console or the command line, a row of a plan. Each write takes the same steps:

1. check the lock, and a second person's approval where a rule asks for one,
2. read the record again and compare it with what the user saw,
3. journal the intent, which is on the disk before the request leaves,
4. send the request,
5. journal the outcome, with the record as the write left it,
6. find out the outcome if the answer does not tell it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.draft import Draft, Freshness, freshen, is_same_field
from svc_tui.core.jsontext import Json, same_json
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import NotFound, RecordChanged, SendResult, ServiceError, failure_of
from svc_tui.service.gateway import Gateway, RecordReading
from svc_tui.service.redact import mask_fields, mask_keys, mask_text, secrets_in, without_secrets
from svc_tui.service.routes import target_of
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome, is_in_place
from svc_tui.writes.approval_guard import Permit, ProposedChange, WriteGate
from svc_tui.writes.outcomes import WriteReport, parse_created_id, parse_record, parse_whole_record
from svc_tui.writes.record_lookup import fields_concerned, read_or_none, search_created_record
from svc_tui.writes.undo import is_undoable
from svc_tui.writes.unknown_writes import UnknownWrites
from svc_tui.writes.write_requests import (
    WriteTarget,
    build_update_request,
    change_from_action,
    change_from_request,
    hash_body,
    identify_request,
    is_under_record,
    parse_fields,
    parse_write_target,
    with_if_match,
)

if TYPE_CHECKING:
    # Loaded with the first form: 17 ms.
    from svc_tui.core.field_forms import FormTarget

ResolveConflict = Callable[[Freshness], Awaitable[Draft | None]]
"""Asks the user about fields that changed under an edit; returns the draft to send, None to send nothing."""

_MAX_RETRIES = 5
"""Retries after a 412: a record that changes more often before it is written is handed back to the user."""

_READ_AFTER_SECONDS = 2.0
"""Longest wait for the reading of a record after its write, which a 429 to another request may hold back."""

_UNCHANGED_SECONDS = 1.0
"""Seconds after a write's answer in which its record is taken to be as the write left it."""

_P = ParamSpec("_P")


class NotSent(Exception):
    """Stops a write before its request is sent; `report` says why."""

    def __init__(self, reason: str = "", **details: Any) -> None:
        """Report `reason`, with `details` for the other fields of the report."""
        super().__init__(reason)
        self.report = WriteReport(SendResult.NOT_SENT, reason, **details)


def _report_not_sent(write: Callable[_P, Awaitable[WriteReport]]) -> Callable[_P, Coroutine[Any, Any, WriteReport]]:
    """Make a write that raises NotSent return its report."""

    @wraps(write)
    async def write_or_report(*args: _P.args, **kwargs: _P.kwargs) -> WriteReport:
        try:
            return await write(*args, **kwargs)
        except NotSent as stop:
            return stop.report

    return write_or_report


class WritePipeline:
    """Sends writes and journals them.

    The `gate` is asked at the start and again right before the intent is journalled: a lock can run out, and an
    approval be withdrawn, while a dialog is open. `batch` is the id of the run that all of the writes belong to, ""
    outside of a run. `collections` are the service's, as they are spelled in paths.
    """

    def __init__(
        self,
        gateway: Gateway,
        journal: Journal,
        gate: WriteGate,
        now: Callable[[], datetime],
        batch: str = "",
        collections: Sequence[Collection] = COLLECTIONS,
    ) -> None:
        self._gateway = gateway
        self._journal = journal
        self._gate = gate
        self._now = now
        self._batch = batch
        self._collections = collections
        self._approved_write = asyncio.Lock()
        """Held while a change is sent that needs a second person."""
        self.row = 0
        """The row of the plan that is being written, 0 outside of a run."""
        self.unknown_writes = UnknownWrites(now)

    def with_idempotency_key(self, request: RequestSpec, key: str | None = None) -> RequestSpec:
        """Return the request with the idempotency key that it will carry.

        That is the key of an equal request whose outcome is unknown, so that the service can tell a repetition, else a
        new one. `key` overrides it for requests that their bytes alone do not tell apart; "" stands for a new key.
        """
        if key is None:
            key = self.unknown_writes.find_key(request)
        return self._gateway.keyed(replace(request, idempotency_key=key))

    # The five kinds of writes

    @_report_not_sent
    async def update(
        self, place: Place, draft: Draft, confirmed: RequestSpec, resolve_conflict: ResolveConflict, ticket: str = ""
    ) -> WriteReport:
        """Send the edits of `draft` as a PATCH of the record at `place`.

        The request sent is the `confirmed` one, with the ETag that was just read. If the record as it is now, or a
        resolved conflict, makes it a different request, it gets an idempotency key of its own. A record that changes
        between its reading and the PATCH is read and compared again.
        """
        change = ProposedChange(("update",), place.key, confirmed, self.row)
        await self._check_allowed(change)
        changed_by_others: tuple[str, ...] = ()
        unmatched_etags: set[str] = set()
        refused: WriteReport | None = None
        restart_of: RecordChanged | None = None
        while True:
            reading = await self._read_record(place)
            record = reading.record
            await self._check_approval(change, record)
            if record.repeated:
                raise NotSent(f"The record has the field {record.repeated[0]} more than once.", record=record)
            if record.etag in unmatched_etags:
                # Some gateways change ETags and do not recognize their own in If-Match: the record did not change.
                record = replace(record, etag="")
            freshness = freshen(draft, record)
            changed_by_others = tuple(dict.fromkeys((*changed_by_others, *freshness.moved)))
            resolved: Draft | None = freshness.draft
            if freshness.conflicts:
                # The time that a person takes to choose does not count as the request's.
                resolved, restart_of = await resolve_conflict(freshness), None
            if resolved is None and refused is not None:
                return replace(refused, record=record, changed_by_others=changed_by_others)
            if resolved is None:
                raise NotSent("Nothing was sent.", record=record)
            if not resolved.edits:
                reason = "The record already has these values. Nothing was sent."
                return WriteReport(SendResult.DONE, reason, record=record)
            request = build_update_request(place, resolved)
            if identify_request(request) == identify_request(confirmed) and refused is None:
                request = replace(confirmed, headers=request.headers)
            was_sent_before = request in self.unknown_writes
            report = await self._send(
                replace(change, spec=request),
                ticket,
                before={name: record.fields[name] for name in resolved.edits if name in record.fields},
                current=record.fields,
                unchanged_since=reading,
                restart_of=restart_of,
                leaves=place,
                # A row of a plan sends no draft.
                origin=None if self._batch else place,
            )
            report = replace(report, changed_by_others=changed_by_others)
            report = await self._verify_change(report, place, resolved.edits, request, was_sent_before=was_sent_before)
            if report.result is SendResult.REFUSED:
                refused = report
            if report.restart_cause is not None:
                restart_of = report.restart_cause
            elif report.is_precondition_failed and record.etag and len(unmatched_etags) < _MAX_RETRIES:
                unmatched_etags.add(record.etag)
            else:
                return report
            draft = resolved

    @_report_not_sent
    async def create(
        self, collection: Collection, request: RequestSpec, ticket: str = "", origin: "FormTarget | None" = None
    ) -> WriteReport:
        """Send the POST of a new record; the report holds the record that the answer describes.

        `origin` is the form that it was entered in.
        """
        place = Place(collection)
        change = ProposedChange(("create",), place.key, request, self.row)
        await self._check_allowed(change)
        report = await self._send(change, ticket, before={}, creates=collection, leaves=place, origin=origin)
        match report.result:
            case SendResult.DONE:
                return replace(report, record=report.record or parse_record(report.exchange, place))
            case SendResult.UNKNOWN:
                return await self._verify_creation(report, collection, request)
        return report

    @_report_not_sent
    async def delete(self, place: Place, shown: Record, request: RequestSpec, ticket: str = "") -> WriteReport:
        """Send the DELETE of a record that is still as it was `shown`; journal the whole record for undo."""
        change = ProposedChange(("delete",), place.key, request, self.row)
        await self._check_allowed(change)
        report = await self._send_if_unchanged(place, shown, change, ticket, journal_record=True)
        if report.result is SendResult.UNKNOWN:
            return await self._verify_deletion(replace(report, record=None), place, request)
        return replace(report, is_gone=report.is_gone or report.result is SendResult.DONE)

    @_report_not_sent
    async def act(
        self, place: Place, shown: Record, request: RequestSpec, ticket: str = "", origin: "FormTarget | None" = None
    ) -> WriteReport:
        """Send an action on the record at `place`, which must still be as it was `shown`.

        The report holds the record afterwards. `origin` is the form that the action was entered in.
        """
        change = change_from_action(place, request, self._collections)
        await self._check_allowed(change)
        was_sent_before = request in self.unknown_writes
        report = await self._send_if_unchanged(
            place, shown, change, ticket, was_sent_before=was_sent_before, origin=origin
        )
        if report.result in (SendResult.DONE, SendResult.UNKNOWN):
            return await self._verify_action(replace(report, record=None), place, shown, report.record)
        return report

    @_report_not_sent
    async def request(self, request: RequestSpec, ticket: str = "", *, read_before: bool = True) -> WriteReport:
        """Send a request that the user wrote by hand; journal it at the place that its path names.

        A record that it changes or deletes is read first, so that the journal has the old values. Without
        `read_before`, or if the record can't be read, the old values are unknown.
        """
        change = change_from_request(request, self._collections)
        await self._check_allowed(change)
        try:
            path = target_of(request.path, request.query)
        except ServiceError as error:
            raise NotSent(error=error) from None
        target = parse_write_target(request.method, path, self._collections)
        place_read = target.changes if read_before else None
        if self._gate.approvals.rule(change) and target.place is not None and target.place.record_id:
            # It was approved for the record that it changes, or that the action is done to.
            place_read = target.place
        leaves = target.changes if request.method.upper() != "DELETE" else None
        current: Mapping[str, Json] | None = None
        report: WriteReport | None = None
        while True:
            reading = await read_or_none(self._gateway, place_read) if place_read is not None else None
            earlier, current = current, fields_concerned(reading.record, request) if reading is not None else None
            if report is not None and current is None:
                return report
            if report is not None and (names := _differing_names(earlier or {}, current or {})):
                return replace(report, error=_changed_by_others(names, report), changed_by_others=names)
            before = current if target.changes is not None else None
            report = await self._send(
                change,
                ticket,
                before={} if target.creates is not None else before,
                current=current,
                creates=target.creates,
                unchanged_since=reading,
                restart_of=None if report is None else report.restart_cause,
                leaves=leaves if target.creates is None else Place(target.creates),
                read_after=read_before,
            )
            report = replace(report, read_failed=read_before and target.changes is not None and before is None)
            if report.result is SendResult.UNKNOWN:
                report = await self._verify_request(report, target, request, before)
            if report.restart_cause is None:
                return report

    async def read_again(self, place: Place) -> Record | None:
        """Read a record, None if it can't be read; earlier writes that it shows to be in place are journalled."""
        try:
            return (await self._read_record(place)).record
        except NotSent:
            return None

    # Step 1: check the lock and the approval

    async def _check_allowed(self, change: ProposedChange) -> None:
        """Raise NotSent if the lock refuses writes, or if the change lacks an approval that it needs."""
        refusal = self._gate.refusal() or (await self._gate.approvals.permit(change)).refusal
        if refusal:
            raise NotSent(refusal)

    async def _check_approval(self, change: ProposedChange, record: Record) -> None:
        """Raise NotSent if the change was approved for another state of the record."""
        approvals = self._gate.approvals
        permit = await approvals.permit(change)
        refusal = permit.refusal or await approvals.recheck(permit, record.fields)
        if refusal:
            raise NotSent(refusal, record=record)

    # Step 2: read the record again and compare

    async def _read_record(self, place: Place) -> RecordReading:
        """Read the record; raise NotSent if it is gone or can't be read.

        Earlier writes with an unknown outcome that the reading shows to be in place are journalled as done.
        """
        try:
            reading = await self._gateway.reading(place.collection, place.id)
        except NotFound as error:
            problem = await self._journal_earlier_writes(place, None)
            raise NotSent("The record no longer exists.", error=error, is_gone=True, journal_problem=problem) from None
        except ServiceError as error:
            raise NotSent("Could not reload the record before sending.", error=error) from None
        # A journal that fails here also fails on the intent, which stops the write.
        await self._journal_earlier_writes(place, reading.record)
        return reading

    async def _send_if_unchanged(
        self,
        place: Place,
        shown: Record,
        change: ProposedChange,
        ticket: str,
        *,
        journal_record: bool = False,
        was_sent_before: bool = False,
        origin: "FormTarget | None" = None,
    ) -> WriteReport:
        """Send a write with the ETag just read, if the record is still as it was `shown`.

        A path outside of the record has another ETag: none is named there. After a 412 the record is read again: the
        write goes on with the new ETag if nothing that was shown has changed, unless it `was_sent_before`, since the
        first sending may have changed it. The report of an unknown outcome holds the record as it was right before.
        """
        request = change.spec
        unmatched_etags: set[str] = set()
        refused: WriteReport | None = None
        restart_of: RecordChanged | None = None
        while True:
            reading = await self._read_record(place)
            record = reading.record
            await self._check_approval(change, record)
            if names := freshen(Draft(shown), record).moved:
                reason = _explain_changed_record(names, was_sent_before=was_sent_before)
                raise NotSent(reason, record=record, changed_by_others=names)
            if refused is not None and (was_sent_before or len(unmatched_etags) > _MAX_RETRIES):
                return replace(refused, reason="The record has changed. Check it, then try again.", record=record)
            etag = "" if record.etag in unmatched_etags or not is_under_record(place, request) else record.etag
            report = await self._send(
                replace(change, spec=with_if_match(request, etag)),
                ticket,
                before=record.fields if journal_record else None,
                current=record.fields,
                unchanged_since=reading,
                restart_of=restart_of,
                origin=origin,
            )
            if report.restart_cause is not None:
                restart_of = report.restart_cause
            elif etag and report.is_precondition_failed:
                refused = report
                unmatched_etags.add(etag)
                # The service may answer a key that it has refused with the same refusal.
                request = replace(request, idempotency_key="")
            else:
                return replace(report, record=record) if report.result is SendResult.UNKNOWN else report

    # Steps 3, 4 and 5: journal the intent, send, journal the outcome

    @_report_not_sent
    async def _send(
        self,
        change: ProposedChange,
        ticket: str,
        *,
        before: Mapping[str, Json] | None = None,
        current: Mapping[str, Json] | None = None,
        creates: Collection | None = None,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
        leaves: Place | None = None,
        read_after: bool = True,
        origin: "Place | FormTarget | None" = None,
    ) -> WriteReport:
        """Check lock and approval once more, journal the intent, send the request, journal the outcome.

        `before` are the old values for the journal, None if they are unknown. `current` are the record's fields as
        just read, None if it was not read. `creates` is the collection that gets a new record. `unchanged_since` and
        `restart_of`: see `Gateway.send`. `leaves` is the record, or the collection of a new one, whose state after the
        write the journal keeps. `origin` is the draft or form that is sent.
        """
        approvals = self._gate.approvals
        # The journal tells whether an approval is used up, so the next change waits for the outcome of this one.
        async with self._approved_write if approvals.rule(change) else nullcontext():
            permit = await approvals.permit(change)
            refusal = self._gate.refusal() or permit.refusal or await approvals.recheck(permit, current)
            if refusal:
                raise NotSent(refusal)
            request = change.spec
            if not request.idempotency_key:
                request = self.with_idempotency_key(request)
            intent = self._make_intent(replace(change, spec=request), ticket, before, permit)
            try:
                number = await self._journal.intend(intent, origin)
            except StoreError as error:
                raise NotSent(f"Not sent, because the journal could not be written: {error}") from None
            # Records are JSON; the document does not show what an action answers.
            expects_json = bool(change.place) and (creates is not None or request.method.upper() != "POST")
            report = await self._request_answer(request, unchanged_since, restart_of, expects_json=expects_json)
            answered_at = asyncio.get_running_loop().time()
            self.unknown_writes.update(intent, report)
            outcome = self._make_outcome(report, creates)
            # A reading may show only later that it was carried out.
            if_done = JournalEntry(number, intent, replace(outcome, result=SendResult.DONE.value))
            report = replace(report, entry_number=number, is_undoable=is_undoable(if_done, self._collections))
            left = None
            if leaves is not None and report.result is SendResult.DONE:
                left = Place(leaves.collection, leaves.record_id or outcome.made or None)
                # A PUT may remove fields.
                is_patch = unchanged_since is not None and request.method.upper() == "PATCH"
                fields_before = unchanged_since.record.fields if unchanged_since is not None and is_patch else None
                record = parse_whole_record(report.exchange, left, parse_fields(request.body) or {}, fields_before)
                report = replace(report, record=record)
            report = await self._journal_outcome(report, outcome, report.record)
            await approvals.settle(permit, report.result.value)
            if left is not None and left.record_id is not None and report.record is None and read_after:
                return await self._journal_left_record(report, outcome, left, answered_at)
            return report

    def _make_intent(
        self, change: ProposedChange, ticket: str, before: Mapping[str, Json] | None, permit: Permit
    ) -> Intent:
        """Describe the write for the journal, without secrets; raise NotSent for a path that is never sent."""
        request, secrets = change.spec, self._gateway.secrets
        try:
            target = target_of(request.path, request.query)
        except ServiceError as error:
            raise NotSent(error=error) from None
        after = parse_fields(request.body)
        return Intent(
            at=self._now(),
            method=request.method.upper(),
            target=mask_keys(target),
            place=change.place,
            idempotency_key=request.idempotency_key,
            before=None if before is None else without_secrets(before, secrets),
            after=None if after is None else mask_fields(after, secrets),
            ticket=mask_keys(mask_text(ticket, secrets)),
            body_bytes=len(request.body) if after is None else None,
            batch=self._batch,
            body_digest=hash_body(request.body),
            row=self.row,
            approval=permit.approval,
            approved_by=permit.approved_by,
        )

    async def _request_answer(
        self,
        request: RequestSpec,
        unchanged_since: RecordReading | None,
        restart_of: RecordChanged | None,
        *,
        expects_json: bool,
    ) -> WriteReport:
        """Send the request and judge its answer."""
        try:
            exchange = await self._gateway.send(request, unchanged_since=unchanged_since, restart_of=restart_of)
        except ServiceError as error:
            return WriteReport(error.sent, error=error, exchange=error.exchange)
        failure = failure_of(exchange, self._gateway.secrets, json=expects_json)
        return WriteReport(SendResult.DONE if failure is None else failure.sent, error=failure, exchange=exchange)

    def _make_outcome(self, report: WriteReport, creates: Collection | None) -> Outcome:
        """Describe the outcome for the journal, without secrets."""
        error, exchange = report.error, report.exchange
        is_created = creates is not None and report.result is SendResult.DONE
        new_id = parse_created_id(exchange, creates) if creates is not None and is_created else ""
        return Outcome(
            at=self._now(),
            result=report.result.value,
            status=exchange.answer.status if exchange else None,
            message=str(error or ""),
            request_id=_masked_request_id(exchange, self._gateway.secrets),
            made=new_id,
            place=Place(creates, new_id).key if creates is not None and new_id else "",
            code=error.code if error else "",
        )

    async def _journal_outcome(
        self, report: WriteReport, outcome: Outcome, record: Record | None = None
    ) -> WriteReport:
        """Journal the outcome, and the `record` as the write left it, so that an undo sees what changed since.

        Return the report, with the problem if that failed.
        """
        if record is not None:
            record = replace(record, fields=mask_fields(record.fields, self._gateway.secrets))
        try:
            await self._journal.conclude(report.entry_number, outcome, record)
        except StoreError as error:
            return replace(report, journal_problem=str(error))
        return replace(report, journal_problem="")

    async def _journal_left_record(
        self, report: WriteReport, outcome: Outcome, place: Place, answered_at: float
    ) -> WriteReport:
        """Read the record that the answer did not hold, and journal it if it is as the write left it."""
        record = None
        with suppress(TimeoutError):
            async with asyncio.timeout(_READ_AFTER_SECONDS):
                record = await self._read_after(place)
        if record is None:
            return report
        # A reading that was held back may hold what a colleague wrote after this write.
        is_soon = asyncio.get_running_loop().time() - answered_at <= _UNCHANGED_SECONDS
        etag = report.exchange.answer.header("etag") if report.exchange else None
        if is_soon or record.etag == (etag or None):
            journalled = await self._journal_outcome(report, outcome, record)
            # The outcome is in the journal if one of the two could be written.
            report = journalled if report.journal_problem else report
        return replace(report, record=record)

    async def _read_after(self, place: Place) -> Record | None:
        """Read the record after a write; None if it can't be read."""
        try:
            return await self._gateway.record(place.collection, place.id)
        except ServiceError:
            # The user needs the outcome of the write itself; the error of this reading would only hide it.
            return None

    # Step 6: find out the outcome

    async def _verify_change(
        self,
        report: WriteReport,
        place: Place,
        edits: Mapping[str, Json],
        request: RequestSpec,
        *,
        was_sent_before: bool,
    ) -> WriteReport:
        """Compare the record with the edits sent; journal a change that is in place despite an unclear answer."""
        report = await self._compare(report, place, edits, was_sent_before=was_sent_before)
        if report.was_applied:
            self.unknown_writes.remove(request)
        if report.was_applied and report.result is SendResult.UNKNOWN:
            return await self._journal_outcome(_as_done(report), self._outcome_by_reading(), report.record)
        if report.record is not None and report.may_be_conflict:
            return await self._journal_refusal(replace(report, unapplied=(), applied=0), request)
        return report

    async def _compare(
        self, report: WriteReport, place: Place, edits: Mapping[str, Json], *, was_sent_before: bool
    ) -> WriteReport:
        """Add the record, from the answer or read again, and which edits it holds."""
        if report.result not in (SendResult.DONE, SendResult.UNKNOWN):
            return report
        # To a key that was used before, the service may repeat an old answer.
        is_answer_current = report.result is SendResult.DONE and not was_sent_before
        record = report.record if is_answer_current else await self._read_after(place)
        if record is None:
            return replace(report, reason="Could not reload the record.")
        fields = record.fields
        unapplied = tuple(name for name in edits if name not in fields or not same_json(fields[name], edits[name]))
        return replace(report, record=record, unapplied=unapplied, applied=len(edits) - len(unapplied))

    async def _verify_creation(self, report: WriteReport, collection: Collection, request: RequestSpec) -> WriteReport:
        """Search for the record that may have been created; the outcome stays unknown, since a match is no proof."""
        fields = parse_fields(request.body) or {}
        return replace(report, reason=await search_created_record(self._gateway, collection, fields))

    async def _verify_deletion(self, report: WriteReport, place: Place, request: RequestSpec) -> WriteReport:
        """Read the record to see if it is gone; the reading journals that as the outcome."""
        try:
            await self._read_record(place)
        except NotSent as failure:
            if not failure.report.is_gone:
                return report
            self.unknown_writes.remove(request)
            problem = report.journal_problem or failure.report.journal_problem
            reason = "Checked again: the record is deleted."
            return _as_done(replace(report, reason=reason, is_gone=True, journal_problem=problem))
        report = replace(report, reason="Checked again: the record still exists.")
        return await self._journal_refusal(report, request) if report.may_be_conflict else report

    async def _verify_action(
        self, report: WriteReport, place: Place, shown: Record, before: Record | None
    ) -> WriteReport:
        """Add the record to the report, and to an unknown outcome what changed since it was `shown`."""
        try:
            record = (await self._read_record(place)).record
        except NotSent:
            return report
        if report.result is SendResult.UNKNOWN:
            report = replace(report, reason=_explain_action(report, shown, before, record))
        return replace(report, record=record)

    async def _verify_request(
        self, report: WriteReport, target: WriteTarget, request: RequestSpec, before: Mapping[str, Json] | None
    ) -> WriteReport:
        """Look at what a request written by hand was about, as for the other kinds of writes."""
        if target.creates is not None:
            return await self._verify_creation(report, target.creates, request)
        if target.changes is None:
            return report
        if request.method.upper() == "DELETE":
            return await self._verify_deletion(report, target.changes, request)
        edits = parse_fields(request.body)
        if not edits:
            return report
        if before is not None:
            return await self._verify_change(report, target.changes, edits, request, was_sent_before=False)
        # The record may have had these values before: that it has them now proves nothing.
        compared = await self._compare(report, target.changes, edits, was_sent_before=False)
        if compared.was_applied:
            reason = "The record has the sent values. It is not known whether it had them before."
            return replace(report, reason=reason)
        is_refusal = compared.record is not None and report.may_be_conflict
        return await self._journal_refusal(report, request) if is_refusal else report

    async def _journal_earlier_writes(self, place: Place, record: Record | None) -> str:
        """Journal as done the earlier writes with an unknown outcome that `record` shows; None: it is gone.

        Return why that failed, "" if it did not.
        """
        try:
            entries = await self._journal.entries(place=place.key)
            # What was sent with another key changed another record.
            for entry in is_in_place([entry for entry in entries if not entry.other_key], record):
                await self._journal.conclude(entry.number, self._outcome_by_reading(is_gone=record is None))
        except StoreError as error:
            return str(error)
        return ""

    def _outcome_by_reading(self, *, is_gone: bool = False) -> Outcome:
        """Return the outcome of a write without a clear answer, as a later reading shows it."""
        finding = "the record is deleted" if is_gone else "the record has the change"
        return Outcome(self._now(), SendResult.DONE.value, message=f"No usable response; checked again: {finding}.")

    async def _journal_refusal(self, report: WriteReport, request: RequestSpec) -> WriteReport:
        """Journal as refused a write that met another record on a later attempt, and that a reading shows not done."""
        error = report.error
        assert error is not None
        error.sent = SendResult.REFUSED
        self.unknown_writes.remove(request)
        outcome = Outcome(
            self._now(),
            SendResult.REFUSED.value,
            error.status,
            f"{error}; checked again: not saved",
            error.request_id,
            code=error.code,
        )
        return await self._journal_outcome(replace(report, result=SendResult.REFUSED), outcome)


def _differing_names(before: Mapping[str, Json], now: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the names of the fields that only one of the two readings has, or that differ."""
    names = dict.fromkeys((*before, *now))
    return tuple(name for name in names if not is_same_field(before, now, name))


def _masked_request_id(exchange: Exchange | None, secrets: Sequence[str]) -> str | None:
    """Return the service's name for the request, without `secrets`; None where no answer carries one."""
    if exchange is None or exchange.answer.request_id is None:
        return None
    return mask_text(exchange.answer.request_id, secrets_in(exchange, secrets))


def _as_done(report: WriteReport) -> WriteReport:
    """Return the report of a write that a reading shows to be done: its error is about the answer alone."""
    if report.error is not None:
        report.error.sent = SendResult.DONE
    return report


def _changed_by_others(names: Sequence[str], report: WriteReport) -> RecordChanged:
    """Return the error of a request written by hand that is not sent: others changed these fields before."""
    refused = report.result is SendResult.REFUSED
    not_sent = "it was not sent again" if refused else "nothing was sent"
    return RecordChanged(
        f"others have changed {', '.join(names)} since, so {not_sent}; check the record first",
        sent=SendResult.REFUSED if refused else SendResult.NOT_SENT,
    )


def _explain_action(report: WriteReport, shown: Record, before: Record | None, now: Record) -> str:
    """Say what a reading tells of an action whose outcome is unknown.

    `before` is the record as it was read right before the action, None if it was not. One that was `shown` may be a
    row of a list, which holds less.
    """
    names = _differing_names(before.fields, now.fields) if before is not None else freshen(Draft(shown), now).moved
    etag = (before or shown).etag
    if names:
        return f"Checked again: {', '.join(names)} changed."
    if isinstance(report.error, RecordChanged) or (etag and etag != now.etag):
        return "Checked again: the record changed."
    return "Checked again: the record is unchanged."


def _explain_changed_record(names: Sequence[str], *, was_sent_before: bool) -> str:
    """Say why a write was not sent: these fields changed since the record was shown."""
    changed = ", ".join(names)
    if was_sent_before:
        return (
            f"{changed} changed. It is not known whether the change was saved. "
            "Check the record before you send it again."
        )
    return f"Others have changed {changed} since. Check the record, then try again."
