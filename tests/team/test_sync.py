"""What is open for editing here is told while anything holds it open; what others have is known by name."""

from typing import cast

from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import Presence, ServiceScope
from svc_tui.storage.team.mirror import TeamMirror
from svc_tui.storage.team.own_chain import OwnChain
from svc_tui.storage.team.server import TeamServer
from svc_tui.team.sync import RecordPresence, TeamSync

HERE, ELSEWHERE = ServiceScope("live", "https://api"), ServiceScope("sandbox", "https://api")
LOT, OTHER = "operations/lots/lot-1", "operations/lots/lot-2"


async def nowhere() -> TeamServer:
    raise AssertionError("nothing here waits for the server")


def resting() -> TeamSync:
    """What would tell the server, and does not run."""
    return TeamSync(cast(OwnChain, None), cast(TeamMirror, None), nowhere)


def test_a_record_is_open_until_everything_that_holds_it_open_is_done() -> None:
    sync = resting()
    records = RecordPresence(sync, HERE)
    records.opened(LOT)
    with records.open(LOT):
        assert [(one.scope, one.place) for one in sync.open_places] == [(HERE, LOT)]
    assert len(sync.open_places) == 1
    records.closed(LOT)
    assert not sync.open_places


def test_others_are_named_at_the_record_that_they_have_open_in_this_service() -> None:
    sync = resting()
    records = RecordPresence(sync, HERE)
    ada, bob, other_bob = Author("ada", "d1", "c1"), Author("bob", "d2", "c2"), Author("bob", "d3", "c3")
    present = (
        Presence(ada, HERE, LOT), Presence(ada, HERE, LOT), Presence(bob, ELSEWHERE, LOT), Presence(bob, HERE, OTHER),
    )  # fmt: skip
    sync.state = replace(sync.state, present=present)
    assert (records.others(LOT), records.others(OTHER), records.others("x")) == (("ada",), ("bob",), ())
    sync.state = replace(sync.state, present=(*present, Presence(other_bob, HERE, LOT)))
    assert records.others(LOT) == ("ada", "bob (d3)")
