"""What a system says to a program that is to end, or to leave the terminal to another."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

if sys.platform == "win32":
    import ctypes
    import time
    from ctypes import wintypes

    ENDING: tuple[int, ...] = (signal.SIGTERM, signal.SIGBREAK)
    """What ends a program in order, besides an interrupt; SIGBREAK is also a console that is closed."""

    STOPPING: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    """What stops a service that runs in the foreground."""

    _CLOSED = frozenset({2, 5, 6})
    """The console is closed, the user logs off, the machine goes down."""
    _CLOSING_SECONDS = 30.0
    """Longer than Windows leaves any program after these."""
    _WAIT_SECONDS = 0.2

    class _Console:
        """Hears of a console that is closed, and keeps Windows waiting until the program has ended.

        Python hears of it as of SIGBREAK, but answers at once, and with the answer Windows ends the program.
        """

        def __init__(self) -> None:
            self._listener: Callable[[], object] | None = None
            self._handler = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)(self._told)
            self._registered = False

        def listen(self, listener: Callable[[], object] | None) -> None:
            """Call the listener from now on, from a thread of Windows' own; None: nobody listens."""
            self._listener = listener
            if listener is not None and not self._registered:
                # For good: to take it back while it waits would wait for it.
                self._registered = bool(ctypes.WinDLL("kernel32").SetConsoleCtrlHandler(self._handler, True))

        def _told(self, what: int) -> bool:
            listener = self._listener
            if what not in _CLOSED or listener is None:
                return False
            listener()
            time.sleep(_CLOSING_SECONDS)
            return True

    _console = _Console()

    def hear(loop: asyncio.AbstractEventLoop, number: int, heard: Callable[[int], object]) -> None:
        """Have the loop call `heard` with the number of a signal when that comes; belongs in the main thread."""

        def tell(*_: object) -> None:
            loop.call_soon_threadsafe(heard, number)

        signal.signal(number, tell)
        if number == signal.SIGBREAK:
            _console.listen(tell)

    def unhear(loop: asyncio.AbstractEventLoop, number: int) -> None:
        """Hear it no more: from now on it does what the system has it do."""
        if number == signal.SIGBREAK:
            _console.listen(None)
        signal.signal(number, signal.SIG_DFL)

    def wait_for(event: Event) -> None:
        """Wait in the main thread for an event that a signal may set."""
        # A wait without an end hears no signal on Windows.
        while not event.wait(_WAIT_SECONDS):
            pass

    @contextmanager
    def quit_key_left_to_others() -> Iterator[None]:
        """Have ctrl+\\ reach the program alone that the terminal is lent to."""
        # No such key has a signal there.
        yield

    @contextmanager
    def signals_end_pastes(current_line: Callable[[], object]) -> Iterator[None]:
        """Do nothing: the console reads no pastes as one."""
        yield

else:
    import os
    import select
    import threading
    import time

    _PASTE_END = b"\x1b[201~"
    _HANDLED_SECONDS = 0.5
    """Seconds within which a signal is handled, unless the line editor reads a paste."""
    _PASTE_END_SECONDS, _POLL_SECONDS = 2.0, 0.01

    ENDING: tuple[int, ...] = (signal.SIGTERM, signal.SIGHUP)
    """What ends a program in order, besides an interrupt."""

    STOPPING: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
    """What stops a service that runs in the foreground."""

    def hear(loop: asyncio.AbstractEventLoop, number: int, heard: Callable[[int], object]) -> None:
        """Have the loop call `heard` with the number of a signal when that comes; belongs in the main thread."""
        loop.add_signal_handler(number, heard, number)

    def unhear(loop: asyncio.AbstractEventLoop, number: int) -> None:
        """Hear it no more: from now on it does what the system has it do."""
        loop.remove_signal_handler(number)

    def wait_for(event: Event) -> None:
        """Wait in the main thread for an event that a signal may set."""
        event.wait()

    @contextmanager
    def quit_key_left_to_others() -> Iterator[None]:
        """Have ctrl+\\ reach the program alone that the terminal is lent to."""
        # The terminal sends its signal to all that runs there. Heard and passed over; were it ignored, that program
        # would inherit that.
        before = signal.signal(signal.SIGQUIT, lambda *_: None)
        try:
            yield
        finally:
            signal.signal(signal.SIGQUIT, before)

    @contextmanager
    def signals_end_pastes(current_line: Callable[[], object]) -> Iterator[None]:
        """Have an interrupt and an ending signal end a bracketed paste on stdin whose own end has not come.

        GNU readline reads a paste to its end in one call, and Python handles no signal meanwhile. `current_line` gives
        the line that the main thread waits for, None where it waits for none. Belongs in the main thread.
        """
        received, sender = os.pipe()
        os.set_blocking(sender, False)
        main, closed = threading.get_ident(), Event()

        def watch() -> None:
            while number := os.read(received, 1):
                line = current_line()
                if number[0] not in (signal.SIGINT, *ENDING) or line is None or closed.wait(_HANDLED_SECONDS):
                    continue
                if current_line() is line:
                    _end_paste(main, lambda line=line: closed.is_set() or current_line() is not line)  # type: ignore[misc]

        thread = threading.Thread(target=watch, name="pastes", daemon=True)
        # A signal with a handler interrupts a system call; nobody else sends or needs this one.
        urgent = signal.signal(signal.SIGURG, lambda *_: None)
        before = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
        thread.start()
        try:
            yield
        finally:
            closed.set()
            signal.set_wakeup_fd(before)
            os.close(sender)
            thread.join()
            os.close(received)
            signal.signal(signal.SIGURG, urgent)

    def _end_paste(main: int, has_ended: Callable[[], bool]) -> None:
        """Give the main thread the end of a paste in place of stdin, then stdin again, and interrupt its wait.

        Where it reads no paste, it reads a key that does nothing.
        """
        deadline = time.monotonic() + _PASTE_END_SECONDS
        stdin, (source, sink) = os.dup(0), os.pipe()
        try:
            os.write(sink, _PASTE_END)
            os.dup2(source, 0)
            signal.pthread_kill(main, signal.SIGURG)
            while select.select([source], (), (), 0)[0] and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)
        finally:
            os.dup2(stdin, 0)
            for descriptor in (stdin, source, sink):
                os.close(descriptor)
        # The signal is handled when the line editor waits for the next key; one sent just before that wait is lost.
        while not has_ended() and time.monotonic() < deadline:
            signal.pthread_kill(main, signal.SIGURG)
            time.sleep(_POLL_SECONDS)
