"""Exports a collection for the command line: its pages in order, through a format, to a file or to stdout."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from svc_tui.bootstrap.export_writer import AsTheyCome, Gathered, Sheet
from svc_tui.bootstrap.output import ReaderGone, Stream, WholeFile, outlet
from svc_tui.bootstrap.signals import ended_by_signals, unwound_by_signals
from svc_tui.bootstrap.start import Options, Stopped, explained
from svc_tui.domain.collections.page_walk import Walked, counted
from svc_tui.domain.collections.progress import Progress
from svc_tui.domain.data.export_formats import Format, format_of
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.routes import parse_place
from svc_tui.domain.http.traffic_state import TrafficState, heard
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Page, Record
from svc_tui.domain.model.settings import Profile
from svc_tui.domain.model.traffic import TrafficEvent

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.profiles.connection import Connection

Watch = Callable[[Progress], None]
"""Shows how far the export has come."""

_LOOK_EVERY = 0.2
"""Seconds between two looks at the progress."""

_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be exported, as it was asked for.

    `file` None is stdout; `form` None is taken from the file's ending; `most` counts the records that are written;
    `page_size` None is the profile's.
    """

    place: str
    file: Path | None = None
    form: Format | None = None
    most: int | None = None
    page_size: int | None = None
    query: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """How an export ended: so many records were written, or had come when `error` ended it.

    `how_far` says so in words, and what became of the file; `notices` what readers of the records should know.
    `secrets` are the texts that must not be shown.
    """

    count: int
    how_far: str
    notices: tuple[str, ...] = ()
    error: ServiceError | None = None
    secrets: tuple[str, ...] = ()


class _Ended(Exception):
    """A signal ended the program; `status` is its exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def export(wish: Wish, options: Options, variables: Mapping[str, str], *, watch: Watch | None) -> Exported:
    """Walk the collection and write its records; `watch` None: nobody looks. Raises Stopped where it can't go on."""
    from svc_tui.config.paths import locations
    from svc_tui.config.profiles.connecting import connect

    with explained():
        where = locations(variables, options.config)
        found = connect(where, variables, options.profile, read_only=options.read_only)
        run = _Run(wish, found, _collection(wish.place, found.profile))
        _check_query(wish.query)
        try:
            with unwound_by_signals(), outlet(wish.file) as out:
                asyncio.run(run.to(out, watch))
        except ServiceError as error:
            return Exported(run.count, run.how_far, error=error, secrets=run.secrets)
        except ReaderGone:
            # Whoever read it has seen enough; what would be said of the rest concerns nobody.
            return Exported(run.count, run.how_far)
        except _Ended as ended:
            if ended.status != _INTERRUPTED:
                raise SystemExit(ended.status) from None
            raise Stopped(f"interrupted {run.how_far}", ended.status) from None
        return Exported(run.count, run.how_far, run.notices(), secrets=run.secrets)


