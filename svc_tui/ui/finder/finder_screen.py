"""The finder: one line over everything, and what fits what is typed in it, of all collections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static
from textual.worker import WorkType

from svc_tui.domain.app.tour import OpenDialog
from svc_tui.domain.data.counted import counted
from svc_tui.domain.http.redact import holds_secret
from svc_tui.domain.model.records import Place
from svc_tui.domain.search.record_index import IndexProblem
from svc_tui.domain.search.record_search import MAX_MATCHES, Match, RecordSearch, SearchedRows, common_problem
from svc_tui.domain.search.referring import Referring
from svc_tui.ui.dialogs.dialog import DialogFrame
from svc_tui.ui.dialogs.search_menu import SearchMenu
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.finder.results_dialog import ResultsDialog, TakenOut
from svc_tui.ui.finder.results_list import Destination, ResultsList
from svc_tui.ui.navigation.goto_dialog import NOT_TAKEN, PlaceInput
from svc_tui.ui.text import styled, visible

if TYPE_CHECKING:
    from svc_tui.domain.console.saved_requests import SavedRequest

_AT_ONCE_SECONDS, _SLICE_SECONDS, _PAUSE_SECONDS = 0.006, 0.004, 0.001
"""Seconds of searching before anything is painted; then at a time, and between: painting takes its turns."""

_MAX_ROWS = 14
"""Rows of the list at most."""

_ROWS_BESIDE = 9
"""Rows that all but the list takes: the frame, the lines over and under the list, and the blank ones around."""

_REFRESH_SECONDS = 0.25
"""Seconds between two looks at what was read meanwhile."""

_GROUP, _OFFERING = "search", "offering"
"""The groups of the workers that go on with a search, and that offer to read more."""


class Findable(TakenOut, Protocol):
    """What the finder searches."""

    @property
    def secrets(self) -> Sequence[str]:
        """Texts that are never taken."""

    def local_now(self) -> datetime:
        """The time, in the zone of the user."""

    def sources(self) -> Sequence[SearchedRows]:
        """The records held now, those that count first."""

    @property
    def index_held(self) -> bool:
        """Whether there is an index that can be searched."""

    def indexed(self, text: str, referring: Referring | None) -> AsyncGenerator[Sequence[SearchedRows], None]:
        """What the index has besides, those likely to fit best first; may raise IndexProblem."""

    def requests(self, text: str) -> Sequence[SavedRequest]:
        """The saved requests that fit."""

    def named(self, text: str) -> Place | None:
        """The record that `text` names, or whose id it looks like; None where it does neither."""


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


class FinderLine(PlaceInput):
    """The line of the finder, which leaves it to the finder when a space is typed."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Take all letters for itself but the space, so that its binding counts; one that is off leaves it here."""
        return key != "space" and super().check_consume_key(key, character)


