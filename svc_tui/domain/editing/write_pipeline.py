"""The one path of a write: lock, fresh read, intent, send, outcome.

Everything that changes something at the service goes through `WritePipeline`: an edit, a new record, a deletion, an
action, a request of the console or from the command line. The pipeline decides and keeps the order; what it needs comes
in through Protocols.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from svc_tui.domain.editing.draft import Draft, Freshness, freshen, is_same_field
from svc_tui.domain.editing.journal import is_in_place
from svc_tui.domain.editing.ports import (
    Intent,
    Journal,
    JournalEntry,
    Outcome,
    ProposedChange,
    StoreError,
    WriteGate,
)
from svc_tui.domain.editing.undo import is_undoable
from svc_tui.domain.editing.unsettled import UnsettledWrites
from svc_tui.domain.editing.write_answers import (
    RESULTS,
    changed_record,
    created_id,
    may_be_conflict,
    precondition_failed,
    record_in,
    whole_record_in,
)
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import (
    body_digest,
    body_fields,
    is_under_record,
    request_identity,
    update_request,
    with_if_match,
)
from svc_tui.domain.http.errors import NotFound, RecordChanged, SentState, ServiceError, failure_of
from svc_tui.domain.http.gateway import Gateway, RecordReading
from svc_tui.domain.http.redact import mask_fields, mask_keys, mask_text, secrets_in, without_secrets
from svc_tui.domain.http.routes import target_of
from svc_tui.domain.model.catalog import COLLECTIONS, Collection
from svc_tui.domain.model.jsontext import Json, same_json
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange, RequestSpec

if TYPE_CHECKING:
    # Loaded with the first form: it costs 160 ms.
    from svc_tui.domain.editing.forms import FormTarget

ResolveConflict = Callable[[Freshness], Awaitable[Draft | None]]
"""Asks the user to choose where a field moved under an edit; None: don't send."""


