"""Tabs on a single line: names with marks, one chosen, a note at the right end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from svc_tui.ui.text import measure, shorten, visible

GAP = 2
_MORE_LEFT, _MORE_RIGHT = "‹ ", " ›"


class Tab(Struct, frozen=True):
    """A tab with a `name`, and a short `mark` in a style; gray unless `enabled`."""

    name: str
    mark: str = ""
    style: str = "$role-muted"
    enabled: bool = True


class TabBar(Widget, can_focus=True):
    """A line of tabs: left and right choose another one, also a click; down goes into it."""

    DEFAULT_CSS = """
    TabBar {
        height: 1;
        width: 1fr;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Previous tab", show=False, id="tabs.before"),
        Binding("right,l", "step(1)", "Next tab", show=False, id="tabs.next"),
        Binding("down,j", "app.focus_next", "Into the tab", show=False, id="tabs.into"),
    ]

    tabs: reactive[Sequence[Tab]] = reactive(())
    chosen: reactive[int] = reactive(0)
    note: reactive[str] = reactive("")

    @dataclass
    class Chosen(Message):
        """The choice of another tab."""

        line: "TabBar"
        index: int

        @property
        def control(self) -> "TabBar":
            """The sender."""
            return self.line

    def __init__(self, tabs: Sequence[Tab], *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.set_reactive(TabBar.tabs, tabs)

    def action_step(self, direction: int) -> None:
        """Choose the next or the previous tab; after the last comes the first."""
        self.chosen = (self.chosen + direction) % len(self.tabs)

    def watch_chosen(self, chosen: int) -> None:
        """Post the choice."""
        self.post_message(self.Chosen(self, chosen))

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        for index, start, end in self._places():
            if start <= event.x < end:
                self.chosen = index

    def render(self) -> Content:
        """Draw the tabs in view, and the note."""
        first, until = self._window()
        drawn = [self._drawn(tab, chosen=index == self.chosen) for index, tab in enumerate(self.fitted_tabs)]
        line = Content.assemble(
            (_MORE_LEFT, "$role-accent") if first else "",
            Content(" " * GAP).join(drawn[first:until]),
            (_MORE_RIGHT, "$role-accent") if until < len(drawn) else " " * GAP,
        )
        room = self.size.width - line.cell_length
        if self.note and room > 1:
            note = shorten(visible(self.note), room)
            line = Content.assemble(line, " " * (room - Content(note).cell_length), (note, "$role-muted"))
        return line

    def _drawn(self, tab: Tab, *, chosen: bool) -> Content:
        focused = "reverse " if self.has_focus else "underline "
        style = f"bold {focused}$role-accent" if chosen else "$role-foreground" if tab.enabled else "$role-muted"
        mark = Content.assemble(" ", (visible(tab.mark), tab.style)) if tab.mark else Content("")
        return Content.assemble((tab.name, style), mark)

    def _window(self) -> tuple[int, int]:
        """Return the range of the tabs in view, which includes the chosen one."""
        widths = [self._drawn(tab, chosen=False).cell_length + GAP for tab in self.fitted_tabs]
        room = self.room + GAP
        if sum(widths) <= room:
            return 0, len(widths)
        room -= len(_MORE_LEFT) + len(_MORE_RIGHT)
        first = until = min(self.chosen, len(widths) - 1)
        taken = 0
        # Grow from the chosen tab to the right, then to the left, as far as there is room.
        while until < len(widths) and taken + widths[until] <= room:
            taken += widths[until]
            until += 1
        while first and taken + widths[first - 1] <= room:
            first -= 1
            taken += widths[first]
        return first, max(until, first + 1)

    @property
    def fitted_tabs(self) -> Sequence[Tab]:
        """The tabs as they are drawn; a subclass may shorten their names."""
        return self.tabs

    @property
    def room(self) -> int:
        """The number of cells for the tabs."""
        return self.size.width - self._note_cells

    @property
    def _note_cells(self) -> int:
        """The number of cells kept for the note, which is about the chosen tab; the others can be scrolled to."""
        return min(measure(visible(self.note)) + GAP, self.size.width // 2) if self.note else 0

    def _places(self) -> list[tuple[int, int, int]]:
        """Return the indexes of the tabs in view, with the columns at which they begin and end."""
        first, until = self._window()
        places, at = [], len(_MORE_LEFT) if first else 0
        for index in range(first, until):
            end = at + self._drawn(self.fitted_tabs[index], chosen=False).cell_length
            places.append((index, at, end))
            at = end + GAP
        return places
