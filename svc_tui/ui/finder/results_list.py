"""The finder's list: the records that were found and the saved requests after them, each drawn once it is in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets.option_list import Option

from svc_tui.core.records import Place, Record
from svc_tui.search.record_search import Match
from svc_tui.search.result_rows import MarkedMatches
from svc_tui.ui.finder.hit_line import hit_line, place_line, request_line
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest

_MIN_LINE_CELLS = 40
"""How wide a line is drawn at least."""

Result: TypeAlias = "Match | Place | SavedRequest"
"""What a line of the list stands for; a place is that of a record that what is sought names."""

ResultDestination: TypeAlias = "Place | SavedRequest"
"""Where it leads."""


class Shown(Protocol):
    """Results as they may be shown now."""

    def seen(self, match: Match) -> Record:
        """The record of a match, as it may be shown."""

    def seen_text(self, text: str) -> str:
        """A text, as it may be shown."""

    def now(self) -> float:
        """The monotonic clock."""


class ResultLine(Visual):
    """A line that is drawn when it comes into view first: a record is unpacked for it."""

    def __init__(self, draw: Callable[[], Content]) -> None:
        self._draw = draw
        self._drawn: Content | None = None

    @property
    def drawn(self) -> bool:
        """Whether it has been in view."""
        return self._drawn is not None

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        """Draw the one line."""
        if self._drawn is None:
            self._drawn = self._draw()
        return self._drawn.render_strips(width, height, style, options)[:1]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """It takes what there is."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Known without drawing it."""
        return 1


class ResultOption(Option):
    """A line of the list, and what it stands for."""

    def __init__(self, line: ResultLine, result: Result) -> None:
        super().__init__(line)
        self.result = result


class ResultsList(ChangingList, can_focus=False):
    """Lists `results` for the `text` that is sought; marks are by place, and stay while others are listed."""

    def __init__(self, shown: Shown) -> None:
        super().__init__(markup=False)
        self._shown, self._text = shown, ""
        self.matches: Sequence[Match] = ()
        """The records, the best first."""
        self.requests: Sequence[SavedRequest] = ()
        self.named: Place | None = None
        """The record that what is sought names, where nothing found has an id that begins so."""
        self.marks = MarkedMatches()

    @property
    def results(self) -> Sequence[Result]:
        """What is listed, in order."""
        return (*((self.named,) if self.named else ()), *self.matches, *self.requests)

    @property
    def chosen(self) -> Result | None:
        """What the cursor is on."""
        at, results = self.highlighted, self.results
        return results[at] if at is not None and at < len(results) else None

    def show(
        self, matches: Sequence[Match], requests: Sequence[SavedRequest], text: str, named: Place | None = None
    ) -> None:
        """List these, what is `named` first; the cursor stays on its line where the user has moved it to one."""
        chosen = self.chosen if self.highlighted else None
        self.matches, self.requests, self.named, self._text = matches, requests, named, text
        self.marks.take_in(matches)
        identities = [_identity(result) for result in self.results]
        at = identities.index(_identity(chosen)) if chosen is not None and _identity(chosen) in identities else 0
        self.set_options(ResultOption(self._line(result), result) for result in self.results)
        if not identities:
            # Textual sees to neither where none are added.
            self.refresh()
            self.find_lines()
        self.highlighted = at if identities else None

    def toggle_mark(self) -> bool:
        """Mark the record that the cursor is on, or take its mark away, and go on; False: it is on no record."""
        at, match = self.highlighted, self.chosen
        if at is None or not isinstance(match, Match):
            return False
        self.marks.toggle(match)
        self.replace_option_prompt_at_index(at, self._line(match))
        if at + 1 < self.option_count:
            self.highlighted = at + 1
        return True

    def taken_out(self) -> list[Match]:
        """The records that are marked; all that are listed where none is."""
        return self.marks.ordered(self.matches) if self.marks else list(self.matches)

    def _line(self, result: Result) -> ResultLine:
        return ResultLine(partial(self._draw, result, self._text))

    def _draw(self, result: Result, text: str) -> Content:
        cells = max(_MIN_LINE_CELLS, self.size.width - 2)
        if isinstance(result, Match):
            shown, marked = self._shown, result in self.marks
            return hit_line(result, shown.seen(result), text, shown.now(), cells, marked=marked)
        if isinstance(result, Place):
            return place_line(result, text, cells)
        return request_line(result, self._shown.seen_text, text, cells)


def _identity(result: Result) -> object:
    """What tells that a line is for the same thing as one before."""
    match result:
        case Match():
            return result.place
        case Place():
            return result
        case _:
            return result.file
