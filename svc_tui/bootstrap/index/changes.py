"""What others changed, as the readings that the index keeps tell it, for the command line; nothing is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index, open_reader
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.domain.data.since import parse_since
from svc_tui.domain.search.seen_changes import SeenChange
from svc_tui.platform.event_loops import run_on_loop


@dataclass(frozen=True, slots=True)
class ChangesResult:
    """The changes that were found since that moment, the newest first.

    `oldest` is when the collection was read to its end that was so longest ago; None: none of them ever was.
    """

    changes: Sequence[SeenChange]
    since: datetime
    oldest: datetime | None


def read_changes(since: str, places: Sequence[str], options: Options, variables: Mapping[str, str]) -> ChangesResult:
    """What others changed since then in these collections, in all where none is named; raises CommandFailure."""
    moment = parse_since(since, datetime.now(UTC), SystemTimeZone())
    if moment is None:
        raise CommandFailure(
            f"--since {since} is not valid; use one such as 30m, 12h, 1d, 2w, today, yesterday, 2026-11-20 or "
            "2026-11-20T06:00:00Z"
        )
    with index_command():
        located = locate_index(options, variables)
        return run_on_loop(_changes(moment, [one.key for one in located.collections(places)], located))


async def _changes(since: datetime, keys: Sequence[str], located: LocatedIndex) -> ChangesResult:
    async with open_reader(located) as reader:
        status = await reader.status()
        changes = [change for change in await reader.changes(since) if change.key in keys]
    moments = [at for key in keys if (at := status.of(key).completed_at) is not None]
    return ChangesResult(changes, since, min(moments, default=None))
