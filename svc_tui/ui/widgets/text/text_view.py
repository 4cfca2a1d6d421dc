"""A read-only view of JSON or other text of any size, coloured by role, drawn only where one looks."""

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.selection import Selection
from textual.strip import Strip

from svc_tui.core.folded_text import fold, places_of
from svc_tui.core.jsontext import Json, dumps
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.text.text_rows import TextRows
from svc_tui.ui.widgets.text.text_scroll_view import TextScrollView
from svc_tui.ui.widgets.text.text_search import find_offsets

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


class TextView(TextScrollView):
    """Shows one text: its tokens and what is searched for have a look of their own, and the mouse selects."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {*_TOKEN_CLASSES.values(), "json-view--found"}
    DEFAULT_CSS = """
    TextView {
        color: $role-foreground;
        & > .json-view--name { color: $role-reference; }
        & > .json-view--string { color: $role-text; }
        & > .json-view--number { color: $role-number; }
        & > .json-view--literal { color: $role-accent; }
        & > .json-view--mark { color: $role-muted; }
        & > .json-view--found { color: $role-background; background: $role-marked; }
    }
    """

    def __init__(self, *, wrap: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        """Make the view; with `wrap`, rows are as long as the view is wide."""
        super().__init__(wrap=wrap, id=id)
        self._language: Language | None = None
        self._strips: LRUCache[int, Strip] = LRUCache(512)
        self._sought = ""
        """What is sought, folded."""
        self._matches: Sequence[int] = ()
        """Where it begins in the text."""
        self._match: int | None = None
        """The match gone to last."""

    # What is shown

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
        self._set_rows(rows)
        self._language = language
        self._sought, self._match = "", None
        self._matches = ()
        self._refresh_rows()
        self.scroll_to(0, 0, animate=False, force=True, immediate=True)

    def _refresh_rows(self) -> None:
        self._strips.clear()
        super()._refresh_rows()

    # Finding

    @property
    def match_position(self) -> tuple[int, int] | None:
        """Which of how many places was gone to last, from 1; None where nothing was sought, or it is nowhere."""
        if self._match is None:
            return None
        return bisect_right(self._matches, self._match), len(self._matches)

    def find(self, needle: str) -> bool:
        """Find `needle` from the top row in view on, without regard to case and accents; False: no match."""
        return self._seek(needle, find_offsets(self.text, needle))

    async def find_in_thread(self, needle: str) -> bool:
        """The same in a text of any size, in a thread; False too where another text came to be shown meanwhile."""
        text = self.text
        matches = await asyncio.to_thread(find_offsets, text, needle)
        return text is self.text and self._seek(needle, matches)

    def _seek(self, needle: str, matches: Sequence[int]) -> bool:
        self._sought, self._matches = fold(needle), matches
        self._match = None
        self._strips.clear()
        self.refresh()
        return self.find_next()

    def find_next(self) -> bool:
        """Go on to the next place, round the end; False: there is none."""
        at = self._top_offset - 1 if self._match is None else self._match
        return self._go_to(bisect_right(self._matches, at))

    def find_previous(self) -> bool:
        """Go back to the place before, round the beginning; False: there is none."""
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
        if self._sought:
            match_style = self.get_component_rich_style("json-view--found", partial=True)
            spans.extend((*place, match_style) for place in places_of(text, self._sought))
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


def _segments(text: str, base: Style, spans: list[tuple[int, int, Style]]) -> Iterator[Segment]:
    """`text` in pieces of one style each; where spans overlap, later ones are laid over earlier ones."""
    styles = [base] * len(text)
    for start, end, over in spans:
        styles[start:end] = [style + over for style in styles[start:end]]
    line_start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or styles[end] is not styles[line_start]:
            yield Segment(text[line_start:end], styles[line_start])
            line_start = end
