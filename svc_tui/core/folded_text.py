"""Texts as a search compares them: capitals make no difference to it, nor do accents of Latin, Greek, Cyrillic letters.

Those are left out where somebody writes without them who means the same: `dore` is Doré, `lodz` is Łódź, `еж` is ёж. A
mark that makes a letter of its own stays: nobody writes и for й, which has its own key on every keyboard that has
either. Other scripts are compared as they are, since there the marks may be vowels, as in Hindi.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from unicodedata import normalize

from svc_tui.core.jsontext import Absent, Json, Number, dumps

_MARKS = "\u0300-\u036f"
_CYRILLIC = "\u0400-\u052f"
_OTHERS = "a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff"
"""The small letters of Latin and Greek, which every mark is left out of."""

_COMPOSED = (range(0xDF, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000))
"""The characters among which are letters with their accents in one."""

_LONGER = (range(0xC0, 0x250), range(0x530, 0x590), range(0x1E00, 0x2000), range(0xFB00, 0xFB18))
"""The characters among which are all that are folded to more than one, such as ß, æ and ﬁ."""

_STRESS = "\u0300\u0301"
"""The marks that are left out of Cyrillic letters: they help somebody to read a word aloud."""

_UNSTRESSED = frozenset({"\u0433\u0301", "\u043a\u0301"})
"""What Macedonian ѓ and ќ are made of: letters of their own, since no consonant is ever stressed."""

_YO = "\u0435\u0308"
"""What ё is made of: е is nearly always written for it."""

PLAIN_LETTERS: Mapping[str, str] = {
    "æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe", "ŧ": "t", "ƶ": "z",
}  # fmt: skip
"""What is written for letters that Unicode does not take apart: a stroke is no mark to it, nor are two letters one."""

_MARK = re.compile(f"[{_MARKS}]")
_MARKED = re.compile(f"[{_OTHERS}{_CYRILLIC}][{_MARKS}]+")
_LETTER = re.compile(f"(?s:.)[{_MARKS}]*")
"""A character with its marks, which is folded by itself, whatever stands around it."""


def fold(text: str) -> str:
    """The text without capitals and accents; a text within another stands within it folded, too, if cut at no mark."""
    folded = text.casefold()
    return folded if folded.isascii() else _without_accents(folded)


def places_of(text: str, sought: str) -> Iterator[tuple[int, int]]:
    """Where in `text`, as it is, the folded text `sought` stands: the beginning and the end of each place, in order."""
    places = _places_in(fold(text), sought)
    if text.isascii() or not _uneven().search(text):
        return places
    letters = [letter.span() for letter in _LETTER.finditer(text) for _ in fold(letter[0])]
    return ((letters[at][0], letters[end - 1][1]) for at, end in places)


def place_of(text: str, sought: str) -> tuple[int, int] | None:
    """The first of these; None: nowhere."""
    return next(places_of(text, sought), None)


def _places_in(folded: str, sought: str) -> Iterator[tuple[int, int]]:
    at = folded.find(sought) if sought else -1
    while at >= 0:
        end = at + len(sought)
        yield at, end
        at = folded.find(sought, end)


@cache
def _uneven() -> re.Pattern[str]:
    """The characters that are folded to more than one, and marks."""
    letters = (chr(code) for codes in _LONGER for code in codes)
    return re.compile(f"[{''.join(letter for letter in letters if len(fold(letter)) > 1)}{_MARKS}]")


def _without_accents(folded: str) -> str:
    if _MARK.search(folded):
        folded = _MARKED.sub(lambda match: _plain(match[0]), folded)
    pattern, plain = _composed_letters()
    return pattern.sub(lambda match: plain[match[0]], folded)


@cache
def _composed_letters() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """The single characters that are not left as they are, and what becomes of each."""
    letters = (letter for letter in map(chr, (code for codes in _COMPOSED for code in codes)) if letter.isalpha())
    plain = {letter: _plain(letter) for letter in letters if letter == letter.casefold()}
    plain = {letter: without for letter, without in plain.items() if letter != without}
    return re.compile(f"[{''.join(plain)}]"), plain


def _plain(character: str) -> str:
    """A small letter with its marks, without those that make no difference."""
    parts = normalize("NFD", character[0]) + character[1:]
    letter = parts[0]
    if not "\u0400" <= letter <= "\u052f":
        return PLAIN_LETTERS.get(letter, letter)
    # Each once: of thousands, as only mischief writes them, Unicode's order would take minutes to make.
    kept = [mark for mark in dict.fromkeys(parts[1:]) if _is_kept(letter, mark)]
    return normalize("NFC", letter + "".join(kept))


def _is_kept(letter: str, mark: str) -> bool:
    """Whether the mark makes another letter of a Cyrillic one."""
    return letter + mark in _UNSTRESSED if mark in _STRESS else letter + mark != _YO


def search_words(text: str) -> tuple[str, ...]:
    """What is looked for, word by word, folded."""
    return tuple(fold(text).split())


def value_text(value: Json | Absent) -> str:
    """A value's text as it is written, nested values as JSON, null and missing as nothing."""
    # What most values are comes first: a page holds hundreds.
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    if value is None or isinstance(value, Absent):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return dumps(value)


def fold_value(value: Json | Absent) -> str:
    """A value's text as it is searched."""
    return fold(value_text(value))


def search_text(fields: Mapping[str, Json]) -> str:
    """All values of a record as they are searched, each on a line of its own between two line breaks."""
    # No character is folded by what stands on another line, so all can be folded at once.
    return fold("\n".join(["", *map(value_text, fields.values()), ""]))
