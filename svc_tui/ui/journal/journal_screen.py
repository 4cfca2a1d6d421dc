"""`@`: the journal of writes, newest first, those of a run as one line to be unfolded, and one entry whole."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.core.values import replace
from svc_tui.plans.journal_runs import JournalItem, JournalLine, RunGroup, journal_lines
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import Author, JournalEntry
from svc_tui.storage.scope import StorageScope
from svc_tui.team.names import name_of, names_in
from svc_tui.ui.dialogs.entry_list import EntryListDialog, EntryScreen
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.record.journal_lines import entry_details, entry_lines, entry_title
from svc_tui.ui.widgets.record.run_lines import run_details, run_lines

_INDENT = "  "


class JournalAction(Enum):
    """What the user wants done with the journal."""

    APPROVALS = "approvals"
    EXPORT = "export"
    PRUNE = "prune"
    RESUME = "resume"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class JournalChoice:
    """What is to be done: with the writes that `search` finds, with that of this `number`, or with the `run`."""

    act: JournalAction
    search: str = ""
    number: int = 0
    run: str = ""


@dataclass(frozen=True, slots=True)
class JournalSource:
    """Where the list comes from: `search` finds writes by words, `read_run` reads the next of a run's writes.

    Both raise StoreError.
    """

    search: Callable[[str], Awaitable[Sequence[JournalItem]]]
    read_run: Callable[[RunGroup], Awaitable[RunGroup]]


class JournalScreen(EntryListDialog[JournalLine, JournalChoice]):
    """The writes of this profile and environment; Enter shows one whole or unfolds a run, `/` finds some by words."""

    HEADING = "Journal"
    EMPTY_TEXT = "No changes yet. Every change you send is listed here."
    NO_MATCH_TEXT = "No matches"
    SEARCH_HINT = "record, field, ticket, id, outcome"

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="journal.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="journal.up", tooltip="Move up"),
        Binding("space", "toggle_run", "Expand", show=False, id="journal.toggle",
                tooltip="Expand or collapse the run"),
        Binding("right", "unfold(True)", "Expand", show=False, id="journal.unfold",
                tooltip="Expand the run"),
        Binding("left", "unfold(False)", "Collapse", show=False, id="journal.fold",
                tooltip="Collapse the run"),
        Binding("slash", "search", "Search", id="journal.search", key_display="/",
                tooltip="Search by record, field, value, ticket, id or outcome"),
        Binding("ctrl+e", "want('export')", "Export", id="journal.export", priority=True,
                tooltip="Export the journal to a file"),
        Binding("p", "want('prune')", "Delete old entries", show=False, id="journal.prune",
                tooltip="Delete old entries from the journal (asks first)"),
        Binding("b", "want('resume')", "Runs", show=False, id="journal.resume",
                tooltip="Resume or undo a run"),
        Binding("A", "want('approvals')", "Approvals", show=False, id="journal.approvals",
                tooltip="Show approval requests"),
        Binding("u", "undo", "Undo", id="journal.undo",
                tooltip="Undo this change or this run (asks first)"),
        Binding("y", "copy", "Copy for ticket", id="journal.copy",
                tooltip="Copy a summary of this change or run for the ticket"),
        Binding("escape", "back", "Close", id="journal.back", tooltip="Close the search, then the journal"),
    ]  # fmt: skip

    def __init__(
        self,
        items: Sequence[JournalItem],
        scope: StorageScope,
        zone: tzinfo | None,
        source: JournalSource,
        copy: Callable[[str], Awaitable[None]],
        text: str = "",
    ) -> None:
        """Make it over the newest writes, or over those that were found for `text`; `copy` copies a text."""

        async def find(words: str) -> Sequence[JournalLine]:
            self._items = tuple(await source.search(words))
            self._names = _names_in(self._items)
            return tuple(journal_lines(self._items))

        self._items = tuple(items)
        self._names = _names_in(self._items)
        super().__init__(tuple(journal_lines(self._items)), find, text)
        self._scope, self._zone, self._copy, self._read_run = scope, zone, copy, source.read_run

    @property
    def heading(self) -> Content:
        """How many writes are on show, those of folded runs too, for the frame."""
        counts = (
            1 if isinstance(item, JournalEntry) else len(item.writes) if item.found else item.run.writes
            for item in self._items
        )
        count = f" · {sum(counts):,}" if self._items else ""
        return styled(f"{self.HEADING}{count}{' found' if self.text else ''}")

    @property
    def keys(self) -> str:
        """What can be done."""
        return "enter details · u undo · y copy · / search · esc close · ? keys"

    @property
    def note(self) -> str:
        """The zone that times are in."""
        zone = self._zone.tzname(None) if self._zone is not None else None
        return f"times in {visible(zone)}" if zone else ""

    def line(self, entry: JournalLine, cells: int) -> Content:
        """When, what, and how it ended; the writes of a run stand indented below its line."""
        group, environment = entry.group, self._scope.environment
        if entry.entry is None:
            assert group is not None
            who = name_of(group.run.last, self._names)
            return _more_line(group) if entry.more else run_lines(group, environment, self._zone, cells, who)
        if group is None:
            return entry_lines(entry.entry, environment, self._zone, cells, name_of(entry.entry, self._names))
        # Whose these are stands above them.
        lines = entry_lines(entry.entry, environment, self._zone, cells - len(_INDENT)).split("\n")
        return Content("\n").join(Content.assemble(_INDENT, line) for line in lines)

    @on(OptionList.OptionSelected)
    async def _open(self, event: OptionList.OptionSelected) -> None:
        line = self.entries[event.option_index]
        if line.entry is None:
            await self.action_toggle_run()
        else:
            content = entry_details(line.entry, self._scope, self._zone)
            self.app.push_screen(EntryScreen(entry_title(line.entry), content))

    async def action_toggle_run(self) -> None:
        """Unfold the run under the cursor or fold it; list more of its writes, on the line that stands for them."""
        line = self.chosen
        if line is None or line.group is None:
            return
        if line.more:
            await self._read_more(line.group)
        else:
            await self._fold(line.group, unfolded=not line.group.unfolded)

    async def action_unfold(self, unfolded: bool) -> None:
        """Unfold the run under the cursor, or fold it."""
        line = self.chosen
        if line is None or line.group is None:
            return
        if line.more and unfolded:
            await self._read_more(line.group)
        elif line.group.unfolded != unfolded:
            await self._fold(line.group, unfolded=unfolded)

    def action_undo(self) -> None:
        """Close, for the write or the run under the cursor to be taken back."""
        match self.chosen:
            case JournalLine(entry=JournalEntry(number=number)):
                self.dismiss(JournalChoice(JournalAction.UNDO, self.text, number))
            case JournalLine(group=RunGroup(run=run)):
                self.dismiss(JournalChoice(JournalAction.UNDO, self.text, run=run.id))

    def action_copy(self) -> None:
        """Copy what is known of the write or the run under the cursor."""
        match self.chosen:
            case JournalLine(entry=JournalEntry() as entry):
                details = entry_details(entry, self._scope, self._zone)
            case JournalLine(group=RunGroup() as group):
                details = run_details(group, self._scope, self._zone)
            case _:
                return
        self.run_worker(self._copy(details.plain.strip() + "\n"), group="copies")

    def action_want(self, act: str) -> None:
        """Close, for something to be done with the journal."""
        self.dismiss(JournalChoice(JournalAction(act), self.text))

    async def _fold(self, group: RunGroup, *, unfolded: bool) -> None:
        if unfolded and group.needs_reading:
            await self._read_more(group)
        else:
            self._put(replace(group, unfolded=unfolded))

    async def _read_more(self, group: RunGroup) -> None:
        # Not in a worker: the next key is for what this one leads to.
        if group.more is None:
            return
        try:
            self._put(await self._read_run(group))
        except StoreError as error:
            self.say(styled(str(error)))

    def _put(self, group: RunGroup) -> None:
        """Show a run in another way, the cursor on its line where that of the write that it was on is gone."""
        self._items = tuple(
            group if isinstance(item, RunGroup) and item.run.id == group.run.id else item for item in self._items
        )
        lines = tuple(journal_lines(self._items))
        if not group.unfolded:
            at = next((at for at, line in enumerate(lines) if line.group is group), None)
            self.query_one(OptionList).highlighted = at
        self.show(lines)


def _names_in(items: Sequence[JournalItem]) -> dict[Author, str]:
    return names_in(item if isinstance(item, JournalEntry) else item.run for item in items)


def _more_line(group: RunGroup) -> Content:
    if group.more is None:
        return styled(f"{_INDENT}more matches; add words to narrow the search", "$role-muted")
    return styled(f"{_INDENT}{group.more:,} more: press enter to list them", "$role-muted")
