"""Colleagues' writes beside one's own: put in order, whatever the clocks say of one machine's, and summed up."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry, RunWrites

Item = TypeVar("Item", bound=JournalEntry | RunWrites)


def newest_first(items: Iterable[Item]) -> list[Item]:
    """The newest first, by the clocks of those who wrote them; those of one chain stay in the chain's order.

    A clock that was set back moves nothing of its own machine; what is said of two machines is as good as their clocks.
    """
    listed = sorted(items, key=_at, reverse=True)
    by_chain: defaultdict[str, list[Item]] = defaultdict(list)
    for item in listed:
        by_chain[_chain(item)].append(item)
    for of_chain in by_chain.values():
        of_chain.sort(key=_number, reverse=True)
    turns = {chain: iter(of_chain) for chain, of_chain in by_chain.items()}
    return [next(turns[_chain(item)]) for item in listed]


def merge_newest_first(chains: Iterable[Iterator[JournalEntry]]) -> Iterator[JournalEntry]:
    """The same for chains that come newest first, each in its own order; no more than one write of each is held."""
    waiting = [(entry, rest) for rest in chains if (entry := next(rest, None)) is not None]
    while waiting:
        newest = max(range(len(waiting)), key=lambda index: _at(waiting[index][0]))
        entry, rest = waiting[newest]
        yield entry
        following = next(rest, None)
        waiting[newest : newest + 1] = [] if following is None else [(following, rest)]


def summarize_run(run: str, entries: Sequence[JournalEntry]) -> RunWrites | None:
    """A colleague's run in short, from its writes in their order; None where there are none."""
    if not entries:
        return None
    results = Counter(entry_result(entry) for entry in entries)
    records = {entry.intent.row or entry.intent.place for entry in entries}
    changed = {
        entry.intent.row or entry.intent.place: entry.intent.method
        for entry in entries
        if entry_result(entry) in ("done", "unknown")
    }
    return RunWrites(run, entries[0], entries[-1], len(records), dict(results), dict(Counter(changed.values())))


def _last(item: JournalEntry | RunWrites) -> JournalEntry:
    return item.last if isinstance(item, RunWrites) else item


def _at(item: JournalEntry | RunWrites) -> float:
    return _last(item).intent.at.timestamp()


def _chain(item: JournalEntry | RunWrites) -> str:
    author = _last(item).author
    return author.chain if author is not None else ""


def _number(item: JournalEntry | RunWrites) -> int:
    # A colleague's numbers go down as they go on.
    return abs(_last(item).number)
