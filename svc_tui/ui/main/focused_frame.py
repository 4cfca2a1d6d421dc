"""The frame of the pane that the focus is in stands out."""

from typing import TYPE_CHECKING, Any

from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

# Of several bases Textual takes the styles of the first that is a node: a screen is to have its own.
if TYPE_CHECKING:
    _ScreenMixin = Screen[Any]
else:
    _ScreenMixin = MessagePump


class FramesFocusedPane(_ScreenMixin):
    """For a screen: the pane around what has the focus is of the class `-focused`.

    Not by `:focus-within`, nor by a change of the class that Textual sees: with those all that is in a pane is styled
    again, for the frame around it.
    """

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        """Frame the pane that the focus is in now, and no longer the one that it was in."""
        left, entered = _pane_around(before), _pane_around(focused)
        if left is entered:
            return
        for pane, is_focused in ((left, False), (entered, True)):
            if pane is not None:
                pane.set_class(is_focused, "-focused", update=False)
                self.app.stylesheet.apply(pane)


def _pane_around(widget: Widget | None) -> DOMNode | None:
    if widget is None:
        return None
    return next((node for node in widget.ancestors_with_self if node.has_class("pane")), None)
