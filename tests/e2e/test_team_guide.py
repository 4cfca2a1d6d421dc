"""The guide's page about a team: its commands set one up on a real server, as they stand there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.e2e.packages import PROJECT
from tests.guide_blocks import block, blocks, inline_code
from tests.postgres import SUPERUSER, OwnServer
from tests.terminal import PATIENCE, quiet_environment

PAGE = "team"

_PROGRAM = 'PYTHONPATH="{tree}" exec "{python}" -m svc_tui "$@"'
_STATEMENTS = """exec "{python}" -c '
import sys, psycopg
with psycopg.connect("{url}", autocommit=True) as connection:
    connection.execute({statements})
' "$@"
"""
"""PostgreSQL's own programs do not come with the server that the tests have."""

_SERVER_PROGRAMS = {
    "createdb": 'f"CREATE DATABASE {sys.argv[1]}"',
    "createuser": 'f"CREATE ROLE {sys.argv[2]} LOGIN PASSWORD {chr(39)}open{chr(39)}"',
    "psql": "sys.stdin.read()",
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_a_team_is_set_up_as_the_page_says(own_postgres: OwnServer, service: RunningService, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    programs = {"svc-tui": _PROGRAM.format(tree=PROJECT, python=sys.executable), "pip": "exit 0"}
    for name, statements in _SERVER_PROGRAMS.items():
        url = own_postgres.url("journal" if name == "psql" else SUPERUSER)
        programs[name] = _STATEMENTS.format(python=sys.executable, url=url, statements=statements)
    for name, text in programs.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    profiles = tmp_path / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    common = f'api_key = {{ env = "SVC_API_KEY" }}\nsandbox_base_url = "{service.base_url}"\n'
    (profiles / "owner.toml").write_text(f'{common}team = "{own_postgres.url("journal")}"\n')
    # The page's own settings, but for where the server is and where the password comes from.
    settings = block(PAGE, "toml", "# profiles/work.toml")
    address = "postgresql://ada@db.example.com/journal"
    assert address in settings
    settings = settings.replace(address, own_postgres.url("journal", "ada"))
    (profiles / "work.toml").write_text(common + settings.replace('{ keyring = "svc-tui/team" }', '{ env = "ADA" }'))

    commands = [line for text in blocks(PAGE, "sh") for line in text.splitlines()]
    assert sum("svc-tui" in line for line in commands) >= 4
    assert "svc-tui team check" in inline_code(PAGE)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "\n".join([*commands, "svc-tui team check"])],
        cwd=tmp_path,
        env=quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
        | {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "SVC_TUI_PROFILE": "work",
            "EDITOR": "touch",
            "ADA": "open",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 2,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "GRANT" in done.stdout
    assert "ada" in done.stdout