class WritePipeline:
    """Walks a write from the lock to its outcome.

    The `gate` says why nothing may be written now, and which changes want a second person; it is asked again right
    before the journal's intent line, because a lock can run out while a dialog is read, and an approval be taken back.
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
        """Make it; `batch` is the id of the run that all of its writes are part of.

        `collections` are the service's, as they are spelled in paths.
        """
        self._gateway = gateway
        self._journal = journal
        self._gate = gate
        self._now = now
        self._batch = batch
        self.row = 0
        """The row of the run's plan that is written now, 0 outside of a run."""
        self._collections = collections
        self.unsettled = UnsettledWrites()
        self._approved = asyncio.Lock()
        """Held while a change leaves that wants a second person."""

    def keyed(self, spec: RequestSpec, key: str | None = None) -> RequestSpec:
        """The request with the idempotency key it will carry.

        The same bytes keep the key of an earlier sending for as long as its outcome is unknown, so that sending them
        again can't do the thing twice; anything else gets a key of its own. `key` says which one that is where the
        bytes alone don't tell, "" for a new one.
        """
        return self._gateway.keyed(replace(spec, idempotency_key=self.unsettled.key(spec) if key is None else key))

    async def update(
        self, place: Place, draft: Draft, shown: RequestSpec, ask: ResolveConflict, ticket: str = ""
    ) -> WriteReport:
        """Send the draft's edits, after reading the record again; `ask` decides where a field moved under one.

        `shown` is the keyed request that was confirmed. What goes out is that, its `If-Match` the ETag read just now,
        unless the fresh record or a choice made it another request; then it has another key. A record that changes
        between this reading and the PATCH is read again, and `ask` asked again.
        """
        change = ProposedChange(("update",), place.key, shown, self.row)
        if barred := await self._barred(change):
            return barred
        moved: tuple[str, ...] = ()
        missed: set[str] = set()
        refused: WriteReport | None = None
        changed: RecordChanged | None = None
        while True:
            reading = await self._fresh(place)
            if isinstance(reading, WriteReport):
                return reading
            fresh = reading.record
            if void := await self._void(change, fresh):
                return void
            if fresh.repeated:
                words = f"The record has the field {fresh.repeated[0]} more than once."
                return WriteReport(WriteResult.NOT_SENT, words, record=fresh)
            if fresh.etag in missed:
                # Some gateways change a tag on its way out and then know it no more: the record did not move.
                fresh = replace(fresh, etag="")
            freshness = freshen(draft, fresh)
            moved += tuple(name for name in freshness.moved if name not in moved)
            chosen = freshness.draft
            if freshness.conflicts:
                # The time that a person takes to choose is not the request's.
                answered, changed = await ask(freshness), None
                if answered is None and refused is not None:
                    return replace(refused, record=fresh, moved=moved)
                if answered is None:
                    return WriteReport(WriteResult.NOT_SENT, "Nothing was sent.", record=fresh)
                chosen = answered
            if not chosen.edits:
                return WriteReport(
                    WriteResult.DONE, "The record already has these values. Nothing was sent.", record=fresh
                )
            spec = update_request(place, chosen)
            if request_identity(spec) == request_identity(shown) and refused is None:
                spec = replace(shown, headers=spec.headers)
            again = spec in self.unsettled
            report = await self._sent(
                replace(change, spec=spec),
                before={name: fresh.fields[name] for name in chosen.edits if name in fresh.fields},
                now=fresh.fields,
                after=chosen.edits,
                ticket=ticket,
                unchanged_since=reading,
                restart_of=changed,
                leaves=place,
                # A plan's row sends no draft.
                origin=None if self._batch else place,
            )
            report = replace(report, moved=moved)
            report = await self._change_looked_up(report, place, chosen.edits, spec, again=again)
            if report.result is WriteResult.REFUSED:
                refused = report
            if cause := changed_record(report):
                changed = cause
            elif precondition_failed(report) and fresh.etag and len(missed) < _MAX_MISSES:
                missed.add(fresh.etag)
            else:
                return report
            draft = chosen

    async def _change_looked_up(
        self, report: WriteReport, place: Place, edits: Mapping[str, Json], spec: RequestSpec, *, again: bool
    ) -> WriteReport:
        """The report of a change with the record as it is now; what that tells of its outcome is journalled."""
        report = await self._compared(report, place, edits, again=again)
        if report.settled:
            self.unsettled.settle(spec)
        if report.settled and report.result is WriteResult.UNKNOWN:
            return await self._concluded(_carried_out(report), self._observed_outcome(), report.record)
        if report.record is not None and may_be_conflict(report):
            return await self._conflicted(replace(report, untaken=(), taken=0), spec)
        return report

    async def _conflicted(self, report: WriteReport, spec: RequestSpec) -> WriteReport:
        """Journal as refused a write that met another record on a later attempt, and that a reading shows not done."""
        error = report.error
        assert error is not None
        error.sent = SentState.REFUSED
        self.unsettled.settle(spec)
        outcome = Outcome(
            self._now(),
            WriteResult.REFUSED.value,
            error.status,
            f"{error}; checked again: not saved",
            error.request_id,
            code=error.code,
        )
        return await self._concluded(replace(report, result=WriteResult.REFUSED), outcome)

    async def create(
        self, collection: Collection, spec: RequestSpec, ticket: str = "", origin: "FormTarget | None" = None
    ) -> WriteReport:
        """Send the POST that makes a record of the collection; the report holds the record as the answer tells it.

        Where the outcome is not known, the report says whether one like it is in the list. `origin` is the form that
        it was filled in in.
        """
        place, fields = Place(collection), body_fields(spec.body)
        change = ProposedChange(("create",), place.key, spec, self.row)
        if barred := await self._barred(change):
            return barred
        report = await self._sent(
            change, before={}, after=fields, ticket=ticket, makes=collection, leaves=place, origin=origin
        )
        if report.result is WriteResult.UNKNOWN:
            return await self._creation_looked_up(report, collection, fields)
        if report.result is not WriteResult.DONE:
            return report
        return replace(report, record=report.record or record_in(report.exchange, place))

    async def _creation_looked_up(
        self, report: WriteReport, collection: Collection, fields: Mapping[str, Json] | None
    ) -> WriteReport:
        """The report of a creation whose outcome is not known, after a look at the ends of the collection's list."""
        from svc_tui.domain.editing.record_lookup import look_for_created

        return replace(report, reason=await look_for_created(self._gateway, collection, fields or {}))

    async def delete(self, place: Place, shown: Record, spec: RequestSpec, ticket: str = "") -> WriteReport:
        """Send the DELETE of a record, after reading it again: it must still be what was `shown` to be confirmed.

        The journal keeps it whole, so that it can be made again.
        """
        change = ProposedChange(("delete",), place.key, spec, self.row)
        if barred := await self._barred(change):
            return barred
        report = await self._unmoved(place, shown, change, ticket, keeps=True)
        if report.result is WriteResult.UNKNOWN:
            return await self._deletion_looked_up(replace(report, record=None), place, spec)
        return replace(report, gone=report.gone or report.result is WriteResult.DONE)

    async def _deletion_looked_up(self, report: WriteReport, place: Place, spec: RequestSpec) -> WriteReport:
        """The report of a deletion whose outcome is not known, after a look at whether the record is there."""
        look = await self._fresh(place)
        if isinstance(look, RecordReading):
            report = replace(report, reason="Checked again: the record still exists.")
            return await self._conflicted(report, spec) if may_be_conflict(report) else report
        if not look.gone:
            return report
        self.unsettled.settle(spec)
        problem = report.journal_problem or look.journal_problem
        report = replace(report, reason="Checked again: the record is deleted.", gone=True, journal_problem=problem)
        return _carried_out(report)

    async def act(
        self, place: Place, shown: Record, spec: RequestSpec, ticket: str = "", origin: "FormTarget | None" = None
    ) -> WriteReport:
        """Send an action on the record at `place`; unless it is refused, the report holds the record as it is now.

        Where its path is the record's own or under that, the record must still be what was `shown`. Where the outcome
        is not known, the report says what has changed of that. `origin` is the form that it was filled in in.
        """
        from svc_tui.domain.editing.write_target import action_change

        change = action_change(place, spec, self._collections)
        if barred := await self._barred(change):
            return barred
        if is_under_record(place, spec):
            again = spec in self.unsettled
            report = await self._unmoved(place, shown, change, ticket, again=again, origin=origin)
        else:
            # What it was approved for is the record, wherever its path leads.
            now = await self._fresh(place) if self._gate.approvals.rule(change) else None
            if isinstance(now, WriteReport):
                return now
            fields = None if now is None else now.record.fields
            report = await self._sent(change, after=body_fields(spec.body), now=fields, ticket=ticket, origin=origin)
        if report.result not in (WriteResult.DONE, WriteResult.UNKNOWN):
            return report
        before, report = report.record, replace(report, record=None)
        look = await self._fresh(place)
        if isinstance(look, WriteReport):
            return report
        if report.result is WriteResult.UNKNOWN:
            report = replace(report, reason=_looked_again_words(report, shown, before, look.record))
        return replace(report, record=look.record)

    async def _unmoved(
        self,
        place: Place,
        shown: Record,
        change: ProposedChange,
        ticket: str,
        *,
        keeps: bool = False,
        again: bool = False,
        origin: "FormTarget | None" = None,
    ) -> WriteReport:
        """Send a write that holds for the record as it was `shown` alone: read it again, then name its ETag.

        A 412 has it read once more: where nothing that was shown has moved, the write goes on with the other ETag,
        unless it is sent `again`: then the first sending may be what moved it. `keeps` has the journal keep the record
        as it was. The report of an unknown outcome holds the record as it was read right before.
        """
        missed: set[str] = set()
        refused: WriteReport | None = None
        changed: RecordChanged | None = None
        spec = change.spec
        while True:
            reading = await self._fresh(place)
            if isinstance(reading, WriteReport):
                return reading
            fresh = reading.record
            if void := await self._void(change, fresh):
                return void
            if moved := freshen(Draft(shown), fresh).moved:
                return WriteReport(
                    WriteResult.NOT_SENT, _changed_meanwhile_words(moved, again=again), record=fresh, moved=moved
                )
            if refused is not None and (again or len(missed) > _MAX_MISSES):
                return replace(refused, reason=_CHANGED, record=fresh)
            etag = "" if fresh.etag in missed else fresh.etag
            report = await self._sent(
                replace(change, spec=with_if_match(spec, etag)),
                before=fresh.fields if keeps else None,
                after=body_fields(spec.body),
                now=fresh.fields,
                ticket=ticket,
                unchanged_since=reading,
                restart_of=changed,
                origin=origin,
            )
            if cause := changed_record(report):
                changed = cause
                continue
            if not etag or not precondition_failed(report):
                return replace(report, record=fresh) if report.result is WriteResult.UNKNOWN else report
            refused = report
            missed.add(etag)
            # A key that was refused may be answered with the same refusal again.
            spec = replace(spec, idempotency_key="")

    async def request(self, spec: RequestSpec, ticket: str = "", *, read_before: bool = True) -> WriteReport:
        """Send a request that the user wrote by hand; it is journalled at the place that it is about.

        A JSON object in its body is journalled field by field. A record that it changes or deletes is read first, so
        that the journal has what was there before; with `read_before` off, or where it can't be read, that is not
        known. Where the outcome is not known, the record or its list is looked at.
        """
        # Here: the first records need nothing of what it looks things up in.
        from svc_tui.domain.editing.record_lookup import fields_concerned, read_or_none
        from svc_tui.domain.editing.write_target import write_target, written_change

        change = written_change(spec, self._collections)
        if barred := await self._barred(change):
            return barred
        try:
            aim = write_target(spec.method, target_of(spec.path, spec.query), self._collections)
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, error=error)
        asked = bool(self._gate.approvals.rule(change))
        about = aim.changes if read_before else None
        if asked and aim.place and aim.place.record_id:
            # What was approved is for the record that it changes, or that an action is done to.
            about = aim.place
        fields, deletes = body_fields(spec.body), spec.method.upper() == "DELETE"
        now: Mapping[str, Json] | None = None
        report: WriteReport | None = None
        changed: RecordChanged | None = None
        while True:
            reading = await read_or_none(self._gateway, about) if about else None
            earlier, now = now, fields_concerned(reading.record, spec) if reading else None
            if report is not None and now is None:
                return report
            if report is not None and (moved := _differing(earlier or {}, now or {})):
                return replace(report, error=_conflict(moved, report), moved=moved)
            before = now if aim.changes is not None else None
            report = await self._sent(
                change,
                before={} if aim.makes is not None else before,
                after=fields,
                now=now,
                ticket=ticket,
                makes=aim.makes,
                unchanged_since=reading,
                restart_of=changed,
                leaves=Place(aim.makes) if aim.makes is not None else None if deletes else aim.changes,
                reads=read_before,
            )
            report = replace(report, unread=read_before and aim.changes is not None and before is None)
            report = await self._request_looked_up(report, aim.makes, aim.changes, spec, before)
            changed = changed_record(report)
            if changed is None:
                return report

    async def _request_looked_up(
        self,
        report: WriteReport,
        makes: Collection | None,
        changes: Place | None,
        spec: RequestSpec,
        before: Mapping[str, Json] | None,
    ) -> WriteReport:
        """The report of a request written by hand, after a look at what it is about where its outcome is not known."""
        if report.result is not WriteResult.UNKNOWN:
            return report
        fields = body_fields(spec.body)
        if makes is not None:
            return await self._creation_looked_up(report, makes, fields)
        if changes is not None and spec.method.upper() == "DELETE":
            return await self._deletion_looked_up(report, changes, spec)
        if changes is None or not fields:
            return report
        if before is not None:
            return await self._change_looked_up(report, changes, fields, spec, again=False)
        # The values may have been there before: that they are there now proves nothing.
        looked = await self._compared(report, changes, fields, again=False)
        if looked.settled:
            return replace(report, reason=_HELD_NOW)
        return await self._conflicted(report, spec) if looked.record and may_be_conflict(report) else report

    async def look_again(self, place: Place) -> Record | None:
        """Read a record, None where it can't be read; earlier writes that it shows as done are concluded."""
        return (await self._fresh(place)).record

    async def _fresh(self, place: Place) -> RecordReading | WriteReport:
        """The record as it is now, or the report of a write that is not sent because it can't be read.

        What it tells of earlier writes whose fate was unknown is journalled.
        """
        try:
            reading = await self._gateway.reading(place.collection, place.id)
        except NotFound as error:
            problem = await self._settle(place, None)
            return WriteReport(
                WriteResult.NOT_SENT, "The record no longer exists.", error, gone=True, journal_problem=problem
            )
        except ServiceError as error:
            return WriteReport(WriteResult.NOT_SENT, "Could not reload the record before sending.", error)
        # A journal that fails here refuses the intent that comes next.
        await self._settle(place, reading.record)
        return reading

    async def _settle(self, place: Place, now: Record | None) -> str:
        """Conclude earlier writes to `place` that are found to be in place; gives why that can't be journalled."""
        try:
            entries = await self._journal.entries(place=place.key)
            # What was sent with another key went to another record.
            for entry in is_in_place([entry for entry in entries if not entry.other_key], now):
                await self._journal.conclude(entry.number, self._observed_outcome(gone=now is None))
        except StoreError as error:
            return str(error)
        return ""

    def _observed_outcome(self, *, gone: bool = False) -> Outcome:
        """The outcome of a write without a clear answer that a later reading tells."""
        there = "the record is deleted" if gone else "the record has the change"
        return Outcome(self._now(), WriteResult.DONE.value, message=f"No usable response; checked again: {there}.")

    async def _barred(self, change: ProposedChange) -> WriteReport | None:
        """The report of a change that may not be sent now: nothing may, or it wants a second person and has none."""
        refusal = self._gate.refusal() or (await self._gate.approvals.permit(change)).refusal
        return WriteReport(WriteResult.NOT_SENT, refusal) if refusal else None

    async def _void(self, change: ProposedChange, fresh: Record) -> WriteReport | None:
        """The report of a change that was approved for the record as it was, and not as it is now, `fresh`."""
        permit = await self._gate.approvals.permit(change)
        void = permit.refusal or await self._gate.approvals.recheck(permit, fresh.fields)
        return WriteReport(WriteResult.NOT_SENT, void, record=fresh) if void else None

    async def _sent(
        self,
        change: ProposedChange,
        *,
        before: Mapping[str, Json] | None = None,
        after: Mapping[str, Json] | None = None,
        now: Mapping[str, Json] | None = None,
        ticket: str,
        makes: Collection | None = None,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
        leaves: Place | None = None,
        reads: bool = True,
        origin: "Place | FormTarget | None" = None,
    ) -> WriteReport:
        """The last stretch, the same for every write: lock, approval, key, intent, send, outcome.

        `makes` is the collection of the record that the write makes, where it makes one. `now` are the fields of the
        record as they were read just now, None where they were not. `unchanged_since` and `restart_of`: see
        `Gateway.send`. `leaves` is the place of the record, or of the collection of a new one, whose state after the
        write the journal keeps, so that an undo sees later changes; where the answer does not hold it, it is read once,
        unless `reads` is False, and kept where it comes at once or with the answer's ETag. `origin` is the draft or
        form that is sent.
        """
        approvals = self._gate.approvals
        # Whether an approval is used up is asked of the journal, so that one change after the other leaves.
        async with self._approved if approvals.rule(change) else nullcontext():
            permit = await approvals.permit(change)
            if void := self._gate.refusal() or permit.refusal or await approvals.recheck(permit, now):
                return WriteReport(WriteResult.NOT_SENT, void)
            spec, place = change.spec, change.place
            if not spec.idempotency_key:
                spec = self.keyed(spec)
            try:
                target = target_of(spec.path, spec.query)
            except ServiceError as error:
                return WriteReport(WriteResult.NOT_SENT, error=error)
            secrets = self._gateway.secrets
            intent = Intent(
                self._now(),
                spec.method.upper(),
                mask_keys(target),
                place,
                spec.idempotency_key,
                None if before is None else without_secrets(before, secrets),
                None if after is None else mask_fields(after, secrets),
                mask_keys(mask_text(ticket, secrets)),
                body_bytes=len(spec.body) if after is None else None,
                batch=self._batch,
                body_digest=body_digest(spec.body),
                row=self.row,
                approval=permit.approval,
                approved_by=permit.approved_by,
            )
            try:
                number = await self._journal.intend(intent, origin)
            except StoreError as error:
                return WriteReport(WriteResult.NOT_SENT, f"Not sent, because the journal could not be written: {error}")
            # Records come as JSON; what an action answers is not shown.
            json = bool(place) and (makes is not None or spec.method.upper() != "POST")
            report = replace(await self._answered(spec, unchanged_since, restart_of, json=json), entry=number)
            answered_at = asyncio.get_running_loop().time()
            self.unsettled.remember(intent, report)
            new_id = (
                created_id(report.exchange, makes) if makes is not None and report.result is WriteResult.DONE else ""
            )
            answer = report.exchange.answer if report.exchange else None
            outcome = Outcome(
                self._now(),
                report.result.value,
                answer.status if answer else None,
                str(report.error or ""),
                _masked_request_id(report.exchange, secrets),
                new_id,
                Place(makes, new_id).key if makes is not None and new_id else "",
                report.error.code if report.error else "",
            )
            # A look at the record may tell only later that it was carried out.
            if_done = JournalEntry(number, intent, replace(outcome, result=WriteResult.DONE.value))
            report = replace(report, undoable=is_undoable(if_done, self._collections))
            if leaves is None or report.result is not WriteResult.DONE:
                report = await self._concluded(report, outcome)
                await approvals.settle(permit, report.result.value)
                return report
            left = Place(leaves.collection, leaves.record_id or new_id or None)
            # A PUT may take fields away.
            patches = spec.method.upper() == "PATCH"
            stays = unchanged_since.record.fields if unchanged_since is not None and patches else None
            record = whole_record_in(report.exchange, left, after or {}, stays)
            report = await self._concluded(report, outcome, record)
            await approvals.settle(permit, report.result.value)
            if record is None and reads and left.record_id is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_READ_AFTER_SECONDS):
                        record = await self._read_after(left)
                # A reading that was held back may hold what a colleague wrote after this write.
                is_soon = asyncio.get_running_loop().time() - answered_at <= _UNCHANGED_SECONDS
                is_same = record is not None and answer is not None and record.etag == (answer.header("etag") or None)
                if record is not None and (is_soon or is_same):
                    concluded = await self._concluded(report, outcome, record)
                    # The outcome is in the journal where either could be written.
                    report = concluded if report.journal_problem else report
            return replace(report, record=record)

    async def _read_after(self, place: Place) -> Record | None:
        """Return the record as it is after a write; None where it can't be read."""
        try:
            return await self._gateway.record(place.collection, place.id)
        except ServiceError:
            # The write's own fate is what counts; why a look afterwards failed too adds nothing to it.
            return None

    async def _concluded(self, report: WriteReport, outcome: Outcome, record: Record | None = None) -> WriteReport:
        """The report once its outcome is in the journal, or with the reason why it is not.

        The `record` as it is after the write is journalled with it, so that an undo sees what changed since.
        """
        if record is not None:
            record = replace(record, fields=mask_fields(record.fields, self._gateway.secrets))
        try:
            await self._journal.conclude(report.entry, outcome, record)
        except StoreError as error:
            return replace(report, journal_problem=str(error))
        return replace(report, journal_problem="")

    async def _answered(
        self,
        spec: RequestSpec,
        unchanged_since: RecordReading | None,
        restart_of: RecordChanged | None,
        *,
        json: bool,
    ) -> WriteReport:
        try:
            exchange = await self._gateway.send(spec, unchanged_since=unchanged_since, restart_of=restart_of)
        except ServiceError as error:
            return WriteReport(RESULTS[error.sent], error=error, exchange=error.exchange)
        failure = failure_of(exchange, self._gateway.secrets, json=json)
        if failure is None:
            return WriteReport(WriteResult.DONE, exchange=exchange)
        return WriteReport(RESULTS[failure.sent], error=failure, exchange=exchange)

    async def _compared(
        self, report: WriteReport, place: Place, edits: Mapping[str, Json], *, again: bool
    ) -> WriteReport:
        """The report of a change with the record as it is now, from the answer or read again.

        The answer to a key that was used before may be an old one, kept by the service.
        """
        if report.result not in (WriteResult.DONE, WriteResult.UNKNOWN):
            return report
        done = report.result is WriteResult.DONE and not again
        record = report.record if done else await self._read_after(place)
        if record is None:
            return replace(report, reason="Could not reload the record.")
        untaken = tuple(
            name
            for name, value in edits.items()
            if name not in record.fields or not same_json(record.fields[name], value)
        )
        return replace(report, record=record, untaken=untaken, taken=len(edits) - len(untaken))


