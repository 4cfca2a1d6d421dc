"""The drafts of one main screen, unfinished edits beside them, and the review that sends a draft.

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
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import SECRET_TYPED, Report, write_report
from svc_tui.ui.sending.unknown_writes_notice import notify_of_unknown_writes
from svc_tui.ui.sending.write_controller import ConfirmedWrite, Write, WriteController, WriteRefusal
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import ResolveConflict
from svc_tui.writes.unknown_writes import MAX_LISTED
from svc_tui.writes.write_requests import build_update_request

if TYPE_CHECKING:
    from svc_tui.storage.team.kept_asks import KeptAsk
    from svc_tui.ui.sending.request_card import RequestCard


class DraftController:
    """Holds the drafts of one main screen, and has them sent; that they changed is told to the screen by a message."""

    @dataclass
    class DraftChanged(Message):
        """The draft at `place` has other edits now, or none."""

        place: Place

    def __init__(self, context: Context, writes: WriteController) -> None:
        self._context, self.writes = context, writes
        self.drafts = context.drafts
        self._typed_texts = Drafts(context.session.unfinished_store, context.session.now)
        """Texts that were typed and not applied, by record: "edits" whose values are the texts, by their paths."""
        self._read_now: dict[Place, Record] = {}

    def forget(self, place: Place) -> None:
        """Let go of the edits of a record that is no more."""
        if (draft := self.drafts.draft(place)) is not None:
            self.put(place, Draft(draft.base))

    async def load(self) -> None:
        """Take up the drafts of earlier sessions."""
        journal = self._context.journal
        try:
            await self.drafts.load()
            await self._typed_texts.load()
            done = await self.drafts.remove_sent(journal)
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
        self._notify_of_sent(done)
        await self._look_up(unknown)
        await notify_of_unknown_writes(self._context, self.writes.pipeline.unknown_writes, self.drafts.places)

    async def _look_up(self, places: Sequence[Place]) -> None:
        """Read the records whose edits may have been written before the program ended."""
        for place in places:
            await self.writes.pipeline.read_again(place)
        try:
            done = await self.drafts.remove_sent(self._context.journal)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        for place in done:
            self._context.screen.post_message(self.DraftChanged(place))
        self._notify_of_sent(done)

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

    async def compare_with_disk(self, place: Place) -> None:
        """Learn what other programs did to the draft at `place`; edits that they sent or dropped are let go of."""
        try:
            look = await self.drafts.compare_with_disk(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the draft from disk", "error"))
            return
        if look.removed:
            names = ", ".join(look.removed)
            words = f"{names}: changed, sent or discarded in another window. The draft was removed here too."
            self._context.notify(Report(words, f"Draft of {place.record_id} changed in another window", "warning"))
            self._context.screen.post_message(self.DraftChanged(place))

    def notify_of_others(self, place: Place) -> None:
        """Tell of other programs' edits of the fields that are edited here."""
        if others := self.drafts.others(place):
            names = ", ".join(dict.fromkeys(other.name for other in others))
            words = (
                f"Another window has a different draft of {names}. Both are kept. Press ctrl+s to see the other value."
            )
            self._context.notify(Report(words, f"{place.record_id} has two drafts", "warning"))

    def begin(self, place: Place, record: Record) -> Draft:
        """The draft at `place` to begin an edit with, made on `record` where there is none."""
        self._read_now[place] = record
        return self.draft(place)

    def draft(self, place: Place) -> Draft:
        """The draft at `place`, where an edit has begun, on the record as it was last read."""
        draft = self.drafts.draft(place, self._read_now[place])
        assert draft is not None
        return draft

    def revert_field(self, place: Place, name: str) -> bool:
        """Take back the edit of one field; gives whether there was one."""
        draft = self.drafts.draft(place)
        if draft is None or name not in draft.edits:
            return False
        self.put(place, draft.without(name))
        return True

    def put(self, place: Place, draft: Draft) -> Worker[None] | None:
        """Keep `draft` for `place`, post that it changed, and store it; gives the worker that hands it to the store."""
        self.drafts.put(place, draft)
        self._context.screen.post_message(self.DraftChanged(place))
        if holds_secret_text(dumps(dict(draft.edits)), self._context.gateway.secrets):
            self._context.notify(Report(SECRET_TYPED, "Could not save the draft to disk", "warning"))
            return None
        return self._context.screen.run_worker(self._saved(place), group="drafts")

    async def unfinished_text(self, place: Place, path: str) -> str | None:
        """Return the text that was typed for the value at `path` and not applied; None where there is none."""
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
        """Keep the text that is being typed for the value at `path`, apart from the draft; None forgets it."""
        texts = self._typed_texts.draft(place)
        if text is None or holds_secret_text(text, self._context.gateway.secrets):
            if texts is None:
                return
            texts = texts.without(path)
        else:
            texts = (texts or Draft(self.draft(place).base)).with_value(path, text)
        self._typed_texts.put(place, texts)
        self._context.screen.run_worker(self._unfinished_saved(place), group="drafts")

    async def _unfinished_saved(self, place: Place) -> None:
        try:
            await self._typed_texts.save(place)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not save the unfinished edit to disk", "error"))

    async def _saved(self, place: Place) -> None:
        try:
            await self.drafts.save(place)
        except StoreError as error:
            changed = self.drafts.draft(place) is not None
            title = "Could not save the draft to disk" if changed else "Could not delete the draft from disk"
            self._context.notify(Report(str(error), title, "error"))

    async def review(self, place: Place, *, undoes: bool = False) -> bool:
        """Show the change card, and send the change if the user wants that; return whether it is being sent.

        `undoes`: it undoes another.
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
        """Send a change that a colleague approved, as it was asked for; edits made since stay."""
        from svc_tui.team.approvals import send_approved_change

        sending = send_approved_change(self.writes.pipeline, kept)
        assert sending is not None
        report = await self.writes.run(sending, place)
        if self.drafts.draft(place) is not None:
            self._settle(place, Draft(Record(kept.shown or {}, kept.etag), kept.edits or {}), report)
        self._context.notify(write_report(report, place.id, drafted=True))

    def _write(self, place: Place, draft: Draft, spec: RequestSpec, undoes: bool) -> Write:
        """The write that makes the edits of `draft`."""
        return Write(
            Proposal(ProposedChange(("update",), place.key, spec), place, draft.base, draft.edits),
            lambda spec, ticket: self.writes.pipeline.update(place, draft, spec, self._asking(place, draft), ticket),
            partial(self._card, place, draft, undoes),
            place,
            partial(self._settle, place, draft),
            partial(self._retry, place, draft, undoes),
        )

    def _card(
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
        seen = mask.draft(draft, place.collection.domain)
        title = f"Undo: change {place.record_id}" if undoes else f"Change {place.record_id}"
        content = CardContent(
            self.writes.heading(title),
            mask.request(request, beside=draft.fields),
            about_record(seen.base.label, place),
            seen.changes,
            self._remarks(place, seen),
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
        return RequestCard(content, line, complete=partial(self.writes.refreshed, place, spec, draft))

    def _remarks(self, place: Place, seen: Draft) -> dict[str, str]:
        """Return remarks on the changes by field: a choice that no record has, and another program's edit."""
        remarks, base, mask = self._choice_remarks(place, seen), seen.base, self._context.privacy_mask
        for other in self.drafts.others(place):
            masked = mask.draft(Draft(base, {other.name: other.new}), place.collection.domain)
            also = f"Value in another window: {json_or_unset(masked.value(other.name))}."
            remarks[other.name] = f"{remarks.get(other.name, '')} {also}".lstrip()
        return remarks

    def _choice_remarks(self, place: Place, seen: Draft) -> dict[str, str]:
        selection = self._context.workspace.selection
        if selection.place is None or selection.place.collection != place.collection:
            return {}
        from svc_tui.core.field_entry import ChoiceEntry

        remarks = {
            change.name: ChoiceEntry(frequent_values=tuple(selection.choices(change.name))).remark(change.new)
            for change in seen.changes
            if isinstance(change.new, str) and change.new != MASKED and selection.kind_of(change.name) is Kind.CHOICE
        }
        return {name: remark for name, remark in remarks.items() if remark}

    async def _retry(
        self, place: Place, draft: Draft, undoes: bool, write: Write, unknown: WriteReport
    ) -> Write | None:
        """The same change on the record as it is now; None where other edits were made meanwhile."""
        if not self.writes.in_front:
            self._context.notify(write_report(unknown, place.record_id or "", drafted=True))
            await self.writes.wait_until_in_front()
        if self.drafts.draft(place) != draft:
            # What was typed meanwhile is another change, with a card of its own.
            return None
        etag = unknown.record.etag if unknown.record is not None else ""
        confirmed_draft = replace(draft, base=replace(draft.base, etag=etag))
        proposal = replace(
            write.proposal, change=replace(write.proposal.change, spec=build_update_request(place, confirmed_draft))
        )
        return replace(write, proposal=proposal, make_card=partial(self._card, place, confirmed_draft, undoes))

    def _asking(self, place: Place, draft: Draft) -> ResolveConflict:
        async def ask(freshness: Freshness) -> Draft | None:
            from svc_tui.ui.editing.conflict import ConflictScreen

            await self.writes.wait_until_in_front()

            def mask(draft: Draft) -> Draft:
                return self._context.privacy_mask.draft(draft, place.collection.domain)

            title = self.writes.heading(f"Conflict in {place.record_id}")
            return await self._context.show(ConflictScreen(title, draft, freshness, mask))

        return ask

    def _settle(self, place: Place, sent: Draft, report: WriteReport) -> None:
        """Bring draft and record up to date with what became of the write."""
        if report.record is not None:
            self._read_now[place] = report.record
        if not report.was_applied:
            return
        wanted = self.drafts.draft(place) or Draft(sent.base)
        self.put(place, wanted.sent(sent, report.record, report.unapplied))
