"""Finding a text in what a pane shows: the line it is typed in, and going from place to place."""

from collections.abc import Callable

from textual.binding import Binding, BindingType
from textual.widget import Widget

from svc_tui.ui.keys.availability import NOTHING_SOUGHT, NOTHING_TO_FIND_IN
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.record.field_list import FieldList
from svc_tui.ui.widgets.text.text_view import TextView

BINDINGS: list[BindingType] = [
    Binding("slash", "find", "Search", id="record.find", key_display="/",
            tooltip="Search names and values, also in collapsed fields"),
    Binding("n", "find_step(1)", "Next match", id="record.find_next", show=False, tooltip="Go to the next match"),
    Binding("N", "find_step(-1)", "Previous match", id="record.find_previous", show=False,
            tooltip="Go to the previous match"),
]  # fmt: skip
"""For the pane around."""


class TextSearch:
    """Finds in `view()`, where that can be searched, what is typed in `line()`.

    Calls `on_change` when something else was found or given up.
    """

    def __init__(
        self, line: Callable[[], FindInput], view: Callable[[], Widget], on_change: Callable[[], None]
    ) -> None:
        self._line, self._view, self._on_change = line, view, on_change
        self._needle = ""

    @property
    def _finder(self) -> FieldList | TextView | None:
        view = self._view()
        return view if isinstance(view, FieldList | TextView) else None

    @property
    def note(self) -> str:
        """Which of how many places is shown; "" where none is."""
        position = self._finder.match_position if self._needle and self._finder is not None else None
        return f"{position[0]:,} of {position[1]:,}" if position else ""

    @property
    def is_active(self) -> bool:
        """Whether anything is looked for."""
        return bool(self._needle)

    def noop_reason(self, *, again: bool) -> str:
        """Why there is nothing to find, or to find `again`; "" where there may be."""
        if self._finder is None:
            return NOTHING_TO_FIND_IN
        return NOTHING_SOUGHT if again and not self._needle else ""

    def ask(self) -> None:
        """Open the line to type in."""
        if self._finder is not None:
            self._line().start(self._needle)

    def search(self, needle: str) -> bool:
        """Go to the first place, "" gives up; False: there is none, and the line stays open and says so."""
        self._needle = needle
        anything = self._finder is not None and self._finder.find(needle)
        if anything or not needle:
            self._line().close()
        else:
            self._line().hint("no matches")
        self._on_change()
        return anything or not needle

    def step(self, direction: int) -> None:
        """Go to the next match, or the one before."""
        if self._finder is None:
            return
        if direction > 0:
            self._finder.find_next()
        else:
            self._finder.find_previous()
        self._on_change()

    def give_up(self) -> bool:
        """Look for nothing any more; gives whether anything was looked for."""
        return self.is_active and self.search("")

    def forget(self) -> None:
        """Forget the search: something else is shown."""
        self._line().close()
        self._needle = ""
