"""The finder: one line over everything, and what fits what is typed in it, of all collections."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
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

from svc_tui.core.phrases import counted
from svc_tui.core.records import Place
from svc_tui.search.record_search import MAX_MATCHES, MAX_REFERENCES, Match, RecordSearch, common_problem, count_held
from svc_tui.search.referring import Referring
from svc_tui.search.sources import SearchedRows
from svc_tui.service.redact import holds_secret
from svc_tui.ui.dialogs.dialog import DialogFrame
from svc_tui.ui.dialogs.menu import SearchMenu
from svc_tui.ui.finder.finder_reading import FinderReading
from svc_tui.ui.finder.results_dialog import ResultsDialog, TakenOut
from svc_tui.ui.finder.results_list import ResultDestination, ResultsList
from svc_tui.ui.keys.availability import DisabledReason
from svc_tui.ui.navigation.goto_dialog import NOT_TAKEN, PlaceInput
from svc_tui.ui.text import field_label, shorten, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.text.wrapping import wrap_text

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest

_AT_ONCE_SECONDS, _SLICE_SECONDS, _PAUSE_SECONDS = 0.006, 0.004, 0.001
"""Seconds of searching before anything is painted; then at a time, and between: painting takes its turns."""

_MAX_ROWS = 14
"""Rows of the list at most."""

_ROWS_BESIDE = 10
"""Rows that all but the list takes: the frame, the lines over and under the list, and the blank ones around."""

_COUNTS_ROWS = 2
"""Rows for the number of references of each kind."""

_REFRESH_SECONDS = 0.25
"""Seconds between two looks at what was read meanwhile."""

_NO_QUESTION = DisabledReason("There is no question to answer here.")

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

    def indexed(self) -> Sequence[SearchedRows]:
        """The records in the index, which may be older."""

    def requests(self, text: str) -> Sequence[SavedRequest]:
        """The saved requests that fit."""

    def named(self, text: str) -> Place | None:
        """The record that `text` names, or whose id it looks like; None where it does neither."""


class FinderLine(PlaceInput):
    """The line of the finder, which leaves it to the finder when a space is typed."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Take all letters for itself but the space, so that its binding counts; one that is off leaves it here."""
        return key != "space" and super().check_consume_key(key, character)


