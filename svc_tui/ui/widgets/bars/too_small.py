"""What a screen says where the terminal is too small to use it, instead of showing rubble."""

from typing import Any

from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.domain.app.pane_layout import LEAST_COLUMNS, LEAST_ROWS


class TooSmall(Static):
    """Covers everything; what is below keeps its focus and its state."""

    DEFAULT_CSS = """
    TooSmall {
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


def too_small(size: Size) -> bool:
    """Whether nothing can be used on such a screen."""
    return size.width < LEAST_COLUMNS or size.height < LEAST_ROWS


def say_if_too_small(screen: Screen[Any], size: Size) -> None:
    """Cover a screen of that size where it is too small, until it is larger; its styles name the layer."""
    covers = screen.query_children(TooSmall)
    screen.set_class(too_small(size), "-too-small")
    if not too_small(size):
        covers.remove()
        return
    if not covers:
        screen.mount(TooSmall())
    words = f"svc-tui needs {LEAST_COLUMNS}x{LEAST_ROWS}; this is {size.width}x{size.height}."
    screen.query_children(TooSmall).first().update(words)
