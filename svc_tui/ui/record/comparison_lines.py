"""How a compared field looks on one line: a mark, its name, and its value on both sides."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content

from svc_tui.core.differences import DifferenceKind
from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps
from svc_tui.core.kinds import MASKED
from svc_tui.core.outline import Path, at_path, is_nested
from svc_tui.core.record_comparison import ComparedField, RecordComparison
from svc_tui.ui.text import ELLIPSIS, field_label, measure, pad, shorten, shorten_left, visible
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.text.difference import common_ends

MARKS: Mapping[DifferenceKind, tuple[str, str]] = {
    DifferenceKind.CHANGED: ("≠", "$role-changed"),
    DifferenceKind.ADDED: ("+", "$role-ok"),
    DifferenceKind.GONE: ("-", "$role-danger"),
    DifferenceKind.SAME: (" ", "$role-muted"),
}
"""The mark of each kind of difference, and its style."""

NOT_SET, NOT_RECORDED = "not set", "not recorded"
"""What stands where a record has no such field; and where nobody knows what it had."""

_MIN_NAME_CELLS, _MAX_NAME_SHARE = 8, 0.36
_MARK_CELLS, _GAP_CELLS = 2, 2
_CONTEXT_CELLS = 8
"""Cells of what both sides begin with that stay in view before what differs."""
_MAX_CHARACTERS = 4_000
"""Characters of a value that are looked at for its line."""


@dataclass(frozen=True, slots=True)
class ComparisonColumns:
    """The cells of a line's columns: the name, the value on the left and the one on the right."""

    name: int
    left: int
    right: int

    @classmethod
    def of(cls, comparison: RecordComparison, cells: int) -> "ComparisonColumns":
        """The columns for these fields on lines of so many cells."""
        room = max(0, cells - _MARK_CELLS - 2 * _GAP_CELLS)
        widest = max((measure(field_label(field.name)) for field in comparison.fields), default=0)
        name = min(max(widest, _MIN_NAME_CELLS), int(room * _MAX_NAME_SHARE))
        left = (room - name) // 2
        return cls(name, left, room - name - left)

    def head(self, name: str, left: Content, right: Content) -> Content:
        """The line above the fields."""
        gap = " " * _GAP_CELLS
        return Content.assemble(
            " " * _MARK_CELLS,
            (pad(name, self.name), "$role-muted"),
            gap,
            left.truncate(self.left, ellipsis=True, pad=True),
            gap,
            right.truncate(self.right, ellipsis=True, pad=True),
        )


def comparison_line(
    field: ComparedField,
    left: Mapping[str, Json],
    right: Mapping[str, Json],
    value_format: ValueFormat,
    columns: ComparisonColumns,
) -> Content:
    """A field with its values in the two records, as these may be seen; what differs between the values emphasised."""
    mark, style = MARKS[field.kind] if field.known else ("?", "$role-muted")
    values = _value(left, field.left), _value(right, field.right)
    paths = field.left or field.right or (), field.right or field.left or ()
    texts = [_seen(value_format, path, value, columns.left) for path, value in zip(paths, values, strict=True)]
    if field.differs and texts[0][0] == texts[1][0] and texts[0][0] != MASKED:
        # Shown as people read them, a second or a type more or less can't be told.
        texts = [(visible(_json(value)), role) for value, (_, role) in zip(values, texts, strict=True)]
    if not field.known:
        texts[0] = (NOT_RECORDED, "muted")
    start, end = 0, 0
    if field.kind is DifferenceKind.CHANGED:
        start, end = common_ends(texts[0][0], texts[1][0])
    both = field.kind is DifferenceKind.CHANGED and start + end > 0
    gap = " " * _GAP_CELLS
    return Content.assemble(
        (f"{mark} ", f"{style} bold" if field.differs else style),
        (pad(shorten_left(field_label(field.name), columns.name), columns.name), style),
        gap,
        _cell(*texts[0], columns.left, (start, end) if both else None, muted=not field.differs),
        gap,
        _cell(*texts[1], columns.right, (start, end) if both else None, muted=not field.differs),
    )


def _value(fields: Mapping[str, Json], path: Path | None) -> Json | Absent:
    return ABSENT if path is None else at_path(fields, path)


def _json(value: Json | Absent) -> str:
    return NOT_SET if isinstance(value, Absent) else dumps(value)[:_MAX_CHARACTERS]


def _seen(value_format: ValueFormat, path: Path, value: Json | Absent, cells: int) -> tuple[str, str]:
    """The value in words, and its role."""
    if isinstance(value, Absent):
        return NOT_SET, "muted"
    seen = value_format.seen(path, value, cells)
    if is_nested(value) and value:
        return visible(_json(value)), seen.role
    return visible(seen.text[:_MAX_CHARACTERS]), seen.role


def _cell(text: str, role: str, cells: int, common: tuple[int, int] | None, *, muted: bool) -> Content:
    """A value in exactly `cells` cells; `common` tells how much of its two ends the other value has too."""
    style = "$role-muted" if muted else f"$role-{role}"
    if common is None:
        return Content.styled(pad(text, cells), style)
    start, until = common[0], len(text) - common[1]
    if measure(text) > cells and measure(text[: start + 1]) > cells - _CONTEXT_CELLS:
        # What differs lies beyond the end of the cell: begin shortly before it.
        cut = max(0, start - _CONTEXT_CELLS)
        text = ELLIPSIS + text[cut:]
        start, until = start - cut + 1, until - cut + 1
    shown = shorten(text, cells)
    content = Content.styled(pad(shown, cells), style)
    return content.stylize("bold underline", min(start, len(shown)), min(max(until, start), len(shown)))
