"""Lists the records of collections that changed by their own times, for the command line, where no index has them."""

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

from svc_tui.bootstrap.export.export import call_every
from svc_tui.bootstrap.key_in_use import note_key
from svc_tui.bootstrap.signal_handlers import EndedBySignal, cancelled_by_signals, unwind_on_signals
from svc_tui.bootstrap.start import Options
from svc_tui.core.catalog import Collection
from svc_tui.core.masked_values import split_masked
from svc_tui.core.moments import change_time_field
from svc_tui.core.phrases import counted
from svc_tui.core.records import Page, Record
from svc_tui.core.times import parse_time
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.records.page_walk import PageWalk
from svc_tui.records.progress import Progress
from svc_tui.service.errors import ServiceError
from svc_tui.service.traffic import TrafficEvent
from svc_tui.service.traffic_state import TrafficState, apply_event

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.profiles.connection import Connection

ProgressListener = Callable[[Progress], None]
"""Shows how far it has come."""

_PROGRESS_INTERVAL = 0.2
"""Seconds between two looks at the progress."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A record that changed by its own time: `time` as the service sent it, in the field `path`, and as a moment.

    `key` is that of its collection; a date is the beginning of its day in UTC.
    """

    key: str
    record_id: str
    label: str
    path: str
    time: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """The records that changed since that moment by their own times, the newest first, of `timed` that have a time.

    `paths` are the fields of these times. `untimed` counts the records that have none, by the keys of collections;
    `incomplete` are the keys of those of which records may be missing, since they changed while they were loaded.
    `error` is the key of the collection that could not be loaded, and why; there are no records then. `secrets` are the
    texts that must not be shown.
    """

    records: Sequence[ChangedRecord]
    since: datetime
    timed: int
    paths: Sequence[str]
    untimed: Mapping[str, int]
    incomplete: Sequence[str]
    error: tuple[str, ServiceError] | None
    secrets: tuple[str, ...]


def load_changed_records(
    since: datetime,
    collections: Sequence[Collection],
    masked: Sequence[str],
    options: Options,
    variables: Mapping[str, str],
    on_progress: ProgressListener | None,
) -> ChangedRecords:
    """Load the collections, and return the records that changed since then, without the `masked` fields.

    `on_progress` None: no progress is shown. Raises ConfigError and its like, and CommandFailure with 130 for an
    interrupt.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection

    locations = find_locations(variables, options.config)
    connection = resolve_connection(locations, variables, options.profile, read_only=True)
    note_key(locations, connection)
    loading = _Loading(since, connection, collections, masked, on_progress)
    error: ServiceError | None = None
    try:
        with unwind_on_signals():
            run_on_loop(loading.run())
    except ServiceError as failure:
        error = failure
    except EndedBySignal as ended:
        raise ended.failure(f"interrupted after {counted(loading.read, 'record')}") from None
    return loading.result(error)


class _Loading:
    """Loads some collections, and keeps the records that changed since a moment."""

    def __init__(
        self,
        since: datetime,
        connection: "Connection",
        collections: Sequence[Collection],
        masked: Sequence[str],
        on_progress: ProgressListener | None,
    ) -> None:
        self._since, self._connection, self._collections = since, connection, collections
        self._masked = frozenset(name.casefold() for name in masked)
        self._on_progress = on_progress
        self._traffic = TrafficState()
        self._records: list[ChangedRecord] = []
        self._paths: dict[str, None] = {}
        self._untimed: Counter[str] = Counter()
        self._incomplete: list[str] = []
        self._secrets = connection.keys.secrets
        self._key = ""
        """The key of the collection that is being loaded."""
        self.read = 0
        """How many records were loaded."""

    def result(self, error: ServiceError | None) -> ChangedRecords:
        """Return the records; none after an error, since the newest may be missing."""
        records = [] if error else sorted(self._records, key=lambda record: record.at, reverse=True)
        return ChangedRecords(
            records,
            self._since,
            self.read - self._untimed.total(),
            tuple(self._paths),
            self._untimed,
            self._incomplete,
            (self._key, error) if error else None,
            self._secrets,
        )

    async def run(self) -> None:
        """Load all of them; raises ServiceError and EndedBySignal."""
        from svc_tui.client.client import SignedClient

        connection = self._connection
        with cancelled_by_signals():
            async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
                client.listen(self._handle_traffic)
                try:
                    for number, collection in enumerate(self._collections, 1):
                        await self._load(
                            client, collection, f"{collection.name} ({number} of {len(self._collections)})"
                        )
                finally:
                    # A rotation on the way adds new ones.
                    self._secrets = client.secrets

    async def _load(self, client: "SignedClient", collection: Collection, name: str) -> None:
        self._key = collection.key
        walk, numbers, began = PageWalk(), set[int](), time.monotonic()

        def show(on_progress: ProgressListener) -> None:
            now = time.monotonic()
            on_progress(Progress(walk.count, walk.total, now - began, self._traffic.held_seconds(now), name))

        with ExitStack() as stack:
            if (on_progress := self._on_progress) is not None:
                stack.enter_context(call_every(_PROGRESS_INTERVAL, lambda: show(on_progress)))
            pages = cast("AsyncGenerator[Page, None]", client.walk(collection))
            async with aclosing(pages):
                async for page in pages:
                    records = walk.new(page, again=page.number in numbers)
                    numbers.add(page.number)
                    self.read += len(records)
                    for record in records:
                        self._take(collection.key, record)
        if walk.notice(whole=True):
            self._incomplete.append(collection.key)

    def _take(self, key: str, record: Record) -> None:
        """Keep the record, which is of the collection `key`, if it changed since the moment."""
        if self._masked:
            # As in the index, which does not hold these fields.
            record = Record(split_masked(record.fields, self._masked, lambda _: "").kept)
        times = {
            name: value
            for name, value in record.fields.items()
            if isinstance(value, str) and parse_time(value) is not None
        }
        path = change_time_field(times)
        if path is None:
            self._untimed[key] += 1
            return
        self._paths[path] = None
        moment = parse_time(times[path])
        assert moment is not None
        at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        # A date may be any time of that day.
        if at >= self._since or (moment.tzinfo is None and self._since - at < _DAY):
            self._records.append(ChangedRecord(key, record.id or "", record.label, path, times[path], at))

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self._traffic = apply_event(self._traffic, event, time.monotonic())
