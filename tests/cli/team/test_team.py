"""`svc-tui team`, and what `journal`, `doctor`, `request` and `apply` do in a team: on a real server and service."""

import asyncio
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from svc_tui.core.credentials import Environment
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.lines import LineKind
from svc_tui.storage.team.server_schema import VERSION, grants, quoted
from tests.cli.conftest import Run
from tests.colleagues import desk, make_team
from tests.postgres import OwnDatabase, OwnServer

LOT = "operations/lots/lot-000001"

UseTeam = Callable[..., None]


@pytest.fixture
def use_team(home: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> UseTeam:
    """Writes a profile that names a team, and chooses it."""

    def use_team(url: str, *lines: str, live: bool = False) -> None:
        key = service.key("live" if live else "sandbox")
        monkeypatch.setenv("DESK_KEY", key.api_key)
        secret: tuple[str, ...] = ()
        if key.signing_secret is not None:
            monkeypatch.setenv("DESK_SECRET", key.signing_secret)
            secret = ('signing_secret = { env = "DESK_SECRET" }',)
        directory = home / "config" / "svc-tui" / "profiles"
        directory.mkdir(parents=True, exist_ok=True)
        address = "base_url" if live else "sandbox_base_url"
        text = ['api_key = { env = "DESK_KEY" }', *secret, f'{address} = "{service.base_url}"', 'team_name = "Ada"']
        text += ([f'team = "{url}"'] if url else []) + list(lines)
        (directory / "desk.toml").write_text("\n".join(text))
        (directory / "desk.toml").chmod(0o600)
        monkeypatch.setenv("SVC_TUI_PROFILE", "desk")

    return use_team


@pytest.fixture
def url(team_database: OwnDatabase) -> str:
    asyncio.run(make_team(team_database.url))
    return team_database.url


def as_owner(url: str, *statements: str) -> None:
    """What whoever owns the tables can do."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def tamper(url: str, *statements: str) -> None:
    """Change what can't be changed, as an owner could who takes the guard away first."""
    guards = [f"ALTER TABLE svc_tui.{table} DISABLE TRIGGER {table}_stays" for table in ("line", "machine")]
    as_owner(url, *guards, *statements)


def writes_of_bob(
    home: Path,
    url: str,
    service: RunningService,
    tickets: list[str],
    name: str = "Bob [/x]\x1b[31m",
    note: str = "",
    **more: Any,
) -> None:
    """A colleague's writes to the lot, at the same service, and notes on it, which the server has then."""
    scope = StorageScope("elsewhere", Environment.SANDBOX, service.base_url)

    async def write() -> None:
        async with desk(home, url, name, machine="desk-2", scope=scope, masked=("note",)) as bob:
            for ticket in tickets:
                await bob.write(LOT, ticket=ticket, **more)
                if note:
                    await bob.own.add(LineKind.NOTE, LOT, {"text": note}, datetime.now(UTC))
            await bob.sync.round()

    asyncio.run(write())


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    """The writes of the journal, as a script gets them."""
    return [json.loads(line) for line in run("journal", *words, "--format", "jsonl").out.splitlines()]


# Setting it up


def test_the_tables_are_made_once_and_the_grants_are_those_of_the_role(
    run: Run, use_team: UseTeam, team_database: OwnDatabase
) -> None:
    use_team(team_database.url)
    ran = run("team", "init", "--role", 'ada" lovelace')
    assert (ran.status, ran.err) == (0, f"svc-tui: created the tables (schema {VERSION})\n")
    assert ran.out.decode() == grants('"ada"" lovelace"') + "\n"
    as_owner(team_database.url, 'CREATE ROLE "ada"" lovelace"', ran.out.decode(), 'DROP OWNED BY "ada"" lovelace"',
             'DROP ROLE "ada"" lovelace"')  # fmt: skip
    again = run("team", "init")
    assert (again.status, again.out.decode()) == (0, grants(quoted("team_member")) + "\n")
    assert "nothing was changed" in again.err
    as_owner(team_database.url, f"UPDATE svc_tui.schema_version SET number = {VERSION + 1}")
    newer = run("team", "init")
    assert (newer.status, newer.out) == (1, b"")
    assert "the tables are newer than this svc-tui" in newer.err
    assert run("team", "init", "--role", "").status == 2


def test_whoever_may_not_make_a_schema_is_told_so_and_that_all_is_there_where_it_is(
    run: Run, use_team: UseTeam, team_database: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM_PASSWORD", "open-sesame")
    as_role = team_database.add_role("desk", "open-sesame")
    use_team(as_role, 'team_password = { env = "TEAM_PASSWORD" }')
    ran = run("team", "init")
    assert (ran.status, ran.out, "permission denied for database" in ran.err) == (1, b"", True)
    asyncio.run(make_team(team_database.url))
    as_owner(team_database.url, grants(as_role.partition("//")[2].partition("@")[0]))
    ran = run("team", "init")
    assert (ran.status, "nothing was changed" in ran.err) == (0, True)


TEAM_LIBRARIES = ("psycopg", *(f"svc_tui.storage.team.{name}" for name in ("mirror", "own_chain", "server")))


@pytest.mark.parametrize("command", ["init", "status", "check"])
def test_a_key_from_the_environment_is_told_that_a_profile_names_a_team(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("team", command)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == (
        "svc-tui: the key comes from SVC_API_KEY, but only a profile can have a team; choose a profile with "
        "--profile NAME, or create one with: svc-tui profiles add NAME\n"
    )


@pytest.mark.parametrize("command", ["init", "status", "check"])
def test_a_profile_without_a_team_is_told_how_to_name_one_and_no_library_is_loaded(
    run: Run, use_team: UseTeam, command: str
) -> None:
    use_team("")
    ran = run("team", command)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert 'the profile desk has no team; add team = "postgresql://' in ran.err
    loaded = "import sys; from svc_tui.cli.main import main\ntry: main(sys.argv[1:])\nfinally: "
    loaded += f"sys.exit(9 if any(name.startswith({TEAM_LIBRARIES}) for name in sys.modules) else 0)"
    for words in (["team", command], ["journal"], ["request", "PATCH", LOT, "-d", "{}"]):
        ran_apart = subprocess.run([sys.executable, "-c", loaded, *words], capture_output=True, check=False)
        assert ran_apart.returncode != 9, words


# How things stand


def test_the_status_says_who_one_is_what_is_there_and_what_waits(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    writes_of_bob(home, url, service, ["SUP-1"])
    assert run("request", "PATCH", LOT, "-d", '{"note": "wet"}').status == 0
    ran = run("team", "status")
    told = dict(line.split("  ", 1) for line in re.sub(" {3,}", "  ", ran.out.decode()).splitlines())
    assert (ran.status, told["available"], told["schema"]) == (0, "yes", f"{VERSION}")
    assert (told["stored"], told["waiting"]) == ("4 entries of 2 computers", "nothing")
    assert re.fullmatch(r"Ada on .+, journal [0-9a-f]{8}", told["machine"])
    assert told["role"] == "postgres, a superuser"
    assert ran.err.startswith("svc-tui: the role postgres is a superuser and can change and delete entries;")
    document = json.loads(run("team", "status", "--json").out)
    assert (document["lines"], document["waiting"], document["superuser_or_owner"]) == (4, 0, "a superuser")
    assert document["problem"] == ""


@pytest.mark.parametrize(
    ("setup", "missing", "status"),
    [
        ("", ["USAGE on schema svc_tui", "SELECT on schema_version", "SELECT on machine"], 1),
        ("{grants} REVOKE INSERT ON svc_tui.line FROM {role};", ["INSERT on line"], 1),
        ("{grants} GRANT DELETE ON svc_tui.line TO {role};", [], 0),
    ],
)
def test_a_role_with_too_few_or_too_many_rights_is_told(
    run: Run, use_team: UseTeam, url: str, team_database: OwnDatabase, monkeypatch: pytest.MonkeyPatch,
    setup: str, missing: list[str], status: int,
) -> None:  # fmt: skip
    monkeypatch.setenv("TEAM_PASSWORD", "open-sesame")
    as_role = team_database.add_role("desk", "open-sesame")
    role = as_role.partition("//")[2].partition("@")[0]
    as_owner(url, setup.format(grants=grants(role), role=role))
    use_team(as_role, 'team_password = { env = "TEAM_PASSWORD" }')
    ran = run("team", "status", "--json")
    document = json.loads(ran.out)
    assert (ran.status, document["role"]) == (status, role)
    assert document["missing_rights"][: len(missing)] == missing
    assert bool(document["problem"]) == bool(missing)
    assert ("DELETE on line" in ran.err, document["excessive_rights"]) == (
        (True, ["DELETE on line"]) if "DELETE" in setup else (False, [])
    )
    assert "sesame" not in ran.out.decode() + ran.err


@pytest.mark.parametrize(
    ("statement", "schema", "words"),
    [
        (f"UPDATE svc_tui.schema_version SET number = {VERSION + 1}", VERSION + 1, "newer"),
        ("DROP SCHEMA svc_tui CASCADE", 0, "svc-tui team init"),
    ],
)
def test_a_schema_of_another_version_is_told(
    run: Run, use_team: UseTeam, url: str, statement: str, schema: int, words: str
) -> None:
    use_team(url)
    as_owner(url, statement)
    ran = run("team", "status", "--json")
    document = json.loads(ran.out)
    assert (ran.status, document["schema"], document["usable"]) == (1, schema, False)
    assert words in document["problem"]
    assert run("team", "check").status == 1


def test_a_server_that_is_away_or_refuses_is_told_with_a_status_of_its_own(
    run: Run, use_team: UseTeam, team_database: OwnDatabase, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_team(f"postgresql:///team?host={home}")
    for command in ("init", "status", "check"):
        ran = run("team", command)
        assert (ran.status, "can't be reached: " in ran.err + ran.out.decode()) == (3, True)
    use_team(team_database.url.replace(team_database.name, "nowhere"))
    assert "does not have this role or database" in run("team", "status").out.decode()
    as_role = team_database.add_role("desk", "open-sesame")
    monkeypatch.setenv("TEAM_PASSWORD", "wrong")
    use_team(as_role, 'team_password = { env = "TEAM_PASSWORD" }')
    ran = run("team", "check")
    assert (ran.status, "refused the password" in ran.err) == (1, True)
    monkeypatch.delenv("TEAM_PASSWORD")
    ran = run("team", "check")
    assert (ran.status, "team_password" in ran.err) == (2, True)


def test_without_the_library_one_is_told_how_to_get_it_and_everything_else_works(
    run: Run, use_team: UseTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_team("postgresql:///journal?host=/run")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in ("server", "server_schema"):
        monkeypatch.delitem(sys.modules, f"svc_tui.storage.team.{name}", raising=False)
    for command in ("init", "status", "check"):
        ran = run("team", command)
        assert (ran.status, "pip install 'svc-tui[team]'" in ran.err) == (2, True)
    assert run("request", "PATCH", LOT, "-d", '{"note": "wet"}').status == 0
    ran = run("journal")
    assert (ran.status, "pip install 'svc-tui[team]'" in ran.err) == (0, True)
    assert b"lot-000001" in ran.out
    assert team_check(run) == (
        "failed", "the team journal needs an additional package: pip install 'svc-tui[team]'",
    )  # fmt: skip


# Whether it is as it was written


def checked(run: Run) -> tuple[int, dict[str, list[tuple[int, int, str]]]]:
    """The exit status, and what is wrong with each chain, by the machine."""
    ran = run("team", "check", "--json")
    return ran.status, {
        chain["machine"]: [(one["first"], one["last"], one["what"]) for one in chain["problems"]]
        for chain in json.loads(ran.out)["chains"]
    }


OF_BOB = "(SELECT chain FROM svc_tui.machine WHERE machine = 'desk-2')"


def test_each_chain_is_checked_and_what_was_changed_taken_out_or_cut_off_is_told(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    assert checked(run) == (0, {})
    writes_of_bob(home, url, service, ["SUP-1", "SUP-2", "SUP-3"])
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}')
    run("journal")
    ran = run("team", "check")
    assert ran.status == 0
    assert ran.err == "svc-tui: 8 entries of 2 computers, all journals intact\n"
    assert "\x1b" not in ran.out.decode()
    assert "(this computer), journal" in ran.out.decode()
    changed = "UPDATE svc_tui.line SET body = replace(body, 'SUP-1', 'SUP-9') WHERE sequence = 1"
    gone = "DELETE FROM svc_tui.line WHERE sequence IN (3, 6)"
    tamper(url, f"{changed} AND chain = {OF_BOB}", f"{gone} AND chain = {OF_BOB}")
    status, found = checked(run)
    assert status == 1
    assert found.pop("desk-2") == [
        (1, 1, "was changed after it was written"),
        (3, 3, "missing"),
        (6, 6, "missing at the end of the journal"),
    ]
    assert list(found.values()) == [[]]
    lines = run("team", "check").out.decode()
    assert "    entry 1 was changed after it was written\n" in lines
    assert "    entry 3 is missing\n" in lines
    tamper(
        url, f"DELETE FROM svc_tui.line WHERE chain = {OF_BOB}", "DELETE FROM svc_tui.machine WHERE machine = 'desk-2'"
    )
    assert checked(run)[1]["desk-2"] == [(1, 6, "missing, and so is the name of the computer")]


def test_a_chain_that_was_written_anew_and_is_sound_is_told_by_what_is_known_here(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    writes_of_bob(home, url, service, ["SUP-1"])
    run("journal")
    sealed = r"chain || E'\n' || sequence || E'\n' || previous || E'\ntwo'"
    digest = f"encode(sha256(convert_to({sealed}, 'UTF8')), 'hex')"
    tamper(url, f"UPDATE svc_tui.line SET body = 'two', digest = {digest} WHERE sequence = 2 AND chain = {OF_BOB}")
    status, found = checked(run)
    assert (status, found["desk-2"]) == (
        1, [(2, 2, "differs from the copy on this computer: the journal was rewritten")],
    )  # fmt: skip
    assert "2 entries, 1 of them can't be read" in run("team", "check").out.decode()


def test_what_this_machine_sent_is_missed_even_where_it_has_no_copy_of_it(
    run: Run, use_team: UseTeam, url: str, home: Path
) -> None:
    use_team(url)
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}')
    for copy in (home / "state" / "svc-tui" / "teams").iterdir():
        copy.unlink()
    assert checked(run)[0] == 0
    tamper(url, "DELETE FROM svc_tui.line WHERE sequence = 2")
    status, found = checked(run)
    assert (status, list(found.values())) == (1, [[(2, 2, "missing at the end of the journal")]])
    tamper(url, "DELETE FROM svc_tui.line", "DELETE FROM svc_tui.machine")
    assert list(checked(run)[1].values()) == [[(1, 2, "missing, and so is the name of the computer")]]


# The doctor


def team_check(run: Run) -> tuple[str, str]:
    """What the doctor says of the team."""
    (check,) = [one for one in json.loads(run("doctor", "--json").out)["checks"] if one["check"] == "team"]
    return check["verdict"], check["message"]


def test_the_doctor_tells_of_the_server_the_role_what_waits_and_broken_chains(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    verdict, message = team_check(run)
    assert verdict == "warning"
    assert message == (
        f"reachable as postgres, schema {VERSION}; everything sent; the role has too many rights: a superuser"
    )
    writes_of_bob(home, url, service, ["SUP-1"])
    run("journal")
    tamper(url, f"DELETE FROM svc_tui.line WHERE sequence = 2 AND chain = {OF_BOB}")
    run("journal")
    verdict, message = team_check(run)
    assert (verdict, "from entry 2: entries are missing at the end" in message) == ("failed", True)
    use_team(f"postgresql:///team?host={home}")
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}')
    verdict, message = team_check(run)
    assert (verdict, message.endswith("; 2 entries not sent yet"), "can't be reached" in message) == (
        "warning",
        True,
        True,
    )
    use_team(f"postgresql:///team?host={home}", "team_required = true")
    assert team_check(run)[0] == "failed"


# The journal


def test_colleagues_writes_stand_among_ones_own_with_who_and_when(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}', "--ticket", "SUP-1")
    writes_of_bob(home, url, service, ["SUP-1", "SUP-2"], after={"grade": "B", "note": "secret"})
    run("request", "PATCH", "operations/lots/lot-000002", "-d", '{"note": "dry"}', "--ticket", "SUP-2")
    newest, second, first, oldest = rows(run)
    assert [row["by"] for row in (newest, second, first, oldest)] == ["Ada", *["Bob [/x]\x1b[31m"] * 2, "Ada"]
    assert (second["machine"], second["number"], second["profile"], second["kept_back"]) == (
        "desk-2",
        None,
        "",
        ["note"],
    )
    assert (second["after"], second["ticket"], second["result"]) == ({"grade": "B"}, "SUP-2", "done")
    assert all(re.fullmatch(r"20.*Z", row["received"]) for row in (newest, second, first, oldest))
    assert (newest["number"], newest["profile"]) == (3, "desk")
    assert [row["ticket"] for row in rows(run, "--ticket", "SUP-2")] == ["SUP-2", "SUP-2"]
    assert [row["by"] for row in rows(run, "--record", "lots/lot-000002")] == ["Ada"]
    assert len(rows(run, "--record", LOT)) == 3
    assert [row["by"] for row in rows(run, "--max-items", "2")] == [newest["by"], second["by"]]
    assert (len(rows(run, "--since", "1h")), rows(run, "--since", "2100-01-01")) == (4, [])
    table = run("journal")
    assert table.err == "svc-tui: 4 writes to 2 records (2 by colleagues)\n"
    lines = table.out.decode().splitlines()
    assert lines[0].split()[:3] == ["when", "by", "method"]
    assert "(masked: note)" in lines[2]
    assert "\x1b" not in table.out.decode()
    heads = next(csv.reader(io.StringIO(run("journal", "--ticket", "none", "--format", "csv").out.decode())))
    assert heads[-4:] == ["by", "machine", "received", "kept_back"]


def test_the_case_file_goes_across_colleagues_with_who_and_their_notes(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}', "--ticket", "SUP-1")
    writes_of_bob(home, url, service, ["SUP-1"], name="Ada", note="Call +48 601 234 567 ``` first")
    case = run("journal", "--ticket", "SUP-1", "--case-file").out.decode()
    assert case.count("### PATCH") == 2
    assert case.count("- by: `Ada` on `desk-2`") == 1
    assert "## Team notes (1)" in case
    assert "Call +48 601 234 567 ``` first" in case
    assert "601 234" not in run("journal", "--case-file", "--mask").out.decode()
    # Two people with one name are told apart.
    lines = run("journal").out.decode().splitlines()
    assert [("Ada (desk-2)" in line, "Ada (" in line) for line in lines[1:]] == [(True, True), (False, True)]


def test_ones_own_alone_ask_nobody_and_look_as_without_a_team(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    use_team(url)
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}')
    writes_of_bob(home, url, service, ["SUP-1"])
    use_team(f"postgresql:///team?host={home}")
    (own,) = rows(run, "--mine")
    assert "by" not in own
    assert run("journal", "--mine").err == "svc-tui: 1 write to 1 record\n"


def test_while_the_server_is_away_the_copy_is_told_with_how_far_it_goes(
    run: Run, use_team: UseTeam, own_postgres: OwnServer, service: RunningService, home: Path
) -> None:
    url = own_postgres.create_database().url
    asyncio.run(make_team(url))
    use_team(url)
    writes_of_bob(home, url, service, ["SUP-1"])
    assert len(rows(run)) == 1
    own_postgres.stop()
    run("request", "PATCH", LOT, "-d", '{"note": "wet"}', "--ticket", "SUP-1")
    newest, older = rows(run)
    assert (newest["by"], newest["received"], older["machine"]) == ("Ada", None, "desk-2")
    ran = run("journal")
    assert ran.status == 0
    assert re.search(r"can't be reached: .*; colleagues' writes are loaded up to 20\d\d-", ran.err)
    own_postgres.start()
    run("journal")
    assert [row["received"] is None for row in rows(run)] == [False, False]


# Writes from the command line


def test_what_was_written_is_told_at_once_and_waits_where_that_can_not_be(
    run: Run, use_team: UseTeam, url: str, home: Path
) -> None:
    use_team(f"postgresql:///team?host={home}")
    ran = run("request", "PATCH", LOT, "-d", '{"note": "wet"}')
    assert (ran.status, ran.err) == (0, "")
    use_team(url)
    plan, file = home / "lots.plan.json", home / "lots.csv"
    file.write_text("id,note\nlot-000001,damp\nlot-000002,dry\n")
    run("plan", "lots", str(file), "-o", str(plan))
    assert run("apply", str(plan)).status == 0
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM svc_tui.line").fetchone() == (6,)


def test_live_is_read_only_without_the_team_where_the_profile_says_so(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path
) -> None:
    plan, file = home / "lots.plan.json", home / "lots.csv"
    file.write_text("id,note\nlot-000001,damp\n")
    use_team(f"postgresql:///team?host={home}", "team_required = true", live=True)
    run("plan", "lots", str(file), "-o", str(plan))
    sent = len(service.attempts)
    for words in (["request", "PATCH", LOT, "-d", '{"note": "wet"}'], ["apply", str(plan)]):
        ran = run(*words, "--live")
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
        assert (
            "nothing was sent: writes on LIVE need the team server (team_required in the profile desk), but" in ran.err
        )
    assert len(service.attempts) == sent
    assert run("request", "GET", LOT).status == 0
    use_team(url, "team_required = true", live=True)
    assert run("request", "PATCH", LOT, "-d", '{"note": "wet"}', "--live").status == 0
    as_owner(url, f"UPDATE svc_tui.schema_version SET number = {VERSION + 1}")
    assert run("apply", str(plan), "--live").status == 2


def test_a_plan_that_a_colleague_has_applied_creates_no_record_again(
    run: Run, use_team: UseTeam, url: str, service: RunningService, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def posts() -> list[str | None]:
        return [one.idempotency_key for one in service.attempts if one.method == "POST"]

    use_team(url)
    plan, file = home / "lots.plan.json", home / "lots.csv"
    file.write_text("id,name\n,First\n,Second\n")
    run("plan", "lots", str(file), "-o", str(plan))
    assert run("apply", str(plan)).status == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "second"))
    ran = run("apply", str(plan))
    assert (ran.status, "svc-tui: 2 of 2 rows done\n" in ran.err, len(posts())) == (0, True, 2)
    report = (home / "lots.plan.outcome.csv").read_text()
    assert re.search(r"already so,Ada on .* created lot-000031 from the same plan", report)
    # What was undone since is created anew, with a key of its own.
    run("request", "DELETE", "lots/lot-000031")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "third"))
    assert run("apply", str(plan)).status == 0
    assert len(set(posts())) == len(posts()) == 3


def test_a_plan_is_applied_without_the_teams_server_and_says_what_is_not_known(
    run: Run, use_team: UseTeam, home: Path
) -> None:
    use_team(f"postgresql:///team?host={home}")
    plan, file = home / "lots.plan.json", home / "lots.csv"
    file.write_text("id,name\n,First\n")
    run("plan", "lots", str(file), "-o", str(plan))
    ran = run("apply", str(plan))
    assert (ran.status, "a colleague may have applied this plan already" in ran.err) == (0, True)
