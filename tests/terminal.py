"""A real terminal for tests: the program in a pseudo-terminal, its bytes kept, its screen read by pyte."""

import os
import re
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pyte

PATIENCE = 30.0
"""Seconds to wait for something to appear before the test gives up; nothing is asserted about speed."""

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
    "pgdn": "\x1b[6~",
    "backspace": "\x7f",
    "ctrl+j": "\n",
    "ctrl+s": "\x13",
    "ctrl+q": "\x11",
    "ctrl+u": "\x15",
    "ctrl+a": "\x01",
    "ctrl+p": "\x10",
}


class Terminal:
    """One program on one terminal."""

    def __init__(self, child: Any, columns: int, rows: int) -> None:
        self._child = child
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._pending = b""
        self.raw = b""
        """Every byte that the program wrote."""
        self.modes_before = termios.tcgetattr(child.child_fd)

    @property
    def text(self) -> str:
        """The screen, line under line."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def press(self, *keys: str) -> None:
        """Send named keys, or text as it is."""
        for key in keys:
            self._child.send(KEYS.get(key, key))

    def paste(self, text: str) -> None:
        """Send `text` as a bracketed paste."""
        self._child.send(f"\x1b[200~{text}\x1b[201~")

    def sees(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        """Wait until the screen matches `pattern`; fails with the screen as it is."""
        found = self._until(lambda: re.search(pattern, self.text), patience)
        assert found, f"the screen never showed {pattern!r}:\n{self.text}"
        return found

    def loses(self, pattern: str, patience: float = PATIENCE) -> None:
        """Wait until the screen no longer matches `pattern`."""
        gone = self._until(lambda: not re.search(pattern, self.text), patience)
        assert gone, f"the screen still shows {pattern!r}:\n{self.text}"

    def ends(self, patience: float = PATIENCE) -> int:
        """Wait until the program has ended; gives its exit status."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and self._read():
            pass
        self._child.expect(pexpect.EOF, timeout=patience)
        self._child.close()
        status: int = self._child.exitstatus if self._child.exitstatus is not None else -(self._child.signalstatus or 0)
        return status

    @property
    def pid(self) -> int:
        """The program's process."""
        pid: int = self._child.pid
        return pid

    def _until(self, holds: Any, patience: float) -> Any:
        deadline = time.monotonic() + patience
        while True:
            if found := holds():
                return found
            if time.monotonic() > deadline or not self._read():
                return holds()

    def _read(self) -> bool:
        """Read what is there, waiting a moment for it; False at the end."""
        try:
            data: bytes = self._child.read_nonblocking(65536, timeout=0.2)
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
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", ready))


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
    arguments: Sequence[str], environment: Mapping[str, str], columns: int = 120, rows: int = 40
) -> Iterator[Terminal]:
    """Run `svc-tui ARGUMENTS…` in a terminal of that size; it is gone when the block ends."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "svc_tui", *arguments],
        env=dict(environment),
        dimensions=(rows, columns),
        timeout=PATIENCE,
    )
    try:
        yield Terminal(child, columns, rows)
    finally:
        child.close(force=True)
