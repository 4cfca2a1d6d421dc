"""JSON of any size with a cursor: objects and lists fold and unfold in place, and matches are unfolded."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from svc_tui.core.indented_json import closing_of, opening_around, opening_on, path_on, value_on
from svc_tui.core.jsontext import Json
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows
from svc_tui.ui.widgets.text.text_view import Language, TextView


class HiddenRows:
    """Ranges of folded rows of a text, and the lines on which the other rows stand.

    A range is its first row and the one after its last; ranges inside others count once.
    """

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        apart: list[tuple[int, int]] = []
        for first, until in sorted(ranges):
            if not apart or first >= apart[-1][1]:
                apart.append((first, until))
        self._firsts = [first for first, _ in apart]
        self._untils = [until for _, until in apart]
        self._before = [0, *accumulate(until - first for first, until in apart)]
        # The line that the first row after a range would have.
        self._lines = [first - before for first, before in zip(self._firsts, self._before, strict=False)]

    @property
    def count(self) -> int:
        """The number of hidden rows."""
        return self._before[-1]

    def row_on(self, line: int) -> int:
        """Return the row that stands on a line."""
        return line + self._before[bisect_right(self._lines, line)]

    def line_of(self, row: int) -> int:
        """Return the line of a row; for a hidden one, that of the row above its range."""
        index = bisect_right(self._firsts, row)
        if index and row < self._untils[index - 1]:
            return self._firsts[index - 1] - 1 - self._before[index - 1]
        return row - self._before[index]


class FoldingJsonView(TextView):
    """A view of indented JSON, wrapped to its width.

    A fold is identified by the offset of its opening bracket in the text, so that it survives a change of the width.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"folding-json--cursor"}
    DEFAULT_CSS = """
    FoldingJsonView > .folding-json--cursor { background: $role-panel; }
    FoldingJsonView:focus > .folding-json--cursor { background: $cursor-line; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="json.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="json.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="json.page_up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="json.page_down"),
        Binding("home,g", "first", "First line", show=False, id="json.first"),
        Binding("end,G", "last", "Last line", show=False, id="json.last"),
        Binding("right,l", "unfold", "Expand", show=False, id="json.unfold", tooltip="Expand the object or list"),
        Binding("left,h", "fold", "Collapse", show=False, id="json.fold", tooltip="Collapse the object or list"),
        Binding(
            "enter",
            "turn",
            "Expand, collapse",
            show=False,
            id="json.turn",
            tooltip="Expand or collapse the object or list",
        ),
    ]

    line: reactive[int] = reactive(0)
    """The line of the view that the cursor is on."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(wrap=True, id=id)
        self._folds: dict[int, int] = {}
        self._hidden = HiddenRows()
        self._opening_rows: dict[int, int] = {}

    @property
    def cursor_node(self) -> tuple[str, Json] | None:
        """The JSONPath and the value under the cursor; None in a text that is not JSON."""
        if self._language != "json":
            return None
        return path_on(self.text, self._at), value_on(self.text, self._at)

    # Lines and rows

    def _show_rows(self, rows: TextRows, language: Language | None) -> None:
        self._folds = {}
        super()._show_rows(rows, language)
        self.line = 0

    def _refresh_rows(self) -> None:
        rows = {opening: self._rows.row_at(opening)[0] for opening in self._folds}
        self._opening_rows = {row: opening for opening, row in rows.items()}
        self._hidden = HiddenRows(
            (row + 1, self._rows.row_at(self._folds[opening])[0] + 1) for opening, row in rows.items()
        )
        super()._refresh_rows()
        self.line = self.line

    @property
    def _line_count(self) -> int:
        return len(self._rows) - self._hidden.count

    def _row_on(self, line: int) -> int:
        return self._hidden.row_on(line)

    def _line_of(self, row: int) -> int:
        offset = self._rows.offset_of(row)
        around = [opening for opening, closing in self._folds.items() if opening < offset <= closing]
        if around:
            for opening in around:
                del self._folds[opening]
            self._refresh_rows()
        return self._hidden.line_of(row)

    def _scroll_to_offset(self, offset: int) -> None:
        super()._scroll_to_offset(offset)
        self.line = self._line_of(self._rows.row_at(offset)[0])

    # Moving

    def validate_line(self, line: int) -> int:
        """Keep the cursor on a line."""
        return max(0, min(line, self._line_count - 1))

    def watch_line(self) -> None:
        """Bring the cursor's line into view."""
        top, height = self.scroll_offset.y, self.size.height
        if not top <= self.line < top + height:
            y = self.line if self.line < top else self.line - height + 1
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        self.refresh()

    def action_move(self, lines: int) -> None:
        """Move by lines."""
        self.line += lines

    def action_move_page(self, pages: int) -> None:
        """Move by as many lines as are in view."""
        self.line += pages * max(1, self.size.height - 1)

    def action_first(self) -> None:
        """Go to the first line."""
        self.line = 0

    def action_last(self) -> None:
        """Go to the last line."""
        self.line = self._line_count - 1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse; a click on the cursor's line folds or unfolds it."""
        line = self.scroll_offset.y + event.y
        if line == self.line:
            self.action_turn()
        self.line = line

    # Folding

    def action_turn(self) -> None:
        """Fold or unfold the object or list that begins on the cursor's line."""
        opening = self._opening_here()
        if opening is not None:
            self._set_folded(opening, opening not in self._folds)

    def action_unfold(self) -> None:
        """Unfold the object or list that begins on the cursor's line."""
        opening = self._opening_here()
        if opening in self._folds:
            self._set_folded(opening, False)

    def action_fold(self) -> None:
        """Fold the object or list that begins on the cursor's line, or else the one around it."""
        opening = self._opening_here()
        if self._language == "json" and (opening is None or opening in self._folds):
            opening = opening_around(self.text, self._at)
        if opening is not None:
            self._set_folded(opening, True)
            self.line = self._hidden.line_of(self._rows.row_at(opening)[0])

    def _set_folded(self, opening: int, folded: bool) -> None:
        if folded:
            self._folds[opening] = closing_of(self.text, opening)
        else:
            self._folds.pop(opening)
        self._refresh_rows()

    def _opening_here(self) -> int | None:
        """Return the offset of the bracket that opens on the cursor's line; None in a text that is not JSON."""
        return opening_on(self.text, self._at) if self._language == "json" else None

    @property
    def _at(self) -> int:
        """The offset in the text of the row under the cursor."""
        return self._rows.offset_of(self._row_on(self.line)) if self.text else 0

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Return the line `y` of the view, highlighted if the cursor is on it."""
        strip = super().render_line(y)
        if self.scroll_offset.y + y != self.line:
            return strip
        under = self.get_component_rich_style("folding-json--cursor")
        return Strip(Segment.apply_style(strip, post_style=Style(bgcolor=under.bgcolor)), strip.cell_length)

    def _draw_row(self, number: int, base: Style, selected: tuple[int, int] | None) -> Strip:
        strip = super()._draw_row(number, base, selected)
        opening = self._opening_rows.get(number)
        if opening is None:
            return strip
        return Strip([*strip, *self._fold_segments(opening, base)])

    def _fold_segments(self, opening: int, base: Style) -> Iterator[Segment]:
        """Return what stands for folded rows: the number of their lines, and the line that closes them."""
        closing = self._folds[opening]
        count = self.text.count("\n", opening, closing) - 1
        mark = base + self.get_component_rich_style("json-view--mark", partial=True)
        end = self.text.find("\n", closing)
        size_words = f" … {count:,} {'line' if count == 1 else 'lines'} "
        for text in (size_words, visible(self.text[closing : len(self.text) if end < 0 else end])):
            assert measure(text) == len(text)
            yield Segment(text, mark)
