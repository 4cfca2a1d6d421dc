"""The story of one record as a list: a line for each event, newest first, then what is not in it and why."""

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
"""Cells from which there is room to tell what happened on the same line."""
_GAP, _INDENT = "  ", "  "


class TimelineList(PaneList):
    """What happened to one record; Enter asks for what an event leads to."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="history.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="history.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="history.first", show=False, tooltip="Go to the newest entry"),
        Binding("end,G", "last", "Last", id="history.last", show=False, tooltip="Go to the oldest entry"),
    ]

    @dataclass
    class Opened(Message):
        """Enter on an event."""

        event: TimelineEvent

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._timeline: Timeline | None = None
        self._chosen: TimelineEvent | None = None
        """The event under the cursor when the list was last shown, None for the newest."""

    def show(self, timeline: Timeline | None) -> None:
        """Show what happened; None while nobody knows. The cursor stays on its event, or at the newest one."""
        if self._timeline is not None:
            # While the story is gathered anew, there is no list to hold it.
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
        """How many lines stand above the first event."""
        return 0 if self._timeline is None else sum(note.failed for note in self._timeline.notes)

    def _event_at(self, line: int | None) -> TimelineEvent | None:
        """The event of a line; None where that is a note."""
        at = -1 if line is None else line - self._failures
        return self._timeline.events[at] if self._timeline and 0 <= at < len(self._timeline.events) else None

    def _options_of(self, timeline: Timeline) -> list[Option]:
        cells = max(1, self.line_cells - 1)
        words = [measure(visible(event.source)) for event in timeline.events]
        source_cells = min(max(words, default=0), _MAX_SOURCE_CELLS)
        events = [Option(event_line(event, source_cells, cells)) for event in timeline.events]
        # What failed would not be seen below many events.
        failed = [Option(styled(note.text, "$role-danger"), disabled=True) for note in timeline.notes if note.failed]
        quiet = [Option(styled(note.text, "$role-muted"), disabled=True) for note in timeline.notes if not note.failed]
        return [*failed, *events, *quiet]

    def action_first(self) -> None:
        """Go to the newest entry, and show what stands above it."""
        super().action_first()
        self.call_after_refresh(self.scroll_home, animate=False)

    def action_last(self) -> None:
        """Go to the oldest entry, and show what stands below it."""
        super().action_last()
        self.call_after_refresh(self.scroll_end, animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines anew for the room they have."""
        self.show(self._timeline)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask for what the event under the cursor leads to."""
        event.stop()
        if (chosen := self._event_at(event.option_index)) is not None:
            self.post_message(self.Opened(chosen))


def event_line(event: TimelineEvent, source_cells: int, cells: int) -> Content:
    """When it was, its source in so many cells, and what happened; `cells` in all.

    What happened has a line of its own where it does not fit, and there is little room, beside the rest.
    """
    entry, source = event.leads_to, shorten(visible(event.source), source_cells)
    room = cells - _WHEN_CELLS - source_cells - 2 * len(_GAP)
    start = _start(event, pad(source, source_cells))
    if isinstance(entry, JournalEntry):
        word, style = outcome_text(entry)
        outcome = Content.assemble(_GAP, (word, style))
        if room >= _MIN_WHAT_CELLS:
            return Content.assemble(start, _GAP, _write_content(entry, room - outcome.cell_length), outcome)
        # A colleague's name may be longer than what there is room for beside how it ended.
        start = _start(event, shorten(source, max(1, room + source_cells + len(_GAP) - outcome.cell_length)))
        space = " " * max(0, cells - start.cell_length - outcome.cell_length)
        return Content.assemble(start, space, outcome, "\n", _INDENT, _write_content(entry, cells - len(_INDENT)))
    what = visible(event.what)
    if room >= _MIN_WHAT_CELLS or measure(what) <= room:
        return Content.assemble(start, _GAP, shorten(what, room))
    if measure(what) <= room + source_cells - measure(source):
        # Rather out of line with the others than on a line of its own.
        return Content.assemble(_start(event, source), _GAP, what)
    return Content.assemble(start, "\n", _INDENT, shorten(what, cells - len(_INDENT)))


def _start(event: TimelineEvent, source: str) -> Content:
    """When it was, and its source as it is shown."""
    when, style = (visible(event.when), "$role-time") if event.when else (_NO_TIME_TEXT, "$role-muted")
    written = isinstance(event.leads_to, JournalEntry)
    source_style = "$role-accent" if event.source == OWN else "$role-foreground" if written else "$role-muted"
    return Content.assemble((pad(when, _WHEN_CELLS), style), _GAP, (source, source_style))


def _write_content(entry: JournalEntry, cells: int) -> Content:
    """What a write changed and the ticket it was for, in exactly so many cells."""
    ticket = shorten(visible(entry.intent.ticket), min(_MAX_TICKET_CELLS, cells // 3))
    text = pad(write_text(entry), max(0, cells - (measure(ticket) + len(_GAP) if ticket else 0)))
    return Content.assemble(text, (_GAP + ticket, "$role-reference") if ticket else "")
