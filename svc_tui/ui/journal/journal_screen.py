"""`@`: the journal of writes, newest first, and one entry whole."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.domain.editing.ports import JournalEntry, StorageScope
from svc_tui.ui.dialogs.entry_list import EntryListDialog, EntryScreen
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.record.journal_lines import entry_details, entry_lines


class JournalAction(Enum):
    """What the user wants done with the journal."""

    EXPORT = "export"
    PRUNE = "prune"
    RESUME = "resume"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class JournalChoice:
    """What is to be done, with the writes that `search` finds or with the one of this `number`, as it is about."""

    act: JournalAction
    search: str = ""
    number: int = 0


Search = Callable[[str], Awaitable[Sequence[JournalEntry]]]
"""Finds writes by words; raises StoreError."""


class JournalScreen(EntryListDialog[JournalEntry, JournalChoice]):
    """The writes of this profile and environment; Enter shows one whole, `/` finds some by words."""

    HEADING = "Journal of writes"
    EMPTY_TEXT = "No writes yet. What is sent from here is kept here."
    NO_MATCH_TEXT = "No write holds these words."
    SEARCH_HINT = "record, field, ticket, id, outcome"

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="journal.down", tooltip="To the older write"),
        Binding("k", "move(-1)", "Up", show=False, id="journal.up", tooltip="To the newer write"),
        Binding("slash", "search", "Search", id="journal.search", key_display="/",
                tooltip="Find writes by record, field, value, ticket, id or outcome"),
        Binding("ctrl+e", "want('export')", "Export", id="journal.export", priority=True,
                tooltip="Write what is found to a file"),
        Binding("p", "want('prune')", "Prune", show=False, id="journal.prune",
                tooltip="Remove old writes from the journal; asks first"),
        Binding("b", "want('resume')", "Resume batch", show=False, id="journal.resume",
                tooltip="Go on with a batch that was cut short, or undo it"),
        Binding("u", "undo", "Undo", id="journal.undo", tooltip="Take this write back, after its card"),
        Binding("y", "copy", "Copy proof", id="journal.copy", tooltip="Copy what is known of this write, for a ticket"),
        Binding("escape", "back", "Back", id="journal.back", tooltip="Leave the search, then the journal"),
    ]  # fmt: skip

    def __init__(
        self,
        entries: Sequence[JournalEntry],
        scope: StorageScope,
        zone: tzinfo | None,
        search: Search,
        copy: Callable[[JournalEntry], Awaitable[None]],
        text: str = "",
    ) -> None:
        """Make it over the newest entries, or over those that `search` found for `text`."""
        super().__init__(entries, search, text)
        self._scope, self._zone, self._copy = scope, zone, copy

    @property
    def keys(self) -> str:
        """What can be done, for the frame, and which zone times are in."""
        zone = self._zone.tzname(None) if self._zone is not None else None
        times = f"times in {visible(zone)} · " if zone else ""
        return f"{times}enter whole · u undo · y copy · / search · ? keys"

    def line(self, entry: JournalEntry, cells: int) -> Content:
        """When, what, and how it ended."""
        return entry_lines(entry, self._scope.environment, self._zone, cells)

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        entry = self.entries[event.option_index]
        self.app.push_screen(EntryScreen(f"Write {entry.number}", entry_details(entry, self._scope, self._zone)))

    def action_undo(self) -> None:
        """Close, for the write under the cursor to be taken back."""
        if self.chosen is not None:
            self.dismiss(JournalChoice(JournalAction.UNDO, self.text, self.chosen.number))

    def action_copy(self) -> None:
        """Copy what is known of the write under the cursor."""
        if self.chosen is not None:
            self.run_worker(self._copy(self.chosen), group="copies")

    def action_want(self, act: str) -> None:
        """Close, for something to be done with the journal."""
        self.dismiss(JournalChoice(JournalAction(act), self.text))
