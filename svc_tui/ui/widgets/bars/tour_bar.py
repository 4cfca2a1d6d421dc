"""The strip of the first tour: which step it is, what was done, what is to be done next, and the keys of the tour."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from svc_tui.ui.text import shorten, visible
from svc_tui.ui.tour_steps import SentencePieceKind, split_sentence

FRAMED_ROWS, TWO_LINE_ROWS = 30, 20
"""Rows of a screen from which the strip has a frame, and from which it has two lines."""

ROWS_BELOW = 2
"""Rows under it: the status bar and the footer."""

_PADDING_CELLS, _FRAME_CELLS = 2, 2
_GAP = 2
_MAX_KEY_CELLS = 20
"""Cells of a key's name."""
_STYLES: Mapping[SentencePieceKind, str] = {
    "plain": "",
    "key": "bold $role-accent",
    "typed": "$role-text on $role-panel",
}
_TOUR_KEYS = (("tour.next", "skip", "next"), ("tour.back", "back", "back"), ("tour.end", "end", "end"))
"""The tour's own keys: the binding, its word, and what its action is told."""


@dataclass(frozen=True, slots=True)
class TourNote:
    """What the strip says; see `ui.tour_steps.Tour`."""

    number: str
    """Which step of how many."""
    title: str
    feedback: str
    done: bool
    words: str


class TourBar(Static):
    """Says one thing at the foot of a screen, and never takes the focus."""

    DEFAULT_CSS = """
    TourBar {
        height: auto;
        width: 1fr;
        padding: 0 1;
        background: $role-surface;
        color: $role-foreground;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        link-style: none;
        link-color: $role-muted;
        &.-framed { border: round $role-accent; border-title-style: bold; border-subtitle-color: $role-muted; }
        &.-over { dock: bottom; }
    }
    """

    ALLOW_SELECT = False

    def __init__(self, keys: Mapping[str, str], *, over: bool = False) -> None:
        """`keys` are the labels of keys by the ids of their bindings; `over`: the bar is in a dialog."""
        super().__init__(markup=False)
        self._keys = keys
        self._shown: tuple[TourNote, tuple[int, int]] | None = None
        self.rows = 0
        """How many rows it takes."""
        self.set_class(over, "-over")
        if over:
            # Where the one below the dialog is, so that nothing moves when the dialog opens.
            self.styles.margin = (0, 0, ROWS_BELOW, 0)

    def show(self, note: TourNote) -> None:
        """Say this, as fits the size of the screen."""
        width, height = self.app.size
        if self._shown == (note, (width, height)):
            return
        self._shown = note, (width, height)
        framed = height >= FRAMED_ROWS
        self.set_class(framed, "-framed")
        if framed:
            self.border_title = Content(" · ".join(filter(None, (f"Tour {note.number}", visible(note.title)))))
            self.border_subtitle = self._own_keys()
        cells = max(1, width - _PADDING_CELLS - (_FRAME_CELLS if framed else 0))
        words = sentence_content(note.words, self._keys)
        if height < TWO_LINE_ROWS:
            number = Content.styled(f"{note.number} ", "bold $role-accent")
            lines = [Content.assemble(number, words).truncate(cells, ellipsis=True)]
        else:
            lines = [self._head(note, cells, framed=framed), *words.wrap(cells)]
        self.rows = len(lines) + (_FRAME_CELLS if framed else 0)
        self.update(Content("\n").join(lines))

    def _head(self, note: TourNote, cells: int, *, framed: bool) -> Content:
        """What was done, or the title; in front of it which step it is, behind it the keys, where no frame has them."""
        mark = ("✓ ", "$role-ok") if note.done else ""
        content = Content.assemble(mark, sentence_content(note.feedback, self._keys).stylize("$role-muted"))
        if framed:
            return content.truncate(cells, ellipsis=True)
        name = Content.styled(f"Tour {note.number}  ", "bold $role-accent")
        left = Content.assemble(name, content if note.feedback else Content.styled(visible(note.title), "$role-muted"))
        for right in (self._own_keys(), self._own_keys(shortest=True)):
            room = cells - left.cell_length - right.cell_length
            if room >= _GAP:
                return Content.assemble(left, " " * room, right)
        return left.truncate(cells, ellipsis=True)

    def _own_keys(self, *, shortest: bool = False) -> Content:
        """The keys of the tour, the one that ends it at least; each can be clicked."""
        return Content.styled(" · ", "$role-muted").join(
            Content.styled(f"{_key_text(self._keys[binding])} {word}", "$role-muted").stylize(
                Style.from_meta({"@click": f"app.tour('{what}')"})
            )
            for binding, word, what in (_TOUR_KEYS[-1:] if shortest else _TOUR_KEYS)
        )


def sentence_content(sentence: str, keys: Mapping[str, str]) -> Content:
    """A sentence of the tour with the keys that its ids stand for."""
    return Content.assemble(
        *((_key_text(keys[text]) if kind == "key" else text, _STYLES[kind]) for kind, text in split_sentence(sentence))
    )


def _key_text(key: str) -> str:
    return shorten(visible(key), _MAX_KEY_CELLS)
