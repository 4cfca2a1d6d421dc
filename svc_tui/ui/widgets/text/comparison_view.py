"""A comparison as text with colours: what was, what is, the part of it that differs, and the path of each."""

import re
from collections.abc import Iterator
from typing import ClassVar

from svc_tui.domain.console.comparison import Kind
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.text.difference import shared
from svc_tui.ui.widgets.text.json_view import JsonView

_HEAD = re.compile(rf"({'|'.join(kind.value for kind in Kind)})  ")
_LOOKS = {"- ": "comparison--old", "+ ": "comparison--new", "  ": "comparison--same"}
_WORDS = {
    Kind.CHANGED.value: "comparison--changed",
    Kind.ADDED.value: "comparison--new",
    Kind.GONE.value: "comparison--old",
    Kind.SAME.value: "comparison--same",
}
_LONGEST = 2000
"""Characters of a row in which the part that differs is looked for."""


class ComparisonView(JsonView):
    """Shows the text of `domain.comparison.written`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *_LOOKS.values(),
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
        if (look := _LOOKS.get(text[:2])) is not None:
            yield 0, len(text), look
            if (other := self._beside(number)) is not None:
                start, end = shared(text[2:], other[2:])
                yield 2 + start, len(text) - end, "comparison--differs"
        elif (head := _HEAD.match(text)) is not None:
            yield *head.span(), _WORDS[head[1]]
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
        return beside if max(len(beside), len(around[2])) <= _LONGEST else None

    def _row(self, number: int) -> str:
        return visible(self._rows[number]) if 0 <= number < len(self._rows) else ""
