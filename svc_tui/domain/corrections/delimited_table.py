"""Tables as text: rows of cells, parted by whatever parts them in this file; quotes as spreadsheets write them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice

from svc_tui.domain.corrections.correction import CorrectionFileError

Rows = Sequence[tuple[int, Sequence[str]]]
"""Rows with what stands in them: its number as a spreadsheet counts it, and the texts of its cells."""

DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
"""What Excel reads as the delimiter, and shows nobody."""
_SAMPLE_ROWS = 60


def read_table(text: str, known_names: frozenset[str]) -> tuple[list[tuple[int, list[str]]], str]:
    """The rows that are not empty, numbered as a spreadsheet counts, and what parts their cells.

    `known_names`, in lower case, are column names that tell a delimiter from a character in another's column. Raises
    CorrectionFileError for a quote that is not closed.
    """
    if (line := _SEPARATOR_LINE.match(text)) is not None:
        text, delimiter = text[line.end() :], line[1]
    else:
        delimiter = _delimiter_of(text, known_names)
    rows = [(number, cells) for number, cells in enumerate(_rows(text, delimiter), 1) if is_filled(cells)]
    return rows, delimiter


def is_filled(cells: Sequence[str]) -> bool:
    """Whether a row holds anything but blanks."""
    return any(cell and not cell.isspace() for cell in cells)


def column_letters(index: int) -> str:
    """What a spreadsheet calls the column at `index` from 0: A, B, …, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _delimiter_of(text: str, known_names: frozenset[str]) -> str:
    """What parts the cells: the names in the first row count most, then how many rows have as many cells."""
    best, best_score = ",", (False, 0.0, 1)
    for delimiter in DELIMITERS:
        score = _score(text, delimiter, known_names)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _score(text: str, delimiter: str, known_names: frozenset[str]) -> tuple[bool, float, int]:
    sample: list[list[str]] = []
    # The wrong delimiter may leave a quote open: the rows before it tell enough.
    with suppress(CorrectionFileError):
        sample.extend(islice(filter(is_filled, _rows(text, delimiter)), _SAMPLE_ROWS))
    if not sample or len(sample[0]) < 2:
        return False, 0.0, 1
    header, *rows = sample
    named = any(name.strip().casefold() in known_names for name in header)
    fit = sum(len(cells) == len(header) for cells in rows) / len(rows) if rows else 1.0
    return named, fit, len(header)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    cell, at, end, row, number = _cell_pattern(delimiter), 0, len(text), list[str](), 1
    while at < end:
        match = cell.match(text, at)
        if match is None:
            raise CorrectionFileError(
                f"Row {number:,}, column {column_letters(len(row))}: the closing quote is missing. "
                f'Close it, or write a quote inside a cell as "".'
            )
        quoted, after, plain, separator = match.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"') + after)
        at = match.end()
        if separator != delimiter:
            yield row
            row, number = [], number + 1
        elif at == end:
            yield [*row, ""]


@cache
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    """A cell with what ends it. What stands behind a closing quote belongs to the cell, as in spreadsheets."""
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"({plain})|(?!")({plain}))({re.escape(delimiter)}|\r\n|\n|\r|\Z)')
