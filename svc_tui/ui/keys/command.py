"""Something that the palette offers."""

import re
from collections.abc import Callable

from msgspec import Struct

from svc_tui.core.folded_text import fold

_WORD = re.compile(r"\w+")


class Command(Struct, frozen=True, eq=False):
    """A title, a line of help, and what to run; `words` are other words that it is found by.

    One that a key runs has the `area` that the key belongs to, and its `keys` as people read them.
    """

    title: str
    help: str
    run: Callable[[], object]
    words: str = ""
    area: str = ""
    keys: str = ""
    binding: str = ""
    """The id of the key's binding."""
    is_prominent: bool = False
    """Whether the line of keys has it."""

    def rank(self, query: str) -> float:
        """Return how well it matches, up to 1; 0 where a word that was typed is nowhere in it.

        A word of the title beats the beginning of one, which beats a part of one; what area, help and other words hold
        comes last. Of equals, the shorter title is first.
        """
        title, rest = fold(self.title), fold(f"{self.area} {self.help} {self.words}")
        title_words, rest_words = _WORD.findall(title), _WORD.findall(rest)
        score = 0.0
        typed = _WORD.findall(fold(query))
        for word in typed:
            if word in title_words:
                score += 1.0
            elif any(other.startswith(word) for other in title_words):
                score += 0.8
            elif word in title:
                score += 0.6
            elif word in rest_words:
                score += 0.4
            elif word in rest:
                score += 0.2
            else:
                return 0.0
        return max(0.01, score / len(typed) - len(title) / 10_000) if typed else float(fold(query) in title)
