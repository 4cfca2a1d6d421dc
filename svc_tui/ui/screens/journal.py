"""`@`: the journal of writes, newest first, and one entry whole."""

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.credentials import Environment
from svc_tui.domain.gateway import JournalEntry
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.journal_lines import CELLS, headline, whole

_AROUND = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


class EntryScreen(Dialog[None]):
    """One entry of the journal, whole."""

    DEFAULT_CSS = """
    EntryScreen VerticalScroll { height: auto; max-height: 80vh; scrollbar-size-vertical: 1; }
    """

    def __init__(self, entry: JournalEntry, environment: Environment, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._entry, self._environment, self._zone = entry, environment, zone

    def compose(self) -> ComposeResult:
        """The entry's facts, then its fields."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Write {self._entry.number}"
            dialog.border_subtitle = "↑ ↓ scroll · esc back"
            with VerticalScroll():
                yield Static(whole(self._entry, self._environment, self._zone))


class JournalScreen(Dialog[None]):
    """The writes of this profile and environment; Enter shows one whole."""

    DEFAULT_CSS = """
    JournalScreen > #dialog { height: 80%; }
    JournalScreen OptionList { height: 1fr; }
    JournalScreen OptionList > .option-list--option { padding: 0 1 0 0; }
    """

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="journal.down", tooltip="To the older write"),
        Binding("k", "move(-1)", "Up", show=False, id="journal.up", tooltip="To the newer write"),
    ]

    def __init__(self, entries: Sequence[JournalEntry], environment: Environment, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._entries = tuple(entries)
        self._environment = environment
        self._zone = zone
        self._cells = CELLS

    def compose(self) -> ComposeResult:
        """The list, or the sentence that there is nothing in it."""
        with Vertical(id="dialog") as dialog:
            count = f" · {len(self._entries):,}" if self._entries else ""
            dialog.border_title = f"Journal of writes{count}"
            dialog.border_subtitle = "esc back"
            if self._entries:
                zone = self._zone.tzname(None) if self._zone is not None else None
                times = f"times in {visible(zone)} · " if zone else ""
                dialog.border_subtitle = f"{times}enter whole entry · esc back"
                yield OptionList(*self._lines(CELLS), markup=False)
            else:
                yield Static("No writes yet. What is sent from here is kept here.", classes="hint", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines anew for the room they have."""
        cells = min(CELLS, event.size.width - _AROUND)
        if cells == self._cells:
            return
        self._cells = cells
        for entries in self.query(OptionList):
            at = entries.highlighted
            entries.set_options(self._lines(cells))
            entries.highlighted = at

    def _lines(self, cells: int) -> Iterator[Option]:
        return (Option(headline(entry, self._environment, self._zone, cells)) for entry in self._entries)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show the entry whole."""
        self.app.push_screen(EntryScreen(self._entries[event.option_index], self._environment, self._zone))

    def action_move(self, direction: int) -> None:
        """To the next line, or the one before."""
        for entries in self.query(OptionList):
            if direction > 0:
                entries.action_cursor_down()
            else:
                entries.action_cursor_up()
