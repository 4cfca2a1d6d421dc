"""F8: the requests that were tried out, newest first, to be looked at, edited, or sent again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.gateway import StoreError
from svc_tui.domain.history import HistoryEntry
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.fields import TextLine
from svc_tui.ui.widgets.sent_lines import CELLS, sent_line, sent_whole

_AROUND = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


class HistoryAct(Enum):
    """What somebody wants done with the history, or with a request of it."""

    EDIT = "edit"
    SEND = "send"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class HistoryWish:
    """What is to be done: with `entry`, or with all of the history."""

    act: HistoryAct
    entry: HistoryEntry | None = None
    search: str = ""


class SentScreen(Dialog[None]):
    """One request of the history, with everything that is kept of it."""

    DEFAULT_CSS = """
    SentScreen VerticalScroll { height: auto; max-height: 80vh; scrollbar-size-vertical: 1; }
    """

    def __init__(self, entry: HistoryEntry, zone: tzinfo | None) -> None:
        super().__init__()
        self._entry, self._zone = entry, zone

    def compose(self) -> ComposeResult:
        """Its facts, then the bodies."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Request {self._entry.number}"
            dialog.border_subtitle = "↑ ↓ scroll · esc back"
            with VerticalScroll():
                yield Static(sent_whole(self._entry, self._zone))


class HistoryScreen(Dialog[HistoryWish]):
    """The requests of this profile and environment; Enter edits one in the console, ctrl+j sends it as it was.

    `look` makes an entry fit to be shown; what is wished is about the entry itself.
    """

    DEFAULT_CSS = """
    HistoryScreen > #dialog { height: 80%; }
    HistoryScreen OptionList { height: 1fr; }
    HistoryScreen OptionList > .option-list--option { padding: 0 1 0 0; }
    HistoryScreen TextLine { display: none; }
    HistoryScreen TextLine.-open { display: block; }
    HistoryScreen .hint { display: none; height: 1fr; }
    HistoryScreen.-empty .hint { display: block; }
    HistoryScreen.-empty OptionList { display: none; }
    """

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="requests.down", tooltip="To the older request"),
        Binding("k", "move(-1)", "Up", show=False, id="requests.up", tooltip="To the newer request"),
        Binding("slash", "search", "Search", id="requests.search", key_display="/",
                tooltip="Find requests by method, path, header, body, day, status or message"),
        Binding("ctrl+j,ctrl+enter", "want('send')", "Send again", id="requests.send", priority=True,
                tooltip="Send the request as it was"),
        Binding("v", "view", "View", id="requests.view", show=False, tooltip="Look at all that is kept of the request"),
        Binding("delete", "remove", "Forget", id="requests.forget", show=False, tooltip="Forget this request"),
        Binding("C", "want('clear')", "Clear all", id="requests.clear", show=False,
                tooltip="Forget every request of this profile; asks first"),
        Binding("escape", "back", "Back", id="requests.back", tooltip="Leave the search, then the history"),
    ]  # fmt: skip

    def __init__(
        self,
        entries: Sequence[HistoryEntry],
        zone: tzinfo | None,
        search: Callable[[str], Awaitable[Sequence[HistoryEntry]]],
        remove: Callable[[HistoryEntry], Awaitable[None]],
        look: Callable[[HistoryEntry], HistoryEntry],
        text: str = "",
    ) -> None:
        """Make it over the newest entries, or over those found for `text`; `search` and `remove` raise StoreError."""
        super().__init__()
        self._entries = tuple(entries)
        self._zone, self._search, self._remove, self._look = zone, search, remove, look
        self._text = text
        self._cells = CELLS

    def compose(self) -> ComposeResult:
        """The list, or the sentence that there is nothing in it, and the line to search in."""
        with Vertical(id="dialog") as dialog:
            dialog.border_subtitle = "enter edit · ctrl+j send · v view · / search · del forget · C clear"
            yield OptionList(markup=False)
            yield Static(classes="hint", markup=False)
            yield TextLine(
                self._text, placeholder="path, body, status, day, message", classes="-open" * bool(self._text)
            )

    def on_mount(self) -> None:
        """Show what was given."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines anew for the room they have."""
        cells = min(CELLS, event.size.width - _AROUND)
        if cells != self._cells:
            self._cells = cells
            self._show()

    def _show(self) -> None:
        count = f" · {len(self._entries):,}" if self._entries else ""
        self.query_one("#dialog").border_title = f"Requests sent{count}{' found' if self._text else ''}"
        self.set_class(not self._entries, "-empty")
        words = (
            "No request holds these words." if self._text else "No requests yet. What the console sends is kept here."
        )
        self.query_one(".hint", Static).update(words)
        lines = self.query_one(OptionList)
        at = min(lines.highlighted or 0, len(self._entries) - 1)
        lines.set_options([Option(sent_line(self._look(entry), self._zone, self._cells)) for entry in self._entries])
        lines.highlighted = at if self._entries else None

    @property
    def _chosen(self) -> HistoryEntry | None:
        at = self.query_one(OptionList).highlighted
        return self._entries[at] if at is not None and self._entries else None

    @on(OptionList.OptionSelected)
    def _edit(self) -> None:
        self.action_want("edit")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self._text:
            self.run_worker(self._find(event.value), group="history-search", exclusive=True)

    async def _find(self, text: str) -> None:
        try:
            entries = await self._search(text)
        except StoreError as error:
            self.query_one("#dialog").border_title = visible(str(error))
            return
        self._entries, self._text = tuple(entries), text
        self._show()

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(OptionList).focus()

    def action_move(self, direction: int) -> None:
        """To the next line, or the one before."""
        lines = self.query_one(OptionList)
        if direction > 0:
            lines.action_cursor_down()
        else:
            lines.action_cursor_up()

    def action_search(self) -> None:
        """Open the line to search in."""
        line = self.query_one(TextLine)
        line.add_class("-open")
        line.focus()

    def action_view(self) -> None:
        """Show the request under the cursor whole."""
        if (entry := self._chosen) is not None:
            self.app.push_screen(SentScreen(self._look(entry), self._zone))

    def action_remove(self) -> None:
        """Forget the request under the cursor."""
        if (entry := self._chosen) is not None:
            self.run_worker(self._forget(entry), group="history-removal")

    async def _forget(self, entry: HistoryEntry) -> None:
        try:
            await self._remove(entry)
        except StoreError as error:
            self.query_one("#dialog").border_title = visible(str(error))
            return
        self._entries = tuple(other for other in self._entries if other.number != entry.number)
        self._show()

    def action_want(self, act: str) -> None:
        """Close, for something to be done with the request under the cursor, or with all."""
        wish = HistoryWish(HistoryAct(act), self._chosen, self._text)
        if self._entries:
            self.dismiss(wish)

    def action_back(self) -> None:
        """Take back the search; where there is none, close."""
        line = self.query_one(TextLine)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)
