"""Lists what others changed, for the command line: from the index, or by the records' own times."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index, open_reader
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.core.catalog import Collection
from svc_tui.core.times import parse_since
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.record_index.index_values import NoIndex
from svc_tui.storage.record_index.seen_changes import SeenChange

if TYPE_CHECKING:
    from svc_tui.bootstrap.index.changed_records import ChangedRecords
    from svc_tui.records.progress import Progress


@dataclass(frozen=True, slots=True)
class ChangesResult:
    """The changes that were found since that moment, the newest first.

    `oldest` is when the collection was read to its end that was so longest ago; None: none of them ever was. Of changes
    before `began_at` the index knows nothing.
    """

    changes: Sequence[SeenChange]
    since: datetime
    began_at: datetime
    oldest: datetime | None


def read_changes(
    since: str,
    places: Sequence[str],
    options: Options,
    variables: Mapping[str, str],
    *,
    on_progress: "Callable[[Progress], None] | None",
) -> "ChangesResult | ChangedRecords":
    """Return what others changed since then in these collections, in all of the index if none is named.

    If the index does not hold all of the named collections, these are loaded, and their records are chosen by their own
    times; `on_progress` None: no progress is shown. Raises CommandFailure, with 130 for an interrupt.
    """
    moment = parse_since(since, datetime.now(UTC), SystemTimeZone())
    if moment is None:
        raise CommandFailure(
            f"--since {since} is not valid; use one such as 30m, 12h, 1d, 2w, today, yesterday, 2026-11-20 or "
            "2026-11-20T06:00:00Z"
        )
    with index_command():
        located = locate_index(options, variables)
        collections = located.collections(places)
        try:
            indexed = run_on_loop(_indexed_changes(moment, collections, located, named=bool(places)))
        except NoIndex:
            if not places:
                raise
            indexed = None
        if indexed is not None:
            return indexed
        # Not before it is needed: client, signals and pages take 80 ms to load.
        from svc_tui.bootstrap.index.changed_records import load_changed_records

        masked = located.file.rules.masked
        return load_changed_records(moment, collections, masked, options, variables, on_progress)


async def _indexed_changes(
    since: datetime, collections: Sequence[Collection], located: LocatedIndex, *, named: bool
) -> ChangesResult | None:
    """Return the changes in the index, or None if it does not hold all of the `named` collections."""
    keys = [collection.key for collection in collections]
    async with open_reader(located) as reader:
        status = await reader.status()
        moments = [at for key in keys if (at := status.of(key).completed_at) is not None]
        if named and len(moments) < len(keys):
            return None
        changes = [change for change in await reader.changes(since) if change.key in keys]
    return ChangesResult(changes, since, status.began_at, min(moments, default=None))
