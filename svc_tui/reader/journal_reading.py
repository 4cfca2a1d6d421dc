"""The journal of writes: listed, one read out whole, one taken back."""

from datetime import tzinfo

from svc_tui.core.draft import Draft, json_or_unset
from svc_tui.core.field_forms import fill_from_record, form_for
from svc_tui.core.records import Place, Record
from svc_tui.core.times import local_time
from svc_tui.core.visible_text import field_label, visible
from svc_tui.history.journal_rows import field_changes, place_of_entry
from svc_tui.reader.browsing import Browsing
from svc_tui.reader.editing import Editing
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import ReviewedWrite, Writes
from svc_tui.reader.reviewing import Reviewing
from svc_tui.reader.spoken_words import change_words, label_words, typed_number
from svc_tui.reader.talk import Talk
from svc_tui.service.errors import NotFound
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.session.write_words import action_report
from svc_tui.storage.journal_entries import Intent, JournalEntry, WrittenRecord, entry_result
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.record_lookup import refresh_request
from svc_tui.writes.undo import (
    SENT_ONLY,
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    later_changes,
)
from svc_tui.writes.write_requests import build_create_request, build_delete_request, with_if_match

_TEAM = "team"
"""Stands before the numbers of colleagues' writes, which count by themselves."""

_LISTED = 200
"""Writes that are listed at most, the newest."""


