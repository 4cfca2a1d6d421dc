"""Finds where each key of a TOML text stands, so that a mistake has a line and one value can be replaced alone."""

import re
import tomllib
from collections.abc import Mapping, Sequence

from msgspec import Struct

KeyPath = tuple[str | int, ...]
"""The way to a value: names of tables and keys, and numbers of items from 0."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_QUOTED = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\]|\\.)*"|\'[^\']*\'', re.DOTALL)
_PLAIN = re.compile(r"[^,\]}\r\n#]*")


class TomlPosition(Struct, frozen=True):
    """Where a key stands: its line, from 1, and its value as `text[start:end]`; that of a table's header is empty."""

    line: int
    start: int
    end: int


def find_positions(text: str) -> Mapping[KeyPath, TomlPosition]:
    """Every key, item and table of a text that `tomllib` has read; of any other text the answer means nothing."""
    return _PositionScanner(text).read()


def line_of(positions: Mapping[KeyPath, TomlPosition], path: Sequence[str | int]) -> int | None:
    """The line of the value at `path`, else of the nearest table around it; None where none of them is written."""
    for length in range(len(path), 0, -1):
        if (spot := positions.get(tuple(path[:length]))) is not None:
            return spot.line
    return None


class _PositionScanner:
    """Goes through a text once; `_at` is how far it has come."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._positions: dict[KeyPath, TomlPosition] = {}
        self._counts: dict[KeyPath, int] = {}
        """How many tables of a `[[list]]` have begun."""
        self._counted, self._line = 0, 1

    def read(self) -> dict[KeyPath, TomlPosition]:
        table: KeyPath = ()
        self._skip(_GAP)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_GAP)
        return self._positions

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Go past what the pattern matches here; gives it."""
        match = pattern.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return match[0]

    def _here(self) -> int:
        """The line of the place come to; asked for places in order."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _header(self) -> KeyPath:
        line, start = self._here(), self._at
        double = self._text.startswith("[[", self._at)
        self._at += 2 if double else 1
        *above, name = self._key()
        self._at = self._text.index("]", self._at) + (2 if double else 1)
        path: KeyPath = ()
        spot = TomlPosition(line, start, start)
        for part in above:
            self._positions.setdefault((*path, part), spot)
            path = self._latest((*path, part))
        path = (*path, name)
        self._positions.setdefault(path, spot)
        if double:
            count = self._counts.get(path, 0)
            self._counts[path] = count + 1
            path = (*path, count)
        else:
            path = self._latest(path)
        self._positions[path] = spot
        return path

    def _latest(self, path: KeyPath) -> KeyPath:
        """The last table of the list at `path`; `path` itself where that is no list."""
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _pair(self, table: KeyPath) -> None:
        line = self._here()
        path = table
        for part in self._key():
            path = (*path, part)
            self._positions.setdefault(path, TomlPosition(line, self._at, self._at))
        self._at = self._text.index("=", self._at) + 1
        self._skip(_SPACE)
        self._value(path, line)

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip(_SPACE)
            quoted = self._text[self._at] in "\"'"
            written = self._skip(_QUOTED if quoted else _BARE_KEY)
            parts.append(tomllib.loads(f"key = {written}")["key"] if quoted else written)
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return parts
            self._at += 1

    def _value(self, path: KeyPath, line: int) -> None:
        start, begins = self._at, self._text[self._at]
        if begins in "\"'":
            self._skip(_QUOTED)
        elif begins == "[":
            self._items(path)
        elif begins == "{":
            self._inline(path)
        else:
            self._at = start + len(self._skip(_PLAIN).rstrip())
        self._positions[path] = TomlPosition(line, start, self._at)

    def _items(self, path: KeyPath) -> None:
        self._at += 1
        number = 0
        while not self._closed("]"):
            self._value((*path, number), self._here())
            number += 1

    def _inline(self, path: KeyPath) -> None:
        self._at += 1
        while not self._closed("}"):
            self._pair(path)

    def _closed(self, bracket: str) -> bool:
        """Whether the list or the inline table ends here; else the next item does begin here."""
        self._skip(_GAP)
        if self._text[self._at] == ",":
            self._at += 1
            self._skip(_GAP)
        if self._text[self._at] != bracket:
            return False
        self._at += 1
        return True
