"""What a plan of many records costs: its time over that of reading the same records, and what it takes of memory."""

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter, process_time
from typing import TypeVar

from svc_tui.client.client import SignedClient
from svc_tui.domain.corrections.correction import Corrections, ValueWords
from svc_tui.domain.corrections.correction_file import read_corrections
from svc_tui.domain.data.references import ReferenceResolver
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.settings import Profile
from svc_tui.domain.plans.plan import Plan
from svc_tui.domain.plans.planning import Planner, read_each
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess

LOTS = COLLECTIONS[0]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class PlanningFigures:
    """Seconds in which the records were read and in which they were planned; `..._processor` of this process alone.

    `peak` is the most that was held on the way to the plan, `held` what the plan itself takes, in bytes of Python.
    """

    reading: float
    planning: float
    reading_processor: float
    planning_processor: float
    peak: int
    held: int

    @property
    def over_reading(self) -> float:
        """Planning over reading."""
        return self.planning / self.reading


def measure_planning(count: int = 10_000) -> PlanningFigures:
    """Read `count` lots one by one, a few at a time, then plan a change of three fields of each."""
    with SandboxProcess.start(SandboxOptions(records=count)) as service:
        return asyncio.run(_measure(service, _corrections(count)))


def _corrections(count: int) -> Corrections:
    rows = "".join(f"lot-{number:06d},{number}.25,urgent,looked at\n" for number in range(1, count + 1))
    return read_corrections("lots.csv", f"id,massKg,priority,note\n{rows}".encode(), ValueWords())


async def _measure(service: SandboxProcess, corrections: Corrections) -> PlanningFigures:
    profile, keys = Profile("benchmark", sandbox_base_url=service.base_url), KeyPair(service.key("sandbox").api_key)
    ids = [row.record_id for row in corrections.rows]
    async with SignedClient(profile, keys) as client:
        planner = Planner(client, ReferenceResolver(LOTS), lambda: datetime.now(UTC))

        async def read() -> None:
            await read_each(client, LOTS, ids, lambda *_: None)

        async def plan() -> Plan:
            return await planner.plan(LOTS, corrections, "benchmark")

        await read_each(client, LOTS, ids[:200], lambda *_: None)
        _, reading, reading_processor = await _timed(read)
        made, planning, planning_processor = await _timed(plan)
        assert len(made.ready) == len(ids)
        del made
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        made = await plan()  # noqa: F841  it is held
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return PlanningFigures(reading, planning, reading_processor, planning_processor, peak - before, held - before)


async def _timed(work: Callable[[], Awaitable[Made]]) -> tuple[Made, float, float]:
    """What it gives, and its seconds on the wall and of the processor."""
    begun, used = perf_counter(), process_time()
    made = await work()
    return made, perf_counter() - begun, process_time() - used