class JournalReading:
    """Tells of the journal's writes."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    async def journal(self, text: str) -> None:
        """List the writes, the newest first, or read the one of a number whole."""
        session = self._talk.session
        if text:
            entry = await self.entry(text, "journal 5.")
            await self._talk.say_part(_details(self._talk.mask.entry(entry), session.tz))
            return
        entries = await session.writes.entries(_LISTED)
        if not entries:
            self._talk.say("No changes yet.")
            return
        await self._talk.say_part([_line(self._talk.mask.entry(entry), session.tz) for entry in entries])

    async def entry(self, text: str, example: str) -> JournalEntry:
        """The write of the number that was typed; raises Mistake."""
        digits = text.casefold().removeprefix(_TEAM).strip()
        count = typed_number(digits)
        if count is None:
            raise Mistake(f"Type a number from the journal: {example}")
        number = count if digits == text else -count
        if number < 0 and self._talk.session.team is None:
            raise Mistake("This profile has no team.")
        entry = await self._talk.session.writes.find(number)
        if entry is None:
            raise Mistake(f"The journal has no number {visible(text)}. For the list, type journal.")
        return entry


class Undoing:
    """Takes writes back, each by a write of its own that is read out first."""

    def __init__(
        self, talk: Talk, journal: JournalReading, browsing: Browsing, reviewing: Reviewing, removals: "Removals"
    ) -> None:
        self._talk, self._journal, self._browsing = talk, journal, browsing
        self._reviewing, self._removals = reviewing, removals

    async def undo(self, text: str) -> None:
        """Read out what takes the write of a number back; `send` sends it."""
        entry = await self._journal.entry(text, "undo 5. For the list, type journal.")
        inverse = inverse_of(entry, self._talk.session.collections)
        ask = entry.other_key and not isinstance(inverse, NotUndoable)
        if ask and not await self._talk.agrees_to_other_key(f"Change {entry.number} was sent"):
            return
        match inverse:
            case RestoreValues() as restore:
                await self._restore(entry, restore)
            case RecreateRecord() as recreate:
                await self._removals.recreate(recreate)
            case RemoveRecord(place):
                await self._remove(entry, place)
            case NotUndoable(why):
                raise Mistake(f"This change can't be undone. {visible(why)}")

    async def _remove(self, entry: JournalEntry, place: Place) -> None:
        await self._removals.check_unedited(place)
        record = await self._talk.session.gateway.record(place.collection, place.id)
        written = await self._talk.session.writes.record_after(entry.number)
        changes = later_changes(entry, written, record, self._talk.session.gateway.secrets)
        await self._check_changes(place, changes, written, "deletes the record with these changes")
        await self._removals.remove(place, record)

    async def _restore(self, entry: JournalEntry, restore: RestoreValues) -> None:
        place = restore.place
        await self._removals.check_unedited(place)
        fresh = await self._talk.session.gateway.record(place.collection, place.id)
        written = await self._talk.session.writes.record_after(entry.number)
        draft = restore.draft(fresh, written).rebased(fresh)
        if not draft.edits:
            self._talk.say(f"Nothing to undo: {visible(place.id)} already has the old values.")
            return
        changes = later_changes(entry, written, fresh, self._talk.session.gateway.secrets)
        replaced = ", ".join(field_label(name) for name in changes.names if name in draft.edits)
        effect = f"overwrites {replaced}" if replaced else "keeps these changes"
        await self._check_changes(place, changes, written, effect)
        self._browsing.hold(place, fresh)
        await self._removals.editing.put(place, draft)
        self._talk.say("Created a draft with the old values. Nothing is sent yet.")
        await self._reviewing.review("", undoes=True)

    async def _check_changes(
        self, place: Place, changes: LaterChanges, written: WrittenRecord | None, effect: str
    ) -> None:
        """Say what changed since the write and ask whether to go on; raises Mistake where the answer is not yes."""
        if written is None:
            self._talk.say(SENT_ONLY)
        if not changes.names:
            return
        self._talk.say(f"{visible(place.id)} was changed later.")
        for change in self._talk.mask.draft(changes.draft, place.collection.domain).changes:
            self._talk.say(f"{change_words(change)}.")
        if changes.removed:
            self._talk.say(f"Removed: {', '.join(map(field_label, changes.removed))}.")
        if changes.unknown:
            self._talk.say(
                f"May have changed too (values not available): {', '.join(map(field_label, changes.unknown))}."
            )
        if (await self._talk.ask(f"Undo {effect}. Undo anyway? yes or no")).casefold() != "yes":
            raise Mistake("Nothing was undone.")


class Removals:
    """Records that are deleted, or made again, to take a write back."""

    def __init__(self, talk: Talk, editing: Editing, drafts: Drafts, writes: Writes) -> None:
        self._talk, self.editing, self._drafts, self._writes = talk, editing, drafts, writes

    async def check_unedited(self, place: Place) -> None:
        """Refuse to touch a record that has edits, or while nothing may be written; raises Mistake."""
        if self._talk.session.profile.read_only:
            raise Mistake("This session is read-only. Start another session to make changes.")
        if self._drafts.draft(place) is not None:
            raise Mistake(f"{visible(place.id)} has a draft. Send or discard it, then undo.")

    async def remove(self, place: Place, record: Record) -> None:
        """Read out the deletion of a record that was made."""
        gateway = self._talk.session.gateway

        async def settle(report: WriteReport) -> None:
            at = self._talk.at
            if report.is_gone and at.place == place:
                at.place, at.record = None, None

        spec = with_if_match(build_delete_request(place), record.etag)
        label = label_words(self._talk.mask.record(record, place.collection.domain))
        await self._writes.read_out(
            ReviewedWrite(
                f"Undo: delete {visible(place.id)}{label}",
                (),
                Proposal(ProposedChange(("delete",), place.key, spec), place, record),
                lambda spec, ticket: self._writes.pipeline.delete(place, record, spec, ticket),
                lambda report, steps: action_report(report, place.id, "deleted", steps, undoes=True),
                settle=settle,
                complete=lambda spec: refresh_request(gateway, place, spec, Draft(record)),
                beside=tuple(record.fields),
            )
        )

    async def recreate(self, inverse: RecreateRecord) -> None:
        """Read out the request that makes a deleted record again."""
        collection, record = inverse.collection, inverse.record
        if not inverse.certain and record.id is not None:
            try:
                await self._talk.session.gateway.record(collection, record.id)
            except NotFound:
                pass
            else:
                raise Mistake(f"{visible(record.id)} still exists: it was not deleted.")
        place = Place(collection)
        values = fill_from_record(form_for([record]), record, times=True).values
        heard = self._talk.mask.record(Record(values), collection.domain).fields
        await self._writes.read_out(
            ReviewedWrite(
                f"Undo: create {visible(record.id or 'the record')} again in {collection.key} (new id possible)",
                [f"{field_label(name)}: {visible(json_or_unset(value))}" for name, value in heard.items()],
                Proposal(ProposedChange(("create",), place.key, build_create_request(collection, values)), place),
                lambda spec, ticket: self._writes.pipeline.create(collection, spec, ticket),
                lambda report, steps: action_report(report, "The record", "created", steps, undoes=True),
            )
        )


def _line(entry: JournalEntry, tz: tzinfo, *, seconds: bool = False) -> str:
    """A write in the list: number, when, what to, what it did, how it ended."""
    intent = entry.intent
    at = intent.at.isoformat()
    parts = [
        local_time(at, tz, seconds=seconds) or at,
        f"{visible(intent.method)} {visible(place_of_entry(entry) or intent.target)}",
        _changes(intent),
        _result(entry),
        f"ticket {visible(intent.ticket)}" if intent.ticket else "",
        f"by {visible(str(entry.author))}" if entry.author is not None else "",
        "with another key of this profile" if entry.other_key else "",
    ]
    number = str(entry.number) if entry.number > 0 else f"{_TEAM} {-entry.number}"
    return f"{number}. {', '.join(filter(None, parts))}"


def _changes(intent: Intent) -> str:
    if changes := field_changes(intent):
        return "; ".join(map(change_words, changes))
    if intent.after:
        return "; ".join(f"{field_label(name)}: {visible(json_or_unset(v))}" for name, v in intent.after.items())
    return "deletes the record" if intent.method == "DELETE" else ""


def _result(entry: JournalEntry) -> str:
    outcome = entry.outcome
    status = f" {outcome.status}" if outcome is not None and outcome.status is not None else ""
    return f"{visible(entry_result(entry))}{status}"


def _details(entry: JournalEntry, tz: tzinfo) -> list[str]:
    """Everything the journal knows of a write."""
    intent, outcome = entry.intent, entry.outcome
    lines = [
        _line(entry, tz, seconds=True),
        f"Request: {visible(intent.method)} {visible(intent.target)}",
        f"Idempotency key: {visible(intent.idempotency_key or 'none')}",
    ]
    if outcome is not None:
        at = outcome.at.isoformat()
        lines.append(f"Ended: {local_time(at, tz, seconds=True) or at}")
        lines += [f"Request id: {visible(outcome.request_id)}"] if outcome.request_id else []
        lines += [visible(line) for line in outcome.message.split("\n") if line]
    return lines
