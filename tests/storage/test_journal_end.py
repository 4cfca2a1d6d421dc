"""The journal's end is kept a second time: what a chain of hashes can't tell is told by that."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import check_chain
from svc_tui.storage.journal_end import (
    JournalEndFile,
    accept_journal,
    current_end,
    end_text,
    last_line,
    last_pruned,
    read_end,
    reading,
)
from svc_tui.storage.journal_entries import ChainCheck, EndDifference, EndProblem, JournalEnd, Outcome
from svc_tui.storage.schema import FIRST_PRUNING_VERSION
from svc_tui.storage.store import Store
from tests.storage.conftest import NOW, SHELF, an_intent


async def written(path: Path, writes: int) -> None:
    """A journal of so many writes with their outcomes."""
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        for turn in range(writes):
            number = await journal.intend(an_intent(str(turn)))
            await journal.conclude(number, Outcome(NOW, "done"))


def spoil(path: Path, *statements: str) -> None:
    """Have somebody at the database who knows his way about in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for trigger in ("journal_loses_nothing", "pruned_loses_nothing"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)


def difference(path: Path) -> EndProblem | None:
    found = check_chain(path).difference
    return found.problem if found else None


async def test_a_journal_that_nobody_was_at_holds_its_end(path: Path) -> None:
    await written(path, 3)
    assert check_chain(path) == ChainCheck(6)
    assert JournalEndFile(path).read() == current_end(path)


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (["DELETE FROM journal WHERE number = 6"], EndProblem.LOST),
        (["DELETE FROM journal WHERE number >= 4"], EndProblem.LOST),
        (["DELETE FROM journal"], EndProblem.LOST),
        (
            [
                "INSERT INTO pruned SELECT number, hash, 4, '2026-01-01T00:00:00+00:00' FROM journal WHERE number = 4",
                "DELETE FROM journal WHERE number <= 4",
            ],
            EndProblem.PRUNED,
        ),
        (
            [
                "INSERT INTO pruned SELECT number, hash, 6, '2026-01-01T00:00:00+00:00' FROM journal WHERE number = 6",
                "DELETE FROM journal",
            ],
            EndProblem.PRUNED,
        ),
    ],
    ids=["last outcome", "tail", "everything", "pruned by hand", "all pruned by hand"],
)
async def test_lines_that_go_without_the_program_are_missed_and_stay_missed(
    path: Path, statements: list[str], problem: EndProblem
) -> None:
    await written(path, 3)
    spoil(path, *statements)
    found = check_chain(path)
    assert found.broken is None
    assert found.difference == EndDifference(problem, str(JournalEndFile(path).path), 6)
    async with Store.open(path) as store:
        assert store.notice == f"the journal in {path} is damaged: {problem.value}; run svc-tui doctor for details"
    await written(path, 5)
    async with Store.open(path) as store:
        await store.journal(SHELF).prune(NOW + timedelta(days=1), NOW)
    assert difference(path) is not None
    accept_journal(path)
    assert difference(path) is None
    await written(path, 1)
    assert difference(path) is None


async def test_a_journal_that_was_written_anew_from_some_line_on_is_not_the_one(path: Path) -> None:
    await written(path, 2)
    spoil(path, "DELETE FROM journal WHERE number >= 3")
    file = JournalEndFile(path)
    kept = file.path.read_text()
    file.path.unlink()
    accept_journal(path)
    await written(path, 3)
    file.path.write_text(kept)
    assert difference(path) is EndProblem.CHANGED


async def test_the_file_that_goes_is_missed_and_not_made_again_behind_ones_back(path: Path) -> None:
    await written(path, 1)
    file = JournalEndFile(path).path
    file.unlink()
    assert check_chain(path).difference == EndDifference(EndProblem.FORGOTTEN, str(file), 0)
    await written(path, 1)
    assert difference(path) is EndProblem.FORGOTTEN
    accept_journal(path)
    assert difference(path) is None


async def test_a_database_that_is_gone_is_missed(path: Path) -> None:
    await written(path, 1)
    for file in path.parent.glob("svc-tui.db*"):
        if not file.name.endswith(".end"):
            file.unlink()
    assert difference(path) is EndProblem.LOST
    assert accept_journal(path) is None
    assert accept_journal(path) is None, "there is no file of the end any more"
    assert current_end(path) is None
    assert check_chain(path) == ChainCheck(0)
    lost = JournalEnd(2, "f" * 64, 0)
    assert check_chain(path, {"the keyring": lost}).difference == EndDifference(EndProblem.LOST, "the keyring", 2)
    # As it is kept once the journal was accepted without a database.
    assert check_chain(path, {"the keyring": JournalEnd(0, "", 0)}) == ChainCheck(0)


async def test_a_journal_of_before_gets_its_end_with_the_next_line(path: Path) -> None:
    await written(path, 1)
    JournalEndFile(path).path.unlink()
    spoil(path, "PRAGMA application_id = 0")
    assert difference(path) is None
    await written(path, 1)
    assert JournalEndFile(path).read() == current_end(path)


async def test_what_the_program_prunes_is_no_difference(path: Path) -> None:
    await written(path, 3)
    async with Store.open(path) as store:
        await store.journal(SHELF).prune(NOW + timedelta(days=1), NOW)
    assert check_chain(path) == ChainCheck(0, pruned=6)
    await written(path, 1)
    assert check_chain(path) == ChainCheck(2, pruned=6)


async def test_two_programs_at_once_leave_the_last_line_as_the_end(path: Path) -> None:
    async with Store.open(path) as one, Store.open(path) as two:
        journals = one.journal(SHELF), two.journal(SHELF)
        await asyncio.gather(*(journals[turn % 2].intend(an_intent(str(turn))) for turn in range(40)))
    assert check_chain(path) == ChainCheck(40)
    assert JournalEndFile(path).read() == current_end(path)


