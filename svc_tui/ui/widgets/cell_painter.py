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

GAP = 2
"""Empty cells between columns; the mark of a changed cell may take the first."""

WAITING = "┄┄┄"

_PREFIX = re.compile(r"[A-Za-z]{1,12}[-_:]+(?=.)")


@dataclass(frozen=True, slots=True)
class CellPainter:
    """Paints cells in the styles it is given, one for each of ROLES; times are shown in `tz`."""

    styles: Mapping[str, Style]
    tz: tzinfo = UTC

    def cell(self, column: Column, record: Record, draft: Draft | None, over: Style | None = None) -> list[Segment]:
        """The cell and the gap after it, with the draft's value in place of the record's.

        `over` is put over the cell alone, for the cursor.
        """
        changed = draft is not None and column.name in draft.edits
        value = draft.value(column.name) if draft is not None else record.fields.get(column.name, ABSENT)
        text, role = self._shown(column, value)
        style, after = self.styles[role], _AFTER
        if changed:
            # The mark stands right after the value; where that fills the column, in the gap.
            end = len(text.rstrip())
            text, after = f"{text[:end]}*{text[end:]}", _AFTER_MARK
            style = self.styles["changed"]
        if over is not None:
            return [Segment(text, style + over), after]
        if column.kind is Kind.ID and not changed and (prefix := _PREFIX.match(text)):
            cut = prefix.end()
            return [Segment(text[:cut], self.styles["muted"]), Segment(text[cut:], style), after]
        return [Segment(text, style), after]

    def waiting(self, column: Column, over: Style | None = None) -> list[Segment]:
        """The cell of a row that has not come yet."""
        style = self.styles["muted"] + Style(dim=True)
        text = padded(WAITING, column.width, right=column.right)
        return [Segment(text, style if over is None else style + over), _AFTER]

    def header(self, column: Column, style: Style) -> list[Segment]:
        """The column's name, placed as its values are."""
        return [Segment(padded(visible(column.name), column.width, right=column.right), style), _AFTER]

    def _shown(self, column: Column, value: Json | Absent) -> tuple[str, str]:
        shown = display(value, column.kind, tz=self.tz)
        # A long text is cut before it is looked at character by character.
        text = visible(shown.text[: 8 * column.width + 8])
        if column.right:
            on_point = aligned(text, column)
            text = padded(on_point if measure(on_point) <= column.width else text, column.width, right=True)
        else:
            text = padded(text, column.width)
        return text, shown.role if shown.role in self.styles else "text"


_AFTER = Segment(" " * GAP)
_AFTER_MARK = Segment(" " * (GAP - 1))
