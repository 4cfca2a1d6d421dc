"""Texts as a search compares them: capitals make no difference to it, nor do accents of Latin, Greek, Cyrillic letters.

Those are left out where somebody writes without them who means the same: `dore` is Doré, `lodz` is Łódź, `еж` is ёж. A
mark that makes a letter of its own stays: nobody writes и for й, which has its own key on every keyboard that has
either. Other scripts are compared as they are, since there the marks may be vowels, as in Hindi.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

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
_STRETCH = re.compile(f"(?s:.{{1,16384}})[{_MARKS}]*")
"""So much is looked at in one go; a letter is never parted from its marks."""


def fold(text: str) -> str:
    """The text without capitals and accents; a text within another stands within it folded, too, if cut at no mark."""
    folded = text.casefold()
    return folded if folded.isascii() else _without_accents(folded)


def places_of(text: str, sought: str) -> Iterator[tuple[int, int]]:
    """Where in `text`, as it is, the folded text `sought` stands: the beginning and the end of each place, in order."""
    places = _places_in(fold(text), sought)
    return places if text.isascii() else _Origins(text).places(places)


def place_of(text: str, sought: str) -> tuple[int, int] | None:
    """The first of these; None: nowhere."""
    return next(places_of(text, sought), None)


def _places_in(folded: str, sought: str) -> Iterator[tuple[int, int]]:
    at = folded.find(sought) if sought else -1
    while at >= 0:
        end = at + len(sought)
        yield at, end
        at = folded.find(sought, end)


class _Part(NamedTuple):
    """A character with its marks that may be longer or shorter when it is folded: where it stands, and where then.

    A character with its marks is folded by itself, whatever stands around it.
    """

    start: int
    end: int
    folded_start: int
    folded_end: int


class _Origins:
    """What the characters of a folded text were made of; they are asked for from its beginning to its end.

    Only what changes its length is looked at, no further than what is asked for: everything between keeps its distance.
    """

    def __init__(self, text: str) -> None:
        self._parts = _uneven_parts(text)
        self._part = _Part(0, 0, 0, 0)
        """The first that does not end before what was asked for last."""
        self._moved = 0
        """How much further on in the text than in the folded one is what stands right before that part."""

    def places(self, folded: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where in the text the places in the folded text are, each with whole letters and their marks."""
        even_until = moved = 0
        for at, end in folded:
            if end > even_until:
                self._pass(at)
                even_until, moved = self._part.folded_start, self._moved
            if end <= even_until:
                yield at + moved, end + moved
            else:
                yield self._span(at)[0], self._span(end - 1)[1]

    def _pass(self, at: int) -> None:
        while at >= self._part.folded_end:
            self._moved = self._part.end - self._part.folded_end
            self._part = next(self._parts)

    def _span(self, at: int) -> tuple[int, int]:
        """Where in the text the character with its marks stands that became the one at `at` in the folded text."""
        self._pass(at)
        if at >= self._part.folded_start:
            return self._part.start, self._part.end
        return at + self._moved, at + self._moved + 1


def _uneven_parts(text: str) -> Iterator[_Part]:
    """Each character with its marks that may change its length, in order, and an empty part wherever a stretch ends."""
    lengths: dict[str, int] = {}
    end = folded_end = 0
    for stretch in _STRETCH.finditer(text):
        for match in _uneven().finditer(text, *stretch.span()):
            # Marks are found by themselves: they belong to the character before them, but to none at the beginning.
            start = match.start() - (match.start() > 0 and _MARK.match(match[0]) is not None)
            folded_start = folded_end + start - end
            end = match.end()
            letter = text[start:end]
            if letter not in lengths:
                lengths[letter] = len(fold(letter))
            folded_end = folded_start + lengths[letter]
            yield _Part(start, end, folded_start, folded_end)
        folded_end += stretch.end() - end
        end = stretch.end()
        yield _Part(end, end, folded_end, folded_end)


@cache
def _uneven() -> re.Pattern[str]:
    """The characters that are folded to more than one, and marks; with the marks that follow."""
    letters = (chr(code) for codes in _LONGER for code in codes)
    return re.compile(f"[{''.join(letter for letter in letters if len(fold(letter)) > 1)}{_MARKS}][{_MARKS}]*")


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
