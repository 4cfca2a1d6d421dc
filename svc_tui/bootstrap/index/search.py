"""Finds records in the index for the command line; nothing is sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index, open_reader
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.core.catalog import Collection
from svc_tui.core.records import Record
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.search.record_search import Excerpt, Match, RecordSearch, common_problem, excerpt_of
from svc_tui.search.sources import IndexedRows, indexed_rows
from svc_tui.storage.record_index.index_values import IndexedCollection, NoIndex


@dataclass(frozen=True, slots=True)
class FindRequest:
    """What is looked for: a filter as `/` takes it; `most` None: all that fit, in no order of merit."""

    text: str
    places: tuple[str, ...] = ()
    most: int | None = None


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record that fits, as it was read at `read_at`, and where in it what was looked for stands."""

    collection: Collection
    record: Record
    read_at: datetime
    excerpt: Excerpt | None


FoundListener = Callable[[Sequence[FoundRecord]], None]
"""Takes some of the records that fit, in order."""


@dataclass(frozen=True, slots=True)
class FindResult:
    """So many records fit, of `searched` in the index, and so many were given.

    `oldest` is when the collection was read to its end that was so longest ago; `incomplete` are those that the index
    does not hold to their end. `problem` says why a comparison can match nothing, "" where it can.
    """

    fitting: int
    given: int
    searched: int
    oldest: datetime | None
    incomplete: tuple[IndexedCollection, ...]
    problem: str = ""


def find_records(
    request: FindRequest, options: Options, variables: Mapping[str, str], on_found: FoundListener
) -> FindResult:
    """Give the records that fit to `on_found`, those that fit best first; raises CommandFailure."""
    if not request.text.strip():
        raise CommandFailure("nothing to search for; add a word or a filter such as status:open")
    with index_command():
        located = locate_index(options, variables)
        return run_on_loop(_Finding(request, located.collections(request.places), on_found).run(located))


@dataclass(slots=True)
class _Finding:
    """One search; `given` counts the records that were handed on, `now` is the time in the zone of the user."""

    request: FindRequest
    collections: tuple[Collection, ...]
    on_found: FoundListener
    given: int = 0
    now: datetime = field(default_factory=lambda: datetime.now(SystemTimeZone()))
    problems: list[str] = field(default_factory=list)

    async def run(self, located: LocatedIndex) -> FindResult:
        """Search the index; raises IndexProblem."""
        async with open_reader(located) as reader:
            status = await reader.status()
            held = [status.of(collection.key) for collection in self.collections]
            if not status.records:
                raise NoIndex("the index is empty; create it with svc-tui index update")
            sources = indexed_rows(
                reader.records, status, self.collections, datetime.timestamp, is_every_match_counted=True
            )
            most = self.request.most
            fitting = self._all(sources) if most is None else self._best(sources, most)
        return FindResult(
            fitting,
            self.given,
            sum(one.records for one in held),
            min((one.completed_at for one in held if one.completed_at is not None), default=None),
            tuple(one for one in held if one.completed_at is None or one.problem),
            common_problem(self.problems),
        )

    def _best(self, sources: Sequence[IndexedRows], most: int) -> int:
        """Give those that fit best; gives how many fit."""
        search = RecordSearch(sources, self.request.text, most=most, now=self.now)
        while search.step():
            pass
        self.problems = search.problems
        self._give(search.best())
        return search.count

    def _all(self, sources: Sequence[IndexedRows]) -> int:
        """Give all that fit as they are met, so that no more than some of them are held."""
        fitting = 0
        for source in sources:
            search = RecordSearch([source], self.request.text, most=None, now=self.now)
            while search.step():
                fitting += self._give(search.take())
            self.problems += search.problems
        return fitting

    def _give(self, matches: Sequence[Match]) -> int:
        found = [_found(match, self.request.text) for match in matches]
        self.given += len(found)
        if found:
            self.on_found(found)
        return len(found)


def _found(match: Match, text: str) -> FoundRecord:
    read_at = datetime.fromtimestamp(match.read_at or 0.0, UTC)
    return FoundRecord(match.place.collection, match.record, read_at, excerpt_of(match.record, text))
