"""Texts as a search compares them: capitals make no difference to it, nor do accents of Latin, Greek, Cyrillic letters.

Those are left out where somebody writes without them who means the same: `dore` is Doré, `lodz` is Łódź, `еж` is ёж. A
mark that makes a letter of its own stays: nobody writes и for й, which has its own key on every keyboard that has
either. Other scripts are compared as they are, since there the marks may be vowels, as in Hindi.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from unicodedata import normalize

_MARKS = "\u0300-\u036f"
_CYRILLIC = "\u0400-\u052f"
_OTHERS = "a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff"
"""The small letters of Latin and Greek, which every mark is left out of."""

_COMPOSED = (range(0xDF, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000))
"""The characters among which are letters with their accents in one."""

_STRESS = "\u0300\u0301"
"""The marks that are left out of every Cyrillic letter: they help somebody to read a word aloud."""

_YO = "\u0435\u0308"
"""What ё is made of: е is nearly always written for it."""

PLAIN_LETTERS: Mapping[str, str] = {
    "æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe", "ŧ": "t", "ƶ": "z",
}  # fmt: skip
"""What is written for letters that Unicode does not take apart: a stroke is no mark to it, nor are two letters one."""

_MARK = re.compile(f"[{_MARKS}]")
_MARKED = re.compile(f"[{_OTHERS}{_CYRILLIC}][{_MARKS}]+")
_PART = re.compile(f"(?s:.{{1,256}})[{_MARKS}]*")
_CHARACTER = re.compile(f"(?s:.)[{_MARKS}]*")
"""A character with the marks that follow: what is folded by itself, whatever stands around it."""


def fold(text: str) -> str:
    """The text without capitals and accents; a text within another stands within it folded, too, if cut at no mark."""
    folded = text.casefold()
    return folded if folded.isascii() else _without_accents(folded)


def places_of(text: str, sought: str) -> Iterator[tuple[int, int]]:
    """Where in `text`, as it is, the folded text `sought` stands: the beginning and the end of each place, in order."""
    folded, origins = fold(text), _Origins(text)
    at = folded.find(sought) if sought else -1
    while at >= 0:
        end = at + len(sought)
        yield origins.span(at)[0], origins.span(end - 1)[1]
        at = folded.find(sought, end)


def place_of(text: str, sought: str) -> tuple[int, int] | None:
    """The first of these; None: nowhere."""
    return next(places_of(text, sought), None)


class _Origins:
    """What the characters of a folded text were made of; they are asked for from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._passed = self._folded = 0
        """What lies behind: so many characters of the text, and so many of the folded one."""

    def span(self, at: int) -> tuple[int, int]:
        """Where in the text the character with its marks stands that became the one at `at` in the folded text."""
        if self._text.isascii():
            return at, at + 1
        start = end = self._passed
        # A long text is gone through in parts first.
        for pattern in (_PART, _CHARACTER):
            for match in pattern.finditer(self._text, self._passed):
                start, end = match.span()
                until = self._folded + len(fold(match[0]))
                if at < until:
                    break
                self._passed, self._folded = end, until
        return start, end


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
    kept = [mark for mark in dict.fromkeys(parts[1:]) if mark not in _STRESS and letter + mark != _YO]
    return normalize("NFC", letter + "".join(kept))
