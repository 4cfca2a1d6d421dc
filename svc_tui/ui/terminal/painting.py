"""Has widgets draw only what is dirty and in view, and tells the terminal only what it does not show already.

This is the one module that knows Textual's compositor from the inside (`textual._compositor`, `Screen._compositor`,
`App._display`; 8.2). Upstream could offer it all as it is: whatever a dirty region does not reach, or another widget
covers, need not be rendered, and what was written last need not be written again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

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

from svc_tui.core.contrast import TEXT_CONTRAST
from svc_tui.ui.terminal.screen_buffer import CellRun, ScreenBuffer
from svc_tui.ui.terminal.veil import has_words, veil_style

_Chops = list[dict[int, Strip | None]]
"""Row by row what is between two cuts, by the column of the first; None where it was not rendered."""


class CullingCompositor(Compositor):
    """Textual's compositor, which has each widget under the union of all dirty regions render all of its lines.

    This one leaves out the lines that no dirty region reaches, and those that are covered by what is in front.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Strip] | None = None
        """The rows of the whole screen as they were rendered last; None where they may be others by now."""

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay everything out."""
        self._rows = None
        return super().reflow(parent, size)

    def reflow_visible(self, parent: Widget, size: Size) -> set[Widget]:
        """Lay out what is in view."""
        self._rows = None
        return super().reflow_visible(parent, size)

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Take for dirty what these widgets have to draw anew."""
        self._rows = None
        super().update_widgets(widgets)

    def render_strips(self, size: Size | None = None) -> list[Strip]:
        """The rows of the whole screen; a dialog in front of it asks for them whenever it is drawn itself."""
        if size is not None or self.root is None or self.root.styles.background.a < 1:
            # What shows through is not this screen's to know.
            return super().render_strips(size)
        if self._rows is None:
            self._rows = super().render_strips()
        return self._rows

    def render_partial_update(self) -> ChopsUpdate | None:
        """What fills the dirty regions, None where there are none."""
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
        return ChopsUpdate(self._render_wanted(wanted), spans, [row[1:] for row in cuts])

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        """What fills a region, as Textual asks for it to render the whole screen."""
        wanted = {y: set(row[:-1]) for y, row in enumerate(self.cuts) if y in crop.line_range and is_rendered_line(y)}
        return self._render_wanted(wanted)  # type: ignore[return-value]  # all is wanted, so nothing is None

    def _render_wanted(self, wanted: dict[int, set[int]]) -> _Chops:
        """Render what begins at the wanted columns of each row; `wanted` is used up."""
        cuts = self.cuts
        chops: _Chops = [dict.fromkeys(row[:-1]) for row in cuts]
        # From front to back: what a widget fills is wanted of none behind it.
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


# Of several bases Textual takes the styles of the first that is a node: a screen is to have its own.
if TYPE_CHECKING:
    _ScreenMixin = Screen[Any]
else:
    _ScreenMixin = MessagePump


