"""A list of options that may be others by the time a key is pressed for them."""

from typing import Literal

from textual.widgets import OptionList


class ChangingList(OptionList):
    """Textual's list, which looks for the lines of its options as it is drawn, and takes them for known before."""

    def find_lines(self) -> None:
        """Work out the lines that the options take now, in place of when they are drawn."""
        self._update_lines()

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        self.find_lines()
        if (self.highlighted or 0) in self._index_to_line:
            super()._move_page(direction)
