"""Screens that are not drawn where what is drawn would not be seen, or would be drawn over at once."""

from textual.message import Message
from textual.screen import Screen, ScreenResultType


class DrawnOnce(Screen[ScreenResultType]):
    """A screen that is drawn once for all that has changed, and says when it is there to be seen.

    Textual draws after each layout: also while the app holds its updates back, when nothing of it reaches the terminal,
    and when all of the screen is to be drawn in the same update, which then draws it a second time.
    """

    class FirstDrawn(Message, bubble=False):
        """The screen has been drawn for the first time: what it does not show at once can be seen to now."""

    was_drawn = False
    """Whether the screen has been drawn."""
    _updating = False

    def _on_timer_update(self) -> None:
        self._updating = True
        try:
            super()._on_timer_update()
        finally:
            self._updating = False

    def _compositor_refresh(self) -> None:
        whole_follows = self._updating and self._repaint_required
        if self.app._batch_count or whole_follows:
            return
        super()._compositor_refresh()
        if not self.was_drawn and self.is_current:
            self.was_drawn = True
            self.post_message(self.FirstDrawn())
