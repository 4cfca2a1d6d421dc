"""The first moments with a team: what is done before any of it is loaded misses nothing."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.colleagues import at_server, make_team
from tests.flows.steps import RECORD, at_name, heard, renamed, stored_field, unlocked
from tests.postgres import OwnDatabase


@pytest.fixture(autouse=True)
def _long_first_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_tui.team.team.START_SECONDS", 3_600.0)


def is_loaded(user: User) -> bool:
    """Whether anything of the team was needed so far."""
    team = user.app.main.session.team
    assert team is not None
    return team._is_made


async def test_the_first_records_need_nothing_of_the_team_and_a_write_is_shared_all_the_same(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    await make_team(team_database.url)
    async with browser(service, tmp_path, place="lots", team=team_database.url) as user:
        await at_name(user)
        await user.settled()
        assert not is_loaded(user)
        await renamed(user, "At once")
        await user.press("ctrl+s")
        await user.sees("y Send")
        await user.press("y")
        await heard(user, rf"Saved {RECORD}")
        team = user.app.main.session.team
        assert team is not None
        await team.sync.publish()
    server = at_server(team_database.url)
    assert (await server.counts())["lines"] == 2
    await server.aclose()


async def test_live_waits_for_a_team_that_is_required_before_any_of_it_is_loaded(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    await make_team(team_database.url)
    async with browser(service, tmp_path, key="live", place="lots", team=team_database.url, team_required=True) as user:
        await at_name(user)
        assert not is_loaded(user)
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.sees("READ ONLY")
        await renamed(user, "Too early")
        await user.press("ctrl+s")
        await user.sees(r"Waiting for the team server\.")
        await user.press("y")
        await user.sees(r"not sent: waiting for the team server")
        assert stored_field(service, "name") != "Too early"


async def test_a_second_person_is_asked_for_from_the_first_key_on(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    await make_team(team_database.url)
    async with browser(
        service, tmp_path, key="live", place="lots", team=team_database.url, approve=("update",)
    ) as user:
        await at_name(user)
        assert not is_loaded(user)
        await unlocked(user)
        await renamed(user, "Unseen")
        await user.press("ctrl+s")
        await user.sees(r"Needs approval \(rule")
        await user.press("y")
        await heard(user, "Nothing is sent yet")
        assert stored_field(service, "name") != "Unseen"
        team = user.app.main.session.team
        assert team is not None
        assert [ask.change.after for ask in (await team.approvals.overview()).mine] == [{"name": "Unseen"}]
