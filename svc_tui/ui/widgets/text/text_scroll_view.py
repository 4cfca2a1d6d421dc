"""Rows of a text that scrolls: moving about, wrapping, and the room that the rows in view need."""

import asyncio
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.worker import Worker

from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows

LARGE_TEXT = 1_000_000
"""Characters from which the rows of a text are found anew in a thread."""

_SCROLL_COLUMNS = 8
_MIN_CELLS = 8


class TextScrollView(ScrollView, can_focus=True, inherit_bindings=False):
    """Holds the rows of one text; moving about changes nothing but what is in view.

    Horizontal room grows with the widest row that was in view, so that no row need be measured before it is seen; a
    view that wraps has none. A row of the text stands on a line of the view, the same one unless a subclass hides some.
    """

    DEFAULT_CSS = """
    TextScrollView {
        width: 1fr;
        height: 1fr;
        overflow-x: auto;
        overflow-y: auto;
        scrollbar-size-horizontal: 0;
        scrollbar-size-vertical: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False, id="text.up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="text.down"),
        Binding("left,h", "sidestep(-1)", "Left", show=False, id="text.left"),
        Binding("right,l", "sidestep(1)", "Right", show=False, id="text.right"),
        Binding("pageup", "page_up", "Page up", show=False, id="text.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="text.page_down"),
        Binding("home,g", "top", "First line", show=False, id="text.first"),
        Binding("end,G", "bottom", "Last line", show=False, id="text.last"),
    ]

    def __init__(self, *, wrap: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        """Make the view; with `wrap`, rows are as long as the view is wide."""
        super().__init__(id=id)
        self._wrap = wrap
        if wrap:
            # A scroll bar that comes with the text takes nothing from the rows.
            self.styles.scrollbar_gutter = "stable"
        self._wrapped_at = 0
        self._wrapping: Worker[None] | None = None
        self._rows = TextRows("")

    @property
    def text(self) -> str:
        """The whole text, as given."""
        return self._rows.text

    def _set_rows(self, rows: TextRows) -> None:
        """Take the rows of another text."""
        if self._wrapping is not None:
            self._wrapping.cancel()
        self._rows = rows

    def _in_rows(self, text: str) -> TextRows:
        return TextRows(text, self._cells)

    async def _split_in_thread(self, text: str) -> TextRows:
        """The text's rows, as long as the view is wide when they have been found."""
        while True:
            cells = self._cells
            rows = await asyncio.to_thread(TextRows, text, cells)
            if cells == self._cells:
                return rows

    @property
    def _cells(self) -> int | None:
        """The cells of a row; None where rows are as long as the text's lines.

        Out of sight a view has no width: it keeps the one it had. One that was never seen has none to wrap to yet.
        """
        width = (self.scrollable_content_region.width or self._wrapped_at) if self._wrap else 0
        return max(_MIN_CELLS, width) if width else None

    def _refresh_rows(self) -> None:
        """Redraw after the rows, or those hidden, have changed."""
        self.virtual_size = Size(0, self._line_count)
        self._measure_view()
        self.refresh()

    # Rows and lines

    @property
    def _line_count(self) -> int:
        return len(self._rows)

    def _row_on(self, line: int) -> int:
        """The row that stands on a line of the view."""
        return line

    def _line_of(self, row: int) -> int:
        """The line of the view on which a row stands; one that is hidden is brought out for it."""
        return row

    # Moving

    @property
    def _top_offset(self) -> int:
        """Where the top row in view begins in the text."""
        return self._rows.offset_of(self._row_on(self.scroll_offset.y))

    def _scroll_to_offset(self, offset: int) -> None:
        """Scroll to a character of the text."""
        row, place = self._rows.row_at(offset)
        line = self._line_of(row)
        column = measure(visible(self._rows[row][:place]))
        self._widen(line, line + 1)
        x, width = self.scroll_offset.x, self.size.width
        sideways = None if x <= column < x + width else max(0, column - width // 2)
        top = self.scroll_offset.y
        upright = None if top <= line < top + self.size.height else max(0, line - self.size.height // 3)
        if sideways is not None or upright is not None:
            self.scroll_to(sideways, upright, animate=False, force=True)

    def action_scroll_up(self) -> None:
        """Scroll one row up."""
        self.scroll_relative(y=-1, animate=False, force=True)

    def action_scroll_down(self) -> None:
        """Scroll one row down."""
        self.scroll_relative(y=1, animate=False, force=True)

    def action_page_up(self) -> None:
        """Scroll a page up."""
        self.scroll_relative(y=-max(1, self.size.height - 1), animate=False, force=True)

    def action_page_down(self) -> None:
        """Scroll a page down."""
        self.scroll_relative(y=max(1, self.size.height - 1), animate=False, force=True)

    def action_sidestep(self, direction: int) -> None:
        """A few columns to the left (-1) or to the right (1)."""
        self.scroll_relative(x=direction * _SCROLL_COLUMNS, animate=False, force=True)

    def action_top(self) -> None:
        """Scroll to the first row."""
        self.scroll_to(0, 0, animate=False, force=True)

    def action_bottom(self) -> None:
        """Scroll to the last row."""
        self.scroll_to(0, self.max_scroll_y, animate=False, force=True)

    # Room

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Make room for rows that come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._measure_view()

    def on_resize(self) -> None:
        """Make room for rows that a larger view takes in."""
        self._measure_view()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Wrap the rows to the new width before they are painted; the top one stays. `Resize` comes only after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self._wrap and self.scrollable_content_region.width not in (0, self._wrapped_at):
            self._wrapped_at = self.scrollable_content_region.width
            if len(self.text) < LARGE_TEXT:
                self._take_rows(self._in_rows(self.text))
            else:
                self._wrapping = self._wrap_in_thread()
        return changed

    def _take_rows(self, rows: TextRows) -> None:
        """Show the same text in other rows, the top one staying there."""
        top = self._top_offset
        self._rows = rows
        self._refresh_rows()
        self.scroll_to(0, self._line_of(self._rows.row_at(top)[0]) if top else 0, animate=False, force=True)

    @work(exclusive=True, group="rows")
    async def _wrap_in_thread(self) -> None:
        self._take_rows(await self._split_in_thread(self.text))

    def _measure_view(self) -> None:
        top = self.scroll_offset.y
        self._widen(top, top + self.size.height)

    def _widen(self, first: int, until: int) -> None:
        if self._wrap:
            return
        widest = max((measure(visible(row)) for row in self._rows.between(first, until)), default=0)
        if widest > self.virtual_size.width:
            self.virtual_size = Size(widest, self._line_count)
