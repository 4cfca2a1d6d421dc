"""What the embedded service bears: many clients at once, and writes without end.

The clients are threads of a process of their own, so that the service has a core for itself where there are two. Run as
a module it is that process: it prints the seconds until all of them had all their answers.
"""

import http.client
import os
import random
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.benchmarks.sandbox import LOTS, RECORDS, SMALL_PAGE, kilobytes, processor_seconds

CLIENTS = 8
REQUESTS = 6_000
WRITES = 100_000

PAGE, RECORD, WRITE = "page", "record", "write"
MIX = (PAGE, RECORD, WRITE)
"""What each client asks for by turns."""

_WRITTEN = 1_000
"""How many records the writes are spread over."""

_WARM_SHARE = 10
"""One in so many writes goes before the memory is looked at first: the log of requests is full by then."""

_API_KEY = "SANDBOX_LOAD_KEY"


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """Requests a second of all clients together, and the seconds of the service's processor that each took."""

    rate: float
    processor: float


def measure_load(mix: Sequence[str] = MIX, requests: int = REQUESTS, records: int = RECORDS) -> LoadFigures:
    """So many requests of `CLIENTS` clients at once, to a service with so many lots."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service:
        # Not counted: it opens what the first of each needs.
        _load(service, mix, CLIENTS * len(mix), records)
        before = processor_seconds(service.pid)
        seconds = _load(service, mix, requests, records)
        return LoadFigures(requests / seconds, (processor_seconds(service.pid) - before) / requests)


def measure_writes(writes: int = WRITES, records: int = RECORDS) -> tuple[int, int]:
    """The kilobytes that the service holds after the first tenth of so many writes, and after all of them."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service:
        warm = writes // _WARM_SHARE
        _load(service, (WRITE,), warm, records)
        held = kilobytes(service.pid, "VmRSS")
        _load(service, (WRITE,), writes - warm, records)
        return held, kilobytes(service.pid, "VmRSS")


def _load(service: SandboxProcess, mix: Sequence[str], requests: int, records: int) -> float:
    """Seconds until all clients together had so many answers."""
    words = [service.base_url.removeprefix("http://"), str(requests), str(records), *mix]
    run = subprocess.run(
        [sys.executable, "-m", __name__, *words],
        env={**os.environ, _API_KEY: service.key("sandbox").api_key},
        capture_output=True,
        check=True,
    )
    return float(run.stdout)


def _client(host: str, headers: dict[str, str], kinds: Sequence[str], records: int, chosen: random.Random) -> None:
    """Asks for one thing after the other on one connection; raises AssertionError where it is not given."""
    connection = http.client.HTTPConnection(host)
    for kind in kinds:
        if kind == PAGE:
            number = 1 + chosen.randrange(max(1, records // SMALL_PAGE))
            connection.request("GET", f"{LOTS}?limit={SMALL_PAGE}&page={number}", headers=headers)
        elif kind == RECORD:
            connection.request("GET", f"{LOTS}/{_some_lot(records, chosen)}", headers=headers)
        else:
            once = {**headers, "Idempotency-Key": str(uuid.uuid4())}
            lot = _some_lot(min(records, _WRITTEN), chosen)
            connection.request("PATCH", f"{LOTS}/{lot}", b'{"note":"%d"}' % chosen.getrandbits(64), once)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
    connection.close()


def _some_lot(records: int, chosen: random.Random) -> str:
    return f"lot-{1 + chosen.randrange(records):06d}"


def _main(host: str, requests: int, records: int, mix: Sequence[str]) -> float:
    headers = {"Authorization": f"Bearer {os.environ[_API_KEY]}"}
    # Each client goes through the whole mix, and begins elsewhere in it.
    turns = [mix[(number % CLIENTS + number // CLIENTS) % len(mix)] for number in range(requests)]
    failures: list[BaseException] = []

    def ask(client: int) -> None:
        try:
            _client(host, headers, turns[client::CLIENTS], records, random.Random(client))
        except BaseException as failure:
            failures.append(failure)

    clients = [threading.Thread(target=ask, args=(client,)) for client in range(CLIENTS)]
    begun = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - begun
    if failures:
        raise failures[0]
    return seconds


if __name__ == "__main__":
    host, requests, records, *mix = sys.argv[1:]
    print(_main(host, int(requests), int(records), mix))
