"""The lines of a record's fields: labels on the left, values in one column, long texts truncated with a note."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from itertools import groupby
from typing import TypeAlias, TypeGuard

from textual.content import Content

from svc_tui.core.draft import Draft
from svc_tui.core.folded_text import fold, places_of
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, RepeatedNames
from svc_tui.core.kinds import DisplayText, Kind, display_text, kind_of, kind_of_value, raw_text
from svc_tui.core.outline import GroupGap, MoreItems, OutlineCut, OutlineEntry, OutlineLine, Path, is_nested
from svc_tui.core.values import replace
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.text.difference import NOT_TAKEN_NOTE
from svc_tui.ui.widgets.text.wrapping import wrap_text

KindOf: TypeAlias = Callable[[str], Kind]
"""Returns the kind of a field, from all the records seen; NULL if none of them tells."""

PointsAtRecord: TypeAlias = Callable[[Path, Json | Absent], bool]
"""Returns True if the value at a path of the record references another record."""

MAX_VALUE_ROWS = 4
"""Rows of a value at most."""

_LABEL_CELLS = range(6, 25)
"""The narrowest and the widest column of labels."""
_SHORT_LABEL_CELLS = 12
"""The width that labels may take, however narrow a list is."""
LABEL_GAP_CELLS = 3
"""Cells around a label: the sign of a change before it, the gap after it."""
_TIME_CELLS = len("2026-11-20 05:12 UTC")
"""Cells that values keep before labels take more than the short width."""
_MAX_NAME_CHARACTERS = 100
"""Characters of a name that are drawn at most."""
_MAX_INDENT = 8
"""Levels that are indented; deeper values have the same indent, and their path in the frame."""
_MAX_OLD_VALUE_CELLS = 24
_MIN_VALUE_CELLS = 8
_MAX_WHOLE_CELLS = 10
"""The longest whole part of a number that others are aligned with, in cells."""


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """The format of values: by kind, references with an arrow, times in a zone, or raw; with matches highlighted."""

    kind_of: KindOf
    points_at_record: PointsAtRecord = lambda _path, _value: False
    tz: tzinfo = UTC
    raw: bool = False
    sought: str = ""
    """The text searched for, folded; "" highlights nothing."""

    def seen(self, path: Path, value: Json | Absent, cells: int | None = None) -> DisplayText:
        """Return the text of a value; for a nested one the number of its items.

        A time is shown without its zone if it needs that to fit into `cells`: half a time looks like another one.
        """
        kind = self.kind(path, value)
        if self.raw and not is_nested(value):
            return raw_text(value, kind)
        seen = display_text(value, kind, tz=self.tz, arrow=True, zone=True, words=True)
        if cells is not None and kind is Kind.TIME and measure(seen.text) > cells:
            return display_text(value, kind, tz=self.tz)
        return seen

    def kind(self, path: Path, value: Json | Absent) -> Kind:
        """Return the kind of the value at a path of the record."""
        if self.points_at_record(path, value) and not is_nested(value):
            return Kind.REFERENCE
        kind = self._kind_of_field(path[0], value) if len(path) == 1 else kind_of_value(value)
        # A field named like a reference that references no record is a text like others.
        return kind_of_value(value) if kind is Kind.REFERENCE else kind

    def _kind_of_field(self, name: str | int, value: Json | Absent) -> Kind:
        kind = self.kind_of(str(name))
        # The value tells its kind until a record was seen that does.
        return kind_of(str(name), [value]) if kind is Kind.NULL and not isinstance(value, Absent) else kind


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """A drawn line; `truncated` if it shows only the beginning of its value."""

    content: Content
    truncated: bool = False

    @property
    def rows(self) -> int:
        """The number of rows of the line."""
        return self.content.plain.count("\n") + 1


def label_cells(lines: Sequence[OutlineLine], cells: int) -> int:
    """Return the width of the labels of these lines, of `cells` in all: values matter more than the end of a name."""
    entries = (line for line in lines if isinstance(line, OutlineEntry))
    widest = max((measure(_label_text(entry.path)) for entry in entries), default=0)
    room = max(_SHORT_LABEL_CELLS, cells - LABEL_GAP_CELLS - _TIME_CELLS)
    return min(max(widest, _LABEL_CELLS.start), _LABEL_CELLS.stop, room)


def number_indents(lines: Sequence[OutlineLine], value_format: ValueFormat) -> list[int]:
    """Return the cells before the value of each line that align the points of numbers next to each other."""
    indents = [0] * len(lines)
    if not value_format.raw:
        for _, run in groupby(enumerate(lines), key=lambda place: _number_group(place[1], value_format)):
            wholes = {at: _whole_cells(line, value_format) for at, line in run if _is_number(line, value_format)}
            widest = max(wholes.values(), default=0)
            for at, cells in wholes.items():
                indents[at] = widest - cells if widest <= _MAX_WHOLE_CELLS else 0
    return indents


def _is_number(line: OutlineLine, value_format: ValueFormat) -> TypeGuard[OutlineEntry]:
    """Return True if the line is a number without an exponent, and no id."""
    if not isinstance(line, OutlineEntry) or not isinstance(line.value, Number) or "e" in line.value.text.lower():
        return False
    return value_format.kind(line.path, line.value) is Kind.NUMBER


def _number_group(line: OutlineLine, value_format: ValueFormat) -> Path | None:
    """Return the path around a number, or around a null that may be one; None for other values."""
    if isinstance(line, OutlineEntry) and (line.value is None or _is_number(line, value_format)):
        return line.path[:-1]
    return None


def _whole_cells(line: OutlineEntry, value_format: ValueFormat) -> int:
    """Return the cells of a number before its point."""
    return measure(value_format.seen(line.path, line.value).text.partition(".")[0])


def draw_line(
    line: OutlineLine,
    draft: Draft,
    value_format: ValueFormat,
    unfolded: bool,
    label: int,
    cells: int,
    *,
    indent: int = 0,
    typed_field: str = "",
) -> RenderedLine:
    """Draw a line of the draft's record in `cells` cells, of which labels take `label`, the value after `indent` cells.

    The new value of the `typed_field` is being typed into its editor.
    """
    match line:
        case GroupGap():
            return RenderedLine(Content())
        case MoreItems(path, count, _):
            place = "  " * min(len(path), _MAX_INDENT)
            return RenderedLine(styled(f"{place} … {count:,} more · enter shows more", "$role-muted"))
        case OutlineCut():
            return RenderedLine(styled(" … too many fields to show here. The JSON tab shows all.", "$role-muted"))
        case _:
            return _draw_entry(line, draft, value_format, unfolded, label, cells, indent, typed_field)


def _draw_entry(
    entry: OutlineEntry,
    draft: Draft,
    value_format: ValueFormat,
    unfolded: bool,
    label: int,
    cells: int,
    indent: int,
    typed_field: str,
) -> RenderedLine:
    name = entry.path[0]
    changed = len(entry.path) == 1 and name in draft.edits
    is_marked = changed or entry.path == (typed_field,)
    twice = isinstance(fields := draft.base.fields, RepeatedNames) and str(name).partition(" (")[0] in fields.repeated
    style = "$role-changed" if is_marked else "$role-warning" if twice else "$role-muted"
    head = Content.assemble(
        ("*" if is_marked else " ", "$role-changed bold"),
        (pad(_label_text(entry.path), label), style),
        " " * (LABEL_GAP_CELLS - 1 + indent),
    )
    head = _highlight_matches(head, value_format)
    fold = ("▾ " if unfolded else "▸ ") if entry.nested else ""
    room = max(_MIN_VALUE_CELLS, cells - head.cell_length - len(fold))
    seen = value_format.seen(entry.path, entry.value, room)
    value_style = "$role-changed" if changed else f"$role-{seen.role}"
    rows, held = wrap_text(seen.text, room, MAX_VALUE_ROWS)
    parts = [_highlight_matches(Content.styled(row, value_style), value_format) for row in rows]
    parts[0] = Content(fold) + parts[0]
    if is_nested(entry.value) and _holds_reference(entry, value_format):
        parts[0] += Content.styled(" →", "$role-reference")
    if changed:
        old = value_format.seen(entry.path, draft.base.fields.get(str(name), ABSENT))
        was = Content.styled(
            shorten(visible(old.text[:_MAX_NAME_CHARACTERS]), min(_MAX_OLD_VALUE_CELLS, room)) or "not set",
            "$role-muted strike",
        )
        if parts[-1].cell_length + 2 + was.cell_length <= room:
            parts[-1] += Content("  ") + was
        else:
            parts.append(was)
        if name in draft.untaken:
            parts += (
                Content.styled(row, "$role-warning") for row in wrap_text(NOT_TAKEN_NOTE, room, MAX_VALUE_ROWS)[0]
            )
    truncated = held < len(seen.text)
    if truncated:
        more = f"… {len(seen.text) - held:,} more, "
        words = "enter shows all"
        parts.append(Content.styled(f"{more if len(more + words) <= room else '… '}{words}", "$role-muted"))
    hang = Content(" " * head.cell_length)
    return RenderedLine(Content("\n").join([head + parts[0], *(hang + part for part in parts[1:])]), truncated)


def _holds_reference(entry: OutlineEntry, value_format: ValueFormat) -> bool:
    """Return True if an object, or the first item of a list, references a record."""
    value = entry.value
    if isinstance(value, Mapping):
        return value_format.points_at_record(entry.path, value)
    return isinstance(value, Sequence) and bool(value) and value_format.points_at_record((*entry.path, 0), value[0])


def _label_text(path: Path) -> str:
    step = path[-1]
    name = visible(step[:_MAX_NAME_CHARACTERS]) if isinstance(step, str) else f"{step}"
    return "  " * min(len(path) - 1, _MAX_INDENT) + name


def _highlight_matches(content: Content, value_format: ValueFormat) -> Content:
    """Return the content with the matches highlighted."""
    for start, end in places_of(content.plain, value_format.sought):
        content = content.stylize("$role-background on $role-marked", start, end)
    return content


def with_search(value_format: ValueFormat, needle: str) -> ValueFormat:
    """Return the format with the matches of `needle` highlighted, whatever their case and accents; "" for none."""
    return replace(value_format, sought=fold(needle))
