"""What a plan of many records costs: its time over that of reading the same records, and what it takes of memory."""

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TypeVar

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.references import ReferenceResolver
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.plans.correction_file import Corrections, ValueWords, read_corrections
from svc_tui.plans.planning import Planner, read_each_record
from svc_tui.plans.run import RunProgress, RunWriter
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from svc_tui.storage.plan import Plan
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.writes.approval_guard import Unguarded, WriteGate
from svc_tui.writes.pipeline import WritePipeline

LOTS = COLLECTIONS[0]
Made = TypeVar("Made")

_RUN_ROWS = 500
"""Rows that are written to see what a run holds: each is a reading and a write."""


@dataclass(frozen=True, slots=True)
class PlanningFigures:
    """Seconds in which the records were read and in which they were planned; `..._processor` of this process alone.

    `peak` is the most that was held on the way to the plan, `held` what the plan itself takes, in bytes of Python;
    `run_held` is what `run_rows` of its rows take besides once they are written.
    """

    rows: int
    reading: float
    planning: float
    reading_processor: float
    planning_processor: float
    peak: int
    held: int
    run_held: int
    run_rows: int

    @property
    def run_over_plan(self) -> float:
        """What a row takes once it is written, over what it takes in the plan."""
        return self.run_held / self.run_rows / (self.held / self.rows)

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
            await read_each_record(client, LOTS, ids, lambda *_: None)

        async def plan() -> Plan:
            return await planner.plan(LOTS, corrections, "benchmark")

        await read_each_record(client, LOTS, ids[:200], lambda *_: None)
        _, reading, reading_processor = await _timed(read)
        made, planning, planning_processor = await _timed(plan)
        assert len(made.ready) == len(ids)
        del made
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        made = await plan()
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        run_rows = made.ready[:_RUN_ROWS]
        run_held = await _memory_of_run(client, replace(made, rows=run_rows))
        return PlanningFigures(
            len(ids),
            reading,
            planning,
            reading_processor,
            planning_processor,
            peak - before,
            held - before,
            run_held,
            len(run_rows),
        )


async def _memory_of_run(client: SignedClient, plan: Plan) -> int:
    """The bytes of Python that a run holds once all rows of the plan are written."""
    scope = StorageScope("benchmark", Environment.SANDBOX, client.base_url)
    with TemporaryDirectory() as directory:
        async with Store.open(Path(directory) / "svc-tui.db") as store:
            gate = WriteGate(lambda: None, Unguarded())
            pipeline = WritePipeline(client, store.journal(scope), gate, lambda: datetime.now(UTC), batch=plan.id)
            writer, progress = RunWriter(plan, pipeline, client), RunProgress(plan.rows)
            # The first row loads modules.
            progress.add(await writer.write(plan.rows[0]))
            gc.collect()
            tracemalloc.start()
            before, _ = tracemalloc.get_traced_memory()
            while (row := progress.next_row) is not None:
                progress.add(await writer.write(row))
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert progress.counts.done == len(plan.rows)
            return held - before


async def _timed(work: Callable[[], Awaitable[Made]]) -> tuple[Made, float, float]:
    """What it gives, and its seconds on the wall and of the processor."""
    begun, used = perf_counter(), process_time()
    made = await work()
    return made, perf_counter() - begun, process_time() - used
