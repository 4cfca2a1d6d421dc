"""A collection under a record, in a tab of that record: a table like any other, in the frame of the record."""

from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from svc_tui.core.catalog import Collection
from svc_tui.ui.table.table_pane import TablePane

LOAD_DELAY_SECONDS = 0.25
"""Seconds that a record must stay on show before what hangs under it is asked for; a cursor may be passing by."""


class NestedPane(TablePane):
    """Shows one of a record's collections; asks the service for nothing before it is to be seen."""

    DEFAULT_CSS = """
    NestedPane { height: 1fr; }
    NestedPane > CollectionTabs.-several { display: none; }
    """

    @dataclass
    class FrameChanged(Message):
        """What the frame is to tell: how much is in view of how much, and the state of it."""

        count: str
        state: Content

    _delay_timer: Timer | None = None

    def on_mount(self) -> None:
        """Take away the table's own frame."""
        self.remove_class("pane")

    def show_collection(self, collection: Collection | None, *, delayed: bool = False) -> None:
        """Show this collection, at once or after a moment; None: nothing is to be seen."""
        if self._delay_timer is not None:
            self._delay_timer.stop()
            self._delay_timer = None
        if collection == self.collection:
            return
        if delayed or collection is None:
            self.show_nothing()
            self.write_frame(Content(""), "", Content(""))
        if collection is None:
            return
        if delayed:
            self._delay_timer = self.set_timer(LOAD_DELAY_SECONDS, lambda: self.open(collection))
        else:
            self.open(collection)

    def write_frame(self, name: Content, count: str, state: Content) -> None:
        """Tell the record's pane."""
        self.post_message(self.FrameChanged(count, state))
