"""Loading of the rows in view: after scrolling, after a lost connection, and every few seconds while watching."""

import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from textual.timer import Timer
from textual.widget import Widget

from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.records.watched_changes import CollectionWatch, RowChanges
from svc_tui.service.errors import ConnectionBroken, ServiceError, Unreachable
from svc_tui.service.retry import Backoff
from svc_tui.service.traffic import Answered, Throttled, TrafficEvent
from svc_tui.ui.keys.command import Command
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections
from svc_tui.ui.table.row_cursor import RowCursor
from svc_tui.ui.table.table_frame import TableFrame
from svc_tui.ui.widgets.table.record_table import RecordTable

REST_SECONDS = 0.125
"""Seconds without a jump after which scrolling has come to rest; keys repeat some 30 times a second."""
_PREVIEW_SECONDS = 0.5
"""Seconds between two loads of rows that pass by while scrolling: each loads two pages."""
FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 5.0, 60.0
"""Seconds after a lost connection before the first retry, and the most between two retries."""
FIRST_ROUND_SECONDS, MAX_ROUND_SECONDS = 5.0, 60.0
"""Seconds between two rounds of watching, and the most after rounds that failed or were throttled."""


class ScrollMotion(Struct, frozen=True):
    """The motion of the view over the rows; times are of the monotonic clock."""

    first: int = 0
    """The first row in view."""
    jumped: float | None = None
    """When the view last moved by half its height or more."""
    speed: float = 0.0
    """The speed of the last jumps in rows a second, negative upwards; 0 for a single one."""
    flung: bool = False
    """True if the last jump followed another one so soon that nobody can have read the rows in between."""

    def moved(self, first: int, height: int, now: float) -> "ScrollMotion":
        """Return the motion after a view of `height` rows moved to row `first`."""
        if 2 * abs(first - self.first) < height:
            return replace(self, first=first, flung=self.flung and not self.rests(now))
        if self.jumped is None or self.rests(now):
            return ScrollMotion(first, now)
        # The speed between two jumps at the same moment is unknown.
        speed = (first - self.first) / (now - self.jumped) if now > self.jumped else self.speed
        return ScrollMotion(first, now, speed, flung=True)

    def rests(self, now: float) -> bool:
        """Return True if the last jump was a while ago."""
        return self.jumped is None or now - self.jumped >= REST_SECONDS


