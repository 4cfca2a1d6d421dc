"""How things stand with the team server, told once each time that it changes."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, Outcome
from svc_tui.storage.team.lines import BrokenChain
from svc_tui.team.sync import TeamState
from svc_tui.team.team import Team
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report
from svc_tui.ui.sending.colleagues import colleagues_at
from svc_tui.ui.team.watch import TeamWatch
from svc_tui.ui.widgets.bars.status_bar import TeamMark

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LOT = Place(COLLECTIONS[0], "lot-1")
ADA, BOB, EVE = (Author(name, "desk", name) for name in ("ada", "bob", "[/x]"))


class Told:
    """What a watch tells of one state after another."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self._team = SimpleNamespace(state=TeamState())
        self._watch = TeamWatch(cast(Context, SimpleNamespace(notify=self.reports.append)), cast(Team, self._team))

    def after(self, state: TeamState) -> tuple[list[str], TeamMark, bool]:
        """What is told of it, the mark, and whether there is something to look at."""
        self.reports.clear()
        self._team.state = state
        news = self._watch.tell()
        return [report.line for report in self.reports], self._watch.mark, news


def test_a_server_that_goes_and_comes_back_is_told_once_each_time_with_its_reason() -> None:
    told, away = Told(), TeamState(connected=False, waiting=2, problem="the server is away")
    assert told.after(TeamState()) == ([], TeamMark(), False)
    assert told.after(TeamState(connected=True)) == ([], TeamMark(), False)
    words = "Team server offline. The server is away\n2 journal entries are waiting to be shared."
    assert told.after(away) == ([words], TeamMark(away=True, waiting=2), False)
    assert told.after(replace(away, waiting=3, problem="another")) == ([], TeamMark(away=True, waiting=3), False)
    back = ["Team server connected. Waiting journal entries were shared."]
    assert told.after(TeamState(connected=True, news=1)) == (back, TeamMark(), True)
    assert told.after(away)[0] == [words]


def test_a_chain_that_was_begun_anew_is_told_once() -> None:
    told = Told()
    lines, mark, _ = told.after(TeamState(connected=True, began_other_chain=True))
    (line,) = lines
    assert line.startswith(
        "The journal of this computer was copied or restored from a backup. Another computer continues"
    )
    assert mark == TeamMark()
    assert told.after(TeamState(connected=True, began_other_chain=True, news=1))[0] == []


def test_each_chain_that_is_not_as_it_was_written_is_told_once_and_stays_marked() -> None:
    told = Told()
    first, second = (
        BrokenChain(ADA, 1_200, "an entry is missing"),
        BrokenChain(EVE, 1, "an entry was changed after it was written"),
    )
    lines, mark, _ = told.after(TeamState(connected=True, broken=(first,)))
    assert lines == [
        "Shared journal of ada on desk is damaged. From entry 1,200: an entry is missing. For details run: "
        "svc-tui team check"
    ]
    assert mark == TeamMark(broken=True)
    lines, mark, _ = told.after(TeamState(connected=True, broken=(first, second)))
    assert (len(lines), mark) == (1, TeamMark(broken=True))


def write(author: Author, minutes: int, result: str = "done", *, ahead: int = 0) -> JournalEntry:
    """A colleague's write so many minutes ago, by a clock that is so many minutes ahead."""
    received = NOW - timedelta(minutes=minutes)
    at = received + timedelta(minutes=ahead)
    return JournalEntry(
        -1, Intent(at, "PATCH", "/v1/x", LOT.key, ""), Outcome(at, result), author=author, received=received
    )


class Held:
    """What is held of colleagues' writes; None: it can't be read."""

    def __init__(self, entries: list[JournalEntry] | None) -> None:
        self._entries = entries

    async def entries(self, *_: object) -> list[JournalEntry]:
        if self._entries is None:
            raise StoreError("the disk is gone")
        return self._entries


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([], ""),
        (None, ""),
        ([write(ADA, 24 * 60)], ""),
        ([write(ADA, 3, "refused"), write(BOB, 4, "not sent")], ""),
        ([write(ADA, 24 * 60 - 1)], "ada changed this record 23 h ago."),
        ([write(EVE, 0, ahead=60)], "[/x] changed this record just now."),
        (
            [write(ADA, 90), write(BOB, 12, "unknown"), write(ADA, 13), write(EVE, 600)],
            "3 others changed this record in the last 24 hours: ada, bob and [/x], most recently 12 min ago.",
        ),
    ],
)
async def test_who_wrote_to_a_record_in_the_last_day_is_told_with_the_newest_writes_age(
    entries: list[JournalEntry] | None, words: str
) -> None:
    context = cast(Context, SimpleNamespace(session=SimpleNamespace(now=lambda: NOW)))
    records = SimpleNamespace(others=lambda _: (), listen=None)
    team = cast(Team, SimpleNamespace(mirror=Held(entries), scope=None, presence=records))
    found = await colleagues_at(context, team, LOT)
    assert (found.wrote, found.open_words) == (words, "")
