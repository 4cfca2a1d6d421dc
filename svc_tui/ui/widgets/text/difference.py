"""Old and new values of fields below each other, with the part that differs emphasised."""

from collections.abc import Mapping, Sequence

from textual.content import Content

from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, loads
from svc_tui.core.visible_text import field_label
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.text.labeled_rows import LabeledRow, label_cells, label_rows

_MAX_VALUE_CHARACTERS = 600
"""Characters of a value that are shown."""
_MIN_ELIDED_CHARACTERS = 160
"""Equal characters beside a difference from which only the nearest are shown."""
_MIN_COMMON_SHARE = 0.25
"""The share of the shorter text that both must begin or end with for only the middle to be emphasised."""
_CONTEXT_CHARACTERS = 60
"""Equal characters that are shown beside a difference."""


NOT_TAKEN_NOTE = "the service did not save this value"
"""The remark on an edit for which the service returned another value."""


def value_text(value: Json | Absent) -> str:
    """Return a value for reading: a text without quotes, unless it could be taken for another value."""
    if not isinstance(value, str) or not value or value != value.strip() or value == json_or_unset(ABSENT):
        return json_or_unset(value)
    if value[0] in '"[{':
        return json_or_unset(value)
    try:
        loads(value)
    except JsonError:
        return value
    return json_or_unset(value)


def change_rows(changes: Sequence[FieldChange], remarks: Mapping[str, str] | None = None) -> list[LabeledRow]:
    """Return a row for each change: its `-` and `+` lines, and below them the remark about it."""
    rows = []
    for change in changes:
        old, new = _emphasize_difference(value_text(change.old), value_text(change.new))
        lines = [Content.assemble(("- ", "$role-danger"), old), Content.assemble(("+ ", "$role-ok"), new)]
        if change.untaken:
            lines.append(Content.styled(f"! {NOT_TAKEN_NOTE}", "$role-warning"))
        if remark := (remarks or {}).get(change.name):
            lines.append(styled(f"! {remark}", "$role-warning"))
        rows.append((field_label(change.name), Content("\n").join(lines)))
    return rows


def diff_content(changes: Sequence[FieldChange]) -> Content:
    """Return the changes as `-` and `+` lines beside the names of their fields."""
    rows = change_rows(changes)
    return label_rows(rows, label_cells(rows))


def _emphasize_difference(old: str, new: str) -> tuple[Content, Content]:
    """Return both values, what lies between their common beginning and end emphasised."""
    old, new = visible(old), visible(new)
    start, end = common_ends(old, new)
    return _emphasize_middle(old, start, end, "$role-danger"), _emphasize_middle(new, start, end, "$role-ok")


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts both begin with, and how many of the rest they both end with.

    Both are 0 where that is little of either text: a letter that two sentences begin with is no common part.
    """
    start, shorter = _common_prefix_length(old, new), min(len(old), len(new))
    end = min(_common_prefix_length(old[::-1], new[::-1]), shorter - start)
    return (start, end) if _MIN_COMMON_SHARE * shorter <= start + end else (0, 0)


def _common_prefix_length(left: str, right: str) -> int:
    """Return the number of characters that both begin with."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _emphasize_middle(text: str, start: int, end: int, style: str) -> Content:
    """Return the text, its middle emphasised; a long beginning or end is cut to what is next to the middle."""
    until = len(text) - end
    before, after = (text[:start], style), (text[until:], style)
    cut_before = cut_after = ("", "$role-muted")
    if start > _MIN_ELIDED_CHARACTERS:
        cut_before = (f"… {start - _CONTEXT_CHARACTERS:,} characters the same … ", "$role-muted")
        before = (text[start - _CONTEXT_CHARACTERS : start], style)
    if end > _MIN_ELIDED_CHARACTERS:
        cut_after = (f" … {end - _CONTEXT_CHARACTERS:,} characters the same …", "$role-muted")
        after = (text[until : until + _CONTEXT_CHARACTERS], style)
    middle = (_truncate(text[start:until]), f"{style} bold underline")
    return Content.assemble(cut_before, before, middle, after, cut_after)


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[:_MAX_VALUE_CHARACTERS]}… ({len(text):,} characters)"
