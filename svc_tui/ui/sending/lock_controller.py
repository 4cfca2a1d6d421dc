"""The lock of writes on one main screen: it opens for a word, and closes by hand or after a while of nothing done."""

from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from svc_tui.core.credentials import Environment
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.bars.border_title import StatefulTitle
from svc_tui.ui.widgets.bars.status_bar import LockState, lock_chip
from svc_tui.writes.lock import WriteLock


class LockController:
    """Holds the lock; that it changed is told to the screen by a message."""

    @dataclass
    class Changed(Message):
        """The lock was opened, closed, or ran out."""

    def __init__(self, context: Context) -> None:
        session = context.session
        self._context, self.now = context, session.monotonic
        self._minutes = session.preferences.live_unlock_minutes
        self._live = session.gateway.environment is Environment.LIVE
        needs_team = session.team is not None and session.profile.team_required
        self.state = WriteLock(
            session.gateway.environment, session.profile.read_only, self._minutes * 60, needs_team=needs_team
        )

    @property
    def unlockable(self) -> bool:
        """Whether there is a lock that its word opens: on LIVE, unless the profile is only for reading."""
        return self.state.timed and not self.state.read_only

    @property
    def awaits_team(self) -> bool:
        """Whether nothing may be written until the team server answers, however one unlocks."""
        team = self._context.session.team
        return self.state.awaits_team(team_there=team is not None and team.connected is True)

    @property
    def _team_away(self) -> bool:
        """The same, once it is known to be away: until it has answered for the first time, nobody knows."""
        team = self._context.session.team
        return self.awaits_team and team is not None and team.connected is False

    @property
    def wait_words(self) -> str:
        """What has to be waited for before anything can be sent, in a sentence; "" where unlocking is enough."""
        if self._team_away:
            return "The team is offline."
        return "" if self.state.closes_at(self.now()) is None else "Waiting for the team server."

    def refusal(self) -> str | None:
        """Why nothing may be written now; None where it may."""
        return self.state.refusal(self.now(), team_there=not self.awaits_team)

    @property
    def lasting_refusal(self) -> str | None:
        """Why nothing may be written however one unlocks; None where it may, or could be made to."""
        return None if self.unlockable else self.refusal()

    @property
    def shown(self) -> LockState:
        """The lock as the status bar and the cards show it."""
        now = self.now()
        opened = self.state.closes_at(now) is not None
        # A lock that is closed looks as ever, as long as the server may be about to answer.
        read_only = self.state.read_only or self._team_away or (opened and self.awaits_team)
        return LockState(self.refusal() is not None, self.state.counts_down_to(now), read_only)

    @property
    def key_label(self) -> str:
        """What the key of the lock does now; "" where there is no lock that it opens."""
        if not self.unlockable:
            return ""
        return "Unlock" if self.state.closes_at(self.now()) is None else "Lock"

    def heading(self, what: str) -> StatefulTitle:
        """Return the title of a dialog about a write: `what` it does, the environment, and on LIVE the lock."""
        text = styled(what)
        if self._live:
            text = Content.assemble((" LIVE ", "$role-background on $role-live bold"), "  ", text)
        return StatefulTitle(text, self._environment_state)

    def _environment_state(self) -> Content:
        shown = self.shown
        if not self._live and not shown.read_only:
            return Content.styled("SANDBOX", "bold $role-sandbox")
        chip = lock_chip(shown, self.now())
        return Content.styled(chip.text, chip.style)

    def note_input(self) -> None:
        """Restart the time until the lock closes; `app/browser_app.py` calls it for each key, click and paste."""
        self._set(self.state.touched(self.now()))

    async def toggle(self) -> None:
        """Unlock LIVE after its word was typed, or lock it again."""
        if not self.unlockable:
            self._context.notify(Report(self.refusal() or availability.NO_UNLOCKING))
        elif self._team_away:
            self._context.notify(Report(self.refusal() or "", severity="warning"))
        elif self.state.closes_at(self.now()) is not None:
            self.close()
            self._context.notify(Report("LIVE is locked again."))
        elif await self._word_typed():
            self._set(self.state.opened(self.now()))

    def close(self) -> None:
        """Close the lock."""
        self._set(self.state.closed())

    def _set(self, lock: WriteLock) -> None:
        before, self.state = self.state, lock
        if lock != before:
            self._context.screen.post_message(self.Changed())

    async def _word_typed(self) -> bool | None:
        from svc_tui.ui.sending.unlock import UnlockScreen

        return await self._context.show(
            UnlockScreen(self.heading("Unlock sending"), self._context.gateway.host, self._minutes)
        )
