"""The lock on writes: LIVE starts locked, opens for minutes, and closes by itself."""

from msgspec import Struct

from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace

UNLOCK_WORD = "live"
"""What is typed to open the lock."""

IDLE_SECONDS = 180.0
"""How long an open lock on LIVE outlasts the last sign of its user."""

IDLE_WARNING = 60.0
"""How long before an idle lock closes its user is told."""


class WriteLock(Struct, frozen=True):
    """Whether writes may leave; times are seconds on the monotonic clock.

    `until` is when an opened lock on LIVE closes, None while it is closed; the sandbox needs no opening. `opening`
    says how it is opened, in a sentence: by a key on the screen, by a command in the reader. On LIVE it may need the
    team server to be there, as the profile says.
    """

    environment: Environment
    read_only: bool = False
    open_seconds: float = 600.0
    until: float | None = None
    idle_until: float = 0.0
    needs_team: bool = False
    opening: str = "Press w to unlock."

    @property
    def timed(self) -> bool:
        """Whether the lock opens for a time only."""
        return self.environment is Environment.LIVE

    def closes_at(self, now: float) -> float | None:
        """When the open lock closes if nothing is pressed any more; None where it is closed or has no time."""
        if not self.timed or self.until is None:
            return None
        end = min(self.until, self.idle_until)
        return end if now < end else None

    def counts_down_to(self, now: float) -> float | None:
        """The end to show the user: the ten minutes', or in its last minute the idle one's; None as `closes_at`."""
        end = self.closes_at(now)
        if end is None or self.until is None:
            return None
        return end if end - now <= IDLE_WARNING else self.until

    def awaits_team(self, *, team_there: bool) -> bool:
        """Whether no write may leave until the team server is back."""
        return self.needs_team and self.timed and not self.read_only and not team_there

    def refusal(self, now: float, *, team_there: bool = True) -> str | None:
        """Why a write may not leave now, as one sentence with its mend; None where it may."""
        if self.read_only:
            return "This session is read-only (--read-only or the profile). Start another session to make changes."
        if self.awaits_team(team_there=team_there):
            return "LIVE is read-only until the team server responds (team_required in the profile)."
        if self.timed and self.closes_at(now) is None:
            return f"LIVE is locked. {self.opening}"
        return None

    def opened(self, now: float) -> "WriteLock":
        """The lock, open from now on."""
        return replace(self, until=now + self.open_seconds, idle_until=now + IDLE_SECONDS)

    def closed(self) -> "WriteLock":
        """The lock, closed."""
        return replace(self, until=None)

    def touched(self, now: float) -> "WriteLock":
        """The lock after a sign of its user; one that has run out stays closed."""
        if self.closes_at(now) is None:
            return self.closed() if self.until is not None else self
        return replace(self, idle_until=now + IDLE_SECONDS)
