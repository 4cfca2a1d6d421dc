"""The browser in a real terminal: it opens, and however it ends it leaves nothing running and nothing lying about."""

import os
import re
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pexpect
import pytest

from svc_tui.sandbox.server.inprocess import RunningService

pytestmark = pytest.mark.terminal

SPY = """
import os
import threading
from svc_tui.storage.store import Store

real = Store.open

def watched(path):
    # Past the app, which keeps for itself what is printed.
    os.write(2, f"the store is opened by {threading.current_thread().name}\\n".encode())
    return real(path)

Store.open = watched
from svc_tui.cli.main import main
main()
"""

SLOW = """
import os
import time
from svc_tui.storage.store import Store

real = Store.open

def slow(path):
    os.write(2, b"the store is being opened")
    time.sleep(2)
    return real(path)

Store.open = slow
from svc_tui.cli.main import main
main()
"""

INTERRUPTED = """
import os, signal, sys
from svc_tui.cli.main import main

class Loading:
    def find_spec(self, name, path, target=None):
        if name == "svc_tui.ui.app.browser_app":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Loading())
main()
"""

Open = Callable[..., "pexpect.spawn[bytes]"]


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Where temporary files go."""
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.fixture
def open_browser(home: Path, scratch: Path) -> Iterator[Open]:
    """Starts the program in a terminal of 110 by 30; what still runs at the end is ended."""
    opened: list[pexpect.spawn[bytes]] = []

    def open_browser(*words: str, program: Sequence[str] = ("-m", "svc_tui")) -> "pexpect.spawn[bytes]":
        # The size of a terminal that the tests run in is not the one of this.
        env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        env |= {"TERM": "xterm-256color", "TMPDIR": str(scratch)}
        command = [*program, *words]
        opened.append(pexpect.spawn(sys.executable, command, dimensions=(30, 110), env=env, timeout=60))
        return opened[-1]

    yield open_browser
    for process in opened:
        process.close(force=True)


def port_shown(process: "pexpect.spawn[bytes]") -> int:
    """The port of the service, from the status bar."""
    process.expect(rb"127\.0\.0\.1:(\d+)")
    return int(process.match[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("words", [["demo"], ["--theme", "svc-light", "demo", "--live"]])
def test_the_demo_opens_and_leaves_nothing_behind(
    open_browser: Open, home: Path, scratch: Path, words: list[str]
) -> None:
    process = open_browser(*words, "lots", "--records", "40")
    process.expect(b"LIVE" if "--live" in words else b"SANDBOX")
    port = port_shown(process)
    assert listens(port)
    process.send("\x11")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 0
    assert not listens(port)
    assert list(scratch.iterdir()) == []
    assert not (home / "state").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_order(open_browser: Open, scratch: Path, number: signal.Signals) -> None:
    process = open_browser("demo", "lots")
    port = port_shown(process)
    process.kill(number)
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 128 + number
    # The terminal is given back as it was: the alternate screen is left, the cursor shown.
    assert re.search(rb"\x1b\[\?1049l", process.before)
    assert not listens(port)
    assert list(scratch.iterdir()) == []


def test_a_database_is_kept_and_the_users_state_with_it(open_browser: Open, home: Path, tmp_path: Path) -> None:
    process = open_browser("demo", "lots", "--database", str(tmp_path / "mine.db"), "--records", "40")
    port_shown(process)
    process.send("\x11")
    process.expect(pexpect.EOF)
    process.wait()
    assert (tmp_path / "mine.db").exists()
    assert (home / "state" / "svc-tui" / "svc-tui.db").exists()


def test_where_nothing_can_be_kept_it_is_said_and_nothing_can_be_sent(
    open_browser: Open, use: Callable[[str], None], home: Path, scratch: Path
) -> None:
    use("sandbox")
    (home / "state").write_text("no directory")
    process = open_browser("lots")
    process.expect(rb"(?s)READ ONLY.*Drafts|Drafts.*READ ONLY")
    process.send("\x11")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 0
    assert list(scratch.iterdir()) == []
    assert (home / "state").read_text() == "no directory"


def test_the_browser_opens_on_what_the_environment_names(
    open_browser: Open, use: Callable[[str], None], service: RunningService
) -> None:
    use("sandbox")
    process = open_browser("lots")
    process.expect(b"SANDBOX")
    assert port_shown(process) == int(service.base_url.rpartition(":")[2])
    process.expect("Lot \\[bold|Silver")
    process.send("\x11")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 0


def test_the_store_is_opened_beside_the_loop_and_its_mistakes_are_told(
    open_browser: Open, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "state" / "svc-tui").mkdir(parents=True)
    connection = sqlite3.connect(home / "state" / "svc-tui" / "svc-tui.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    process = open_browser("lots", program=("-c", SPY))
    process.expect(rb"the store is opened by (\w+)")
    assert process.match[1] != b"MainThread"
    process.expect(b"svc-tui: .*was written by a newer svc-tui")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 2


def test_somebody_who_leaves_before_the_store_is_open_leaves_nothing_of_it(
    open_browser: Open, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    process = open_browser("lots", program=("-c", SLOW))
    process.expect("Collections")
    process.expect("the store is being opened")
    process.send("\x11")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 0
    assert list((home / "state" / "svc-tui" / "running").iterdir()) == []


def test_an_interrupt_while_it_is_loaded_ends_it_as_one(
    open_browser: Open, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    process = open_browser("lots", program=("-c", INTERRUPTED))
    process.expect("svc-tui: interrupted")
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 130
