"""What becomes of the program in a process that takes itself for one on Windows; prints it as JSON."""

import asyncio
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.platform.fake_windows import BREAK, become_windows, console_handlers, load_program

CLOSED = 2
"""What Windows says of a console that is closed."""


def piece(name: str) -> Any:
    """A module of the room for the platform, as it is on Windows."""
    return importlib.import_module(f"svc_tui.platform.{name}")


def locks_and_files(folder: Path) -> Mapping[str, list[bool]]:
    """Whether a lock could be taken: alone, beside that, after it, beside one who looks, alone beside two who do."""
    files, try_lock = piece("files"), piece("locks").try_lock
    path = folder / "lock"
    first, second, third = (files.open_file(path, os.O_RDWR | os.O_CREAT) for _ in range(3))
    locked = [try_lock(first), try_lock(second, shared=True)]
    os.close(first)
    locked += [try_lock(second, shared=True), try_lock(third, shared=True)]
    fourth = files.open_file(path, os.O_RDWR)
    locked.append(try_lock(fourth))
    os.close(fourth)
    os.close(third)
    looking = files.open_to_look(path)
    # Somebody still has it open: it stays, and that is no error.
    files.remove_open(path, second)
    removed = [path.exists()]
    files.remove_open(path, looking)
    return {"lock": locked, "removed": [*removed, not path.exists()]}


async def heard_of(what: str) -> str:
    """Which signal the loop was told of, after a signal or a console that is closed."""
    hear, unhear = piece("signals").hear, piece("signals").unhear
    loop, heard = asyncio.get_running_loop(), asyncio.Event()
    numbers: list[int] = []

    def told(number: int) -> None:
        numbers.append(number)
        heard.set()

    hear(loop, BREAK, told)
    if what == "signal":
        os.kill(os.getpid(), BREAK)
    else:
        # From a thread of Windows' own, which is kept until the program has ended.
        threading.Thread(target=console_handlers[0], args=(CLOSED,), daemon=True).start()
    await heard.wait()
    unhear(loop, BREAK)
    signal.signal(BREAK, signal.SIG_IGN)
    return signal.Signals(numbers[0]).name


def woken() -> bool:
    """Whether a signal that comes to a loop with nothing to do is heard at once."""

    async def sleep() -> None:
        woke = asyncio.Event()
        signal.signal(BREAK, lambda *_: woke.set())
        threading.Timer(0.05, os.kill, (os.getpid(), BREAK)).start()
        await woke.wait()

    piece("event_loops").run_on_loop(sleep())
    signal.signal(BREAK, signal.SIG_IGN)
    return True


def processes() -> Mapping[str, object]:
    """What is read from a program that was started apart, and whether it ends."""
    start_apart, first_line = piece("processes").start_apart, piece("pipes").first_line
    process = start_apart(
        [sys.executable, "-c", "import time; print('a', flush=True); time.sleep(600)"], stdout=subprocess.PIPE
    )
    try:
        lines = [first_line(process.stdout, 60.0).decode(), first_line(process.stdout, 0.01)]
    finally:
        piece("processes").end_with_children(process)
        process.wait()
    return {"first line": lines, "ended": process.returncode != 0}


async def on_the_terminal() -> int:
    """The exit status of a program that the terminal was lent to."""
    program = await piece("terminal").start_on_terminal([sys.executable, "-c", "raise SystemExit(3)"], 2, os.environ)
    status: int = await program.wait()
    return status


class Writer(io.StringIO):
    """The thread that writes to a console."""

    alive = True

    def is_alive(self) -> bool:
        """Whether it still does."""
        return self.alive


def drawn() -> str:
    """What the driver writes to have a window called so, where everything is in ASCII."""
    module = importlib.import_module("svc_tui.ui.terminal.windows_driver")
    driver = module.AsciiConsoleDriver.__new__(module.AsciiConsoleDriver)
    writer = driver._writer_thread = Writer()
    driver.name_window("a→b")
    writer.alive = False
    driver.name_window("lost on the way, while another program has the console")
    return writer.getvalue()


def pieces() -> Mapping[str, object]:
    """What each of them did."""
    run_on_loop = piece("event_loops").run_on_loop
    with tempfile.TemporaryDirectory() as folder:
        done: dict[str, object] = {**locks_and_files(Path(folder))}
    return {
        **done,
        "woken": woken(),
        "heard": [run_on_loop(heard_of("signal")), run_on_loop(heard_of("closed"))],
        **processes(),
        "on the terminal": run_on_loop(on_the_terminal()),
        "words": piece("processes").split_command(r'"C:\Program Files\ed.exe" -n'),
        "drawn": drawn(),
        "clock": piece("clocks").seconds_since_boot() > 0,
    }


@contextmanager
def kept(descriptor: int) -> Iterator[Callable[[], str]]:
    """Keep what is written to a descriptor; gives what that was."""
    before = os.dup(descriptor)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)

        def written() -> str:
            file.seek(0)
            return file.read().decode()

        try:
            yield written
        finally:
            os.dup2(before, descriptor)
            os.close(before)


def run_program(words: list[str]) -> tuple[object, str, str]:
    """The exit status of the program on the words, and what it wrote to stdout and stderr."""
    main = importlib.import_module("svc_tui.cli.main").main
    if words[0] == "demo":
        # Nothing is drawn here, and Textual presses the keys.
        setattr(importlib.import_module("svc_tui.bootstrap.environment"), "_is_watched", lambda: True)  # noqa: B010  a module
    with kept(1) as out, kept(2) as err:
        try:
            main(words)
            status: object = None
        except SystemExit as ended:
            status = ended.code
        sys.stdout.flush()
        sys.stderr.flush()
        return status, out(), err()


if __name__ == "__main__":
    become_windows()
    report = {
        "modules": load_program("svc_tui.ui.terminal.driver"),
        "pieces": pieces(),
        "commands": {name: run_program(words) for name, words in json.loads(sys.argv[1]).items()},
    }
    sys.stdout.write(json.dumps(report))
