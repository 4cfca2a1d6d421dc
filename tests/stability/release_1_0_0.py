"""Files that svc-tui 1.0.0 itself wrote, and how: a store in the middle of work, and the lines of a team.

They were made once, by `fill_release` on the code of 1.0.0, and are never made anew. What `fill_release` writes with
this version's code is compared with them.
"""

from pathlib import Path

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Number, dumps, loads, number
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.storage.plan import Plan, PlanRow
from svc_tui.storage.team.lines import LineKind, SealedLine
from svc_tui.team.asks import VerdictKind
from svc_tui.team.shares import draft_to_share, share_content
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.write_requests import build_update_request
from tests.desks import a_desk, meet
from tests.stability import held
from tests.stability.make import FILES, fill

STORE = FILES / "release-1.0.0.db"
LINES = FILES / "team-lines-1.0.0.jsonl"

LOT = Place(held.LOTS, "lot-1")
HALF_DONE = Plan(
    "b-2",
    held.LOTS,
    tuple(
        PlanRow(row, record_id=f"lot-{row}", base={"massKg": Number("1.50")}, edits={"massKg": Number("2.00")})
        for row in (1, 2, 3)
    ),
    held.NOW,
    ticket="T-8",
)
IN_HALF_DONE = replace(held.IN_RUN, batch="b-2", row=1, ticket="T-8")
CUT_SHORT_IN_HALF_DONE = replace(held.IN_RUN, batch="b-2", row=2, ticket="T-8", place="operations/lots/lot-2")
NOTE = "asked the lab [/x] 🚂"
SHARED = draft_to_share(LOT.path, Draft(Record({"grade": "A"}), {"grade": "B"}), ())
ASKED = Draft(Record({"grade": "A", "note": "private"}), {"grade": "C", "note": "as private"})


async def fill_release(directory: Path) -> list[SealedLine]:
    """Have two colleagues write something of everything; gives the lines of both that no server has got."""
    ada_home, bob_home = directory / "ada", directory / "bob"
    await fill(ada_home / "svc-tui.db")
    async with (
        a_desk(ada_home, held.LIVE, "ada", rules=["*"], masked=["note"], now=lambda: held.NOW) as ada,
        a_desk(bob_home, held.LIVE, "bob", "laptop", now=lambda: held.NOW) as bob,
    ):
        await ada.store.runs(held.LIVE).keep(HALF_DONE)
        number = await ada.journal.intend(IN_HALF_DONE)
        await ada.journal.conclude(number, held.ANSWER)
        await ada.journal.intend(CUT_SHORT_IN_HALF_DONE)
        await ada.own.add(LineKind.NOTE, LOT.key, {"text": NOTE}, held.NOW)
        await ada.own.add(LineKind.SHARE, LOT.key, share_content("share-1", "bob", SHARED, "yours"), held.NOW)
        change = ProposedChange(("update",), LOT.key, build_update_request(LOT, ASKED))
        await ada.approvals.ask(Proposal(change, LOT, ASKED.base, ASKED.edits), "T-9", "please", ())
        await ada.own.collect()
        await meet(ada, bob)
        await bob.own.add(LineKind.TAKEN, LOT.key, {"id": "share-1", "result": "taken"}, held.NOW)
        await bob.approvals.verdict(await bob.the_ask(), VerdictKind.APPROVED, "fine", ())
        await meet(bob, ada)
        return [line for desk in (ada, bob) for line in await desk.own.waiting()]


def line_as_text(line: SealedLine) -> str:
    """A sealed line as a line of JSON."""
    fields = (line.chain, number(line.sequence), line.previous, line.text, line.digest)
    return dumps(list(fields), ascii_only=True)


def kept_lines() -> list[SealedLine]:
    """The lines that 1.0.0 wrote."""
    lines = []
    for text in LINES.read_text("ascii").splitlines():
        match loads(text):
            case [str(chain), Number() as sequence, str(previous), str(matter), str(digest)]:
                lines.append(SealedLine(chain, int(sequence.text), previous, matter, digest))
            case _:
                raise AssertionError(text)
    return lines
