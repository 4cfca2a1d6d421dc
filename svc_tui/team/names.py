"""Names of colleagues, with the computer if two have the same name, and times and order of their writes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from svc_tui.storage.journal_entries import Author, JournalEntry, RunWrites

UNNAMED = "unnamed"
"""Replaces an empty name."""


def tell_apart(authors: Iterable[Author | None], taken: Collection[str] = ()) -> dict[Author, str]:
    """Return a name for each author, with the computer if another author has that name or it is one of `taken`."""
    distinct = dict.fromkeys(author for author in authors if author is not None)
    chains: defaultdict[str, set[str]] = defaultdict(set)
    for author in distinct:
        chains[_name(author).casefold()].add(author.chain)
    return {
        author: _with_machine(author) if len(chains[name.casefold()]) > 1 or name.casefold() in taken else name
        for author in distinct
        if (name := _name(author))
    }


def names_in(items: Iterable[JournalEntry | RunWrites], taken: Collection[str] = ()) -> dict[Author, str]:
    """Return names for the colleagues whose writes these are."""
    return tell_apart((_last(item).author for item in items), taken)


def name_of(entry: JournalEntry, names: Mapping[Author, str]) -> str:
    """Return the author's name, from `names` if it has one; "" for a write from this computer."""
    return "" if entry.author is None else names.get(entry.author) or _name(entry.author)


def written_at(entry: JournalEntry) -> datetime:
    """Return when it was written, at the latest when the server got it: clocks of computers can be wrong."""
    return entry.intent.at if entry.received is None else min(entry.intent.at, entry.received)


def oldest_first(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Return the writes in the order of the journal, or by time if there are some of colleagues."""
    writes = tuple(entries)
    if any(entry.author is not None for entry in writes):
        return sorted(writes, key=lambda entry: (entry.intent.at, abs(entry.number)))
    return sorted(writes, key=lambda entry: entry.number)


def name_words(names: Iterable[str]) -> str:
    """Join names for a sentence: `ada`, `ada and bob`, `ada, bob and 3 more`."""
    distinct = tuple(dict.fromkeys(names))
    if len(distinct) <= _MAX_NAMED + 1:
        return " and ".join(filter(None, (", ".join(distinct[:-1]), *distinct[-1:])))
    return f"{', '.join(distinct[:_MAX_NAMED])} and {len(distinct) - _MAX_NAMED} more"


_MAX_NAMED = 2


def _last(item: JournalEntry | RunWrites) -> JournalEntry:
    return item.last if isinstance(item, RunWrites) else item


def _name(author: Author) -> str:
    return author.name.strip() or UNNAMED


def _with_machine(author: Author) -> str:
    return f"{_name(author)} ({author.machine.strip() or UNNAMED})"
