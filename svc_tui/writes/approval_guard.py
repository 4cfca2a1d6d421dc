"""What every write has to pass before it leaves: the lock, and a second person's word where a rule wants one."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec


class ProposedChange(Struct, frozen=True):
    """A write that is to be sent: `spec` is the request, `row` the row of the run's plan that it carries out, 0: none.

    `kinds` are what it is, each a word of `team.approval_rules.KINDS`: a deletion that was written out in the
    console is a request and a deletion. `place` is the key of the record or collection that it is about, "" for none;
    then `path` is where it goes, written as such a key.
    """

    kinds: tuple[str, ...]
    place: str
    spec: RequestSpec
    row: int = 0
    path: str = ""

    @property
    def where(self) -> str:
        """What a rule about a place is compared with."""
        return self.place or self.path


class Proposal(Struct, frozen=True):
    """A change as its author sees it before it is sent: the record as it was `shown`, None where none was.

    `edits` are the fields of an edit, None for any other change.
    """

    change: ProposedChange
    place: Place | None = None
    shown: Record | None = None
    edits: Mapping[str, Json] | None = None

    @property
    def concerned(self) -> tuple[str, ...]:
        """The fields that have to stay as they were shown until it is sent: those of an edit, else all of them."""
        if self.edits is not None:
            return tuple(self.edits)
        return () if self.shown is None else tuple(self.shown.fields)


class Permit(Struct, frozen=True):
    """What is known of a second person's word on a change: `refusal` is why it can't be sent, a sentence, "": it can.

    `approval` is the id of what was asked, `approved_by` who approved it; "" where nobody has to.
    """

    refusal: str = ""
    approval: str = ""
    approved_by: str = ""


class ApprovalGuard(Protocol):
    """Decides which changes need approval and which have it; refuses a change if it can't find out.

    Implementations, by where they are used: `Unguarded` without rules and on the sandbox; `team.approval_rules`
    `RefusingGuard` where approval can't be requested; `team.approvals` `Approvals` for single writes of a team;
    `plans.approval` `PlanApproval` for the writes of a run.
    """

    def rule(self, change: ProposedChange) -> str:
        """The rule that wants a second person for the change, "" for none."""

    async def permit(self, change: ProposedChange) -> Permit:
        """Whether the change may be sent; no approval is good for two."""

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Why a permit does not hold for the record as it is now, in a sentence; "" where it does.

        Its approval is void then. `fields` None: they are not known.
        """

    async def settle(self, permit: Permit, result: str) -> None:
        """The change of a permit was sent, and ended with this result, in the journal's words."""


class Unguarded:
    """The `ApprovalGuard` that permits everything: for a profile without rules, and on the sandbox."""

    def rule(self, change: ProposedChange) -> str:
        """None."""
        return ""

    async def permit(self, change: ProposedChange) -> Permit:
        """It may be sent."""
        return Permit()

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """It holds."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """Nobody waits for that."""


class WriteGate(Struct, frozen=True):
    """What every write has to pass before it leaves.

    `refusal` says why nothing may be written now, None where it may; `approvals` which changes want a second person.
    """

    refusal: Callable[[], str | None]
    approvals: ApprovalGuard
