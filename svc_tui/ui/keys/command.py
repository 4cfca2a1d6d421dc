"""Commands of the palette."""

import re
from collections.abc import Callable

from msgspec import Struct

from svc_tui.core.folded_text import fold

_WORD = re.compile(r"\w+")


class Command(Struct, frozen=True, eq=False):
    """A title, a line of help, and a function to run; `words` are further words to search for.

    A command with a key has the `area` of the key, and the names of its `keys`.
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
    """True if the line of keys has it."""

    def rank(self, query: str) -> float:
        """Return how well it matches, up to 1; 0 if it does not contain each word of the query.

        A word of the title ranks above the beginning of one, then a part of one, then the area, help and further words.
        Of equals, the shorter title is first.
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
