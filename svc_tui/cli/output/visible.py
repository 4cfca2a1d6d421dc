"""Text from outside on its way to a terminal: nothing in it hides, and nothing in it commands."""

import re
import unicodedata

_HIDDEN_IN_JSON = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""What JSON leaves as it is, and a terminal may obey or not show."""


def visible(text: str) -> str:
    """The text on one line, its control, bidi and zero-width characters made visible."""
    if text.isprintable():
        return text
    text = " ".join(text.splitlines())
    return "".join(character if character.isprintable() else f"\\u{{{ord(character):x}}}" for character in text)


def escape_json(text: str) -> str:
    """JSON that says the same, without characters that a terminal may obey: they stand in strings alone."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape_lines(text: str) -> str:
    """A text of several lines with whatever a terminal may obey made visible, line ends apart."""
    lines = re.split("(\r?\n)", text)
    return "".join(part if part.endswith("\n") else visible(part) for part in lines)


def cells(text: str) -> int:
    """How many cells visible text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, most: int) -> str:
    """Visible text in at most so many cells; `…` stands for what was cut."""
    if cells(text) <= most:
        return text
    width = 0
    for at, character in enumerate(text):
        width += _cells_of(character)
        if width > most - 1:
            return f"{text[:at]}…"
    return text
