"""A team around one journal, at one of its desks: what colleagues wrote, who has what open, and a server that goes."""

from collections.abc import Callable
from pathlib import Path

from svc_tui.core.credentials import Environment
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.lines import Presence, ServiceScope
from svc_tui.ui.journal.journal_screen import JournalScreen
from tests.browser import User, browser
from tests.colleagues import Desk, desk, make_team
from tests.flows.steps import LOTS, RECORD, at_name, changed_elsewhere, chosen, heard, renamed, stored_field, unlocked
from tests.flows.test_record_tabs import to_tab
from tests.postgres import OwnDatabase, OwnServer

PLACE = f"{LOTS.key}/{RECORD}"
HOSTILE = "[/x]\x1b[2Jeve"


def scope_of(service: RunningService, environment: Environment = Environment.SANDBOX) -> StorageScope:
    """The scope of a desk whose profile for the service has a name of its own."""
    return StorageScope("theirs", environment, service.base_url)


def has_open(one: Desk, scope: StorageScope, *places: str) -> None:
    """Have a desk say at its next round that these places are open for editing there, and no others."""
    service, here = ServiceScope.of(scope), Author("", "")
    one.sync.open_places.clear()
    one.sync.open_places.update(Presence(here, service, place) for place in places)


async def meets(user: User, one: Desk, holds: Callable[[], bool], complaint: str) -> None:
    """Have both programs speak with the server until it holds."""
    team = user.app.main.session.team
    assert team is not None
    for _ in range(200):
        await one.sync.round()
        team.sync.nudge()
        for _ in range(10):
            await user.pilot.pause(0.01)
            if holds():
                return
    raise AssertionError(f"{complaint}:\n{user.text}")


async def test_colleagues_writes_and_who_has_the_record_open_are_seen_where_one_works(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    await make_team(team_database.url)
    scope = scope_of(service)
    async with (
        desk(tmp_path, team_database.url, "bob", scope=scope) as bob,
        desk(tmp_path, team_database.url, HOSTILE, machine="desk-9", scope=scope) as eve,
    ):
        before = {"grade": str(stored_field(service, "grade")), "name": str(stored_field(service, "name"))}
        await changed_elsewhere(service, RECORD, name="Bob's lot")
        await bob.write(PLACE, before={"name": before["name"]}, after={"name": "Bob's lot"}, ticket="SUP-7")
        await eve.write(PLACE, before={"grade": "1"}, after={"grade": "2"}, result="refused")
        await bob.sync.round()
        await eve.sync.round()
        async with browser(service, tmp_path / "me", place=f"lots/{RECORD}", team=team_database.url) as user:
            await user.sees(rf"╭─ {RECORD} ")
            await to_tab(user, "History")
            # The story is told anew when the first lines have come.
            await user.sees(r'bob[\s\S]+name: "[\s\S]+SUP-7')
            await user.sees(r"\[/x\](␛|…)")
            await user.press("at")
            await user.sees(r'\[/x\]␛\[2Jeve  grade[\s\S]+bob  name: "|bob  name[\s\S]+\[/x\]␛\[2Jeve  grade')
            assert isinstance(user.app.screen, JournalScreen)
            await user.press("escape")
            # Somebody has it open, which is seen beside its name.
            has_open(bob, scope, PLACE)
            await meets(user, bob, lambda: f"{RECORD} · bob is editing" in user.text, "nobody is seen at the record")
            # What bob did is taken back, by a write of one's own.
            await user.press("u")
            await user.sees(r"Restores ")
            await chosen(user, "bob  Change")
            await user.sees(r"bob has this record open for editing\.")
            await user.sees(r"bob changed this record (just now|\d+ min ago)\.")
            await meets(user, bob, lambda: [one.place for one in bob.sync.state.present] == [PLACE], "bob sees nobody")
            has_open(bob, scope)
            await meets(user, bob, lambda: "has this record open" not in user.text, "bob is still seen")
            await user.press("y")
            await heard(user, rf"Undone: change of {RECORD}")
            assert stored_field(service, "name") == before["name"]
            await user.sees(rf"╭─ {RECORD} ─")
            await meets(user, bob, lambda: not bob.sync.state.present, "what was sent is still open")
            await user.puts_away_notices()
            await user.sees(r"you +[\s\S]+bob")


async def test_a_colleagues_run_is_taken_back_as_one(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    await make_team(team_database.url)
    ids = ("lot-000004", "lot-000005")
    names = {record_id: str(stored_field(service, "name", record_id)) for record_id in ids}
    async with desk(tmp_path, team_database.url, "bob", scope=scope_of(service)) as bob:
        for record_id, name in names.items():
            await changed_elsewhere(service, record_id, name="Bob's lot")
            place = f"{LOTS.key}/{record_id}"
            await bob.write(place, before={"name": name}, after={"name": "Bob's lot"}, batch="bobs-run")
        await bob.sync.round()
        async with browser(service, tmp_path / "me", place="lots", team=team_database.url) as user:
            await user.sees(r"│ lot-000004\b")
            team = user.app.main.session.team
            assert team is not None
            await user.until(lambda: team.state.news > 0, "nothing came from bob")
            await user.press("u")
            await chosen(user, "2 changes · name of 2 lots")
            await user.sees(r"Undo[\s\S]+lot-000005[\s\S]+lot-000004")
            await user.press("y")
            await heard(user, r"2 records changed\.")
            assert {record_id: stored_field(service, "name", record_id) for record_id in ids} == names


async def test_without_the_server_keys_answer_and_live_waits_where_the_profile_asks_for_it(
    service: RunningService, own_postgres: OwnServer, tmp_path: Path
) -> None:
    url = own_postgres.create_database().url
    await make_team(url)
    async with browser(
        service, tmp_path, key="live", place="lots", team=url, team_required=True, size=(80, 24)
    ) as user:
        await unlocked(user)
        await at_name(user)
        await renamed(user, "By me")
        own_postgres.stop()
        await user.sees(r"READ ONLY +team offline")
        await heard(user, r"Team server offline\. The team server ")
        await user.puts_away_notices()
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002 ═+ READ ONLY[\s\S]+The team is offline\.")
        await user.press("y")
        await user.sees(r"not sent: waiting for the team server")
        await user.press("w")
        await heard(user, r"LIVE is read-only until the team server responds")
        await user.puts_away_notices()
        own_postgres.start()
        await heard(user, "Team server connected")
        await user.puts_away_notices()
        await user.sees(r"WRITABLE \d+:\d\d[\s\S]+y Send")
        await user.press("y")
        await heard(user, f"Saved {RECORD}")
        await user.loses("team offline")
        assert stored_field(service, "name") == "By me"
