"""A record's fields as lines: which there are in the room that a list has, and how each of them looks."""

from collections.abc import Mapping, Sequence

from svc_tui.core.draft import Draft
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.core.outline import FieldMatches, Folding, OutlineEntry, OutlineLine, Path, find_fields, first_names
from svc_tui.core.values import replace
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
    """The lines of one record as they were laid out last, what is unfolded in them, and what is sought."""

    def __init__(self, value_format: ValueFormat) -> None:
        """Make it of no record; values are shown in that format."""
        self.format = value_format
        self.draft: Draft | None = None
        self.folding = Folding()
        self.matches = FieldMatches()
        """The values that hold what is sought."""
        self.lines: Sequence[OutlineLine] = ()
        self.drawn: Sequence[RenderedLine] = ()
        """How the lines look, each in its place."""
        self.typed_field = ""
        """The field that is being changed by what is typed, "" for none."""
        self._value_start = 0
        """The first cell of the column of values."""
        self._indents: Sequence[int] = ()
        """The cells in that column before the value of each line."""
        self._by_path: dict[tuple[Path, bool, int, int], RenderedLine] = {}
        """The values drawn while they are laid out, which takes two or three passes, by path, fold and cells."""
        self._kinds: Mapping[str, Kind] = {}
        """What the rows beside the record told of its fields when they were laid out."""

    def take(self, draft: Draft | None) -> None:
        """Take the record with its edits that is to be laid out next; in another one nothing is sought."""
        if draft is None or self.draft is None or draft.base.id != self.draft.base.id:
            self.folding.windows, self.matches = {}, FieldMatches()
            self.format = with_search(self.format, "")
        self.draft = draft

    def shows(self, draft: Draft | None) -> bool:
        """Return whether the lines show `draft` already.

        A record opens with the fields of its row; its own response often differs by the ETag only.
        """
        if draft is None or self.draft is None:
            return draft is self.draft
        return draft == replace(self.draft, base=replace(self.draft.base, etag=draft.base.etag)) and not self.outdated

    def find(self, needle: str) -> None:
        """Find the values that hold `needle`, folded ones too; it is highlighted from then on."""
        fields = self.draft.fields if self.draft else {}
        self.matches = find_fields(fields, needle, self._kind)
        self.format = with_search(self.format, needle)

    @property
    def outdated(self) -> bool:
        """Whether more is known of what kinds of values the fields hold than when they were laid out."""
        return self._kinds_by_rows() != self._kinds

    @property
    def places(self) -> Mapping[Path, int]:
        """The lines of the values on show, by the way to each."""
        return {line.path: index for index, line in enumerate(self.lines) if isinstance(line, OutlineEntry)}

    def value_start(self, at: int) -> int:
        """Return the first cell of the value of a line."""
        return self._value_start + self._indents[at]

    def lay_out(self, width: int, height: int) -> None:
        """Write and draw all lines anew for a list of `width` cells, unfolding what its `height` leaves room for."""
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
        # By the record alone where it tells, so that fields stay in their groups while more records come; and by what
        # the service holds, so that they stay there whatever is typed into them.
        assert self.draft is not None
        base = self.draft.base.fields
        value = base[name] if name in base else self.draft.edits[name]
        return self.format.kind_of(name) if value is None else kind_of(name, [value])