async def test_an_end_that_is_kept_elsewhere_is_compared_too(path: Path) -> None:
    await written(path, 1)
    kept = current_end(path)
    assert kept is not None
    await written(path, 1)
    assert check_chain(path, {"the keyring": kept}).difference is None
    lost = JournalEnd(9, "f" * 64, 0)
    assert check_chain(path, {"the keyring": lost}).difference == EndDifference(EndProblem.LOST, "the keyring", 9)


async def test_the_marks_in_the_database_are_those_of_every_release(path: Path) -> None:
    await written(path, 1)
    JournalEndFile(path).path.unlink()
    spoil(path, "PRAGMA application_id = 0x53564A45")
    assert difference(path) is EndProblem.FORGOTTEN
    spoil(path, "PRAGMA application_id = 0")
    assert difference(path) is None
    await written(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (0x53564A45,)
        assert connection.execute("SELECT previous FROM journal WHERE number = 1").fetchone() == ("0" * 64,)


async def test_the_end_is_not_touched_while_another_program_writes(path: Path) -> None:
    await written(path, 1)
    file = JournalEndFile(path)
    earlier = file.path.read_text()
    await written(path, 1)
    file.path.write_text(earlier)
    with closing(sqlite3.connect(path)) as other, closing(sqlite3.connect(path, timeout=0)) as connection:
        other.execute("BEGIN IMMEDIATE")
        file.advance(connection)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            file.accept(connection)
        assert file.path.read_text() == earlier
        other.rollback()
        file.advance(connection)
    assert file.read() == current_end(path)


async def test_an_end_that_can_not_be_written_holds_no_write_up_but_each_pruning(path: Path) -> None:
    file = JournalEndFile(path).path
    path.parent.mkdir(mode=0o700)
    file.symlink_to(path.parent / "missing" / "end")
    await written(path, 1)
    async with Store.open(path) as store:
        with pytest.raises(StoreError, match=r"\.end can't be written: No such file or directory"):
            await store.journal(SHELF).prune(NOW + timedelta(days=1), NOW)
    assert check_chain(path) == ChainCheck(2)


async def test_a_directory_in_place_of_the_end_is_said_and_leaves_no_other_file(path: Path) -> None:
    await written(path, 1)
    file = JournalEndFile(path).path
    file.unlink()
    file.mkdir()
    names = set(path.parent.iterdir())
    with pytest.raises(StoreError, match=r"\(the number and hash of the last entry of the journal\) can't be read"):
        check_chain(path)
    with pytest.raises(StoreError, match=r"\.end can't be written: Is a directory"):
        accept_journal(path)
    assert {name for name in path.parent.iterdir() if name.suffix not in (".db-wal", ".db-shm")} == names


async def test_the_end_is_written_beside_itself_and_needs_no_other_directory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(path.parent / "missing"))
    await written(path, 1)
    assert JournalEndFile(path).read() == current_end(path) is not None


async def test_a_journal_in_a_directory_that_others_can_write_in_is_not_read(path: Path) -> None:
    await written(path, 1)
    path.parent.chmod(0o777)
    with pytest.raises(StoreError, match="can be written"):
        check_chain(path)


async def test_a_check_can_only_read(path: Path) -> None:
    await written(path, 1)
    with reading(path) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("PRAGMA user_version = 1")


def test_what_is_no_database_or_is_not_there_can_not_be_read(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError, match="is damaged"):
        check_chain(path)
    with pytest.raises(StoreError, match="missing can't be read: No such file"), reading(path.parent / "missing" / "x"):
        pytest.fail("it was read")


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "\x00"),
        '{"number": "1", "hash": "a", "pruned": 0}',
        '{"number": 1, "hash": "a", "pruned": "0"}',
    ],
)
async def test_a_file_that_is_no_end_is_said_and_holds_no_write_up(path: Path, text: str) -> None:
    await written(path, 1)
    JournalEndFile(path).path.write_text(text)
    with pytest.raises(StoreError, match=r"\(the number and hash of the last entry of the journal\) can't be read"):
        check_chain(path)
    async with Store.open(path) as store:
        assert store.notice.endswith(
            "svc-tui.db.end (the number and hash of the last entry of the journal) can't be read"
        )
        await store.journal(SHELF).intend(an_intent())
    accept_journal(path)
    assert check_chain(path) == ChainCheck(3)


@pytest.mark.parametrize(
    ("version", "pruned"), [(FIRST_PRUNING_VERSION - 1, (0, "0" * 64)), (FIRST_PRUNING_VERSION, (8, "b"))]
)
def test_a_journal_begins_behind_what_was_pruned_last_from_the_first_release_on_that_prunes(
    version: int, pruned: tuple[int, str]
) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE journal (number, hash)")
        connection.execute(f"PRAGMA user_version = {version}")
        if version == FIRST_PRUNING_VERSION:
            connection.execute("CREATE TABLE pruned (number, hash)")
            assert last_pruned(connection) == (0, "0" * 64)
            connection.execute("INSERT INTO pruned VALUES (4, 'a'), (8, 'b')")
        assert last_pruned(connection) == pruned
        assert last_line(connection) == pruned


def test_an_end_is_read_as_it_was_written() -> None:
    end = JournalEnd(12, "ab" * 32, 4)
    assert read_end(end_text(end)) == end
    damaged = JournalEnd(12, "é", 0)
    assert end_text(damaged).isascii()
    assert read_end(end_text(damaged)) == damaged
