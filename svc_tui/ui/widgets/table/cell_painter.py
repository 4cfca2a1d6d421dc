"""The value of a record in a column, as styled cells of exactly the column's width."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from rich.segment import Segment
from rich.style import Style

from svc_tui.core.draft import Draft
from svc_tui.core.field_path import value_at
from svc_tui.core.filters import NO_FILTER, Filter
from svc_tui.core.folded_text import places_of
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.kinds import Kind, display_text, raw_text
from svc_tui.core.records import Record
from svc_tui.records.columns import Column, align_number
from svc_tui.ui.text import field_label, measure, pad, shorten, visible

CELL_ROLES = (
    "muted", "number", "time", "reference", "text", "ok", "warning", "danger", "changed", "marked", "news", "match",
)  # fmt: skip
"""The roles of cells."""

STRONG_ROLES = frozenset({"changed", "marked", "news", "match"})
"""The roles in bold."""

WAITING_TEXT = "┄┄┄"
MARKED_SIGN = "◆"
"""The sign after the first cell of a marked record."""
UNSENT_SIGN = "•"
"""The sign after the first cell of a record with unsent edits."""

_MAX_CELLS = 4096
"""Cells cached by their value: words, flags and references are the same in many rows."""

_ID_PREFIX = re.compile(r"[A-Za-z]{1,12}[-_:]+(?=.)")


@dataclass(frozen=True, slots=True)
class CellPainter:
    """The painter of cells: on `base` in the styles of the roles, times in `tz`, or all values `raw`.

    The matches of `filter` are highlighted.

    In its methods, `gap` is the number of empty cells after a cell: the sign of a change may take the first of them,
    the sign of a marked record the next. `over` is the style of the cursor, for the cell without its gap.
    """

    base: Style
    styles: Mapping[str, Style]
    tz: tzinfo = UTC
    raw: bool = False
    filter: Filter = NO_FILTER
    _cache: dict[tuple[int, Json | Absent], list[Segment]] = field(default_factory=dict, init=False, repr=False)

    def forget(self) -> None:
        """Clear the cached cells: the columns changed."""
        self._cache.clear()

    def plain_cell(self, index: int, column: Column, gap: int, value: Json | Absent) -> list[Segment]:
        """Return the cell of a value without signs in the column `index`; it is cached until `forget`."""
        if column.kind is Kind.ID or isinstance(value, dict | list):
            # Ids do not repeat, and nested values can't be hashed.
            return self._segments(column, gap, *self._shown(column, value))
        cell = self._cache.get((index, value))
        if cell is None:
            if len(self._cache) >= _MAX_CELLS:
                self._cache.clear()
            cell = self._cache[index, value] = self._segments(column, gap, *self._shown(column, value))
        return cell

    def cell(
        self,
        column: Column,
        gap: int,
        record: Record,
        draft: Draft | None = None,
        seen: Record | None = None,
        over: Style | None = None,
        *,
        first: bool = False,
        marked: bool = False,
        news: str = "",
    ) -> list[Segment]:
        """Return the cell of the value, or of the draft's value; the `first` cell of a record has the sign of a draft.

        `seen` is the record with its edits, masked; None if nothing is masked. A masked change has its sign, too.
        `marked` is True for the cell with the mark of its record; `news` is the sign of a change at the service, or "".
        """
        value, changed = value_at(record.fields, column.name), False
        if draft is not None:
            was, value = value_at(draft.base.fields, column.name), value_at(draft.fields, column.name)
            changed = value != was
        if seen is not None:
            value = value_at(seen.fields, column.name)
        text, role = self._shown(column, value)
        sign = "*" if changed else UNSENT_SIGN if first and draft is not None else "" if marked else news
        if sign and gap:
            # The sign is right after the value; in the gap if that fills the column.
            end = len(text.rstrip())
            text, role, gap = (
                f"{text[:end]}{sign}{text[end:]}",
                "changed" if sign in ("*", UNSENT_SIGN) else "news",
                gap - 1,
            )
        if marked:
            style = self.styles["marked"]
            room = (MARKED_SIGN + " " * gap)[:gap]
            return [*self._with_matches(column, text, style, over), *_gap_segments(room, style)]
        if over is not None:
            return [*self._with_matches(column, text, self.styles[role], over), *_gap_segments(" " * gap, self.base)]
        if sign:
            return self._with_matches(column, text + " " * gap, self.styles[role])
        return self._segments(column, gap, text, role)

    def _segments(self, column: Column, gap: int, text: str, role: str) -> list[Segment]:
        style = self.styles[role]
        if column.kind is Kind.ID and (prefix := _ID_PREFIX.match(text)):
            cut = prefix.end()
            starts = self._with_matches(column, text[:cut], self.styles["muted"])
            return [*starts, *self._with_matches(column, text[cut:] + " " * gap, style)]
        return self._with_matches(column, text + " " * gap, style)

    def _with_matches(self, column: Column, text: str, style: Style, over: Style | None = None) -> list[Segment]:
        """Return `text` in `style`, the matches of the filter in their own; `over` is put over all."""
        match_style = self.styles["match"]
        if over is not None:
            style, match_style = style + over, match_style + over
        segments, at = [], 0
        if self.filter:
            for start, end in sorted(
                place for word in self.filter.words_in(column.name) for place in places_of(text, word)
            ):
                if end > at:
                    segments += [Segment(text[at:start], style), Segment(text[max(at, start) : end], match_style)]
                    at = end
        return [*segments, Segment(text[at:], style)]

    def waiting(self, column: Column, gap: int, over: Style | None = None) -> list[Segment]:
        """Return the cell of a row that is not loaded yet."""
        text = pad(WAITING_TEXT, column.width, right=column.right)
        style = self.styles["muted"]
        return [Segment(text, style if over is None else style + over), *_gap_segments(" " * gap, self.base)]

    def header(self, column: Column, gap: int, style: Style, mark: str = "", zone: str = "") -> list[Segment]:
        """Return the column's name aligned as its values, with the `mark` after it, and the zone of times if it fits.

        If the name leaves no room for the mark, that is in the gap.
        """
        label = field_label(column.name)
        in_gap = bool(mark) and gap > 0 and measure(label) + 1 + measure(mark) > column.width
        within, behind = ("", mark) if in_gap else (mark, "")
        end = f" {within}" if within else ""
        name = shorten(label, column.width - measure(end)) + end
        zone_text = f" {zone}" if zone and column.kind is Kind.TIME and fits_zone(column, zone, within) else ""
        room = " " * (column.width - measure(name) - measure(zone_text))
        text, rest = (room + name, "") if column.right else (name, zone_text + room)
        return [Segment(text, style), Segment(rest, self.styles["muted"]), Segment(pad(behind, gap), style)]

    def _shown(self, column: Column, value: Json | Absent) -> tuple[str, str]:
        shown = raw_text(value, column.kind) if self.raw else display_text(value, column.kind, tz=self.tz)
        # Cut a long text before it is processed character by character.
        text = visible(shown.text[: 8 * column.width + 8])
        if column.kind is Kind.CHOICE and measure(text) > column.width and text[1:2] == " ":
            # The mark alone is clear; the beginning of a word may be that of another.
            text = text[0]
        if column.right and measure(on_point := align_number(text, column)) <= column.width:
            text = on_point
        text = pad(text, column.width, right=column.right)
        role = column.role or shown.role
        return text, role if role in self.styles else "text"


def _gap_segments(text: str, style: Style) -> list[Segment]:
    """Return the gap after a cell, if it has one."""
    return [Segment(text, style)] if text else []


def fits_zone(column: Column, zone: str, mark: str = "") -> bool:
    """Return True if the header of a column of times has room for the name of their zone."""
    return sum(map(measure, (field_label(column.name), zone, mark))) + (2 if mark else 1) <= column.width
