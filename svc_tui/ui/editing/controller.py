"""Changing records from the main screen: editors, drafts, the lock, the change card, and the write pipeline.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from textual.content import Content
from textual.message import Message

from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.editing.write_lock import WriteLock
from svc_tui.domain.editing.write_pipeline import Ask, Result, WritePipeline, WriteReport, update_request
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange, RequestSpec
from svc_tui.ui.editing.review import ReviewController
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, of_error, of_write
from svc_tui.ui.session.context import Context
from svc_tui.ui.session.drafts import Drafts


class EditController:
    """Holds the drafts and the lock of one main screen, and runs its writes.

    Its methods run in workers of `screen`, so that a dialog that closes takes no write with it. What changed is
    told to the screen by messages.
    """

    @dataclass
    class DraftChanged(Message):
        """The draft at `place` has other edits now, or none."""

        place: Place

    @dataclass
    class RecordRead(Message):
        """The record at `place`, as the service gave it just now."""

        place: Place
        record: Record

    @dataclass
    class LockChanged(Message):
        """The lock was opened, closed, or ran out."""

    @dataclass
    class Exchanged(Message):
        """A request that somebody asked for was answered."""

        exchange: Exchange

    @dataclass
    class SendingChanged(Message):
        """Another number of writes is on its way."""

    def __init__(self, context: Context) -> None:
        self._context = context
        session = context.session
        self.now = session.monotonic
        self._minutes = session.preferences.live_unlock_minutes
        self._pipeline = WritePipeline(
            session.gateway, session.journal, self.refusal, session.now, collections=session.collections
        )
        self._read_now: dict[Place, Record] = {}
        self.reviewer = ReviewController(context)
        self._in_front = asyncio.Event()
        self.drafts = Drafts(session.draft_store, session.now)
        self.lock = WriteLock(session.gateway.environment, session.profile.read_only, self._minutes * 60)
        self.sending = 0

    def refusal(self) -> str | None:
        """Why nothing may be written now; None where it may."""
        return self.lock.refusal(self.now())

    def touched(self) -> None:
        """Somebody pressed a key, clicked, or pasted."""
        before, self.lock = self.lock, self.lock.touched(self.now())
        if before != self.lock:
            self._context.screen.post_message(self.LockChanged())

    @property
    def pipeline(self) -> WritePipeline:
        """The pipeline of every write; run it with `walked`."""
        return self._pipeline

    def forget(self, place: Place) -> None:
        """Let go of the edits of a record that is no more."""
        if (draft := self.drafts.draft(place)) is not None:
            self.put(place, Draft(draft.base))

    async def load(self) -> None:
        """Take up the drafts of earlier sessions."""
        try:
            count = await self.drafts.load()
        except StoreError as error:
            self._context.notify(Report(str(error), "Earlier edits could not be read", "error"))
            return
        if count:
            records = "1 record has" if count == 1 else f"{count} records have"
            self._context.notify(Report(f"{records} edits from before that are not sent yet."))
        for place in self.drafts.places:
            self._context.screen.post_message(self.DraftChanged(place))
        if count:
            await self._tell_interrupted()

    async def _tell_interrupted(self) -> None:
        """Tell of drafts that were sent in an earlier session and may have been carried out, and take up their keys."""
        try:
            newest = {place: await self._context.journal.entries(1, place=place.key) for place in self.drafts.places}
        except StoreError as error:
            self._context.notify(Report(str(error), "The journal could not be read", "error"))
            return
        for place, entries in newest.items():
            for entry in entries:
                if entry.outcome is not None and entry.outcome.result != Result.UNKNOWN.value:
                    continue
                self._pipeline.recall(entry.intent)
                if entry.under_way is not None:
                    body = "Its edits are on show here too. Let that one come to its end first."
                    self._context.notify(
                        Report(body, f"{place.record_id} is being written by another svc-tui", "warning")
                    )
                    continue
                why = "It was being sent when the program ended." if entry.outcome is None else "No clear answer came."
                body = f"{why} ctrl+s reads the record again before it sends anything."
                self._context.notify(Report(body, f"{place.record_id}: whether it was written is not known", "warning"))

    async def toggle_lock(self) -> None:
        """Unlock LIVE after its word was typed, or lock it again."""
        if self.lock.read_only or not self.lock.timed:
            self._context.notify(Report(self.refusal() or availability.NO_UNLOCKING))
            return
        if self.lock.closes_at(self.now()) is not None:
            self.close_lock()
            self._context.notify(Report("LIVE is locked again."))
        elif await self._unlocked():
            self.lock = self.lock.opened(self.now())
            self._context.screen.post_message(self.LockChanged())

    def close_lock(self) -> None:
        """Close the lock of LIVE: somebody wants it, or the connection is to be another one."""
        self.lock = self.lock.closed()
        self._context.screen.post_message(self.LockChanged())

    async def _unlocked(self) -> bool | None:
        from svc_tui.ui.editing.unlock import UnlockScreen

        return await self._context.show(UnlockScreen(self._context.gateway.host, self._minutes))

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

    async def may_leave(self, then: str = "quit") -> bool:
        """Whether one may leave: no write is on its way."""
        if self.sending:
            self._context.notify(
                Report(f"A write is on its way. Wait for its answer, then {then}.", severity="warning")
            )
            return False
        return True

    def put(self, place: Place, draft: Draft) -> None:
        """Hold `draft` at `place`, tell of it, and have it stored."""
        self.drafts.put(place, draft)
        self._context.screen.post_message(self.DraftChanged(place))
        self._context.screen.run_worker(self._saved(place), group="drafts")

    async def _saved(self, place: Place) -> None:
        try:
            await self.drafts.save(place)
        except StoreError as error:
            kept = self.drafts.draft(place) is not None
            title = (
                "The edit is kept in memory only" if kept else "The edit is sent or taken back, but still on the disk"
            )
            self._context.notify(Report(str(error), title, "error"))

    async def review(self, place: Place) -> None:
        """Show the change card, and send the change if that is what the user wants."""
        draft = self.drafts.draft(place)
        if draft is None:
            self._context.notify(Report(availability.NOTHING_TO_SEND))
            return
        if refusal := self.refusal():
            self._context.notify(Report(refusal, severity="warning"))
            return
        try:
            spec = self._pipeline.keyed(update_request(place, draft))
            ticket = await self.reviewer.confirm_change(place, draft, spec)
        except ServiceError as error:
            self._context.notify(of_error(error, f"{place.record_id} can't be sent"))
            return
        if ticket is not None:
            self._context.screen.run_worker(self._send(place, draft, spec, ticket), group="writes")

    async def _send(self, place: Place, draft: Draft, spec: RequestSpec, ticket: str | None) -> None:
        """Walk a confirmed change to its end, apart from the dialog that confirmed it."""
        while ticket is not None:
            report = await self.walked(self._pipeline.update(place, draft, spec, self._asking(place, draft), ticket))
            self._settle(place, draft, report)
            told = of_write(report, place.record_id or "", drafted=True)
            if report.result is not Result.UNKNOWN or report.settled:
                self._context.notify(told)
                return
            if not self._has_front:
                self._context.notify(told)
                await self._comes_to_front()
            if self.drafts.draft(place) != draft:
                # What was typed meanwhile is another change, with a card of its own.
                break
            found = report.record
            seen = replace(draft, base=replace(draft.base, etag=found.etag if found is not None else ""))
            spec = self._pipeline.keyed(update_request(place, seen))
            retry_reason = (
                f"Whether it was written is not known: {told.body} "
                "y reads the record once more, then sends the same request with the same key."
            )
            ticket = await self.reviewer.confirm_change(place, seen, spec, retry_reason)
        self._context.notify(told)

    def dialog_closed(self) -> None:
        """The dialog over the screen was closed."""
        self._in_front.set()

    @property
    def _has_front(self) -> bool:
        return self._context.screen.app.screen is self._context.screen

    async def _comes_to_front(self) -> None:
        """Wait until no dialog is open: a question that comes by itself takes no key meant for another one."""
        while not self._has_front:
            self._in_front.clear()
            await self._in_front.wait()

    async def submit(self, spec: RequestSpec, on_send: Callable[[RequestSpec], Awaitable[None]]) -> WriteReport | None:
        """Send a request that somebody wrote by hand; None where they decided against it.

        `leaving` is awaited with the request as it goes out, once nothing stands in its way here.
        """
        if refusal := self.refusal():
            return WriteReport(Result.NOT_SENT, refusal)
        try:
            spec = self._pipeline.keyed(spec)
            request = self._context.privacy_mask.request(self._context.gateway.preview(spec))
        except ServiceError as error:
            return WriteReport(Result.NOT_SENT, error=error)
        ticket: str | None = ""
        if self._context.gateway.environment is Environment.LIVE:
            from svc_tui.ui.editing.request_card import RequestCard
            from svc_tui.ui.widgets.request.request_preview import destination

            title = Content.assemble((" LIVE ", "$role-background on $role-live bold"), " · Send this request")
            body = destination(request, self._context.profile.name)
            ticket = await self.reviewer.agreed(
                RequestCard(title, body, request, self.reviewer.ticket_line(), danger=True)
            )
        if ticket is None:
            return None
        await on_send(spec)
        return await self.walked(self._pipeline.request(spec, ticket))

    async def walked(self, walk: Awaitable[WriteReport]) -> WriteReport:
        """Walk one write, counted as on its way meanwhile."""
        self._sending(+1)
        try:
            report = await walk
        finally:
            self._sending(-1)
        if report.exchange is not None:
            self.post_exchange(report.exchange)
        return report

    def post_exchange(self, exchange: Exchange) -> None:
        """A request that somebody asked for was answered."""
        self._context.screen.post_message(self.Exchanged(exchange))

    def _sending(self, step: int) -> None:
        self.sending += step
        self._context.screen.post_message(self.SendingChanged())

    def _asking(self, place: Place, draft: Draft) -> Ask:
        async def ask(freshness: Freshness) -> Draft | None:
            from svc_tui.ui.editing.conflict import ConflictScreen

            await self._comes_to_front()

            def mask(draft: Draft) -> Draft:
                return self._context.privacy_mask.draft(draft, place.collection.domain)

            return await self._context.show(ConflictScreen(place.record_id or "", draft, freshness, mask))

        return ask

    def _settle(self, place: Place, sent: Draft, report: WriteReport) -> None:
        """Bring draft and record up to date with what became of the write."""
        if report.record is not None:
            self._read_now[place] = report.record
            self._context.screen.post_message(self.RecordRead(place, report.record))
        if not report.settled:
            return
        wanted = self.drafts.draft(place) or Draft(sent.base)
        self.put(place, wanted.sent(sent, report.record, report.untaken))