class ViewportLoader:
    """Requests for pages of the shown collection: those in view first, then what else the user asked for.

    A page in view is requested when scrolling rests; after a lost connection, it is requested again after a while, and
    at once when anything is answered.
    """

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        cursor: RowCursor,
        collections: OpenCollections,
        frame: TableFrame,
        now: Callable[[], float],
    ) -> None:
        """Create the loader; `now` is a monotonic clock."""
        self._pane, self._table, self._cursor = pane, table, cursor
        self._collections, self._frame, self._now = collections, frame, now
        self._motion = ScrollMotion()
        self._rest_timer: Timer | None = None
        self._previewed_at = 0.0
        self._retry_backoff = Backoff(FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
        self._retry_timer: Timer | None = None
        self.watcher = CollectionWatcher(pane, table, collections, self._load_round)

    def begin(self, opened: OpenCollection) -> None:
        """Load the rows in view of a collection that was just opened; pages that failed before are tried again."""
        # The jump to its rows counts as no scrolling.
        self._motion = ScrollMotion(self._table.view[0])
        self.stop_retrying()
        opened.rows.queue.retry(awaited=False)
        self.watcher.show()
        self.request_pages()

    def request_pages(self) -> None:
        """Request the pages that the rows need."""
        loader = self._collections.loader
        if loader is not None:
            loader.request_pages()
        self._frame.refresh()

    def refresh(self, opened: OpenCollection) -> None:
        """Load the rows in view again, and what failed; the cursor stays on its record."""
        self.stop_retrying()
        opened.rows.queue.retry()
        if opened.rows.loaded:
            opened.rows.invalidate()
            if opened.arranged:
                opened.rows.queue.request(dict.fromkeys(map(opened.arranged.page_of, range(*self._table.view))))
            else:
                opened.anchor = self._cursor.position
        opened.problem = ""
        opened.renewing = True
        self._table.rows_changed(None)
        self.request_pages()

    def load_rest(self) -> None:
        """Load every missing page in the background, as far as there is room."""
        opened = self._collections.current
        if opened is not None and not opened.loads_rest:
            opened.rows.queue.retry()
            opened.rows.queue.request(opened.rows.missing(), in_blocks=True)
            opened.load_rest_started_at, opened.rest_was_read_again = time.monotonic(), False
            opened.rest_requests = 0
            self.request_pages()

    def offer_rest(self) -> None:
        """Offer to load the rest, in the line below the rows."""
        opened = self._collections.current
        if opened is not None:
            opened.offers_rest = True
            self._frame.refresh()

    def stop(self) -> bool:
        """Stop loading beyond the view and the search for the last record. Return False if neither was under way."""
        opened = self._collections.current
        if opened is None:
            return False
        under_way = opened.rows.queue.requested > 0 or opened.rows.queue.seeking
        opened.offers_rest |= opened.loads_rest
        opened.rows.queue.request(())
        opened.stop_end_seek()
        opened.load_rest_started_at = opened.top_record_id = None
        self._frame.refresh()
        return under_way

    def go_end(self) -> None:
        """Go to the true last record: one page if the total is known, O(log n) pages if not."""
        opened = self._collections.current
        if opened is not None and not opened.arranged:
            self._cursor.start_end_seek(opened)
            self.request_pages()

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Retry at once when any answer shows that the connection is back; slow watching down when throttled."""
        if isinstance(event, Answered) and self._retry_timer is not None:
            self._retry()
        self.watcher.handle_traffic(event)

    def _load_round(self) -> None:
        """Load the pages of a round of watching."""
        opened = self._collections.current
        if opened is not None and not opened.arranged:
            opened.anchor = self._cursor.position
        self.request_pages()

    # Scrolling

    def view_moved(self) -> None:
        """Load the rows in view if scrolling rests, else once it does; meanwhile, some of those that pass by."""
        first, until = self._table.view
        now = self._now()
        self._motion = self._motion.moved(first, until - first, now)
        if not self._motion.flung:
            self._previewed_at = now
            self._load_view()
            return
        if self._rest_timer is None:
            self._await_rest()
        if now - self._previewed_at >= _PREVIEW_SECONDS:
            self._previewed_at = now
            self._load_ahead()
        self._frame.refresh()

    def _await_rest(self) -> None:
        self._rest_timer = self._pane.set_timer(REST_SECONDS, self._load_if_at_rest)

    def _load_if_at_rest(self) -> None:
        self._rest_timer = None
        if self._motion.rests(self._now()):
            self._load_view()
        else:
            self._await_rest()

    def _load_view(self) -> None:
        opened = self._collections.current
        if opened is None:
            return
        first, until = self._table.view
        self._renew_indexed(opened, range(first, until))
        if not opened.arranged:
            # The view may have moved again since the message was sent: use the one of now. The user scrolled if both
            # its ends moved in one direction; if only one moved, the pane was resized.
            before = opened.view
            up, down = (first < before[0], until < before[1]), (first > before[0], until > before[1])
            opened.rows.queue.set_viewport(first, until, -1 if all(up) else 1 if all(down) else None)
            opened.view = first, until
            self.request_pages()
        else:
            self._frame.refresh()

    def _load_ahead(self) -> None:
        """Load the rows that will be in view when they arrive, if scrolling goes on at its speed."""
        loader = self._collections.loader
        if loader is None or loader.opened.arranged or loader.under_way:
            return
        shift = round(self._motion.speed * loader.seconds)
        first, until = (row + shift for row in self._table.view)
        loader.opened.rows.queue.set_viewport(first, until, 0)
        self.request_pages()

    def _renew_indexed(self, opened: OpenCollection, view: range) -> None:
        """Load the pages in view that are from the index again, in the background."""
        if opened.indexed_pages and not opened.filtering:
            shown = opened.arranged or opened.rows
            in_view = dict.fromkeys(shown.page_of(row) for row in view if row < shown.count)
            renewed = [number for number in in_view if number in opened.indexed_pages]
            opened.indexed_pages.difference_update(renewed)
            opened.rows.queue.refresh(renewed)
            if opened.arranged and renewed:
                self.request_pages()

    # A lost connection

    def failed(self, opened: OpenCollection, error: ServiceError, *, on_show: bool) -> None:
        """Retry a page of the shown collection later if the connection was lost."""
        self.watcher.records_arrived(opened, failed=True)
        if on_show and isinstance(error, Unreachable | ConnectionBroken) and self._retry_timer is None:
            self._retry_timer = self._pane.set_timer(self._retry_backoff.seconds, self._retry)
            self._retry_backoff = self._retry_backoff.longer()

    def stop_retrying(self) -> None:
        """Retry nothing: a page has arrived, or another collection is shown."""
        self._stop_retry_timer()
        self._retry_backoff = self._retry_backoff.reset()

    def _retry(self) -> None:
        self._stop_retry_timer()
        opened = self._collections.current
        if opened is not None:
            opened.rows.queue.retry(awaited=False)
        self.request_pages()

    def _stop_retry_timer(self) -> None:
        if self._retry_timer is not None:
            self._retry_timer.stop()
            self._retry_timer = None


class CollectionWatcher:
    """Rounds of loading the rows in view, which mark what has changed since; `load` requests the pages of a round.

    A round waits for the one before it, and for the pane to be seen by the user: on the screen of a terminal that has
    the focus.
    """

    def __init__(
        self, pane: Widget, table: RecordTable, collections: OpenCollections, load: Callable[[], None]
    ) -> None:
        self._pane, self._table, self._collections, self._load = pane, table, collections, load
        self._backoff = Backoff(FIRST_ROUND_SECONDS, MAX_ROUND_SECONDS)
        self._timer: Timer | None = None
        self._round_failed = False

    def command(self) -> Command:
        """Return the command of the palette that starts watching, or stops it."""
        opened = self._collections.current
        if opened is not None and opened.watch is not None:
            return Command("Stop watching", "Stop refreshing the table automatically", self._stop)
        title = "Watch: refresh the table every few seconds"
        return Command(title, "Show ~ in changed cells and + beside new records", self._start)

    def show(self) -> None:
        """Show the changes found in the collection that was just opened, and go on watching it."""
        opened = self._collections.current
        self._table.news = RowChanges()
        self._backoff = self._backoff.reset()
        if opened is not None and opened.watch is not None:
            self._end_round(opened)
            self._table.news = opened.watch.news
            if not opened.watch.under_way:
                self._wait()

    def records_arrived(self, opened: OpenCollection, *, failed: bool = False) -> None:
        """Show the changes and wait for the next round if this page, loaded or failed, was the last of a round."""
        self._round_failed = self._round_failed or failed
        if self._end_round(opened) and opened is self._collections.current:
            assert opened.watch is not None
            self._table.news = opened.watch.news
            self._backoff = self._backoff.longer() if self._round_failed else self._backoff.reset()
            self._wait()

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Delay the next round if this one is throttled."""
        if isinstance(event, Throttled) and event.until is not None:
            self._round_failed = True

    def _start(self) -> None:
        if (opened := self._collections.current) is not None:
            opened.watch = CollectionWatch()
            self._begin_round(opened)

    def _stop(self) -> None:
        if (opened := self._collections.current) is not None:
            opened.watch = None
            self.show()
            self._load()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._pane.set_timer(self._backoff.seconds, self._begin_if_seen)

    def _begin_if_seen(self) -> None:
        self._timer = None
        opened = self._collections.current
        if opened is None or opened.watch is None or opened.watch.under_way:
            return
        if self._pane.app.app_focus and self._pane.is_on_screen:
            self._begin_round(opened)
        else:
            self._wait()

    def _begin_round(self, opened: OpenCollection) -> None:
        assert opened.watch is not None
        pages = _pages_in_view(opened, self._table.view)
        if not pages:
            self._wait()
            return
        self._round_failed = False
        opened.watch = opened.watch.begin(pages)
        opened.renewing = True
        opened.rows.queue.refresh(pages)
        self._load()

    def _end_round(self, opened: OpenCollection) -> bool:
        """End a round if each of its pages was loaded, failed or no longer exists. Return True if it ended."""
        watch, rows = opened.watch, opened.rows
        if watch is None or not watch.under_way or rows.queue.refreshing(watch.before):
            return False
        last = None if rows.total is None else rows.page_of(max(0, rows.total - 1))
        opened.watch = watch.ended({number: rows.page_records(number) for number in watch.before}, last)
        return True


def _pages_in_view(opened: OpenCollection, view: tuple[int, int]) -> Mapping[int, Sequence[Record]]:
    """Return the loaded pages of the rows in view."""
    numbers = {opened.shown.page_of(row) for row in range(*view)}
    return {number: opened.rows.page_records(number) for number in numbers.intersection(opened.rows.pages)}
