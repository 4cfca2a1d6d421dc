"""The frame of dialogs over a long text: `/` finds in it, `n` and `N` go from place to place."""

from abc import abstractmethod
from typing import Generic, TypeVar

from textual import on

from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.text import shorten, visible
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.text.text_view import TextView

DialogResult = TypeVar("DialogResult")


class TextDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A subclass composes a `TextView` and a `FindInput`, and binds `find` and `find_next`."""

    DEFAULT_CSS = """
    TextDialog TextView { height: 1fr; }
    """

    @abstractmethod
    def say(self, position: str = "") -> None:
        """Put into the frame what can be done, and what was `position`."""

    @property
    def view(self) -> TextView:
        """The text."""
        return self.query_one(TextView)

    def action_find(self) -> None:
        """Open the line to find in the text."""
        self.query_one(FindInput).start("")

    def action_find_next(self, direction: int) -> None:
        """On, or back, to another place found."""
        if direction > 0:
            self.view.find_next()
        else:
            self.view.find_previous()
        self._say_found()

    @on(FindInput.Submitted)
    def _seek(self, event: FindInput.Submitted) -> None:
        self._find(event.text)

    @on(FindInput.Cancelled)
    def _given_up(self) -> None:
        self._find("")

    def _find(self, needle: str) -> None:
        self.query_one(FindInput).close()
        self.view.find(needle)
        self.view.focus()
        self._say_found(needle)

    def _say_found(self, needle: str = "") -> None:
        position = self.view.match_position
        if position is not None:
            self.say(f"{position[0]:,} of {position[1]:,}")
        else:
            self.say(f"no matches: {shorten(visible(needle), 20)}" if needle else "")
