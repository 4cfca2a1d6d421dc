"""Painting: widgets draw only what is dirty and in view, and the terminal is sent only what it does not show already.

This is the one module that uses private parts of Textual's compositor (`textual._compositor`, `Screen._compositor`,
`App._display`), as they are in the minor version that pyproject.toml requires. Upstream could offer all of it: what no
dirty region reaches, or another widget covers, need not be rendered, and what was written last need not be written
again.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from rich.cells import split_graphemes
from rich.color import Color as RichColor
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, LayoutUpdate, ReflowResult
from textual._styles_cache import StylesCache
from textual.app import App
from textual.await_remove import AwaitRemove
from textual.color import Color
from textual.dom import DOMNode
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive, var
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from svc_tui.core.contrast import TEXT_CONTRAST, veil_colors

# Rendering: what of a screen is dirty, in view, and covered by no other widget

_Chops = list[dict[int, Strip | None]]
"""For each row, the strips between two cuts by the column of the first cut; None for a strip that was not rendered."""


class CullingCompositor(Compositor):
    """A compositor that renders only lines that a dirty region reaches and no widget in front covers.

    Textual's renders all lines of each widget under the union of the dirty regions.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Strip] | None = None
        """The rows of the whole screen as they were rendered last; None if they may have changed since."""

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all widgets."""
        self._rows = None
        return super().reflow(parent, size)

    def reflow_visible(self, parent: Widget, size: Size) -> set[Widget]:
        """Lay out the widgets in view."""
        self._rows = None
        return super().reflow_visible(parent, size)

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Mark the regions of these widgets that have changed as dirty."""
        self._rows = None
        super().update_widgets(widgets)

    def render_strips(self, size: Size | None = None) -> list[Strip]:
        """Return the rows of the whole screen; a dialog in front of it needs them each time it is drawn."""
        if size is not None or self.root is None or self.root.styles.background.a < 1:
            # The screen behind shows through, and may change without this one being told.
            return super().render_strips(size)
        if self._rows is None:
            self._rows = super().render_strips()
        return self._rows

    def render_partial_update(self) -> ChopsUpdate | None:
        """Render the dirty regions; return None if there are none."""
        spans = list(self._regions_to_spans(self._dirty_regions))
        self._dirty_regions.clear()
        if not spans:
            return None
        cuts = self.cuts
        wanted: dict[int, set[int]] = {}
        for y, start, end in spans:
            if 0 <= y < len(cuts):
                row = wanted.setdefault(y, set())
                row.update(x for x, until in pairwise(cuts[y]) if x < end and until > start)
        return ChopsUpdate(self._render_columns(wanted), spans, [row[1:] for row in cuts])

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        """Render a region; Textual calls this to render the whole screen."""
        wanted = {y: set(row[:-1]) for y, row in enumerate(self.cuts) if y in crop.line_range and is_rendered_line(y)}
        return self._render_columns(wanted)  # type: ignore[return-value]  # all is wanted, so nothing is None

    def _render_columns(self, wanted: dict[int, set[int]]) -> _Chops:
        """Render the strips that begin at the columns in `wanted`, by row; `wanted` is emptied."""
        cuts = self.cuts
        chops: _Chops = [dict.fromkeys(row[:-1]) for row in cuts]
        # From front to back: no widget behind has to render what one in front fills.
        for widget, (region, clip) in self.visible_widgets.items():
            if not wanted:
                break
            x, y, width, height = region.intersection(clip)
            right = x + width
            rows = [row for row in range(y, y + height) if row in wanted and any(x <= at < right for at in wanted[row])]
            if not rows:
                continue
            first = rows[0]
            strips = widget.render_lines(Region(x - region.x, first - region.y, width, rows[-1] + 1 - first))
            for row in rows:
                edges = [cut for cut in cuts[row] if x <= cut <= right]
                parts = strips[row - first].divide([edge - x for edge in edges[1:]])
                missing, filled = wanted[row], chops[row]
                for at, part in zip(edges, parts, strict=False):
                    if at in missing:
                        missing.discard(at)
                        filled[at] = part
                if not missing:
                    del wanted[row]
        return chops


# Screens: drawn once for all changes

# Of several bases Textual uses the DEFAULT_CSS of the first that is a DOM node, which must be the screen itself.
if TYPE_CHECKING:
    _ScreenMixin = Screen[Any]
else:
    _ScreenMixin = MessagePump


