"""Builds the index, or brings it up to date, for the command line."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.bootstrap.export.export import call_every
from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index
from svc_tui.bootstrap.index.open_index import session_index
from svc_tui.bootstrap.key_in_use import use_key
from svc_tui.bootstrap.signal_handlers import EndedBySignal, cancelled_by_signals, unwind_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.core.catalog import Collection
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.records.progress import Progress
from svc_tui.search.session_index import SessionIndex
from svc_tui.search.sweeping import Sweeping
from svc_tui.service.errors import KeyRefused, ServiceError, SignatureRefused, StatusError, TimestampStale
from svc_tui.service.traffic import TrafficEvent
from svc_tui.service.traffic_state import TrafficState, apply_event
from svc_tui.storage.record_index.index_values import IndexStatus

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.storage.key_fingerprints import KeyFingerprints

ProgressListener = Callable[[Progress], None]
"""Shows how far it has come."""

_PROGRESS_INTERVAL = 0.2
"""Seconds between two looks at the progress."""

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)

_OF_ALL = (KeyRefused, SignatureRefused, TimestampStale)
"""What the service refuses every request for, so that the other collections need not be asked for."""


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """How it ended: what the index holds now, and why some collections could not be read, by their keys.

    `left` are those that were not tried, since the service answers nothing. `notice` is what the user should know of
    how the index was found. `secrets` are the texts that must not be shown.
    """

    status: IndexStatus | None
    errors: Mapping[str, ServiceError] = field(default_factory=dict)
    left: Sequence[str] = ()
    notice: str = ""
    secrets: tuple[str, ...] = ()


def update_index(
    places: Sequence[str], options: Options, variables: Mapping[str, str], *, on_progress: ProgressListener | None
) -> UpdateResult:
    """Read the collections to their end, all where none is named; raises CommandFailure, with 130 for an interrupt."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection
    from svc_tui.storage.key_fingerprints import KeyFingerprints

    with index_command():
        located = locate_index(options, variables)
        collections = located.collections(places)
        locations = find_locations(variables, options.config)
        connection = resolve_connection(locations, variables, options.profile, read_only=True)
        fingerprints = KeyFingerprints(locations.key_fingerprints)
        with unwind_on_signals():
            return run_on_loop(_Update(located, connection, fingerprints, collections, on_progress).run())


class _Update:
    """One run over some collections."""

    def __init__(
        self,
        located: LocatedIndex,
        connection: "Connection",
        fingerprints: "KeyFingerprints",
        collections: Sequence[Collection],
        on_progress: ProgressListener | None,
    ) -> None:
        self._located, self._connection, self._fingerprints = located, connection, fingerprints
        self._collections, self._on_progress = collections, on_progress
        self._wire = TrafficState()
        self._begun: tuple[Collection | None, float] = (None, 0.0)
        """The collection that is being read, and when that was begun."""
        self._done = 0

    async def run(self) -> UpdateResult:
        """Read all of them; raises IndexProblem, CommandFailure."""
        try:
            with cancelled_by_signals():
                return await self._update()
        except EndedBySignal as ended:
            raise ended.failure("interrupted; to continue, run svc-tui index update") from None

    async def _update(self) -> UpdateResult:
        from svc_tui.client.client import SignedClient

        connection, located = self._connection, self._located
        async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
            client.listen(self._handle_traffic)
            key = use_key(connection, self._fingerprints, client)
            index = session_index(
                client,
                located.file.path.parent,
                connection.profile,
                located.file.scope,
                located.file.rules.masked,
                lambda: key.fingerprint,
                wanted=True,
            )
            try:
                if not await index.open() or index.index is None:
                    raise CommandFailure(index.problem)
                if not index.index.claim():
                    raise CommandFailure("the index was not updated: another svc-tui process is updating it")
                notice = index.index.notice
                sweeping = Sweeping(index, connection.profile.bulk_page_size, lambda: datetime.now(UTC))
                left = await self._sweep(index, sweeping)
                return UpdateResult(await index.look(), sweeping.errors, left, notice, client.secrets)
            finally:
                await index.aclose()

    async def _sweep(self, index: SessionIndex, sweeping: Sweeping) -> Sequence[str]:
        """Read the collections; gives the keys of those that need not be tried."""
        waiting = sorted(self._collections, key=lambda collection: _urgency(index.status, collection))
        with call_every(_PROGRESS_INTERVAL, lambda: self._show(sweeping)):
            while waiting:
                collection = waiting.pop(0)
                await sweeping.sweep_due([collection])
                self._done += 1
                error = sweeping.errors.get(collection.key)
                if error is not None and (not isinstance(error, StatusError) or isinstance(error, _OF_ALL)):
                    break
        return [collection.key for collection in waiting]

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self._wire = apply_event(self._wire, event, time.monotonic())

    def _show(self, sweeping: Sweeping) -> None:
        collection, now = sweeping.now_sweeping, time.monotonic()
        if self._on_progress is None or collection is None:
            return
        if self._begun[0] is not collection:
            self._begun = collection, now
        count = sweeping.page * sweeping.limit
        if sweeping.total is not None:
            count = min(count, sweeping.total)
        name = f"{collection.name} ({self._done + 1} of {len(self._collections)})"
        held = self._wire.held_seconds(now)
        self._on_progress(Progress(count, sweeping.total, now - self._begun[1], held, name))


def _urgency(status: IndexStatus | None, collection: Collection) -> tuple[bool, datetime]:
    """In which order they are read: what was left unfinished first, then what was read longest ago."""
    if status is None:
        return True, _NEVER
    held = status.of(collection.key)
    return held.next_page is None, held.completed_at or _NEVER
