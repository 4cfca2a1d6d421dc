"""Runs in the journal: the status of each run, and its writes as one line that can be unfolded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.folded_text import fold, search_words
from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import JournalEntry, RunWrites
from svc_tui.storage.plan import CHANGES, DELETION, NEW_RECORDS, format_fields, format_title
from svc_tui.storage.runs import Run


class RunStatus(Enum):
    """The status of a run; the value is its display text."""

    ELSEWHERE = "running in another window"
    CUT_SHORT = "stopped"
    DONE = "done"
    GIVEN_UP = "cancelled"
    UNDONE = "undone"


def find_status(run: Run, undos: Iterable[Run]) -> RunStatus:
    """Return the status of a run; `undos` come from `find_effective_undos`."""
    if run.ended is None:
        return RunStatus.ELSEWHERE if run.elsewhere else RunStatus.CUT_SHORT
    if any(undo.undoes == run.id for undo in undos):
        return RunStatus.UNDONE
    return RunStatus.GIVEN_UP if run.given_up else RunStatus.DONE


def find_effective_undos(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return the runs that undid another one: each the last undo of its run, and not undone itself.

    One that was cancelled or stopped, or with failed or unknown rows, undid only a part, so its run is not undone.
    Rows that the user skipped do not matter.
    """
    last: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: run.begun):
        is_partial = run.given_up or (run.counts is not None and run.counts.failed + run.counts.unknown > 0)
        if run.undoes and run.ended is not None and not is_partial:
            last[run.undoes] = run

    def is_undone(run: str, seen: frozenset[str] = frozenset()) -> bool:
        undo = last.get(run)
        return undo is not None and undo.id not in seen and not is_undone(undo.id, seen | {run})

    return tuple(undo for undo in last.values() if not is_undone(undo.id))


PAGE = 100
"""Writes that are listed at once when a run is unfolded."""

FOUND_IN_RUN = 50
"""The most writes of one run that a search lists, so that a long run leaves room for other matches."""


class RunGroup(Struct, frozen=True):
    """The writes of one run as one line of the journal.

    `status` is None if the store no longer has the run. `writes` are listed below it while it is `unfolded`, the newest
    first; `more` of them are not listed, None for an unknown number. `found`: its writes are the matches of a search.
    """

    run: RunWrites
    title: str
    status: RunStatus | None = None
    writes: tuple[JournalEntry, ...] = ()
    unfolded: bool = False
    found: bool = False
    more: int | None = 0

    def with_writes(self, writes: Sequence[JournalEntry]) -> "RunGroup":
        """Return the group unfolded, with further writes."""
        known = (*self.writes, *writes)
        # Fewer than a page are the last ones, even if more were counted before.
        more = self.run.writes - len(known) if len(writes) >= PAGE else 0
        return replace(self, writes=known, unfolded=True, more=max(0, more))

    @property
    def needs_reading(self) -> bool:
        """True if its writes have to be read before it can be unfolded."""
        return not self.writes

    @property
    def outcome_words(self) -> str:
        """The number of writes by outcome: `11 done, 1 refused`."""
        results = self.run.results
        order = [*(word for word in _ORDER if word in results), *(word for word in results if word not in _ORDER)]
        return ", ".join(f"{results[word]:,} {word}" for word in order)

    @property
    def undo_words(self) -> str:
        """The effect of an undo, in a few words; "" if the run changed nothing."""
        changed = dict(self.run.changed)
        made, deleted = changed.pop("POST", 0), changed.pop("DELETE", 0)
        words = [f"restores the old values of {counted(count, 'record')}"] if (count := sum(changed.values())) else []
        words += [f"creates {counted(deleted, 'record')} again"] if deleted else []
        words += [f"deletes {counted(made, 'record')}"] if made else []
        return capitalize_first(", ".join(words))


_ORDER = ("done", "refused", "unknown", "running", "not sent")

JournalItem: TypeAlias = JournalEntry | RunGroup


class JournalLine(Struct, frozen=True):
    """One line of the list: a write, alone or of the `group` above it; without `entry`, the group itself.

    `more`: the line for the writes of the group that are not listed.
    """

    entry: JournalEntry | None = None
    group: RunGroup | None = None
    more: bool = False


