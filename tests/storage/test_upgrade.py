"""The upgrade of a database of an earlier version: copied beside it first, and complete wherever it is interrupted."""

import asyncio
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import check_chain
from svc_tui.storage.schema import VERSION
from svc_tui.storage.store import Store
from tests.stability import held
from tests.stability.make import RELEASES, store_file

EARLIER = 11
"""The schema of 1.0.0."""

EARLIER_STORE = store_file(EARLIER)

KILLED = """
import os, signal, sys
from pathlib import Path
from svc_tui.storage import database

def killed_at(line, path):
    count = 0
    def trace(frame, event, _):
        nonlocal count
        if frame.f_code.co_filename != database.__file__:
            return None
        count += event == "line"
        if count == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    database.open_database(path)
    sys.settrace(None)

line = 0
while True:
    line += 1
    directory = Path(sys.argv[1]) / str(line)
    child = os.fork()
    if not child:
        killed_at(line, directory / "svc-tui.db")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    print(line, flush=True)
"""
"""Opens copies of a database, each killed one line of the module `database` later, until one is not killed."""

MAX_LINES = 400


def keep_earlier(path: Path, kept: Path = EARLIER_STORE) -> None:
    """Put a store at a path, of 1.0.0 unless another is named."""
    path.parent.mkdir(mode=0o700, parents=True)
    for suffix in ("", ".end"):
        shutil.copyfile(f"{kept}{suffix}", f"{path}{suffix}")
        Path(f"{path}{suffix}").chmod(0o600)


def version_of(path: Path) -> int:
    """The schema of a database, which is only looked at."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


async def holds_everything(path: Path) -> None:
    """Open the store and find in it what 1.0.0 wrote."""
    async with Store.open(path) as store:
        assert store.notice == ""
        entries = await store.journal(held.LIVE).entries()
        assert [(entry.intent, entry.outcome) for entry in entries][:2] == [
            (held.MAKING, held.MADE),
            (held.IN_RUN, held.REFUSED),
        ]
        assert await store.drafts(held.LIVE).all() == [held.DRAFT]
        assert await store.forms(held.LIVE).all() == [held.FORM]
    assert check_chain(path).broken is None


async def test_the_database_is_copied_beside_itself_before_it_is_upgraded(path: Path) -> None:
    keep_earlier(path)
    await holds_everything(path)
    assert version_of(path) == VERSION
    backup = path.with_name(f"svc-tui.db.schema-{EARLIER}")
    assert version_of(backup) == EARLIER
    for file in (backup, backup.with_name(f"{backup.name}.end")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(path.parent.glob("*partial*"))


async def test_a_store_that_lacks_a_late_column_of_its_schema_gets_it(path: Path) -> None:
    keep_earlier(path, RELEASES / "1.0.1-first" / path.name)
    assert version_of(path) == VERSION
    for _ in range(2):
        async with Store.open(path) as store:
            assert store.notice == ""
            assert await store.drafts(held.LIVE).all() == [held.DRAFT]
            await store.drafts(held.LIVE).keep(held.UNTAKEN_DRAFT)
            await store.drafts(held.LIVE).drop(held.LOTS, "lot-2")
    assert [file.name for file in path.parent.glob("*.schema-*") if file.suffix != ".end"] == [
        f"{path.name}.schema-{VERSION}"
    ]


async def test_a_copy_put_back_is_the_store_of_before(path: Path) -> None:
    keep_earlier(path)
    await holds_everything(path)
    async with Store.open(path) as store:
        await store.journal(held.LIVE).intend(held.DONE)
    backup = path.with_name(f"svc-tui.db.schema-{EARLIER}")
    backup.replace(path)
    backup.with_name(f"{backup.name}.end").replace(f"{path}.end")
    await holds_everything(path)


async def test_a_copy_of_an_earlier_upgrade_is_not_overwritten(path: Path) -> None:
    keep_earlier(path)
    backup = path.with_name(f"svc-tui.db.schema-{EARLIER}")
    backup.write_text("an earlier copy")
    await holds_everything(path)
    assert backup.read_text() == "an earlier copy"
    assert version_of(path.with_name(f"{backup.name}-2")) == EARLIER


async def test_a_new_database_needs_no_copy_nor_does_one_of_this_version(path: Path) -> None:
    for _ in range(2):
        await Store.open(path).aclose()
    assert not list(path.parent.glob("*.schema-*"))


def test_a_database_that_cannot_be_copied_is_not_upgraded(path: Path) -> None:
    keep_earlier(path)
    # A directory can't be removed as what a copy left.
    path.with_name("svc-tui.db.partial").mkdir()
    with pytest.raises(StoreError, match="can't be opened"):
        Store.open(path)
    assert version_of(path) == EARLIER


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
async def test_a_kill_at_any_point_of_the_upgrade_loses_nothing(tmp_path: Path) -> None:
    for line in range(1, MAX_LINES):
        keep_earlier(tmp_path / str(line) / "svc-tui.db")
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    lines = [int(line) for line in killed.stdout.split()]
    assert 50 < len(lines) < MAX_LINES - 1
    versions = set()
    for line in lines:
        path = tmp_path / str(line) / "svc-tui.db"
        versions.add(version_of(path))
        backups = [file for file in path.parent.glob("*.schema-*") if file.suffix != ".end"]
        assert backups or version_of(path) == EARLIER
        for backup in backups:
            assert version_of(backup) == EARLIER
            with closing(sqlite3.connect(backup)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                assert connection.execute("SELECT count(*) FROM drafts").fetchone() == (2,)
        await holds_everything(path)
        assert version_of(path) == VERSION
    assert versions == {EARLIER, VERSION}
