"""What the journal knows of one record: its writes, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from textual.binding import Binding
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.model.credentials import Environment
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.pane_list import PaneList
from svc_tui.ui.widgets.record.journal_lines import entry_lines

NO_WRITES_TEXT = "No writes to this record from here."
"""What is said of a record that the journal does not know."""


class WriteHistory(PaneList):
    """The writes to one record; Enter asks for one whole."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="history.down", show=False, tooltip="To the older write"),
        Binding("up,k", "cursor_up", "Up", id="history.up", show=False, tooltip="To the newer write"),
        Binding("home,g", "first", "First", id="history.first", show=False, tooltip="To the newest write"),
        Binding("end,G", "last", "Last", id="history.last", show=False, tooltip="To the oldest write"),
    ]

    @dataclass
    class Opened(Message):
        """Enter on a write."""

        entry: JournalEntry

    def __init__(self, environment: Environment, tz: tzinfo = UTC, *, id: str | None = None) -> None:  # noqa: A002
        """Make the list; it shows times in `tz`."""
        super().__init__(id=id)
        self._environment, self._tz = environment, tz
        self._entries: tuple[JournalEntry, ...] | None = None
        self._problem = ""

    def show(self, entries: Sequence[JournalEntry] | None, problem: str = "") -> None:
        """Show what was written; None while nobody knows, `problem` says why that may stay so."""
        self._entries = None if entries is None else tuple(entries)
        self._problem = problem
        at = self.highlighted
        self.set_options(self._options_shown())
        if self._entries:
            self.highlighted = min(at or 0, len(self._entries) - 1)

    def _options_shown(self) -> list[Option]:
        if self._entries:
            cells = max(1, self.scrollable_content_region.width - 1)
            return [Option(entry_lines(entry, self._environment, self._tz, cells)) for entry in self._entries]
        if self._problem:
            return [Option(styled(self._problem, "$role-danger"), disabled=True)]
        return [] if self._entries is None else [Option(styled(NO_WRITES_TEXT, "$role-muted"), disabled=True)]

    def on_resize(self) -> None:
        """Write the lines anew for the room they have."""
        self.show(self._entries, self._problem)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask for the write under the cursor."""
        event.stop()
        if self._entries:
            self.post_message(self.Opened(self._entries[event.option_index]))
