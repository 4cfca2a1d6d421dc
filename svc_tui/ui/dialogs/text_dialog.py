"""Dialogs with a long text to search in."""

from abc import abstractmethod
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import field_label, shorten, styled, visible
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.text.text_view import TextView

DialogResult = TypeVar("DialogResult")


class TextDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog with a searchable text; a subclass composes a `TextView` and a `FindInput`, and binds the actions."""

    DEFAULT_CSS = """
    TextDialog TextView { height: 1fr; }
    """

    @abstractmethod
    def say(self, position: str = "") -> None:
        """Show the `position` of the match on the frame."""

    @property
    def view(self) -> TextView:
        """The view of the text."""
        return self.query_one(TextView)

    def action_find(self) -> None:
        """Open the search line."""
        self.query_one(FindInput).start("")

    def action_find_next(self, direction: int) -> None:
        """Go to the next or the previous match."""
        if direction > 0:
            self.view.find_next()
        else:
            self.view.find_previous()
        self._show_position()

    @on(FindInput.Submitted)
    def _submitted(self, event: FindInput.Submitted) -> None:
        self._find(event.text)

    @on(FindInput.Cancelled)
    def _cancelled(self) -> None:
        self._find("")

    def _find(self, needle: str) -> None:
        self.query_one(FindInput).close()
        self.view.find(needle)
        self.view.focus()
        self._show_position(needle)

    def _show_position(self, needle: str = "") -> None:
        position = self.view.match_position
        if position is not None:
            self.say(f"{position[0]:,} of {position[1]:,}")
        else:
            self.say(f"no matches: {shorten(visible(needle), 20)}" if needle else "")


_TITLE_CELLS = 60


class TextViewerScreen(TextDialog[bool]):
    """The text of one value; the result is True if it is to be shown in the pager."""

    DEFAULT_CSS = """
    TextViewerScreen > #dialog { width: 90%; height: 90%; }
    """

    BINDINGS = [
        Binding("f3", "page", "Pager", id="whole.page", tooltip="Show the text in $PAGER"),
        Binding("slash", "find", "Search", show=False, id="whole.find", tooltip="Search the text"),
        Binding("n", "find_next(1)", "Next match", show=False, id="whole.find_next", tooltip="Go to the next match"),
        Binding("N", "find_next(-1)", "Previous match", show=False, id="whole.find_previous",
                tooltip="Go to the previous match"),
        Binding("enter,q", "cancel", "Close", show=False, id="whole.close", tooltip="Close the text"),
    ]  # fmt: skip

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self._path, self._text = path, text

    def compose(self) -> ComposeResult:
        """Compose the text, and the search line."""
        keys = "/ search · f3 pager · esc close"
        with DialogFrame(styled(shorten(field_label(self._path), _TITLE_CELLS)), keys):
            yield TextView(wrap=True)
            yield FindInput()

    def on_mount(self) -> None:
        """Show the text."""
        self.view.show_text(self._text)
        self.view.focus()
        self.say()

    def say(self, position: str = "") -> None:
        """Show the position of the match, or the length of the text."""
        self.query_one("#dialog").border_subtitle = styled(position or f"{len(self._text):,} characters")

    def action_page(self) -> None:
        """Close to show the text in the pager."""
        self.dismiss(True)
