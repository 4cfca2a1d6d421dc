"""Every example in the help of a command is run as it stands there.

One that draws is run on a terminal, one that needs a shell in a shell, and the others in the test's process.
"""

import io
import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from svc_tui.cli.main import main
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.e2e.packages import PROJECT
from tests.e2e.test_documented_commands import DRAWN as DRAWN_IN_GUIDE
from tests.help_examples import Example, examples
from tests.terminal import PATIENCE, PROGRAM, quiet_environment, terminal

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq"))), reason="bash or jq is not here"),
]

TOKEN = "for-tests"
"""The control token in the help of `sandbox ctl`."""

SCREENS, SERVICES = {"browse", "demo"}, {"sandbox"}
"""Commands that draw on a terminal, and that run on until they are told to end."""

ELSEWHERE = {"team", "team init", "team status", "team check", "profiles edit", "profiles remove", "index drop"}
"""Commands that need a database or somebody who answers; their own tests run them."""

NEEDS_KEYRING = {"svc-tui profiles add work", "svc-tui profiles add test"}
"""How the examples begin that put a key where a test must not."""

OTHER_STATUS = {"plan": 4, "apply --resume": 2}
"""Exit statuses other than 0: there are changes; a plan that was not started can't be resumed."""

EXAMPLES = examples()
DRAWN = [one for one in EXAMPLES if one.words and one.name in SCREENS and one.words not in DRAWN_IN_GUIDE]
SERVED = [one for one in EXAMPLES if one.name in SERVICES]
IN_A_SHELL = [
    one
    for one in EXAMPLES
    if one.words
    and one.name not in SCREENS | SERVICES | ELSEWHERE
    and not any(map(one.line.startswith, NEEDS_KEYRING))
    and "zsh" not in one.words
]

PREPARE = {
    "plan": "printf 'id,massKg\\nlot-000003,7\\n' > lots.csv; "
    """echo '{"id": "lot-000003", "massKg": 7}' > lots.jsonl""",
    "apply": 'printf "id,massKg\\nlot-000004,$RANDOM\\n" > some.csv; svc-tui plan lots some.csv -o lots.plan.json',
    "profiles import": "svc-tui sandbox openapi > openapi.json",
    "sql": "printf 'select id from lots' > question.sql",
    "sandbox ctl restore": "svc-tui sandbox ctl snapshot prepared",
    "request": "printf '{\"parts\": 2}' > split.json",
}
"""What a user has done before: the files that the examples of a command name."""


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    """The embedded service, with its control routes open."""
    with running_service(SandboxOptions(records=100, control_token=TOKEN)) as service:
        yield service


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory, service: RunningService) -> Path:
    """The user's directories, with a profile, a saved request and an index; and the program, to be found by a shell."""
    home = tmp_path_factory.mktemp("home")
    tool = home / "bin" / "svc-tui"
    profiles, requests = home / "config" / "svc-tui" / "profiles", home / "config" / "svc-tui" / "requests"
    for made in (tool.parent, profiles, requests):
        made.mkdir(mode=0o700, parents=True)
    tool.write_text(f'#!/bin/sh\nexport PYTHONPATH="{PROJECT}"\nexec "{sys.executable}" -m svc_tui "$@"\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    key = profiles / "work.key"
    key.write_text(service.key("sandbox").api_key)
    key.chmod(0o600)
    (profiles / "work.toml").write_text(
        f'api_key = {{ file = "work.key" }}\nsandbox_base_url = "{service.base_url}"\npage_size = 200\n'
    )
    (requests / "split-a-lot.toml").write_text(
        'name = "Split a lot"\nmethod = "POST"\n'
        'path = "/v1/operations/lots/{id}/split"\nbody = \'{"parts": {parts}}\'\n'
    )
    for file in (*profiles.glob("*.toml"), *requests.iterdir()):
        file.chmod(0o600)
    for line in ("svc-tui profiles use work", "svc-tui index update"):
        done = in_a_shell(line, home, service)
        assert done.returncode == 0, done.stderr
    return home


def environment(home: Path, service: RunningService) -> dict[str, str]:
    """The user's environment."""
    return quiet_environment(
        home,
        PATH=f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        SVC_SANDBOX_URL=service.base_url,
        SVC_SANDBOX_TOKEN=TOKEN,
        CI_KEY="svc_live_for-tests",
    )


def in_a_shell(line: str, home: Path, service: RunningService) -> "subprocess.CompletedProcess[str]":
    """Run a line as it is; whoever asks for a key gets that of the service."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=home,
        env=environment(home, service),
        input=f"{service.key('sandbox').api_key}\n\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


RunHere = Callable[[Sequence[str]], tuple[int, str]]


@pytest.fixture
def run_here(
    directory: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunHere:
    """Runs the program on words, like `in_a_shell` but in this process; gives its exit status and what it printed."""

    def run_here(words: Sequence[str]) -> tuple[int, str]:
        for name in [name for name in os.environ if name.startswith("SVC_")]:
            monkeypatch.delenv(name)
        for name, value in environment(directory, service).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(directory)
        answers = f"{service.key('sandbox').api_key}\n\n".encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answers)))
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert isinstance(ended.value.code, int)
        return ended.value.code, "".join(capfd.readouterr())

    return run_here


@pytest.mark.parametrize("example", IN_A_SHELL, ids=lambda example: example.line)
def test_an_example_does_what_it_is_shown_for(
    example: Example, directory: Path, service: RunningService, run_here: RunHere
) -> None:
    for written in ("lots.csv", "rejected.csv", "report.md", "lots.plan.json", "lots.plan.outcome.csv"):
        (directory / written).unlink(missing_ok=True)
    if preparation := PREPARE.get(example.name):
        in_a_shell(preparation, directory, service)
    if shlex.split(example.line) == ["svc-tui", *example.words]:
        status, printed = run_here(example.words)
    else:
        done = in_a_shell(example.line, directory, service)
        status, printed = done.returncode, f"{done.stdout}{done.stderr}"
    resumed = " --resume" if "--resume" in example.words else ""
    assert status == OTHER_STATUS.get(example.name + resumed, 0), printed


@pytest.mark.parametrize("example", DRAWN, ids=lambda example: example.line)
def test_an_example_that_draws_begins_and_ends(example: Example, directory: Path, service: RunningService) -> None:
    (directory / "lots.csv").write_text("id,massKg\nlot-000001,1.25\n")
    with terminal(example.words, environment(directory, service), directory=directory) as user:
        user.sees(
            r"lot-000001 .*1\.25" if "--corrections" in example.words else r"(SANDBOX|LIVE) +\w+ · 127\.0\.0\.1:\d+"
        )
        user.press("ctrl+q")
        assert user.ends() == 0


@pytest.mark.parametrize("example", SERVED, ids=lambda example: example.line)
def test_an_example_that_serves_says_where(example: Example, directory: Path, service: RunningService) -> None:
    (directory / "keys.json").write_text('{"keys": [{"name": "sandbox", "api_key": "svc_test_for-tests"}]}')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        # The one in the example may be in use.
        words = [str(probe.getsockname()[1]) if word == "8000" else word for word in example.words]
    variables = environment(directory, service) | {"PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(
        [*PROGRAM, *words], cwd=directory, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["base_url"].startswith("http://127.0.0.1:")
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0


def test_what_is_run_nowhere_here_is_little() -> None:
    run = {one.line for one in (*DRAWN, *SERVED, *IN_A_SHELL)}
    left = [one for one in EXAMPLES if one.line not in run and one.words not in DRAWN_IN_GUIDE]
    assert len(left) < len(EXAMPLES) / 5, [shlex.join(one.words) for one in left]
