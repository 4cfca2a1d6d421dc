"""Whether the program that is at a run, or sends a write, still lives: told by its lock, not guessed."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import Outcome, WriteInProgress, entry_result
from svc_tui.storage.process_lock import ProcessLock
from svc_tui.storage.runs import RunStore
from svc_tui.storage.store import Store
from tests.storage.conftest import NOW, SHELF, an_intent
from tests.storage.test_runs import PLAN

OTHER = """
import asyncio, sys
from pathlib import Path
from svc_tui.storage.store import Store
from tests.storage.conftest import SHELF, an_intent
from tests.storage.test_runs import PLAN

async def main(path):
    async with Store.open(Path(path)) as store:
        await store.runs(SHELF).keep(PLAN)
        await store.journal(SHELF).intend(an_intent("theirs"))
        print("at it", flush=True)
        sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""

PRESENT = """
import sys
from pathlib import Path
from svc_tui.storage.runs import RunStore
from svc_tui.storage.process_lock import ProcessLock

presence = ProcessLock(Path(sys.argv[1]))
print(presence.name, flush=True)
sys.stdin.read()
"""


@contextmanager
def another(program: str, path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another program that runs, and the line that it said; it is told to end, and waited for, at the end."""
    command = [sys.executable, "-c", program, str(path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as running:
        try:
            assert running.stdout is not None
            yield running, running.stdout.readline().strip()
        finally:
            running.communicate("")


def killed(program: subprocess.Popen[str]) -> None:
    """End a program without a chance to clear anything away."""
    program.send_signal(signal.SIGKILL)
    program.wait()


async def begun(runs: RunStore) -> list[tuple[str, bool]]:
    """The runs that are not at their end, and whether another program is at each."""
    return [(run.id, run.elsewhere) for run in await runs.unfinished()]


async def under_way(store: Store) -> list[tuple[str, WriteInProgress | None]]:
    """The tickets of the writes, and who sends them."""
    return [(entry.intent.ticket, entry.under_way) for entry in await store.journal(SHELF).entries()]


async def test_a_batch_and_a_write_of_a_program_that_lives_are_its_own_until_it_is_killed(
    store: Store, path: Path
) -> None:
    runs = store.runs(SHELF)
    with another(OTHER, path) as (program, _):
        assert await begun(runs) == [(PLAN.id, True)]
        assert await runs.take(PLAN.id) is None
        assert await under_way(store) == [("theirs", WriteInProgress.ELSEWHERE)]
        await runs.end(PLAN.id)
        with pytest.raises(StoreError, match="continued the run"):
            await runs.keep(PLAN.with_row_skipped(2))
        assert await begun(runs) == [(PLAN.id, True)]
        killed(program)
        assert await begun(runs) == [(PLAN.id, False)]
        (entry,) = await store.journal(SHELF).entries()
        assert (entry.under_way, entry_result(entry)) == (None, "unknown")
        assert await runs.take(PLAN.id) == PLAN
        await runs.end(PLAN.id)
        assert await runs.unfinished() == []


async def test_a_program_that_is_stopped_still_has_its_batch(store: Store, path: Path) -> None:
    with another(OTHER, path) as (program, _):
        program.send_signal(signal.SIGSTOP)
        try:
            assert await store.runs(SHELF).take(PLAN.id) is None
        finally:
            program.send_signal(signal.SIGCONT)


async def test_a_batch_of_a_program_that_ended_well_can_be_taken_up(store: Store, path: Path) -> None:
    with another(OTHER, path) as (program, _):
        assert program.stdin is not None
        program.stdin.close()
        program.stdin = None
        program.wait()
        assert await store.runs(SHELF).take(PLAN.id) == PLAN


async def test_a_batch_that_was_let_go_of_is_for_whoever_takes_it_first(path: Path) -> None:
    async with Store.open(path) as one, Store.open(path) as two:
        await one.runs(SHELF).keep(PLAN)
        assert await two.runs(SHELF).take(PLAN.id) is None
        await one.runs(SHELF).let_go(PLAN.id)
        assert await begun(one.runs(SHELF)) == [(PLAN.id, False)]
        taken = await asyncio.gather(*(store.runs(SHELF).take(PLAN.id) for store in (one, two)))
        assert sorted(taken, key=lambda plan: plan is None) == [PLAN, None]
        # Somebody who has no part in it can't let go of it.
        loser = (one, two)[taken.index(None)]
        await loser.runs(SHELF).let_go(PLAN.id)
        assert await begun(loser.runs(SHELF)) == [(PLAN.id, True)]


async def test_a_write_of_this_program_is_under_way_until_it_ends_even_where_that_cannot_be_written_down(
    store: Store,
) -> None:
    journal = store.journal(SHELF)
    first, second = [await journal.intend(an_intent(ticket)) for ticket in ("first", "second")]
    assert await under_way(store) == [("second", WriteInProgress.HERE), ("first", WriteInProgress.HERE)]
    await journal.conclude(first, Outcome(NOW, "done"))
    with pytest.raises(StoreError):
        await journal.conclude(second + 1, Outcome(NOW, "done"))
    assert await under_way(store) == [("second", WriteInProgress.HERE), ("first", None)]
    store._database.now(
        lambda connection: connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    )
    with pytest.raises(StoreError):
        await journal.conclude(second, Outcome(NOW, "done"))
    assert await under_way(store) == [("second", None), ("first", None)]


async def test_a_line_without_a_program_is_of_one_that_is_gone(store: Store) -> None:
    await store.runs(SHELF).keep(replace(PLAN, id="b-9"))
    store._database.now(lambda connection: connection.execute("UPDATE batches SET owner = '../svc-tui.db'"))
    assert [run.elsewhere for run in await store.runs(SHELF).unfinished()] == [False]


def test_what_killed_programs_left_is_cleared_away_and_the_living_stay(tmp_path: Path) -> None:
    with another(PRESENT, tmp_path) as (doomed, doomed_name), another(PRESENT, tmp_path) as (_, name):
        killed(doomed)
        assert {file.name for file in tmp_path.iterdir()} == {doomed_name, name}
        mine = ProcessLock(tmp_path)
        assert {file.name for file in tmp_path.iterdir()} == {name, mine.name}
        assert (mine.is_alive(name), mine.is_alive(doomed_name), mine.is_alive(mine.name)) == (True, False, True)
        mine.end()
        mine.end()
        assert [file.name for file in tmp_path.iterdir()] == [name]


def test_two_that_look_at_once_take_no_dead_program_for_a_living_one(tmp_path: Path) -> None:
    with another(PRESENT, tmp_path) as (doomed, name):
        mine = ProcessLock(tmp_path)
        killed(doomed)
        # Somebody else is just looking at the same file.
        looking = os.open(tmp_path / name, os.O_RDWR)
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not mine.is_alive(name)
        os.close(looking)
        mine.end()


def test_only_the_user_can_see_who_is_there(tmp_path: Path) -> None:
    mine = ProcessLock(tmp_path / "running")
    modes = [file.stat().st_mode & 0o777 for file in (tmp_path / "running", tmp_path / "running" / mine.name)]
    mine.end()
    assert modes == [0o700, 0o600]


def test_a_directory_that_can_not_hold_locks_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "running").write_text("a file in its way")
    with pytest.raises(StoreError, match=r"running does not support file locks: .*; move it to a local disk"):
        Store.open(tmp_path / "svc-tui.db")
