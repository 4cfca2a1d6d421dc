"""The lock of writes: on LIVE it opens for a typed word, and closes by hand or by itself."""

from svc_tui.core.phrases import counted
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk
from svc_tui.writes.lock import IDLE_SECONDS, UNLOCK_WORD, WriteLock


class Locking:
    """Holds the lock of one conversation."""

    def __init__(self, talk: Talk) -> None:
        session = talk.session
        self._talk, self._now = talk, session.monotonic
        self._minutes = session.preferences.live_unlock_minutes
        self.state = WriteLock(
            session.gateway.environment,
            session.profile.read_only,
            self._minutes * 60,
            needs_team=session.team is not None and session.profile.team_required,
            opening="Type unlock.",
        )

    def refusal(self) -> str | None:
        """Why nothing may be written now; None where it may."""
        return self.state.refusal(self._now(), team_there=self._team_there)

    @property
    def _team_there(self) -> bool:
        team = self._talk.session.team
        return team is not None and team.state.connected is True

    @property
    def word(self) -> str:
        """How the lock stands, in a word or two."""
        if self.state.read_only:
            return "read-only"
        if not self.state.timed:
            return "writable"
        now = self._now()
        until = self.state.counts_down_to(now)
        if until is None:
            return "locked"
        minutes = round((until - now) / 60)
        return "unlocked for less than a minute" if minutes < 1 else f"unlocked for {minutes} min"

    def note_input(self) -> None:
        """A line was typed: the time until the lock closes begins anew; that it ran out before is said."""
        before, self.state = self.state, self.state.touched(self._now())
        if before.until is not None and self.state.until is None:
            self._talk.say("LIVE is locked again: time is up. Type unlock. Drafts are kept.")

    async def unlock(self, _: str) -> None:
        """Open the lock for its word."""
        if not self.state.timed or self.state.read_only:
            self._talk.say(self.refusal() or "Nothing to unlock: only LIVE is locked.")
            return
        minutes = counted(self._minutes, "minute")
        idle = f"LIVE locks again after {IDLE_SECONDS / 60:.0f} minutes without input."
        self._talk.say(f"Unlocks LIVE ({self._talk.session.gateway.host}) for {minutes}. {idle}")
        if (await self._talk.ask(f"Type {UNLOCK_WORD} to unlock")).casefold() != UNLOCK_WORD:
            self._talk.say("LIVE is still locked.")
            return
        self.state = self.state.opened(self._now())
        self._talk.say(f"LIVE is writable for {minutes}.")

    async def lock(self, _: str) -> None:
        """Close the lock."""
        if not self.state.timed:
            raise Mistake("Only LIVE can be locked.")
        self.state = self.state.closed()
        self._talk.say("LIVE is locked.")
