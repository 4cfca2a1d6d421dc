"""What a command costs that does not open the browser: processor time of its whole process, beside that of peers.

Each round runs every one of them once, so that a machine that slows down slows down all; the ratios are taken round
by round.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from svc_tui.cli.main import COMMANDS
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.terminal import PROGRAM, quiet_environment

ROUNDS = 21

PYTHON = "python -c pass"
TEN_LINES = "ten lines of click, --help"
HTTPX = "httpx.get"
HTTPIE = "httpie"
HELP = "--help"
READ = "request GET lots"

TEN_LINES_OF_CLICK = """
import click
@click.command()
@click.option("--count", default=1, help="Number of greetings.")
@click.option("--name", prompt="Your name", help="The person to greet.")
def hello(count, name):
    "Greet NAME a number of times."
    for _ in range(count):
        click.echo(f"Hello, {name}!")
hello()
"""

TABS = {
    "a command": ("svc-tui ", "request"),
    **{f"an option of {name}": (f"svc-tui {name} --", "--profile") for name in COMMANDS},
    "an option of profiles add": ("svc-tui profiles add --", "--keep"),
    "a collection": ("svc-tui request GET lo", "lots"),
    "a fault": ("svc-tui demo --faults ", "login-page"),
    "a profile": ("svc-tui --profile ", "work"),
    "a saved request": ("svc-tui request --saved ", "Lots"),
    "a theme": ("svc-tui --theme ", "svc-dark"),
}
"""What a shell completes: the line so far, and one of the words that it is offered."""

_FILES = {
    "profiles/work": 'api_key = { env = "WORK_KEY" }\nbase_url = "https://api.example.com"\n',
    "requests/lots": 'name = "Lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n',
}


@dataclass(frozen=True, slots=True)
class MeasuredCommand:
    """A command, its environment, and a text that it prints where it works."""

    words: Sequence[str]
    environment: Mapping[str, str]
    prints: str


@dataclass(frozen=True, slots=True)
class CommandFigures:
    """By command, the processor seconds that it took in each round."""

    seconds: Mapping[str, Sequence[float]]

    def milliseconds(self, command: str) -> float:
        """Milliseconds of a command, the median of all rounds."""
        return 1000 * median(self.seconds[command])

    def over(self, command: str, peer: str) -> float:
        """A command's over a peer's, the median of all rounds."""
        rounds = zip(self.seconds[command], self.seconds[peer], strict=True)
        return median(ours / theirs for ours, theirs in rounds)


def find_httpie(variables: Mapping[str, str]) -> str | None:
    """HTTPie's command: where the variable HTTPIE says, or `http` on the PATH."""
    return variables.get("HTTPIE") or shutil.which("http", path=variables.get("PATH"))


def measure_commands(httpie: str | None, rounds: int = ROUNDS) -> CommandFigures:
    """Measure all in turn, against a service that is already up; HTTPie is left out where it does not work here.

    The first round fills caches and is only counted if `rounds` is 0.
    """
    with SandboxProcess.start(SandboxOptions(records=300)) as service, tempfile.TemporaryDirectory() as scratch:
        commands = {**_peers(service, Path(scratch), httpie), **_ours(service, Path(scratch))}
        seconds: dict[str, list[float]] = {}
        for name, command in commands.items():
            taken, printed = _run(command)
            if command.prints in printed:
                seconds[name] = [taken]
            elif name != HTTPIE:
                raise AssertionError(f"{name} printed no {command.prints!r} but {printed!r}")
        for _ in range(rounds):
            for name, rounds_taken in seconds.items():
                rounds_taken.append(_run(commands[name])[0])
    return CommandFigures({name: rounds_taken[1:] or rounds_taken for name, rounds_taken in seconds.items()})


def _peers(service: SandboxProcess, directory: Path, httpie: str | None) -> dict[str, MeasuredCommand]:
    home = _home(directory / "peers")
    script = directory / "ten.py"
    script.write_text(TEN_LINES_OF_CLICK)
    url, bearer = f"{service.base_url}/v1/operations/lots", f"Bearer {service.key('sandbox').api_key}"
    bare = f"import httpx; print(httpx.get({url!r}, headers={{'Authorization': {bearer!r}}}).text)"
    peers = {
        PYTHON: MeasuredCommand([sys.executable, "-c", "pass"], home, ""),
        TEN_LINES: MeasuredCommand([sys.executable, str(script), "--help"], home, "--count"),
        HTTPX: MeasuredCommand([sys.executable, "-c", bare], home, "lot-000001"),
    }
    if httpie is not None:
        words = [httpie, "--ignore-stdin", "GET", url, f"Authorization:{bearer}"]
        peers[HTTPIE] = MeasuredCommand(words, home, "lot-000001")
    return peers


def _ours(service: SandboxProcess, directory: Path) -> dict[str, MeasuredCommand]:
    home = _home(directory / "ours")
    for name, text in _FILES.items():
        file = Path(home["XDG_CONFIG_HOME"]) / "svc-tui" / f"{name}.toml"
        file.parent.mkdir(parents=True)
        file.write_text(text)
        file.chmod(0o600)
    variables = {"SVC_API_KEY": service.key("sandbox").api_key, "SVC_SANDBOX_BASE_URL": service.base_url}
    return {
        HELP: MeasuredCommand([*PROGRAM, "--help"], home, "request"),
        READ: MeasuredCommand([*PROGRAM, "request", "GET", "lots"], {**home, **variables}, "lot-000001"),
        **{name: MeasuredCommand(PROGRAM, {**home, **_tab(line)}, offered) for name, (line, offered) in TABS.items()},
    }


def _tab(line: str) -> dict[str, str]:
    """The variables by which bash asks for what completes the line."""
    return {"_SVC_TUI_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}


def _home(home: Path) -> dict[str, str]:
    home.mkdir()
    environment = quiet_environment(home)
    # Hardly anybody sets it, and a library is loaded that knows where the system keeps such files.
    del environment["XDG_STATE_HOME"]
    return environment


def _run(command: MeasuredCommand) -> tuple[float, str]:
    """Processor seconds of the command's process, and what it printed."""
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        command.words, env=command.environment, stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, printed.decode()
