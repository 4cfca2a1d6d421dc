"""What others changed, as the sweeps of the index have seen it: a line for each field, newest first."""

from collections.abc import Sequence

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.core.folded_text import fold
from svc_tui.core.records import Place
from svc_tui.history.timeline import TimelineEvent
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.widgets.record.timeline_list import event_line

_SOURCE_CELLS = 24
"""Cells for the collection and the id of a record."""


class ChangesScreen(EntryListDialog[TimelineEvent, Place]):
    """Gives the record whose change was chosen, or None; `/` finds some by words."""

    HEADING = "Changes by others"
    EMPTY_TEXT = "No changes by others since the index was built. Each index update checks again."
    NO_MATCH_TEXT = "No matches"
    SEARCH_HINT = "collection, id, field, value"

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="changes.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="changes.up", tooltip="Move up"),
        Binding("slash", "search", "Search", id="changes.search", key_display="/",
                tooltip="Search changes by collection, id, field or value"),
        Binding("escape", "back", "Close", id="changes.back", tooltip="Close the search, then the changes"),
    ]  # fmt: skip

    def __init__(self, events: Sequence[TimelineEvent]) -> None:
        """Make it over these, the newest first."""

        async def holding(text: str) -> Sequence[TimelineEvent]:
            words = fold(text).split()
            return [event for event in events if all(word in _searched(event) for word in words)]

        super().__init__(events, holding)

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter open · / search · esc close"

    def line(self, entry: TimelineEvent, cells: int) -> Content:
        """When it was seen, of which record, and what changed."""
        return event_line(entry, _SOURCE_CELLS, cells)

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        place = self.entries[event.option_index].leads_to
        self.dismiss(place if isinstance(place, Place) else None)


def _searched(event: TimelineEvent) -> str:
    return fold(f"{event.source} {event.what}")
