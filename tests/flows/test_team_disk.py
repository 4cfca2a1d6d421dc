"""A team server whose disk is full, for real: what is written here waits, and goes when there is room again."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.team.lines import LineKind
from tests.browser import browser
from tests.colleagues import make_team
from tests.flows.steps import heard
from tests.postgres import OwnServer, disk_problem

PLACE = "operations/lots/lot-000002"


@pytest.fixture
def small_postgres() -> Iterator[OwnServer]:
    if problem := disk_problem():
        pytest.skip(problem)
    server = OwnServer(disk_megabytes=160)
    yield server
    server.close()


async def test_a_disk_that_is_full_is_told_and_what_waits_goes_when_there_is_room(
    service: RunningService, small_postgres: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("svc_tui.team.sync._LONGEST_PAUSE_SECONDS", 0.2)
    url = small_postgres.create_database().url
    await make_team(url)
    async with browser(service, tmp_path, place="lots", team=url, size=(160, 44)) as user:
        await user.sees("lot-000002")
        team = user.app.main.session.team
        assert team is not None
        await user.until(lambda: team.connected is True, "the server never answered")
        small_postgres.fill_disk()
        # More than what is left of the pages that the tables have.
        for _ in range(40):
            content = {"text": secrets.token_hex(1_000)}
            await team.own.add(LineKind.NOTE, PLACE, content, datetime.now(UTC))
        team.sync.nudge()
        await heard(
            user,
            r"can't store more entries: its disk is full; entries stay on this computer and are sent later\s+"
            r"40 journal entries are waiting to be shared",
        )
        await user.puts_away_notices()
        await user.sees(r"team offline · 40 not shared")
        assert await team.own.count_waiting() == 40
        small_postgres.clear_disk()
        await heard(user, "Team server connected")
        await user.loses("team offline")
        assert await team.own.count_waiting() == 0
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM svc_tui.line").fetchone() == (40,)
