"""The database file: private, versioned, and set aside rather than lost when it is damaged."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import check_chain
from svc_tui.storage.schema import VERSION
from svc_tui.storage.store import Store
from tests.storage.conftest import SHELF, a_draft, an_intent

OPENER = """
import sys
from pathlib import Path
from svc_tui.storage.store import Store
print(Store.open(Path(sys.argv[1])).notice)
"""


def open_to_all(path: Path) -> None:
    path.chmod(0o644)


def spoil(path: Path, times: int) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * times)


def break_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def beginning(path: Path) -> bytes:
    return path.read_bytes()[:14]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_only_the_user_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        store = Store.open(path)
        await store.journal(SHELF).intend(an_intent())
        assert mode(path.parent) == 0o700
        assert {file.name: mode(file) for file in path.parent.iterdir()} == {
            "key-fingerprints.db": 0o600,
            "svc-tui.db": 0o600,
            "svc-tui.db.end": 0o600,
            "svc-tui.db-shm": 0o600,
            "svc-tui.db-wal": 0o600,
            "running": 0o700,
        }
        await store.aclose()
    finally:
        os.umask(before)


async def test_a_database_that_others_could_read_is_closed_to_them(path: Path) -> None:
    await Store.open(path).aclose()
    open_to_all(path)
    await Store.open(path).aclose()
    assert mode(path) == 0o600


async def test_a_journal_line_is_synced_to_the_disk(store: Store) -> None:
    def settings(connection: sqlite3.Connection) -> tuple[object, object]:
        (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
        (log,) = connection.execute("PRAGMA journal_mode").fetchone()
        return synchronous, log

    assert await store._database.run(settings) == (2, "wal")


def test_a_newer_version_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE future (x)")
    connection.execute(f"PRAGMA user_version = {VERSION + 2}")
    connection.close()
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    assert str(caught.value) == (
        f"{path} was written by a newer svc-tui (schema {VERSION + 2}, this one supports {VERSION}); "
        "update svc-tui, or rename the file"
    )
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("future",)]
    connection.close()


@pytest.mark.parametrize("times", [1, 100])
async def test_a_file_that_is_no_database_is_set_aside(path: Path, times: int) -> None:
    spoil(path, times)
    async with Store.open(path) as store:
        (kept,) = path.parent.glob("svc-tui.db.damaged-*")
        assert store.notice == f"{path} was damaged: it was renamed to {kept.name}, and a new one was created"
        assert beginning(kept) == b"not a database"
        assert mode(path) == 0o600
        await store.journal(SHELF).intend(an_intent())


async def test_a_database_with_broken_pages_is_set_aside_and_twice_keeps_both(path: Path) -> None:
    for turn in (1, 2):
        async with Store.open(path) as store:
            await store.drafts(SHELF).keep(a_draft())
        break_pages(path)
        async with Store.open(path) as store:
            assert "was damaged" in store.notice
            assert await store.drafts(SHELF).all() == []
        assert len(list(path.parent.glob("svc-tui.db.damaged-*"))) == turn


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="can't be opened: Permission denied; check who owns"):
        Store.open(tmp_path / "state" / "svc-tui.db")


def test_a_path_that_is_a_directory_is_a_clear_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="can't be opened: Is a directory"):
        Store.open(path)


async def test_another_program_that_holds_the_database_is_waited_for_and_then_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("svc_tui.storage.database.BUSY_SECONDS", 0.05)
    async with Store.open(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is in use by another program"):
            await store.journal(SHELF).intend(an_intent())
        other.execute("ROLLBACK")
        other.close()
        assert await store.journal(SHELF).intend(an_intent()) == 1


def test_programs_that_start_at_once_on_no_database_all_open_it(path: Path) -> None:
    command = [sys.executable, "-c", OPENER, str(path)]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    assert [program.communicate() for program in programs] == [("\n", "")] * 6


def test_tables_without_a_schema_version_are_told_with_a_remedy(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE journal (x)")
    connection.close()
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    assert str(caught.value) == (
        f"{path} has tables but no schema version; restore it from a backup, or rename the file and restart svc-tui"
    )


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_directory_that_others_can_write_in_is_refused_with_the_command_that_mends_it(path: Path, mode: int) -> None:
    path.parent.mkdir()
    path.parent.chmod(mode)
    for use in (Store.open, check_chain):
        if use is check_chain:
            path.touch(0o600)
        with pytest.raises(StoreError) as caught:
            use(path)
        assert str(caught.value) == f"{path.parent} can be written by others; run: chmod go-w {path.parent}"
