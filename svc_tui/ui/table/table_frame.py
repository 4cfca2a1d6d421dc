"""The frame of a collection: its name and how much is in view above, its state below, a spinner while one waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.geometry import Region
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from svc_tui.ui.table import title
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.bars.border_title import SPINNER_DELAY_SECONDS, SPINNER_FRAMES, build_border_title

if TYPE_CHECKING:
    from svc_tui.session.privacy_mask import PrivacyMask
    from svc_tui.ui.table.empty_notice import EmptyNotice
    from svc_tui.ui.table.open_collections import OpenCollections
    from svc_tui.ui.widgets.table.record_table import RecordTable


class TableFrame:
    """Writes what is to be known of the collection on show: `write` takes its name, the count of rows, its state.

    `rest` is the line about rows that are not loaded, `notice` says why there are no rows.
    """

    edited_kind = ""
    """The kind of the value that is being edited in its place, "" while none is."""

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        collections: OpenCollections,
        privacy_mask: PrivacyMask,
        now: Callable[[], float],
        write: Callable[[Content, str, Content], None],
        rest: Static,
        notice: EmptyNotice,
    ) -> None:
        self._rest, self._rest_line, self._notice = rest, Content(), notice
        self._table, self._collections, self._privacy_mask = table, collections, privacy_mask
        self._now, self._write = now, write
        self._spinner = Spinner(pane, now, self._awaited, self.refresh)

    def begin(self) -> None:
        """Forget how long was waited: another collection is on show."""
        self._spinner.begin()

    def refresh(self) -> None:
        """Write the frame anew, and turn the spinner while the user waits for a page."""
        loader = self._collections.loader
        self._write_rest(Content() if loader is None else title.rest_line(loader.opened))
        if loader is None:
            self._notice.show(Content())
            return
        self._spinner.start_if_awaited()
        opened, changed = loader.opened, len(self._table.drafts)
        self._table.is_elsewhere = opened.awaited is not None
        self._notice.show(title.empty_notice(opened, self._privacy_mask, is_loading=bool(self._spinner.sign)))
        count = " ".join(filter(None, (self._spinner.sign, title.count_text(opened, self._table.view, self._table.tz))))
        note = title.match_note(opened, self._table, self._privacy_mask) or title.display_note(self._table)
        state = title.subtitle_content(opened, changed, self._now(), self._privacy_mask, note)
        if self.edited_kind:
            state = styled(self.edited_kind)
        self._write(title.title_content(opened.collection, changed), count, state)

    def _write_rest(self, line: Content) -> None:
        if not line.is_same(self._rest_line):
            self._rest_line = line
            self._rest.update(line)
            self._rest.display = bool(line)

    def _awaited(self) -> bool:
        loader = self._collections.loader
        return loader is not None and loader.awaited


def write_border(pane: Widget, name: Content, count: str, state: Content) -> None:
    """Show these on the border of `pane`, where they are others than before."""
    title = build_border_title(pane, name, Content(count))
    edge = Region(-pane.content_offset.x, -pane.content_offset.y, pane.outer_size.width, 1)
    if _differs(title, pane._border_title):
        # Setting `border_title` would draw the whole pane again, which is dear at every page down.
        pane._border_title = title
        pane.refresh(edge)
    if _differs(state, pane._border_subtitle):
        pane._border_subtitle = state
        pane.refresh(edge.translate((0, pane.outer_size.height - 1)))


def _differs(content: Content, shown: object) -> bool:
    # By `!=` contents differ in their text alone, and a frame has its colour from where the focus is.
    return not (isinstance(shown, Content) and content.is_same(shown))


class Spinner:
    """Turns while `awaited()`, after a moment: `sign` is what it looks like, and `turned` hears of every change."""

    def __init__(
        self, pane: Widget, now: Callable[[], float], awaited: Callable[[], bool], turned: Callable[[], None]
    ) -> None:
        self.sign = ""
        self._now, self._awaited, self._turned = now, awaited, turned
        self._since = 0.0
        self._timer: Timer = pane.set_interval(0.1, self._advance, pause=True)

    def begin(self) -> None:
        """Begin for another collection, for which no wait has begun."""
        self._since, self.sign = 0.0, ""

    def start_if_awaited(self) -> None:
        """Begin to turn, if the user waits."""
        if self._awaited() and not self._since:
            self._since = self._now()
            self._timer.resume()

    def _advance(self) -> None:
        waited = self._now() - self._since
        if not self._awaited():
            self._timer.pause()
            self.begin()
        elif waited >= SPINNER_DELAY_SECONDS:
            self.sign = SPINNER_FRAMES[int(waited * 10) % len(SPINNER_FRAMES)]
        self._turned()
