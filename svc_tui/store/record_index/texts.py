"""The texts of records as the index holds them, and how it is asked for records that hold a text."""

import re
from collections.abc import Iterable, Mapping

from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.data.search_text import search_text
from svc_tui.domain.model.jsontext import Json

_TRIGRAM = 3

_ASCII = re.compile("[\x00-\x7f]+")
_NOT_ASCII = re.compile("[^\x00-\x7f]+")

_MAX_TRIGRAMS = 24
"""Trigrams that are asked for at most: a record that holds so many of a text nearly always holds all."""


def indexed_text(fields: Mapping[str, Json]) -> str:
    """The text of a record, between two line feeds: so the beginning and the end of a value can be asked for."""
    return storable(f"\n{search_text(fields)}\n")


def match_expression(texts: Iterable[str]) -> str:
    """What SQLite is to match for records that hold all of these texts; "" where they are too short to be asked for."""
    trigrams = dict.fromkeys(
        text[at : at + _TRIGRAM] for text in map(storable, texts) for at in range(len(text) - _TRIGRAM + 1)
    )
    step = -(-len(trigrams) // _MAX_TRIGRAMS) or 1
    return " AND ".join(f'"{_escaped(trigram)}"' for trigram in list(trigrams)[::step])


def folds_to_ascii(text: str) -> bool:
    """Whether folding makes letters of the alphabet of others, so that SQLite does not find them in the text."""
    if text.isascii():
        return False
    # All that is ASCII stays so: one letter stands for it, which marks may follow.
    others = _ASCII.sub("a", text)
    return _NOT_ASCII.split(fold(others)) != _NOT_ASCII.split(others)


def storable(text: str) -> str:
    """A text without what SQLite takes for the end of it, or can't store: half a character."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _escaped(text: str) -> str:
    return text.replace('"', '""')
