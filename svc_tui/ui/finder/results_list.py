"""The finder's list: the records that were found and the saved requests after them, those in view drawn first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from textual.content import Content
from textual.widgets.option_list import Option

from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.record_search import Match
from svc_tui.domain.search.result_rows import MarkedMatches
from svc_tui.ui.finder.hit_line import hit_line, request_line
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

if TYPE_CHECKING:
    from svc_tui.domain.console.saved_requests import SavedRequest

_LINES_IN_VIEW, _MIN_LINE_CELLS = 14, 40
"""Lines that are drawn at once, and how wide they are at least."""

Result: TypeAlias = "Match | SavedRequest"
"""What a line of the list stands for."""

Destination: TypeAlias = "Place | SavedRequest"
"""Where it leads."""


class Shown(Protocol):
    """Results as they may be shown now."""

    def seen(self, match: Match) -> Record:
        """The record of a match, as it may be shown."""

    def seen_text(self, text: str) -> str:
        """A text, as it may be shown."""

    def now(self) -> float:
        """The monotonic clock."""


class ResultOption(Option):
    """A line of the list, and what it stands for."""

    def __init__(self, line: Content, result: Result) -> None:
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
        self.marks = MarkedMatches()

    @property
    def results(self) -> Sequence[Result]:
        """What is listed, in order."""
        return (*self.matches, *self.requests)

    @property
    def chosen(self) -> Result | None:
        """What the cursor is on."""
        at, results = self.highlighted, self.results
        return results[at] if at is not None and at < len(results) else None

    @property
    def lines_left(self) -> bool:
        """Whether lines are still to be drawn."""
        return self.option_count < len(self.matches) + len(self.requests)

    def show(self, matches: Sequence[Match], requests: Sequence[SavedRequest], text: str) -> None:
        """List these; the cursor stays on its line where the user has moved it to one."""
        chosen = self.chosen if self.highlighted else None
        self.matches, self.requests, self._text = matches, requests, text
        self.marks.take_in(matches)
        identities = [_identity(result) for result in self.results]
        at = identities.index(_identity(chosen)) if chosen is not None and _identity(chosen) in identities else 0
        self.clear_options()
        self.draw_more(max(at + 1, _LINES_IN_VIEW))
        self.highlighted = at if identities else None

    def draw_more(self, count: int) -> None:
        """Draw the next so many of the lines that are not drawn yet: each record is unpacked for it."""
        drawn = self.option_count
        self.add_options(ResultOption(self._line(result), result) for result in self.results[drawn : drawn + count])

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

    def _line(self, result: Result) -> Content:
        cells = max(_MIN_LINE_CELLS, self.size.width - 2)
        if isinstance(result, Match):
            shown, marked = self._shown, result in self.marks
            return hit_line(result, shown.seen(result), self._text, shown.now(), cells, marked=marked)
        return request_line(result, self._shown.seen_text, self._text, cells)


def _identity(result: Result) -> object:
    """What tells that a line is for the same thing as one before."""
    return result.place if isinstance(result, Match) else result.file
