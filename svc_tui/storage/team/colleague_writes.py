"""Writes read from the lines of a team, which come from other machines and may contain anything."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from svc_tui.core.jsontext import Json
from svc_tui.core.records import Record
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import INTENT_CODEC, OUTCOME_CODEC
from svc_tui.storage.journal_entries import JournalEntry, Outcome, RunWrites, WrittenRecord, entry_result
from svc_tui.storage.team.lines import TeamLine


def read_write(number: int, intent: TeamLine, outcome: TeamLine | None) -> JournalEntry | None:
    """Return the colleague's write of two lines, with a number of this machine's; None if they are not valid."""
    content = intent.content
    try:
        read = INTENT_CODEC.read(
            {**_fields(content), "at": intent.at.isoformat(), "place": intent.place},
            before=_optional(content.get("before")),
            after=_optional(content.get("after")),
        )
        ended = None if outcome is None else _outcome(outcome)
    except StoreError:
        return None
    author, masked = intent.author, _masked(content.get("masked"))
    return JournalEntry(number, read, ended, author=author, masked=masked, received=intent.received)


def read_record_after(outcome: TeamLine) -> WrittenRecord | None:
    """Return the record as the write of this outcome left it; None if the line does not have it."""
    after, etag = outcome.content.get("after"), outcome.content.get("etag")
    if not isinstance(after, dict):
        return None
    return WrittenRecord(Record(after, etag if isinstance(etag, str) else ""), _masked(outcome.content.get("masked")))


def _outcome(line: TeamLine) -> Outcome:
    return OUTCOME_CODEC.read({**line.content, "at": line.at.isoformat()})


def _fields(content: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in content.items() if name not in ("before", "after", "masked")}


def _optional(fields: Json) -> dict[str, Json] | None:
    if fields is None:
        return None
    if not isinstance(fields, dict):
        raise StoreError("the fields of a colleague's write are not an object")
    return fields


def _masked(digests: Json) -> tuple[str, ...]:
    """Return the paths of the fields that the colleague's program did not share."""
    if not isinstance(digests, dict):
        return ()
    return tuple(dict.fromkeys(path for part in digests.values() if isinstance(part, dict) for path in part))


Item = TypeVar("Item", bound=JournalEntry | RunWrites)


def newest_first(items: Iterable[Item]) -> list[Item]:
    """Sort by time, the newest first; those of one chain stay in its order, even if its clock was set back."""
    listed = sorted(items, key=_at, reverse=True)
    by_chain: defaultdict[str, list[Item]] = defaultdict(list)
    for item in listed:
        by_chain[_chain(item)].append(item)
    for of_chain in by_chain.values():
        of_chain.sort(key=_number, reverse=True)
    turns = {chain: iter(of_chain) for chain, of_chain in by_chain.items()}
    return [next(turns[_chain(item)]) for item in listed]


def merge_newest_first(chains: Iterable[Iterator[JournalEntry]]) -> Iterator[JournalEntry]:
    """Merge chains, each with its newest write first, by time; keep only one write of each in memory."""
    waiting = [(entry, rest) for rest in chains if (entry := next(rest, None)) is not None]
    while waiting:
        newest = max(range(len(waiting)), key=lambda index: _at(waiting[index][0]))
        entry, rest = waiting[newest]
        yield entry
        following = next(rest, None)
        waiting[newest : newest + 1] = [] if following is None else [(following, rest)]


def summarize_run(run: str, entries: Sequence[JournalEntry]) -> RunWrites | None:
    """Return a summary of a colleague's run from its writes in order; None if there are none."""
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
    # Numbers of colleagues' writes are negative.
    return abs(_last(item).number)
