"""Whether a plan still holds: the records of its rows, read again, compared with what they were planned on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import Draft, freshen
from svc_tui.domain.editing.record_lookup import read_list_ends
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.records import Record
from svc_tui.domain.plans.plan import Plan, PlanRow, ProblemKind, RowProblem
from svc_tui.domain.plans.planning import ReadListener, read_each

MAX_AGE = timedelta(hours=1)
"""The age from which a plan is compared with the records once more before its first write."""


@dataclass(frozen=True, slots=True)
class MovedRow:
    """A row whose record is not as it was planned on; `text` says in a sentence what became of it."""

    row: PlanRow
    text: str


def is_old(plan: Plan, now: datetime) -> bool:
    """Whether so much time has passed that a plan is to be compared with the records again."""
    return now - plan.made > MAX_AGE


def moved_words(row: PlanRow, now: Record | RowProblem) -> str:
    """What has become of the record of a row since it was planned, in a sentence; "" where the row still holds.

    It holds as well where others have brought about by now what the row asks for.
    """
    if isinstance(now, RowProblem):
        gone = row.action is RowAction.DELETE and now.kind is ProblemKind.UNKNOWN_RECORD
        return "" if gone else now.text
    fields = now.fields
    if row.action is RowAction.DELETE:
        names = freshen(Draft(Record(row.base)), now).moved
    else:
        names = freshen(row.draft, now).conflicts
    if not names:
        return ""
    values = " and ".join(f"{name} is now {dumps(fields[name]) if name in fields else 'unset'}" for name in names)
    return f"{row.name}: {values}, changed after the plan was created."


async def moved_rows(
    gateway: Gateway, plan: Plan, rows: Sequence[PlanRow], on_read: ReadListener = lambda *_: None
) -> tuple[MovedRow, ...]:
    """Read the records of the rows again; gives those that no longer hold, in the order of the rows.

    New records have nothing to be read. Raises ServiceError.
    """
    by_id = {row.record_id: row for row in rows if row.action is not RowAction.CREATE}
    moved: dict[int, MovedRow] = {}
    read = 0

    def take(record_id: str, now: Record | RowProblem) -> None:
        nonlocal read
        read += 1
        row = by_id[record_id]
        if words := moved_words(row, now):
            moved[row.number] = MovedRow(row, words)
        on_read(read, len(by_id))

    await read_each(gateway, plan.collection, by_id, take)
    return tuple(moved[row.number] for row in rows if row.number in moved)


async def existing_rows(gateway: Gateway, plan: Plan, rows: Sequence[PlanRow]) -> tuple[MovedRow, ...]:
    """Return the new records among the rows that exist already, as far as the ends of the list tell.

    The plan may have been applied on another machine. Raises ServiceError.
    """
    creations = [row for row in rows if row.action is RowAction.CREATE]
    if not creations:
        return ()
    # The others of the plan may have been created behind one of them, and some by other people since.
    ends = await read_list_ends(gateway, plan.collection, len(creations) + _CREATED_SINCE)
    return tuple(MovedRow(row, ends.words(row.edits)) for row in creations if ends.find(row.edits))


_CREATED_SINCE = 50
"""Records that other people may have created since the plan was applied elsewhere, for the look for its own."""
