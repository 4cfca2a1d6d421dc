"""The rows of a text of any length, split on demand: opening ten megabytes costs a count of line feeds."""

from bisect import bisect_right
from collections.abc import Iterator

from svc_tui.ui.widgets.text.wrapping import fitting_length

CHUNK_CHARACTERS = 16_384
"""Characters of a chunk; a longer line continues in the next row."""

_MAX_CACHED_CHARACTERS = 1_048_576
"""Characters of the rows that are cached."""


class TextRows:
    """Random access to the rows of `text`; a row is a line, or a part of a long one.

    A row has at most CHUNK_CHARACTERS, or at most `cells` cells. Only the chunks used last are split, so that memory
    beyond the text stays constant.
    """

    def __init__(self, text: str, cells: int | None = None) -> None:
        self.text = text
        self._cells = cells
        self._chunk = CHUNK_CHARACTERS if cells is None else max(1, cells)
        self._starts: list[int] = []
        self._first_rows: list[int] = []
        self._split: dict[int, list[str]] = {}
        self._count = 0
        at, end = 0, len(text)
        while at < end:
            until = self._chunk_end(at, end)
            self._starts.append(at)
            self._first_rows.append(self._count)
            # A chunk that ends in a line feed holds as many rows as line feeds; any other has a last, open row.
            self._count += text.count("\n", at, until) + (text[until - 1] != "\n")
            at = until

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> str:
        """Return row `number`, from 0, without its line feed."""
        chunk = self._chunk_of(number)
        return self._rows(chunk)[number - self._first_rows[chunk]]

    def continues(self, number: int) -> bool:
        """Return True if row `number` continues the line of the row before it."""
        chunk = self._chunk_of(number)
        start = self._starts[chunk]
        return number == self._first_rows[chunk] and start > 0 and self.text[start - 1] != "\n"

    def row_at(self, offset: int) -> tuple[int, int]:
        """Return the row that contains the character at `offset` of the text, and its index in that row."""
        chunk = max(0, bisect_right(self._starts, offset) - 1)
        start = self._starts[chunk]
        row = self._first_rows[chunk] + self.text.count("\n", start, offset)
        return row, offset - max(start, self.text.rfind("\n", start, offset) + 1)

    def offset_of(self, number: int) -> int:
        """Return the offset of row `number` in the text; the text's length for a row past the end."""
        if number >= self._count:
            return len(self.text)
        chunk = self._chunk_of(number)
        before = self._rows(chunk)[: number - self._first_rows[chunk]]
        return self._starts[chunk] + sum(len(row) + 1 for row in before)

    def between(self, first: int, until: int) -> Iterator[str]:
        """Return the rows from `first` up to but not including `until`, as far as they exist."""
        for number in range(max(0, first), min(until, self._count)):
            yield self[number]

    def _chunk_end(self, at: int, end: int) -> int:
        until = min(end, at + self._chunk)
        if until < end and self.text[until] == "\n":
            until += 1
        if self._cells is not None and not self.text[at:until].isascii():
            # Characters may be wide, so that only a line that fits is taken whole.
            feed = self.text.find("\n", at, until)
            until = until if feed < 0 else feed + 1
            fits = at + fitting_length(self.text[at:until].removesuffix("\n"), self._cells)
            until = until if fits == until - 1 and feed >= 0 else fits
        cut = self.text.rfind("\n", at, until)
        if cut >= 0:
            return cut + 1
        # A row is broken at a space if there is one in its second half.
        space = self.text.rfind(" ", at + self._chunk // 2, until) if self._cells is not None and until < end else -1
        return until if space < 0 else space + 1

    def _chunk_of(self, number: int) -> int:
        if not 0 <= number < self._count:
            raise IndexError(number)
        return bisect_right(self._first_rows, number) - 1

    def _rows(self, chunk: int) -> list[str]:
        rows = self._split.get(chunk)
        if rows is None:
            until = self._starts[chunk + 1] if chunk + 1 < len(self._starts) else len(self.text)
            rows = self.text[self._starts[chunk] : until].removesuffix("\n").split("\n")
            if len(self._split) >= _MAX_CACHED_CHARACTERS // self._chunk:
                self._split.pop(next(iter(self._split)))
            self._split[chunk] = rows
        return rows
