"""A second person's approval: what colleagues ask for, what is said to it, and the sending of what was approved."""

from collections.abc import Sequence

from svc_tui.core.draft import Draft
from svc_tui.core.phrases import counted
from svc_tui.core.records import Record
from svc_tui.core.visible_text import visible
from svc_tui.reader.console.unsent_requests import UnsentRequests
from svc_tui.reader.editing import Editing
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import Writes, confirming_word
from svc_tui.reader.spoken_words import listed_number
from svc_tui.reader.talk import Talk
from svc_tui.reader.team.ask_lines import ask_details, ask_line, now_lines
from svc_tui.service.errors import NotFound, SendResult, ServiceError
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.session.write_words import action_report, error_sentences, write_report
from svc_tui.storage.team.kept_asks import KeptAsk
from svc_tui.team.approvals import DONE_WORDS, AskOverview, find_forms, send_approved_change
from svc_tui.team.asks import Ask, AskState, VerdictKind
from svc_tui.team.team import Team
from svc_tui.writes.lock import UNLOCK_WORD
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import proposal_from_request

_AGREED = "approve"
"""What is typed once all of an ask was read out."""


class AskReading:
    """Lists the asks of one conversation's team and reads them out; numbers are those of the list said last."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._listed: Sequence[str] = ()
        self._news = -1
        self._told: set[str] = set()

    @property
    def team(self) -> Team:
        """The team; raises Mistake where there is none."""
        team = self._talk.session.team
        if team is None:
            raise Mistake("This profile has no team.")
        return team

    async def approvals(self, text: str) -> None:
        """List what colleagues want approved and what became of one's own asks, or read one of them whole."""
        overview = await self.team.approvals.overview()
        if text:
            await self.read_out(self.numbered(text, overview), overview)
            return
        asks = overview.listed
        self._listed = [ask.digest for ask in asks]
        if not asks:
            self._talk.say("No approval requests.")
            return
        waiting, approved = len(overview.waiting), len(overview.approved)
        self._talk.say(f"{counted(waiting, 'approval request')} to approve; {approved:,} of your requests approved.")
        tz = self._talk.session.tz
        mine = {ask.digest for ask in overview.mine}
        await self._talk.say_part([
            f"{number}. {'yours, ' if ask.digest in mine else ''}{ask_line(ask, tz)}"
            for number, ask in enumerate(asks, 1)
        ])  # fmt: skip

    def numbered(self, text: str, overview: AskOverview) -> Ask:
        """The ask of a number in the list that was said last, as it stands now; raises Mistake."""
        number = listed_number(text, len(self._listed))
        if number is None:
            raise Mistake("Type a number from the list: approve 1. For the list, type approvals.")
        digest = self._listed[number - 1]
        ask = next((ask for ask in (*overview.others, *overview.mine) if ask.digest == digest), None)
        if ask is None:
            raise Mistake("This approval request no longer exists. For the list, type approvals.")
        return ask

    async def read_out(self, ask: Ask, overview: AskOverview) -> None:
        """Read an ask whole, and the record as it is now first: what has moved is what a second look is for."""
        session, mask = self._talk.session, self._talk.mask
        self._talk.say(f"{self._talk.label}. Profile {visible(session.profile.name)} at {session.gateway.host}.")
        for line in await self._record_now(ask):
            self._talk.say(line)
        for line in ask_details(ask, mask, session.tz, session.gateway.base_url):
            self._talk.say(line)
        if ask in overview.mine and (why := overview.own_choices(ask).why):
            self._talk.say(visible(why))

    async def _record_now(self, ask: Ask) -> Sequence[str]:
        try:
            place = parse_place(ask.change.path, self._talk.session.collections)
        except PlaceError:
            return ()
        if place.record_id is None:
            return ()
        try:
            record = await self._talk.session.gateway.record(place.collection, place.id)
        except NotFound:
            return ("The record no longer exists.",)
        except ServiceError as error:
            return (f"Could not load the record: {visible(error_sentences(error, self._talk.steps))}",)
        return tuple(now_lines(ask.change, record.fields, self._talk.mask))

    async def tell(self) -> None:
        """Tell, once, what came from the team since the last time: asks that wait, and what was said to one's own."""
        team = self._talk.session.team
        if team is None or team.state.news == self._news:
            return
        first, self._news = self._news == -1, team.state.news
        overview = await team.approvals.overview()
        for ask in overview.mine:
            if ask.id in overview.sendable and ask.deciding and await team.approvals.note_told(ask):
                self._talk.say(_told_words(ask))
        if first and overview.approved:
            self._talk.say(f"Approved, not sent yet: {len(overview.approved):,}. For the list, type approvals.")
        waiting = {ask.digest for ask in overview.waiting}
        if waiting - self._told:
            self._talk.say(
                f"{counted(len(overview.waiting), 'approval request')} to approve. For the list, type approvals."
            )
        self._told |= waiting


