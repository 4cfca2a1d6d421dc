"""Watching the collection on show: what is in view is read again every few seconds, and what changed is marked."""

from collections.abc import Callable, Mapping, Sequence

from textual.timer import Timer
from textual.widget import Widget

from svc_tui.core.records import Record
from svc_tui.records.watched_changes import CollectionWatch, RowChanges
from svc_tui.service.retry import Backoff
from svc_tui.service.traffic import Throttled, TrafficEvent
from svc_tui.ui.keys.command import Command
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections
from svc_tui.ui.widgets.table.record_table import RecordTable

ROUND_DELAY_SECONDS, MAX_DELAY_SECONDS = 5.0, 60.0
"""Seconds between the end of a round and the next one; at most, after rounds that failed or were held back."""


class CollectionWatcher:
    """Begins rounds for the collection on show and ends them; `read` asks for the pages that a round wants.

    A round waits for the one before it, and for the pane to be seen by the user: on the screen of a terminal that has
    the focus.
    """

    def __init__(
        self, pane: Widget, table: RecordTable, collections: OpenCollections, read: Callable[[], None]
    ) -> None:
        self._pane, self._table, self._collections, self._read = pane, table, collections, read
        self._patience = Backoff(ROUND_DELAY_SECONDS, MAX_DELAY_SECONDS)
        self._timer: Timer | None = None
        self._round_failed = False

    def command(self) -> Command:
        """What the palette offers: to watch, or to stop."""
        opened = self._collections.current
        if opened is not None and opened.watch is not None:
            return Command("Stop watching", "Stop refreshing the table automatically", self._stop)
        title = "Watch: refresh the table every few seconds"
        return Command(title, "Show ~ in changed cells and + beside new records", self._start)

    def show(self) -> None:
        """Watch the collection that is shown now, if it is to be watched."""
        opened = self._collections.current
        self._table.news = RowChanges()
        self._patience = self._patience.anew()
        if opened is not None and opened.watch is not None:
            self._ended(opened)
            self._table.news = opened.watch.news
            if not opened.watch.under_way:
                self._wait()

    def records_arrived(self, opened: OpenCollection, *, failed: bool = False) -> None:
        """A page of the collection was read, or could not be."""
        self._round_failed = self._round_failed or failed
        if self._ended(opened) and opened is self._collections.current:
            assert opened.watch is not None
            self._table.news = opened.watch.news
            self._patience = self._patience.longer() if self._round_failed else self._patience.anew()
            self._wait()

    def handle_traffic(self, event: TrafficEvent) -> None:
        """A round that the service holds back goes badly: the next one comes later."""
        if isinstance(event, Throttled) and event.until is not None:
            self._round_failed = True

    def _start(self) -> None:
        if (opened := self._collections.current) is not None:
            opened.watch = CollectionWatch()
            self._begin(opened)

    def _stop(self) -> None:
        if (opened := self._collections.current) is not None:
            opened.watch = None
            self.show()
            self._read()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._pane.set_timer(self._patience.seconds, self._due)

    def _due(self) -> None:
        self._timer = None
        opened = self._collections.current
        if opened is None or opened.watch is None or opened.watch.under_way:
            return
        if self._pane.app.app_focus and self._pane.is_on_screen:
            self._begin(opened)
        else:
            self._wait()

    def _begin(self, opened: OpenCollection) -> None:
        assert opened.watch is not None
        pages = _pages_in_view(opened, self._table.view)
        if not pages:
            self._wait()
            return
        self._round_failed = False
        opened.watch = opened.watch.begin(pages)
        opened.renewing = True
        opened.rows.queue.refresh(pages)
        self._read()

    def _ended(self, opened: OpenCollection) -> bool:
        """Whether a round of the collection ends now: every page of it was read, or failed, or is no more."""
        watch, rows = opened.watch, opened.rows
        if watch is None or not watch.under_way or rows.queue.refreshing(watch.before):
            return False
        last = None if rows.total is None else rows.page_of(max(0, rows.total - 1))
        opened.watch = watch.ended({number: rows.page_records(number) for number in watch.before}, last)
        return True


def _pages_in_view(opened: OpenCollection, view: tuple[int, int]) -> Mapping[int, Sequence[Record]]:
    """The pages that the rows in view are on, as far as they are held."""
    numbers = {opened.shown.page_of(row) for row in range(*view)}
    return {number: opened.rows.page_records(number) for number in numbers.intersection(opened.rows.pages)}
