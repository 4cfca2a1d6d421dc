"""How soon the program shows itself, measured in a real terminal against an app of ten lines in the same run."""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pexpect

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.process import SandboxProcess
from tests.terminal import quiet_environment

RUNS = 7

TEN_LINES = """
from textual.app import App
from textual.widgets import Footer, Header, Static
class Ten(App):
    def compose(self):
        yield Header()
        yield Static("ten lines")
        yield Footer()
Ten().run()
"""


@dataclass(frozen=True, slots=True)
class StartupFigures:
    """Seconds from the start of the process, the median of `RUNS` runs taken in turn."""

    ten_lines: float
    first_paint: float
    first_records: float

    @property
    def first_paint_ratio(self) -> float:
        """Ours to the first frame, over the ten lines'."""
        return self.first_paint / self.ten_lines

    @property
    def first_records_ratio(self) -> float:
        """Ours to the first records on the screen, over the ten lines' first frame."""
        return self.first_records / self.ten_lines


def measure_startup() -> StartupFigures:
    """Both programs in turn, the service already up."""
    with (
        SandboxProcess.start(SandboxOptions()) as service,
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as code,
    ):
        environment = quiet_environment(
            Path(home), SVC_API_KEY=service.key("sandbox").api_key, SVC_SANDBOX_BASE_URL=service.base_url
        )
        script = Path(code) / "ten.py"
        script.write_text(TEN_LINES)
        ten = _timed([str(script)], environment)
        paint = _timed(["-m", "svc_tui"], environment)
        _warm(ten, "ten lines")
        _warm(paint, "lot-000001")
        rounds = [(ten("ten lines"), paint("Collections"), paint("lot-000001")) for _ in range(RUNS)]
    return StartupFigures(*(median(seconds) for seconds in zip(*rounds, strict=True)))


def _timed(arguments: Sequence[str], environment: Mapping[str, str]) -> Callable[[str], float]:
    def until(words: str) -> float:
        begun = time.perf_counter()
        child = pexpect.spawn(sys.executable, list(arguments), env=dict(environment), dimensions=(40, 120), timeout=60)
        child.expect_exact(words)
        seconds = time.perf_counter() - begun
        child.close(force=True)
        return seconds

    return until


def _warm(run: Callable[[str], float], words: str) -> None:
    """One run that does not count: it fills the caches of bytecode and files."""
    run(words)
