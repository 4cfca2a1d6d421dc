"""The fields of a record in groups, one under the other; nested values unfold in place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import on
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, var
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.draft import Draft
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.core.outline import (
    FieldMatches,
    Folding,
    GroupGap,
    MoreItems,
    OutlineCut,
    OutlineEntry,
    OutlineLine,
    Path,
    find_fields,
    first_names,
)
from svc_tui.core.records import id_field
from svc_tui.core.values import replace
from svc_tui.ui.widgets.inputs.changing_list import PaneList, has_lines
from svc_tui.ui.widgets.record.field_lines import (
    LABEL_GAP_CELLS,
    RenderedLine,
    ValueFormat,
    draw_line,
    label_cells,
    number_indents,
    with_search,
)


class FieldOutline:
    """The lines of a record as they were laid out last, with what is unfolded and what is searched for."""

    def __init__(self, value_format: ValueFormat) -> None:
        self.format = value_format
        self.draft: Draft | None = None
        self.folding = Folding()
        self.matches = FieldMatches()
        """The values that match the search."""
        self.lines: Sequence[OutlineLine] = ()
        self.drawn: Sequence[RenderedLine] = ()
        """The drawn lines, in the order of `lines`."""
        self.typed_field = ""
        """The field whose new value is being typed; "" if there is none."""
        self._value_start = 0
        """The first cell of the column of values."""
        self._indents: Sequence[int] = ()
        """The cells before the value of each line, in that column."""
        self._by_path: dict[tuple[Path, bool, int, int], RenderedLine] = {}
        """A cache for one layout, which takes two or three passes: the drawn values by path, fold and cells."""
        self._kinds: Mapping[str, Kind] = {}
        """The kinds of the fields, as the loaded rows told them when they were laid out."""

    def take(self, draft: Draft | None) -> None:
        """Take the record to lay out next; another record ends the search."""
        if draft is None or self.draft is None or draft.base.id != self.draft.base.id:
            self.folding.windows, self.matches = {}, FieldMatches()
            self.format = with_search(self.format, "")
        self.draft = draft

    def shows(self, draft: Draft | None) -> bool:
        """Return True if the lines show `draft` already.

        A record opens with the fields of its row; its own response often differs only by the ETag.
        """
        if draft is None or self.draft is None:
            return draft is self.draft
        return draft == replace(self.draft, base=replace(self.draft.base, etag=draft.base.etag)) and not self.outdated

    def find(self, needle: str) -> None:
        """Find the values that contain `needle`, also folded ones, and highlight it."""
        fields = self.draft.fields if self.draft else {}
        self.matches = find_fields(fields, needle, self._kind)
        self.format = with_search(self.format, needle)

    @property
    def outdated(self) -> bool:
        """True if the loaded rows tell other kinds of the fields than when they were laid out."""
        return self._kinds_by_rows() != self._kinds

    @property
    def places(self) -> Mapping[Path, int]:
        """The line numbers of the values, by their paths."""
        return {line.path: index for index, line in enumerate(self.lines) if isinstance(line, OutlineEntry)}

    def value_start(self, at: int) -> int:
        """Return the first cell of the value in a line."""
        return self._value_start + self._indents[at]

    def lay_out(self, width: int, height: int) -> None:
        """Draw all lines for a list of `width` cells; nested values are unfolded as far as its `height` has room."""
        draft = self.draft
        self._by_path = {}

        def free_rows(lines: Sequence[OutlineLine]) -> int:
            if len(lines) > height:
                return -1
            return height - sum(line.rows for line in self._drawn(lines, width))

        if draft is None:
            self.lines = ()
        else:
            fields = draft.fields
            kinds = {name: self._kind(name) for name in first_names(fields, self.folding.windows)}
            self.lines = self.folding.lines(fields, kinds, free_rows)
        self.drawn = self._drawn(self.lines, width)
        self._kinds = self._kinds_by_rows()

    def _drawn(self, lines: Sequence[OutlineLine], width: int) -> list[RenderedLine]:
        label = label_cells(lines, width)
        self._value_start = label + LABEL_GAP_CELLS
        self._indents = number_indents(lines, self.format)
        return [self._draw(line, label, width, indent) for line, indent in zip(lines, self._indents, strict=True)]

    def _draw(self, line: OutlineLine, label: int, width: int, indent: int) -> RenderedLine:
        assert self.draft is not None
        if not isinstance(line, OutlineEntry):
            return draw_line(line, self.draft, self.format, False, label, width)
        unfolded = line.path in self.folding.open
        key = line.path, unfolded, label, indent
        if key not in self._by_path:
            self._by_path[key] = draw_line(
                line,
                self.draft,
                self.format,
                unfolded,
                label,
                width,
                indent=indent,
                typed_field=self.typed_field,
            )
        return self._by_path[key]

    def _kinds_by_rows(self) -> Mapping[str, Kind]:
        names = first_names(self.draft.fields, self.folding.windows) if self.draft else ()
        return {name: self.format.kind_of(name) for name in names}

    def _kind(self, name: str) -> Kind:
        # By the record itself if possible, so that fields stay in their groups while more records are loaded; and by
        # the value of the service, so that they stay there whatever is typed.
        assert self.draft is not None
        base = self.draft.base.fields
        value = base[name] if name in base else self.draft.edits[name]
        return self.format.kind_of(name) if value is None else kind_of(name, [value])


class FieldList(PaneList):
    """The fields of a record with the edits of its draft; the cursor stays on its field from record to record."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="fields.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="fields.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="fields.first", show=False, tooltip="Go to the first field"),
        Binding("end,G", "last", "Last", id="fields.last", show=False, tooltip="Go to the last field"),
        Binding("right,l", "unfold", "Expand", id="fields.unfold", show=False, tooltip="Expand the object or list"),
        Binding("left,h", "fold", "Collapse", id="fields.fold", show=False, tooltip="Collapse the object or list"),
    ]

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """The size of the contents. A `var`: the size of the pane does not depend on it, so no layout is needed."""

    @dataclass
    class Opened(Message):
        """Sent on Enter on a value that is not nested; `truncated` if only its beginning is shown."""

        entry: OutlineEntry
        truncated: bool

    class Moved(Message):
        """Sent when the cursor is on another value."""

    def __init__(
        self,
        value_format: ValueFormat,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self._outline = FieldOutline(value_format)
        self._width = self._height = 0
        self._chosen: Path = ()
        """The path that the user went to; the cursor returns there after a record that does not have it."""
        self._substitute: Path | None = None
        """The path of the cursor in a record that does not have the chosen one."""

    def show(self, draft: Draft | None) -> None:
        """Show the record of `draft` with its edits; None shows nothing."""
        is_shown = self._outline.shows(draft)
        self._outline.take(draft)
        if not is_shown:
            self._rebuild()

    def refresh_kinds(self) -> None:
        """Show the fields by their kinds, if more is known of these now."""
        if self._outline.outdated:
            self._rebuild()

    def show_raw(self, raw: bool) -> None:
        """Show values raw, or formatted."""
        self._outline.format = replace(self._outline.format, raw=raw)
        self._rebuild()

    def mark_typed(self, field: str) -> None:
        """Mark the field whose new value is being typed; "" ends that."""
        if field != self._outline.typed_field:
            self._outline.typed_field = field
            self._rebuild()

    def move_to_field(self, field: str) -> None:
        """Move the cursor to a field, if the record has it."""
        draft = self._outline.draft
        if draft is not None and field in draft.fields:
            self._reveal((field,))

    @property
    def entry(self) -> OutlineEntry | None:
        """The value under the cursor and its path."""
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

    # Search

    @property
    def match_position(self) -> tuple[int, int] | None:
        """The number of the current match, from 1, and of all matches; None if there is none."""
        return self._outline.matches.position

    def find(self, needle: str) -> bool:
        """Go to the first match of `needle` in names and values, also folded ones. Return False if there is none.

        Case and accents do not matter.
        """
        self._outline.find(needle)
        self._rebuild()
        return self._step(0)

    def find_next(self) -> bool:
        """Go to the next match, after the last one to the first. Return False if there is none."""
        return self._step(1)

    def find_previous(self) -> bool:
        """Go to the match before, from the first one to the last. Return False if there is none."""
        return self._step(-1)

    def _step(self, steps: int) -> bool:
        matches = self._outline.matches = self._outline.matches.stepped(steps)
        if matches.path is None:
            return False
        self._reveal(matches.path)
        return True

    def _reveal(self, path: Path) -> None:
        """Unfold the values around the one at `path`, and move the cursor to it."""
        outline = self._outline
        assert outline.draft is not None
        outline.folding.reveal(outline.draft.fields, path)
        if (at := outline.places.get(path)) is None:
            self._rebuild(path)
        else:
            self.highlighted = at

    # Lines

    def _rebuild(self, path: Path | None = None) -> None:
        """Write all lines; the cursor stays or goes to `path`, or to the nearest value around that."""
        entry = self.entry
        scroll = self.scroll_offset.y if path is None else None
        if path is not None:
            self._chosen = path
        elif entry is not None and entry.path != self._substitute:
            self._chosen = entry.path
        path = self._chosen
        # A hidden list has no size: it is likely to be shown as large as it was.
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
            # The first field that can be edited: not the id.
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
        """Wrap the values to the new width before they are drawn; a resize event would come after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self.on_show()
        self.find_lines()
        return changed

    def on_show(self) -> None:
        """Wrap the values to the width of the list; a hidden list has none."""
        width, height = self.scrollable_content_region.size
        if width and (width, height) != (self._width, self._height):
            self._rebuild()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Post that the cursor moved."""
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
        """Scroll to the unfolded values: to all of them if they fit below their own line, else to the first."""
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
        """Unfold the value under the cursor."""
        entry = self.entry
        if entry and entry.nested:
            self._set_unfolded(entry.path, True)

    def action_fold(self) -> None:
        """Fold the value under the cursor, or the one around it."""
        line = self._line
        if isinstance(line, OutlineEntry | MoreItems):
            inside = isinstance(line, MoreItems) or line.path in self._outline.folding.open
            path = line.path if inside else line.path[:-1]
            if path:
                self._outline.folding.set(path, unfolded=False)
                self._rebuild(path)
