"""The part of the finder that is about its list: going through it, marking, exporting, showing it as a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo
from functools import partial
from typing import Protocol

from textual import events, on
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, OptionList
from textual.worker import WorkType

from svc_tui.core.records import Place
from svc_tui.search.record_search import Match
from svc_tui.search.result_rows import ResultRow
from svc_tui.ui.dialogs.dialog import Dialog, move_cursor, move_to_end
from svc_tui.ui.finder.results_list import Result, ResultDestination, ResultOption, ResultsList, Shown
from svc_tui.ui.keys.availability import DisabledReason, ExplainsAvailability
from svc_tui.ui.text import shorten, styled, visible

_TYPED_CELLS = 40
"""Cells of what was typed that the title of the table has room for."""

_WAITING, _SHOWING = "waiting", "showing"
"""The groups of the workers that wait until all is listed, and that show the table."""

_TYPED_SPACE = DisabledReason("In the search line, the space bar types a space. To mark a record, press ↓ first.")
_COVERED = DisabledReason("The results are masked. Press ctrl+o to unmask them.")
_ABOUT_LINES = frozenset({"move", "page", "end", "mark_here", "mark", "export", "table"})
"""The actions that are about lines of the list."""
_NOT_MARKED = "Only records can be marked. Press enter to open the saved request in the console."
_NOT_FOUND = "This record is not loaded and can't be marked. Press enter to open it."
_NOTHING_TO_EXPORT = "No records to export."
_NO_TABLE = "No records to show as a table."


class TakenOut(Shown, Protocol):
    """What lets records be shown elsewhere, and written to files."""

    @property
    def zone(self) -> tzinfo:
        """The time zone in which times are shown."""

    def export(self, matches: Sequence[Match], what: str) -> None:
        """Have records written to a file, once the user has said to which; `what` they are, in words."""


class ResultsDialog(ExplainsAvailability, Dialog[ResultDestination]):
    """Gives the record or the saved request that was chosen, or None.

    Space is a letter of the line until the user goes to a line of the list, and again once something is typed, or the
    cursor is moved in the line.
    A subclass composes a `ResultsList` in a `DialogFrame`, and says what is sought and how things stand.
    """

    BINDINGS = [
        Binding("up", "move(-1)", "Up", show=False, id="finder.up", tooltip="Move up"),
        Binding("down", "move(1)", "Down", show=False, id="finder.down", tooltip="Move down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="finder.page_up", tooltip="Move up one page"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="finder.page_down",
                tooltip="Move down one page"),
        # The ids of the former list of references in a record stay (guide, "Compatibility").
        Binding("up", "move(-1)", "Up", show=False, id="pointers.up", tooltip="Move up"),
        Binding("down", "move(1)", "Down", show=False, id="pointers.down", tooltip="Move down"),
        Binding("ctrl+home", "end(-1)", "First", show=False, id="pointers.first", tooltip="Go to the first result"),
        Binding("ctrl+end", "end(1)", "Last", show=False, id="pointers.last", tooltip="Go to the last result"),
        Binding("space", "mark_here", "Mark", id="finder.mark", priority=True,
                tooltip="Mark or unmark the record"),
        Binding("insert,shift+down", "mark", "Mark while typing", show=False, id="finder.mark_typing",
                tooltip="Mark or unmark the record while typing"),
        Binding("ctrl+e", "export", "Export", id="finder.export", priority=True,
                tooltip="Export the marked records, or all that are listed"),
        Binding("ctrl+t", "table", "As a table", id="finder.table", priority=True,
                tooltip="Show the marked records, or all that are listed, as a table"),
    ]  # fmt: skip

    results = query_one(ResultsList)

    def __init__(self, taken_out: TakenOut) -> None:
        super().__init__()
        self._taken_out = taken_out
        self._notice = ""
        """What is said until the next key."""
        self._in_list = False
        """Whether the user is in the list, where space marks, and not in the line, where it is typed."""

    @property
    @abstractmethod
    def sought(self) -> str:
        """What is sought: what was typed, or the id of what the records point at."""

    @property
    @abstractmethod
    def typed(self) -> str:
        """What was typed of it."""

    @property
    @abstractmethod
    def fit_words(self) -> str:
        """How many records fit, also those that are not listed."""

    @property
    @abstractmethod
    def esc_stops(self) -> bool:
        """True if Esc stops loading instead of closing the dialog."""

    @property
    @abstractmethod
    def heading(self) -> Content:
        """What the list is of."""

    @abstractmethod
    def say_state(self) -> None:
        """Say how things stand, and the notice."""

    @abstractmethod
    def draw_anew(self) -> None:
        """Draw the list as wide as it can be now, and as it may be shown now."""

    @property
    @abstractmethod
    def is_search_repeated(self) -> bool:
        """Whether all that fits is listed but for what has been loaded since, which is being searched."""

    @abstractmethod
    async def all_listed(self) -> None:
        """Wait until all that fits is listed: what is exported or shown is never a part that came first."""

    @abstractmethod
    async def best_listed(self) -> None:
        """Wait until the search under way has ended: what is opened is the best of all that was searched."""

    # The line or the list

    def go_to_line(self, *, in_list: bool = False) -> None:
        """Keys go to the line from now on, or to the list."""
        self._in_list = in_list
        self.say_keys()

    def say_keys(self) -> None:
        """Name the keys, those of the line or those of the list."""
        space = "space mark" if self._in_list else "↓ into the list"
        escape = "esc stop loading" if self.esc_stops else "esc close"
        self.name_keys(f"enter open · {space} · ctrl+e export · ctrl+t table · {escape}")

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Space is typed while the user is in the line; while nothing is to be seen, nothing is done with it."""
        if self._under_cover is not None and action in _ABOUT_LINES:
            return _COVERED
        return _TYPED_SPACE if action == "mark_here" and not self._in_list else None

    def action_move(self, direction: int) -> None:
        """Go to the line below, or the one above."""
        if self.results.results:
            move_cursor(self.results, direction)
            self.go_to_line(in_list=True)

    def action_page(self, direction: int) -> None:
        """Go down by as many lines as are in view, or up."""
        if self.results.results:
            self.results.move_page(direction)
            self.go_to_line(in_list=True)

    def action_end(self, direction: int) -> None:
        """Go to the last line, or the first one."""
        if self.results.results:
            move_to_end(self.results, direction)
            self.go_to_line(in_list=True)

    # Choosing

    @on(Input.Submitted)
    def _open(self, event: Input.Submitted) -> None:
        event.stop()
        if self._in_list:
            self._leave_for_chosen()
        elif self.is_search_repeated:
            self._leave_for_best()
        else:
            # Enter follows the last letter within milliseconds: the best that fits may not be listed yet.
            self._once(self.best_listed, self._leave_for_best)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        # The list may be another by now: the line itself tells what was clicked.
        assert isinstance(event.option, ResultOption)
        self._leave_for(event.option.result)

    def _leave_for_best(self) -> None:
        if not self._in_list:
            # Whoever went to a line meanwhile wants something else.
            self._leave_for_chosen()

    def _leave_for_chosen(self) -> None:
        if self.results.chosen is not None:
            self._leave_for(self.results.chosen)

    def _leave_for(self, result: Result) -> None:
        self.dismiss(result.place if isinstance(result, Match) else result)

    # Marking, and taking out

    def action_mark_here(self) -> None:
        """Mark the record, or take its mark away, and go on to the next line."""
        unread = isinstance(self.results.chosen, Place)
        self._notice = "" if self.results.toggle_mark() else _NOT_FOUND if unread else _NOT_MARKED
        self.say_state()

    def action_mark(self) -> None:
        """Do so also while the user is in the line."""
        if self.results.results:
            self.go_to_line(in_list=True)
            self.action_mark_here()

    def action_export(self) -> None:
        """Have the marked records, or all that are listed, written to a file."""
        self._once(self.all_listed, self._export)

    def action_table(self) -> None:
        """Show the marked records, or all that are listed, as a table."""
        self._once(self.all_listed, self._table)

    def _once(self, listed: Callable[[], Awaitable[None]], act: Callable[[], None]) -> None:
        """Do so as soon as what is wanted is listed, in the place of what waited for that before."""
        # Not a coroutine: where the next key comes before the worker begins, it would never be awaited.
        work: WorkType[None] = partial(self._wait_and, listed, act)
        self.run_worker(work, group=_WAITING, exclusive=True)

    async def _wait_and(self, listed: Callable[[], Awaitable[None]], act: Callable[[], None]) -> None:
        await listed()
        if self.is_current:
            act()

    @on(events.ScreenSuspend)
    def wait_for_nothing(self) -> None:
        """Something else is sought now, or shown over this: what waits until all is listed is not done."""
        self.workers.cancel_group(self, _WAITING)

    def _export(self) -> None:
        if matches := self._matches_or(_NOTHING_TO_EXPORT):
            self._taken_out.export(matches, self._words_for(matches))

    def _matches_or(self, notice: str) -> Sequence[Match]:
        """The records that are marked, or all that are listed; where there are none, that is said."""
        matches = self.results.taken_out()
        if not matches:
            self._notice = notice
            self.say_state()
        return matches

    def _words_for(self, matches: Sequence[Match]) -> str:
        """What these are: those that are marked, or all that are listed, of how many where more fit."""
        if self.results.marks:
            return f"{len(matches):,} marked"
        rest = "" if self.fit_words == f"{len(matches):,}" else f" of {self.fit_words}"
        return f"{len(matches):,} listed{rest}"

    def _table(self) -> None:
        if matches := self._matches_or(_NO_TABLE):
            self.run_worker(self._show_table(matches), group=_SHOWING, exclusive=True)

    async def _show_table(self, matches: Sequence[Match]) -> None:
        from svc_tui.ui.finder.results_screen import ResultsScreen

        taken_out, sought, what = self._taken_out, self.sought, self._words_for(matches)

        def row(match: Match) -> ResultRow:
            return ResultRow.of(match, taken_out.seen(match), sought, taken_out.now())

        def export(chosen: Sequence[Match]) -> None:
            taken_out.export(chosen, what)

        title = self.heading
        if self.typed:
            title = Content.assemble(title, " · ", styled(shorten(visible(self.typed), _TYPED_CELLS)))
        title = Content.assemble(title, f" · {what}")
        place = await self.app.push_screen_wait(ResultsScreen(title, matches, row, export, taken_out.zone))
        if place is not None:
            self.dismiss(place)
            return
        # The terminal may have another size by now.
        self.call_after_refresh(self.draw_anew)
