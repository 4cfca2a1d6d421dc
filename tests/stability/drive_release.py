"""Drives a released svc-tui through a day of work, and keeps what it wrote: see `tests.stability.make`.

Run with the release's own checkout on the path, so that `svc_tui` and `tests` are those of the release: its command
line against its sandbox and a team server, and its API for what only a screen does. The state directory is copied to
DIRECTORY, with every statement that the release sent to the team server and the columns it was answered with.
"""

import asyncio
import json
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg

from svc_tui.bootstrap.start import Options
from svc_tui.bootstrap.team.located_team import locate_team
from svc_tui.cli.main import main
from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace
from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.storage.team.lines import LineKind, Presence, SealedLine, ServiceScope, read_line
from tests.colleagues import at_server
from tests.fixed_keys import fixed
from tests.postgres import OwnServer
from tests.stability import held

PORT = 8761
SCOPE = StorageScope("work", Environment.LIVE, f"http://127.0.0.1:{PORT}")
API_KEY = "svc_live_key-of-the-kept-releases"
UNFINISHED = replace(held.UNTAKEN_DRAFT, draft=replace(held.UNTAKEN_DRAFT.draft, untaken=frozenset()))
STATEMENTS = "team-statements.json"
NOTE = "the lab has the sample"
DATABASE = "svc-tui.db"
LOT = "operations/lots/lot-000001"
STATE_FILES = (DATABASE, f"{DATABASE}.end", "key-fingerprints.db", "indexes/*.db", "teams/*.db")

_SECRET = "svcsec_" + "5" * 64
_PROFILE = """
base_url = "{base_url}"
team = "{team}"
team_name = "ada"
api_key = {{ env = "ADAS_KEY" }}
signing_secret = {{ env = "ADAS_SECRET" }}
"""


class Statements:
    """The statements that psycopg sends from `record` on, in order."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def record(self) -> None:
        """Note each statement with its values, and the columns of its rows by name and type."""
        cursor: Any = psycopg.AsyncCursor
        execute, executemany = cursor.execute, cursor.executemany

        async def noted_execute(self_: Any, query: str, values: Sequence[object] = (), **more: Any) -> Any:
            result = await execute(self_, query, values or None, **more)
            columns = self_.description and [[column.name, column.type_code] for column in self_.description]
            self.sent.append({"statement": query, "values": [list(values or ())], "columns": columns})
            return result

        async def noted_executemany(self_: Any, query: str, rows: Sequence[Sequence[object]], **more: Any) -> None:
            await executemany(self_, query, rows, **more)
            self.sent.append({"statement": query, "values": [list(row) for row in rows], "columns": None})

        cursor.execute, cursor.executemany = noted_execute, noted_executemany


def run(*words: str, status: int = 0) -> None:
    """Run a command line of the release, which must end with this status."""
    try:
        main(words)
    except SystemExit as ended:
        if ended.code != status:
            raise RuntimeError(f"{words}: status {ended.code}, not {status}") from None


def load(name: str) -> ModuleType:
    """Load a module of this directory, whichever `tests` is on the path."""
    spec = spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill_by_api(state: Path) -> list[SealedLine]:
    """Have the release's own stores hold what a screen leaves; gives the lines of two colleagues."""
    with tempfile.TemporaryDirectory() as directory:
        homes = Path(directory)
        for name in ("ada", "bob"):
            (homes / name).mkdir(mode=0o700)
        lines: list[SealedLine] = asyncio.run(load("release_1_0_0").fill_release(homes))
        shutil.copytree(homes / "ada", state, ignore=shutil.ignore_patterns("team.db*", "running"))
    state.chmod(0o700)
    return lines


def write_online() -> None:
    """Write while the team server is there, so that the lines are sent."""
    run("request", "PATCH", "lots/lot-000001", "-d", '{"massKg": 1.50}', "--live", "--ticket", "SUP-1")
    run("request", "PATCH", "lots/lot-000002", "-d", '{"massKg": "heavy"}', "--live", "--ticket", "SUP-2", status=1)
    run("request", "POST", "lots", "-d", '{"name": "Łódź 🚂"}', "--live")