class _Run:
    """One export."""

    def __init__(self, wish: Wish, found: "Connection", collection: Collection) -> None:
        self._wish, self._found, self._collection = wish, found, collection
        self._walked = Walked(wish.most)
        self._whole = False
        """Whether the end of the collection was reached."""
        self._left_out: tuple[str, ...] = ()
        self._lost = ""
        self._wire = TrafficState()
        self._began = time.monotonic()
        self.secrets = found.keys.secrets

    @property
    def count(self) -> int:
        """How many records have come."""
        return self._walked.count

    @property
    def how_far(self) -> str:
        """How many records had come where it did not end well, and what became of the file."""
        return f"after {counted(self.count)}{self._lost}"

    def notices(self) -> tuple[str, ...]:
        """What readers of the records should know, a sentence each."""
        return tuple(filter(None, (self._walked.notice(whole=self._whole), _columns_notice(self._left_out))))

    async def to(self, out: WholeFile | Stream, watch: Watch | None) -> None:
        """Write all of it; raises ServiceError, Stopped, ReaderGone, and _Ended where a signal came."""
        status, task = 0, asyncio.current_task()
        if isinstance(out, WholeFile):
            self._lost = f", {self._wish.file} was not written"

        def end(by: int) -> None:
            nonlocal status
            status = by
            if task is not None:
                task.cancel()

        with ended_by_signals(end):
            try:
                await self._write(out, watch)
            except asyncio.CancelledError:
                if not status:
                    raise
                raise _Ended(status) from None

    async def _write(self, out: WholeFile | Stream, watch: Watch | None) -> None:
        from svc_tui.client.client import SignedClient

        with ExitStack() as stack:
            sheet = self._sheet(out, stack)
            found = self._found
            async with SignedClient(found.profile, found.keys, credentials=found.credentials) as client:
                client.listen(self._heard)
                if watch is not None:
                    stack.enter_context(_every(_LOOK_EVERY, lambda: watch(self._progress())))
                try:
                    async with aclosing(self._records(client)) as pages:
                        async for records in pages:
                            await sheet.add([record.fields for record in records])
                finally:
                    # A rotation on the way has put new ones beside the old.
                    self.secrets = client.secrets
            await sheet.finish()
            self._left_out = sheet.left_out

    def _sheet(self, out: WholeFile | Stream, stack: ExitStack) -> Sheet:
        ending = None if self._wish.file is None else format_of(self._wish.file.name)
        form = self._wish.form or ending or Format.JSONL
        if form.tabular and isinstance(out, WholeFile):
            return Gathered(out, form, stack.enter_context(out.spool()))
        return AsTheyCome(out, form)

    async def _records(self, client: "SignedClient") -> AsyncGenerator[list[Record], None]:
        """Page after page, what is new on it, until the end or as many as were wished for."""
        wish, came, number, used = self._wish, 0, 1, 0
        limit = wish.page_size or self._found.profile.page_size
        pages = client.walk(self._collection, limit=limit, most=wish.most, query=wish.query)
        async with aclosing(cast("AsyncGenerator[Page, None]", pages)):
            async for page in pages:
                number, used = page.number, len(page.records)
                came += used
                yield self._walked.new(page.records, page.total)
        self._whole = wish.most is None or came < wish.most
        # Records that came twice do not count: where they leave too few, the rest of the last page and others follow.
        while not (self._whole or self._walked.full):
            page = await client.page(self._collection, number, limit, query=wish.query, background=True)
            new = self._walked.new(page.records[used:], page.total)
            yield new
            self._whole = not new and not used
            number, used = number + 1, 0

    def _heard(self, event: TrafficEvent) -> None:
        self._wire = heard(self._wire, event, time.monotonic())

    def _progress(self) -> Progress:
        now, total, most = time.monotonic(), self._walked.total, self._wish.most
        goal = total if most is None else min(most, most if total is None else total)
        return Progress(self.count, goal, now - self._began, self._wire.held_seconds(now))


def _collection(place: str, profile: Profile) -> Collection:
    """The collection that `place` names, as the profile spells it; raises PlaceError, Stopped for a record."""
    found = parse_place(place, profile.catalog)
    if found.record_id is not None:
        raise Stopped(f"that is one record of {found.collection.key}; svc-tui request GET prints one")
    return found.collection


def _check_query(query: tuple[tuple[str, str], ...]) -> None:
    if any(name == "page" for name, _ in query):
        raise Stopped("export reads every page itself; leave out -q page=…")
    if any(name == "limit" for name, _ in query):
        raise Stopped("the records on a page are set with --page-size N; leave out -q limit=…")


def _columns_notice(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return (
        f"the columns are those of the first page, and later records hold more ({shown}), which were left out: "
        f"write to a file to have every column"
    )


@contextmanager
def _every(seconds: float, look: Callable[[], None]) -> Iterator[None]:
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
