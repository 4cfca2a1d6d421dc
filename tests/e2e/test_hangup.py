"""A terminal that goes away, stands still, or is handed to the shell for a while: nothing hangs, nothing is left."""

import errno
import signal
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.budget import share_of
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

HUNG_UP = 128 + signal.SIGHUP
TERMINATED = 128 + signal.SIGTERM

LAST_WORDS = """
import asyncio, signal, sys
from textual.app import App
from textual.widgets import Static
from svc_tui.ui.terminal.driver import TerminalDriver

class Talker(App):
    def get_driver_class(self):
        return TerminalDriver

    def compose(self):
        yield Static("at work")

    def on_mount(self):
        said = lambda: self.exit(return_code=143, message="last words")
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, said)

app = Talker()
app.run()
sys.exit(app.return_code)
"""
"""A program on the same driver that has something to say as it ends."""

LAST = b"\x1b[?1004l"
"""What gives the terminal back, to its end: no word any more of who has the focus."""

TAKEN = b"\x1b[22;2t"
"""What is written once the terminal is taken: it gives every key as it is from then on."""


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Where the program makes its temporary directories."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return scratch


def port_of_the_service(user: Terminal) -> int:
    """The port that the status bar names."""
    return int(user.sees(r"127\.0\.0\.1:(\d+)").group(1))


def nothing_is_left(port: int, scratch: Path) -> None:
    """The service of the demo is gone, and so is its directory."""
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("turn", range(share_of(5)))
def test_a_terminal_that_closes_while_it_is_drawn_on_ends_the_program(tmp_path: Path, scratch: Path, turn: int) -> None:
    with terminal(["demo"], quiet_environment(tmp_path, TMPDIR=str(scratch))) as user:
        user.sees(r"lot-000001 ")
        port = port_of_the_service(user)
        user.resize(100 + turn, 30 + turn)
        user.press("j" * 10 * turn)
        user.hang_up()
        assert user.dies() == HUNG_UP
    nothing_is_left(port, scratch)


def test_a_terminal_that_closes_while_the_program_starts_leaves_nothing(tmp_path: Path, scratch: Path) -> None:
    with terminal(["demo"], quiet_environment(tmp_path, TMPDIR=str(scratch))) as user:
        user.until(lambda: list(scratch.iterdir()) != [], "the demo made no directory")
        user.hang_up()
        assert user.dies() == HUNG_UP
    assert list(scratch.iterdir()) == []


def test_a_hang_up_that_nobody_signals_is_noticed(tmp_path: Path, scratch: Path) -> None:
    # In a session of its own the program has the terminal, and the kernel does not signal it.
    script = 'trap "" HUP; setsid -w "$0" -m svc_tui demo; echo $? > status'
    environment = quiet_environment(tmp_path, TMPDIR=str(scratch))
    with terminal(["-c", script, sys.executable], environment, program=("bash",), directory=tmp_path) as user:
        user.sees(r"lot-000001 ")
        port = port_of_the_service(user)
        user.hang_up()
        assert user.dies() == 0
    assert (tmp_path / "status").read_text() == f"{HUNG_UP}\n"
    nothing_is_left(port, scratch)


