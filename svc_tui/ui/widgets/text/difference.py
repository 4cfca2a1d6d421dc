"""Old and new values of fields, under each other, the part that differs emphasised."""

from collections.abc import Sequence

from textual.content import Content

from svc_tui.domain.editing.draft import FieldChange
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.ui.text import shown, visible

_MOST = 600
"""Characters of one value that are compared and shown; a card is for reading."""


UNTAKEN = "the service did not take it"
"""What is said of an edit that the service answered with another value."""


def written(value: Json | Absent) -> str:
    """A value as the request writes it, so that unset, null, "" and "null" can't be taken for each other."""
    return "not set" if isinstance(value, Absent) else dumps(value)


def difference(changes: Sequence[FieldChange]) -> Content:
    """The changes as `-` and `+` lines, a field's name above each pair."""
    lines: list[Content] = []
    for change in changes:
        old, new = _compared(written(change.old), written(change.new))
        lines.append(shown(change.name, "bold"))
        lines.append(Content.assemble(("- ", "$role-danger"), old))
        lines.append(Content.assemble(("+ ", "$role-ok"), new))
        if change.untaken:
            lines.append(Content.styled(f"  {UNTAKEN}", "$role-warning"))
    return Content("\n").join(lines)


def _compared(old: str, new: str) -> tuple[Content, Content]:
    """Both values, what lies between their common beginning and end emphasised."""
    old, new = _cut(visible(old)), _cut(visible(new))
    start, end = shared(old, new)
    return _emphasised(old, start, end, "$role-danger"), _emphasised(new, start, end, "$role-ok")


def shared(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts both begin with, and how many of the rest they both end with."""
    start = _beginning(old, new)
    return start, min(_beginning(old[::-1], new[::-1]), len(old) - start, len(new) - start)


def _beginning(left: str, right: str) -> int:
    """The number of characters that both begin with."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _emphasised(text: str, start: int, end: int, style: str) -> Content:
    until = len(text) - end
    return Content.assemble(
        (text[:start], style), (text[start:until], f"{style} bold underline"), (text[until:], style)
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text):,} characters)"
