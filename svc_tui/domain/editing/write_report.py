"""What became of a write."""

from dataclasses import dataclass
from enum import Enum

from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.model.records import Record
from svc_tui.domain.model.requests import Exchange


class WriteResult(Enum):
    """How a write ended; the value is the journal's word."""

    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    NOT_SENT = "not sent"


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What became of a write.

    `reason` is a sentence where there is more to say than `error` says; `record` is the record as it is now, where
    that is known; `moved` are fields that others changed meanwhile, `untaken` fields that the service answered
    with another value than was sent, `taken` how many have the value that was sent. `gone`: the record is known to be
    there no longer; `unread`: it could not be read before a write that changes it. `journal_problem` says why the
    outcome could not be written down; `entry` is the write's number in the journal, 0 for one that never left; `ticket`
    is the one that it was sent for, "" for none. `undoable`: once the write is settled, it can be undone from here.
    """

    result: WriteResult
    reason: str = ""
    error: ServiceError | None = None
    exchange: Exchange | None = None
    record: Record | None = None
    moved: tuple[str, ...] = ()
    untaken: tuple[str, ...] = ()
    taken: int = 0
    gone: bool = False
    journal_problem: str = ""
    entry: int = 0
    unread: bool = False
    undoable: bool = False
    ticket: str = ""

    @property
    def settled(self) -> bool:
        """Whether the change is known to be in place."""
        if self.result is WriteResult.UNKNOWN:
            return self.gone or (self.taken > 0 and not self.untaken)
        return self.result is WriteResult.DONE
