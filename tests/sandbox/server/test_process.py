"""The service in a process of its own: how it starts, refuses, restarts and ends."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.fixed_keys import fixed
from tests.sandbox.raw_client import LOT, RawClient

_PARENT = """
import sys
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
service = SandboxProcess.start(SandboxOptions(records=5))
print(service.pid, flush=True)
sys.stdin.read()
"""

_SERVE = """
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.serve import serve
serve(SandboxOptions(records=5), lambda line: print(line, flush=True))
print("ended", flush=True)
"""

_LOADED = """
import sys
import svc_tui.sandbox.__main__
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
with running_service(SandboxOptions(records=5)):
    print(*sys.modules)
"""


def test_it_starts_without_what_few_answers_need() -> None:
    ran = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "uvicorn.server" in loaded
    assert loaded & {"anyio", "click", "multiprocessing", "starlette.requests"} == set()


def test_it_answers_once_started_and_is_gone_once_stopped() -> None:
    with SandboxProcess.start(SandboxOptions(records=5)) as service:
        assert RawClient(service.base_url, service.key("sandbox")).say("GET", LOT).status == 200
        assert RawClient(service.base_url, service.key("live")).say("GET", LOT).status == 200
        service.stop()
        service.stop()
        with pytest.raises(ConnectionRefusedError):
            RawClient(service.base_url, None).say("GET", LOT)


def test_no_secret_stands_on_the_command_line() -> None:
    key = IssuedKey("live", "svc_live_" + "k" * 40, "svcsec_" + "s" * 40)
    with SandboxProcess.start(SandboxOptions(records=5, keys=fixed(key), control_token="t" * 30)) as service:
        command = Path(f"/proc/{service.pid}/cmdline")
        if not command.exists():
            pytest.skip("this system does not show command lines under /proc")
        shown = command.read_bytes() + Path(f"/proc/{service.pid}/environ").read_bytes()
        assert b"svc_tui.sandbox" in shown
        assert not any(secret in shown for secret in (b"svc_live_", b"svcsec_", b"t" * 30))


def test_a_restart_keeps_port_key_and_changes(tmp_path: Path) -> None:
    key = IssuedKey("live", "svc_live_" + "k" * 40, "svcsec_" + "s" * 40)
    options = SandboxOptions(records=5, database=tmp_path / "mine.db", keys=fixed(key))
    with SandboxProcess.start(options) as service:
        port = int(service.base_url.rpartition(":")[2])
        assert RawClient(service.base_url, key).say("PATCH", LOT, '{"note":"kept"}').status == 200
        os.kill(service.pid, signal.SIGKILL)
    again = SandboxOptions(port=port, database=tmp_path / "mine.db", keys=fixed(key))
    with SandboxProcess.start(again) as service:
        assert service.base_url == f"http://127.0.0.1:{port}"
        assert RawClient(service.base_url, key).say("GET", LOT).json["note"] == "kept"


def test_a_port_in_use_is_told_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SandboxError, match=rf"^port {port} on 127\.0\.0\.1 is in use; choose another$"):
            SandboxProcess.start(SandboxOptions(port=port))


def test_a_bad_database_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"does not exist; create it, or choose another file$"):
        SandboxProcess.start(SandboxOptions(database=tmp_path / "no" / "mine.db"))


def test_two_services_do_not_share_a_file(tmp_path: Path) -> None:
    options = SandboxOptions(records=5, database=tmp_path / "mine.db")
    with SandboxProcess.start(options), pytest.raises(SandboxError, match="is in use by another sandbox"):
        SandboxProcess.start(options)


def test_a_service_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(SandboxError, match="did not start within 0 seconds"):
        SandboxProcess.start(SandboxOptions(), timeout=0)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the end of another's child is seen through a pidfd")
def test_it_ends_with_its_parent_however_that_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        end = os.pidfd_open(pid)
        try:
            parent.kill()
            assert select.select([end], [], [], 60)[0] == [end]
        finally:
            os.close(end)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_it_announces_itself_and_ends_on_a_signal(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", _SERVE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        announced = json.loads(process.stdout.readline())
        keys = {key["name"]: key for key in announced["keys"]}
        assert set(keys["live"]) == {"name", "api_key", "signing_secret", "note"}
        assert keys["sandbox"]["signing_secret"] is None
        key = IssuedKey(**keys["live"])
        assert RawClient(announced["base_url"], key).say("GET", LOT).status == 200
        process.send_signal(number)
        assert process.stdout.read() == "ended\n"
        assert process.wait() == 0


def test_options_that_make_no_sense_end_the_process_with_a_reason() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "svc_tui.sandbox"], input="{}\n", capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert "options as JSON" in json.loads(ended.stdout)["error"]


def test_the_end_of_its_input_is_an_orderly_end() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "svc_tui.sandbox"],
        input=SandboxOptions(records=5).to_line() + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(ended.stdout)["base_url"].startswith("http://127.0.0.1:")
    assert ended.stderr == ""
