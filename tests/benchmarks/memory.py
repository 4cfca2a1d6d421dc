"""What the program takes of memory when somebody jumps about in a collection of any size.

Run as a module it takes a number of rows, jumps `JUMPS` times, and prints the most kilobytes that it ever took, as
Linux tells them.
"""

import asyncio
import random
import re
import subprocess
import sys
from pathlib import Path

from svc_tui.core.settings import Profile
from svc_tui.ui.table.table_pane import TablePane
from tests.ui.browsing import empty_pane
from tests.ui.memory_gateway import LOTS, MemoryGateway
from tests.ui.stage import Stage

JUMPS = 500


def measure_memory(large: int = 10_000_000, small: int = 1000) -> float:
    """The most that is taken for `large` rows over that for `small` ones, each in a process of its own."""
    return _most_taken(large) / _most_taken(small)


def _most_taken(count: int) -> int:
    run = subprocess.run([sys.executable, "-m", __name__, str(count)], capture_output=True, check=True)
    return int(run.stdout)


def most_held(process: Path) -> int:
    """The most kilobytes that a process has held in memory so far, from what Linux tells of it below /proc."""
    # Not by getrusage(2), whose peak begins with what the parent took when it started this process.
    peak = re.search(r"VmHWM:\s*([0-9]+) kB", (process / "status").read_text())
    assert peak is not None
    return int(peak[1])


async def _jump(count: int) -> None:
    stage = Stage(lambda: [empty_pane(MemoryGateway(count), Profile("benchmark"))])
    luck = random.Random(count)
    async with stage.run_test(size=(120, 40)) as pilot:
        pane = stage.query_one(TablePane)
        pane.open(LOTS)
        while not pane.table.columns:
            await pilot.pause()
        for _ in range(JUMPS):
            pane.cursor.go_to_row(luck.randrange(count))
            while pane.table.cursor_record is None:
                await pilot.pause()


if __name__ == "__main__":
    asyncio.run(_jump(int(sys.argv[1])))
    print(most_held(Path("/proc/self")))
