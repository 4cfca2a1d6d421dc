"""Old and new values of fields, under each other, the part that differs emphasised."""

from collections.abc import Mapping, Sequence

from textual.content import Content

from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.ui.text import styled, visible

_MAX_VALUE_CHARACTERS = 600
"""Characters of one value that are compared and shown; a card is for reading."""


NOT_TAKEN_NOTE = "the service did not save this value"
"""What is said of an edit that the service answered with another value."""


def diff_content(changes: Sequence[FieldChange], remarks: Mapping[str, str] | None = None) -> Content:
    """The changes as `-` and `+` lines, a field's name above each pair, and below it what is remarkable about it."""
    lines: list[Content] = []
    for change in changes:
        old, new = _emphasize_difference(json_or_unset(change.old), json_or_unset(change.new))
        lines.append(styled(change.name, "bold"))
        lines.append(Content.assemble(("- ", "$role-danger"), old))
        lines.append(Content.assemble(("+ ", "$role-ok"), new))
        if change.untaken:
            lines.append(Content.styled(f"  {NOT_TAKEN_NOTE}", "$role-warning"))
        if remark := (remarks or {}).get(change.name):
            lines.append(styled(f"! {remark}", "$role-warning"))
    return Content("\n").join(lines)


def _emphasize_difference(old: str, new: str) -> tuple[Content, Content]:
    """Both values, what lies between their common beginning and end emphasised."""
    old, new = _truncate(visible(old)), _truncate(visible(new))
    start, end = common_ends(old, new)
    return _emphasize_middle(old, start, end, "$role-danger"), _emphasize_middle(new, start, end, "$role-ok")


def common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts both begin with, and how many of the rest they both end with."""
    start = _common_prefix_length(old, new)
    return start, min(_common_prefix_length(old[::-1], new[::-1]), len(old) - start, len(new) - start)


def _common_prefix_length(left: str, right: str) -> int:
    """The number of characters that both begin with."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _emphasize_middle(text: str, start: int, end: int, style: str) -> Content:
    until = len(text) - end
    return Content.assemble(
        (text[:start], style), (text[start:until], f"{style} bold underline"), (text[until:], style)
    )


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[:_MAX_VALUE_CHARACTERS]}… ({len(text):,} characters)"
