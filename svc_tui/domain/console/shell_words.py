"""A command line taken apart as a POSIX shell does, and words put so that it reads them back; nothing is expanded."""

import re
from dataclasses import dataclass

_SPACE = " \t\r\n"
_SIMPLE_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_NUMERIC_ESCAPE = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}


class ShellSyntaxError(ValueError):
    """Text that no shell would take; `column` counts from 1."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason)
        self.reason, self.column = reason, column


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its text, which of its characters stood neither quoted nor escaped, and where it began, from 1."""

    text: str
    bare: tuple[bool, ...]
    column: int

    @property
    def is_bare(self) -> bool:
        """Whether nothing of it was quoted."""
        return all(self.bare)


def split_words(text: str, *, doubled_quotes: bool = False) -> list[Word]:
    """The words of a command line, `$'…'` and continued lines included; raises ShellSyntaxError.

    With `doubled_quotes`, `""` inside `"…"` is one quote, as on Windows.
    """
    reader = _Lexer(text, doubled_quotes=doubled_quotes)
    words = []
    while (word := reader.word()) is not None:
        words.append(word)
    return words


def ansi_quote(text: str) -> str:
    """The text as `$'…'`, whatever cannot be seen escaped."""
    return "$'" + "".join(map(_escape, text)) + "'"


def _escape(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Lexer:
    def __init__(self, text: str, *, doubled_quotes: bool = False) -> None:
        self._text, self._at = text, 0
        self._doubled_quotes = doubled_quotes
        self._pieces: list[tuple[str, bool]] = []

    def word(self) -> Word | None:
        text = self._text
        while self._at < len(text) and (text[self._at] in _SPACE or self._continued()):
            self._at += 1 if text[self._at] in _SPACE else self._continued()
        if self._at >= len(text):
            return None
        start, self._pieces = self._at, []
        while self._at < len(text) and text[self._at] not in _SPACE:
            self._piece()
        whole = "".join(piece for piece, _ in self._pieces)
        bare = tuple(bare for piece, bare in self._pieces for _ in piece)
        return Word(whole, bare, start + 1)

    def _continued(self) -> int:
        """How many characters a line's continuation here takes, 0 where there is none."""
        return next((len(end) for end in ("\\\r\n", "\\\n") if self._text.startswith(end, self._at)), 0)

    def _piece(self) -> None:
        text, at = self._text, self._at
        if skipped := self._continued():
            self._at += skipped
        elif text[at] == "'":
            self._take(text[at + 1 : (end := self._closing("'", at + 1))], end + 1)
        elif text.startswith("$'", at):
            self._ansi()
        elif text[at] == '"' or text.startswith('$"', at):
            self._double(at + (2 if text[at] == "$" else 1))
        elif text[at] == "\\":
            if at + 1 == len(text):
                raise ShellSyntaxError("a character is missing after the backslash", at + 1)
            self._take(text[at + 1], at + 2)
        else:
            self._pieces.append((text[at], True))
            self._at += 1

    def _take(self, piece: str, until: int) -> None:
        self._pieces.append((piece, False))
        self._at = until

    def _closing(self, quote: str, at: int) -> int:
        end = self._text.find(quote, at)
        if end < 0:
            raise ShellSyntaxError("the closing quote is missing", at)
        return end

    def _double(self, at: int) -> None:
        text, opened, decoded = self._text, at, ""
        while at < len(text):
            if self._doubled_quotes and text.startswith('""', at):
                decoded, at = decoded + '"', at + 2
            elif text[at] == '"':
                break
            elif text.startswith("\\\n", at):
                at += 2
            elif text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
                decoded, at = decoded + text[at + 1], at + 2
            else:
                decoded, at = decoded + text[at], at + 1
        if at == len(text):
            raise ShellSyntaxError("the closing quote is missing", opened)
        self._take(decoded, at + 1)

    def _ansi(self) -> None:
        text, at, opened = self._text, self._at + 2, self._at + 2
        decoded = bytearray()
        while at < len(text) and text[at] != "'":
            if text[at] != "\\" or at + 1 == len(text):
                decoded += _encode(text[at])
                at += 1
            elif match := _NUMERIC_ESCAPE.match(text, at + 1):
                decoded += _decode_escape(match, at)
                at = match.end()
            else:
                decoded += _encode(_SIMPLE_ESCAPES.get(text[at + 1], text[at : at + 2]))
                at += 2
        if at >= len(text):
            raise ShellSyntaxError("the closing quote is missing", opened)
        try:
            self._take(decoded.decode("utf-8", "surrogatepass"), at + 1)
        except UnicodeDecodeError:
            raise ShellSyntaxError("these bytes are not UTF-8 text", opened) from None


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode_escape(match: re.Match[str], at: int) -> bytes:
    hexadecimal, short, long, octal = match.groups()
    if hexadecimal or octal:
        return bytes([int(hexadecimal, 16) if hexadecimal else int(octal, 8) & 0xFF])
    code = int(short or long, 16)
    if code > 0x10FFFF:
        raise ShellSyntaxError("this character code does not exist", at + 1)
    return _encode(chr(code))
