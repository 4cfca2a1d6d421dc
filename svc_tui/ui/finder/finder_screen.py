"""The finder: one line over everything, and the records of all collections that fit what is typed in it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from time import perf_counter
from typing import Protocol

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import WorkType

from svc_tui.domain.http.redact import holds_secret
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.record_index import IndexProblem
from svc_tui.domain.search.record_search import MAX_MATCHES, Match, RecordSearch, SearchedRows
from svc_tui.domain.search.referring import Referring
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.search_menu import SearchMenu
from svc_tui.ui.finder.hit_line import hit_line
from svc_tui.ui.navigation.goto_dialog import NOT_TAKEN, PlaceInput
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

_AT_ONCE_SECONDS, _SLICE_SECONDS, _PAUSE_SECONDS = 0.006, 0.004, 0.001
"""Seconds of searching before anything is painted; then at a time, and between: painting takes its turns."""

_LINES_IN_VIEW, _FEW_LINES, _MIN_LINE_CELLS = 14, 4, 40
"""Lines that are drawn at once; then at a time; and how wide they are at least."""

_ROWS_BESIDE = 9
"""Rows that all but the list takes: the frame, the lines over and under the list, and the blank ones around."""

_REFRESH_SECONDS = 0.25
"""Seconds between two looks at what was read meanwhile."""

_GROUP, _OFFERING = "search", "offering"
"""The groups of the workers that go on with a search, and that offer to read more."""


class Findable(Protocol):
    """What the finder searches."""

    @property
    def secrets(self) -> Sequence[str]:
        """Texts that are never taken."""

    def sources(self) -> Sequence[SearchedRows]:
        """The records held now, those that count first."""

    @property
    def index_held(self) -> bool:
        """Whether there is an index that can be searched."""

    def indexed(self, text: str, referring: Referring | None) -> AsyncGenerator[Sequence[SearchedRows], None]:
        """What the index has besides, those likely to fit best first; may raise IndexProblem."""

    def seen(self, match: Match) -> Record:
        """The record of a match, as it may be shown."""

    def now(self) -> float:
        """The monotonic clock."""


class Readable(Protocol):
    """What more may be read to be searched, and how far that has come."""

    @property
    def reading(self) -> bool:
        """Whether collections are being read."""

    @property
    def changes(self) -> int:
        """How often something changed of what was read, or is being read."""

    def state(self, searched: Sequence[SearchedRows]) -> str:
        """What is searched, and what is being read, in one line."""

    def problem(self) -> str:
        """What could not be read, and why; "" where nothing failed."""

    def offers(self) -> Sequence[tuple[Content, Callable[[], None]]]:
        """What more can be read, what each of it costs, and what begins it."""

    def stop_reading(self) -> None:
        """Read no further; what was read stays."""


class HitOption(Option):
    """A line of the list, and where it leads."""

    def __init__(self, line: Content, place: Place) -> None:
        super().__init__(line)
        self.place = place


class FinderScreen(Dialog[Place]):
    """Gives the record that was chosen, or None. It finds at every key, first in what is held."""

    DEFAULT_CSS = """
    FinderScreen { align: center top; }
    FinderScreen > #dialog { width: 108; margin-top: 1; }
    FinderScreen OptionList { height: 14; margin-top: 1; }
    FinderScreen OptionList > .option-list--option { padding: 0; }
    FinderScreen #state { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    FinderScreen .problem { height: auto; min-height: 1; max-height: 2; }
    """

    BINDINGS = [
        Binding("up", "move(-1)", "Up", show=False, id="finder.up", tooltip="To the record above"),
        Binding("down", "move(1)", "Down", show=False, id="finder.down", tooltip="To the record below"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="finder.page_up", tooltip="A page of records up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="finder.page_down",
                tooltip="A page of records down"),
        Binding("ctrl+l", "read", "Read more", id="finder.read", priority=True,
                tooltip="Read collections to their end and search them too"),
    ]  # fmt: skip

    line = query_one(PlaceInput)
    results = query_one(ChangingList)

    def __init__(
        self, findable: Findable, readable: Readable, text: str = "", referring: Referring | None = None
    ) -> None:
        """Make it; `text` is in its line already. With `referring` it lists what points at a record."""
        super().__init__()
        self._findable, self._readable, self._referring = findable, readable, referring
        self._text = "" if holds_secret(text, findable.secrets) else text
        """What is looked for: what is in the line, unless that looks like a secret."""
        self._notice = ""
        """What is said until the next key."""
        self._search = RecordSearch((), "")
        self._index_left = False
        """Whether the index is still to be searched."""
        self._index_rows: list[SearchedRows] = []
        """What it gave when it was searched last."""
        self._more = False
        """Whether the index holds more that may fit."""
        self._matches: Sequence[Match] = ()
        self._changes = readable.changes
        """How often something had changed at the last search."""

    def compose(self) -> ComposeResult:
        """The line, how much is searched, what fits, and room for what failed."""
        title = Content("Find") if self._referring is None else styled(f"What points at {self._referring.place.id}")
        about = "an id, a name, any text" if self._referring is None else "narrow them: any text"
        with DialogFrame(title, "enter open · ctrl+l read more · esc back"):
            yield PlaceInput(self._text, self._findable.secrets, f"{about}   field:text   field>10")
            yield Static("", classes="hint", id="state", markup=False)
            found = ChangingList(markup=False)
            found.can_focus = False
            yield found
            yield Static("", classes="problem", markup=False)

    def on_mount(self) -> None:
        """Search for what is in the line already, and get ready for the first key."""
        self._begin()
        self._looks = self.set_interval(_REFRESH_SECONDS, self._take_in)

    # Searching

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        secret = holds_secret(event.value, self._findable.secrets)
        # What looks like a secret stands on no screen, and is looked for nowhere.
        self.line.password = secret
        self._text, self._notice = ("", NOT_TAKEN) if secret else (event.value, "")
        self._begin()

    @on(PlaceInput.SecretPasted)
    def _refuse(self) -> None:
        self._notice = NOT_TAKEN
        self._say_state()

    def _begin(self) -> None:
        wanted = bool(self._text.strip()) or self._referring is not None
        self._index_left, self._more = wanted and self._findable.index_held, False
        self._search = RecordSearch(self._findable.sources(), self._text, self._referring, more=self._index_left)
        if self._index_left:
            # Until the index answers: what it gave for the last key is likely to fit this one too.
            self._search.extend(self._index_rows)
        self._draw(searching=self._work(_AT_ONCE_SECONDS))

    def _draw_anew(self) -> None:
        """Draw the lines as wide as they can be now, and as they may be shown now."""
        if not self.is_current:
            # It was closed since.
            return
        self._draw(searching=not self._search.done)

    def _draw(self, *, searching: bool) -> None:
        """Draw what is in view; what is left to draw, and to search, follows."""
        self.workers.cancel_group(self, _GROUP)
        self._show()
        if searching or self._lines_left or self._index_left:
            # Not a coroutine: where the next key comes before the worker begins, it would never be awaited.
            work: WorkType[None] = partial(self._go_on, searching)
            self.run_worker(work, group=_GROUP)

    async def _go_on(self, searching: bool) -> None:
        while searching:
            await asyncio.sleep(_PAUSE_SECONDS)
            searching = self._work(_SLICE_SECONDS)
            if not searching:
                self._show()
        if self._index_left:
            await self._search_index()
        while self._lines_left:
            await asyncio.sleep(_PAUSE_SECONDS)
            self._draw_more(_FEW_LINES)

    async def _search_index(self) -> None:
        """Take in what the index has, until that is all or there is more than is shown."""
        before, self._index_rows = self._index_rows, []
        try:
            async with aclosing(self._findable.indexed(self._text, self._referring)) as batches:
                async for batch in batches:
                    self._search.extend(batch)
                    self._index_rows += batch
                    searching = True
                    while searching:
                        searching = self._work(_SLICE_SECONDS)
                        await asyncio.sleep(_PAUSE_SECONDS)
                    self._more = len(self._search.best()) >= MAX_MATCHES
                    if self._more:
                        break
                    if len(self._search.best()) != len(self._matches):
                        self._show()
        except IndexProblem as error:
            self._notice = str(error)
        self._index_left = False
        self._search.forget(before)
        self._show()

    def _work(self, seconds: float) -> bool:
        """Search for so many seconds; gives whether anything is left to look at."""
        end = perf_counter() + seconds
        while self._search.step():
            if perf_counter() >= end:
                return True
        return False

    @property
    def _lines_left(self) -> bool:
        return self.results.option_count < len(self._matches)

    def _show(self) -> None:
        """Show what fits best so far; the cursor stays on its record where the user has moved it to one."""
        chosen = self._chosen if self.results.highlighted else None
        self._matches = self._search.best()
        self.results.clear_options()
        places = [match.place for match in self._matches]
        at = places.index(chosen.place) if chosen is not None and chosen.place in places else 0
        self._draw_more(max(at + 1, _LINES_IN_VIEW))
        self.results.highlighted = at if places else None
        self._say_state()

    def _draw_more(self, count: int) -> None:
        """Draw the next so many of the lines that are not drawn yet: each record is unpacked for it."""
        findable, now = self._findable, self._findable.now()
        text = self._text if self._referring is None else self._referring.place.id
        cells = max(_MIN_LINE_CELLS, self.results.size.width - 2)
        drawn = self.results.option_count
        self.results.add_options(
            HitOption(hit_line(match, findable.seen(match), text, now, cells), match.place)
            for match in self._matches[drawn : drawn + count]
        )

    def _say_state(self) -> None:
        count = f"{self._search.count:,}{' and more' if self._more else ''}"
        if self._referring is not None:
            found = f"{count} point here, of "
        else:
            found = f"{count} fit of " if self._text.strip() else ""
        self.query_one("#state", Static).update(visible(f"{found}{self._readable.state(self._findable.sources())}"))
        self.query_one(".problem", Static).update(visible(self._notice or self._readable.problem()))

    def _take_in(self) -> None:
        """Take in what was read since the last look; say how far reading has come."""
        changes = self._readable.changes
        if changes != self._changes and self._search.done:
            self._changes = changes
            self._begin()
        elif self._readable.reading:
            self._say_state()

    def on_resize(self) -> None:
        """Give the list the rows that the rest leaves, and draw the lines as wide as they can be now."""
        self.results.styles.height = max(1, min(_LINES_IN_VIEW, self.size.height - _ROWS_BESIDE))
        if self.results.size.width:
            self.call_after_refresh(self._draw_anew)

    def mask_toggled(self, on: bool) -> None:
        """Cover what was drawn before personal data is hidden; what is drawn from now on may be shown as it is."""
        super().mask_toggled(on)
        if not on:
            self._masked = False
            # What is covered has no width.
            self.call_after_refresh(self._draw_anew)

    def dismiss(self, result: Place | None = None) -> AwaitComplete:
        """Close; what is still searched and drawn would have no list to be shown in."""
        self._looks.stop()
        self.workers.cancel_group(self, _GROUP)
        return super().dismiss(result)

    # Choosing

    @property
    def _chosen(self) -> Match | None:
        at = self.results.highlighted
        return self._matches[at] if at is not None and at < len(self._matches) else None

    @on(Input.Submitted)
    def _open(self, event: Input.Submitted) -> None:
        event.stop()
        if self._chosen is not None:
            self.dismiss(self._chosen.place)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        # The list may be another by now: the line itself tells what was clicked.
        assert isinstance(event.option, HitOption)
        self.dismiss(event.option.place)

    def action_move(self, direction: int) -> None:
        """Go to the record below, or the one above."""
        if self._matches:
            move_cursor(self.results, direction)

    def action_page(self, direction: int) -> None:
        """Go down by as many records as are in view, or up."""
        if self._matches:
            self.results.move_page(direction)

    # Reading more

    def action_read(self) -> None:
        """Choose which collections are to be read to their end."""
        if self._readable.reading:
            return
        self.run_worker(self._choose_reading(), group=_OFFERING, exclusive=True)

    async def _choose_reading(self) -> None:
        offers = self._readable.offers()
        if not offers:
            self._notice = "All of every collection is searched already."
            self._say_state()
            return
        start = await self.app.push_screen_wait(SearchMenu[Callable[[], None]]("Read and search", offers))
        if start is not None:
            start()

    def action_cancel(self) -> None:
        """Stop reading; where nothing is read, close the finder."""
        if self._readable.reading:
            self._readable.stop_reading()
        else:
            self.dismiss(None)
