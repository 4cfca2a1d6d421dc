"""A second person on LIVE: two desks over a real service and a real PostgreSQL, one of them without a screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from svc_tui.core.credentials import Environment
from svc_tui.core.records import Place, Record
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.server import TeamServer
from svc_tui.storage.team.team_url import TeamUrl
from svc_tui.team.asks import Ask, AskState, VerdictKind
from svc_tui.team.sync import TeamSync
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.write_requests import build_delete_request
from tests.browser import User, browser
from tests.desks import Desk, a_desk
from tests.flows.steps import (
    LOTS,
    RECORD,
    at_name,
    changed_elsewhere,
    goes_to,
    heard,
    renamed,
    reviewed,
    stored,
    stored_field,
    unlocked,
)
from tests.flows.test_acting import new_lot
from tests.flows.test_marked_runs import planned
from tests.postgres import OwnDatabase


@asynccontextmanager
async def bobs_desk(
    service: RunningService, database: OwnDatabase, directory: Path
) -> AsyncIterator[tuple[Desk, TeamSync]]:
    """A colleague, and what keeps his lines together with the team's; the schema is made with him."""
    server = TeamServer(TeamUrl.parse(database.url), str)

    async def connect() -> TeamServer:
        return server

    await server.init()
    try:
        scope = StorageScope("theirs", Environment.LIVE, service.base_url)
        async with a_desk(directory, scope, "bob", "attic", rules=["delete"]) as bob:
            yield bob, TeamSync(bob.own, bob.mirror, connect)
    finally:
        await server.aclose()


async def arrived(user: User, bob: Desk, sync: TeamSync, word: str) -> Ask:
    """The ask with this word, once bob has it."""
    found: list[Ask] = []
    for _ in range(600):
        await sync.round()
        found = [ask for ask in (await bob.approvals.overview()).others if ask.change.word == word]
        if found:
            return found[0]
        await user.pilot.pause(0.1)
    raise AssertionError(f"{word} never came")


async def says(user: User, bob: Desk, sync: TeamSync, ask: Ask, kind: VerdictKind, word: str) -> None:
    """Have bob say something, and hear it here at once."""
    assert await bob.approvals.verdict(ask, kind, word, ()) == ""
    await sync.round()
    team = user.app.main.session.team
    assert team is not None
    team.sync.nudge()


async def asked(user: User, word: str) -> None:
    """Write a word on the card that is open, and ask."""
    await user.sees(r"Needs approval \(rule")
    await user.press("m")
    await user.types(word)
    await user.press("enter")


async def test_a_colleague_approves_what_is_sent_then_and_the_journal_says_who(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    rules = ("update", "delete")
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        browser(
            service, tmp_path / "ada", key="live", place="lots", team=team_database.url, team_name="ada", approve=rules
        ) as user,
    ):
        # What is refused stays as an edit; asked again and approved, it is sent at once where LIVE is unlocked.
        await at_name(user)
        await renamed(user, "Ada's")
        await reviewed(user)
        await asked(user, "a slip")
        await user.press("y")
        await user.sees("Nothing is sent yet")
        ask = await arrived(user, bob, sync, "a slip")
        await says(user, bob, sync, ask, VerdictKind.REFUSED, "which ticket?")
        await user.sees("which ticket")
        await user.puts_away_notices()
        await reviewed(user)
        await asked(user, "SUP-4711 is it")
        await user.press("y")
        await user.sees("Nothing is sent yet")
        await user.puts_away_notices()
        await unlocked(user)
        ask = await arrived(user, bob, sync, "SUP-4711 is it")
        assert ask.change.after == {"name": "Ada's"}
        assert stored_field(service, "name") != "Ada's"
        await says(user, bob, sync, ask, VerdictKind.APPROVED, "")
        await user.sees("Saved [a-z]+-")
        assert stored_field(service, "name") == "Ada's"
        await user.puts_away_notices()
        await user.press("@", "enter")
        await user.sees(r"approved by +bob")
        await user.press("escape", "escape")
        # Approved while LIVE is locked, it is sent from the list.
        await user.press("w")
        await user.sees("LOCKED")
        await user.puts_away_notices()
        await user.press("delete")
        await user.sees("Searched")
        await user.press("shift+tab")
        await user.types("double")
        await user.press("enter")
        await user.types(RECORD)
        await user.press("enter")
        await user.sees("Nothing is sent yet")
        await user.puts_away_notices()
        ask = await arrived(user, bob, sync, "double")
        await says(user, bob, sync, ask, VerdictKind.APPROVED, "yes")
        await user.sees("1 approved")
        await user.puts_away_notices()
        await user.press("@")
        await user.sees("─ Journal")
        await user.press("A")
        await user.sees("1 of your requests approved")
        await user.press("enter")
        await user.sees("the record has not changed since the request")
        await user.press("end", "y")
        await user.sees("Unlock sending")
        assert stored(service, RECORD) is not None
        await user.types("live")
        await user.press("enter")
        await user.sees(f"Deleted {RECORD}")
        assert stored(service, RECORD) is None


