"""The history of a record as a list: a line for each event, newest first, then notes about what is missing."""

from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.history.timeline import OWN, Timeline, TimelineEvent
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import PaneList
from svc_tui.ui.widgets.record.journal_lines import outcome_text, write_text

_WHEN_CELLS = len("2026-11-20 05:12")
_NO_TIME_TEXT = "no time"
_MAX_SOURCE_CELLS, _MAX_TICKET_CELLS = 13, 20
_MIN_WHAT_CELLS = 36
"""The least room for an event on the line of its time and source."""
_GAP, _INDENT = "  ", "  "


class TimelineList(PaneList):
    """The events of a record's history."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="history.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="history.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="history.first", show=False, tooltip="Go to the newest entry"),
        Binding("end,G", "last", "Last", id="history.last", show=False, tooltip="Go to the oldest entry"),
    ]

    @dataclass
    class Opened(Message):
        """Sent on Enter on an event."""

        event: TimelineEvent

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._timeline: Timeline | None = None
        self._chosen: TimelineEvent | None = None
        """The event under the cursor when the list was last filled; None for the newest."""

    def show(self, timeline: Timeline | None) -> None:
        """Show a history; None while it is loading. The cursor stays on its event, or at the newest one."""
        if self._timeline is not None:
            # While the history is loaded again, the list is empty.
            self._chosen = self._event_at(self.highlighted)
            if self._chosen is not None and self._chosen == self._timeline.events[0]:
                self._chosen = None
        chosen, self._timeline = self._chosen, timeline
        self.set_options([] if timeline is None else self._options_of(timeline))
        if timeline is not None and timeline.events:
            at = timeline.events.index(chosen) if chosen in timeline.events else 0
            self.highlighted = self._failures + at

    @property
    def _failures(self) -> int:
        """The number of failure lines above the first event."""
        return 0 if self._timeline is None else sum(note.failed for note in self._timeline.notes)

    def _event_at(self, line: int | None) -> TimelineEvent | None:
        """Return the event of a line; None for a note."""
        at = -1 if line is None else line - self._failures
        return self._timeline.events[at] if self._timeline and 0 <= at < len(self._timeline.events) else None

    def _options_of(self, timeline: Timeline) -> list[Option]:
        cells = max(1, self.line_cells - 1)
        words = [measure(visible(event.source)) for event in timeline.events]
        source_cells = min(max(words, default=0), _MAX_SOURCE_CELLS)
        events = [Option(event_line(event, source_cells, cells)) for event in timeline.events]
        # Failures first: below many events they would not be seen.
        failed = [Option(styled(note.text, "$role-danger"), disabled=True) for note in timeline.notes if note.failed]
        quiet = [Option(styled(note.text, "$role-muted"), disabled=True) for note in timeline.notes if not note.failed]
        return [*failed, *events, *quiet]

    def action_first(self) -> None:
        """Go to the newest entry, and show the notes above it."""
        super().action_first()
        self.call_after_refresh(self.scroll_home, animate=False)

    def action_last(self) -> None:
        """Go to the oldest entry, and show the notes below it."""
        super().action_last()
        self.call_after_refresh(self.scroll_end, animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines for the new width."""
        self.show(self._timeline)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Post that an event was opened."""
        event.stop()
        if (chosen := self._event_at(event.option_index)) is not None:
            self.post_message(self.Opened(chosen))


def event_line(event: TimelineEvent, source_cells: int, cells: int) -> Content:
    """Return the line of an event in `cells` cells: its time, its source in `source_cells`, and what happened.

    What happened is on a second line if it does not fit on the first and there is little room.
    """
    entry, source = event.leads_to, shorten(visible(event.source), source_cells)
    room = cells - _WHEN_CELLS - source_cells - 2 * len(_GAP)
    start = _start(event, pad(source, source_cells))
    if isinstance(entry, JournalEntry):
        word, style = outcome_text(entry)
        outcome = Content.assemble(_GAP, (word, style))
        if room >= _MIN_WHAT_CELLS:
            return Content.assemble(start, _GAP, _write_content(entry, room - outcome.cell_length), outcome)
        # A colleague's name may be longer than the room beside the outcome.
        start = _start(event, shorten(source, max(1, room + source_cells + len(_GAP) - outcome.cell_length)))
        space = " " * max(0, cells - start.cell_length - outcome.cell_length)
        return Content.assemble(start, space, outcome, "\n", _INDENT, _write_content(entry, cells - len(_INDENT)))
    what = visible(event.what)
    if room >= _MIN_WHAT_CELLS or measure(what) <= room:
        return Content.assemble(start, _GAP, shorten(what, room))
    if measure(what) <= room + source_cells - measure(source):
        # Better not aligned with the others than on a second line.
        return Content.assemble(_start(event, source), _GAP, what)
    return Content.assemble(start, "\n", _INDENT, shorten(what, cells - len(_INDENT)))


def _start(event: TimelineEvent, source: str) -> Content:
    """Return the time of an event, and its source."""
    when, style = (visible(event.when), "$role-time") if event.when else (_NO_TIME_TEXT, "$role-muted")
    written = isinstance(event.leads_to, JournalEntry)
    source_style = "$role-accent" if event.source == OWN else "$role-foreground" if written else "$role-muted"
    return Content.assemble((pad(when, _WHEN_CELLS), style), _GAP, (source, source_style))


def _write_content(entry: JournalEntry, cells: int) -> Content:
    """Return the changes and the ticket of a write in exactly `cells` cells."""
    ticket = shorten(visible(entry.intent.ticket), min(_MAX_TICKET_CELLS, cells // 3))
    text = pad(write_text(entry), max(0, cells - (measure(ticket) + len(_GAP) if ticket else 0)))
    return Content.assemble(text, (_GAP + ticket, "$role-reference") if ticket else "")
