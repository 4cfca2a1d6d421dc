"""The tabs of a record: the fixed ones, then one for each collection under the record."""

from collections.abc import Sequence

from textual.binding import Binding, BindingType

from svc_tui.core.catalog import Collection
from svc_tui.ui.text import measure, shorten, visible
from svc_tui.ui.widgets.bars.tab_bar import GAP, Tab, TabBar

FIELDS, JSON, RAW, HISTORY = "record-fields", "record-json", "record-raw", "record-history"
NESTED = "record-nested"
FIXED_TABS = {"Record": FIELDS, "JSON": JSON, "Raw": RAW, "History": HISTORY}
"""The tabs that every record has, by name, with the id of what each shows."""

_MIN_NAME_CELLS = 4
"""Cells that the name of a collection keeps however narrow the tabs are."""

BINDINGS: list[BindingType] = [
    Binding("right_curly_bracket,ctrl+pagedown", "tab(1)", "Next tab", id="record.next_tab",
            tooltip="Show the next tab"),
    Binding("left_curly_bracket,ctrl+pageup", "tab(-1)", "Previous tab", id="record.previous_tab", show=False,
            tooltip="Show the previous tab"),
]  # fmt: skip
"""For the pane around."""


class RecordTabs(TabBar):
    """Knows the open tab, which stays open from record to record where they have it, until the pane is closed."""

    def __init__(self) -> None:
        super().__init__(list(map(Tab, FIXED_TABS)))
        self._under: tuple[Collection, ...] = ()
        self._wanted = ""

    @property
    def view(self) -> str:
        """The id of what the open tab shows."""
        return NESTED if self.collection is not None else FIXED_TABS[self.tabs[self.chosen].name]

    @property
    def collection(self) -> Collection | None:
        """The collection under the record whose tab is open."""
        at = self.chosen - len(FIXED_TABS)
        return self._under[at] if 0 <= at < len(self._under) else None

    @property
    def fitted_tabs(self) -> Sequence[Tab]:
        """The tabs, the names of collections as short as the room requires; whole where that is not enough."""
        names = [tab.name for tab in self.tabs]
        fixed, under = names[: len(FIXED_TABS)], names[len(FIXED_TABS) :]
        excess = sum(measure(name) + GAP for name in names) - GAP - self.room
        if excess > sum(max(0, measure(name) - _MIN_NAME_CELLS) for name in under):
            return self.tabs
        while excess > 0:
            longest = max(map(measure, under))
            at = next(at for at, name in enumerate(under) if measure(name) == longest)
            under[at] = shorten(under[at], longest - 1)
            excess -= 1
        return list(map(Tab, [*fixed, *under]))

    def has(self, under: Sequence[Collection]) -> bool:
        """Show tabs for a record with these collections under it; gives whether they are others than before."""
        if tuple(under) == self._under:
            return False
        self._under = tuple(under)
        names = [*FIXED_TABS, *(visible(collection.name) for collection in self._under)]
        self.tabs = list(map(Tab, names))
        with self.prevent(TabBar.Chosen):
            self.chosen = names.index(self._wanted) if self._wanted in names else 0
        return True

    def reset(self) -> None:
        """Open the first tab: the next record begins there too."""
        self._wanted, self.chosen = "", 0

    def opened(self) -> None:
        """The user opened the tab that is open: with another record that has none such, it comes back later."""
        self._wanted = self.tabs[self.chosen].name
