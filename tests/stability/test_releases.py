"""What released versions wrote is complete after an opening by this version, also where one before it was killed."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from svc_tui.storage.history import HistoryEntry
from svc_tui.storage.journal import check_chain
from svc_tui.storage.journal_end import check_end
from svc_tui.storage.journal_entries import JournalSelection, entry_result
from svc_tui.storage.journal_reader import JournalReader
from svc_tui.storage.plan import Plan
from svc_tui.storage.schema import VERSION
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.storage.team.lines import SealedLine
from tests.stability import held
from tests.stability.drive_release import DATABASE, SCOPE, UNFINISHED
from tests.stability.make import RELEASE_NAMES, RELEASES
from tests.stability.open_release import OpenedRelease, copy_release, open_release
from tests.stability.release_1_0_0 import CUT_SHORT_IN_HALF_DONE, HALF_DONE, IN_HALF_DONE

ROOT = RELEASES.parents[3]

BY_COMMAND = [("SUP-3", "done"), ("", "done"), ("", "done"), ("SUP-2", "refused"), ("SUP-1", "done")]
"""Ticket and result of each write that a release made by its commands, the newest first."""

Rows = list[tuple[object, ...]]


def query(path: Path, statement: str) -> Rows:
    """Return the rows that a database has for a statement."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def columns(path: Path) -> dict[str, str]:
    """Return the columns of each table, as SQL has them."""
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    return {
        str(table): ", ".join(f'"{name}"' for (name,) in query(path, f"SELECT name FROM pragma_table_info('{table}')"))
        for (table,) in query(path, tables)
    }


def schema(home: Path) -> tuple[Rows, dict[str, str]]:
    """Return version and columns of the main database."""
    return query(home / DATABASE, "PRAGMA user_version"), columns(home / DATABASE)


def assert_same_rows(kept: Path, path: Path) -> None:
    """Every table of the kept database has the same rows in the other one, which may have more columns."""
    for table, names in columns(kept).items():
        select = f"SELECT {names} FROM {table} ORDER BY {names}"
        assert query(path, select) == query(kept, select), table


async def results(store: Store, scope: StorageScope) -> list[tuple[str, str]]:
    """Return ticket and result of each write, the newest first."""
    return [(entry.intent.ticket, entry_result(entry)) for entry in await store.journal(scope).entries()]


async def unfinished_plans(store: Store, scope: StorageScope) -> list[Plan | None]:
    """Return the plans of the runs that are not at their end."""
    runs = store.runs(scope)
    return [await runs.plan_of(run.id) for run in await runs.unfinished()]


def assert_chain(lines: Sequence[SealedLine]) -> None:
    """The lines follow each other without a gap."""
    assert all(line.is_sound for line in lines)
    for line, following in pairwise(lines):
        assert (following.sequence, following.previous) == (line.sequence + 1, line.digest)


async def assert_complete(kept: Path, home: Path) -> None:
    """Open the home directory: all that the kept one holds is there, and it is there once."""
    async with open_release(home) as release:
        assert release.store.notice == ""
        await assert_store_read(kept, release)
        lines = list(await release.own.waiting())
        assert [line.sequence for line in lines] == [8, 9, 10, 11]
        assert_chain(lines)
    for old in (kept / DATABASE, *(kept / "teams").glob("*.db")):
        new = home / old.relative_to(kept)
        assert_same_rows(old, new)
        assert query(new, "PRAGMA integrity_check") == [("ok",)]
    assert check_chain(home / DATABASE).broken is None
    assert check_end(home / DATABASE, {}) is None