class ApprovalCommands:
    """What is said to asks, and the sending of one's own once they are approved."""

    def __init__(
        self,
        talk: Talk,
        reading: AskReading,
        editing: Editing,
        drafts: Drafts,
        writes: Writes,
        unsent: UnsentRequests,
    ) -> None:
        self._talk, self._reading, self._editing = talk, reading, editing
        self._drafts, self._writes, self._unsent = drafts, writes, unsent

    async def approve(self, text: str) -> None:
        """Approve a colleague's ask: it is read out whole, then a word is asked for."""
        overview = await self._reading.team.approvals.overview()
        ask = self._reading.numbered(text, overview)
        if ask in overview.mine:
            raise Mistake(visible(overview.own_choices(ask).why or f"State: {ask.state.value}."))
        await self._reading.read_out(ask, overview)
        if (await self._talk.ask(f"Type {_AGREED} to approve this change")).casefold() != _AGREED:
            self._talk.say("Not approved. Nothing was sent to your colleague.")
            return
        await self._say(ask, VerdictKind.APPROVED, "")

    async def refuse(self, text: str) -> None:
        """Refuse a colleague's ask, with a word; one's own is taken back."""
        number, _, word = text.partition(" ")
        approvals = self._reading.team.approvals
        overview = await approvals.overview()
        ask = self._reading.numbered(number, overview)
        if ask not in overview.mine:
            await self._say(ask, VerdictKind.REFUSED, word.strip())
        elif overview.own_choices(ask).take_back:
            await approvals.withdraw(ask.id)
            self._talk.say(f"Withdrew {visible(ask.change.title)}.")
        else:
            raise Mistake(f"This request can't be withdrawn. State: {ask.state.value}.")

    async def answer(self, text: str) -> None:
        """Answer a colleague's ask with a word, and decide nothing."""
        number, _, word = text.partition(" ")
        overview = await self._reading.team.approvals.overview()
        ask = self._reading.numbered(number, overview)
        if not word.strip():
            raise Mistake("Type a number and a reply: answer 1 which lot?")
        await self._say(ask, VerdictKind.ANSWER, word.strip())

    async def _say(self, ask: Ask, kind: VerdictKind, word: str) -> None:
        secrets = self._talk.session.gateway.secrets
        problem = await self._reading.team.approvals.verdict(ask, kind, word, secrets)
        told = f"Your answer goes to {visible(ask.author.name)}."
        self._talk.say(visible(problem) or f"{visible(ask.change.title)}: {kind.value}. {told}")

    async def send(self, text: str) -> None:
        """Send what was read out last; with a number, one's own ask of that number in the list, once it is approved."""
        if not text:
            await self._writes.send("")
            return
        approvals = self._reading.team.approvals
        overview = await approvals.overview()
        ask = self._reading.numbered(text, overview)
        kept = await approvals.kept(ask.id)
        if ask not in overview.mine or kept is None or not overview.own_choices(ask).send:
            raise Mistake("You can send only your own approved requests that were created on this computer.")
        if kept.kind == "plan":
            raise Mistake("This is a plan for many records. Send it in full-screen mode: type screen.")
        if refusal := self._writes.refusal():
            raise Mistake(f"Not sent. {refusal}")
        await self._writes.require_earlier()
        await self._reading.read_out(ask, overview)
        collections = self._talk.session.collections
        word = UNLOCK_WORD if kept.spec is None else confirming_word(proposal_from_request(kept.spec, collections))
        if not await self._writes.word_typed(word):
            self._talk.say(f"Not sent: you did not type {visible(word)}.")
            return
        await self._send(kept)

    async def _send(self, kept: KeptAsk) -> None:
        session, place = self._talk.session, kept.place
        # Filled in in the browser, where it would be offered again.
        forms = find_forms(kept, await session.form_store.all(), session.collections)
        sending = send_approved_change(self._writes.pipeline, kept, next(iter(forms), None))
        assert sending is not None
        report = await self._writes.sent(sending)
        if report.result is SendResult.DONE:
            for purpose in forms:
                await session.form_store.drop(purpose)
        if kept.spec is not None and report.result is not SendResult.NOT_SENT:
            self._unsent.left_as(kept.spec)
        if kept.kind == "update" and place is not None:
            await self._settle(kept, report)
            self._writes.say_end(report, lambda steps: write_report(report, place.id, steps, drafted=True))
            return
        record = place.record_id if place is not None else None
        what = record or (kept.spec.path if kept.spec is not None else "The request")
        done = DONE_WORDS.get(kept.kind, "carried out")
        if report.is_gone and place is not None:
            self._forget(kept)
            if (draft := self._drafts.draft(place)) is not None:
                await self._editing.put(place, Draft(draft.base))
        self._writes.say_end(report, lambda steps: action_report(report, what, done, steps))

    def _forget(self, kept: KeptAsk) -> None:
        at = self._talk.at
        if at.place == kept.place:
            at.place, at.record = None, None

    async def _settle(self, kept: KeptAsk, report: WriteReport) -> None:
        """Bring the record's draft up to date; edits made since it was asked for stay."""
        place = kept.place
        assert place is not None
        if report.was_applied and (draft := self._drafts.draft(place)) is not None:
            sent = Draft(Record(kept.shown or {}, kept.etag), kept.edits or {})
            await self._editing.put(place, draft.sent(sent, report.record, report.unapplied))
        if report.record is not None and self._talk.at.place == place:
            self._talk.at.record = report.record


def _told_words(ask: Ask) -> str:
    who = ", ".join(visible(verdict.author.name) for verdict in ask.deciding)
    said = "".join(f" {visible(verdict.word)}." for verdict in ask.deciding if verdict.word)
    next_step = " To send it, type approvals, then send NUMBER." if ask.state is AskState.APPROVED else ""
    return f"{visible(ask.change.title)}: {ask.state.value} by {who}.{said}{next_step}"
