"""What runs of plans need of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Only what the Protocol speaks of: whoever calls it has loaded what is needed for that.
    from svc_tui.domain.plans.plan import Plan
    from svc_tui.domain.team.kept_ask import KeptAsk


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How many rows of a run ended how.

    `done` rows are as planned, `failed` ones were refused, not sent or answered with other values; nobody knows what
    became of the `unknown` ones. `skipped` rows are not part of the run: left out, or with a problem. `left` rows have
    not been tried yet.
    """

    done: int = 0
    failed: int = 0
    skipped: int = 0
    unknown: int = 0
    left: int = 0

    @property
    def total(self) -> int:
        """The number of rows that are to be sent."""
        return self.done + self.failed + self.unknown + self.left

    @property
    def tried(self) -> int:
        """The number of rows that were tried, however they ended."""
        return self.total - self.left

    def __add__(self, other: RunCounts) -> RunCounts:
        return RunCounts(
            self.done + other.done,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.unknown + other.unknown,
            self.left + other.left,
        )

    @property
    def exceptions(self) -> str:
        """The rows that are not done, in words: `1 failed, 2 unknown`; "" where all are."""
        counts = ((self.failed, "failed"), (self.unknown, "unknown"), (self.skipped, "skipped"))
        return ", ".join(f"{count:,} {word}" for count, word in counts if count)


@dataclass(frozen=True, slots=True)
class Run:
    """A plan that is or was carried out, in short.

    `title` says what it changes, of how many records; `undoes` is the id of the run that it takes back, "" for none.
    `ended` is when it came to its end, or was `given_up`; None: it is under way or was cut short. `elsewhere`: another
    program is at it now, and lives. `counts` are those at its end; None before it, and for a run that 1.0.0 ended.
    `other_key`: it was begun with another key of the profile.
    """

    id: str
    title: str
    begun: datetime
    undoes: str = ""
    ended: datetime | None = None
    given_up: bool = False
    elsewhere: bool = False
    counts: RunCounts | None = None
    other_key: bool = False

    @property
    def name(self) -> str:
        """What people read for it: its title, and that it takes another one back."""
        return f"undo of {self.title}" if self.undoes else self.title

    @property
    def title_of_undo(self) -> str:
        """The title of a run that takes it back: its own, or that it was an undo itself."""
        return f"the {self.name}" if self.undoes else self.title


class RunStore(Protocol):
    """The plans that are or were carried out: each is here before its first write leaves.

    A run belongs to the program that keeps or takes it, until it lets go of it or ends, however it ends.
    """

    async def keep(self, plan: Plan) -> None:
        """Keep a new plan, or one of this program's in place of it; when this returns, it is on the disk."""

    async def take(self, run: str) -> Plan | None:
        """Make a run this program's own; None where another one is at it, or it is at its end."""

    async def plan_of(self, run: str) -> Plan | None:
        """The plan of a run as it stands, whoever is at it; None where it is at its end."""

    async def let_go(self, run: str) -> None:
        """Leave a run to whichever program takes it."""

    async def end(self, run: str, counts: RunCounts | None = None, *, given_up: bool = False) -> None:
        """Mark a run of this program's as at its end, or `given_up`; of its plan only the `counts` are kept."""

    async def find(self, run: str) -> Run | None:
        """One run by its id; None where none of this scope has it."""

    async def unfinished(self) -> list[Run]:
        """Every run that is under way or was cut short, the newest first."""

    async def runs(self, limit: int = 200) -> list[Run]:
        """Every run, the newest first."""


class AskedPlans(Protocol):
    """The plans that colleagues were asked to approve, whole. Every call raises StoreError."""

    async def keep_plan(self, kept: KeptAsk, plan: Plan) -> None:
        """Keep an ask for a plan, with the plan; when this returns, it is on the disk."""

    async def plan_of(self, ask_id: str) -> Plan | None:
        """The plan that was asked for; None where there is none."""


RowResults = Mapping[int, str]
"""What the journal says of the rows of a run that were sent: the row's number to done, refused, unknown or running."""
