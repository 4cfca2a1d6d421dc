"""Versions share one team server: each reads the lines of the others, and a chain goes on across an update."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from svc_tui.core.jsontext import loads
from svc_tui.storage.journal_entries import entry_result
from svc_tui.storage.team.lines import LineKind, SealedLine, ServiceScope, read_line
from svc_tui.storage.team.server import TeamServer
from svc_tui.team.notes import read_notes
from tests.colleagues import Desk, at_server, desk, make_team
from tests.postgres import OwnDatabase
from tests.stability import held
from tests.stability.drive_release import LOT, NOTE, SCOPE, STATEMENTS
from tests.stability.make import RELEASE_NAMES, RELEASES
from tests.stability.open_release import copy_release, open_release
from tests.stability.release_1_0_0 import fill_release
from tests.stability.test_release_1_0_0 import is_part_of, without_ids

ONLINE = [("SUP-1", "done"), ("SUP-2", "refused"), ("", "done")]
"""Ticket and result of each write that a release sent to its server."""

LINE_COLUMNS = ["chain", "sequence", "previous", "body", "digest", "received"]
LINE_FIELDS = {"kind", "name", "machine", "environment", "baseUrl", "place", "at", "entry", "content"}


@pytest.fixture
async def url(team_database: OwnDatabase) -> str:
    await make_team(team_database.url)
    return team_database.url


def statements(name: str) -> list[dict[str, Any]]:
    """Return what a release sent to its team server."""
    sent: list[dict[str, Any]] = json.loads((RELEASES / name / STATEMENTS).read_text("utf-8"))
    return sent


def published(name: str) -> list[SealedLine]:
    """Return the lines that a release put on its server."""
    lines = []
    for sent in statements(name):
        if "INSERT INTO svc_tui.line " in sent["statement"]:
            for digest, chain, sequence, previous, text in sent["values"]:
                lines.append(SealedLine(chain, sequence, previous, text, digest))
    return lines


def replay(url: str, release: str) -> Iterator[list[SealedLine]]:
    """Send what the release sent, which gets rows of the same columns; gives the lines in each response of lines."""
    with psycopg.connect(url, autocommit=True) as connection:
        for sent in statements(release):
            for values in sent["values"]:
                cursor = connection.execute(sent["statement"].encode(), values or None)
            columns = [[column.name, column.type_code] for column in cursor.description or ()]
            assert columns == (sent["columns"] or []), sent["statement"]
            if [name for name, _ in columns] == LINE_COLUMNS:
                yield [SealedLine(str(chain), *rest) for chain, *rest in cursor.fetchall()]


def replay_all(url: str) -> list[SealedLine]:
    """Send what every release sent; gives the lines of all chains as the last of them reads them."""
    responses = [lines for name in RELEASE_NAMES for lines in replay(url, name)]
    return responses[-1]


async def whole_chains(reader: Desk) -> dict[str, int]:
    """Return the last sequence of each chain that the reader knows, none of which is broken."""
    chains = await reader.mirror.chains()
    assert [chain.broken for chain in chains if chain.broken is not None] == []
    return {chain.author.chain: chain.head.sequence for chain in chains}


async def test_this_version_reads_the_lines_of_every_release(tmp_path: Path, url: str) -> None:
    replay_all(url)
    lines = {line.digest: line for name in RELEASE_NAMES for line in published(name)}
    async with desk(tmp_path, url, "eve", scope=SCOPE) as eve:
        await eve.sync.round()
        chains = await whole_chains(eve)
        assert {(chain, last) for chain, last in chains.items() if last} == {
            (chain, max(line.sequence for line in lines.values() if line.chain == chain))
            for chain in {line.chain for line in lines.values()}
        }
        by_command = [(entry.intent.ticket, entry_result(entry)) for entry in await eve.writes.entries()]
        assert sorted(by_command) == sorted(len(RELEASE_NAMES) * ONLINE)
        by_api = await eve.mirror.entries(ServiceScope.of(held.LIVE), "", 100)
        assert len(by_api) == 6 * len(RELEASE_NAMES)
        told = [
            line
            for scope in (SCOPE, held.LIVE)
            for line in await eve.mirror.lines(ServiceScope.of(scope), list(LineKind))
        ]
        assert {line.kind for line in told} == set(LineKind)
        assert len(told) == len(lines)
        own = (await eve.own.author()).chain
        assert [note.text for note in read_notes(told, own) if note.place == LOT] == [NOTE] * len(RELEASE_NAMES)


@pytest.mark.parametrize("name", RELEASE_NAMES)
async def test_a_chain_goes_on_across_the_update(tmp_path: Path, url: str, name: str) -> None:
    list(replay(url, name))
    home = tmp_path / "ada"
    copy_release(RELEASES / name, home)

    async def connect() -> TeamServer:
        return at_server(url)

    async with open_release(home, connect) as ada:
        await ada.sync.round()
        journal = ada.store.journal(SCOPE)
        await journal.conclude(await journal.intend(held.MAKING), held.MADE)
        await ada.sync.round()
        assert await ada.own.count_waiting() == 0
        chain = (await ada.own.author()).chain
    async with desk(tmp_path, url, "eve", scope=SCOPE) as eve:
        await eve.sync.round()
        # 7 lines were sent by the release, 4 waited for the server, 2 are of this version.
        assert (await whole_chains(eve))[chain] == 13
        results = [(entry.intent.ticket, entry_result(entry)) for entry in await eve.writes.entries()]
        offline = [("", "done"), ("SUP-3", "done")]
        assert sorted(results) == sorted([*ONLINE, *offline, (held.MAKING.ticket, held.MADE.result)])


async def test_every_release_reads_the_lines_of_this_version(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "eve", scope=SCOPE) as eve:
        await eve.write(ticket="SUP-9")
        await eve.own.add(LineKind.NOTE, LOT, {"text": "of this version"}, held.NOW)
        await eve.sync.round()
        own = (await eve.own.author()).chain
    replay_all(url)
    # A release that goes on after this version has sent lines: what it sends again is taken, and what it asks answered.
    lines = replay_all(url)
    assert all(line.is_sound for line in lines)
    chains = {chain: [line for line in lines if line.chain == chain] for chain in {line.chain for line in lines}}
    assert [read_line(line).kind for line in chains[own]] == [LineKind.NOTE, LineKind.INTENT, LineKind.OUTCOME]
    assert set(chains) == {own} | {line.chain for name in RELEASE_NAMES for line in published(name)}
    for of_chain in chains.values():
        assert [line.sequence for line in of_chain] == list(range(1, len(of_chain) + 1))
        assert [line.previous for line in of_chain[1:]] == [line.digest for line in of_chain[:-1]]
    for line in chains[own]:
        text = loads(line.text)
        assert isinstance(text, dict)
        assert text.keys() >= LINE_FIELDS


@pytest.mark.parametrize("name", RELEASE_NAMES)
async def test_a_line_of_this_version_holds_all_that_one_of_the_release_holds(tmp_path: Path, name: str) -> None:
    for home in ("ada", "bob"):
        (tmp_path / home).mkdir(mode=0o700)
    old = [line for line in published(name) if read_line(line).scope == ServiceScope.of(held.LIVE)]
    new = await fill_release(tmp_path)
    assert [read_line(line).kind for line in new] == [read_line(line).kind for line in old]
    for before, now in zip(old, new, strict=True):
        assert is_part_of(without_ids(before), without_ids(now)), f"{before.text}\n{now.text}"
