"""The journal with the writes of each run as one line, which is unfolded to see them one by one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from svc_tui.domain.data.counted import counted
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.editing.journal import search_words
from svc_tui.domain.editing.ports import JournalEntry, RunWrites
from svc_tui.domain.model.sentences import capitalize_first
from svc_tui.domain.plans.ports import Run
from svc_tui.domain.plans.run_standing import Standing, standing, standing_undos
from svc_tui.domain.plans.run_titles import CHANGES, DELETION, NEW_RECORDS, field_words, title_words

PAGE = 100
"""Writes of a run that are listed at once when it is unfolded."""

FOUND_IN_RUN = 50
"""Writes of one run that a search lists at most, so that a long run leaves room for what else is found."""


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The writes of one run as one line of the journal.

    `standing` is None where the store no longer knows of the run. `writes` are those to be listed below it while it is
    `unfolded`, the newest first; `more` of them are not listed, None for some of which nobody has counted how many.
    """

    run: RunWrites
    title: str
    standing: Standing | None = None
    writes: tuple[JournalEntry, ...] = ()
    unfolded: bool = False
    found: bool = False
    more: int | None = 0

    def reading(self, writes: Sequence[JournalEntry]) -> "RunGroup":
        """The group with further writes that were read, unfolded."""
        known = (*self.writes, *writes)
        # Fewer than were asked for are the last ones, whatever was counted before.
        more = self.run.writes - len(known) if len(writes) >= PAGE else 0
        return replace(self, writes=known, unfolded=True, more=max(0, more))

    @property
    def needs_reading(self) -> bool:
        """Whether its writes are to be read before it can be unfolded."""
        return not self.writes

    @property
    def outcome_words(self) -> str:
        """How many of its writes ended how: `11 done, 1 refused`."""
        results = self.run.results
        order = [*(word for word in _ORDER if word in results), *(word for word in results if word not in _ORDER)]
        return ", ".join(f"{results[word]:,} {word}" for word in order)

    @property
    def undo_words(self) -> str:
        """What would take it back, in a few words; "" where it changed nothing."""
        changed = dict(self.run.changed)
        made, deleted = changed.pop("POST", 0), changed.pop("DELETE", 0)
        words = [f"restores the old values of {counted(count, 'record')}"] if (count := sum(changed.values())) else []
        words += [f"creates {counted(deleted, 'record')} again"] if deleted else []
        words += [f"deletes {counted(made, 'record')}"] if made else []
        return capitalize_first(", ".join(words))


_ORDER = ("done", "refused", "unknown", "running", "not sent")

JournalItem: TypeAlias = JournalEntry | RunGroup


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One line of the list: a write, alone or of the `group` above it; or, without one, the group itself.

    `more`: it stands for the writes of the group that are not listed.
    """

    entry: JournalEntry | None = None
    group: RunGroup | None = None
    more: bool = False


def journal_lines(items: Iterable[JournalItem]) -> Iterator[JournalLine]:
    """The lines of the journal, with the writes of unfolded runs below them."""
    for item in items:
        if isinstance(item, JournalEntry):
            yield JournalLine(item)
            continue
        yield JournalLine(group=item)
        if item.unfolded:
            yield from (JournalLine(write, item) for write in item.writes)
            if item.more != 0:
                yield JournalLine(group=item, more=True)


def run_groups(lines: Iterable[JournalEntry | RunWrites], runs: Sequence[Run]) -> list[JournalItem]:
    """The journal as the store lists it, each run folded, with its title and how it stands."""
    make = _GroupMaker(runs)
    return [make.group(line) if isinstance(line, RunWrites) else line for line in lines]


def found_groups(
    found: Iterable[JournalEntry], summaries: Iterable[RunWrites], runs: Sequence[Run]
) -> list[JournalItem]:
    """What a search found: each run where its newest find stands, unfolded to its finds; runs without any, folded.

    `summaries` are those of the runs that were found in, and of those that were found by their title.
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
    """Whether the one was written later; of writes from here their numbers tell, whatever the clock said."""
    if one.author is None and other.author is None:
        return one.number > other.number
    return one.intent.at > other.intent.at


def runs_with_title(runs: Iterable[Run], text: str) -> list[str]:
    """The ids of the runs in whose name all words of a search stand."""
    words = search_words(text)
    return [run.id for run in runs if words and all(word in fold(run.name) for word in words)]


class _GroupMaker:
    """Makes groups; `runs` are those that the store knows of."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = {run.id: run for run in runs}
        self._undos = standing_undos(runs)

    def group(self, writes: RunWrites) -> RunGroup:
        run = self._runs.get(writes.id)
        if run is None:
            return RunGroup(writes, title_of_writes(writes))
        return RunGroup(writes, run.name or title_of_writes(writes), standing(run, self._undos))


def title_of_writes(run: RunWrites) -> str:
    """What a run changed, of how many records, as its first write tells: `grade of 12 lots`."""
    return _title(run.first, run.records)


def title_of_entries(writes: Sequence[JournalEntry]) -> str:
    """The same of a run whose writes are at hand, the first one first."""
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
            what = field_words(names) if names else CHANGES
    return title_words(what, records, collection)
