"""Old and new values of fields, under each other, the part that differs emphasised."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from textual.content import Content

from svc_tui.domain.draft import Absent, FieldChange
from svc_tui.domain.jsontext import Json, dumps
from svc_tui.ui.text import shown, visible

_MOST = 600
"""Characters of one value that are compared and shown; a card is for reading."""


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
    return Content("\n").join(lines)


def _compared(old: str, new: str) -> tuple[Content, Content]:
    old, new = _cut(visible(old)), _cut(visible(new))
    old_parts: list[tuple[str, str]] = []
    new_parts: list[tuple[str, str]] = []
    for kind, old_from, old_until, new_from, new_until in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        emphasis = "" if kind == "equal" else " bold underline"
        old_parts.append((old[old_from:old_until], f"$role-danger{emphasis}"))
        new_parts.append((new[new_from:new_until], f"$role-ok{emphasis}"))
    return Content.assemble(*old_parts), Content.assemble(*new_parts)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text):,} characters)"
