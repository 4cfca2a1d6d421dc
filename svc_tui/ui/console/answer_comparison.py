"""The comparison of two responses by path: what changed, was added or is gone."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding

from svc_tui.console.comparison import ComparedAnswer, ComparedPart, comparison_text, summarize_differences
from svc_tui.core.differences import DifferenceKind
from svc_tui.ui.dialogs.dialog import DialogFrame
from svc_tui.ui.dialogs.text_dialog import TextDialog
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.text.difference import common_ends
from svc_tui.ui.widgets.text.text_view import TextView

_ENTRY_HEAD = re.compile(rf"({'|'.join(kind.value for kind in DifferenceKind)})  ")
_SIGN_CLASSES = {"- ": "comparison--old", "+ ": "comparison--new", "  ": "comparison--same"}
_KIND_CLASSES = {
    DifferenceKind.CHANGED.value: "comparison--changed",
    DifferenceKind.ADDED.value: "comparison--new",
    DifferenceKind.GONE.value: "comparison--old",
    DifferenceKind.SAME.value: "comparison--same",
}
_MAX_COMPARED_CHARACTERS = 2000
"""Characters of a row up to which the part that differs is searched for."""


class ComparisonView(TextView):
    """A view of a comparison: old and new values, the part of each that differs, and its path."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *_SIGN_CLASSES.values(),
        "comparison--changed",
        "comparison--path",
        "comparison--part",
        "comparison--differs",
    }
    DEFAULT_CSS = """
    ComparisonView {
        & > .comparison--old { color: $role-danger; }
        & > .comparison--new { color: $role-ok; }
        & > .comparison--same { color: $role-muted; }
        & > .comparison--changed { color: $role-changed; }
        & > .comparison--path { color: $role-reference; }
        & > .comparison--part { text-style: bold; }
        & > .comparison--differs { text-style: bold underline; }
    }
    """

    def _pieces(self, number: int, text: str) -> Iterator[tuple[int, int, str]]:
        if (look := _SIGN_CLASSES.get(text[:2])) is not None:
            yield 0, len(text), look
            if (other := self._beside(number)) is not None:
                start, end = common_ends(text[2:], other[2:])
                yield 2 + start, len(text) - end, "comparison--differs"
        elif (head := _ENTRY_HEAD.match(text)) is not None:
            yield *head.span(), _KIND_CLASSES[head[1]]
            yield head.end(), len(text), "comparison--path"
        else:
            yield 0, len(text), "comparison--part"

    def _beside(self, number: int) -> str | None:
        """Return the row that an old or new value of one line is compared with; None if there is none."""
        around = [self._row(number + step) for step in (-2, -1, 0, 1, 2)]
        signs = "".join(row[:1] or " " for row in around)
        if signs[2:4] == "-+" and signs[1] != "-" and signs[4] != "+":
            beside = around[3]
        elif signs[1:3] == "-+" and signs[0] != "-" and signs[3] != "+":
            beside = around[1]
        else:
            return None
        return beside if max(len(beside), len(around[2])) <= _MAX_COMPARED_CHARACTERS else None

    def _row(self, number: int) -> str:
        return visible(self._rows[number]) if 0 <= number < len(self._rows) else ""


class ComparisonAction(Enum):
    """An action on the text of the comparison."""

    COPY = "copy"
    PAGE = "page"


class ComparisonScreen(TextDialog[tuple[ComparisonAction, str]]):
    """A dialog with a comparison, at first only the differences; the result is an action and the text."""

    DEFAULT_CSS = """
    ComparisonScreen > #dialog { width: 100%; height: 100%; }
    """

    BINDINGS = [
        Binding("a", "everything", "All", id="compare.everything", tooltip="Show everything, or only differences"),
        Binding("y,c", "choose('copy')", "Copy", id="compare.copy", tooltip="Copy the comparison as text"),
        Binding("f3", "choose('page')", "Pager", id="compare.page", tooltip="Show the comparison in $PAGER"),
        Binding("slash", "find", "Search", show=False, id="compare.find", tooltip="Search the comparison"),
        Binding("n", "find_next(1)", "Next match", show=False, id="compare.find_next", tooltip="Go to the next match"),
        Binding("N", "find_next(-1)", "Previous match", show=False, id="compare.find_previous",
                tooltip="Go to the previous match"),
        Binding("enter,q", "cancel", "Close", show=False, id="compare.close", tooltip="Go back to the response"),
    ]  # fmt: skip

    def __init__(self, old: ComparedAnswer, new: ComparedAnswer, parts: Sequence[ComparedPart]) -> None:
        super().__init__()
        self._old, self._new, self._parts = old, new, tuple(parts)
        self._everything = False

    def compose(self) -> ComposeResult:
        """Compose the text, and the search line."""
        with DialogFrame(f"Compare · {summarize_differences(self._parts)}"):
            yield ComparisonView()
            yield FindInput()

    def on_mount(self) -> None:
        """Show the differences."""
        self._show()
        self.view.focus()

    def _show(self) -> None:
        self.view.show_text(comparison_text(self._old, self._new, self._parts, everything=self._everything))
        self.say()

    def say(self, position: str = "") -> None:
        """Show the position of the match, and name the keys."""
        other = "a differences only" if self._everything else "a all"
        self.query_one("#dialog").border_subtitle = styled(position)
        self.name_keys(f"{other} · / search · y copy · f3 pager · esc close")

    def action_everything(self) -> None:
        """Show everything, or only the differences."""
        self._everything = not self._everything
        self._show()

    def action_choose(self, action: str) -> None:
        """Close with an action on the text."""
        self.dismiss((ComparisonAction(action), self.view.text))
