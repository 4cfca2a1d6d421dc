"""A long text whole, to be read: its rows as long as the dialog is wide, drawn only where one looks."""

from textual.app import ComposeResult
from textual.binding import Binding

from svc_tui.ui.dialogs.dialog import DialogFrame
from svc_tui.ui.dialogs.text_dialog import TextDialog
from svc_tui.ui.text import field_label, shorten, styled
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.text.text_view import TextView

_TITLE_CELLS = 60


class TextViewerScreen(TextDialog[bool]):
    """Shows the text of one value; gives True where it is wanted in the pager."""

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
        """The text, and the line to find in it."""
        keys = "/ search · f3 pager · esc close"
        with DialogFrame(styled(shorten(field_label(self._path), _TITLE_CELLS)), keys):
            yield TextView(wrap=True)
            yield FindInput()

    def on_mount(self) -> None:
        """Show the text from its beginning."""
        self.view.show_text(self._text)
        self.view.focus()
        self.say()

    def say(self, position: str = "") -> None:
        """Say what was found, or how long it is."""
        self.query_one("#dialog").border_subtitle = styled(position or f"{len(self._text):,} characters")

    def action_page(self) -> None:
        """Show the text in the pager."""
        self.dismiss(True)
