"""ASCII twins of the characters that are drawn, for terminals that do not speak UTF-8.

Every twin is as wide as its character, so that whatever is drawn stays in its place.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import split_graphemes

from svc_tui.core.folded_text import PLAIN_LETTERS

_EQUIVALENTS = {
    "*": "•●◆▪⌫",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝┏┓┗┛",
    "-": "─━╌╍┄–—▁▂▔",
    "=": "═",
    "|": "│┃║▌▎▏▕▐",
    ">": "→›▸▹▶⟩⇥",
    "<": "←‹◂⟨↵⏎≤",
    "^": "↑▲",
    "v": "↓▼▾✓",
    "x": "✕✗×",
    "u": "↶",
    "o": "○",
    ".": "·…",
    "%": "◐",
    "~": "∅",  # as YAML writes null
    ":": "▒░▃▄",
    "#": "█▓▅▆▇▉▊▋▍■",
    '"': "“”",
    "'": "‘’",
    "_": "␣",
    "!": "≠",
    "?": "␡␍␛␦⁀\ufffd",
}
_NON_ASCII = re.compile("[^\x00-\x7f]+")
_SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

ASCII_EQUIVALENTS: Mapping[str, str] = {
    **{character: twin for twin, characters in _EQUIVALENTS.items() for character in characters},
    # The one-cell spinner still turns.
    **{frame: "|/-\\"[index % 4] for index, frame in enumerate(_SPINNER_FRAMES)},
}
"""A character of one cell that the program itself draws, to its twin."""


def to_ascii(text: str) -> str:
    """`text` in ASCII, as wide as before: twins, letters without their accents, and `?` for what has no likeness.

    Escape sequences stay as they are; `text` has gone through `ui.text`.
    """
    return text if text.isascii() else _NON_ASCII.sub(_run_to_ascii, text)


def _run_to_ascii(run: re.Match[str]) -> str:
    text = run.group()
    spans, _ = split_graphemes(text)
    return "".join(_grapheme_to_ascii(text[start:end], width) for start, end, width in spans)


@lru_cache(maxsize=4096)
def _grapheme_to_ascii(grapheme: str, width: int) -> str:
    if grapheme in ASCII_EQUIVALENTS:
        return ASCII_EQUIVALENTS[grapheme]
    plain = "".join(filter(str.isascii, map(_plain_letter, unicodedata.normalize("NFKD", grapheme))))
    return plain if plain.isprintable() and len(plain) == width else "?" * width


def _plain_letter(letter: str) -> str:
    plain = PLAIN_LETTERS.get(letter.lower(), letter)
    return plain.upper() if letter.isupper() else plain


def needs_ascii(variables: Mapping[str, str]) -> bool:
    """Whether the locale names a character set that is not UTF-8; where it names none, a terminal speaks UTF-8.

    `LC_ALL` beats `LC_CTYPE`, which beats `LANG`; an empty one counts as unset (POSIX, 8.2).
    """
    locale = next((variables[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if variables.get(name)), "")
    if locale in ("C", "POSIX"):
        return True
    charset = locale.partition(".")[2].partition("@")[0]
    return bool(charset) and charset.lower().replace("-", "") != "utf8"
