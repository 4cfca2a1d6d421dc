"""A terminal that is gone stops nobody who writes to it, and one that stood still is told what it missed."""

import io
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from textual.drivers._writer_thread import WriterThread
from textual.widgets import Static

from svc_tui.ui.terminal import driver
from svc_tui.ui.terminal.driver import TerminalDriver, TerminalOutput
from tests.ui.stage import Stage, until


def test_what_is_written_to_a_terminal_that_is_gone_is_dropped_and_told_once() -> None:
    ours, its = os.openpty()
    told: list[bool] = []
    with TerminalOutput(its, lambda: told.append(True)) as output:
        assert output.write(b"seen") == 4
        assert os.read(ours, 100) == b"seen"
        os.close(ours)
        assert output.write(b"lost") == 4
        assert output.write(b"lost too") == 8
    assert told == [True]
    os.close(its)


def test_everything_is_written_even_where_writing_does_not_block() -> None:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    text = b"x" * 1_000_000
    with ThreadPoolExecutor(1) as pool, os.fdopen(reads, "rb") as reader, TerminalOutput(writes, pytest.fail) as output:
        read = pool.submit(reader.read, len(text))
        assert output.write(text) == len(text)
        assert read.result() == text
    os.close(writes)


class SlowTerminal:
    """A terminal that nobody reads, until it is let go on."""

    def __init__(self) -> None:
        self._reads, writes = os.pipe()
        self.file = io.TextIOWrapper(io.FileIO(writes, "wb"), encoding="utf-8", write_through=True)
        self.shown = b""

    def read(self) -> None:
        """Read what is there now, and what comes while that is read."""
        os.set_blocking(self._reads, False)
        while data := self._some():
            self.shown += data

    def _some(self) -> bytes:
        try:
            return os.read(self._reads, 1 << 20)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Let go of both ends."""
        self.file.close()
        os.close(self._reads)


@pytest.fixture
def slow() -> Iterator[SlowTerminal]:
    """A terminal that stands still."""
    terminal = SlowTerminal()
    yield terminal
    terminal.close()


async def test_a_terminal_that_stood_still_is_drawn_whole_and_its_window_named(
    slow: SlowTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "WRITE_TIMEOUT_SECONDS", 0.01)
    app = Stage(lambda: [Static("stays", id="stays"), Static("before", id="changes")])
    async with app.run_test(size=(40, 10)) as pilot:
        headless = app._driver
        its = TerminalDriver(app, size=(40, 10))
        its._writer_thread = writer = WriterThread(slow.file)
        writer.start()
        # More than the pipe and the queue take.
        while not its._stalled:
            its.write("#" * 65536)
        app._driver = its
        its.name_window("SANDBOX missed")
        app.query_one("#changes", Static).update("missed")
        await pilot.pause()

        def shows(words: bytes) -> bool:
            slow.read()
            return words in slow.shown

        await until(pilot, lambda: shows(b"missed"))
        await until(pilot, lambda: shows(b"stays"))
        await until(pilot, lambda: shows(b"\x1b]2;SANDBOX missed\x1b\\"))
        app._driver = headless

        def drained() -> bool:
            slow.read()
            return not writer.is_alive()

        writer._queue.put(None, timeout=10)
        await until(pilot, drained)


async def test_a_window_is_measured_after_the_signal_and_not_in_the_middle_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Stage(lambda: [Static("here")])
    async with app.run_test(size=(40, 10)) as pilot:
        its = TerminalDriver(app, size=(40, 10))
        window = (60, 20)
        monkeypatch.setattr(its, "_get_terminal_size", lambda: window)
        its._sigwinch_application()
        # What a second signal tells of, heard before the first one is done with.
        window = (50, 15)
        await until(pilot, lambda: app.size == (50, 15))
        await pilot.pause()
        assert app.screen.size == (50, 15)
