"""ASCII equivalents of the characters that are drawn, for terminals that do not support UTF-8.

Each is as wide as its character, so that the layout stays the same.
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
    **{character: plain for plain, characters in _EQUIVALENTS.items() for character in characters},
    # The spinner still turns.
    **{frame: "|/-\\"[index % 4] for index, frame in enumerate(_SPINNER_FRAMES)},
}
"""The equivalents of the characters of one cell that the program draws."""


def to_ascii(text: str) -> str:
    """Return `text` in ASCII, as wide as before: equivalents, letters without accents, and `?` for all others.

    Escape sequences are not changed; `text` has gone through `ui.text`.
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
