"""A record's fields in groups, one under the other: nested values fold in place, and the cursor walks them too."""

from dataclasses import dataclass

from textual import on
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, var
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.draft import Draft
from svc_tui.core.outline import GroupGap, MoreItems, OutlineCut, OutlineEntry, OutlineLine, Path
from svc_tui.core.records import id_field
from svc_tui.core.values import replace
from svc_tui.ui.widgets.inputs.changing_list import PaneList, has_lines
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.field_outline import FieldOutline


class FieldList(PaneList):
    """The fields of one record with the edits of its draft; the cursor stays on its field from record to record."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="fields.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="fields.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="fields.first", show=False, tooltip="Go to the first field"),
        Binding("end,G", "last", "Last", id="fields.last", show=False, tooltip="Go to the last field"),
        Binding("right,l", "unfold", "Expand", id="fields.unfold", show=False, tooltip="Expand the object or list"),
        Binding("left,h", "fold", "Collapse", id="fields.fold", show=False, tooltip="Collapse the object or list"),
    ]

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The pane is as large as it is whatever that is: nothing is laid out for it."""

    @dataclass
    class Opened(Message):
        """Enter on a value that is not nested; `truncated` says whether only its beginning is shown."""

        entry: OutlineEntry
        truncated: bool

    class Moved(Message):
        """The cursor is on another value."""

    def __init__(
        self,
        value_format: ValueFormat,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """Make the list; it shows values in that format."""
        super().__init__(id=id)
        self._outline = FieldOutline(value_format)
        self._width = self._height = 0
        self._chosen: Path = ()
        """The path that the user went to; the cursor goes back there from a record that does not have it."""
        self._substitute: Path | None = None
        """The path where the cursor was put because the record does not have the chosen one."""

    def show(self, draft: Draft | None) -> None:
        """Show the record of `draft`, its edits in place; None: nothing."""
        is_shown = self._outline.shows(draft)
        self._outline.take(draft)
        if not is_shown:
            self._rebuild()

    def refresh_kinds(self) -> None:
        """More may be known of what kinds of values the fields hold: they are shown as such, where they belong."""
        if self._outline.outdated:
            self._rebuild()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._outline.format = replace(self._outline.format, raw=raw)
        self._rebuild()

    def mark_typed(self, field: str) -> None:
        """Mark the field as changed by what is being typed; "" ends that."""
        if field != self._outline.typed_field:
            self._outline.typed_field = field
            self._rebuild()

    def move_to_field(self, field: str) -> None:
        """Put the cursor on a field; where the record has none of that name it stays."""
        draft = self._outline.draft
        if draft is not None and field in draft.fields:
            self._reveal((field,))

    @property
    def entry(self) -> OutlineEntry | None:
        """The value under the cursor and the way to it."""
        line = self._line
        return line if isinstance(line, OutlineEntry) else None

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if it is out of view."""
        at, outline, inside = self.highlighted, self._outline, self.scrollable_content_region
        if at is None or not has_lines(self) or not isinstance(self._line, OutlineEntry):
            return None
        y = inside.y + self._index_to_line[at] - self.scroll_offset.y
        start = outline.value_start(at)
        region = Region(inside.x + start, y, inside.width - start, outline.drawn[at].rows).intersection(inside)
        return region if region.y == y and region else None

    @property
    def _line(self) -> OutlineLine | None:
        at, lines = self.highlighted, self._outline.lines
        return lines[at] if at is not None and at < len(lines) else None

    # Finding

    @property
    def match_position(self) -> tuple[int, int] | None:
        """Which of how many values was gone to last, from 1; None where nothing was sought, or it is nowhere."""
        return self._outline.matches.position

    def find(self, needle: str) -> bool:
        """Find `needle` in names and values, folded ones too, without regard to case and accents; False: no match."""
        self._outline.find(needle)
        self._rebuild()
        return self._step(0)

    def find_next(self) -> bool:
        """Go on to the next value, round the end; False: there is none."""
        return self._step(1)

    def find_previous(self) -> bool:
        """Go back to the value before, round the beginning; False: there is none."""
        return self._step(-1)

    def _step(self, steps: int) -> bool:
        matches = self._outline.matches = self._outline.matches.stepped(steps)
        if matches.path is None:
            return False
        self._reveal(matches.path)
        return True

    def _reveal(self, path: Path) -> None:
        """Unfold what the value at `path` is in, and put the cursor on it."""
        outline = self._outline
        assert outline.draft is not None
        outline.folding.reveal(outline.draft.fields, path)
        if (at := outline.places.get(path)) is None:
            self._rebuild(path)
        else:
            self.highlighted = at

    # Lines

    def _rebuild(self, path: Path | None = None) -> None:
        """Write all lines anew, the cursor staying where it is or going to `path`, or to what is left around it."""
        entry = self.entry
        scroll = self.scroll_offset.y if path is None else None
        if path is not None:
            self._chosen = path
        elif entry is not None and entry.path != self._substitute:
            self._chosen = entry.path
        path = self._chosen
        # A list out of sight has no size: it is likely to come back as large as it was.
        width, height = self.scrollable_content_region.size
        self._width, self._height = width or self._width, height or self._height
        outline = self._outline
        outline.lay_out(self._width, self._height)
        self.clear_options()
        self.add_options(
            Option(drawn.content, disabled=isinstance(line, GroupGap | OutlineCut))
            for line, drawn in zip(outline.lines, outline.drawn, strict=True)
        )
        if outline.draft is None:
            return
        places = outline.places
        while path and path not in places:
            path = path[:-1]
        if path not in places:
            # To the first field that can be edited: the id can't.
            record_id = (id_field(outline.draft.base.fields),)
            path = next((place for place in places if place != record_id), next(iter(places), ()))
        self.highlighted = places.get(path)
        entry = self.entry
        self._substitute = entry.path if entry is not None and entry.path != self._chosen else None
        if scroll is not None:
            self.scroll_to(y=scroll, animate=False, force=True, immediate=True)
            self.scroll_to_highlight()
        self.post_message(self.Moved())

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Wrap the values to the new width before it is painted: a resize is told of only after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self.on_show()
        self.find_lines()
        return changed

    def on_show(self) -> None:
        """Wrap the values to the width there is; a list out of sight has none."""
        width, height = self.scrollable_content_region.size
        if width and (width, height) != (self._width, self._height):
            self._rebuild()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell where the cursor is."""
        event.stop()
        self.post_message(self.Moved())

    # Folding

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        outline = self._outline
        match self._line:
            case MoreItems(path, _, start):
                outline.folding.windows[path] = start
                self._rebuild()
                inside = (isinstance(line, OutlineEntry) and line.path[:-1] == path for line in outline.lines)
                self.highlighted = list(inside).index(True)
            case OutlineEntry(path) as entry if entry.nested:
                self._set_unfolded(path, path not in outline.folding.open)
            case OutlineEntry(path) as entry:
                self.post_message(self.Opened(entry, outline.drawn[outline.places[path]].truncated))
            case _:
                pass

    def _set_unfolded(self, path: Path, unfolded: bool) -> None:
        self._outline.folding.set(path, unfolded=unfolded)
        self._rebuild()
        if unfolded:
            self._bring_into_view(path)

    def _bring_into_view(self, path: Path) -> None:
        """Scroll to what was unfolded: all of it where it fits below its own line, else its beginning."""
        rows = [line.rows for line in self._outline.drawn]
        inside = [
            index
            for index, line in enumerate(self._outline.lines)
            if isinstance(line, OutlineEntry | MoreItems) and line.path[: len(path)] == path
        ]
        top, below = sum(rows[: inside[0]]), sum(rows[: inside[-1] + 1])
        y = max(self.scroll_offset.y, min(top, below - self.scrollable_content_region.height))
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def action_unfold(self) -> None:
        """Show what is nested in the value under the cursor."""
        entry = self.entry
        if entry and entry.nested:
            self._set_unfolded(entry.path, True)

    def action_fold(self) -> None:
        """Hide what is nested in the value under the cursor, or around it."""
        line = self._line
        if isinstance(line, OutlineEntry | MoreItems):
            inside = isinstance(line, MoreItems) or line.path in self._outline.folding.open
            path = line.path if inside else line.path[:-1]
            if path:
                self._outline.folding.set(path, unfolded=False)
                self._rebuild(path)
