"""A comparison as text with colours: what was, what is, the part of it that differs, and the path of each."""

import re
from collections.abc import Iterator
from typing import ClassVar

from svc_tui.core.differences import DifferenceKind
from svc_tui.ui.text import visible
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
"""Characters of a row in which the part that differs is looked for."""


class ComparisonView(TextView):
    """Shows the text of a comparison."""

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
        """The row that an old or a new value of one line is compared with; None where there is none."""
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
