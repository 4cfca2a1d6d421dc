"""The examples of the guide's page about a service for tests, run as they stand there."""

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.packages import PROJECT
from tests.guide_blocks import block, blocks, steps, variables
from tests.terminal import PATIENCE

PAGE = "testing"
PORT = "8765"
"""The port on the page; a test takes one that is free."""

PYTEST = f'"{sys.executable}" -m pytest -q -p no:cacheprovider .'
"""Without the plugins that are installed for these tests here, which take longer to load than the examples take."""

needs_shell = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "jq", "openssl"))), reason="bash, curl, jq or openssl is not here"
)

CLIENT = """
import hashlib, hmac, json, time, urllib.error, urllib.request, uuid
from http.client import RemoteDisconnected


class Client:
    def __init__(self, base_url, api_key, secret):
        self.base_url, self.api_key, self.secret = base_url, api_key, secret

    def get(self, target):
        return self._say("GET", target, b"", {})

    def post(self, target, value):
        headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
        return self._say("POST", target, json.dumps(value).encode(), headers)

    def _say(self, method, target, body, headers):
        for _ in range(5):
            at = str(int(time.time()))
            text = f"{at}.{method}.{target}.{hashlib.sha256(body).hexdigest()}"
            signature = hmac.new(self.secret.encode(), text.encode(), hashlib.sha256).hexdigest()
            signing = {"x-svc-timestamp": at, "x-svc-signature": f"t={at},v1={signature}"}
            identity = {"Authorization": f"Bearer {self.api_key}"}
            request = urllib.request.Request(
                self.base_url + target, body or None, headers | signing | identity, method=method
            )
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                assert error.code == 429, error.read()
                time.sleep(int(error.headers["Retry-After"]))
            except (RemoteDisconnected, ConnectionResetError, urllib.error.URLError):
                continue
        raise SystemExit("given up")
"""

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture
def shell(tmp_path: Path, port: str) -> Shell:
    """Runs lines of the page with bash, in a directory that holds the page's `keys.json`, on a port that is free."""
    (tmp_path / "keys.json").write_text(block(PAGE, "json", '{"keys"'), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    _command(tmp_path / "bin" / "svc-tui", f'PYTHONPATH="{PROJECT}" exec "{sys.executable}" -m svc_tui "$@"')
    _command(tmp_path / "bin" / "pip", "exit 0")
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "PYTEST_"))}
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(text: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-e", "-c", text.replace(PORT, port)],
            cwd=tmp_path,
            env=alone | {"PATH": path} | {name: value.replace(PORT, port) for name, value in more.items()},
            capture_output=True,
            text=True,
            timeout=PATIENCE * 2,
            check=False,
        )

    return run


def _command(file: Path, text: str) -> None:
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def told(service: str) -> str:
    """The variables that the page sets before it starts a service."""
    start = block(PAGE, "sh", "export SVC_SANDBOX_URL")
    return start.replace("> sandbox.json &", f"> {service} 2> log &")


@pytest.fixture
def running() -> str:
    """What a shell says first, for the page's lines to be about a service that runs."""
    return f"{told('sandbox.json')}trap 'kill %1' EXIT\nsvc-tui sandbox ctl health --wait 60 > health\n"


@needs_shell
def test_what_a_running_service_is_told_is_done(shell: Shell, running: str) -> None:
    lines = [
        text
        for text in blocks(PAGE, "sh")
        if "svc-tui sandbox ctl" in text and not text.startswith(("# smoke", "export"))
    ]
    lines.append(block(PAGE, "sh", "jq"))
    ran = shell(running + "set -x\n" + "\n".join(lines))
    assert ran.returncode == 0, ran.stderr
    assert "svc_live_for-tests" in ran.stdout
    assert '"name": "live"' in ran.stdout.replace('":"', '": "')


@needs_shell
def test_the_shell_example_signs_and_is_believed(shell: Shell) -> None:
    start = [line for line in told("x").splitlines() if line.startswith("export")]
    ran = shell("\n".join([*start, block(PAGE, "sh", "# smoke.sh")]))
    assert (ran.returncode, ran.stdout.splitlines()[-1:]) == (0, ['"checked"']), ran.stderr


def test_the_example_for_pytest_passes_with_a_client_that_is_good(shell: Shell, tmp_path: Path) -> None:
    for name in ("conftest.py", "test_client.py"):
        (tmp_path / name).write_text(block(PAGE, "python", f"# {name}\n"), encoding="utf-8")
    (tmp_path / "mine.py").write_text(CLIENT, encoding="utf-8")
    ran = shell(PYTEST, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout


def test_the_example_for_pytest_fails_with_a_client_that_never_tries_again(shell: Shell, tmp_path: Path) -> None:
    for name in ("conftest.py", "test_client.py"):
        (tmp_path / name).write_text(block(PAGE, "python", f"# {name}\n"), encoding="utf-8")
    (tmp_path / "mine.py").write_text(CLIENT.replace("range(5)", "range(1)"), encoding="utf-8")
    ran = shell(PYTEST, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert "2 failed" in ran.stdout, ran.stdout + ran.stderr
    # The summary at the end says it again where lines are not cut.
    assert len(re.findall(r"(?m)^E +SystemExit: given up$", ran.stdout)) == 2


@pytest.mark.parametrize("good", [True, False], ids=["tests that pass", "tests that fail"])
def test_the_steps_on_github_start_it_and_tell_what_arrived(
    shell: Shell, tmp_path: Path, port: str, good: bool
) -> None:
    pipeline = block(PAGE, "yaml", "# .github/workflows/test.yml")
    install, start, test, after = steps(pipeline)
    assert (install.split()[0], test, after) == ("pip", "pytest", "svc-tui sandbox ctl attempts")
    _command(tmp_path / "bin" / "pytest", f"svc-tui sandbox ctl record lots {'lot-000001' if good else 'no-such'}")
    named = variables(pipeline)
    # Each step is a shell of its own, and what one leaves running goes on.
    assert shell(install, **named).returncode == 0
    started = shell(f"{start}\necho $!", **named)
    assert started.returncode == 0, started.stderr
    try:
        assert (shell(test, **named).returncode == 0) is good
        seen = shell(after, **named)
        assert (seen.returncode, seen.stdout) == (0, "no requests received\n")
    finally:
        os.kill(int(started.stdout.splitlines()[-1]), 15)


@pytest.mark.parametrize("good", [True, False], ids=["tests that pass", "tests that fail"])
def test_the_script_on_gitlab_tells_what_arrived_when_tests_fail(shell: Shell, tmp_path: Path, good: bool) -> None:
    pipeline = block(PAGE, "yaml", "# .gitlab-ci.yml")
    _command(tmp_path / "bin" / "pytest", f"svc-tui sandbox ctl record lots {'lot-000001' if good else 'no-such'}")
    script = ["trap 'kill %1' EXIT", *steps(pipeline)]
    assert len(script) == 5
    ran = shell("\n".join(script), **variables(pipeline))
    assert (ran.returncode == 0) is good, ran.stderr
    assert ("no requests received" in ran.stdout) is not good