_HELD_NOW = "The record has the sent values. It is not known whether it had them before."
_CHANGED = "The record has changed. Check it, then try again."
_READ_AFTER_SECONDS = 2.0
"""How long a done write waits for a reading of its record, which a 429 to another request may hold back."""
_UNCHANGED_SECONDS = 1.0
"""Seconds after a write's answer in which its record is taken to be as the write left it."""
_MAX_MISSES = 5
"""How often a record may change between its reading and the PATCH before the change is handed back."""


def _differing(before: Mapping[str, Json], now: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the names of the fields that only one of the two readings has, or that differ."""
    names = dict.fromkeys((*before, *now))
    return tuple(name for name in names if not is_same_field(before, now, name))


def _masked_request_id(exchange: Exchange | None, secrets: Sequence[str]) -> str | None:
    """Return the service's name for the request, without `secrets`; None where no answer carries one."""
    if exchange is None or exchange.answer.request_id is None:
        return None
    return mask_text(exchange.answer.request_id, secrets_in(exchange, secrets))


def _carried_out(report: WriteReport) -> WriteReport:
    """Return the report of a write that a reading shows to be done: its error is about the answer alone."""
    if report.error is not None:
        report.error.sent = SentState.DONE
    return report


def _conflict(moved: Sequence[str], report: WriteReport) -> RecordChanged:
    """Return the error of a typed request that stops: others changed the fields `moved` before it could leave."""
    refused = report.result is WriteResult.REFUSED
    not_sent = "it was not sent again" if refused else "nothing was sent"
    return RecordChanged(
        f"others have changed {', '.join(moved)} since, so {not_sent}; check the record first",
        sent=SentState.REFUSED if refused else SentState.NO,
    )


def _looked_again_words(report: WriteReport, shown: Record, before: Record | None, now: Record) -> str:
    """What a look at the record tells of an action whose outcome is not known.

    `before` is the record as it was read right before the action, None where it was not. One that was `shown` may be
    a row of a list, which holds less.
    """
    moved = _differing(before.fields, now.fields) if before is not None else freshen(Draft(shown), now).moved
    etag = (before or shown).etag
    if moved:
        return f"Checked again: {', '.join(moved)} changed."
    if isinstance(report.error, RecordChanged) or (etag and etag != now.etag):
        return "Checked again: the record changed."
    return "Checked again: the record is unchanged."


def _changed_meanwhile_words(moved: Sequence[str], *, again: bool) -> str:
    """What is said of a write that was not sent because the record is another; `again`: it may have been before."""
    names = ", ".join(moved)
    if again:
        return (
            f"{names} changed. It is not known whether the change was saved. Check the record before you send it again."
        )
    return f"Others have changed {names} since. Check the record, then try again."
