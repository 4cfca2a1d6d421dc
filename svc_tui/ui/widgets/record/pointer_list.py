"""What points at a record as a list: a heading for each collection and field, under it a line for each record."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.records import Place
from svc_tui.history.pointers import PointerGroup, PointsHere, pointer_words
from svc_tui.history.timeline import TimelineNote
from svc_tui.search.referring import Pointer
from svc_tui.ui.text import field_label, measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.pane_list import PaneList

_INDENT, _GAP = "  ", "  "
_MAX_ID_CELLS = 20


class PointerOption(Option):
    """The line of a record, and where it leads."""

    def __init__(self, line: Content, place: Place) -> None:
        super().__init__(line)
        self.place = place


class PointerList(PaneList):
    """What points at one record; Enter asks to go to the record under the cursor."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="pointers.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="pointers.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="pointers.first", show=False, tooltip="Go to the first record"),
        Binding("end,G", "last", "Last", id="pointers.last", show=False, tooltip="Go to the last record"),
    ]

    @dataclass
    class Opened(Message):
        """Enter on a record."""

        place: Place

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._pointers: PointsHere | None = None
        self._chosen: Place | None = None
        """The record that the cursor was on last: it goes back there when the list comes again."""

    def show(self, pointers: PointsHere | None) -> None:
        """Show what points at a record; None while nobody knows. The cursor stays on its record where it is listed."""
        self._chosen = self._place_at(self.highlighted) or self._chosen
        self._pointers = pointers
        self.set_options([] if pointers is None else self._options_of(pointers))
        lines = [at for at, option in enumerate(self.options) if isinstance(option, PointerOption)]
        if lines:
            self.highlighted = next((at for at in lines if self._place_at(at) == self._chosen), lines[0])

    def _place_at(self, line: int | None) -> Place | None:
        """The record of a line; None where that is a heading or a note."""
        option = self.options[line] if line is not None and line < self.option_count else None
        return option.place if isinstance(option, PointerOption) else None

    def _options_of(self, pointers: PointsHere) -> list[Option]:
        cells = max(1, self.line_cells - 1)
        ids = [measure(visible(pointer.place.id)) for group in pointers.groups for pointer in group.pointers]
        id_cells = min(max(ids, default=0), _MAX_ID_CELLS)
        # What failed would not be seen below many records.
        failed = [_note(note, "$role-danger") for note in pointers.notes if note.failed]
        quiet = [_note(note, "$role-muted") for note in pointers.notes if not note.failed]
        lines = [line for group in pointers.groups for line in _group_lines(pointers.about, group, id_cells, cells)]
        return [*failed, *lines, *quiet]

    def action_first(self) -> None:
        """Go to the first record, and show what stands above it."""
        super().action_first()
        self.call_after_refresh(self.scroll_home, animate=False)

    def action_last(self) -> None:
        """Go to the last record, and show what stands below it."""
        super().action_last()
        self.call_after_refresh(self.scroll_end, animate=False)

    def on_resize(self) -> None:
        """Write the lines anew for the room they have."""
        self.show(self._pointers)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask to go to the record under the cursor."""
        event.stop()
        if isinstance(event.option, PointerOption):
            self.post_message(self.Opened(event.option.place))


def heading(group: PointerGroup, cells: int) -> Content:
    """The collection, the field and how many there are; the names give way to the count."""
    count = f" · {group.count:,}"
    room = max(1, cells - len(count))
    name = shorten(visible(group.collection.name), room)
    path = shorten(f" · {field_label(group.path)}", room - measure(name)) if room > measure(name) else ""
    return Content.assemble((name, "bold $role-foreground"), (path, "$role-reference"), (count, "$role-muted"))


def pointer_line(about: Place, pointer: Pointer, id_cells: int, cells: int) -> Content:
    """A record's id in so many cells, and its label or first words; `cells` in all."""
    record_id = pad(visible(pointer.place.id), id_cells)
    room = max(0, cells - len(_INDENT) - id_cells - len(_GAP))
    words = shorten(visible(pointer_words(about, pointer)), room) if room else ""
    return Content.assemble(_INDENT, (record_id, "$role-accent"), _GAP, words)


def _group_lines(about: Place, group: PointerGroup, id_cells: int, cells: int) -> Iterator[Option]:
    """The heading of a group, its records, and how many more there are."""
    yield Option(heading(group, cells), disabled=True)
    for pointer in group.pointers:
        yield PointerOption(pointer_line(about, pointer, id_cells, cells), pointer.place)
    more = group.count - len(group.pointers)
    if more:
        verb = "is" if more == 1 else "are"
        yield Option(styled(f"{_INDENT}{more:,} more {verb} not listed.", "$role-muted"), disabled=True)


def _note(note: TimelineNote, style: str) -> Option:
    return Option(styled(note.text, style), disabled=True)