class FinderScreen(ResultsDialog):
    """Gives the record or the saved request that was chosen, or None. It finds at every key, first in what is held."""

    TOUR_NAME = OpenDialog.FINDER

    DEFAULT_CSS = """
    FinderScreen { align: center top; }
    FinderScreen > #dialog { width: 108; margin-top: 1; }
    FinderScreen OptionList { height: 14; margin-top: 1; }
    FinderScreen OptionList > .option-list--option { padding: 0; }
    FinderScreen #state { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    FinderScreen #counts { height: 2; }
    FinderScreen .problem { height: auto; min-height: 1; max-height: 2; }
    """

    BINDINGS = [
        Binding("ctrl+l", "read", "Load more", id="finder.read", priority=True,
                tooltip="Load more collections and search them"),
        Binding("ctrl+n", "decline", "Load nothing", show=False, id="finder.decline", priority=True,
                tooltip="Answer no: load only the collections that you choose"),
    ]  # fmt: skip

    line = query_one(FinderLine)

    def __init__(
        self, findable: Findable, readable: FinderReading, text: str = "", referring: Referring | None = None
    ) -> None:
        """Make it; `text` is in its line already. With `referring` it lists what points at a record."""
        super().__init__(findable)
        self._findable, self._readable, self._referring = findable, readable, referring
        self._text = "" if holds_secret(text, findable.secrets) else text
        """What is looked for: what is in the line, unless that looks like a secret."""
        self._search = RecordSearch((), "")
        self._fit_words = "0"
        """How many records match, as far as that is on the screen; + where there may be more."""
        self._held = self._held_shown = 0
        """Records that were held when the search began, and when the one began whose count is on the screen."""
        self._requests: Sequence[SavedRequest] = ()
        """The saved requests that fit."""
        self._repeats = False
        """Whether the list is complete but for what has been loaded since, which is being searched."""
        self._all_listed = asyncio.Event()
        """Set where all that is held, and the index, were searched for what is typed."""
        self._loading_begun = False
        """True if loading was started since the finder was opened: collections that failed are not tried again."""
        self._changes = readable.changes
        """How often something had changed at the last search."""
        self._was_reading = False
        """Whether collections were being read at the last look."""

    def compose(self) -> ComposeResult:
        """The line, how much is searched, what fits, and room for what failed."""
        about = "id, name or any text" if self._referring is None else "filter: any text"
        with DialogFrame(self.heading):
            yield FinderLine(self._text, self._findable.secrets, f"{about}   field:text   field>10")
            yield Static("", classes="hint", id="state", markup=False)
            if self._referring is not None:
                yield Static("", id="counts", markup=False)
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
        return self._fit_words

    @property
    def typed(self) -> str:
        """What is typed, unless that looks like a secret."""
        return self._text.strip()

    def on_mount(self) -> None:
        """Search for what is in the line already, and get ready for the first key."""
        self._begin()
        self._load_missing()
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
        self._load_missing()

    def _load_missing(self) -> None:
        """Load the missing collections at the first letter."""
        if self._text.strip() and self._referring is None and not self._loading_begun:
            self._loading_begun = True
            self._readable.load_missing()
            self.say_state()

    @on(PlaceInput.SecretPasted)
    def _refuse(self) -> None:
        self._notice = NOT_TAKEN
        self.say_state()

    @property
    def is_search_repeated(self) -> bool:
        """Whether all that fits is listed but for what has been loaded since, which is being searched."""
        return self._repeats

    async def all_listed(self) -> None:
        """Wait until all that is held, and the index, were searched; it is listed by then."""
        await self.best_listed()
        # Also what was read since it was looked at last.
        self._take_in()
        await self.best_listed()

    async def best_listed(self) -> None:
        """Wait until the search under way has ended."""
        await self._all_listed.wait()

    def _begin(self, *, again: bool = False) -> None:
        """Search for what is typed; `again`: what was found before stays on the screen until all was searched."""
        self._repeats = again and (self._repeats or self._all_listed.is_set())
        self._all_listed.clear()
        # No request points at a record.
        self._requests = self._findable.requests(self._text) if self._referring is None else ()
        held = self._findable.sources()
        self._held = count_held(held)
        sources = (*held, *self._findable.indexed())
        most = MAX_MATCHES if self._referring is None else MAX_REFERENCES
        self._search = RecordSearch(sources, self._text, self._referring, most=most, now=self._findable.local_now())
        searching = self._work(_AT_ONCE_SECONDS)
        self._draw(searching=searching, show=not (again and searching))

    def draw_anew(self) -> None:
        """Draw the lines as wide as they can be now, and as they may be shown now."""
        if not self.is_current:
            # It was closed since.
            return
        self._draw(searching=not self._search.done)

    def _draw(self, *, searching: bool, show: bool = True) -> None:
        """Draw what was found; what is left to search follows."""
        self.workers.cancel_group(self, _GROUP)
        if show:
            self._show()
        if searching:
            # Not a coroutine: where the next key comes before the worker begins, it would never be awaited.
            work: WorkType[None] = self._go_on
            self.run_worker(work, group=_GROUP)

    async def _go_on(self) -> None:
        searching, shown_at = True, perf_counter()
        while searching:
            await asyncio.sleep(_PAUSE_SECONDS)
            searching = self._work(_SLICE_SECONDS)
            if not searching or perf_counter() - shown_at > _REFRESH_SECONDS:
                self._show()
                shown_at = perf_counter()
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
        matches, all_found = self._search.best(), self._search.done
        self._fit_words = f"{self._search.count:,}{'' if all_found and not self._search.is_cut else '+'}"
        self._held_shown = self._held
        if self._referring is not None:
            self.query_one("#counts", Static).update(self._counts(len(matches)), layout=False)
        self.results.show(matches, self._requests, self.sought, self._named(matches) if all_found else None)
        if all_found:
            self._repeats = False
            self._all_listed.set()
        else:
            self._all_listed.clear()
        self.say_state()

    def _counts(self, listed: int) -> Content:
        """By the field that refers to the record: how many of each collection do, and whether not all are listed.

        Of a collection that is held whole, these are all that there are.
        """
        whole, by_field = self._readable.whole, defaultdict[str, list[str]](list)
        for (collection, path), count in self._search.references.most_common():
            searched = "all" if collection.key in whole else "the loaded"
            by_field[path].append(f"{count:,} in {searched} {collection.name}")
        words = "; ".join(f"{field_label(path)}: {' · '.join(counts)}" for path, counts in by_field.items())
        if listed < self._search.count:
            words = f"{listed:,} listed · {words}"
        rows, held = wrap_text(words, self.results.size.width, _COUNTS_ROWS)
        if held < len(words):
            rows[-1] = f"{shorten(rows[-1], self.results.size.width - 2)} …"
        return styled("\n".join(rows), "$role-muted", lines=True)

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
        """Show the number of matches, what was searched, and what failed."""
        count, filtered = self.fit_words, bool(self._text.strip())
        searched = self._readable.state(self._held_shown)
        references = f"{count}{' matching' if filtered else ''} reference{'' if count == '1' else 's'}"
        if self._referring is None:
            found = [f"{count} match{'' if count == '1' else 'es'} in {searched}" if filtered else searched]
        elif self._search.count:
            # Of each collection with references, the counts by field say whether all of it was searched.
            found = [references, self._readable.progress]
        else:
            found = [f"{references} in {searched}"]
        marked, requests = len(self.results.marks), len(self._requests)
        question = self._question
        parts = (
            f"{marked:,} marked" if marked else "",
            counted(requests, "saved request") if requests else "",
            *found,
            "" if question or self._will_load else self._readable.hint,
        )
        state = visible(" · ".join(filter(None, parts)))
        # It takes one line, whatever it says: nothing is to be laid out anew at every key.
        self.query_one("#state", Static).update(state, layout=False)
        search = self._search
        unmatched = common_problem(search.problems) if search.done and not search.count else ""
        problem = Content(visible(self._notice or self._readable.problem() or unmatched))
        problem = problem or Content.styled(question, "$role-foreground")
        shown = self.query_one(".problem", Static)
        if problem != shown.content:
            shown.update(problem)
        self.say_keys()

    @property
    def _question(self) -> str:
        return self._readable.question if self._referring is None else ""

    @property
    def _will_load(self) -> bool:
        """True if the first letter begins to load the missing collections."""
        return self._referring is None and not self._loading_begun and self._readable.is_automatic

    @property
    def esc_stops(self) -> bool:
        """True if Esc stops loading instead of closing the finder."""
        return self._readable.reading

    def _take_in(self) -> None:
        """Take in what was read since the last look; say how far reading has come."""
        changes = self._readable.changes
        if changes != self._changes and self._search.done:
            self._changes = changes
            self._begin(again=True)
        elif self._readable.reading or self._was_reading:
            # The end of reading is shown too, where it changes nothing else.
            self.say_state()
        self._was_reading = self._readable.reading

    def on_resize(self) -> None:
        """Give the list the rows that the rest leaves, and draw the lines as wide as they can be now."""
        beside = _ROWS_BESIDE + (0 if self._referring is None else _COUNTS_ROWS)
        self.results.styles.height = max(1, min(_MAX_ROWS, self.size.height - beside))
        if self.results.size.width:
            self.call_after_refresh(self.draw_anew)

    def mask_toggled(self, on: bool) -> None:
        """Cover what was drawn before personal data is hidden; what is drawn from now on may be shown as it is."""
        super().mask_toggled(on)
        if not on:
            self._masked = False
            # What is covered has no width.
            self.call_after_refresh(self.draw_anew)

    def dismiss(self, result: ResultDestination | None = None) -> AwaitComplete:
        """Close; what is still searched and drawn would have no list to be shown in."""
        self._looks.stop()
        self.workers.cancel_group(self, _GROUP)
        return super().dismiss(result)

    # Reading more

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Disable the key that answers no while there is no question."""
        if action == "decline" and not self._question:
            return _NO_QUESTION
        return super().disabled_reason(action, parameters)

    def action_read(self) -> None:
        """Answer yes to the question, or choose which collections are loaded."""
        if self._question:
            self._loading_begun = True
            self._readable.answer(yes=True)
            self.say_state()
        else:
            self.run_worker(self._choose_reading(), group=_OFFERING, exclusive=True)

    def action_decline(self) -> None:
        """Answer no to the question."""
        self._readable.answer(yes=False)
        self.say_state()

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
