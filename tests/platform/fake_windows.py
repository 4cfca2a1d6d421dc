"""This process as one on Windows, as far as the program can tell: for a process of its own, which does not come back.

What only Unix has is gone, what Windows has instead is there, made of what is here: its locks are this system's, and
a file that is open is neither removed nor replaced. Libraries are loaded before, as they are on this system.
"""

import asyncio
import ctypes
import errno
import fcntl
import importlib
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

UNIX_MODULES = ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "curses", "textual.drivers.linux_driver")
UNIX_NAMES: dict[types.ModuleType, tuple[str, ...]] = {
    os: (
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_TMPFILE"),
        *("chown", "ctermid", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid"),
        *("getpgrp", "getsid", "getuid", "killpg", "mkfifo", "setsid", "tcgetpgrp", "uname"),
    ),
    select: ("PIPE_BUF",),
    signal: (
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP"),
        *("SIGUSR1", "SIGUSR2", "SIGWINCH"),
    ),
    time: tuple(name for name in vars(time) if name.startswith(("CLOCK_", "clock_"))),
}
LOCK_VIOLATION = 33
BREAK = signal.SIGUSR1
"""What stands for SIGBREAK."""

console_handlers: list[Callable[[int], int]] = []
"""What Windows tells of a console that is closed."""


class FakeFunction:
    """A function of a library of Windows'; what it is not taught gives 1."""

    def __init__(self, does: Callable[..., object]) -> None:
        self.argtypes: object = None
        self.restype: object = None
        self._does = does

    def __call__(self, *arguments: object) -> object:
        return self._does(*arguments)


class FakeLibrary:
    """`ctypes.WinDLL` of any name."""

    def __init__(self, name: str, use_last_error: bool = False) -> None:
        self.name = name

    def __getattr__(self, name: str) -> FakeFunction:
        taught: dict[str, Callable[..., object]] = {
            "GetTickCount64": lambda: time.monotonic_ns() // 1_000_000,
            "LockFileEx": lock_file,
            "SetConsoleCtrlHandler": add_handler,
        }
        return FakeFunction(taught.get(name, lambda *_: 1))


last_error = 0


def lock_file(handle: int, how: int, *_: object) -> int:
    """LockFileEx, by this system's locks."""
    global last_error
    assert how & 1, "nobody waits for a lock"
    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if how & 2 else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        last_error = LOCK_VIOLATION
        return 0
    return 1


def add_handler(handler: Callable[[int], int], added: bool) -> int:
    """SetConsoleCtrlHandler."""
    assert added
    console_handlers.append(handler)
    return 1


def is_open(path: str | os.PathLike[str]) -> bool:
    """Whether this process has the file open."""
    with suppress(OSError):
        there = Path(path).stat()
        for descriptor in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(descriptor.stat(), there):
                    return True
    return False


def refusing_open_files(change: Callable[..., None], places: int) -> Callable[..., None]:
    """The same as on Windows: where one of the files at its first places is open, it fails."""

    def changed(*paths: Any, **how: Any) -> None:
        for path in paths[:places]:
            if is_open(path):
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))
        change(*paths, **how)

    return changed


def not_there(*_: object, **__: object) -> None:
    """What the loops of Windows can't do."""
    raise NotImplementedError


def become_windows() -> None:
    """Be on Windows from now on: the program is loaded anew."""
    load_program("svc_tui.ui.terminal.windows_driver")
    for name in [name for name in sys.modules if name.partition(".")[0] == "svc_tui"]:
        del sys.modules[name]
    hidden: dict[str, Any] = dict.fromkeys(UNIX_MODULES)
    sys.modules.update(hidden)
    for module, names in UNIX_NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    msvcrt = types.ModuleType("msvcrt")
    sys.modules["msvcrt"] = msvcrt
    signal.signal(BREAK, signal.SIG_IGN)
    there: list[tuple[object, dict[str, object]]] = [
        (msvcrt, {"get_osfhandle": lambda descriptor: descriptor}),
        (
            os,
            {
                "O_BINARY": 0,
                "O_NOINHERIT": 0,
                "unlink": refusing_open_files(os.unlink, 1),
                "replace": refusing_open_files(os.replace, 2),
                "rename": refusing_open_files(os.rename, 2),
            },
        ),
        (signal, {"SIGBREAK": BREAK}),
        (socket, {"SO_EXCLUSIVEADDRUSE": socket.SO_REUSEADDR}),
        (subprocess, {"CREATE_NEW_PROCESS_GROUP": 0, "CREATE_NO_WINDOW": 0}),
        (subprocess.Popen, {"kill": lambda process: process.send_signal(9)}),
        (asyncio, {"run": not_there}),
        (
            ctypes,
            {
                "WinDLL": FakeLibrary,
                "WINFUNCTYPE": ctypes.CFUNCTYPE,
                "WinError": lambda code: OSError(code, "as Windows has it"),
                "get_last_error": lambda: last_error,
            },
        ),
        (
            asyncio.SelectorEventLoop,
            {
                **dict.fromkeys(("add_signal_handler", "remove_signal_handler", "subprocess_exec"), not_there),
            },
        ),
        (tempfile, {"TemporaryFile": tempfile.NamedTemporaryFile}),
        (sys, {"platform": "win32"}),
    ]
    for owner, values in there:
        for name, value in values.items():
            setattr(owner, name, value)


def load_program(but: str) -> dict[str, str]:
    """Load every module of the program except one; gives what failed, by its name."""
    failed: dict[str, str] = {}
    program = importlib.import_module("svc_tui")
    for module in pkgutil.walk_packages(program.__path__, "svc_tui.", onerror=lambda name: failed.update({name: "?"})):
        if module.name in (but, "svc_tui.__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except Exception as error:
            failed[module.name] = f"{type(error).__name__}: {error}"
    return failed
