"""A real terminal for tests: the program in a pseudo-terminal, its bytes kept, its screen read by pyte."""

import fcntl
import os
import re
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pexpect
import pyte
from rich.cells import cell_len

PATIENCE = 60.0
"""Seconds to wait for something to appear before the test gives up; nothing is asserted about speed."""

PROGRAM = (sys.executable, "-m", "svc_tui")

SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x1b\\|\x07)|[ -/]*[0-~])",
    re.DOTALL,
)
"""A whole escape sequence: CSI, a string that ends with ST or BEL (OSC, DCS, SOS, PM, APC), or a short one."""

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_UNKNOWN_TO_PYTE = re.compile(
    rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b\[\?[0-9;]*\$[a-z]|\x1bP.*?\x1b\\|\x1b_.*?\x1b\\", re.DOTALL
)

KEYS = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "end": "\x1b[F",
    "f1": "\x1bOP",
    "f6": "\x1b[17~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "f12": "\x1b[24~",
    "pgdn": "\x1b[6~",
    "delete": "\x1b[3~",
    "backspace": "\x7f",
    "ctrl+j": "\n",
    "ctrl+s": "\x13",
    "ctrl+q": "\x11",
    "ctrl+u": "\x15",
    "ctrl+a": "\x01",
    "ctrl+n": "\x0e",
    "ctrl+e": "\x05",
    "ctrl+f": "\x06",
    "ctrl+l": "\x0c",
    "ctrl+o": "\x0f",
    "ctrl+]": "\x1d",
    "ctrl+k": "\x0b",
    "ctrl+p": "\x10",
    "ctrl+t": "\x14",
    "ctrl+w": "\x17",
    "ctrl+x": "\x18",
    "ctrl+z": "\x1a",
}


def attributes_of_a_new_one() -> list[Any]:
    """The attributes that every new terminal has.

    Those of the program's own can't be read in time: it may have changed them before this process has its turn again.
    """
    terminal, program = os.openpty()
    try:
        return termios.tcgetattr(program)
    finally:
        os.close(program)
        os.close(terminal)


class Terminal:
    """One program on one terminal."""

    def __init__(self, child: Any, columns: int, rows: int) -> None:
        self._child = child
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._lines: dict[int, str] = {}
        self._pending = b""
        self.raw = b""
        """Every byte that the program wrote."""
        self.attributes_before = attributes_of_a_new_one()
        """The terminal's attributes as the program found them; see termios(3)."""
        self.attributes_after: list[Any] | None = None
        """The terminal's attributes once the program had ended."""

    @property
    def text(self) -> str:
        """The screen, line under line."""
        # Its own `display` fails where half of a wide character was drawn over.
        columns, rows = range(self._screen.columns), range(self._screen.lines)
        for number in self._screen.dirty:
            # A combining character changes the end of the line above.
            for changed in {number, max(number - 1, 0)}:
                row = self._screen.buffer[changed]
                self._lines[changed] = "".join(row[column].data for column in columns).rstrip()
        self._screen.dirty.clear()
        return "\n".join(self._lines[number] for number in rows)

    def ground(self, pattern: str) -> tuple[str, bool, bool] | None:
        """What is behind the first place that matches `pattern`: its colour, inverse, underlined; None: nowhere."""
        for row, line in enumerate(self._screen.display):
            if found := re.search(pattern, line):
                cell = self._screen.buffer[row][cell_len(line[: found.start()])]
                return cell.bg, cell.reverse, cell.underscore
        return None

    @property
    def modes(self) -> dict[int, bool]:
        """The DEC private modes that the program set (True) or reset, as they stand now."""
        return {
            int(number): switch == b"h" for numbers, switch in _MODE.findall(self.raw) for number in numbers.split(b";")
        }

    @property
    def sequences(self) -> list[bytes]:
        """Every escape sequence that the program wrote."""
        return SEQUENCE.findall(self.raw)

    @property
    def printed(self) -> str:
        """What the program wrote outside of escape sequences."""
        # The last character may not be whole yet.
        return getincrementaldecoder("utf-8")().decode(SEQUENCE.sub(b"", self.raw))

    def press(self, *keys: str) -> None:
        """Send named keys, or text as it is; after `esc`, wait for what it does, else it is Alt with the next key."""
        for key in keys:
            self._child.send(KEYS.get(key, key))

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._child.send(data)

    def paste(self, text: str) -> None:
        """Send `text` as a bracketed paste."""
        self._child.send(f"\x1b[200~{text}\x1b[201~")

    def click(self, pattern: str) -> None:
        """Click with the left button where the screen matches `pattern`; nowhere if it no longer does."""
        for row, line in enumerate(self._screen.display, 1):
            if found := re.search(pattern, line):
                column = cell_len(line[: found.start()]) + 1
                self._child.send(f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")
                return

    def sees(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        """Wait until the screen matches `pattern`; fails with the screen as it is."""
        self._until(lambda: re.search(pattern, self.text) is not None, patience)
        found = re.search(pattern, self.text)
        assert found, f"the screen never showed {pattern!r}:\n{self.text}"
        return found

    def loses(self, pattern: str, patience: float = PATIENCE) -> None:
        """Wait until the screen no longer matches `pattern`."""
        gone = self._until(lambda: re.search(pattern, self.text) is None, patience)
        assert gone, f"the screen still shows {pattern!r}:\n{self.text}"

    def until(self, holds: Callable[[], bool], complaint: str, patience: float = PATIENCE) -> None:
        """Wait until `holds()`, reading on meanwhile; fails with the complaint and the screen."""
        assert self._until(holds, patience), f"{complaint}:\n{self.text}"

    def awaits(self, holds: Callable[[], bool], patience: float) -> bool:
        """Read on until `holds()`, and return True; False if it does not in that time."""
        return self._until(holds, patience)

    def reads(self) -> None:
        """Take all that the program has written up to now, waiting a moment for it."""
        self._read()
        taken = -1
        while len(self.raw) != taken:
            taken = len(self.raw)
            self._read(patience=0)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as dragging its window does."""
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def wipe(self) -> None:
        """Forget what is on the screen, as if another program had drawn over it."""
        self._screen.erase_in_display(2)

    def hang_up(self) -> None:
        """Take the terminal away from under the program, as closing its window does."""
        # Its own close() would send signals besides.
        self._child.ptyproc.fileobj.close()

    def dies(self, patience: float = PATIENCE) -> int:
        """Wait, without a look at the terminal, until the program has ended; gives its exit status as `ends` does."""
        waiting = Thread(target=self._child.wait, daemon=True)
        waiting.start()
        waiting.join(patience)
        assert not waiting.is_alive(), f"the program never ended:\n{self.text}"
        return self._status()

    def stopped(self) -> bool:
        """Whether the program is stopped, as after ctrl+z."""
        return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None

    @property
    def attributes(self) -> list[Any]:
        """The terminal's attributes as they are now; see termios(3)."""
        return termios.tcgetattr(self._child.child_fd)

    @property
    def unread(self) -> int:
        """How many bytes the program has not read yet; see FIONREAD in ioctl_tty(2)."""
        terminal = os.open(f"/proc/{self.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        try:
            return int.from_bytes(fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)), sys.byteorder)
        finally:
            os.close(terminal)

    def reset_attributes(self) -> None:
        """Give the terminal the attributes that it had before the program, as a shell does when a job stops."""
        termios.tcsetattr(self._child.child_fd, termios.TCSANOW, self.attributes_before)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """A terminal that takes no output meanwhile, as at the far end of a lost connection; see tcflow(3)."""
        terminal = os.open(f"/proc/{self.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        try:
            termios.tcflow(terminal, termios.TCOOFF)
            yield
            termios.tcflow(terminal, termios.TCOON)
        finally:
            os.close(terminal)

    def ends(self, patience: float = PATIENCE) -> int:
        """Wait until the program has ended; gives its exit status, negative for a signal."""
        deadline = time.monotonic() + patience
        while (alive := self._read()) and time.monotonic() < deadline:
            pass
        assert not alive, f"the program never ended:\n{self.text}"
        self.attributes_after = termios.tcgetattr(self._child.child_fd)
        self._child.close()
        return self._status()

    @property
    def pid(self) -> int:
        """The program's process."""
        pid: int = self._child.pid
        return pid

    def _status(self) -> int:
        status: int = self._child.exitstatus if self._child.exitstatus is not None else -(self._child.signalstatus or 0)
        return status

    def _until(self, holds: Callable[[], bool], patience: float) -> bool:
        deadline = time.monotonic() + patience
        while True:
            if holds():
                return True
            if time.monotonic() > deadline or not self._read():
                return holds()

    def _read(self, patience: float = 0.2) -> bool:
        """Read some of what is there, waiting a moment for it; False at the end."""
        try:
            # Little at a time: what came and went while this machine was busy is seen all the same.
            data: bytes = self._child.read_nonblocking(4096, timeout=patience)
        except pexpect.TIMEOUT:
            self._feed(len(self._pending))
            return True
        except pexpect.EOF:
            self._feed(len(self._pending))
            return False
        self.raw += data
        self._pending += data
        # A sequence cut in two by the read waits for its other half.
        cut = self._pending.rfind(b"\x1b")
        self._feed(cut if cut >= len(self._pending) - 64 and cut >= 0 else len(self._pending))
        return True

    def _feed(self, until: int) -> None:
        ready, self._pending = self._pending[:until], self._pending[until:]
        self._stream.feed(known_to_pyte(ready))


def known_to_pyte(written: bytes) -> bytes:
    """What a program wrote without the sequences that pyte would take for text."""
    return _UNKNOWN_TO_PYTE.sub(b"", written)


def quiet_environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with a home of its own and nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TEXTUAL_ANIMATIONS": "none",
        **more,
    }


@contextmanager
def terminal(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    columns: int = 120,
    rows: int = 40,
    *,
    program: Sequence[str] = PROGRAM,
    directory: Path | None = None,
    key_delay: float | None = None,
) -> Iterator[Terminal]:
    """Run `svc-tui ARGUMENTS…` in a terminal of that size; it is gone when the block ends.

    Each key comes `key_delay` seconds after it was pressed.
    """
    command, *words = (*program, *arguments)
    child = pexpect.spawn(
        command,
        words,
        env=dict(environment),
        dimensions=(rows, columns),
        timeout=PATIENCE,
        cwd=None if directory is None else str(directory),
    )
    # By default 50 ms before each key and 100 ms at the end.
    child.delaybeforesend, child.ptyproc.delayafterclose = key_delay, 0
    try:
        yield Terminal(child, columns, rows)
    finally:
        child.close(force=True)
