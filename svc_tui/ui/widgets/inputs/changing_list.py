"""A list of options that may be others by the time a key is pressed for them."""

from typing import Literal

from textual.widgets import OptionList


def has_lines(options: OptionList) -> bool:
    """Whether the lines of the options are known, so that a page of them can be told; a list without room has none."""
    options._update_lines()
    return (options.highlighted or 0) in options._index_to_line


class ChangingList(OptionList):
    """Textual's list, which looks for the lines of its options as it is drawn, and takes them for known before."""

    def find_lines(self) -> None:
        """Work out the lines that the options take now, in place of when they are drawn."""
        self._update_lines()

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        if has_lines(self):
            super()._move_page(direction)

    def move_page(self, direction: int) -> None:
        """Go down by as many options as are in view, or with a `direction` below 0 up."""
        self._move_page(1 if direction > 0 else -1)