async def meet_team(url: str, lines: list[SealedLine]) -> None:
    """Say to a team server, and ask of it, all that the release does."""
    located = locate_team(Options(), os.environ)
    async with Store.open(located.locations.database) as store:
        own = store.own_chain(located.scope, located.rules)
        await own.add(LineKind.NOTE, LOT, {"text": NOTE}, held.NOW)
    async with located.opened() as team:
        await team.sync.round()
    server = at_server(url)
    for chain in dict.fromkeys(line.chain for line in lines):
        of_chain = [line for line in lines if line.chain == chain]
        author = read_line(of_chain[0]).author
        await server.publish(author, of_chain)
        await server.lines_of(chain, 0, 500)
        await server.meet(author, [Presence(author, ServiceScope.of(SCOPE), LOT)])
    await server.news({}, 500)
    await server.machines()
    await server.counts()
    await server.version()
    await server.rights()
    await server.leave()
    await server.aclose()


def write_offline(directory: Path) -> None:
    """Write while the team server is away, and leave a run half done."""
    rows, plan = directory / "lots.csv", str(directory / "lots.plan.json")
    rows.write_text("id,name\nlot-000003,first\nlot-000004,second\nlot-000005,third\n")
    run("plan", "lots", str(rows), "-o", plan, status=4)
    # The second row is not as it was when the plan was made.
    run("request", "PATCH", "lots/lot-000004", "-d", '{"name": "meanwhile"}', "--live")
    run("apply", plan, "--live", "--ticket", "SUP-3", status=1)


async def leave_by_screen(state: Path) -> None:
    """Leave what only a screen does: a draft and a text that is not applied yet, where the release keeps these."""
    async with Store.open(state / DATABASE) as store:
        key: Sequence[Any] = ()
        if hasattr(store, "fingerprints"):
            from svc_tui.storage.key_fingerprints import KeyInUse

            key = (KeyInUse(store.fingerprints, lambda: API_KEY),)
        await store.drafts(SCOPE, *key).keep(held.DRAFT)
        if hasattr(store, "unfinished"):
            await store.unfinished(SCOPE, *key).keep(UNFINISHED)


def copy_state(state: Path, kept: Path) -> None:
    """Copy what another start needs, as small as it can be."""
    for pattern in STATE_FILES:
        for file in sorted(state.glob(pattern)):
            if file.suffix == ".db":
                with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            goal = kept / file.relative_to(state)
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, goal)


def make(kept: Path, home: Path) -> None:
    """Do the day's work with `home` as the user's home directory, and keep what it left."""
    state, profiles = home / "state" / "svc-tui", home / "config" / "svc-tui" / "profiles"
    os.environ |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "SVC_TUI_PROFILE": SCOPE.profile,
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "ADAS_KEY": API_KEY,
        "ADAS_SECRET": _SECRET,
    }
    # A line for the team names the machine.
    platform.node = lambda: "desk"
    profiles.mkdir(mode=0o700, parents=True)
    lines = fill_by_api(state)
    server, statements = OwnServer(), Statements()
    keys = fixed(IssuedKey("live", API_KEY, _SECRET))
    try:
        url = server.create_database().url
        profile = profiles / f"{SCOPE.profile}.toml"
        profile.write_text(_PROFILE.format(base_url=SCOPE.base_url, team=url))
        profile.chmod(0o600)
        run("team", "init")
        statements.record()
        with running_service(SandboxOptions(port=PORT, records=6, keys=keys)):
            write_online()
            asyncio.run(meet_team(url, lines))
            server.stop()
            write_offline(home)
            run("index", "update", "lots")
    finally:
        server.close()
    asyncio.run(leave_by_screen(state))
    copy_state(state, kept)
    (kept / STATEMENTS).write_text(json.dumps(statements.sent, default=str, indent=1) + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        make(Path(sys.argv[1]), Path(directory))
