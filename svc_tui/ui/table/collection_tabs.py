"""The tabs of the collections that are open; there is no line where it is only one."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from svc_tui.core.catalog import Collection
from svc_tui.ui.table import title
from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar


class CollectionTabs(TabBar, can_focus=False, inherit_bindings=False):
    """One tab for each collection, the one on show chosen; a click or a step wants another."""

    DEFAULT_CSS = """
    CollectionTabs {
        display: none;
        &.-several { display: block; }
    }
    """

    @dataclass
    class CollectionWanted(Message):
        """Another of the collections that are open is to be shown."""

        collection: Collection

    def __init__(self) -> None:
        super().__init__([])
        self._open: tuple[Collection, ...] = ()
        self._here: Collection | None = None

    def show(self, collections: Sequence[Collection], here: Collection | None) -> None:
        """Show tabs for these, `here` being on show."""
        self._open, self._here = tuple(collections), here
        self.tabs = [Tab(title.tab_label(collection)) for collection in self._open]
        self.set_class(len(self._open) > 1, "-several")
        if here in self._open:
            with self.prevent(TabBar.Chosen):
                self.chosen = self._open.index(here)

    def step(self, tabs: int) -> None:
        """Go to another tab, from the last to the first and back."""
        if len(self._open) > 1:
            self.action_step(tabs)

    def on_tab_bar_chosen(self, event: TabBar.Chosen) -> None:
        """Tell which collection that is."""
        event.stop()
        if event.index < len(self._open) and self._open[event.index] != self._here:
            self.post_message(self.CollectionWanted(self._open[event.index]))
