"""F8: the requests that were tried out, newest first, to be looked at, edited, or sent again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.storage.errors import StoreError
from svc_tui.storage.history import HistoryEntry
from svc_tui.ui.dialogs.entry_list import EntryListDialog, EntryScreen
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.request.history_lines import history_details, history_line


class HistoryAction(Enum):
    """What the user wants done with the history, or with a request of it."""

    EDIT = "edit"
    SEND = "send"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    """What is to be done: with `entry`, or with all of the history."""

    action: HistoryAction
    entry: HistoryEntry | None = None
    search: str = ""


class HistoryScreen(EntryListDialog[HistoryEntry, HistoryChoice]):
    """The requests of this profile and environment; Enter edits one in the console, ctrl+j sends it as it was.

    `mask` makes an entry fit to be shown; what is chosen is about the entry itself.
    """

    HEADING = "Request history"
    EMPTY_TEXT = "No requests yet. Requests from the console are saved here."
    NO_MATCH_TEXT = "No matches"
    SEARCH_HINT = "path, body, status, day, message"

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="requests.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="requests.up", tooltip="Move up"),
        Binding("slash", "search", "Search", id="requests.search", key_display="/",
                tooltip="Search by method, path, header, body, day, status or message"),
        Binding("ctrl+j,ctrl+enter", "want('send')", "Send again", id="requests.send", priority=True,
                tooltip="Send the request again"),
        Binding("v", "view", "View", id="requests.view", show=False, tooltip="Show all details of the request"),
        Binding("delete", "remove", "Delete", id="requests.forget", show=False, tooltip="Delete this request"),
        Binding("C", "want('clear')", "Clear all", id="requests.clear", show=False,
                tooltip="Clear the request history of this profile (asks first)"),
        Binding("escape", "back", "Close", id="requests.back", tooltip="Close the search, then the history"),
    ]  # fmt: skip

    def __init__(
        self,
        entries: Sequence[HistoryEntry],
        zone: tzinfo | None,
        search: Callable[[str], Awaitable[Sequence[HistoryEntry]]],
        remove: Callable[[HistoryEntry], Awaitable[None]],
        mask: Callable[[HistoryEntry], HistoryEntry],
        text: str = "",
    ) -> None:
        """Make it over the newest entries, or over those found for `text`; `search` and `remove` raise StoreError."""
        super().__init__(entries, search, text)
        self._zone, self._remove, self._mask = zone, remove, mask

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter edit · ctrl+j send · v view · / search · del delete · C clear · esc close"

    def line(self, entry: HistoryEntry, cells: int) -> Content:
        """When, what, and how it ended."""
        return history_line(self._mask(entry), self._zone, cells)

    @on(OptionList.OptionSelected)
    def _edit(self) -> None:
        self.action_want("edit")

    def action_view(self) -> None:
        """Show the request under the cursor whole."""
        if (entry := self.chosen) is not None:
            self.app.push_screen(EntryScreen(f"Request {entry.number}", history_details(self._mask(entry), self._zone)))

    def action_remove(self) -> None:
        """Forget the request under the cursor."""
        if (entry := self.chosen) is not None:
            self.run_worker(self._forget(entry), group="history-removal")

    async def _forget(self, entry: HistoryEntry) -> None:
        try:
            await self._remove(entry)
        except StoreError as error:
            self.say(styled(str(error)))
            return
        self.show([other for other in self.entries if other.number != entry.number])

    def action_want(self, action: str) -> None:
        """Close, for something to be done with the request under the cursor, or with all."""
        if self.entries:
            self.dismiss(HistoryChoice(HistoryAction(action), self.chosen, self.text))
