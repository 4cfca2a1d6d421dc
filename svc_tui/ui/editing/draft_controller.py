"""The drafts of one main screen, the typed texts that are not applied yet, and the review that sends a draft.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message
from textual.worker import Worker

from svc_tui.core.draft import Draft, Freshness, json_or_unset
from svc_tui.core.jsontext import dumps
from svc_tui.core.kinds import MASKED, Kind
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.service.redact import holds_secret_text
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import SECRET_TYPED, Report, write_report
from svc_tui.ui.sending.write_controller import ConfirmedWrite, Write, WriteController, WriteRefusal
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import ResolveConflict
from svc_tui.writes.unknown_writes import MAX_LISTED, UnknownWrites
from svc_tui.writes.write_requests import build_update_request

if TYPE_CHECKING:
    from svc_tui.storage.team.kept_asks import KeptAsk
    from svc_tui.ui.sending.request_card import RequestCard


class DraftController:
    """The drafts of one main screen; it posts `DraftChanged` to the screen."""

    @dataclass
    class DraftChanged(Message):
        """The edits of the draft at `place` changed."""

        place: Place

    def __init__(self, context: Context, writes: WriteController) -> None:
        self._context, self.writes = context, writes
        self.drafts = context.drafts
        self._typed_texts = Drafts(context.session.unfinished_store, context.session.now)
        """Typed texts that are not applied, stored as the edits of drafts: the texts by the paths of their values."""
        self._edited_records: dict[Place, Record] = {}
        """The records under edit, as they were loaded last."""

    async def load(self) -> None:
        """Load the drafts of earlier sessions, and show notices about what became of them."""
        journal = self._context.journal
        try:
            await self.drafts.load()
            await self._typed_texts.load()
            sent = await self.drafts.remove_sent(journal)
            unknown = await self.drafts.sent_with_unknown_outcome(journal)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load drafts", "error"))
            return
        places = self.drafts.places
        if count := len([place for place in places if place not in unknown]):
            records = "1 record has a draft" if count == 1 else f"{count} records have drafts"
            self._context.notify(Report(f"{records} not sent yet."))
        for place in places:
            self._context.screen.post_message(self.DraftChanged(place))
            self.notify_of_others(place)
        self._notify_of_unfinished()
        self._notify_of_sent(sent)
        await self._reload(unknown)
        await self._notify_of_unknown_outcomes()

    async def _reload(self, places: Sequence[Place]) -> None:
        """Load the records whose edits may have been saved before the program ended."""
        for place in places:
            await self.writes.pipeline.read_again(place)
        try:
            sent = await self.drafts.remove_sent(self._context.journal)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        for place in sent:
            self._context.screen.post_message(self.DraftChanged(place))
        self._notify_of_sent(sent)

    def _notify_of_unfinished(self) -> None:
        names = [
            f"{place.record_id} {name}"
            for place in self._typed_texts.places
            if (texts := self._typed_texts.draft(place)) is not None
            for name in texts.edits
        ]
        if names:
            more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
            words = f"{', '.join(names[:MAX_LISTED])}{more}: not applied yet. Press e on the field to continue."
            self._context.notify(Report(words, "Unfinished edits"))

    def _notify_of_sent(self, places: Sequence[Place]) -> None:
        if places:
            names = ", ".join(place.record_id or "" for place in places[:MAX_LISTED])
            more = f" and {len(places) - MAX_LISTED} more" if len(places) > MAX_LISTED else ""
            words = "The change was sent before svc-tui was closed."
            self._context.notify(Report(words, f"Saved {names}{more}", "success"))

    async def _notify_of_unknown_outcomes(self) -> None:
        """Show notices about the writes of earlier sessions whose outcome is unknown."""
        unknown_writes = self.writes.pipeline.unknown_writes
        drafted = {place.key: place for place in self.drafts.places}
        try:
            entries = await unknown_writes.load(self._context.journal)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        others = []
        for entry in entries:
            if (place := drafted.get(entry.intent.place)) is not None:
                self._context.notify(_drafted_write_report(place, entry))
            elif entry.under_way is None:
                others.append(entry)
        if others:
            self._context.notify(_unknown_writes_report(unknown_writes, others))

    # The draft of a record

    def begin(self, place: Place, record: Record) -> Draft:
        """Return the draft at `place` to start an edit with, or a new one of `record`."""
        self._edited_records[place] = record
        return self.draft(place)

    def draft(self, place: Place) -> Draft:
        """Return the draft at `place`, where an edit was started, on the record as it was loaded last."""
        draft = self.drafts.draft(place, self._edited_records[place])
        assert draft is not None
        return draft

    def put(self, place: Place, draft: Draft) -> Worker[None] | None:
        """Replace the draft at `place` and store it; return the worker that stores it, None if it holds a secret."""
        self.drafts.put(place, draft)
        self._context.screen.post_message(self.DraftChanged(place))
        if holds_secret_text(dumps(dict(draft.edits)), self._context.gateway.secrets):
            self._context.notify(Report(SECRET_TYPED, "Could not save the draft to disk", "warning"))
            return None
        return self._context.screen.run_worker(self._save(place), group="drafts")

    async def _save(self, place: Place) -> None:
        try:
            await self.drafts.save(place)
        except StoreError as error:
            changed = self.drafts.draft(place) is not None
            title = "Could not save the draft to disk" if changed else "Could not delete the draft from disk"
            self._context.notify(Report(str(error), title, "error"))

    def forget(self, place: Place) -> None:
        """Discard the edits of a record that no longer exists."""
        if (draft := self.drafts.draft(place)) is not None:
            self.put(place, Draft(draft.base))

    def revert_field(self, place: Place, name: str) -> bool:
        """Discard the edit of one field; return False if there is none."""
        draft = self.drafts.draft(place)
        if draft is None or name not in draft.edits:
            return False
        self.put(place, draft.without(name))
        return True

    async def compare_with_disk(self, place: Place) -> None:
        """Remove the edits at `place` that another program sent or discarded, with a notice."""
        try:
            changes = await self.drafts.compare_with_disk(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the draft from disk", "error"))
            return
        if changes.removed:
            names = ", ".join(changes.removed)
            words = f"{names}: changed, sent or discarded in another window. The draft was removed here too."
            self._context.notify(Report(words, f"Draft of {place.record_id} changed in another window", "warning"))
            self._context.screen.post_message(self.DraftChanged(place))

    def notify_of_others(self, place: Place) -> None:
        """Show a notice about other programs' edits of the same fields."""
        if others := self.drafts.others(place):
            names = ", ".join(dict.fromkeys(other.name for other in others))
            words = (
                f"Another window has a different draft of {names}. Both are kept. Press ctrl+s to see the other value."
            )
            self._context.notify(Report(words, f"{place.record_id} has two drafts", "warning"))

    # Texts that are not applied

    async def unfinished_text(self, place: Place, path: str) -> str | None:
        """Return the typed text for the value at `path` that was not applied; None for none."""
        if self._typed_texts.draft(place) is None:
            return None
        try:
            await self._typed_texts.compare_with_disk(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load unfinished edits", "error"))
        texts = self._typed_texts.draft(place)
        text = None if texts is None else texts.edits.get(path)
        return text if isinstance(text, str) else None

    def keep_unfinished(self, place: Place, path: str, text: str | None) -> None:
        """Store the text that is being typed for the value at `path`, apart from the draft; None removes it."""
        texts = self._typed_texts.draft(place)
        if text is None or holds_secret_text(text, self._context.gateway.secrets):
            if texts is None:
                return
            texts = texts.without(path)
        else:
            texts = (texts or Draft(self.draft(place).base)).with_value(path, text)
        self._typed_texts.put(place, texts)
        self._context.screen.run_worker(self._save_unfinished(place), group="drafts")

    async def _save_unfinished(self, place: Place) -> None:
        try:
            await self._typed_texts.save(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not save the unfinished edit to disk", "error"))

    # Sending

    async def review(self, place: Place, *, undoes: bool = False) -> bool:
        """Show the card of the draft, and send it if the user confirms; return True if it is being sent.

        `undoes` is True if the draft undoes a change.
        """
        await self.compare_with_disk(place)
        draft = self.drafts.draft(place)
        if draft is None:
            self._context.notify(Report(availability.NOTHING_TO_SEND))
            return False
        try:
            other_key = await self.drafts.is_of_other_key(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "The draft can't be sent", "error"))
            return False
        if other_key and not await self.writes.confirm_other_key(f"The draft of {place.record_id} was created"):
            return False
        try:
            write = self._write(place, draft, build_update_request(place, draft), undoes)
        except ServiceError as error:
            confirmed: ConfirmedWrite | WriteRefusal | None = WriteRefusal(error=error)
        else:
            confirmed = await self.writes.confirm(write)
        if isinstance(confirmed, WriteRefusal):
            self._context.notify(confirmed.report(f"{place.record_id} can't be sent"))
            return False
        if confirmed is None:
            return False
        self._context.screen.run_worker(self._send(place, confirmed, undoes), group="writes")
        return True

    async def _send(self, place: Place, confirmed: ConfirmedWrite, undoes: bool) -> None:
        """Send a confirmed change, apart from the dialog that confirmed it."""
        outcome = await self.writes.send(confirmed)
        self._context.notify(write_report(outcome, place.record_id or "", drafted=True, undoes=undoes))

    async def send_approved(self, place: Place, kept: "KeptAsk") -> None:
        """Send a change that a colleague approved; edits made since the request stay in the draft."""
        from svc_tui.team.approvals import send_approved_change

        sending = send_approved_change(self.writes.pipeline, kept)
        assert sending is not None
        report = await self.writes.run(sending, place)
        if self.drafts.draft(place) is not None:
            self._settle(place, Draft(Record(kept.shown or {}, kept.etag), kept.edits or {}), report)
        self._context.notify(write_report(report, place.id, drafted=True))

    def _write(self, place: Place, draft: Draft, spec: RequestSpec, undoes: bool) -> Write:
        """Return the write that sends the edits of `draft`."""
        return Write(
            Proposal(ProposedChange(("update",), place.key, spec), place, draft.base, draft.edits),
            lambda spec, ticket: self.writes.pipeline.update(
                place, draft, spec, self._conflict_resolver(place, draft), ticket
            ),
            partial(self._make_card, place, draft, undoes),
            place,
            partial(self._settle, place, draft),
            partial(self._retry, place, draft, undoes),
        )

    def _make_card(
        self,
        place: Place,
        draft: Draft,
        undoes: bool,
        spec: RequestSpec,
        request: SignedRequest,
        unknown: WriteReport | None,
    ) -> "RequestCard":
        from svc_tui.ui.sending.request_card import CardContent, RequestCard, about_record

        mask = self._context.privacy_mask
        masked = mask.draft(draft, place.collection.domain)
        title = f"Undo: change {place.record_id}" if undoes else f"Change {place.record_id}"
        content = CardContent(
            self.writes.heading(title),
            mask.request(request, beside=draft.fields),
            about_record(masked.base.label, place),
            masked.changes,
            self._remarks(place, masked),
            "Cancel" if undoes else "Keep the draft",
            self.writes.send_word,
            self.writes.live,
        )
        if unknown is not None:
            report = write_report(unknown, place.record_id or "", drafted=True)
            again = "Press y to reload the record, then send the same request with the same idempotency key."
            content = replace(
                content,
                title=self.writes.heading(f"Outcome unknown: {place.record_id}"),
                back="Later",
                send="Send again",
                retry_reason=f"{report.body} {again}",
                look=partial(self.writes.look_at, place),
            )
        line = self.writes.tickets.line(place, unknown)
        return RequestCard(content, line, complete=partial(self.writes.refresh, place, spec, draft))

    def _remarks(self, place: Place, masked: Draft) -> dict[str, str]:
        """Return remarks on the changes by field: values that no record has, and other programs' edits of the field."""
        remarks, mask = self._choice_remarks(place, masked), self._context.privacy_mask
        for other in self.drafts.others(place):
            other_draft = mask.draft(Draft(masked.base, {other.name: other.new}), place.collection.domain)
            words = f"Value in another window: {json_or_unset(other_draft.value(other.name))}."
            remarks[other.name] = f"{remarks.get(other.name, '')} {words}".lstrip()
        return remarks

    def _choice_remarks(self, place: Place, masked: Draft) -> dict[str, str]:
        selection = self._context.workspace.selection
        if selection.place is None or selection.place.collection != place.collection:
            return {}
        from svc_tui.core.field_entry import ChoiceEntry

        remarks = {
            change.name: ChoiceEntry(frequent_values=tuple(selection.choices(change.name))).remark(change.new)
            for change in masked.changes
            if isinstance(change.new, str) and change.new != MASKED and selection.kind_of(change.name) is Kind.CHOICE
        }
        return {name: remark for name, remark in remarks.items() if remark}

    async def _retry(
        self, place: Place, draft: Draft, undoes: bool, write: Write, unknown: WriteReport
    ) -> Write | None:
        """Return the same change on the current record; None if the draft was edited meanwhile."""
        if not self.writes.in_front:
            self._context.notify(write_report(unknown, place.record_id or "", drafted=True))
            await self.writes.wait_until_in_front()
        if self.drafts.draft(place) != draft:
            # The new edits are another change, with a card of their own.
            return None
        etag = unknown.record.etag if unknown.record is not None else ""
        draft_on_current = replace(draft, base=replace(draft.base, etag=etag))
        proposal = replace(
            write.proposal, change=replace(write.proposal.change, spec=build_update_request(place, draft_on_current))
        )
        return replace(write, proposal=proposal, make_card=partial(self._make_card, place, draft_on_current, undoes))

    def _conflict_resolver(self, place: Place, draft: Draft) -> ResolveConflict:
        async def resolve(freshness: Freshness) -> Draft | None:
            from svc_tui.ui.editing.conflict import ConflictScreen

            await self.writes.wait_until_in_front()

            def mask(draft: Draft) -> Draft:
                return self._context.privacy_mask.draft(draft, place.collection.domain)

            title = self.writes.heading(f"Conflict in {place.record_id}")
            return await self._context.show(ConflictScreen(title, draft, freshness, mask))

        return resolve

    def _settle(self, place: Place, sent: Draft, report: WriteReport) -> None:
        """Update the draft and the record after the write."""
        if report.record is not None:
            self._edited_records[place] = report.record
        if not report.was_applied:
            return
        draft = self.drafts.draft(place) or Draft(sent.base)
        self.put(place, draft.sent(sent, report.record, report.unapplied))


def _unknown_writes_report(unknown_writes: UnknownWrites, entries: Sequence[JournalEntry]) -> Report:
    intents = [entry.intent for entry in entries[:MAX_LISTED]]
    listed = [
        f"{intent.method} {intent.target}, {unknown_writes.age(intent)} ago"
        + (f", idempotency key {intent.idempotency_key}" if intent.idempotency_key else "")
        for intent in intents
    ]
    more = f"\nand {len(entries) - MAX_LISTED} more" if len(entries) > MAX_LISTED else ""
    one = len(entries) == 1
    title = "1 change" if one else f"{len(entries)} changes"
    again = f"If you send it again unchanged, it has the same idempotency {'key' if one else 'keys'}. "
    keyed = again if all(intent.idempotency_key for intent in intents) else ""
    body = "\n".join(listed) + f"{more}\n{keyed}Press @ to see {'it' if one else 'them'} in the journal."
    return Report(body, f"{title}: outcome unknown", "warning")


def _drafted_write_report(place: Place, entry: JournalEntry) -> Report:
    """Return the notice about a write to a record that still has its draft."""
    if entry.under_way is not None:
        body = "This window shows the same draft. Wait until it is sent."
        return Report(body, f"{place.record_id} is being sent in another window", "warning")
    why = "svc-tui was closed while it was sent." if entry.outcome is None else "There was no clear response."
    body = f"It is not known whether the change was saved. {why} ctrl+s reloads the record before sending."
    return Report(body, f"{place.record_id}: outcome unknown", "warning")
