"""A record's fields in groups, one under the other: nested values fold in place, and the cursor walks them too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, var
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.domain.data.folding import Folding
from svc_tui.domain.data.kinds import Kind, kind_of
from svc_tui.domain.data.outline import (
    WINDOW_ITEMS,
    FieldGroup,
    GroupTitle,
    MoreItems,
    OutlineCut,
    OutlineEntry,
    OutlineLine,
    Path,
    first_names,
    group_of,
    matching_paths,
)
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.model.jsontext import Json
from svc_tui.ui.widgets.inputs.pane_list import PaneList
from svc_tui.ui.widgets.record.field_lines import (
    ValueFormat,
    draw_line,
    label_cells,
    with_search,
)


class FieldList(PaneList):
    """The fields of one record with the edits of its draft; the cursor stays on its field from record to record."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="fields.down", show=False, tooltip="Next value"),
        Binding("up,k", "cursor_up", "Up", id="fields.up", show=False, tooltip="Previous value"),
        Binding("home,g", "first", "First", id="fields.first", show=False, tooltip="First field"),
        Binding("end,G", "last", "Last", id="fields.last", show=False, tooltip="Last field"),
        Binding("right,l", "unfold", "Unfold", id="fields.unfold", show=False, tooltip="Show what is nested here"),
        Binding("left,h", "fold", "Fold", id="fields.fold", show=False, tooltip="Hide what is nested here"),
    ]

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The pane is as large as it is whatever that is: nothing is laid out for it."""

    @dataclass
    class Opened(Message):
        """Enter on a value that is not nested; `cut` says whether only its beginning is shown."""

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
        self._format = value_format
        self._draft: Draft | None = None
        self._outline: list[OutlineLine] = []
        self._kinds: Mapping[str, Kind] = {}
        """What the rows beside the record told of its fields when they were shown."""
        self._truncated: set[Path] = set()
        self._folding = Folding()
        self._hits: list[Path] = []
        self._hit = 0
        self._width = self._height = 0

    def show(self, draft: Draft | None) -> None:
        """Show the record of `draft`, its edits in place; None: nothing."""
        if draft == self._draft:
            return
        if draft is None or self._draft is None or draft.base.id != self._draft.base.id:
            self._folding.windows, self._hits = {}, []
            self._format = with_search(self._format, "")
        self._draft = draft
        self._rebuild()

    def refresh_kinds(self) -> None:
        """More may be known of what kinds of values the fields hold: they are shown as such, where they belong."""
        if self._kinds_by_rows() != self._kinds:
            self._rebuild()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._format = replace(self._format, raw=raw)
        self._rebuild()

    def move_to_field(self, field: str) -> None:
        """Put the cursor on a field; where the record has none of that name it stays."""
        if self._draft is not None and field in self._draft.fields:
            self._reveal((field,))

    @property
    def field(self) -> str | None:
        """The name of the field under the cursor, or around it."""
        entry = self.entry
        return str(entry.path[0]) if entry else None

    @property
    def entry(self) -> OutlineEntry | None:
        """The value under the cursor and the way to it."""
        line = self._line
        return line if isinstance(line, OutlineEntry) else None

    @property
    def _line(self) -> OutlineLine | None:
        at = self.highlighted
        return self._outline[at] if at is not None and at < len(self._outline) else None

    # Finding

    @property
    def match_position(self) -> tuple[int, int] | None:
        """Which of how many values was gone to last, from 1; None where nothing was sought, or it is nowhere."""
        return (self._hit + 1, len(self._hits)) if self._hits else None

    def find(self, needle: str) -> bool:
        """Find `needle` in names and values, folded ones too, without regard to case; False: no match."""
        fields = self._draft.fields if self._draft else {}
        self._hits = self._in_order(fields, matching_paths(fields, needle))
        self._hit = 0
        self._format = with_search(self._format, needle)
        self._rebuild()
        return self._go_to(0)

    def find_next(self) -> bool:
        """Go on to the next value, round the end; False: there is none."""
        return self._go_to(self._hit + 1)

    def find_previous(self) -> bool:
        """Go back to the value before, round the beginning; False: there is none."""
        return self._go_to(self._hit - 1)

    def _go_to(self, number: int) -> bool:
        if not self._hits:
            return False
        self._hit = number % len(self._hits)
        self._reveal(self._hits[self._hit])
        return True

    def _in_order(self, fields: Mapping[str, Json], paths: list[Path]) -> list[Path]:
        """The paths in the order in which they are shown: window by window, group by group."""
        groups = {group: order for order, group in enumerate(FieldGroup)}
        places = {name: place for place, name in enumerate(fields)}
        orders = {
            name: (places[name] // WINDOW_ITEMS, groups[group_of(name, self._kind(name, fields[name]))])
            for name in dict.fromkeys(str(path[0]) for path in paths)
        }
        return sorted(paths, key=lambda path: orders[str(path[0])])

    def _reveal(self, path: Path) -> None:
        """Unfold what the value at `path` is in, and put the cursor on it."""
        assert self._draft is not None
        self._folding.reveal(self._draft.fields, path)
        if (at := self._places.get(path)) is None:
            self._rebuild(path)
        else:
            self.highlighted = at

    # Lines

    def _rebuild(self, path: Path | None = None) -> None:
        """Write all lines anew, the cursor staying where it is or going to `path`, or to what is left around it."""
        entry = self.entry
        scroll = self.scroll_offset.y if path is None else None
        if path is None:
            path = entry.path if entry else ()
        # A list out of sight has no size: it is likely to come back as large as it was.
        width, height = self.scrollable_content_region.size
        self._width, self._height = width or self._width, height or self._height
        self._outline = self._made_outline()
        self._kinds = self._kinds_by_rows()
        label = label_cells(self._outline, self._width)
        self._truncated = set()
        self.clear_options()
        self.add_options([self._option(line, label) for line in self._outline])
        if self._draft is None:
            return
        places = self._places
        while path and path not in places:
            path = path[:-1]
        self.highlighted = places.get(path, min(places.values(), default=None))
        if scroll is not None:
            self.scroll_to(y=scroll, animate=False, force=True, immediate=True)
            self.scroll_to_highlight()
        self.post_message(self.Moved())

    @property
    def _places(self) -> Mapping[Path, int]:
        """The lines of the values on show, by the way to each."""
        return {line.path: index for index, line in enumerate(self._outline) if isinstance(line, OutlineEntry)}

    def _made_outline(self) -> list[OutlineLine]:
        if self._draft is None:
            return []
        fields = self._draft.fields
        kinds = {name: self._kind(name, fields[name]) for name in first_names(fields, self._folding.windows)}
        return self._folding.lines(fields, kinds, self._free_rows)

    def _free_rows(self, lines: Sequence[OutlineLine]) -> int:
        """The rows that the lines leave, below 0 where they take more than there are."""
        if len(lines) > self._height:
            return -1
        label = label_cells(lines, self._width)
        return self._height - sum(str(self._option(line, label).prompt).count("\n") + 1 for line in lines)

    def _kinds_by_rows(self) -> Mapping[str, Kind]:
        names = first_names(self._draft.fields, self._folding.windows) if self._draft else ()
        return {name: self._format.kind_of(name) for name in names}

    def _kind(self, name: str, value: Json) -> Kind:
        # By the record alone where it tells, so that fields stay in their groups while more records come; and by what
        # the service holds, so that they stay there whatever is typed into them.
        value = self._draft.base.fields.get(name, value) if self._draft else value
        return self._format.kind_of(name) if value is None else kind_of(name, [value])

    def _option(self, line: OutlineLine, label: int) -> Option:
        assert self._draft is not None
        unfolded = isinstance(line, OutlineEntry) and line.path in self._folding.open
        drawn = draw_line(line, self._draft, self._format, unfolded, label, self._width)
        if drawn.truncated and isinstance(line, OutlineEntry):
            self._truncated.add(line.path)
        return Option(drawn.content, disabled=isinstance(line, GroupTitle | OutlineCut))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Wrap the values to the new width before it is painted: a resize is told of only after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self.on_resize()
        self.find_lines()
        return changed

    def on_resize(self) -> None:
        """Values are wrapped to the width there is; a list out of sight has none."""
        width, height = self.scrollable_content_region.size
        if width and (width, height) != (self._width, self._height):
            self._rebuild()

    def on_show(self) -> None:
        """The same, where it comes into sight again as wide as it was."""
        self.on_resize()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell where the cursor is; with the first value, the title above it is in view."""
        event.stop()
        at = self.highlighted
        if at is not None and all(isinstance(line, GroupTitle) for line in self._outline[:at]):
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.post_message(self.Moved())

    # Folding

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        match self._line:
            case MoreItems(path, _, start):
                self._folding.windows[path] = start
                self._rebuild()
                inside = (isinstance(line, OutlineEntry) and line.path[:-1] == path for line in self._outline)
                self.highlighted = list(inside).index(True)
            case OutlineEntry(path) as entry if entry.nested:
                self._set_unfolded(path, path not in self._folding.open)
            case OutlineEntry(path) as entry:
                self.post_message(self.Opened(entry, path in self._truncated))
            case _:
                pass

    def _set_unfolded(self, path: Path, unfolded: bool) -> None:
        self._folding.set(path, unfolded=unfolded)
        self._rebuild()
        if unfolded:
            self._bring_into_view(path)

    def _bring_into_view(self, path: Path) -> None:
        """Scroll to what was unfolded: all of it where it fits below its own line, else its beginning."""
        rows = [str(option.prompt).count("\n") + 1 for option in self.options]
        inside = [
            index
            for index, line in enumerate(self._outline)
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
            inside = isinstance(line, MoreItems) or line.path in self._folding.open
            path = line.path if inside else line.path[:-1]
            if path:
                self._folding.set(path, unfolded=False)
                self._rebuild(path)