class PaintsDirtyCells(_ScreenMixin):
    """A mixin for screens: composed by a `CullingCompositor`, and drawn once for all changes.

    Textual draws after each layout, also if the whole screen is drawn right after that. Rows of the screen behind that
    show through the background are tinted only if they have changed. The screen is styled again only after another
    screen was in front of it, and laid out only for the current size of the terminal.
    """

    class FirstDrawn(Message, bubble=False):
        """The first drawing of the screen, or another screen in front of it: work that can wait for either begins."""

    draws_in_batch = True
    """True if it is drawn while the app batches updates, although nothing of that is shown.

    A dialog is: some widgets compute their lines as they are drawn, and its layout depends on those.
    """
    was_drawn = False
    """True after `FirstDrawn` was posted."""
    _was_suspended = False
    """True if another screen was in front of it: only then its styles can be out of date."""
    _whole_follows = False
    """True if the whole screen is about to be drawn."""
    _updating = False

    focused: Reactive[Widget | None] = var(None)
    """The focused widget. It draws its focus itself, so this is no `reactive`, which would redraw the whole screen."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._compositor: Compositor = CullingCompositor()
        self._tint, self._base_style = Color(0, 0, 0), Style()
        """The background that tints the screen behind, and the style of its blank cells."""
        self._tinted: dict[int, tuple[Strip, Strip]] = {}
        """The row of the screen behind and the tinted row, by row number."""
        self._tinted_styles: dict[tuple[Style | None, bool], Style] = {}

    async def on_event(self, event: events.Event) -> None:
        """Handle an event, except a resize to a size that the terminal no longer has.

        Textual posts a resize to a screen whenever it lays it out. If the terminal is resized quickly, that event is
        out of date when it is handled, and two sizes can follow each other for ever.
        """
        if not isinstance(event, events.Resize) or event.size == self.app.size:
            await super().on_event(event)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        # Textual applies the styles to each widget as it is mounted, and to all again whenever a screen is resumed.
        event.refresh_styles = event.refresh_styles and self._was_suspended
        self._whole_follows = True
        try:
            super()._on_screen_resume(event)
        finally:
            self._whole_follows = False

    def _screen_resized(self, size: Size) -> None:
        # When a dialog opens, each screen behind it is resized to the size that it has already.
        if size != self.outer_size or self not in self.app._background_screens:
            super()._screen_resized(size)

    def _on_timer_update(self) -> None:
        self._updating = True
        try:
            super()._on_timer_update()
        finally:
            self._updating = False

    def paint_now(self, *widgets: Widget) -> None:
        """Paint all changes now, including those of `widgets`.

        Textual paints on a timer: after a pause, the second paint comes up to two intervals (33 ms) after the first.
        """
        # Textual adds them only after each has handled its messages, and then the screen.
        self._dirty_widgets.update(widgets)
        self._on_timer_update()

    def _compositor_refresh(self) -> None:
        app, dirty = self.app, self._compositor._dirty_regions
        is_batching = bool(app._batch_count) and not self.draws_in_batch
        if is_batching or self._whole_follows or (self._updating and self._repaint_required):
            return
        if app.screen is self or app.is_inline or self not in app._background_screens:
            super()._compositor_refresh()
            self._post_first_drawn()
        elif dirty:
            # The dialog in front draws the change once: Textual would redraw the whole dialog. `refresh` would forget
            # the widgets of the dialog that are dirty too.
            front = app.screen
            front._set_dirty(*dirty)
            front._dirty_widgets.add(front)
            front.check_idle()
            dirty.clear()
            self._dirty_widgets.clear()

    @on(events.Unmount)
    def _clear_color_cache(self) -> None:
        # Textual caches colors by the styles cache that asked, which keeps all lines of a removed widget in memory.
        StylesCache.get_inner_outer.cache_clear()

    @on(events.ScreenSuspend)
    def _remember_suspension(self) -> None:
        self._was_suspended = True
        self._post_first_drawn()

    def _post_first_drawn(self) -> None:
        if not self.was_drawn:
            self.was_drawn = True
            self.post_message(self.FirstDrawn())

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the rows of the screen's background, with the screen behind showing through."""
        tint, stack = self.styles.background, self.app.screen_stack
        at = stack.index(self) if tint.a < 1 and self in stack else 0
        if not at:
            return super().render_lines(crop)
        if (tint, self.rich_style) != (self._tint, self._base_style):
            self._tint, self._base_style = tint, self.rich_style
            self._tinted.clear()
            self._tinted_styles.clear()
        behind = stack[at - 1]._compositor.render_strips()
        # The screen behind is smaller than this one until it is told of a new size.
        rows = (self._tinted_row(y, behind[y]) if y < len(behind) else Strip([]) for y in crop.line_range)
        return [row.crop_extend(crop.x, crop.right, self._base_style) for row in rows]

    def _tinted_row(self, y: int, row: Strip) -> Strip:
        cached = self._tinted.get(y)
        if cached is not None and cached[0] is row:
            return cached[1]
        tinted = Strip(
            [Segment(text, self._tinted_style(style, has_words(text))) for text, style, _ in row], row.cell_length
        )
        for line_filter in self.app.get_line_filters():
            tinted = tinted.apply_filter(line_filter, self._tint)
        self._tinted[y] = row, tinted
        return tinted

    def _tinted_style(self, style: Style | None, words: bool) -> Style:
        tinted = self._tinted_styles.get((style, words))
        if tinted is None:
            bare = Style() if style is None else style.clear_meta_and_links()
            least = float(self.app.theme_variables.get("least-contrast", TEXT_CONTRAST)) if words else 1.0
            tinted = self._base_style + veil_style(bare, self._tint, least)
            self._tinted_styles[style, words] = tinted
        return tinted