async def assert_store_read(kept: Path, release: OpenedRelease) -> None:
    """This version reads what was written by the old one's API and by its commands."""
    store = release.store
    entries = await store.journal(held.LIVE).entries()
    assert [(entry.intent, entry.outcome) for entry in entries] == [
        (CUT_SHORT_IN_HALF_DONE, None),
        (IN_HALF_DONE, held.ANSWER),
        (held.MAKING, held.MADE),
        (held.IN_RUN, held.REFUSED),
        (held.CUT_SHORT, None),
        (held.DONE, held.ANSWER),
    ]
    assert await results(store, held.SANDBOX) == [("", "unknown")]
    assert await results(store, SCOPE) == BY_COMMAND
    assert await store.drafts(held.LIVE).all() == [held.DRAFT]
    assert await store.drafts(held.SANDBOX).all() == [held.UNTAKEN_DRAFT]
    assert await store.drafts(SCOPE).all() == [held.DRAFT]
    keeps_unfinished = kept.name == "1.0.1"
    assert await store.unfinished(SCOPE).all() == [UNFINISHED] * keeps_unfinished
    assert await store.forms(held.LIVE).all() == [held.FORM]
    assert await unfinished_plans(store, held.LIVE) == [HALF_DONE, held.PLAN]
    (plan,) = await unfinished_plans(store, SCOPE)
    assert plan is not None
    assert [row.record_id for row in plan.rows] == ["lot-000003", "lot-000004", "lot-000005"]
    (writes,) = await store.journal(SCOPE).runs_of([plan.id])
    assert writes.results == {"done": 1}
    assert await store.history(held.LIVE, 10).entries() == [
        HistoryEntry(2, held.SENT),
        HistoryEntry(1, held.SENT, held.ANSWERED),
    ]
    assert await store.history(SCOPE, 10).entries() == []
    # It has another format since: it is begun again.
    assert (await release.index.status()).records == 0


@pytest.fixture(params=RELEASE_NAMES)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What a release wrote, in a directory of its name."""
    directory = tmp_path / str(request.param)
    copy_release(RELEASES / directory.name, directory)
    return directory


async def test_work_goes_on_where_the_release_left_it(kept: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    copy_release(kept, home)
    await assert_complete(kept, home)
    async with open_release(home) as release:
        journal = release.store.journal(SCOPE)
        await journal.conclude(await journal.intend(held.MAKING), held.MADE)
        assert await release.own.collect() == 2
        lines = list(await release.own.waiting())
        assert [line.sequence for line in lines] == [8, 9, 10, 11, 12, 13]
        assert_chain(lines)
        (run,) = await release.store.runs(SCOPE).unfinished()
        assert await release.store.runs(SCOPE).take(run.id) is not None
    assert check_chain(home / DATABASE).broken is None


async def test_the_index_of_an_older_release_is_begun_again_and_that_is_told(kept: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    copy_release(kept, home)
    async with open_release(home) as release:
        notice = release.index.notice
    (old,), (new,) = (sorted(directory.glob("indexes/*.db")) for directory in (kept, home))
    # 1.0.0 did not note which key an index was filled with, which is in its name since.
    by = "svc-tui 1.0.0" if kept.name == "1.0.0" else "another version of svc-tui"
    assert f"the index was created by {by}" in notice
    assert (old.name == new.name) == (kept.name != "1.0.0")


def test_a_report_reads_the_store_and_does_not_upgrade_it(kept: Path) -> None:
    old = schema(kept)
    reader = JournalReader(kept / DATABASE, SCOPE)
    entries = [entry for page in reader.pages(JournalSelection()) for entry in page]
    assert [(entry.intent.ticket, entry_result(entry)) for entry in entries] == BY_COMMAND
    (run,) = reader.runs()
    assert (run.title, run.ended) == ("name of 3 lots", None)
    assert schema(kept) == old


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
async def test_a_kill_at_any_commit_of_the_opening_loses_nothing(kept: Path, tmp_path: Path) -> None:
    old = schema(kept)
    command = [sys.executable, "-m", "tests.stability.open_release", str(kept), str(tmp_path)]
    killed = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    kills = [line.split() for line in killed.stdout.splitlines()]
    # A lost line or a commit that is not seen would leave one of the two out.
    assert [copy.partition("-")[2] for copy, _, _ in kills] == ["before", "after"] * (len(kills) // 2)
    (mirror,) = (kept / "teams").glob("*.db")
    assert {database for _, database, _ in kills} >= {DATABASE, mirror.name}
    schemas = []
    for copy, _, _ in kills:
        home = tmp_path / copy
        if (found := schema(home)) not in schemas:
            schemas.append(found)
        await assert_complete(kept, home)
    # The upgrade is one transaction: no kill leaves a schema between the old one and this version's.
    new = schema(tmp_path / kills[0][0])
    assert new[0] == [(VERSION,)]
    assert schemas == ([old] if old == new else [old, new])
