"""A long text whole, to be read: its rows as long as the dialog is wide, drawn only where one looks."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import shortened, shown, visible
from svc_tui.ui.widgets.filter_line import FindLine
from svc_tui.ui.widgets.json_view import JsonView

_TITLE = 60


class WholeText(Dialog[bool]):
    """Shows the text of one value; gives True where it is wanted in the pager."""

    DEFAULT_CSS = """
    WholeText > #dialog { width: 90%; height: 90%; }
    WholeText JsonView { height: 1fr; }
    """

    BINDINGS = [
        Binding("f3", "page", "Pager", id="whole.page", tooltip="Show it in $PAGER"),
        Binding("slash", "find", "Find", show=False, id="whole.find", tooltip="Find in the text"),
        Binding("n", "find_next(1)", "Next", show=False, id="whole.find_next", tooltip="To the next place found"),
        Binding("N", "find_next(-1)", "Previous", show=False, id="whole.find_previous",
                tooltip="To the place found before"),
        Binding("enter,q", "cancel", "Close", show=False, id="whole.close", tooltip="Back to the record"),
    ]  # fmt: skip

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self._path, self._text = path, text

    def compose(self) -> ComposeResult:
        """The text, and the line to find in it."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = shown(shortened(visible(self._path), _TITLE))
            dialog.border_subtitle = self._keys()
            yield JsonView(wrap=True)
            yield FindLine()

    def on_mount(self) -> None:
        """Show the text from its beginning."""
        self._view.show_text(self._text)
        self._view.focus()

    def _keys(self, found: str = "") -> str:
        return f"{found or f'{len(self._text):,} characters'} · / find · f3 pager · esc back"

    @property
    def _view(self) -> JsonView:
        return self.query_one(JsonView)

    def action_page(self) -> None:
        """Have it shown in the pager."""
        self.dismiss(True)

    def action_find(self) -> None:
        """Open the line to find in the text."""
        self.query_one(FindLine).start("")

    def action_find_next(self, direction: int) -> None:
        """On, or back, to another place found."""
        if direction > 0:
            self._view.find_next()
        else:
            self._view.find_previous()
        self._say_found()

    @on(FindLine.Kept)
    def _seek(self, event: FindLine.Kept) -> None:
        self.query_one(FindLine).close()
        self._view.find(event.text)
        self._view.focus()
        self._say_found(event.text)

    @on(FindLine.GivenUp)
    def _given_up(self) -> None:
        self.query_one(FindLine).close()
        self._view.find("")
        self._view.focus()
        self._say_found()

    def _say_found(self, needle: str = "") -> None:
        found = self._view.found
        words = f"{found[0]:,} of {found[1]:,}" if found else f"nowhere: {shortened(visible(needle), 20)}"
        self.query_one("#dialog").border_subtitle = self._keys(words if found or needle else "")
