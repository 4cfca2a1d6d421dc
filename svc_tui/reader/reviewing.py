"""The change of the open record: read out, and sent through the pipeline with a choice where a field moved."""

from functools import partial

from svc_tui.core.draft import Draft, Freshness, json_or_unset
from svc_tui.core.field_entry import entry_among
from svc_tui.core.jsontext import ABSENT
from svc_tui.core.kinds import MASKED, Kind, kind_of
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.browsing import Browsing
from svc_tui.reader.editing import Editing
from svc_tui.reader.line_reader import Dropped
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import SEND_IT, ReviewedWrite, Writes
from svc_tui.reader.spoken_words import change_words, label_words
from svc_tui.reader.talk import Talk
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.session.write_words import NextSteps, Report, write_report
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.record_lookup import refresh_request
from svc_tui.writes.write_requests import build_update_request

_OWN, _OTHERS, _FULL = "mine", "theirs", "full"
_SEND_OR_DROP = "To send the draft, type send; to discard it, type drop."


def _report(place: Place, undoes: bool, report: WriteReport, steps: NextSteps) -> Report:
    return write_report(report, place.id, steps, drafted=True, undoes=undoes)


class Reviewing:
    """Reads changes out; `drafts` are the edits that are not sent."""

    def __init__(self, talk: Talk, browsing: Browsing, editing: Editing, drafts: Drafts, writes: Writes) -> None:
        self._talk, self._browsing, self._editing, self._drafts, self._writes = talk, browsing, editing, drafts, writes

    async def review(self, text: str, *, undoes: bool = False) -> None:
        """Read out the change of the open record, `full`: with the request; `undoes`: it undoes another change.

        What was read out before, such as a request of the console, is read out in full.
        """
        full = text.casefold() == _FULL
        if text and not full:
            raise Mistake("Type review, or review full for the full request.")
        place = self._talk.at.place
        if (full or place is None) and await self._writes.review_again(full=full):
            return
        self._writes.forget_review()
        if place is not None and self._drafts.draft(place) is not None:
            await self._editing.compare_with_disk(place)
        draft = self._browsing.draft()
        assert place is not None
        seen = self._talk.mask.draft(draft, place.collection.domain)
        if not draft.edits:
            raise Mistake(f"{visible(place.id)} has no draft. To edit the grade: edit grade.")
        if await self._drafts.is_of_other_key(place) and not await self._talk.agrees_to_other_key(
            f"The draft of {visible(place.id)} was created"
        ):
            return
        change = ProposedChange(("update",), place.key, build_update_request(place, draft))
        await self._writes.read_out(
            ReviewedWrite(
                f"{'Undo: change' if undoes else 'Change'} {visible(place.id)}{label_words(seen.base)}",
                [self._change_line(seen, number) for number in range(len(seen.changes))],
                Proposal(change, place, draft.base, draft.edits),
                partial(self._run, place, draft),
                partial(_report, place, undoes),
                settle=partial(self._settle, place, draft),
                complete=lambda spec: refresh_request(self._talk.session.gateway, place, spec, draft),
                stands=lambda: self._drafts.draft(place) == draft,
                beside=tuple(draft.fields),
                next_step=_SEND_OR_DROP if undoes else SEND_IT,
            ),
            full=full,
        )

    def _change_line(self, draft: Draft, number: int) -> str:
        """A change, with what is remarkable about the new value: a word that no record has may be a slip."""
        change, listing = draft.changes[number], self._talk.at.listing
        held = [] if listing is None else [record.fields.get(change.name) for record in listing.read]
        seen = [value for value in held if value is not None]
        remark = ""
        if isinstance(change.new, str) and change.new != MASKED and kind_of(change.name, seen) is Kind.CHOICE:
            remark = entry_among(change.name, change.old, seen, None).remark(change.new)
        return " ".join(filter(None, (f"{change_words(change)}.", visible(remark))))

    async def _run(self, place: Place, draft: Draft, spec: RequestSpec, ticket: str) -> WriteReport:
        return await self._writes.pipeline.update(place, draft, spec, partial(self._chosen, place), ticket)

    async def _chosen(self, place: Place, freshness: Freshness) -> Draft | None:
        """The draft once the user has chosen for every field that changed at the service too; None: send nothing."""
        chosen = freshness.draft
        seen = self._talk.mask.draft(freshness.draft, place.collection.domain)
        for name in freshness.conflicts:
            theirs = visible(json_or_unset(seen.base.fields.get(name, ABSENT)))
            mine = visible(json_or_unset(seen.value(name)))
            self._talk.say(
                f"{field_label(name)} was also changed by others: their value is {theirs}, your value is {mine}."
            )
            try:
                answer = (await self._talk.ask(f"{_OWN}, {_OTHERS}, or an empty line to cancel")).casefold()
            except Dropped:
                return None
            if answer not in (_OWN, _OTHERS):
                return None
            if answer == _OTHERS:
                chosen = chosen.without(name)
        return chosen

    async def _settle(self, place: Place, sent: Draft, report: WriteReport) -> None:
        """Bring draft and record up to date with what became of the write."""
        if report.record is not None:
            self._browsing.hold(place, report.record)
        if report.was_applied:
            draft = self._drafts.draft(place) or Draft(sent.base)
            await self._editing.put(place, draft.sent(sent, report.record, report.unapplied))
