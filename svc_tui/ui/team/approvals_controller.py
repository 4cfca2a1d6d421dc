"""A second person's approval on the main screen: the list, the card, what is told of it, and the sending.

Dialogs are imported where they open.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from svc_tui.core.records import Place
from svc_tui.service.errors import NotFound, SendResult, ServiceError
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan
from svc_tui.storage.team.kept_asks import KeptAsk
from svc_tui.team.approvals import DONE_WORDS, AskOverview, find_forms, send_approved_change
from svc_tui.team.asks import Ask, AskState, VerdictKind
from svc_tui.team.sync import TeamState
from svc_tui.team.team import Team
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report, action_report, error_report
from svc_tui.ui.text import styled
from svc_tui.ui.writes.unsent_forms import UnsentForms
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.unknown_writes import JOURNAL_NOT_LOADED

if TYPE_CHECKING:
    from svc_tui.core.field_forms import FormTarget
    from svc_tui.ui.team.approval_card import AskCardContent, Decided
    from svc_tui.ui.team.approvals_screen import ApprovalsScreen


class ApprovalsController:
    """The asks of one main screen's team; its methods run in workers of the screen."""

    @dataclass
    class Counted(Message):
        """So many asks of colleagues wait for this person, and so many of their own are approved."""

        waiting: int
        approved: int

    def __init__(
        self,
        context: Context,
        team: Team,
        drafting: DraftController,
        forms: UnsentForms,
        send_plan: Callable[[Plan], Awaitable[None]],
    ) -> None:
        """Make it; `send_plan` shows a plan that was approved once more, and sends it."""
        self._context, self._team, self._drafting, self._forms, self._send_plan = (
            context,
            team,
            drafting,
            forms,
            send_plan,
        )
        self._approvals = team.approvals
        self._telling = asyncio.Lock()
        self._news = -1
        self._list: ApprovalsScreen | None = None
        """The list that is open, which follows what comes."""

    def start(self) -> None:
        """Tell what is approved already, and listen to what comes."""
        self._team.sync.listen(self._heard)
        self._context.screen.run_worker(self._take_up(), group="approvals")

    def commands(self) -> Iterator[Command]:
        """What the palette offers of it."""
        yield Command(
            "Approvals…",
            "Show approval requests of colleagues and your own",
            lambda: self._context.ask(self.show()),
        )

    def _heard(self, state: TeamState) -> None:
        if state.news != self._news and self._context.screen.is_attached:
            self._news = state.news
            self._context.screen.run_worker(self._tell(), group="approvals")

    # The list, and what is done from it

    async def show(self) -> None:
        """Show the list until the user leaves it."""
        from svc_tui.ui.team.approvals_screen import ApprovalsScreen

        try:
            while True:
                overview = await self._approvals.overview()
                self._count(overview)
                self._list = screen = ApprovalsScreen(overview, self._context.local_now().tzinfo)
                ask = await self._context.show(screen)
                self._list = None
                if ask is None:
                    return
                if await self._opened(ask, screen.overview):
                    return
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the approval requests", "error"))
        finally:
            self._list = None

    async def _opened(self, ask: Ask, overview: AskOverview) -> bool:
        """Show one ask, and do what was decided; gives whether it is being sent, and the list at its end."""
        from svc_tui.ui.team.approval_card import ApprovalCard, AskDecision

        mine = ask in overview.mine
        card = ApprovalCard(self._card_content(ask, overview), self._reading(ask))
        decided = await self._context.show(card)
        if decided is None:
            return False
        if not mine:
            await self._say(ask, decided)
            return False
        if decided.decision is AskDecision.REFUSE:
            await self._approvals.withdraw(ask.id)
            return False
        return await self._sent_by_hand(ask)

    def _card_content(self, ask: Ask, overview: AskOverview) -> "AskCardContent":
        from svc_tui.ui.team.approval_card import AskCardContent
        from svc_tui.ui.team.ask_content import ask_details

        context = self._context
        details = ask_details(
            ask,
            context.privacy_mask,
            context.local_now().tzinfo,
            context.gateway.base_url,
        )
        title = self._drafting.writes.heading(ask.change.title)
        if ask not in overview.mine:
            return AskCardContent(title, details, "Approve", "Decline", answers=True)
        choices = overview.own_choices(ask)
        agree, refuse = "Send" if choices.send else "", "Withdraw" if choices.take_back else ""
        return AskCardContent(title, details, agree, refuse, choices.why)

    def _reading(self, ask: Ask) -> Awaitable[Content] | None:
        """What reads the record anew; None where it is about none."""
        try:
            place = parse_place(ask.change.path, self._context.session.collections)
        except PlaceError:
            return None
        return self._record_now(ask, place) if place.record_id is not None and ask.change.path else None

    async def _record_now(self, ask: Ask, place: Place) -> Content:
        from svc_tui.ui.team.ask_content import record_now

        try:
            record = await self._context.gateway.record(place.collection, place.id)
        except NotFound:
            return styled("! The record no longer exists.", "bold $role-warning")
        except ServiceError as error:
            return styled(f"! Could not load the record: {error_report(error).line}", "$role-warning", lines=True)
        return record_now(ask.change, record.fields, self._context.privacy_mask)

    async def _say(self, ask: Ask, decided: "Decided") -> None:
        from svc_tui.ui.team.approval_card import AskDecision

        kind = {
            AskDecision.AGREE: VerdictKind.APPROVED,
            AskDecision.REFUSE: VerdictKind.REFUSED,
            AskDecision.ANSWER: VerdictKind.ANSWER,
        }[decided.decision]
        problem = await self._approvals.verdict(ask, kind, decided.word, self._context.gateway.secrets)
        if problem:
            self._context.notify(Report(problem, ask.change.title, "warning"))
        else:
            self._context.notify(Report(f"Your answer goes to {ask.author.name}.", f"{ask.change.title}: {kind.label}"))

    async def _sent_by_hand(self, ask: Ask) -> bool:
        """Send an approved one, LIVE unlocked first; gives whether it is on its way."""
        writes = self._drafting.writes
        kept = await self._approvals.kept(ask.id)
        if kept is None:
            return False
        if kept.kind != "plan" and writes.lock.refusal() is not None:
            await writes.lock.toggle()
            if writes.lock.refusal() is not None:
                return False
        if kept.kind == "plan":
            await self._plan(kept)
        else:
            self._context.screen.run_worker(self._send(kept), group="writes")
        return True

    async def _plan(self, kept: KeptAsk) -> None:
        plans = self._context.session.asked_plans
        plan = None if plans is None else await plans.plan_of(kept.id)
        if plan is not None:
            await self._send_plan(plan)

    # What there is to tell

    async def _take_up(self) -> None:
        await self._tell(sends=False)
        try:
            approved = (await self._approvals.overview()).approved
        except StoreError:
            # It was said just now.
            return
        if approved:
            names = ", ".join(ask.change.title for ask in approved[:3])
            what = names if len(approved) < 4 else f"{names} and {len(approved) - 3:,} more"
            self._context.notify(
                Report(f"{what}. To send, open Approvals in Commands (ctrl+p).", "Approved, not sent yet")
            )

    async def _tell(self, *, sends: bool = True) -> None:
        """Tell how many wait, and what colleagues said to one's own; where it `sends`, send what can be."""
        async with self._telling:
            try:
                overview = await self._approvals.overview()
                self._count(overview)
                if self._list is not None:
                    self._list.renew(overview)
                for ask in overview.mine:
                    wanted = ask.id in overview.sendable and bool(ask.deciding)
                    if wanted and await self._approvals.note_told(ask):
                        await self._tell_one(ask, sends=sends)
            except StoreError as error:
                self._context.notify(Report(str(error), "Could not load the approval requests", "error"))

    async def _tell_one(self, ask: Ask, *, sends: bool) -> None:
        said = "; ".join(f"{verdict.author.name}: {verdict.word}" for verdict in ask.deciding if verdict.word)
        who = ", ".join(verdict.author.name for verdict in ask.deciding)
        title = ask.change.title
        if ask.state is not AskState.APPROVED:
            words = said or ("No message." if ask.state is AskState.REFUSED else "")
            self._context.notify(Report(words, f"{title}: {ask.state.label} by {who}", "warning"))
            return
        if not sends:
            # What may be sent since before is told in one.
            return
        kept = await self._approvals.kept(ask.id)
        writes = self._drafting.writes
        # Only what needs no question: a record that has moved makes it void before anything is asked.
        at_once = kept is not None and kept.kind != "plan" and writes.lock.refusal() is None
        if kept is not None and at_once and not writes.run_under_way:
            self._context.notify(Report(f"Sending now. {said}".strip(), f"{title}: approved by {who}"))
            self._context.screen.run_worker(self._send(kept), group="writes")
        else:
            words = f"To send it, open Approvals in Commands (ctrl+p). {said}".strip()
            self._context.notify(Report(words, f"{title}: approved by {who}", "success"))

    def _count(self, overview: AskOverview) -> None:
        self._context.screen.post_message(self.Counted(len(overview.waiting), len(overview.approved)))

    # Sending

    async def _send(self, kept: KeptAsk) -> None:
        """Send what was approved, as it was asked for, by the path of every write."""
        writes = self._drafting.writes
        try:
            await writes.pipeline.unknown_writes.load(self._context.journal)
        except StoreError as error:
            self._context.notify(Report(JOURNAL_NOT_LOADED.format(error), severity="warning"))
            return
        if kept.kind == "update" and kept.place is not None and kept.edits is not None:
            await self._drafting.send_approved(kept.place, kept)
        elif (
            sending := send_approved_change(writes.pipeline, kept, next(iter(self._forms_of(kept)), None))
        ) is not None:
            await self._done(kept, sending)
        await self._tell()

    def _forms_of(self, kept: KeptAsk) -> "list[FormTarget]":
        """The targets of the forms that what was approved was filled in in."""
        return find_forms(kept, self._forms.all, self._context.session.collections)

    async def _done(self, kept: KeptAsk, sending: Awaitable[WriteReport]) -> None:
        place = kept.place
        record = place if place is not None and place.record_id is not None else None
        report = await self._drafting.writes.run(sending, record)
        if report.result is SendResult.DONE and place is not None:
            for purpose in self._forms_of(kept):
                self._forms.discard(purpose)
        what = record.id if record is not None else "The request" if kept.spec is None else kept.spec.path
        self._context.notify(action_report(report, what, DONE_WORDS.get(kept.kind, "sent")))
        workspace = self._context.workspace
        if report.is_gone and record is not None:
            self._drafting.forget(record)
            workspace.gone(record)
        elif report.was_applied:
            workspace.panes.refresh_rows()
