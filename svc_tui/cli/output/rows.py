"""Rows on stdout as they come: as a table for people, or in a format that others read."""

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from svc_tui.cli.output.stdout import ReaderGone, is_terminal, print_line, write_bytes
from svc_tui.cli.output.visible import cells, cut, escape_json, escape_lines, visible
from svc_tui.core.export_formats import Format, Writer, encode_utf8, writer_of
from svc_tui.core.jsontext import Absent, Json, Number, dumps

Row = Mapping[str, Json]

_MAX_COLUMN = 40
"""Cells that a column is wide at most, except the last: what is longer pushes the rest of its line."""

_MIN_LAST = 12
"""Cells below which the last column is not cut: lines are left to break where they will then."""


_MAX_VALUE = 60
"""Characters of a value among others in a cell."""


class RowWriter(Protocol):
    """Takes rows in order. Raises ReaderGone where nobody reads any more, CommandFailure where it can't be written."""

    def add(self, rows: Sequence[Row]) -> None:
        """Write the next rows."""

    def finish(self) -> None:
        """Write what ends the whole."""


def row_writer(form: str, columns: Sequence[str] = ()) -> RowWriter:
    """The writer of a format by its name, `table` or one of export's; the columns are those given, or of the first."""
    return TextTable(columns) if form == "table" else FormatWriter(Format(form), columns)


class FormatWriter:
    """Rows in a format of exports; on a terminal, what it could obey is escaped."""

    def __init__(self, form: Format, columns: Sequence[str] = ()) -> None:
        self._form, self._columns = form, tuple(columns)
        self._writer: Writer | None = None
        self._count = 0
        self._left_out: dict[str, None] = {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """The fields of rows that found no column."""
        return tuple(self._left_out)

    def add(self, rows: Sequence[Row]) -> None:
        """Write the next rows; the columns of a table are those of the rows that come first."""
        head = "" if self._writer is not None else self._begin(rows)
        assert self._writer is not None
        if self._form.tabular:
            self._left_out.update({name: None for name in _names(rows) if name not in self._columns})
        self._put(head + self._writer.text(rows, after=self._count))
        self._count += len(rows)

    def finish(self) -> None:
        """Write what ends the whole."""
        head = "" if self._writer is not None else self._begin(())
        assert self._writer is not None
        self._put(head + self._writer.tail(self._count))

    def _begin(self, rows: Sequence[Row]) -> str:
        self._columns = self._columns or tuple(_names(rows))
        self._writer = writer_of(self._form, self._columns)
        return self._writer.head

    def _put(self, text: str) -> None:
        if is_terminal():
            text = escape_lines(text) if self._form.tabular else escape_json(text)
        if text and not write_bytes(encode_utf8(text)):
            raise ReaderGone


class TextTable:
    """A table for people, as wide as its first rows ask for; on a terminal every row is one line of it.

    With `shortened`, that column is shortened until the other columns fit a terminal, and a last column that still
    doesn't fit is wrapped in lines below its row.
    """

    def __init__(self, columns: Sequence[str] = (), *, shortened: str = "") -> None:
        self._columns, self._shortened = tuple(columns), shortened
        self._widths: tuple[int, ...] = ()

    def add(self, rows: Sequence[Row]) -> None:
        """Write the next rows."""
        if not rows:
            return
        self._columns = self._columns or tuple(_names(rows))
        lines = [[_cell(row.get(name)) for name in self._columns] for row in rows]
        if not self._widths:
            heads = [visible(name) for name in self._columns]
            self._widths = tuple(
                self._fitting(min(_MAX_COLUMN, max(map(cells, column))) for column in zip(heads, *lines, strict=True))
            )
            self._print(heads)
        for line in lines:
            self._print(line)

    def finish(self) -> None:
        """Nothing is left to be written: an empty table has no line at all."""

    def _fitting(self, widths: Iterable[int]) -> Sequence[int]:
        """Return the widths, that of the shortened column small enough for a terminal."""
        widths = list(widths)
        if self._shortened and is_terminal():
            at, room = self._columns.index(self._shortened), shutil.get_terminal_size().columns
            missing = sum(widths[:-1]) + 2 * (len(widths) - 2) - room
            widths[at] = min(widths[at], max(_MIN_LAST, widths[at] - missing))
        return widths

    def _print(self, texts: Sequence[str]) -> None:
        if is_terminal():
            texts = [*map(cut, texts[:-1], self._widths), texts[-1]]
        *first, last = texts
        line = "".join(
            f"{text}{' ' * max(0, width - cells(text))}  " for text, width in zip(first, self._widths, strict=False)
        )
        if is_terminal():
            columns = shutil.get_terminal_size().columns
            room = columns - cells(line)
            if self._shortened and cells(last) > room:
                indent = " " * (self._widths[0] + 2)
                below = textwrap.wrap(last, columns, initial_indent=indent, subsequent_indent=indent)
                line, last = "\n".join((line.rstrip(), *below)), ""
            last = cut(last, room) if room >= _MIN_LAST else last
        if not print_line(f"{line}{last}".rstrip()):
            raise ReaderGone


def value_text(value: Json | Absent) -> str:
    """A value as JSON, cut where it is long, or that there is none; for a cell that tells a change."""
    if isinstance(value, Absent):
        return "(nothing)"
    text = dumps(value)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


def _names(rows: Iterable[Row]) -> dict[str, None]:
    return {name: None for row in rows for name in row}


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, Number):
        return value.text
    return visible(value if isinstance(value, str) else dumps(value))
