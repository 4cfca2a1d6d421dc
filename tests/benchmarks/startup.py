"""How soon the program shows itself in a real terminal, beside an app of ten lines and peers that are installed.

And how soon the embedded service answers, beside that.

Each round starts every one of them once, so that a machine that slows down slows down all; the ratios are taken round
by round.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from unittest.mock import patch

import pexpect

from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.terminal import quiet_environment

ROUNDS = 7

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

_PATIENCE = 60.0
_CTRL_C, _CTRL_Q = b"\x03", b"\x11"

PEERS = {"harlequin": (b"Catalog", _CTRL_Q), "posting": (b"Posting", _CTRL_C)}
"""Programs of the same kind: what their first frame shows, and the key that ends them."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """One way to start a program, what to wait for on its screen, one after the other, and the key that ends it."""

    command: Sequence[str]
    shows: Sequence[bytes]
    environment: Mapping[str, str]
    ends: bytes = _CTRL_Q


Times = Mapping[str, Sequence[Sequence[float]]]
"""By start, for each round the seconds from the start of the process until each thing that it was to show."""


@dataclass(frozen=True, slots=True)
class StartupFigures:
    """What was measured of the ten lines, of the program however it is started, and of the peers."""

    times: Times
    ways: Sequence[str]
    peers: Sequence[str]

    def first_paint(self, way: str, other: str = "ten lines") -> float:
        """The program's first frame over another's, the median of all rounds."""
        return self._over(way, 0, other)

    def first_records(self, way: str) -> float:
        """The program's first records on the screen over the ten lines' first frame, the median of all rounds."""
        return self._over(way, 1, "ten lines")

    def seconds(self, start: str) -> float:
        """Seconds to the first frame, the median of all rounds."""
        return median(times[0] for times in self.times[start])

    def _over(self, way: str, shown: int, other: str) -> float:
        rounds = zip(self.times[way], self.times[other], strict=True)
        return median(ours[shown] / theirs[0] for ours, theirs in rounds)


def find_peers(variables: Mapping[str, str], names: Iterable[str] = PEERS) -> dict[str, str]:
    """The peers that are installed: on the PATH, or where a variable of their name (HARLEQUIN, POSTING) says."""
    found = {name: variables.get(name.upper()) or shutil.which(name, path=variables.get("PATH")) for name in names}
    return {name: command for name, command in found.items() if command is not None}


def measure_startup(peers: Mapping[str, str], rounds: int = ROUNDS) -> StartupFigures:
    """Time all in turn, the service that the program connects to already up; `peers` are commands by name.

    A peer that ends before it shows itself is left out. The first round fills caches and is only counted if `rounds` is
    0.
    """
    with SandboxProcess.start(SandboxOptions()) as service, tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        ours = _ours(service, directory)
        script = directory / "ten.py"
        script.write_text(TEN_LINES)
        home = make_home(directory, "other")
        starts = {"ten lines": StartCommand([sys.executable, str(script)], [b"ten lines"], home), **ours}
        for name, command in peers.items():
            shows, ends = PEERS[name]
            starts[name] = StartCommand([command], [shows], home, ends)
        times: dict[str, list[Sequence[float]]] = {}
        for name, start in starts.items():
            try:
                times[name] = [time_start(start)]
            except pexpect.EOF:
                if name not in peers:
                    raise
                # Another's program that can't be started here says nothing about this one.
        for _ in range(rounds):
            for name, taken in times.items():
                taken.append(time_start(starts[name]))
    counted = {name: taken[1:] or taken for name, taken in times.items()}
    return StartupFigures(counted, tuple(ours), tuple(name for name in peers if name in counted))


def measure_service_start(rounds: int = ROUNDS) -> tuple[float, float]:
    """Seconds until the service answers, and that over the program's first frame with a key in variables.

    Medians of all rounds; the first one fills caches and is only counted if `rounds` is 0.
    """
    with SandboxProcess.start(SandboxOptions()) as service, tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        start = _ours(service, directory)["variables"]
        first_frame = replace(start, shows=start.shows[:1])
        # Both find the same environment, and their bytecode where the first starts, not counted, left it.
        with patch.dict(os.environ, make_home(directory, "service"), clear=True):
            pairs = [(_time_service(), time_start(first_frame)[0]) for _ in range(1 + rounds)]
        pairs = pairs[1:] or pairs
    return median(ours for ours, _ in pairs), median(ours / shown for ours, shown in pairs)


def _time_service() -> float:
    begun = time.perf_counter()
    with SandboxProcess.start(SandboxOptions()):
        return time.perf_counter() - begun


def _ours(service: SandboxProcess, directory: Path) -> dict[str, StartCommand]:
    """The program as somebody starts it with a key in variables, with a profile, and to try it."""
    key = service.key("sandbox").api_key
    command, shows = [sys.executable, "-m", "svc_tui"], [b"Collections", b"lot-000001"]
    profile = make_home(directory, "profile")
    file = Path(profile["XDG_CONFIG_HOME"]) / "svc-tui" / "profiles" / "work.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'api_key = {{ env = "WORK_KEY" }}\nsandbox_base_url = "{service.base_url}"\n')
    return {
        "variables": StartCommand(
            command, shows, make_home(directory, "variables", SVC_API_KEY=key, SVC_SANDBOX_BASE_URL=service.base_url)
        ),
        "a profile": StartCommand([*command, "--profile", "work"], shows, {**profile, "WORK_KEY": key}),
        "demo": StartCommand([*command, "demo"], shows, make_home(directory, "demo")),
    }


def make_home(directory: Path, name: str, **more: str) -> dict[str, str]:
    """The environment of a program whose files lie below the directory, in one of that name."""
    home = directory / name
    home.mkdir()
    return quiet_environment(home, **more)


def time_start(start: StartCommand) -> Sequence[float]:
    """Start the program once; gives the seconds until each thing that it is to show."""
    command, *words = start.command
    begun = time.perf_counter()
    child = pexpect.spawn(command, words, env=dict(start.environment), dimensions=(40, 120), timeout=_PATIENCE)
    try:
        seconds = []
        for shown in start.shows:
            child.expect_exact(shown)
            seconds.append(time.perf_counter() - begun)
        # The next one is not to be slowed down by the end of this one.
        child.send(start.ends)
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    return seconds
