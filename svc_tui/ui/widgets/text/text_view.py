"""A read-only view of JSON or other text of any size, coloured by role: only the rows in view are drawn."""

import asyncio
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.worker import Worker

from svc_tui.core.folded_text import fold, places_of
from svc_tui.core.jsontext import Json, dumps
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows

LARGE_TEXT = 1_000_000
"""Characters from which a text is wrapped and searched in a thread."""

_SCROLL_COLUMNS = 8
_MIN_CELLS = 8
_SEARCH_CHUNK = 1_000_000
_MAX_LETTER_CHARACTERS = 4
"""Characters that a letter with its combining marks takes at most, in any script."""

Language: TypeAlias = Literal["json", "headers"]
"""The language by which a text is coloured: JSON, or `Name: value` lines."""

_JSON_TOKENS = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"(?=\s*:))'
    r'|(?P<string>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<literal>\b(?:true|false|null)\b)"
    r"|(?P<mark>[{}\[\],:]+)"
)
_HEADER_NAME = re.compile(r"^(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z -]+):(?= |$)")
_PATTERNS = {"json": _JSON_TOKENS, "headers": _HEADER_NAME}

_TOKEN_CLASSES = {
    "name": "json-view--name",
    "string": "json-view--string",
    "number": "json-view--number",
    "literal": "json-view--literal",
    "mark": "json-view--mark",
}


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """A view of one text: its tokens and matches are coloured, and the mouse selects.

    The width to scroll over grows with the widest row that was in view, so that no row is measured before it is seen; a
    view that wraps does not scroll sideways. A row of the text stands on the line of the view with the same number,
    unless a subclass hides rows.
    """

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {*_TOKEN_CLASSES.values(), "json-view--found"}
    DEFAULT_CSS = """
    TextView {
        width: 1fr;
        height: 1fr;
        overflow-x: auto;
        overflow-y: auto;
        scrollbar-size-horizontal: 0;
        scrollbar-size-vertical: 1;
        color: $role-foreground;
        & > .json-view--name { color: $role-reference; }
        & > .json-view--string { color: $role-text; }
        & > .json-view--number { color: $role-number; }
        & > .json-view--literal { color: $role-accent; }
        & > .json-view--mark { color: $role-muted; }
        & > .json-view--found { color: $role-background; background: $role-marked; }
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
        """Wrap rows to the width of the view if `wrap` is True."""
        super().__init__(id=id)
        self._wrap = wrap
        if wrap:
            # A scroll bar that comes with the text takes nothing from the rows.
            self.styles.scrollbar_gutter = "stable"
        self._wrapped_at = 0
        self._wrapping: Worker[None] | None = None
        self._rows = TextRows("")
        self._language: Language | None = None
        self._strips: LRUCache[int, Strip] = LRUCache(512)
        self._needle = ""
        """The text searched for, folded."""
        self._matches: Sequence[int] = ()
        """The offsets of its matches in the text."""
        self._match: int | None = None
        """The match that was gone to last."""

    @property
    def text(self) -> str:
        """The whole text, as given."""
        return self._rows.text

    # What is shown

    def show_json(self, value: Json) -> None:
        """Show a value, indented, every number with its original digits."""
        self.show_text(dumps(value, indent=2), "json")

    def show_text(self, text: str, language: Language | None = None) -> None:
        """Show a text from its beginning; line ends may be of either kind."""
        self._show_rows(TextRows(text.replace("\r\n", "\n"), self._cells), language)

    async def show_text_in_thread(self, text: str, language: Language | None = None) -> None:
        """Show a text of any size: its rows are found in a thread, and the old text stays in view until then."""
        text = await asyncio.to_thread(text.replace, "\r\n", "\n")
        self._show_rows(await self._split_in_thread(text), language)

    def _show_rows(self, rows: TextRows, language: Language | None) -> None:
        if self._wrapping is not None:
            self._wrapping.cancel()
        self._rows, self._language = rows, language
        self._needle, self._matches, self._match = "", (), None
        self._refresh_rows()
        self.scroll_to(0, 0, animate=False, force=True, immediate=True)

    def _refresh_rows(self) -> None:
        """Redraw after the rows, or those hidden, have changed."""
        self._strips.clear()
        self.virtual_size = Size(0, self._line_count)
        self._measure_view()
        self.refresh()

    @property
    def _line_count(self) -> int:
        return len(self._rows)

    def _row_on(self, line: int) -> int:
        """Return the row that stands on a line of the view."""
        return line

    def _line_of(self, row: int) -> int:
        """Return the line of the view on which a row stands; a hidden row is shown first."""
        return row

    # Wrapping

    @property
    def _cells(self) -> int | None:
        """The cells of a row; None if rows are as long as the text's lines.

        A view that is not displayed has no width: it keeps the last one. One that was never displayed does not wrap.
        """
        width = (self.scrollable_content_region.width or self._wrapped_at) if self._wrap else 0
        return max(_MIN_CELLS, width) if width else None

    async def _split_in_thread(self, text: str) -> TextRows:
        """Return the text's rows, wrapped to the width that the view has in the end."""
        while True:
            cells = self._cells
            rows = await asyncio.to_thread(TextRows, text, cells)
            if cells == self._cells:
                return rows

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Wrap the rows to a new width before they are painted, since the `Resize` event comes after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self._wrap and self.scrollable_content_region.width not in (0, self._wrapped_at):
            self._wrapped_at = self.scrollable_content_region.width
            if len(self.text) < LARGE_TEXT:
                self._replace_rows(TextRows(self.text, self._cells))
            else:
                self._wrapping = self._wrap_in_thread()
        return changed

    @work(exclusive=True, group="rows")
    async def _wrap_in_thread(self) -> None:
        self._replace_rows(await self._split_in_thread(self.text))

    def _replace_rows(self, rows: TextRows) -> None:
        """Show the same text in other rows, scrolled to the same place."""
        top = self._top_offset
        self._rows = rows
        self._refresh_rows()
        self.scroll_to(0, self._line_of(self._rows.row_at(top)[0]) if top else 0, animate=False, force=True)

    # Moving

    @property
    def _top_offset(self) -> int:
        """The offset in the text of the top row in view."""
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
        """Scroll a few columns to the left (-1) or to the right (1)."""
        self.scroll_relative(x=direction * _SCROLL_COLUMNS, animate=False, force=True)

    def action_top(self) -> None:
        """Scroll to the first row."""
        self.scroll_to(0, 0, animate=False, force=True)

    def action_bottom(self) -> None:
        """Scroll to the last row."""
        self.scroll_to(0, self.max_scroll_y, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Make room for the widest row that comes into view."""
        super().watch_scroll_y(old_value, new_value)
        self._measure_view()

    def on_resize(self) -> None:
        """Make room for the widest row of a larger view."""
        self._measure_view()

    def _measure_view(self) -> None:
        top = self.scroll_offset.y
        self._widen(top, top + self.size.height)

    def _widen(self, first: int, until: int) -> None:
        if self._wrap:
            return
        widest = max((measure(visible(row)) for row in self._rows.between(first, until)), default=0)
        if widest > self.virtual_size.width:
            self.virtual_size = Size(widest, self._line_count)

    # Finding

    @property
    def match_position(self) -> tuple[int, int] | None:
        """The number of the current match, from 1, and of all matches; None without a search or matches."""
        if self._match is None:
            return None
        return bisect_right(self._matches, self._match), len(self._matches)

    def find(self, needle: str) -> bool:
        """Go to the first match from the top row on, ignoring case and accents; return False if there is none."""
        return self._show_matches(needle, find_offsets(self.text, needle))

    async def find_in_thread(self, needle: str) -> bool:
        """Search a text of any size in a thread, like `find`; return False too if another text is shown meanwhile."""
        text = self.text
        matches = await asyncio.to_thread(find_offsets, text, needle)
        return text is self.text and self._show_matches(needle, matches)

    def _show_matches(self, needle: str, matches: Sequence[int]) -> bool:
        self._needle, self._matches = fold(needle), matches
        self._match = None
        self._strips.clear()
        self.refresh()
        return self.find_next()

    def find_next(self) -> bool:
        """Go to the next match, after the last one to the first; return False if there is none."""
        at = self._top_offset - 1 if self._match is None else self._match
        return self._go_to(bisect_right(self._matches, at))

    def find_previous(self) -> bool:
        """Go to the previous match, before the first one to the last; return False if there is none."""
        at = self._top_offset if self._match is None else self._match
        return self._go_to(bisect_left(self._matches, at) - 1)

    def _go_to(self, number: int) -> bool:
        self._match = None
        if not self._matches:
            return False
        self._match = self._matches[number % len(self._matches)]
        self._scroll_to_offset(self._match)
        return True

    # Drawing

    def notify_style_update(self) -> None:
        """Redraw in the colours of a new theme."""
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """Return the row at line `y` of the view."""
        x, top = self.scroll_offset
        width, style = self.size.width, self.rich_style
        if top + y >= self._line_count:
            return Strip.blank(width, style)
        number = self._row_on(top + y)
        selected = self.text_selection
        if selected is not None and selected.get_span(number) is not None:
            strip = self._draw_row(number, style, selected.get_span(number))
        elif (cached := self._strips.get(number)) is not None:
            strip = cached
        else:
            strip = self._strips[number] = self._draw_row(number, style, None)
        return self._in_view(strip, x, width, style).apply_offsets(x, number)

    def _in_view(self, strip: Strip, x: int, width: int, style: Style) -> Strip:
        """Return the part of a row that is in view, with a mark at each end where it is cut."""
        view = strip.crop_extend(x, x + width, style)
        mark = style + self.get_component_rich_style("json-view--mark", partial=True)
        if strip.cell_length > x + width:
            view = Strip.join([view.crop(0, width - 1), Strip([Segment("›", mark)], 1)])
        if x and strip.cell_length:
            view = Strip.join([Strip([Segment("‹", mark)], 1), view.crop(1, width)])
        return view

    def _draw_row(self, number: int, base: Style, selected: tuple[int, int] | None) -> Strip:
        text = visible(self._rows[number])
        spans: list[tuple[int, int, Style]] = []
        for start, end, piece in self._pieces(number, text):
            spans.append((start, end, self.get_component_rich_style(piece, partial=True)))
        if self._needle:
            match_style = self.get_component_rich_style("json-view--found", partial=True)
            spans.extend((*place, match_style) for place in places_of(text, self._needle))
        if selected is not None:
            start, end = selected
            chosen = self.screen.get_component_rich_style("screen--selection")
            spans.append((start, len(text) if end < 0 else end, chosen))
        return Strip(list(_segments(text, base, spans)), measure(text))

    def _pieces(self, number: int, text: str) -> Iterator[tuple[int, int, str]]:
        """Return the parts of a row with a style of their own: start, end, and the component class."""
        if self._language is None:
            return
        if self._rows.continues(number):
            # Only a string can be long enough to continue in another row.
            yield 0, len(text), _TOKEN_CLASSES["string"]
            return
        for match in _PATTERNS[self._language].finditer(text):
            yield *match.span(), _TOKEN_CLASSES[match.lastgroup or "mark"]

    # Selecting with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text as displayed, and the line end to add."""
        first = selection.start.y if selection.start else 0
        until = len(self._rows) if selection.end is None else selection.end.y + 1
        parts: list[str] = []
        for number, row in enumerate(self._rows.between(first, until), first):
            start, end = selection.get_span(number) or (0, 0)
            text = visible(row)
            parts.append(text[start:] if end < 0 else text[start:end])
        return "\n".join(parts), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Redraw with the current selection."""
        self.refresh()


def find_offsets(text: str, needle: str) -> Sequence[int]:
    """Return the offsets at which `needle` begins, ignoring case and accents.

    The text is searched piece by piece, so that other threads are not blocked.
    """
    folded, offsets = fold(needle), array("q")
    at = 0
    while folded and at < len(text):
        until = min(len(text), at + _SEARCH_CHUNK)
        # A match that begins in this piece may end in the next one, and be longer if accents are combining marks.
        piece = text[at : until + _MAX_LETTER_CHARACTERS * len(folded)]
        chunk_start = at
        for start, end in places_of(piece, folded):
            if chunk_start + start >= until:
                break
            offsets.append(chunk_start + start)
            at = chunk_start + end
        at = max(at, until)
    return offsets


def _segments(text: str, base: Style, spans: list[tuple[int, int, Style]]) -> Iterator[Segment]:
    """Return `text` in segments of one style each; where spans overlap, later ones override earlier ones."""
    styles = [base] * len(text)
    for start, end, over in spans:
        styles[start:end] = [style + over for style in styles[start:end]]
    line_start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or styles[end] is not styles[line_start]:
            yield Segment(text[line_start:end], styles[line_start])
            line_start = end
