"""What a screen says where the terminal is too small to use it, instead of showing rubble."""

from typing import Any

from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.session.pane_layout import MIN_COLUMNS, MIN_ROWS


class TooSmallNotice(Static):
    """Covers everything; what is below keeps its focus and its state."""

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
    """Whether nothing can be used on such a screen."""
    return size.width < MIN_COLUMNS or size.height < MIN_ROWS


def cover_if_too_small(screen: Screen[Any], size: Size) -> None:
    """Cover a screen of that size where it is too small, until it is larger; its styles name the layer."""
    covers = screen.query_children(TooSmallNotice)
    screen.set_class(is_too_small(size), "-too-small")
    if not is_too_small(size):
        covers.remove()
        return
    if not covers:
        screen.mount(TooSmallNotice())
    words = f"svc-tui needs {MIN_COLUMNS}x{MIN_ROWS}, you have {size.width}x{size.height}."
    screen.query_children(TooSmallNotice).first().update(words)
