"""What the embedded service takes for a list of a million records: the first answer to a filter, and pages.

It runs in a process of its own, as beside `svc-tui demo`; its processor time and its memory are what Linux tells of it.
The first answer looks at every record, so it is measured against a bare loop that hashes as many numbers, and a page
against Python's `json`, which reads and writes the same page, and against the first page.
"""

import hashlib
import http.client
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess

RECORDS = 1_000_000
LOTS = "/v1/operations/lots"
FILTER = "status=open"
PAGE_SIZE = 200
"""The most that the service gives on a page."""

SMALL_PAGE = 50
"""What the service gives where nobody asks for more or less."""

PAGES = 100
_DEPTHS = 10
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class SandboxFigures:
    """Seconds of processor: `first` answer to the filter, `bare` loop, `page`, the same `page_by_json`.

    `small_pages` are such seconds for pages of 50, the first of the list before those of all depths to its end. `grown`
    is by how many kilobytes the service's memory was at its highest above what it had before the filter.
    """

    first: float
    bare: float
    page: float
    page_by_json: float
    small_pages: Sequence[float]
    grown: int

    @property
    def depth(self) -> float:
        """The dearest page at any depth over the first."""
        first, *others = self.small_pages
        return max(others) / first


def measure_sandbox(records: int = RECORDS, pages: int = PAGES) -> SandboxFigures:
    """Ask a service with `records` lots for as many `pages` of each size and depth, then for the lots that are open."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service:
        host = service.base_url.removeprefix("http://")
        headers = {"Authorization": f"Bearer {service.key('sandbox').api_key}"}
        connection = http.client.HTTPConnection(host)

        def seconds(query: str) -> tuple[float, bytes]:
            before = processor_seconds(service.pid)
            connection.request("GET", f"{LOTS}?{query}", headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200
            return processor_seconds(service.pid) - before, body

        def small_page(number: int) -> float:
            return seconds(f"limit={SMALL_PAGE}&page={number}")[0]

        last = max(1, records // PAGE_SIZE)
        queries = [f"limit={PAGE_SIZE}&page={1 + last * number // pages}" for number in range(pages)]
        big_pages = [seconds(query) for query in queries]
        deepest = max(1, records // SMALL_PAGE)
        depths = [1, *(max(1, deepest * number // _DEPTHS) for number in range(1, _DEPTHS + 1))]
        # By turns, so that a machine that slows down slows down all of them.
        small_pages = zip(*([small_page(number) for number in depths] for _ in range(pages)), strict=True)
        before = kilobytes(service.pid, "VmRSS")
        first, _ = seconds(FILTER)
        grown = kilobytes(service.pid, "VmHWM") - before
        connection.close()
    return SandboxFigures(
        first,
        median(_bare_loop(records) for _ in range(_ROUNDS)),
        median(page for page, _ in big_pages),
        median(_json(body) for _, body in big_pages),
        [median(rounds) for rounds in small_pages],
        grown,
    )


def _bare_loop(records: int) -> float:
    begun = time.process_time()
    for number in range(records):
        divmod(int.from_bytes(hashlib.blake2b(b"operations/lots/%d" % number).digest(), "big"), 600)
    return time.process_time() - begun


def _json(body: bytes) -> float:
    begun = time.process_time()
    json.dumps(json.loads(body), ensure_ascii=False)
    return time.process_time() - begun


def processor_seconds(pid: int) -> float:
    """What all threads of another process have taken, by the clock that clock_getcpuclockid(3) names."""
    return time.clock_gettime(~pid << 3 | 2)


def kilobytes(pid: int, name: str) -> int:
    """What /proc/PID/status has under a name, for what a process holds in memory."""
    found = re.search(rf"{name}:\s*([0-9]+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])
