"""The driver for the Windows console: Textual's, with this program's parser, window titles and ASCII equivalents."""

import sys
from math import ceil
from typing import Any

from textual.drivers import win32
from textual.drivers.windows_driver import WindowsDriver

from svc_tui.ui.terminal.ascii_fallback import to_ascii
from svc_tui.ui.terminal.input_parser import InputParser
from svc_tui.ui.terminal.window_title import TitledDriver

assert sys.platform == "win32"


_wait_for_handles = win32.wait_for_handles


class ConsoleDriver(TitledDriver, WindowsDriver):
    """Textual's driver for Windows, with an `InputParser`."""

    def start_application_mode(self) -> None:
        """Take the console."""
        # The input thread creates a parser and waits by these names.
        win32.XTermParser = self._make_parser  # type: ignore[assignment, attr-defined]
        win32.wait_for_handles = self._wait
        super().start_application_mode()
        self._replace_title()

    def _make_parser(self, debug: bool) -> InputParser:
        self._parser = InputParser(debug)
        return self._parser

    def _wait(self, handles: list[Any], timeout: int = -1) -> Any:
        """Wait for input for at most `timeout` milliseconds, or until a key sequence is over."""
        return _wait_for_handles(handles, ceil(1000 * self._parser.seconds_to_tick(timeout / 1000)))

    def stop_application_mode(self) -> None:
        """Restore the console."""
        self._restore_title()
        super().stop_application_mode()

    def write(self, data: str) -> None:
        """Queue output for the console; drop it while another program has the console."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)


class AsciiConsoleDriver(ConsoleDriver):
    """The driver for an environment with a character set other than UTF-8: all is drawn with ASCII equivalents."""

    def write(self, data: str) -> None:
        """Write output in ASCII."""
        super().write(to_ascii(data))
