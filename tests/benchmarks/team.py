"""What a team costs: a timeline among a million lines, keys while its server is away, the start, lines under kills."""

import asyncio
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from threading import Thread

import psycopg

from svc_tui.core.jsontext import Json, number
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import (
    ChainHead,
    ChainNews,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    line_text,
    seal,
)
from svc_tui.storage.team.mirror import TeamMirror
from tests.benchmarks.paints import anything, painter, text
from tests.benchmarks.startup import StartCommand, make_home, time_start
from tests.colleagues import SCOPE, desk, make_team
from tests.postgres import OwnServer

PROGRAMS = 10
"""Whose lines a timeline is read among."""

_SERVICE = ServiceScope.of(SCOPE)
_BATCH = 400
_PAGES_DOWN = 100
_PAGE_DOWN = b"\x1b[6~"
_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


# A record's timeline


def measure_timeline(lines: int = 1_000_000, records: int = 20_000, looks: int = 500) -> Sequence[float]:
    """Seconds of each look at the colleagues' writes to a record, among so many lines about so many records."""
    with tempfile.TemporaryDirectory() as directory:
        return asyncio.run(_timelines(Path(directory), lines, records, looks))


async def _timelines(directory: Path, lines: int, records: int, looks: int) -> Sequence[float]:
    async def own() -> Author:
        return Author("own", "desk", "own")

    mirror, chosen = TeamMirror(directory / "team.db", own), random.Random(0)
    for program in range(PROGRAMS):
        author = Author(f"colleague {program}", f"desk-{program}", f"{program:08d}-0000-0000-0000-000000000000")
        async for news in _chain(author, lines // PROGRAMS, records, chosen):
            await mirror.take(news)
    taken = []
    for _ in range(looks):
        place = _place(chosen.randrange(records))
        began = time.perf_counter()
        await mirror.entries(_SERVICE, place, 200)
        taken.append(time.perf_counter() - began)
    await mirror.aclose()
    return taken


async def _chain(author: Author, lines: int, records: int, chosen: random.Random) -> AsyncIterator[ChainNews]:
    """A colleague's writes, two lines each."""
    head = ChainHead()
    for first in range(0, lines, _BATCH):
        before, sealed = head, list[SealedLine]()
        for entry in range(first + 1, min(first + _BATCH, lines), 2):
            place, at = _place(chosen.randrange(records)), _BEGUN + timedelta(seconds=30 * entry)
            intent: Mapping[str, Json] = {**_INTENT, "target": f"/v1/{place}", "ticket": f"SUP-{entry % 999}"}
            for kind, content in ((LineKind.INTENT, intent), (LineKind.OUTCOME, _OUTCOME)):
                line = TeamLine(kind, author, _SERVICE, place, at, content, entry)
                sealed.append(seal(author.chain, head, line_text(line)))
                head = ChainHead(sealed[-1].sequence, sealed[-1].digest)
        yield ChainNews(author, before.digest if before.sequence else "", sealed)


_INTENT: Mapping[str, Json] = {
    "method": "PATCH", "idempotency_key": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    "before": {"grade": "A", "note": "damp"}, "after": {"grade": "B", "note": "dry, assayed again"},
}  # fmt: skip
_OUTCOME: Mapping[str, Json] = {"result": "done", "status": number(200), "message": "", "request_id": "req-000001"}


def _place(record: int) -> str:
    return f"operations/lots/lot-{record:06d}"


# Keys


@dataclass(frozen=True, slots=True)
class KeysWithTeam:
    """Seconds of a page-down without a team, and by how its server is."""

    alone: float
    with_server: Mapping[str, float]


def measure_keys_with_team(count: int = 1_000_000, rounds: int = 3) -> KeysWithTeam:
    """A page-down, in so many starts of the program each way, by turns."""
    server = OwnServer()
    try:
        database = server.create_database()
        asyncio.run(make_team(database.url))
        with _listener() as hanging, _delayed(database.url, 1.0) as far:
            addresses = {
                "there": database.url,
                "stopped": database.url.replace(str(server.directory), "/nonexistent"),
                "hanging": f"postgresql://postgres@127.0.0.1:{hanging}/journal",
                "a second away": f"postgresql://postgres@127.0.0.1:{far}/{database.name}?sslmode=disable",
            }
            alone: list[float] = []
            taken: dict[str, list[float]] = {how: [] for how in addresses}
            for _ in range(rounds):
                alone.append(_page_down("app", count, {}))
                for how, address in addresses.items():
                    taken[how].append(_page_down("team", count, {"TEAM_URL": address}))
    finally:
        server.close()
    return KeysWithTeam(median(alone), {how: median(seconds) for how, seconds in taken.items()})


def _page_down(name: str, count: int, more: Mapping[str, str]) -> float:
    with painter(name, count, more=more) as program:
        program.begins(text("000002"))
        program.settled(quiet=0.3)
        return median(program.paints(_PAGE_DOWN, anything) for _ in range(min(_PAGES_DOWN, count // 40 - 2)))


@contextmanager
def _listener() -> Iterator[int]:
    """The port of one who lets everybody in and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def _delayed(url: str, seconds: float) -> Iterator[int]:
    """The port of one who passes everything on to a server's socket, each way half of so many seconds later."""
    path = f"{url.partition('host=')[2]}/.s.PGSQL.5432"
    loop = asyncio.new_event_loop()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1 << 16):
            await asyncio.sleep(seconds / 2)
            writer.write(piece)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(path)
        try:
            await asyncio.gather(pass_on(reader, back), pass_on(there, writer))
        finally:
            back.close()
            writer.close()

    async def begin() -> asyncio.Server:
        return await asyncio.start_server(serve, "127.0.0.1", 0)

    async def end() -> None:
        server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        # What was closed goes with the next turns of the loop.
        await asyncio.sleep(0.01)

    server = loop.run_until_complete(begin())
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(end())
        loop.close()


# The start


def measure_start_with_team(rounds: int = 15) -> tuple[float, float]:
    """The first frame and the first records of the browser with a team, over those without; the medians of all rounds.

    The team server has lines that the browser does not know yet, so that there is something to be read behind them.
    """
    server = OwnServer()
    with SandboxProcess.start(SandboxOptions()) as service, tempfile.TemporaryDirectory() as scratch:
        try:
            url = server.create_database().url
            asyncio.run(make_team(url))
            asyncio.run(_write(url, scratch, "colleague", 500))
            starts = [
                _with_profile(Path(scratch), name, service, more)
                for name, more in (("alone", ""), ("team", f'team = "{url}"\n'))
            ]
            for start in starts:
                # Not counted: it fills the caches of bytecode and files.
                time_start(start)
            pairs = [tuple(time_start(start) for start in starts) for _ in range(rounds)]
        finally:
            server.close()
    frame, records = (median(team[shown] / alone[shown] for alone, team in pairs) for shown in (0, 1))
    return frame, records


def _with_profile(directory: Path, name: str, service: SandboxProcess, more: str) -> StartCommand:
    home = make_home(directory, name, WORK_KEY=service.key("sandbox").api_key)
    file = Path(home["XDG_CONFIG_HOME"]) / "svc-tui" / "profiles" / "work.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'api_key = {{ env = "WORK_KEY" }}\nsandbox_base_url = "{service.base_url}"\n{more}')
    return StartCommand([sys.executable, "-m", "svc_tui", "--profile", "work"], [b"Collections", b"lot-000001"], home)


# Lines under kills


@dataclass(frozen=True, slots=True)
class LinesUnderKills:
    """How many lines were written, and came to be on a server that was killed so often; the chains that are broken."""

    written: int
    there: int
    distinct: int
    broken: int
    kills: int


def measure_lines_under_kills(programs: int = 20, lines: int = 50_000, kills: int = 10) -> LinesUnderKills:
    """So many programs write so many lines in all, while the server is killed and started again."""
    server = OwnServer()
    with tempfile.TemporaryDirectory() as directory:
        try:
            url = server.create_database().url
            asyncio.run(make_team(url))
            # Two lines for each write.
            words = [sys.executable, "-m", __name__, url, directory]
            desks = [
                subprocess.Popen([*words, f"desk-{name}", str(lines // programs // 2)]) for name in range(programs)
            ]
            for _ in range(kills):
                time.sleep(1.0)
                server.kill()
                time.sleep(0.5)
                server.start()
            assert [process.wait() for process in desks] == [0] * programs
            broken = asyncio.run(_broken(Path(directory), url))
            with psycopg.connect(url) as connection:
                row = connection.execute("SELECT count(*), count(DISTINCT digest) FROM svc_tui.line").fetchone()
                assert row is not None
        finally:
            server.close()
    return LinesUnderKills(lines, row[0], row[1], broken, kills)


async def _broken(directory: Path, url: str) -> int:
    """How many chains somebody who reads all of them finds broken."""
    async with desk(directory, url, "auditor") as auditor:
        await auditor.sync.round()
        return sum(chain.broken is not None for chain in await auditor.mirror.chains())


async def _write(url: str, directory: str, name: str, writes: int) -> None:
    async with desk(Path(directory), url, name) as one:
        working = asyncio.get_running_loop().create_task(one.sync.run())
        for turn in range(writes):
            await one.write(_place(turn), ticket=f"{name}-{turn}")
        while await one.own.count_waiting():
            one.sync.nudge()
            await asyncio.sleep(0.5)
        working.cancel()


if __name__ == "__main__":
    asyncio.run(_write(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
