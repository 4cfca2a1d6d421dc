"""The lock of writes on one main screen: a word opens it, and a key or a time without input closes it."""

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
    """The lock of writes; it posts `Changed` to the screen."""

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
        """True if the word opens the lock: on LIVE, unless the profile is read-only."""
        return self.state.timed and not self.state.read_only

    @property
    def awaits_team(self) -> bool:
        """True if nothing may be sent before the team server answers, even if unlocked."""
        team = self._context.session.team
        return self.state.awaits_team(team_there=team is not None and team.connected is True)

    @property
    def _team_away(self) -> bool:
        """True if the team server is awaited and known to be offline; it is not known before its first answer."""
        team = self._context.session.team
        return self.awaits_team and team is not None and team.connected is False

    @property
    def wait_words(self) -> str:
        """A sentence about what is awaited before anything can be sent; "" if unlocking is enough."""
        if self._team_away:
            return "The team is offline."
        return "" if self.state.closes_at(self.now()) is None else "Waiting for the team server."

    def refusal(self) -> str | None:
        """Return why nothing may be sent now; None if it may."""
        return self.state.refusal(self.now(), team_there=not self.awaits_team)

    @property
    def lasting_refusal(self) -> str | None:
        """The reason that nothing may be sent even if unlocked; None if it may, or may after unlocking."""
        return None if self.unlockable else self.refusal()

    @property
    def shown(self) -> LockState:
        """The state of the lock for the status bar and the cards."""
        now = self.now()
        opened = self.state.closes_at(now) is not None
        # A closed lock does not change its look while the first answer of the server is awaited.
        read_only = self.state.read_only or self._team_away or (opened and self.awaits_team)
        return LockState(self.refusal() is not None, self.state.counts_down_to(now), read_only)

    @property
    def key_label(self) -> str:
        """The label of the lock's key; "" if there is no lock to open."""
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
        """Ask for the word and unlock LIVE, or lock it again."""
        if not self.unlockable:
            self._context.notify(Report(self.refusal() or availability.NO_UNLOCKING))
        elif self._team_away:
            self._context.notify(Report(self.refusal() or "", severity="warning"))
        elif self.state.closes_at(self.now()) is not None:
            self.close()
            self._context.notify(Report("LIVE is locked again."))
        elif await self._ask_for_word():
            self._set(self.state.opened(self.now()))

    async def _ask_for_word(self) -> bool | None:
        from svc_tui.ui.sending.unlock import UnlockScreen

        return await self._context.show(
            UnlockScreen(self.heading("Unlock sending"), self._context.gateway.host, self._minutes)
        )

    def close(self) -> None:
        """Close the lock."""
        self._set(self.state.closed())

    def _set(self, lock: WriteLock) -> None:
        before, self.state = self.state, lock
        if lock != before:
            self._context.screen.post_message(self.Changed())