# What shows through the background of a dialog: dimmer, and still readable

_RULES = re.compile(r"[\s\u2500-\u259f]*")
"""Spaces, lines and blocks: frames, rules, scroll bars."""


def has_words(text: str) -> bool:
    """Return True if the text is more than spaces, lines and blocks."""
    return _RULES.fullmatch(text) is None


def veil_style(style: Style, veil: Color, least: float) -> Style:
    """Return the style under a translucent color, which is thinner where the contrast would be below `least`."""
    if style.color is None or style.bgcolor is None:
        return style + Style.from_color(_veiled(style.color, veil), _veiled(style.bgcolor, veil))
    ink, ground = _hex(style.color), _hex(style.bgcolor)
    if style.reverse:
        ink, ground = ground, ink
    ink, ground = veil_colors(ink, ground, veil.hex6, veil.a, least)
    if style.reverse:
        ink, ground = ground, ink
    return style + Style.from_color(RichColor.parse(ink), RichColor.parse(ground))


def _veiled(color: RichColor | None, veil: Color) -> RichColor | None:
    return None if color is None else (Color.from_rich_color(color) + veil).rich_color


def _hex(color: RichColor) -> str:
    return color.get_truecolor().hex


# Output: only the cells that the terminal does not show already

_NARROW_CHARACTERS = (
    r"\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f"  # Latin, Greek and Cyrillic, without combining marks
    r"\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u23ce"  # dashes, quotes, arrows, signs of mathematics, the return key
    r"\u2500-\u25fc\u2713-\u2717"  # lines, blocks and shapes, ticks and crosses
)
_WIDE_CHARACTERS = (
    r"\u1100-\u115f\u2e80-\u3029\u3030-\u303e\u3041-\u3096\u309b-\u3247\u3250-\ua4c6"  # Chinese, Japanese, Korean
    r"\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6"
)
_NARROW = re.compile(f"[{_NARROW_CHARACTERS}]*")
"""Texts of which every terminal shows each character in one cell."""
_CERTAIN = re.compile(f"[{_NARROW_CHARACTERS}{_WIDE_CHARACTERS}]*")
"""Texts whose cells every terminal counts alike: the narrow ones, and the wide ones of Chinese, Japanese and Korean.

Of emoji, an older terminal may take one for narrow that a newer version of Unicode made wide (UAX 11).
"""

_NO_STYLE = Style.null()

CellRun: TypeAlias = tuple[int, int, Strip]
"""Cells to be shown: their row, their first column, and their content."""

_Look: TypeAlias = tuple[Style, str | None]
"""The style of a character, and the address of its hyperlink or None."""

_Cell: TypeAlias = tuple[str, _Look] | None
"""The character and look of a cell; the character is "" in the right half of a wide one. None: unknown."""


