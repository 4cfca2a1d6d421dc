"""A read-only view of JSON or other text of any size, coloured by role, drawn only where one looks."""

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

from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows

Language: TypeAlias = Literal["json", "headers"]
"""How a text is coloured: as JSON, or as `Name: value` lines."""

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
_SCROLL_COLUMNS = 8
_SEARCH_CHUNK = 1_000_000

LARGE_TEXT = 1_000_000
"""Characters from which the rows of a text are found anew in a thread."""

_MIN_CELLS = 8


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows one text; moving about changes nothing but what is in view.

    Horizontal room grows with the widest row that was in view, so that no row need be measured before it is seen; a
    view that wraps has none. A row of the text stands on a line of the view, the same one unless a subclass hides some.
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

    def __init__(
        self,
        *,
        wrap: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's own name
        classes: str | None = None,
    ) -> None:
        """Make the view; with `wrap`, rows are as long as the view is wide."""
        super().__init__(id=id, classes=classes)
        self._wrap = wrap
        if wrap:
            # A scroll bar that comes with the text takes nothing from the rows.
            self.styles.scrollbar_gutter = "stable"
        self._wrapped_at = 0
        self._wrapping: Worker[None] | None = None
        self._rows = TextRows("")
        self._language: Language | None = None
        self._strips: LRUCache[int, Strip] = LRUCache(512)
        self._search_pattern: re.Pattern[str] | None = None
        self._places: Sequence[int] = ()
        self._found_at: int | None = None

    # What is shown

    @property
    def text(self) -> str:
        """The whole text, as given."""
        return self._rows.text

    def show_json(self, value: Json) -> None:
        """Show a value, indented, every number as it came."""
        self.show_text(dumps(value, indent=2), "json")

    def show_text(self, text: str, language: Language | None = None) -> None:
        """Show a text from its beginning; line ends may be of either kind."""
        self._show_rows(self._in_rows(text.replace("\r\n", "\n")), language)

    async def show_text_in_thread(self, text: str, language: Language | None = None) -> None:
        """The same for a text of any size: its rows are found in a thread, and what was shown stays until then."""
        text = await asyncio.to_thread(text.replace, "\r\n", "\n")
        self._show_rows(await self._split_in_thread(text), language)

    def _show_rows(self, rows: TextRows, language: Language | None) -> None:
        if self._wrapping is not None:
            self._wrapping.cancel()
        self._rows = rows
        self._language = language
        self._search_pattern = self._found_at = None
        self._places = ()
        self._refresh_rows()
        self.scroll_to(0, 0, animate=False, force=True, immediate=True)

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
        """There are other rows, or others of them are hidden."""
        self._strips.clear()
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

    # Finding

    @property
    def found(self) -> tuple[int, int] | None:
        """Which of how many places was gone to last, from 1; None where nothing was sought, or it is nowhere."""
        if self._found_at is None:
            return None
        return bisect_right(self._places, self._found_at), len(self._places)

    def find(self, needle: str) -> bool:
        """Seek `needle` from the top row in view on, whatever its case, and mark it; False: it is nowhere."""
        search_pattern = _compile_needle(needle)
        return self._seek(search_pattern, find_offsets(self.text, search_pattern))

    async def find_in_thread(self, needle: str) -> bool:
        """The same in a text of any size, in a thread; False too where another text came to be shown meanwhile."""
        text, search_pattern = self.text, _compile_needle(needle)
        found = await asyncio.to_thread(find_offsets, text, search_pattern)
        return text is self.text and self._seek(search_pattern, found)

    def _seek(self, search_pattern: re.Pattern[str] | None, found: Sequence[int]) -> bool:
        self._search_pattern, self._places = search_pattern, found
        self._found_at = None
        self._strips.clear()
        self.refresh()
        return self.find_next()

    def find_next(self) -> bool:
        """Go on to the next place, round the end; False: there is none."""
        at = self._top_offset - 1 if self._found_at is None else self._found_at
        return self._go_to(bisect_right(self._places, at))

    def find_previous(self) -> bool:
        """Go back to the place before, round the beginning; False: there is none."""
        at = self._top_offset if self._found_at is None else self._found_at
        return self._go_to(bisect_left(self._places, at) - 1)

    @property
    def _top_offset(self) -> int:
        """Where the top row in view begins in the text."""
        return self._rows.offset_of(self._row_on(self.scroll_offset.y))

    def _go_to(self, number: int) -> bool:
        self._found_at = None
        if not self._places:
            return False
        self._found_at = self._places[number % len(self._places)]
        self._scroll_to_offset(self._found_at)
        return True

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

    # Moving

    def action_scroll_up(self) -> None:
        """One row up."""
        self.scroll_relative(y=-1, animate=False, force=True)

    def action_scroll_down(self) -> None:
        """One row down."""
        self.scroll_relative(y=1, animate=False, force=True)

    def action_page_up(self) -> None:
        """As many rows up as are in view."""
        self.scroll_relative(y=-max(1, self.size.height - 1), animate=False, force=True)

    def action_page_down(self) -> None:
        """As many rows down as are in view."""
        self.scroll_relative(y=max(1, self.size.height - 1), animate=False, force=True)

    def action_sidestep(self, direction: int) -> None:
        """A few columns to the left (-1) or to the right (1)."""
        self.scroll_relative(x=direction * _SCROLL_COLUMNS, animate=False, force=True)

    def action_top(self) -> None:
        """To the first row."""
        self.scroll_to(0, 0, animate=False, force=True)

    def action_bottom(self) -> None:
        """To the last row."""
        self.scroll_to(0, self.max_scroll_y, animate=False, force=True)

    # Room

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Make room for rows that come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._measure_view()

    def on_resize(self) -> None:
        """Make room for rows that a larger view takes in; rows that wrap are made anew, the top one staying there."""
        if self._wrap and self.scrollable_content_region.width not in (0, self._wrapped_at):
            self._wrapped_at = self.scrollable_content_region.width
            if len(self.text) < LARGE_TEXT:
                self._take_rows(self._in_rows(self.text))
            else:
                self._wrapping = self._wrap_in_thread()
        self._measure_view()

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

    # Drawing

    def notify_style_update(self) -> None:
        """Draw anew in a new theme's colours."""
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """The row at line `y` of the view."""
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
        """The part of a row that is in view, with a mark at each end where there is more of it."""
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
        if self._search_pattern is not None:
            found = self.get_component_rich_style("json-view--found", partial=True)
            spans.extend((*match.span(), found) for match in self._search_pattern.finditer(text))
        if selected is not None:
            start, end = selected
            chosen = self.screen.get_component_rich_style("screen--selection")
            spans.append((start, len(text) if end < 0 else end, chosen))
        return Strip(list(_segments(text, base, spans)), measure(text))

    def _pieces(self, number: int, text: str) -> Iterator[tuple[int, int, str]]:
        """The parts of a row that have a look of their own: from, up to, and the component class."""
        if self._language is None:
            return
        if self._rows.continues(number):
            # Only a string can be long enough to go on in another row.
            yield 0, len(text), _TOKEN_CLASSES["string"]
            return
        for match in _PATTERNS[self._language].finditer(text):
            yield *match.span(), _TOKEN_CLASSES[match.lastgroup or "mark"]

    # Selecting with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it is seen, and what ends it."""
        first = selection.start.y if selection.start else 0
        until = len(self._rows) if selection.end is None else selection.end.y + 1
        parts: list[str] = []
        for number, row in enumerate(self._rows.between(first, until), first):
            start, end = selection.get_span(number) or (0, 0)
            text = visible(row)
            parts.append(text[start:] if end < 0 else text[start:end])
        return "\n".join(parts), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection as it is now."""
        self.refresh()


def find_offsets(text: str, search_pattern: re.Pattern[str] | None) -> Sequence[int]:
    """Where the sought text begins; piece by piece, so that a thread that looks lets others go on."""
    found = array("q")
    at = 0
    while search_pattern is not None and at < len(text):
        until = min(len(text), at + _SEARCH_CHUNK)
        # What begins in this piece may end in the next one.
        for match in search_pattern.finditer(text, at, until + len(search_pattern.pattern)):
            if match.start() >= until:
                break
            found.append(match.start())
            at = match.end()
        at = max(at, until)
    return found


def _compile_needle(needle: str) -> re.Pattern[str] | None:
    return re.compile(re.escape(needle), re.IGNORECASE) if needle else None


def _segments(text: str, base: Style, spans: list[tuple[int, int, Style]]) -> Iterator[Segment]:
    """`text` in pieces of one style each; where spans overlap, later ones are laid over earlier ones."""
    styles = [base] * len(text)
    for start, end, over in spans:
        styles[start:end] = [style + over for style in styles[start:end]]
    begun = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or styles[end] is not styles[begun]:
            yield Segment(text[begun:end], styles[begun])
            begun = end
