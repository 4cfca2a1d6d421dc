"""Who wrote what a team shares: colleagues' names, told apart where two go by one."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from svc_tui.domain.editing.ports import Author, JournalEntry, RunWrites

UNNAMED = "unnamed"
"""What stands for a name that is empty."""


def tell_apart(authors: Iterable[Author | None], taken: Collection[str] = ()) -> dict[Author, str]:
    """What each is called: by name, with the machine where another goes by that name, or it is one of the `taken`."""
    known = dict.fromkeys(author for author in authors if author is not None)
    chains: defaultdict[str, set[str]] = defaultdict(set)
    for author in known:
        chains[_name(author).casefold()].add(author.chain)
    return {
        author: _with_machine(author) if len(chains[name.casefold()]) > 1 or name.casefold() in taken else name
        for author in known
        if (name := _name(author))
    }


def names_in(items: Iterable[JournalEntry | RunWrites], taken: Collection[str] = ()) -> dict[Author, str]:
    """What the colleagues are called whose writes these are."""
    return tell_apart((_last(item).author for item in items), taken)


def name_of(entry: JournalEntry, names: Mapping[Author, str]) -> str:
    """Whose write it was, as a list calls them; "" for one from here."""
    return "" if entry.author is None else names.get(entry.author) or _name(entry.author)


def written_at(entry: JournalEntry) -> datetime:
    """When it was written: no later than the server got it, whatever the clock of that machine says."""
    return entry.intent.at if entry.received is None else min(entry.intent.at, entry.received)


def oldest_first(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """The writes in order: those from here as the journal has them, colleagues' among them by the time of day."""
    known = tuple(entries)
    if any(entry.author is not None for entry in known):
        return sorted(known, key=lambda entry: (entry.intent.at, abs(entry.number)))
    return sorted(known, key=lambda entry: entry.number)


def name_words(names: Iterable[str]) -> str:
    """Some names in a sentence: `ada`, `ada and bob`, `ada, bob and 3 more`."""
    known = tuple(dict.fromkeys(names))
    if len(known) <= _MAX_NAMED + 1:
        return " and ".join(filter(None, (", ".join(known[:-1]), *known[-1:])))
    return f"{', '.join(known[:_MAX_NAMED])} and {len(known) - _MAX_NAMED} more"


_MAX_NAMED = 2


def _last(item: JournalEntry | RunWrites) -> JournalEntry:
    return item.last if isinstance(item, RunWrites) else item


def _name(author: Author) -> str:
    return author.name.strip() or UNNAMED


def _with_machine(author: Author) -> str:
    return f"{_name(author)} ({author.machine.strip() or UNNAMED})"
