"""The driver for Unix terminals, which may hang up, stall, be suspended, and paste escape characters."""

import io
import os
import selectors
import signal
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Full
from threading import Event
from typing import TYPE_CHECKING, Any

from textual._parser import ParseError
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from svc_tui.ui.terminal.ascii_fallback import to_ascii
from svc_tui.ui.terminal.input_parser import InputParser
from svc_tui.ui.terminal.key_queue import InputRead, TerminalLost
from svc_tui.ui.terminal.window_title import TitledDriver

assert sys.platform != "win32"

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from textual.app import App

WRITE_TIMEOUT_SECONDS = 1.0
"""Seconds of waiting for a stalled terminal, after which output is dropped."""

_TICK_SECONDS = 0.1
"""Seconds between two checks of the input thread for the end of the program or of a paste."""

_RESUME_DELAY_SECONDS = 0.05
"""Seconds after SIGCONT before the terminal is taken: a shell that ends the program sends another signal with it."""


class TerminalOutput(io.FileIO):
    """The output to a terminal; once the terminal is gone, output is dropped.

    An error here would end the writer thread, and everybody else would wait for it.
    """

    def __init__(self, fileno: int, lost: Callable[[], object]) -> None:
        """Open the terminal; `lost` is called once if it is gone, from the writer thread."""
        super().__init__(fileno, "wb", closefd=False)
        self._lost: Callable[[], object] | None = lost

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of it, however long that takes."""
        rest = memoryview(data)
        while rest and self._lost is not None:
            try:
                # None: another program has made this terminal non-blocking.
                rest = rest[super().write(rest) or 0 :]
                if rest:
                    self._wait()
            except OSError:
                lost, self._lost = self._lost, None
                lost()
        return memoryview(data).nbytes

    def _wait(self) -> None:
        with selectors.SelectSelector() as selector:
            selector.register(self, selectors.EVENT_WRITE)
            selector.select()


class TerminalDriver(TitledDriver, LinuxDriver):
    """Textual's driver for Unix terminals, with an `InputParser`, which never waits for a dead terminal.

    Signal handlers may run while the event loop waits for the writer thread, so they write and start nothing themselves
    but schedule it on the loop.
    """

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        if (terminal := self._file) is not None:
            output = TerminalOutput(terminal.fileno(), self._lose)
            self._file = io.TextIOWrapper(
                output, encoding=terminal.encoding, errors=terminal.errors, newline="\n", write_through=True
            )
        self._drawing = False
        """True in application mode."""
        self._stalled = False
        """True while the terminal takes no output, after some was dropped."""
        self._lost = False
        """True if the terminal is gone."""
        self._reading = False
        """True while the input thread runs."""
        self._reads_rest = Event()
        """Set if the program will end once there is no more input."""

    def start_application_mode(self) -> None:
        """Take the terminal; a program in the background takes it as soon as it can."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._replace_title()
        self._drawing = self._writer_thread is not None and self._writer_thread.is_alive()
        self._must_signal_resume = not self._drawing
        if self._drawing:
            signal.signal(signal.SIGWINCH, self._sigwinch_application)
            self._measure()

    def stop_application_mode(self) -> None:
        """Restore the terminal, once."""
        if self._drawing:
            self._restore_title()
            super().stop_application_mode()
            self._drawing = False

    def disable_input(self) -> None:
        """Stop reading."""
        # In the background, even flushing the input would stop the program.
        if self._drawing:
            super().disable_input()

    def write(self, data: str) -> None:
        """Queue output for the terminal; drop it while another program has the terminal or it is stopped."""
        writer = self._writer_thread
        if writer is None or not writer.is_alive():
            return
        try:
            writer._queue.put(data, timeout=0 if self._stalled else WRITE_TIMEOUT_SECONDS)
        except Full:
            if not self._stalled:
                self._stalled = True
                self._loop.call_later(WRITE_TIMEOUT_SECONDS, self._redraw)

    def close(self) -> None:
        """Wait until everything is written, unless the terminal takes no more."""
        writer = self._writer_thread
        if writer is None or not writer.is_alive():
            return
        # A thread that is blocked by the terminal ends with the process.
        with suppress(Full):
            writer._queue.put(None, timeout=WRITE_TIMEOUT_SECONDS)
            waiting = -1
            while writer.is_alive() and waiting != (waiting := writer._queue.qsize()):
                writer.join(WRITE_TIMEOUT_SECONDS)
        if self._lost or (writer.is_alive() and self._app.return_code is not None):
            self._silence()

    def _silence(self) -> None:
        """Redirect the terminal to /dev/null, since the last output of the program could fail there, or block."""
        assert self._file is not None
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._file.fileno())
        os.close(nowhere)

    def run_input_thread(self) -> None:
        """Read until the driver is stopped, or the terminal is gone."""
        self._reading = True
        parser = InputParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        # The only selector that works with terminals on macOS.
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0 if self._reads_rest.is_set() else parser.seconds_to_tick(_TICK_SECONDS)):
                    data = self._read()
                    if not data:
                        self._lose()
                        break
                    if text := decode(data):
                        self._process(parser.feed(text))
                elif self._reads_rest.is_set():
                    self._reads_rest.clear()
                    self._process(parser.end_paste())
                    self.send_message(InputRead())
                self._process(parser.tick())
        self._process(parser.end_paste())
        self._reading = False
        if self._reads_rest.is_set():
            self.send_message(InputRead())
        with suppress(EOFError, ParseError):
            list(parser.feed(""))

    def read_rest(self) -> None:
        """Read what the terminal has delivered, then post `InputRead`."""
        self._reads_rest.set()
        # Checked last: a thread that ends later posts it itself.
        if not self._reading:
            self.send_message(InputRead())

    def _read(self) -> bytes:
        """Return the next input; nothing at its end."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _process(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def _lose(self) -> None:
        """Tell the app that the terminal is gone; called from threads."""
        self._lost = True
        # The loop may be closed if this happens at the end of the program.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._app.post_message, TerminalLost())

    def _redraw(self) -> None:
        """Draw everything again as soon as the terminal takes output again."""
        writer = self._writer_thread
        if writer is not None and writer.is_alive() and writer._queue.full():
            self._loop.call_later(WRITE_TIMEOUT_SECONDS, self._redraw)
            return
        self._stalled = False
        self._write_title()
        self._app.refresh(layout=True)

    def _sigwinch_application(self, *_: object) -> None:
        """Schedule a measurement of the window.

        A handler that measured the window could be interrupted by the next signal, and post the older size last.
        """
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._measure)

    def _measure(self) -> None:
        """Post the size of the window, unless the terminal itself reports it."""
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(Resize(size, size))

    def _sigtstp_application(self, *_: object) -> None:
        """Suspend the program, with the terminal restored for the shell."""
        if self._auto_restart and self._drawing:
            self._loop.call_soon_threadsafe(self._suspend)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        """Resume the program."""
        if self._auto_restart and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.call_later, _RESUME_DELAY_SECONDS, self._resume)

    def _suspend(self) -> None:
        if self._drawing:
            self.suspend_application_mode()
            self._must_signal_resume = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _resume(self) -> None:
        """Take the terminal again, unless the program is ending.

        SIGCONT also follows a SIGSTOP, after which the shell has had the terminal, and comes with every hang-up, after
        which nothing may be started again.
        """
        if self._app.return_code is not None:
            return
        if self._drawing:
            if not os.isatty(self.fileno):
                return
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._must_signal_resume:
            self.resume_application_mode()
            self._app.refresh(layout=True)


class AsciiDriver(TerminalDriver):
    """The driver for a terminal that does not support UTF-8: everything is drawn with ASCII equivalents."""

    def write(self, data: str) -> None:
        """Write output in ASCII."""
        super().write(to_ascii(data))
