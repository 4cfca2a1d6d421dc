"""Rows of labels and values, each in a column."""

from collections.abc import Sequence
from typing import TypeAlias

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from svc_tui.ui.text import measure, pad

LabeledRow: TypeAlias = tuple[str, Content]
"""A visible label and its value."""

LABEL_CELLS = 11
"""Cells of the labels, with the gap behind them."""
_MAX_LABEL_CELLS = 24
_SIGNS = ("- ", "+ ", "! ")
"""Signs before a value; its wrapped lines are indented to the value, not to the sign."""


def label_cells(rows: Sequence[LabeledRow]) -> int:
    """Return how many cells the labels of `rows` take, with the gap behind them."""
    widest = max((measure(label) for label, _ in rows), default=0)
    return min(max(LABEL_CELLS, widest + 2), _MAX_LABEL_CELLS)


def label_rows(rows: Sequence[LabeledRow], cells: int, width: int | None = None) -> Content:
    """Return the rows with labels of so many `cells`, wrapped to `width` within the column of the values."""
    lines: list[Content] = []
    for label, value in rows:
        start = Content.styled(f"{pad(label, cells - 1)} ", "$role-muted")
        for line in value.split(allow_blank=True):
            sign = line[:2] if line.plain[:2] in _SIGNS else Content()
            rest = line[len(sign.plain) :]
            room = None if width is None else max(1, width - cells - len(sign.plain))
            for part in [rest] if room is None else rest.wrap(room):
                lines.append(Content.assemble(start, sign, part))
                start, sign = Content(" " * cells), Content(" " * len(sign.plain))
    return Content("\n").join(lines)


class LabeledRows(Widget):
    """A view of rows, with their labels in a column of `cells`."""

    DEFAULT_CSS = "LabeledRows { height: auto; }"

    def __init__(self, rows: Sequence[LabeledRow], cells: int, widget_id: str) -> None:
        super().__init__(id=widget_id)
        self._rows, self._cells = rows, cells

    def update(self, rows: Sequence[LabeledRow]) -> None:
        """Replace the rows."""
        self._rows = rows
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines at this width."""
        return len(label_rows(self._rows, self._cells, width).split(allow_blank=True))

    def render(self) -> Content:
        """Return the rows wrapped to the width."""
        return label_rows(self._rows, self._cells, self.size.width)
