"""One record's value in one column, as styled cells of exactly the column's width."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from rich.segment import Segment
from rich.style import Style

from svc_tui.domain.columns import Column, aligned
from svc_tui.domain.draft import ABSENT, Absent, Draft
from svc_tui.domain.jsontext import Json
from svc_tui.domain.records import Record
from svc_tui.domain.values import Kind, display
from svc_tui.ui.text import measure, padded, visible

ROLES = ("muted", "number", "time", "reference", "text", "ok", "warning", "danger", "changed")
"""The roles that a cell can have."""

WAITING = "┄┄┄"

_PREFIX = re.compile(r"[A-Za-z]{1,12}[-_:]+(?=.)")
_DIM = Style(dim=True)


@dataclass(frozen=True, slots=True)
class CellPainter:
    """Paints cells upon `base` in the styles of the roles, times in `tz`.

    `gap` is the number of empty cells that follow a cell; the mark of a changed one may take the first of them.
    `over` is put over the cell alone, for the cursor.
    """

    base: Style
    styles: Mapping[str, Style]
    tz: tzinfo = UTC

    def cell(
        self, column: Column, gap: int, record: Record, draft: Draft | None = None, over: Style | None = None
    ) -> list[Segment]:
        """The value as it is, or as the draft has it."""
        changed = draft is not None and column.name in draft.edits
        value = draft.value(column.name) if draft is not None else record.fields.get(column.name, ABSENT)
        text, role = self._shown(column, value)
        if changed and gap:
            # The mark stands right after the value; where that fills the column, in the gap.
            end = len(text.rstrip())
            text, role, gap = f"{text[:end]}*{text[end:]}", "changed", gap - 1
        style = self.styles[role]
        if over is not None:
            return [Segment(text, style + over), Segment(" " * gap, self.base)]
        if column.kind is Kind.ID and not changed and (prefix := _PREFIX.match(text)):
            cut = prefix.end()
            return [Segment(text[:cut], self.styles["muted"]), Segment(text[cut:] + " " * gap, style)]
        return [Segment(text + " " * gap, style)]

    def waiting(self, column: Column, gap: int, over: Style | None = None) -> list[Segment]:
        """The cell of a row that has not come yet."""
        text = padded(WAITING, column.width, right=column.right)
        style = self.styles["muted"] + _DIM
        return [Segment(text, style if over is None else style + over), Segment(" " * gap, self.base)]

    def header(self, column: Column, gap: int, style: Style) -> list[Segment]:
        """The column's name, placed as its values are."""
        return [Segment(padded(visible(column.name), column.width, right=column.right) + " " * gap, style)]

    def _shown(self, column: Column, value: Json | Absent) -> tuple[str, str]:
        shown = display(value, column.kind, tz=self.tz)
        # A long text is cut before it is looked at character by character.
        text = visible(shown.text[: 8 * column.width + 8])
        if column.right and measure(on_point := aligned(text, column)) <= column.width:
            text = on_point
        text = padded(text, column.width, right=column.right)
        return text, shown.role if shown.role in self.styles else "text"
