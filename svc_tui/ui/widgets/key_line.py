"""The line of keys at the bottom: as many as there is room for, each whole, the one that lists them all at the end."""

from collections.abc import Iterator, Sequence

from textual import events
from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from svc_tui.ui.reasons import why_asleep
from svc_tui.ui.text import measure

_AROUND = 3
"""Cells around a key and its word: one on each side of the key, one behind the word."""


def fitting(cells: Sequence[int], room: int) -> int:
    """How many of things that are `cells` wide, the most important first, fit into `room` cells: all before the cut."""
    for count, taken in enumerate(_sums(cells)):
        if taken > room:
            return count
    return len(cells)


def _sums(cells: Sequence[int]) -> Iterator[int]:
    taken = 0
    for more in cells:
        taken += more
        yield taken


class KeyLine(Footer):
    """The keys of where one is, nearest to the focus first; what does not fit is left out, not cut."""

    LAST = "help"
    """The action whose key is always there, behind all others."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._width = 0
        """Cells of the line, when it was drawn last."""

    def compose(self) -> ComposeResult:
        """The keys that fit."""
        self._width = self.screen.size.width
        yield from self._fitting(self._width)

    def on_resize(self, event: events.Resize) -> None:
        """There may be room for more, or for fewer."""
        if self.screen.size.width != self._width:
            self.refresh(recompose=True)

    def _fitting(self, room: int) -> list[FooterKey]:
        # What a pane covers has no meaning below it: its keys would only be in the way.
        covered = {
            active.binding.action
            for active in self.screen.active_bindings.values()
            if (asleep := why_asleep(active.node, active.binding.action)) is not None and asleep.covered
        }
        keys = [key for key in super().compose() if isinstance(key, FooterKey) and key.action not in covered]
        last = [key for key in keys if key.action == self.LAST]
        others = [key for key in keys if key.action != self.LAST]
        room -= sum(map(_cells, last))
        return [*others[: fitting(list(map(_cells, others)), room)], *last]


def _cells(key: FooterKey) -> int:
    return measure(key.key_display) + measure(key.description) + _AROUND
