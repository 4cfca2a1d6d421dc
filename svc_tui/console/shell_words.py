"""Shell syntax: a command line split into words as a POSIX shell splits it, and text quoted as `$'…'`."""

import re

from msgspec import Struct

_SYNTAX = r"""
      (?P<continuation> \\\r?\n )
    | (?P<space>        [ \t\r\n]+ | \Z )
    | '(?P<single>      [^']*+ )'
    | \$'(?P<ansi>      (?: \\. | [^'\\] )*+ )'
    | \$?"(?P<double>   (?: \\. | [^"\\]%s )*+ )"
    | \\(?P<escaped>    . )
    | (?P<unclosed>     \$?['"] | \\ )
    | (?P<bare>         [^ \t\r\n'"\\$]+ | \$ )
"""
_POSIX_TOKEN = re.compile(_SYNTAX % "", re.VERBOSE | re.DOTALL)
_WINDOWS_TOKEN = re.compile(_SYNTAX % ' | ""', re.VERBOSE | re.DOTALL)
_DOUBLE_QUOTED_ESCAPE = re.compile(r'\\(["\\$`])|\\\n|"(")')
_ANSI_PIECE = re.compile(
    r"\\x([0-9A-Fa-f]{1,2})|\\u([0-9A-Fa-f]{1,4})|\\U([0-9A-Fa-f]{1,8})|\\([0-7]{1,3})|\\(.)|[^\\]+", re.DOTALL
)
_ANSI_ESCAPES = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}


class ShellSyntaxError(ValueError):
    """Text that is no command line; `column` counts from 1."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason)
        self.reason, self.column = reason, column


class Word(Struct, frozen=True):
    """A word; `bare` says for each character whether it was neither quoted nor escaped, `column` counts from 1."""

    text: str
    bare: tuple[bool, ...]
    column: int

    @property
    def is_bare(self) -> bool:
        """Whether no part of the word was quoted."""
        return all(self.bare)


def split_words(text: str, *, doubled_quotes: bool = False) -> list[Word]:
    """Split a command line into words; nothing is expanded. Raises ShellSyntaxError.

    With `doubled_quotes`, `""` inside `"…"` is one quote, as on Windows.
    """
    words: list[Word] = []
    pieces: list[tuple[str, bool]] = []
    start: int | None = None
    for token in (_WINDOWS_TOKEN if doubled_quotes else _POSIX_TOKEN).finditer(text):
        kind = token.lastgroup or ""
        if kind == "space" and start is not None:
            bare = tuple(is_bare for piece, is_bare in pieces for _ in piece)
            words.append(Word("".join(piece for piece, _ in pieces), bare, start + 1))
            pieces, start = [], None
        elif kind == "unclosed":
            missing = (
                "a character is missing after the backslash" if token[0] == "\\" else "the closing quote is missing"
            )
            raise ShellSyntaxError(missing, token.end())
        elif kind not in ("space", "continuation"):
            start = token.start() if start is None else start
            pieces.append((_unquote(token, kind), kind == "bare"))
    return words


def _unquote(token: re.Match[str], kind: str) -> str:
    if kind == "double":
        return _DOUBLE_QUOTED_ESCAPE.sub(lambda match: match[1] or match[2] or "", token[kind])
    if kind != "ansi":
        return token[kind]
    start = token.start(kind)
    decoded = b"".join(_ansi_bytes(piece, start) for piece in _ANSI_PIECE.finditer(token[kind]))
    try:
        return decoded.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ShellSyntaxError("these bytes are not UTF-8 text", start) from None


def _ansi_bytes(piece: re.Match[str], start: int) -> bytes:
    byte, short, long, octal, letter = piece.groups()
    if byte or octal:
        return bytes([int(byte, 16) if byte else int(octal, 8) & 0xFF])
    text = _ANSI_ESCAPES.get(letter or "", piece[0])
    if short or long:
        code = int(short or long, 16)
        if code > 0x10FFFF:
            raise ShellSyntaxError("this character code does not exist", start + piece.start() + 1)
        text = chr(code)
    return text.encode("utf-8", "surrogatepass")


def ansi_quote(text: str, *, octal: bool = False) -> str:
    """Quote text as `$'…'`; `octal` writes invisible characters by their bytes, which every locale reads alike."""

    def escape(character: str) -> str:
        if character in _SHORT_ESCAPES or character.isprintable():
            return _SHORT_ESCAPES.get(character, character)
        if octal:
            return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return f"$'{''.join(map(escape, text))}'"