async def test_what_a_colleague_asks_for_is_looked_at_beside_what_is_now(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        browser(service, tmp_path / "ada", key="live", place="lots", team=team_database.url, team_name="ada") as user,
    ):
        place = Place(LOTS, "lot-000003")
        shown = stored(service, place.id)
        assert shown is not None
        change = ProposedChange(("delete",), place.key, build_delete_request(place))
        await bob.approvals.ask(Proposal(change, place, Record(shown)), "SUP-1", "[/x] \x1b[31mplease", ())
        await changed_elsewhere(service, place.id, name="Other")
        await sync.round()
        team = user.app.main.session.team
        assert team is not None
        team.sync.nudge()
        await user.sees("1 to approve")
        await goes_to(user, "lots")
        await user.press("@")
        await user.sees("─ Journal")
        await user.press("A")
        await user.sees("Approvals · 1 to approve")
        await user.press("enter")
        await user.sees("Changed since the request: name")
        await user.press("m")
        await user.types("look again")
        await user.press("enter", "n")
        await user.sees("Your answer goes to bob")
        await user.loses("1 to approve")
        for _ in range(600):
            await sync.round()
            (ask,) = (await bob.approvals.overview()).mine
            if ask.state is not AskState.WAITING:
                break
            await user.pilot.pause(0.1)
        assert (ask.state, ask.deciding[0].author.name, ask.deciding[0].word) == (
            AskState.REFUSED,
            "ada",
            "look again",
        )


async def test_the_list_follows_what_comes_and_the_form_of_what_was_sent_from_it_goes(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        browser(
            service, tmp_path / "ada", key="live", place="lots", team=team_database.url, team_name="ada",
            approve=("create",),
        ) as user,
    ):  # fmt: skip
        await new_lot(user, name="From a form")
        await user.press("ctrl+s")
        await asked(user, "a new one")
        await user.press("y")
        await user.sees("Nothing is sent yet")
        await user.press("escape")
        await user.loses("╭─ New record")
        ask = await arrived(user, bob, sync, "a new one")
        await user.puts_away_notices()
        await user.press("@")
        await user.sees("─ Journal")
        await user.press("A")
        await user.sees(r"╭─ Approvals ─[\s\S]+POST operations/lots .*waiting")
        # While it is open: an answer, a colleague's own ask, which comes first, and the approval.
        await says(user, bob, sync, ask, VerdictKind.ANSWER, "which one?")
        await user.sees(r"POST operations/lots .*replied")
        place = Place(LOTS, "lot-000003")
        change = ProposedChange(("delete",), place.key, build_delete_request(place))
        await bob.approvals.ask(Proposal(change, place, Record(stored(service, place.id) or {})), "", "mine", ())
        await says(user, bob, sync, ask, VerdictKind.APPROVED, "fine")
        await user.sees(
            r"1 to approve · 1 of your requests approved[\s\S]+lot-000003[\s\S]+POST operations/lots .*approved"
        )
        await user.puts_away_notices()
        await user.press("enter")
        await user.sees(r"a new one[\s\S]+y Send")
        # The form may go on to something else, which is not sent then: only what was sent is done with.
        forms = user.app.main.session.form_store
        assert [kept.form.values for kept in await forms.all()] == [{"name": "From a form"}]
        await user.press("end", "y")
        await user.sees("Unlock sending")
        await user.types("live")
        await user.press("enter")
        await heard(user, "Created")
        await user.settled()
        assert await forms.all() == []
        assert not user.app.main.features.unsent_forms.all


async def test_many_changes_are_approved_as_one_and_sent_from_the_list(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    rules = ("batch>2",)
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        browser(
            service, tmp_path / "ada", key="live", place="lots", team=team_database.url, team_name="ada", approve=rules
        ) as user,
    ):
        await user.sees(RECORD)
        await unlocked(user)
        await planned(user, "mineral", "testite", marked=3)
        await user.press("y")
        await user.sees("The rule batch>2 requires approval")
        await user.types("all three")
        await user.press("enter")
        await user.sees("Nothing is sent yet")
        await user.puts_away_notices()
        ask = await arrived(user, bob, sync, "all three")
        assert ask.change.plan is not None
        assert (ask.change.plan.title, ask.change.plan.rows) == ("mineral of 3 lots", 3)
        await user.press("escape")
        await says(user, bob, sync, ask, VerdictKind.APPROVED, "")
        await user.sees("1 approved")
        await user.puts_away_notices()
        await user.press("@")
        await user.sees("─ Journal")
        await user.press("A")
        await user.sees("1 of your requests approved")
        await user.press("enter")
        await user.sees("y Send")
        await user.press("end", "y")
        await user.sees(r" LIVE   Change mineral of 3 lots")
        await user.press("y")
        await user.sees("Type 3 and press enter")
        await user.types("3")
        await user.press("enter")
        await heard(user, r"3 records changed\.")
        entries = await user.store.journal(user.scope).entries()
        assert {(entry.intent.approval, entry.intent.approved_by) for entry in entries} == {(ask.id, "bob")}
        await user.loses("1 approved")
