"""How the lines of a record look: titles of groups, labels left, values in one column, long texts cut with a word."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import TypeAlias

from textual.content import Content

from svc_tui.domain.data.kinds import Kind, Shown, as_it_came, display, kind_of, kind_of_value
from svc_tui.domain.data.outline import Cut, Entry, Line, More, Path, Title, is_nested
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json
from svc_tui.ui.text import measure, padded, shortened, shown, visible
from svc_tui.ui.widgets.text.difference import UNTAKEN
from svc_tui.ui.widgets.text.wrapping import wrapped

KindOf: TypeAlias = Callable[[str], Kind]
"""The kind of a field, told from all the records seen; NULL where none of them told."""

Leads: TypeAlias = Callable[[Path, Json | Absent], bool]
"""Whether the value at a path of the record points at another record."""

MOST_ROWS = 4
"""Rows that one value may take."""

_LABEL = range(6, 25)
"""Cells that labels may take."""
_NAME = 100
"""Characters of a name that are looked at."""
_DEEPEST = 8
"""Levels that are indented; what lies deeper stands under them, its path in the frame."""
_SHORT = 24
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Look:
    """How values are shown: kinds of fields, the zone of times, as they came or not, what leads on, what is sought."""

    kind_of: KindOf
    leads: Leads = lambda _path, _value: False
    tz: tzinfo = UTC
    raw: bool = False
    sought: re.Pattern[str] | None = None

    def seen(self, path: Path, value: Json | Absent) -> Shown:
        """The value in words; what is nested as the number of its items."""
        kind = self._kind(path, value)
        if is_nested(value) or not self.raw:
            return display(value, kind, tz=self.tz, arrow=True, zone=True)
        return as_it_came(value, kind)

    def _kind(self, path: Path, value: Json | Absent) -> Kind:
        if self.leads(path, value) and not is_nested(value):
            return Kind.REFERENCE
        kind = self._kind_of_field(path[0], value) if len(path) == 1 else kind_of_value(value)
        # A name like one of a reference that leads nowhere is a text like others.
        return kind_of_value(value) if kind is Kind.REFERENCE else kind

    def _kind_of_field(self, name: str | int, value: Json | Absent) -> Kind:
        kind = self.kind_of(str(name))
        # Before a record was seen that tells, the value does.
        return kind_of(str(name), [value]) if kind is Kind.NULL and not isinstance(value, Absent) else kind


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line, and whether more of its value is there than it shows."""

    content: Content
    cut: bool = False


def label_cells(lines: Sequence[Line]) -> int:
    """The cells that the labels of these lines take."""
    entries = (line for line in lines if isinstance(line, Entry))
    widest = max((measure(_label(entry.path)) for entry in entries), default=0)
    return min(max(widest, _LABEL.start), _LABEL.stop)


def drawn(line: Line, draft: Draft, look: Look, unfolded: bool, label: int, cells: int) -> Drawn:
    """A line of the draft's record in `cells` cells, of which labels take `label`."""
    match line:
        case Title(group):
            return Drawn(_rule(group.value, cells))
        case More(path, count, _):
            place = "  " * min(len(path), _DEEPEST)
            return Drawn(shown(f"{place} … {count:,} more, enter shows some", "$role-muted"))
        case Cut():
            return Drawn(shown(" … too much is unfolded to show more; the JSON tab has all of it", "$role-muted"))
        case _:
            return _entry(line, draft, look, unfolded, label, cells)


def _rule(title: str, cells: int) -> Content:
    line = f" {title} "
    return Content.assemble(("─", "$role-panel"), (line, "$role-muted"), ("─" * (cells - len(line) - 1), "$role-panel"))


def _entry(entry: Entry, draft: Draft, look: Look, unfolded: bool, label: int, cells: int) -> Drawn:
    name = entry.path[0]
    changed = len(entry.path) == 1 and name in draft.edits
    style = "$role-changed" if changed else "$role-muted"
    head = Content.assemble(
        ("*" if changed else " ", "$role-changed bold"), (padded(_label(entry.path), label), style), "  "
    )
    head = _marked(head, look)
    fold = ("▾ " if unfolded else "▸ ") if entry.nested else ""
    seen = look.seen(entry.path, entry.value)
    value_style = "$role-changed" if changed else f"$role-{seen.role}"
    room = max(_NARROWEST, cells - head.cell_length - len(fold))
    rows, held = wrapped(seen.text, room, MOST_ROWS)
    parts = [_marked(Content.styled(row, value_style), look) for row in rows]
    parts[0] = Content(fold) + parts[0]
    if is_nested(entry.value) and _leads_inside(entry, look):
        parts[0] += Content.styled(" →", "$role-reference")
    if changed:
        old = look.seen(entry.path, draft.base.fields.get(str(name), ABSENT))
        was = Content.styled(shortened(visible(old.text[:_NAME]), min(_SHORT, room)) or "not set", "$role-muted strike")
        if parts[-1].cell_length + 2 + was.cell_length <= room:
            parts[-1] += Content("  ") + was
        else:
            parts.append(was)
        if name in draft.untaken:
            parts += (Content.styled(row, "$role-warning") for row in wrapped(UNTAKEN, room, MOST_ROWS)[0])
    cut = held < len(seen.text)
    if cut:
        more = f"… {len(seen.text) - held:,} more, "
        words = "enter shows all"
        parts.append(Content.styled(f"{more if len(more + words) <= room else '… '}{words}", "$role-muted"))
    hang = Content(" " * head.cell_length)
    return Drawn(Content("\n").join([head + parts[0], *(hang + part for part in parts[1:])]), cut)


def _leads_inside(entry: Entry, look: Look) -> bool:
    """Whether an object, or the first item of a list, points at a record."""
    value = entry.value
    if isinstance(value, Mapping):
        return look.leads(entry.path, value)
    return isinstance(value, Sequence) and bool(value) and look.leads((*entry.path, 0), value[0])


def _label(path: Path) -> str:
    step = path[-1]
    name = visible(step[:_NAME]) if isinstance(step, str) else f"{step}"
    return "  " * min(len(path) - 1, _DEEPEST) + name


def _marked(content: Content, look: Look) -> Content:
    """The content with what is sought in it marked."""
    if look.sought is None:
        return content
    return content.highlight_regex(look.sought, style="$role-background on $role-marked")


def sought_in(look: Look, needle: str) -> Look:
    """The look with every place of `needle` marked, whatever its case; "" marks nothing."""
    return replace(look, sought=re.compile(re.escape(needle), re.IGNORECASE) if needle else None)
