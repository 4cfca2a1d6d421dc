"""The line of keys at the bottom: as many as there is room for, each whole, help at the end, and a hint beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Footer, Static
from textual.widgets._footer import FooterKey

from svc_tui.domain.hints import Hint
from svc_tui.ui.reasons import why_asleep
from svc_tui.ui.text import measure

_AROUND = 3
"""Cells around a key and its word: one on each side of the key, one behind the word."""
_AROUND_HINT = 3
"""Cells on both sides of a hint."""
_LEFT_TO_KEYS = 24
"""Cells that a hint leaves to keys at least."""


def fitting(cells: Sequence[int], room: int) -> int:
    """How many of things that are `cells` wide, the most important first, fit into `room` cells: all before the cut."""
    return sum(taken <= room for taken in accumulate(cells))


class KeyLine(Footer):
    """The keys of where one is, nearest to the focus first; what does not fit is left out, not cut."""

    DEFAULT_CSS = """
    KeyLine > #hint {
        dock: right;
        width: auto;
        padding: 0 1 0 2;
        color: $role-foreground;
        background: $role-background;
    }
    """

    LAST = "help"
    """The action whose key is always there, behind all others."""

    hint: reactive[Hint | None] = reactive(None)
    """What is told beside the keys, if its key works where one is and there is room."""

    @dataclass
    class Hinted(Message):
        """The hint about this binding is in view."""

        binding: str

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._width = 0
        """Cells of the line, when it was drawn last."""

    def compose(self) -> ComposeResult:
        """The keys that fit, and the hint."""
        self._width = room = self.screen.size.width
        if (told := self._told(room)) is not None:
            room -= told.cell_length + _AROUND_HINT
            yield Static(told, id="hint")
        yield from self._fitting(room)

    def watch_hint(self) -> None:
        """Draw it, or no longer."""
        if self.is_mounted:
            self.refresh(recompose=True)

    def on_resize(self, event: events.Resize) -> None:
        """There may be room for more, or for fewer."""
        if self.screen.size.width != self._width:
            self.refresh(recompose=True)

    def _told(self, room: int) -> Content | None:
        """The hint, if there is one, its key works here, and there is room for it; who counts them hears of it."""
        hint = self.hint
        for active in self.screen.active_bindings.values():
            if hint is not None and active.binding.id == hint.binding and active.enabled:
                key = self.app.get_key_display(active.binding)
                told = Content.assemble((key, "bold $role-accent"), f" {hint.words}")
                if told.cell_length + _LEFT_TO_KEYS <= room:
                    self.post_message(self.Hinted(hint.binding))
                    return told
        return None

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
