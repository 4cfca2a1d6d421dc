"""A screen as text that can be read in a diff: its characters, how each cell is drawn, and what the drawings are."""

import io
import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.segment import Segment
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθικλμνξοπρστυφχψω"
_CHANGING = (
    (re.compile(r"(1:)\d{5}\b"), r"\g<1>40000"),
    (
        re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        f"{0:08}-0000-4000-8000-{0:012}",
    ),
    (re.compile(r"(?<![\d.])\d{10}(?![\d.])"), "1700000000"),
    (re.compile(r"req-[0-9a-f]{16}"), f"req-{0:016}"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "2026-11-20 05:12:07"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d"), "Fri, 20 Nov 2026 05:12:07"),
)
"""What is another each time: the service's port, an idempotency key, when it was signed, and its id; all as long."""


class CellsExtension(SingleFileSnapshotExtension):
    """Keeps each screen in a text file of its own."""

    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


def screen_cells(app: App[Any]) -> str:
    """The rows of text; under them, row by row, how many cells are drawn in which style; then the styles."""
    rows = screen_rows(app)
    letters: dict[str, str] = {}
    runs = [" ".join(f"{letter}{cells}" for letter, cells in _runs(row, letters)) for row in rows]
    legend = [f"{letter}  {style}" for style, letter in letters.items()]
    return "\n".join([_text(rows), "", *runs, "", *legend, ""])


def screen_text(app: App[Any]) -> str:
    """The rows of text alone."""
    return f"{_text(screen_rows(app))}\n"


def screen_rows(app: App[Any]) -> list[list[Segment]]:
    """The segments of the whole screen as they are painted, row by row."""
    width, height = app.size
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert update is not None
    return [row for row in Segment.split_lines(console.render(update)) if row]


def _text(rows: Iterable[Iterable[Segment]]) -> str:
    text = "\n".join("".join(segment.text for segment in row if not segment.control).rstrip() for row in rows)
    return steady(text)


def steady(text: str) -> str:
    """A text of a screen with what is another each time put the same; it stays as long as it was."""
    for pattern, same in _CHANGING:
        text = pattern.sub(same, text)
    return text


def _runs(row: Iterable[Segment], letters: dict[str, str]) -> Iterable[tuple[str, int]]:
    """The letters of the styles of a row, each with the number of cells in a run; new styles get a letter."""
    cells = ((_letter(str(segment.style), letters), segment.cell_length) for segment in row if not segment.control)
    for letter, run in groupby(cells, key=lambda cell: cell[0]):
        yield letter, sum(length for _, length in run)


def _letter(style: str, letters: dict[str, str]) -> str:
    return letters.setdefault(style, _LETTERS[len(letters)] if style not in letters else "")