class PaintsDirtyCells(_ScreenMixin):
    """For a screen: it is put together by a `CullingCompositor`, and drawn once for all that has changed.

    Textual draws after each layout: also when all of the screen is to be drawn right after, a second time. What shows
    through the background is tinted row by row, and only where that is another row than before. It is styled again only
    after it stood behind another screen, and laid out only for the size that the terminal has.
    """

    class FirstDrawn(Message, bubble=False):
        """The screen has been drawn, or stands behind another: what it does not show at once can be seen to now."""

    draws_in_batch = True
    """Whether it is drawn while the app holds its updates back, when nothing of that is to be seen.

    A dialog is: some widgets find their lines as they are drawn, and it is laid out by those before it is seen.
    """
    was_drawn = False
    """Whether it has said that it is there."""
    _was_suspended = False
    """Whether it stood behind another screen: only then its styles can have grown old."""
    _whole_follows = False
    """Whether all of the screen is to be drawn in a moment."""
    _updating = False

    focused: Reactive[Widget | None] = var(None)
    """The widget that keys go to; it draws that itself, where Textual has the whole screen drawn besides."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._compositor: Compositor = CullingCompositor()
        self._tint, self._base_style = Color(0, 0, 0), Style()
        """The color over what shows through, and the style of what has none there."""
        self._tinted: dict[int, tuple[Strip, Strip]] = {}
        """By row what the screen behind shows there, and the same tinted."""
        self._tinted_styles: dict[tuple[Style | None, bool], Style] = {}

    async def on_event(self, event: events.Event) -> None:
        """Be told, unless of a size that the terminal had before: the app tells of the new one.

        Laying a screen out, Textual tells it of its size once more. In a storm of sizes that word is out of date when
        it is heard: two sizes can follow each other for ever, with nothing else heard meanwhile.
        """
        if not isinstance(event, events.Resize) or event.size == self.app.size:
            await super().on_event(event)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        # Textual applies the styles to each widget as it is mounted, and to all again whenever a screen comes on show.
        event.refresh_styles = event.refresh_styles and self._was_suspended
        self._whole_follows = True
        try:
            super()._on_screen_resume(event)
        finally:
            self._whole_follows = False

    def _screen_resized(self, size: Size) -> None:
        # When a dialog opens, each screen behind it gets a resize to the size that it has already.
        if size != self.outer_size or self not in self.app._background_screens:
            super()._screen_resized(size)

    def _on_timer_update(self) -> None:
        self._updating = True
        try:
            super()._on_timer_update()
        finally:
            self._updating = False

    def paint_now(self, *widgets: Widget) -> None:
        """Paint at once what has changed, of these widgets too.

        Textual's own paint waits for a timer: after a pause the second one comes up to two of its intervals, 33 ms,
        after the first.
        """
        # Textual notes them when each has had its turn, and after it the screen.
        self._dirty_widgets.update(widgets)
        self._on_timer_update()

    def _compositor_refresh(self) -> None:
        app, dirty = self.app, self._compositor._dirty_regions
        in_vain = bool(app._batch_count) and not self.draws_in_batch
        if in_vain or self._whole_follows or (self._updating and self._repaint_required):
            return
        if app.screen is self or app.is_inline or self not in app._background_screens:
            super()._compositor_refresh()
            self._note_drawn()
        elif dirty:
            # The dialog in front draws it, once: Textual has that draw the whole screen once more. Its `refresh` would
            # drop the widgets of the dialog that are to be drawn as well.
            front = app.screen
            front._set_dirty(*dirty)
            front._dirty_widgets.add(front)
            front.check_idle()
            dirty.clear()
            self._dirty_widgets.clear()

    @on(events.Unmount)
    def _let_go_of_lines(self) -> None:
        # Textual remembers colors by the cache that asked for them, and with it all lines of a widget that is gone.
        StylesCache.get_inner_outer.cache_clear()

    @on(events.ScreenSuspend)
    def _note_suspension(self) -> None:
        self._was_suspended = True
        self._note_drawn()

    def _note_drawn(self) -> None:
        if not self.was_drawn:
            self.was_drawn = True
            self.post_message(self.FirstDrawn())

    def render_lines(self, crop: Region) -> list[Strip]:
        """The screen's own part of these rows: its background, and what shows through it."""
        tint, stack = self.styles.background, self.app.screen_stack
        at = stack.index(self) if tint.a < 1 and self in stack else 0
        if not at:
            return super().render_lines(crop)
        if (tint, self.rich_style) != (self._tint, self._base_style):
            self._tint, self._base_style = tint, self.rich_style
            self._tinted.clear()
            self._tinted_styles.clear()
        behind = stack[at - 1]._compositor.render_strips()
        # It is smaller than this one, where it has not been told of a new size yet.
        rows = (self._tinted_row(y, behind[y]) if y < len(behind) else Strip([]) for y in crop.line_range)
        return [row.crop_extend(crop.x, crop.right, self._base_style) for row in rows]

    def _tinted_row(self, y: int, row: Strip) -> Strip:
        known = self._tinted.get(y)
        if known is not None and known[0] is row:
            return known[1]
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


class WritesChanges(App[Any]):
    """For an app: what its screens paint is written to the terminal as far as that does not show it already."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._buffer = ScreenBuffer()
        super().__init__(*args, **kwargs)

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw everything again; with `layout` so is asked where the terminal may show anything by now."""
        if layout:
            self._buffer.forget()
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)

    def _prune(self, *nodes: Widget, parent: DOMNode | None = None) -> AwaitRemove:
        # What a screen that closes was in front of is drawn already; Textual would lay it out and draw it twice more.
        return super()._prune(*nodes, parent=None if parent is self else parent)

    def on_resize(self) -> None:
        """Take nothing for shown: a window that was smaller for a moment has lost what was out of it."""
        self._buffer.forget()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            renderable = _Changes(self._buffer, screen._compositor.size, renderable)
        super()._display(screen, renderable)


class _Changes(CompositorUpdate):
    """What an update changes of what a terminal shows."""

    def __init__(self, buffer: ScreenBuffer, size: Size, update: LayoutUpdate | ChopsUpdate) -> None:
        self._buffer, self._size, self._update = buffer, size, update

    def render_segments(self, console: Console) -> str:
        """What is to be written for it; from then on it is taken for shown."""
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
