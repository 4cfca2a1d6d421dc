"""The notice that covers a screen while the terminal is too small for it."""

from typing import Any

from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.session.pane_layout import MIN_COLUMNS, MIN_ROWS


class TooSmallNotice(Static):
    """A notice over everything; the widgets below keep their focus and their state."""

    DEFAULT_CSS = """
    TooSmallNotice {
        layer: too-small;
        dock: top;
        width: 100%;
        height: 100%;
        content-align: center middle;
        text-align: center;
        background: $role-background;
        color: $role-foreground;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)


def is_too_small(size: Size) -> bool:
    """Return True if the screen can't be used in that size."""
    return size.width < MIN_COLUMNS or size.height < MIN_ROWS


def cover_if_too_small(screen: Screen[Any], size: Size) -> None:
    """Cover a screen while it is too small; its styles must name the layer `too-small`."""
    covers = screen.query_children(TooSmallNotice)
    screen.set_class(is_too_small(size), "-too-small")
    if not is_too_small(size):
        covers.remove()
        return
    if not covers:
        screen.mount(TooSmallNotice())
    words = f"svc-tui needs {MIN_COLUMNS}x{MIN_ROWS}, you have {size.width}x{size.height}."
    screen.query_children(TooSmallNotice).first().update(words)