def test_what_was_typed_before_the_terminal_closed_is_kept(tmp_path: Path) -> None:
    words = ["demo", "--records", "60", "--database", str(tmp_path / "demo.db")]
    with terminal(words, quiet_environment(tmp_path)) as user:
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        steps.types_into(user, "lot-000001", "name", "Half a sente")
        user.resize(100, 30)
        user.press("n")
        user.sees(r"Half a senten")
        user.resize(101, 31)
        user.hang_up()
        assert user.dies() == HUNG_UP
    with closing(sqlite3.connect(tmp_path / "state" / "svc-tui" / "svc-tui.db")) as database:
        assert "Half a senten" in "".join(edits for (edits,) in database.execute("SELECT edits FROM drafts"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_the_terminal_had_delivered_before_a_signal_is_kept(
    service: RunningService, tmp_path: Path, number: int
) -> None:
    typed = "Damp at the north face, sampled twice"
    with terminal(["lots/lot-000002"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"─ lot-000002 ─")
        user.sees(r" / Search ")
        steps.types_into(user, "lot-000002", "name", "New: ")
        # While it is stopped, the terminal takes everything and it reads nothing.
        user.kill(signal.SIGSTOP)
        user.until(user.stopped, "the program is not stopped")
        user.press(typed)
        user.kill(number)
        user.kill(signal.SIGCONT)
        assert user.ends() == 128 + number
    with closing(sqlite3.connect(tmp_path / "state" / "svc-tui" / "svc-tui.db")) as database:
        assert f"New: {typed}" in "".join(edits for (edits,) in database.execute("SELECT edits FROM drafts"))
    assert {attempt.method for attempt in service.attempts} == {"GET"}


def test_a_write_that_was_confirmed_as_the_program_is_to_end_is_sent_whole_or_not_at_all(
    service: RunningService, tmp_path: Path
) -> None:
    with terminal(["lots/lot-000002"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"─ lot-000002 ─")
        user.sees(r" / Search ")
        steps.edits(user, "lot-000002", "name", "Renamed")
        steps.reviews(user, "lot-000002")
        user.kill(signal.SIGSTOP)
        user.until(user.stopped, "the program is not stopped")
        user.press("y")
        user.kill(signal.SIGTERM)
        user.kill(signal.SIGCONT)
        assert user.ends() == TERMINATED
    # The key and the signal are there at once: either may be heard first.
    sent = [attempt.status for attempt in service.attempts if attempt.method == "PATCH"]
    with closing(sqlite3.connect(tmp_path / "state" / "svc-tui" / "svc-tui.db")) as database:
        kinds = [kind for (kind,) in database.execute("SELECT kind FROM journal ORDER BY number")]
    assert (sent, kinds) in (([], []), ([200], ["intent", "outcome"]))


def test_a_polite_kill_in_mid_output_leaves_the_terminal_whole(tmp_path: Path, scratch: Path) -> None:
    with terminal(["demo"], quiet_environment(tmp_path, TMPDIR=str(scratch))) as user:
        user.sees(r"lot-000001 ")
        port = port_of_the_service(user)
        user.resize(100, 30)
        user.press("j" * 40)
        user.kill(signal.SIGTERM)
        assert user.ends() == TERMINATED
        steps.left_in_order(user)
    nothing_is_left(port, scratch)


def test_a_terminal_that_stands_still_does_not_keep_the_program(tmp_path: Path, scratch: Path) -> None:
    with terminal(["demo"], quiet_environment(tmp_path, TMPDIR=str(scratch))) as user:
        user.sees(r"lot-000001 ")
        port = port_of_the_service(user)
        with user.standing_still():
            for rows in range(24, 40):
                user.resize(100, rows)
                user.press("j")
            user.kill(signal.SIGTERM)
            assert user.dies() == TERMINATED
    nothing_is_left(port, scratch)


def test_last_words_do_not_wait_for_a_terminal_that_stands_still(tmp_path: Path) -> None:
    with terminal([LAST_WORDS], quiet_environment(tmp_path), program=(sys.executable, "-c")) as user:
        user.sees(r"at work")
        with user.standing_still():
            user.kill(signal.SIGTERM)
            assert user.dies() == TERMINATED


def test_last_words_are_heard_on_a_terminal_that_works(tmp_path: Path) -> None:
    with terminal([LAST_WORDS], quiet_environment(tmp_path), program=(sys.executable, "-c")) as user:
        user.sees(r"at work")
        user.kill(signal.SIGTERM)
        assert user.ends() == TERMINATED
        user.sees(r"last words")


def test_a_terminal_that_stood_still_shows_what_it_missed(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        with user.standing_still():
            for rows in range(24, 41):
                user.resize(120, rows)
                user.press("j")
            user.press("?")
        user.sees(r"─ (Keys|Help)")
        steps.closes(user, r"─ (Keys|Help)")
        user.sees(r"lot-000001 ")
        steps.quits(user)


def test_a_stop_signal_gives_the_terminal_back_and_a_continue_takes_it_again(
    service: RunningService, tmp_path: Path
) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        for _ in range(3):
            user.kill(signal.SIGTSTP)
            user.until(lambda: user.stopped() and user.raw.endswith(LAST), "the program did not stop in order")
            user.attributes_after = user.attributes
            steps.left_in_order(user)
            user.wipe()
            user.kill(signal.SIGCONT)
            user.sees(r"lot-000001 ")
            user.sees(r"200 · [\d.]+ m?s")
            assert user.modes[steps.ALTERNATE_SCREEN]
        steps.opens_record(user, "lot-000001")
        steps.quits(user)


def test_ctrl_z_where_there_is_no_shell_says_so_and_goes_on(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.press("ctrl+z")
        user.sees(r"Can't suspend")
        assert not user.stopped()
        steps.opens_record(user, "lot-000001")
        steps.quits(user)


def test_a_stop_that_came_without_warning_is_survived_too(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.kill(signal.SIGSTOP)
        user.until(user.stopped, "the program did not stop")
        user.reset_attributes()
        user.wipe()
        written = len(user.raw)
        user.kill(signal.SIGCONT)
        user.until(lambda: TAKEN in user.raw[written:], "the terminal was not taken again")
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        steps.quits(user)


def test_a_job_is_stopped_and_brought_to_the_foreground_by_its_shell(service: RunningService, tmp_path: Path) -> None:
    script = 'set -m; "$0" -m svc_tui; touch stopped; read; fg %1; echo $? > status'
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["-c", script, sys.executable], environment, program=("bash",), directory=tmp_path) as user:
        user.sees(r"lot-000001 ")
        user.press("ctrl+z")
        user.until(lambda: (tmp_path / "stopped").exists() and LAST in user.raw, "the program did not stop")
        user.wipe()
        user.press("enter")
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        user.press("ctrl+q")
        assert user.ends() == 0
    assert (tmp_path / "status").read_text() == "0\n"


def test_the_welcome_is_stopped_and_brought_to_the_foreground_too(tmp_path: Path) -> None:
    script = 'set -m; "$0" -m svc_tui; touch stopped; read; fg %1; echo $? > status'
    environment = quiet_environment(tmp_path)
    with terminal(["-c", script, sys.executable], environment, program=("bash",), directory=tmp_path) as user:
        user.sees(r"No API key is set up yet")
        user.press("ctrl+z")
        user.until(lambda: (tmp_path / "stopped").exists() and LAST in user.raw, "the program did not stop")
        user.wipe()
        user.press("enter")
        user.sees(r"No API key is set up yet")
        user.press("c")
        user.sees(r"─ Set up an API key ─")
        user.press("ctrl+q")
        assert user.ends() == 0
    assert (tmp_path / "status").read_text() == "0\n"


def test_a_job_that_started_in_the_background_draws_in_the_foreground(service: RunningService, tmp_path: Path) -> None:
    script = 'set -m; "$0" -m svc_tui & until jobs -s > jobs; [ -s jobs ]; do :; done; fg %1; echo $? > status'
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["-c", script, sys.executable], environment, program=("bash",), directory=tmp_path) as user:
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        user.press("ctrl+q")
        assert user.ends() == 0
    assert (tmp_path / "status").read_text() == "0\n"


def test_a_stopped_job_can_be_killed(tmp_path: Path, scratch: Path) -> None:
    script = 'set -m; "$0" -m svc_tui demo; kill %1; wait -f %1; echo $? > status'
    environment = quiet_environment(tmp_path, TMPDIR=str(scratch))
    with terminal(["-c", script, sys.executable], environment, program=("bash",), directory=tmp_path) as user:
        user.sees(r"lot-000001 ")
        port = port_of_the_service(user)
        user.press("ctrl+z")
        assert user.ends() == 0
    assert (tmp_path / "status").read_text() == f"{TERMINATED}\n"
    nothing_is_left(port, scratch)


def test_bytes_that_are_no_text_are_survived(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.send(b"\xff\xc3")
        steps.opens_record(user, "lot-000001")
        steps.quits(user)
