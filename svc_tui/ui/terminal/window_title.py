"""The title of the terminal's window."""

from textual.driver import Driver

_PUSH, _POP = "\x1b[22;2t", "\x1b[23;2t"
"""Sequences that save the title on the terminal's stack, and restore it from there (XTWINOPS)."""


class TitledDriver(Driver):
    """A driver that gives the window a title while the program has the terminal."""

    _title = ""
    """The title in visible text; "" until there is one."""

    def name_window(self, title: str) -> None:
        """Set the title of the window; `title` is visible text."""
        self._title = title
        self._write_title()

    def _replace_title(self) -> None:
        """Save the former title, and set this program's."""
        self.write(_PUSH)
        self._write_title()

    def _restore_title(self) -> None:
        self.write(_POP)

    def _write_title(self) -> None:
        if self._title:
            self.write(f"\x1b]2;{self._title}\x1b\\")
