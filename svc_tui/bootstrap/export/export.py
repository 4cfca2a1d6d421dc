"""Exports a collection for the command line: its pages in order, through a format, to a file or to stdout."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.export.export_writer import ExportWriter, SpoolingWriter, StreamingWriter, edit_layout
from svc_tui.bootstrap.key_in_use import note_key
from svc_tui.bootstrap.output import AtomicFile, OutputClosed, Stream, open_output
from svc_tui.bootstrap.signal_handlers import EndedBySignal, cancelled_by_signals, unwind_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.core.catalog import Collection
from svc_tui.core.export_formats import Format, format_of
from svc_tui.core.phrases import counted
from svc_tui.core.settings import Profile
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.records.progress import Progress
from svc_tui.records.record_export import ExportScope, RecordExport
from svc_tui.service.errors import ServiceError
from svc_tui.service.routes import parse_place
from svc_tui.service.traffic import TrafficEvent
from svc_tui.service.traffic_state import TrafficState, apply_event

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection

ProgressListener = Callable[[Progress], None]
"""Shows how far the export has come."""

_PROGRESS_INTERVAL = 0.2
"""Seconds between two looks at the progress."""

_WHOLE = ExportScope("the collection")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is to be exported, as it was asked for.

    `file` None is stdout; `form` None is taken from the file's ending; `most` counts the records that are written;
    `page_size` None: as large as profile and service allow. `for_edit`: it is to be edited, and read again as
    corrections.
    """

    place: str
    file: Path | None = None
    form: Format | None = None
    most: int | None = None
    page_size: int | None = None
    query: tuple[tuple[str, str], ...] = ()
    for_edit: bool = False

    @property
    def chosen_format(self) -> Format:
        """The format to write."""
        ending = None if self.file is None else format_of(self.file.name)
        return self.form or ending or Format.JSONL


@dataclass(frozen=True, slots=True)
class ExportResult:
    """How an export ended: so many records were written, or had come when `error` ended it.

    `progress_text` says so in words, and what became of the file; `notices` what readers of the records should know.
    `secrets` are the texts that must not be shown.
    """

    count: int
    progress_text: str
    notices: tuple[str, ...] = ()
    error: ServiceError | None = None
    secrets: tuple[str, ...] = ()


def export(
    request: ExportRequest, options: Options, variables: Mapping[str, str], *, on_progress: ProgressListener | None
) -> ExportResult:
    """Read the collection and write its records; `on_progress` None: none is shown. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection

    with translate_errors():
        locations = find_locations(variables, options.config)
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        note_key(locations, connection)
        run = _ExportRun(request, connection, _collection(request.place, connection.profile))
        _check_query(request.query)
        if request.for_edit and request.chosen_format is Format.MARKDOWN:
            raise CommandFailure("--for-edit does not support markdown; use csv, jsonl or json")
        try:
            with unwind_on_signals(), open_output(request.file) as out:
                run_on_loop(run.to(out, on_progress))
        except ServiceError as error:
            return ExportResult(run.count, run.progress_text, error=error, secrets=run.secrets)
        except OutputClosed:
            # Whoever read it has seen enough; what would be said of the rest concerns nobody.
            return ExportResult(run.count, run.progress_text)
        except EndedBySignal as ended:
            raise ended.failure(f"interrupted {run.progress_text}") from None
        return ExportResult(run.count, run.progress_text, run.notices(), secrets=run.secrets)


class _ExportRun:
    """One export."""

    def __init__(self, request: ExportRequest, connection: "Connection", collection: Collection) -> None:
        self._request, self._connection, self._collection = request, connection, collection
        self._export: RecordExport | None = None
        """What is exported, once there is a client to read it."""
        self._left_out: tuple[str, ...] = ()
        self._lost = ""
        self._wire = TrafficState()
        self._began = time.monotonic()
        self.secrets = connection.keys.secrets

    @property
    def count(self) -> int:
        """How many records have come."""
        return 0 if self._export is None else self._export.written

    @property
    def progress_text(self) -> str:
        """How many records had come where it did not end well, and what became of the file."""
        return f"after {counted(self.count, 'record')}{self._lost}"

    def notices(self) -> tuple[str, ...]:
        """What readers of the records should know, a sentence each."""
        read = "" if self._export is None else self._export.notice
        return tuple(filter(None, (read, _columns_notice(self._left_out))))

    async def to(self, out: AtomicFile | Stream, on_progress: ProgressListener | None) -> None:
        """Write all of it; raises ServiceError, CommandFailure, OutputClosed and EndedBySignal."""
        if isinstance(out, AtomicFile):
            self._lost = f", {self._request.file} was not saved"
        with cancelled_by_signals():
            await self._write(out, on_progress)

    async def _write(self, out: AtomicFile | Stream, on_progress: ProgressListener | None) -> None:
        from svc_tui.client.client import SignedClient

        with ExitStack() as stack:
            writer = self._writer(out, stack)
            connection, request = self._connection, self._request
            async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
                client.listen(self._handle_traffic)
                export = self._export = RecordExport(
                    client,
                    self._collection,
                    query=request.query,
                    page_size=request.page_size,
                    scope=_WHOLE,
                    most=request.most,
                )
                if on_progress is not None:
                    stack.enter_context(call_every(_PROGRESS_INTERVAL, lambda: on_progress(self._progress(export))))
                try:
                    async with aclosing(export.records()) as pages:
                        async for records in pages:
                            await writer.add([record.fields for record in records])
                finally:
                    # A rotation on the way has put new ones beside the old.
                    self.secrets = client.secrets
            await writer.finish()
            self._left_out = writer.left_out

    def _writer(self, out: AtomicFile | Stream, stack: ExitStack) -> ExportWriter:
        form = self._request.chosen_format
        layout = edit_layout(form) if self._request.for_edit else None
        if form.tabular and isinstance(out, AtomicFile):
            return SpoolingWriter(out, form, stack.enter_context(out.spool()), layout)
        return StreamingWriter(out, form, layout=layout)

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self._wire = apply_event(self._wire, event, time.monotonic())

    def _progress(self, export: RecordExport) -> Progress:
        now = time.monotonic()
        return export.progress(now - self._began, self._wire.held_seconds(now))


def _collection(place: str, profile: Profile) -> Collection:
    """The collection that `place` names, as the profile spells it; raises PlaceError, CommandFailure for a record."""
    place_found = parse_place(place, profile.catalog)
    if place_found.record_id is not None:
        raise CommandFailure(f"{place} is a record, not a collection; print it with: svc-tui request GET {place}")
    return place_found.collection


def _check_query(query: tuple[tuple[str, str], ...]) -> None:
    if any(name == "page" for name, _ in query):
        raise CommandFailure("export loads all pages; remove -q page=…")
    if any(name == "limit" for name, _ in query):
        raise CommandFailure("export sets the page size itself; use --page-size N instead of -q limit=…")


def _columns_notice(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"fields that are not on the first page were skipped ({shown}); export to a file to get all columns"


@contextmanager
def call_every(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """Call `look` now, and every so many seconds until the block ends."""
    loop = asyncio.get_running_loop()

    async def go_on() -> None:
        while True:
            look()
            await asyncio.sleep(seconds)

    looking = loop.create_task(go_on())
    try:
        yield
    finally:
        looking.cancel()