@tour_name(OpenDialog.FINDER)
class FinderScreen(ResultsDialog):
    """Gives the record or the saved request that was chosen, or None. It finds at every key, first in what is held."""

    DEFAULT_CSS = """
    FinderScreen { align: center top; }
    FinderScreen > #dialog { width: 108; margin-top: 1; }
    FinderScreen OptionList { height: 14; margin-top: 1; }
    FinderScreen OptionList > .option-list--option { padding: 0; }
    FinderScreen #state { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    FinderScreen .problem { height: auto; min-height: 1; max-height: 2; }
    """

    BINDINGS = [
        Binding("ctrl+l", "read", "Load more", id="finder.read", priority=True,
                tooltip="Load more collections and search them"),
    ]  # fmt: skip

    line = query_one(FinderLine)

    def __init__(
        self, findable: Findable, readable: Readable, text: str = "", referring: Referring | None = None
    ) -> None:
        """Make it; `text` is in its line already. With `referring` it lists what points at a record."""
        super().__init__(findable)
        self._findable, self._readable, self._referring = findable, readable, referring
        self._text = "" if holds_secret(text, findable.secrets) else text
        """What is looked for: what is in the line, unless that looks like a secret."""
        self._search = RecordSearch((), "")
        self._index_left = False
        """Whether the index is still to be searched."""
        self._index_rows: list[SearchedRows] = []
        """What it gave when it was searched last."""
        self._more = False
        """Whether the index holds more that may fit."""
        self._requests: Sequence[SavedRequest] = ()
        """The saved requests that fit."""
        self._all_listed = asyncio.Event()
        """Set where all that is held, and the index, were searched for what is typed."""
        self._changes = readable.changes
        """How often something had changed at the last search."""

    def compose(self) -> ComposeResult:
        """The line, how much is searched, what fits, and room for what failed."""
        about = "id, name or any text" if self._referring is None else "filter: any text"
        with DialogFrame(self.heading):
            yield FinderLine(self._text, self._findable.secrets, f"{about}   field:text   field>10")
            yield Static("", classes="hint", id="state", markup=False)
            yield ResultsList(self._findable)
            yield Static("", classes="problem", markup=False)

    @property
    def heading(self) -> Content:
        """The title: what is looked for, where that is not typed."""
        return Content("Search") if self._referring is None else styled(f"References to {self._referring.place.id}")

    @property
    def sought(self) -> str:
        """What is typed, or the id of what the records point at."""
        return self._text if self._referring is None else self._referring.place.id

    @property
    def fit_words(self) -> str:
        """How many records fit, also those that are not listed."""
        return f"{self._search.count:,}{'+' if self._more else ''}"

    @property
    def typed(self) -> str:
        """What is typed, unless that looks like a secret."""
        return self._text.strip()

    def on_mount(self) -> None:
        """Search for what is in the line already, and get ready for the first key."""
        self._begin()
        self.watch(self.line, "selection", lambda: self.go_to_line(), init=False)
        self._looks = self.set_interval(_REFRESH_SECONDS, self._take_in)

    # Searching

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        secret = holds_secret(event.value, self._findable.secrets)
        # What looks like a secret stands on no screen, and is looked for nowhere.
        self.line.password = secret
        self._text, self._notice = ("", NOT_TAKEN) if secret else (event.value, "")
        self.go_to_line()
        self.wait_for_nothing()
        self._begin()

    @on(PlaceInput.SecretPasted)
    def _refuse(self) -> None:
        self._notice = NOT_TAKEN
        self.say_state()

    async def all_listed(self) -> None:
        """Wait until all that is held, and the index, were searched; it is listed by then."""
        await self._all_listed.wait()
        # Also what was read since it was looked at last.
        self._take_in()
        await self._all_listed.wait()

    def _begin(self) -> None:
        wanted = bool(self._text.strip()) or self._referring is not None
        self._index_left, self._more = wanted and self._findable.index_held, False
        # No request points at a record.
        self._requests = self._findable.requests(self._text) if self._referring is None else ()
        self._search = RecordSearch(
            self._findable.sources(),
            self._text,
            self._referring,
            more=self._index_left,
            now=self._findable.local_now(),
        )
        if self._index_left:
            # Until the index answers: what it gave for the last key is likely to fit this one too.
            self._search.extend(self._index_rows)
        self._draw(searching=self._work(_AT_ONCE_SECONDS))

    def draw_anew(self) -> None:
        """Draw the lines as wide as they can be now, and as they may be shown now."""
        if not self.is_current:
            # It was closed since.
            return
        self._draw(searching=not self._search.done)

    def _draw(self, *, searching: bool) -> None:
        """Draw what was found; what is left to search follows."""
        self.workers.cancel_group(self, _GROUP)
        self._show()
        if searching or self._index_left:
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

    async def _search_index(self) -> None:
        """Take in what the index has, until that is all or there is more than is shown."""
        before, self._index_rows = self._index_rows, []
        try:
            async with aclosing(self._findable.indexed(self._text, self._referring)) as batches:
                async for batch in batches:
                    self._search.extend(batch)
                    searching = self._work(_SLICE_SECONDS)
                    while searching:
                        await asyncio.sleep(_PAUSE_SECONDS)
                        searching = self._work(_SLICE_SECONDS)
                    best = self._search.best()
                    fitting = {match.source for match in best}
                    # Of a million that are looked through, only those are held that fit.
                    self._index_rows = [rows for rows in (*self._index_rows, *batch) if rows in fitting]
                    self._more = len(best) >= MAX_MATCHES
                    if self._more:
                        break
                    if len(best) != len(self.results.matches):
                        self._show()
        except IndexProblem as error:
            self._notice = str(error)
        self._index_left = False
        self._search.forget(before)
        self._show()
        # Nothing else comes that would be painted with it.
        self.paint_now(self.results, self.query_one("#state"))

    def _work(self, seconds: float) -> bool:
        """Search for so many seconds; gives whether anything is left to look at."""
        end = perf_counter() + seconds
        while self._search.step():
            if perf_counter() >= end:
                return True
        return False

    def _show(self) -> None:
        """Show what fits best so far."""
        matches, all_found = self._search.best(), self._search.done and not self._index_left
        self.results.show(matches, self._requests, self.sought, self._named(matches) if all_found else None)
        if all_found:
            self._all_listed.set()
        else:
            self._all_listed.clear()
        self.say_state()

    def _named(self, matches: Sequence[Match]) -> Place | None:
        """The record that is named by what is typed; None where one is held whose id begins so: it is still typed."""
        named = self._findable.named(self._text) if self._referring is None and self._text.strip() else None
        if named is None:
            return None
        begun = named.id.casefold()
        held = (match.place for match in matches)
        return (
            None if any(p.collection == named.collection and p.id.casefold().startswith(begun) for p in held) else named
        )

    def say_state(self) -> None:
        """Say how many fit, of how many that are searched, and what failed."""
        count = self.fit_words
        if self._referring is not None:
            found = f"{count} reference{'' if count == '1' else 's'} found in "
        else:
            found = f"{count} match{'' if count == '1' else 'es'} in " if self._text.strip() else ""
        if requests := len(self._requests):
            found = f"{counted(requests, 'saved request')} · {found}"
        if marked := len(self.results.marks):
            found = f"{marked:,} marked · {found}"
        state = visible(f"{found}{self._readable.state(self._findable.sources())}")
        # It takes one line, whatever it says: nothing is to be laid out anew at every key.
        self.query_one("#state", Static).update(state, layout=False)
        search = self._search
        unmatched = common_problem(search.problems) if search.done and not search.count else ""
        problem = visible(self._notice or self._readable.problem() or unmatched)
        shown = self.query_one(".problem", Static)
        if problem != shown.content:
            shown.update(problem)

    def _take_in(self) -> None:
        """Take in what was read since the last look; say how far reading has come."""
        changes = self._readable.changes
        if changes != self._changes and self._search.done:
            self._changes = changes
            self._begin()
        elif self._readable.reading:
            self.say_state()

    def on_resize(self) -> None:
        """Give the list the rows that the rest leaves, and draw the lines as wide as they can be now."""
        self.results.styles.height = max(1, min(_MAX_ROWS, self.size.height - _ROWS_BESIDE))
        if self.results.size.width:
            self.call_after_refresh(self.draw_anew)

    def mask_toggled(self, on: bool) -> None:
        """Cover what was drawn before personal data is hidden; what is drawn from now on may be shown as it is."""
        super().mask_toggled(on)
        if not on:
            self._masked = False
            # What is covered has no width.
            self.call_after_refresh(self.draw_anew)

    def dismiss(self, result: Destination | None = None) -> AwaitComplete:
        """Close; what is still searched and drawn would have no list to be shown in."""
        self._looks.stop()
        self.workers.cancel_group(self, _GROUP)
        return super().dismiss(result)

    # Reading more

    def action_read(self) -> None:
        """Choose which collections are to be read to their end."""
        if self._readable.reading:
            return
        self.run_worker(self._choose_reading(), group=_OFFERING, exclusive=True)

    async def _choose_reading(self) -> None:
        offers = self._readable.offers()
        if not offers:
            self._notice = "All collections are loaded already."
            self.say_state()
            return
        start = await self.app.push_screen_wait(SearchMenu[Callable[[], None]]("Load and search", offers))
        if start is not None:
            start()

    def action_cancel(self) -> None:
        """Stop reading; where nothing is read, close the finder."""
        if self._readable.reading:
            self._readable.stop_reading()
        else:
            self.dismiss(None)
