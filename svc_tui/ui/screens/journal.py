"""`@`: the journal of writes, newest first, and one entry whole."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.credentials import Environment
from svc_tui.domain.gateway import JournalEntry, StoreError
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.fields import TextLine
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


class JournalAct(Enum):
    """What somebody wants done with the journal."""

    EXPORT = "export"
    PRUNE = "prune"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class JournalWish:
    """What is to be done, with the writes that `search` finds where it is about some of them."""

    act: JournalAct
    search: str = ""


Search = Callable[[str], Awaitable[Sequence[JournalEntry]]]
"""Finds writes by words; raises StoreError."""


class JournalScreen(Dialog[JournalWish]):
    """The writes of this profile and environment; Enter shows one whole, `/` finds some by words."""

    DEFAULT_CSS = """
    JournalScreen > #dialog { height: 80%; }
    JournalScreen OptionList { height: 1fr; }
    JournalScreen OptionList > .option-list--option { padding: 0 1 0 0; }
    JournalScreen TextLine { display: none; }
    JournalScreen TextLine.-open { display: block; }
    JournalScreen .hint { display: none; height: 1fr; }
    JournalScreen.-empty .hint { display: block; }
    JournalScreen.-empty OptionList { display: none; }
    """

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
        Binding("escape", "back", "Back", id="journal.back", tooltip="Leave the search, then the journal"),
    ]  # fmt: skip

    def __init__(
        self,
        entries: Sequence[JournalEntry],
        environment: Environment,
        zone: tzinfo | None,
        search: Search,
        text: str = "",
    ) -> None:
        """Make it over the newest entries, or over those that `search` found for `text`."""
        super().__init__()
        self._entries = tuple(entries)
        self._environment = environment
        self._zone = zone
        self._search = search
        self._text = text
        self._cells = CELLS

    def compose(self) -> ComposeResult:
        """The list, or the sentence that there is nothing in it, and the line to search in."""
        with Vertical(id="dialog") as dialog:
            zone = self._zone.tzname(None) if self._zone is not None else None
            times = f"times in {visible(zone)} · " if zone else ""
            dialog.border_subtitle = f"{times}enter whole · / search · ctrl+e export · p prune"
            yield OptionList(markup=False)
            yield Static(classes="hint", markup=False)
            yield TextLine(
                self._text, placeholder="record, field, ticket, id, outcome", classes="-open" * bool(self._text)
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
        self.query_one("#dialog").border_title = f"Journal of writes{count}{' found' if self._text else ''}"
        self.set_class(not self._entries, "-empty")
        words = "No write holds these words." if self._text else "No writes yet. What is sent from here is kept here."
        self.query_one(".hint", Static).update(words)
        lines = self.query_one(OptionList)
        at = min(lines.highlighted or 0, len(self._entries) - 1)
        lines.set_options(self._lines(self._cells))
        lines.highlighted = at if self._entries else None

    def _lines(self, cells: int) -> Iterator[Option]:
        return (Option(headline(entry, self._environment, self._zone, cells)) for entry in self._entries)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.app.push_screen(EntryScreen(self._entries[event.option_index], self._environment, self._zone))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self._text:
            self.run_worker(self._find(event.value), group="journal-search", exclusive=True)

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
        entries = self.query_one(OptionList)
        if direction > 0:
            entries.action_cursor_down()
        else:
            entries.action_cursor_up()

    def action_search(self) -> None:
        """Open the line to search in."""
        line = self.query_one(TextLine)
        line.add_class("-open")
        line.focus()

    def action_want(self, act: str) -> None:
        """Close, for something to be done with the journal."""
        self.dismiss(JournalWish(JournalAct(act), self._text))

    def action_back(self) -> None:
        """Take back the search; where there is none, close."""
        line = self.query_one(TextLine)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)