class ScreenBuffer:
    """The content of each cell of the terminal."""

    def __init__(self) -> None:
        self._size = Size()
        self._rows: list[list[_Cell]] = []

    def forget(self) -> None:
        """Regard all cells as unknown: the terminal was cleared, lent to another program, or missed some output."""
        self._rows = [[None] * self._size.width for _ in range(self._size.height)]

    def update(self, size: Size, runs: Iterable[CellRun], console: Console) -> str:
        """Return the output that makes a terminal of that size show the runs; "" if it does already."""
        if size != self._size:
            self._size = size
            self.forget()
        written: list[str] = []
        row, column = -1, -1
        for y, x, strip in runs:
            shown, cells = self._rows[y], _cells(strip)
            end = x + len(cells)
            if shown[x:end] == cells:
                continue
            # A terminal erases a wide character if one half of it is overwritten.
            for edge in (x, end):
                if 0 < edge < len(shown) and _is_right_half(shown[edge]):
                    shown[edge - 1] = shown[edge] = None
            shown[x:end] = cells
            if (y, x) != (row, column):
                written.append(_at(y, x))
            written.append(_placed(strip, y, x, console))
            row, column = y, end
        return "".join(written)


def _cells(strip: Strip) -> list[_Cell]:
    """Return the content of each cell of a strip."""
    cells: list[_Cell] = []
    for text, style, _ in strip:
        look = _look(style or _NO_STYLE)
        if _NARROW.fullmatch(text):
            cells.extend(zip(text, repeat(look)))
            continue
        for start, end, width in split_graphemes(text)[0]:
            cells.extend([(text[start:end], look), *[("", look)] * (width - 1)][:width])
    return cells


def _is_right_half(cell: _Cell) -> bool:
    return cell is not None and not cell[0]


@lru_cache(2048)
def _look(style: Style) -> _Look:
    """Return the part of a style that reaches the terminal: no click actions."""
    return style.clear_meta_and_links(), style.link


def _placed(strip: Strip, y: int, x: int, console: Console) -> str:
    """Return the output for a strip; the cursor is set around each character that terminals may count differently."""
    if all(_CERTAIN.fullmatch(segment.text) for segment in strip):
        return strip.render(console)
    written: list[str] = []
    for segment in strip:
        text, style, _ = segment
        if _CERTAIN.fullmatch(text):
            written.append(Strip([segment]).render(console))
            x += segment.cell_length
            continue
        for start, end, cells in split_graphemes(text)[0]:
            character = Strip([Segment(text[start:end], style)]).render(console)
            if not _CERTAIN.fullmatch(text, start, end):
                blank = Strip([Segment(" " * cells, style)]).render(console)
                character = f"{blank}{_at(y, x)}{character}{_at(y, x + cells)}"
            written.append(character)
            x += cells
    return "".join(written)


def _at(y: int, x: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"


class WritesChanges(App[Any]):
    """A mixin for apps: of what the screens paint, only the cells that the terminal does not show are written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._buffer = ScreenBuffer()
        super().__init__(*args, **kwargs)

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw everything again; with `layout`, nothing is assumed about what the terminal shows."""
        if layout:
            self._buffer.forget()
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)

    def _prune(self, *nodes: Widget, parent: DOMNode | None = None) -> AwaitRemove:
        # The screen behind a closing screen is drawn already; Textual would lay it out and draw it twice more.
        return super()._prune(*nodes, parent=None if parent is self else parent)

    def on_resize(self) -> None:
        """Forget what is shown: a window that was smaller for a moment has lost the cells outside of it."""
        self._buffer.forget()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            renderable = _Changes(self._buffer, screen._compositor.size, renderable)
        super()._display(screen, renderable)


class _Changes(CompositorUpdate):
    """An update reduced to the cells that the terminal does not show already."""

    def __init__(self, buffer: ScreenBuffer, size: Size, update: LayoutUpdate | ChopsUpdate) -> None:
        self._buffer, self._size, self._update = buffer, size, update

    def render_segments(self, console: Console) -> str:
        """Return the output for the changed cells, which are regarded as shown from then on."""
        update = self._update
        runs = _runs_of_all(update) if isinstance(update, LayoutUpdate) else _runs_of_part(update)
        return self._buffer.update(self._size, runs, console)


def _runs_of_all(update: LayoutUpdate) -> Iterator[CellRun]:
    for y, row in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in row:
            yield y, x, strip
            x += strip.cell_length


def _runs_of_part(update: ChopsUpdate) -> Iterator[CellRun]:
    for y, start, end in update.spans:
        for until, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
            if strip is not None and x < end and until > start:
                yield y, x, strip
