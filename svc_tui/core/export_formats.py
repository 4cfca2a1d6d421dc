"""Records as files that others read: JSON Lines, a JSON array, CSV, a Markdown table; piece by piece, in any amount.

A writer gives the text before the records, the text of some records, and the text after them, so that nobody needs to
hold them all. Numbers stay exactly as they came in every format. A further format is a class like these, and a line
in `Format` and in `writer_of`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from svc_tui.core.jsontext import Json, Number, dumps

Fields = Mapping[str, Json]


class Format(StrEnum):
    """A format by the name that people choose it by."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"

    @property
    def tabular(self) -> bool:
        """Whether the columns must be known before the first record is written."""
        return self in (Format.CSV, Format.MARKDOWN)

    @property
    def ending(self) -> str:
        """What the names of its files end with, without the dot."""
        return next(ending for ending, form in _ENDINGS.items() if form is self)


class Writer(Protocol):
    """How records become text; the whole is `head`, then `text` for the records in order, then `tail`."""

    @property
    def head(self) -> str:
        """What stands before the first record."""

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """The records, where `after` of them were written before."""

    def tail(self, count: int) -> str:
        """What stands after the last of `count` records."""


def writer_of(wanted: Format, columns: Sequence[str] = ()) -> Writer:
    """The writer of a format; `columns` are those of a tabular one."""
    match wanted:
        case Format.JSONL:
            return JsonLines()
        case Format.JSON:
            return JsonArray()
        case Format.CSV:
            return Csv(tuple(columns))
        case Format.MARKDOWN:
            return Markdown(tuple(columns))


def format_whole(form: Format, records: Sequence[Fields]) -> str:
    """All of the records as one text; the columns of a table are all their fields, in order of first sight."""
    columns = tuple({name: None for fields in records for name in fields}) if form.tabular else ()
    writer = writer_of(form, columns)
    return writer.head + writer.text(records, after=0) + writer.tail(len(records))


def format_of(file_name: str) -> Format | None:
    """The format that the file's ending names, whatever its case; None for other endings."""
    _, dot, ending = file_name.casefold().rpartition(".")
    return _ENDINGS.get(ending) if dot else None


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV with these texts, in quotes where they need them, its end with it."""
    return _line(_quote(text) if text else "" for text in cells)


def encode_utf8(text: str) -> bytes:
    """The text as it stands in a file; half a character (a lone surrogate) is written as JSON's escape `\\udXXX`."""
    return text.encode("utf-8", "backslashreplace")


_ENDINGS = {
    "jsonl": Format.JSONL,
    "ndjson": Format.JSONL,
    "json": Format.JSON,
    "csv": Format.CSV,
    "md": Format.MARKDOWN,
    "markdown": Format.MARKDOWN,
}


class JsonLines(Struct, frozen=True):
    """One record a line, compact."""

    head: str = ""

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """A line for each record."""
        return "".join(f"{dumps(fields)}\n" for fields in records)

    def tail(self, count: int) -> str:
        """Nothing."""
        return ""


class JsonArray(Struct, frozen=True):
    """One JSON array, a record a line."""

    head: str = "["

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """The elements; each begins the line that the one before it has left open."""
        return "".join(f"{',' if at else ''}\n{dumps(fields)}" for at, fields in enumerate(records, after))

    def tail(self, count: int) -> str:
        """The closing bracket."""
        return "\n]\n" if count else "]\n"


class Csv(Struct, frozen=True):
    """A table of RFC 4180 under a line of column names, safe to open in a spreadsheet; fields not in it are left out.

    Numbers, true and false stand bare, objects and arrays as JSON. null and a missing field are both an empty cell;
    "" is a quoted one. A text that a spreadsheet could run as a formula gets an apostrophe in front of what it would
    run; only the JSON formats give such a text back to the letter. Without columns there is no text at all.
    """

    columns: tuple[str, ...]

    @property
    def head(self) -> str:
        """The line of column names."""
        return _line(_quote(_defuse_formula(name)) for name in self.columns) if self.columns else ""

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """A line for each record."""
        if not self.columns:
            return ""
        return "".join(_line(_cell(fields.get(name)) for name in self.columns) for fields in records)

    def tail(self, count: int) -> str:
        """Nothing."""
        return ""


class Markdown(Struct, frozen=True):
    """A table of GitHub's Markdown, for people to read; fields that are not columns are left out.

    Every text is written as a text: what Markdown or HTML would read as its own is escaped, a line
    break is `<br>`, other control characters are their pictures (`␛`). Objects and arrays stand as JSON; null, "" and
    a missing field are all an empty cell. Without columns there is no text at all.
    """

    columns: tuple[str, ...]

    @property
    def head(self) -> str:
        """The line of column names, and the one that makes it a table."""
        if not self.columns:
            return ""
        return _row(map(_value_text, self.columns)) + _row("---" for _ in self.columns)

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """A line for each record."""
        if not self.columns:
            return ""
        return "".join(_row(_plain_cell(fields.get(name)) for name in self.columns) for fields in records)

    def tail(self, count: int) -> str:
        """Nothing."""
        return ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _plain_cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | Number):
        return dumps(value)
    return _value_text(value if isinstance(value, str) else dumps(value))


def _value_text(text: str) -> str:
    return _LINE_BREAK.sub("<br>", _CONTROL.sub(_control_picture, _MARKUP.sub(r"\\\g<0>", text)))


def _control_picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] == "\t":
        return " "
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"


_MARKUP = re.compile(r"[\\`*\[<|&~$@]|(?<![^\W_])_|_(?![^\W_])|(?<=:)(?=//)|(?<=[wW]{3})(?=\.)")
"""What Markdown could read as its own; `_` inside a word never is.

A backslash before `//`, or before the dot of `www.`, keeps an address from becoming a link.
"""

_LINE_BREAK = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x09\x0e-\x1f\x7f-\x84\x86-\x9f]")


def _line(cells: Iterable[str]) -> str:
    # A line with nothing on it would be skipped by readers: an empty cell alone is quoted.
    return f"{','.join(cells) or _EMPTY_CELL}\r\n"


_EMPTY_CELL = '""'


def _cell(value: Json) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else _quote(_defuse_formula(value))
    if value is None:
        return ""
    if isinstance(value, Number):
        return value.text
    text = dumps(value)
    if isinstance(value, bool):
        return text
    # Inside JSON the sign can be escaped, which changes nothing.
    return _quote(_FORMULA_INSIDE.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}", text))


def _quote(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _defuse_formula(text: str) -> str:
    return _FORMULA.sub("'", text)


_PLAIN = re.compile(r'\w(?:[^",;\t\r\n]*[^",;\s])?')
"""What most texts look like, which need no quotes and can't begin a formula: one look is enough for them."""

_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]|\A\s|\s\Z')
_BLANK = r"[\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
"""What a spreadsheet may drop, or not show, before it looks at the first character."""

_SIGN = r"[=+\-@＝＋－＠﹦﹢﹣﹫]"
"""What a formula begins with, and the wide and small forms that some spreadsheets take for it."""

_FORMULA = re.compile(rf'\A(?=[\t\r\n]|{_BLANK}*{_SIGN})|(?<=[;\t\r\n])(?=(?:{_BLANK}|")*{_SIGN})')
"""Where a formula could begin: at the start of a cell, and of what becomes one where `;` or a tab parts cells.

Spreadsheets of half the world part cells at `;`: they see our quotes in the middle of a cell and don't heed them, so
that a `;` or a line break in a text begins a cell of its own.
"""

_FORMULA_INSIDE = re.compile(rf"(;{_BLANK}*)({_SIGN})")
