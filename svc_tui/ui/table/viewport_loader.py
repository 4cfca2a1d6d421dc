"""Has the rows of the collection on show read: what is in view first, then what the user asked for besides."""

import time
from collections.abc import Callable

from textual.widget import Widget

from svc_tui.service.errors import ServiceError
from svc_tui.service.traffic import TrafficEvent
from svc_tui.ui.table.collection_watcher import CollectionWatcher
from svc_tui.ui.table.connection_retry import ConnectionRetry
from svc_tui.ui.table.cursor import Cursor
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections
from svc_tui.ui.table.scroll_debounce import ScrollDebounce
from svc_tui.ui.widgets.table.record_table import RecordTable


class ViewportLoader:
    """Asks for pages of the collection on show as the view of `table` moves.

    `changed` is called when the frame may say otherwise.
    """

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        cursor: Cursor,
        collections: OpenCollections,
        now: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        """Make it; `now` is a monotonic clock in seconds."""
        self._table, self._cursor = table, cursor
        self._collections, self._changed = collections, changed
        self._debounce = ScrollDebounce(pane, now, self._look, self._glance)
        self._connection_retry = ConnectionRetry(pane, self._try_again)
        self.watcher = CollectionWatcher(pane, table, collections, self._read_round)

    def begin(self, opened: OpenCollection) -> None:
        """Read what is in view of a collection that has just come on show; what failed before is tried again."""
        self._debounce.begin(self._table.view[0])
        self._connection_retry.stop()
        opened.rows.queue.retry(awaited=False)
        self.watcher.show()
        self.request_pages()

    def request_pages(self) -> None:
        """Ask for what the rows want."""
        loader = self._collections.loader
        if loader is not None:
            loader.request_pages()
        self._changed()

    def refresh(self, opened: OpenCollection) -> None:
        """Read what is in view again; the cursor stays on its record. What failed is tried again."""
        self._connection_retry.stop()
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
        """Read every page that is missing, as far as there is room, in the background."""
        opened = self._collections.current
        if opened is not None and not opened.loads_rest:
            opened.rows.queue.retry()
            opened.rows.queue.request(opened.rows.missing(), in_blocks=True)
            opened.load_rest_started_at, opened.rest_was_read_again = time.monotonic(), False
            opened.rest_requests = 0
            self.request_pages()

    def offer_rest(self) -> None:
        """Have the line below the rows offer to load the rest."""
        opened = self._collections.current
        if opened is not None:
            opened.offers_rest = True
            self._changed()

    def stop(self) -> bool:
        """Stop reading beyond the view and looking for the end; gives whether there was anything to stop."""
        opened = self._collections.current
        if opened is None:
            return False
        under_way = opened.rows.queue.requested > 0 or opened.rows.queue.seeking
        opened.offers_rest |= opened.loads_rest
        opened.rows.queue.request(())
        opened.stop_end_seek()
        opened.load_rest_started_at = opened.top_record_id = None
        self._changed()
        return under_way

    def go_end(self) -> None:
        """Put the cursor on the true last record: one page where the total is known, O(log n) where it is not."""
        opened = self._collections.current
        if opened is not None and not opened.arranged:
            self._cursor.start_end_seek(opened)
            self.request_pages()

    def rest(self) -> None:
        """Try nothing again: nothing is on show, or a page has come."""
        self._connection_retry.stop()

    def failed(self, opened: OpenCollection, error: ServiceError, *, on_show: bool) -> None:
        """A page could not be read; where the connection is lost, it is tried again by itself."""
        self.watcher.records_arrived(opened, failed=True)
        if on_show:
            self._connection_retry.failed(error)

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Take note of a traffic event."""
        self._connection_retry.handle_traffic(event)
        self.watcher.handle_traffic(event)

    def view_moved(self) -> None:
        """Take note that other rows are in view; their pages are read once scrolling rests."""
        first, until = self._table.view
        if not self._debounce.moved(first, until - first):
            self._changed()

    def _look(self) -> None:
        """Read what is in view."""
        opened = self._collections.current
        if opened is None:
            return
        first, until = self._table.view
        self._renew_indexed(opened, range(first, until))
        if not opened.arranged:
            # What is wanted is what is in view now; a message may be older than that.
            # Where both ends went up or down, the user moved; a frame that grew or shrank goes nowhere.
            before = opened.view
            up, down = (first < before[0], until < before[1]), (first > before[0], until > before[1])
            opened.rows.queue.set_viewport(first, until, -1 if all(up) else 1 if all(down) else None)
            opened.view = first, until
            self.request_pages()
        else:
            self._changed()

    def _glance(self, speed: float) -> None:
        """Read rows that will be in view when they come, if the view goes on at so many rows a second."""
        loader = self._collections.loader
        if loader is None or loader.opened.arranged or loader.under_way:
            return
        shift = round(speed * loader.seconds)
        first, until = (row + shift for row in self._table.view)
        loader.opened.rows.queue.set_viewport(first, until, 0)
        self.request_pages()

    def _renew_indexed(self, opened: OpenCollection, view: range) -> None:
        """Have those pages read anew in the background that are in view, and from the index."""
        if opened.indexed_pages and not opened.filtering:
            shown = opened.arranged or opened.rows
            in_view = dict.fromkeys(shown.page_of(row) for row in view if row < shown.count)
            renewed = [number for number in in_view if number in opened.indexed_pages]
            opened.indexed_pages.difference_update(renewed)
            opened.rows.queue.refresh(renewed)
            if opened.arranged and renewed:
                self.request_pages()

    def _try_again(self) -> None:
        """Read what failed and is in view, without having been asked."""
        opened = self._collections.current
        if opened is not None:
            opened.rows.queue.retry(awaited=False)
        self.request_pages()

    def _read_round(self) -> None:
        """Read what a round of watching wants."""
        opened = self._collections.current
        if opened is not None and not opened.arranged:
            opened.anchor = self._cursor.position
        self.request_pages()
