"""What it takes to make a file of a whole collection, against a bare loop of httpx over the same pages.

Both are programs of their own, measured from start to end. The bare loop doesn't sign, gives up digits that a float
can't hold, and asks for a page when the one before is written; `svc-tui export` does none of that, and may ask ahead.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.benchmarks.canned import canned
from tests.benchmarks.client import KEYS, LOTS
from tests.terminal import quiet_environment

RECORDS = 100_000
PAGE_SIZE = 200
"""The most that the service gives on a page."""

ROUNDS = 3

BARE = """
import asyncio, json, os, sys
import httpx
async def export(file):
    headers = {"Authorization": f"Bearer {os.environ['SVC_API_KEY']}"}
    url = f"{os.environ['SVC_SANDBOX_BASE_URL']}/v1/operations/lots"
    async with httpx.AsyncClient(headers=headers) as client:
        number, came, total = 1, 0, 1
        while came < total:
            answer = await client.get(url, params={"page": number, "limit": sys.argv[2]})
            page = answer.raise_for_status().json()
            for item in page["items"]:
                file.write(json.dumps(item) + "\\n")
            number, came, total = number + 1, came + len(page["items"]), page["meta"]["total"]
with open(sys.argv[1], "w") as file:
    asyncio.run(export(file))
"""


@dataclass(frozen=True, slots=True)
class ExportFigures:
    """Ours over the bare loop's, each the median of rounds in turn.

    `rate` is that of records a second from the embedded service, which takes its share of the processors. `processor`
    is that of processor time, user's and system's, where a server that costs next to nothing gives the same pages.
    """

    rate: float
    processor: float


def measure_export(records: int = RECORDS, rounds: int = ROUNDS) -> ExportFigures:
    """Both of them, on so many lots."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service, tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "lots.jsonl"
        live, sandbox = service.key("live"), service.key("sandbox")
        assert live.signing_secret is not None
        signed = _export(file, live.api_key, live.signing_secret, service.base_url)
        unsigned = _bare_loop(file, sandbox.api_key, service.base_url)
        rate = _ratio(signed, unsigned, perf_counter, records, rounds)
        pages = _pages(service.base_url, sandbox.api_key, records)
        with canned(*pages) as url:
            assert KEYS.signing_secret is not None
            signed = _export(file, KEYS.api_key, KEYS.signing_secret, url)
            unsigned = _bare_loop(file, sandbox.api_key, url)
            return ExportFigures(1 / rate, _ratio(signed, unsigned, _processor_seconds, records, rounds))


@dataclass(frozen=True, slots=True)
class _Program:
    """A program that writes a record a line into `file`."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    file: Path

    def run(self, clock: Callable[[], float], records: int) -> float:
        """What passes on the clock until it has ended; it must have written so many records."""
        begun = clock()
        subprocess.run([sys.executable, *self.arguments], env=self.environment, check=True)
        taken = clock() - begun
        with self.file.open("rb") as lines:
            assert sum(1 for _ in lines) == records
        self.file.unlink()
        return taken


def _export(file: Path, key: str, secret: str, url: str) -> _Program:
    environment = quiet_environment(file.parent, SVC_API_KEY=key, SVC_SIGNING_SECRET=secret, SVC_BASE_URL=url)
    arguments = ["-m", "svc_tui", "export", LOTS.key, "--page-size", str(PAGE_SIZE), "-o", str(file)]
    return _Program(arguments, environment, file)


def _bare_loop(file: Path, key: str, url: str) -> _Program:
    environment = quiet_environment(file.parent, SVC_API_KEY=key, SVC_SANDBOX_BASE_URL=url)
    return _Program(["-c", BARE, str(file), str(PAGE_SIZE)], environment, file)


def _ratio(ours: _Program, bare: _Program, clock: Callable[[], float], records: int, rounds: int) -> float:
    return median([ours.run(clock, records) / bare.run(clock, records) for _ in range(rounds)])


def _processor_seconds() -> float:
    """The processor time, user's and system's, of all programs that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _pages(url: str, key: str, records: int) -> list[bytes]:
    """Every page of the lots, as the service gives it."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}) as client:
        return [
            client.get(LOTS.path, params={"page": number, "limit": PAGE_SIZE}).raise_for_status().content
            for number in range(1, -(-records // PAGE_SIZE) + 1)
        ]