def journal_lines(items: Iterable[JournalItem]) -> Iterator[JournalLine]:
    """Return the lines of the journal, with the writes of unfolded runs below them."""
    for item in items:
        if isinstance(item, JournalEntry):
            yield JournalLine(item)
            continue
        yield JournalLine(group=item)
        if item.unfolded:
            yield from (JournalLine(write, item) for write in item.writes)
            if item.more != 0:
                yield JournalLine(group=item, more=True)


def group_runs(lines: Iterable[JournalEntry | RunWrites], runs: Sequence[Run]) -> list[JournalItem]:
    """Return the journal as the store lists it, each run folded, with its title and status."""
    make = _GroupMaker(runs)
    return [make.group(line) if isinstance(line, RunWrites) else line for line in lines]


def group_matches(
    found: Iterable[JournalEntry], summaries: Iterable[RunWrites], runs: Sequence[Run]
) -> list[JournalItem]:
    """Return the matches of a search: each run at the place of its newest match, unfolded; other runs folded.

    `summaries` are those of the runs with matching writes, and of those with a matching title.
    """
    make, by_run = _GroupMaker(runs), {summary.id: summary for summary in summaries}
    finds: dict[str, list[JournalEntry]] = {}
    items: list[JournalEntry | RunWrites] = []
    for entry in found:
        run = entry.intent.batch
        if run not in by_run:
            items.append(entry)
            continue
        if run not in finds:
            items.append(by_run[run])
        finds.setdefault(run, []).append(entry)
    for summary in (summary for run, summary in by_run.items() if run not in finds):
        older = (at for at, item in enumerate(items) if _is_newer(summary.last, _newest(item, finds)))
        items.insert(next(older, len(items)), summary)
    groups: list[JournalItem] = []
    for item in items:
        if isinstance(item, JournalEntry):
            groups.append(item)
            continue
        writes = finds.get(item.id, [])
        more = None if len(writes) > FOUND_IN_RUN else 0
        groups.append(
            replace(
                make.group(item),
                writes=tuple(writes[:FOUND_IN_RUN]),
                unfolded=bool(writes),
                found=bool(writes),
                more=more,
            )
        )
    return groups


def _newest(item: JournalEntry | RunWrites, finds: Mapping[str, Sequence[JournalEntry]]) -> JournalEntry:
    if isinstance(item, JournalEntry):
        return item
    return finds[item.id][0] if item.id in finds else item.last


def _is_newer(one: JournalEntry, other: JournalEntry) -> bool:
    """Return True if `one` was written later; numbers of this computer do not depend on its clock."""
    if one.author is None and other.author is None:
        return one.number > other.number
    return one.intent.at > other.intent.at


def find_runs(runs: Iterable[Run], text: str) -> list[str]:
    """Return the ids of the runs whose name contains all words of a search."""
    words = search_words(text)
    return [run.id for run in runs if words and all(word in fold(run.name) for word in words)]


class _GroupMaker:
    """Makes groups; `runs` are those in the store."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = {run.id: run for run in runs}
        self._undos = find_effective_undos(runs)

    def group(self, writes: RunWrites) -> RunGroup:
        run = self._runs.get(writes.id)
        if run is None:
            return RunGroup(writes, title_of_writes(writes))
        return RunGroup(writes, run.name or title_of_writes(writes), find_status(run, self._undos))


def title_of_writes(run: RunWrites) -> str:
    """Return the title of a run from its first write: `grade of 12 lots`."""
    return _title(run.first, run.records)


def title_of_entries(writes: Sequence[JournalEntry]) -> str:
    """Return the title of a run from all its writes, the first one first."""
    return _title(writes[0], len({entry.intent.row or entry.intent.place for entry in writes}))


def _title(first: JournalEntry, records: int) -> str:
    intent = first.intent
    parts = intent.place.split("/")
    collection = parts[1] if len(parts) > 1 else "records"
    names = tuple(intent.after or ())
    match intent.method:
        case "POST":
            what = NEW_RECORDS
        case "DELETE":
            what = DELETION
        case _:
            what = format_fields(names) if names else CHANGES
    return format_title(what, records, collection)
