"""What the whole program holds after minutes of random use, over what it held when each screen had been open once.

The program runs over the sandbox, with an index. The keys are pressed in a random order that is the same at each run;
some of them change records. Nothing may grow with the number of keys.
"""

import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.benchmarks.paints import PseudoTerminal, spawned, text
from tests.benchmarks.startup import make_home
from tests.terminal import PROGRAM

SECONDS = 300.0
"""How long keys are pressed, by default."""

_WARM_SHARE = 0.25
"""The part of the time after which everything was open, and the program holds what it holds."""

_KEYS = tuple(
    key.encode()
    for key in (
        *("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "\x1b", "\x1b", "\x1b", "\t"),
        *(" ", "v", "1", "2", "3", "4", ":", "?", "/", "o", "i", "s", "p", "z", "b", "y", "n", "{", "}", "[", "]"),
        *("\x10\x1b", "\x06", "\x0c", "R", "\x0f", "\x14", "\x1b[19~", "\x1bOQ", "<", ">", "damp", "lots"),
        *("e9\r", "e\x0e\r", "e\x1b", "\x13", "\x13y", "u", "x\x1b", "@", "\x7f"),
    )
)
"""The palette is closed at once: what it offers first may be to leave the program.

Those of the last line edit values, review the drafts, which `y` sends, and undo.
"""

_QUIET = 0.05
"""Seconds without a paint after which the next key is pressed."""

_REST_SECONDS = 0.3
"""Seconds without a paint after which the program is at rest; a cursor that blinks is painted each half second."""

_PROFILE = """
api_key = {{ env = "SOAK_KEY" }}
sandbox_base_url = "{url}"
index = true
"""

_COUNTED = """
import asyncio
import os
from pathlib import Path

from svc_tui.bootstrap import screens
from svc_tui.cli.main import main

run = screens.run_on_loop

async def counted(work):
    async def count():
        while True:
            file = Path(os.environ["TASKS_FILE"])
            begun = file.with_suffix(".new")
            begun.write_text(str(len(asyncio.all_tasks())))
            begun.replace(file)
            await asyncio.sleep(1)
    counting = asyncio.create_task(count())
    try:
        return await work
    finally:
        counting.cancel()

screens.run_on_loop = lambda work: run(counted(work))
main()
"""
"""The program, which writes down every second how many tasks its event loop has."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds: kilobytes of memory, file descriptors, threads, and tasks of its event loop."""

    memory: int
    descriptors: int
    threads: int
    tasks: int


@dataclass(frozen=True, slots=True)
class SoakFigures:
    """What was held when everything had been open once, and at the end, after so many keys and writes."""

    warm: Held
    end: Held
    keys: int
    writes: int

    @property
    def memory(self) -> float:
        """The memory at the end over that before."""
        return self.end.memory / self.warm.memory


def measure_soak(seconds: float = SECONDS, records: int = 10_000, quiet: float = 1.5) -> SoakFigures:
    """Press random keys for so many seconds, in a collection of so many `records`, all collections indexed.

    What is held is counted `quiet` seconds after the program has come to rest.
    """
    chosen, keys = random.Random(0), 0
    with SandboxProcess.start(SandboxOptions(records=records)) as service, tempfile.TemporaryDirectory() as directory:
        tasks = Path(directory) / "tasks"
        environment = make_home(Path(directory), "home", SOAK_KEY=service.key("sandbox").api_key, TASKS_FILE=str(tasks))
        profile = Path(environment["XDG_CONFIG_HOME"]) / "svc-tui" / "profiles" / "soak.toml"
        profile.parent.mkdir(parents=True)
        profile.write_text(_PROFILE.format(url=service.base_url))
        with spawned((sys.executable, "-c", _COUNTED, "--profile", "soak", "lots"), environment) as terminal:
            terminal.begins(text("000002"))
            begun, warm = monotonic(), None
            while (passed := monotonic() - begun) < seconds:
                if warm is None and passed > _WARM_SHARE * seconds:
                    warm = _held(terminal, tasks, quiet)
                terminal.write(chosen.choice(_KEYS))
                terminal.settled(_QUIET)
                keys += 1
            assert warm is not None
            end = _held(terminal, tasks, quiet)
        journal = (*PROGRAM, "--profile", "soak", "journal", "--format", "jsonl")
        writes = subprocess.run(journal, env=environment, stdout=subprocess.PIPE, check=True).stdout
        return SoakFigures(warm, end, keys, len(writes.splitlines()))


def _held(terminal: PseudoTerminal, tasks: Path, quiet: float) -> Held:
    for _ in range(5):
        # Back from wherever the keys led to; a cursor that blinks is painted more seldom.
        terminal.write(b"\x1b")
        terminal.settled(_REST_SECONDS)
    sleep(quiet)
    terminal.settled(_REST_SECONDS)
    process = terminal.process
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Held(
        memory=int(status["VmRSS"].split()[0]),
        descriptors=len(list((process / "fd").iterdir())),
        threads=int(status["Threads"]),
        tasks=int(tasks.read_text()),
    )
