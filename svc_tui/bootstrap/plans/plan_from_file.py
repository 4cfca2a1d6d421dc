"""Plans the corrections of a file for the command line: reads it, reads the records, compares."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from svc_tui.bootstrap.export.export import call_every
from svc_tui.bootstrap.key_in_use import note_key
from svc_tui.bootstrap.signal_handlers import EndedBySignal, cancelled_by_signals, unwind_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.core.catalog import Collection
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.records.progress import Progress
from svc_tui.service.errors import ServiceError
from svc_tui.service.traffic import TrafficEvent
from svc_tui.service.traffic_state import TrafficState, apply_event
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.plan import Plan

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.plans.cells import DecimalMark
    from svc_tui.plans.correction_file import Corrections

ProgressListener = Callable[[Progress], None]
"""Shows how far it has come."""

_PROGRESS_INTERVAL = 0.2
"""Seconds between two looks at the progress."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What is to be planned, as it was asked for; `output` None: no file is written.

    `skip_problems` leaves rows out that something stands against, `allow_doubts` takes those in that are in doubt.
    `decimal` is how the numbers of the file are written, None where its cells are to tell.
    """

    place: str
    file: str
    output: Path | None = None
    skip_problems: bool = False
    allow_doubts: bool = False
    decimal: "DecimalMark | None" = None


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The plan, or why there is none; `left_out` rows were left out and `taken_in` taken in as it was asked for.

    `secrets` are the texts that must not be shown.
    """

    plan: Plan | None = None
    error: ServiceError | None = None
    left_out: int = 0
    taken_in: int = 0
    secrets: tuple[str, ...] = field(default=(), repr=False)


def make_plan(
    request: PlanRequest, options: Options, variables: Mapping[str, str], *, on_progress: ProgressListener | None
) -> PlanResult:
    """Compare the corrections of a file with the service; nothing is sent that writes. Raises CommandFailure."""
    from svc_tui.bootstrap.plans.plan_file import PlanFile, machine_id, write_plan_file
    from svc_tui.bootstrap.plans.read_file import read_correction_file
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection
    from svc_tui.plans.correction_file import CorrectionFileError, ValueWords
    from svc_tui.plans.planning import PlanError

    with translate_errors():
        locations = find_locations(variables, options.config)
        connection = resolve_connection(locations, variables, options.profile, read_only=True)
        note_key(locations, connection)
        profile = connection.profile
        collection = plan_collection(request.place, connection)
        try:
            words = ValueWords(profile.null_word, profile.empty_word, request.decimal)
            corrections = read_correction_file(request.file, words)
        except CorrectionFileError as error:
            raise CommandFailure(_about_file(request.file, str(error))) from None
        with unwind_on_signals():
            try:
                planning = _Planning(connection, collection, corrections, locations.database, on_progress)
                plan = run_on_loop(planning.run())
            except PlanError as error:
                raise CommandFailure(_about_file(corrections.name, str(error))) from None
            except ServiceError as error:
                return PlanResult(error=error, secrets=connection.keys.secrets)
        doubts = len(plan.problems)
        if request.allow_doubts:
            plan = plan.with_doubts_included()
        taken_in = doubts - len(plan.problems)
        left_out = len(plan.problems) if request.skip_problems else 0
        if request.skip_problems:
            plan = plan.with_problems_skipped()
        if request.output is not None:
            machine = machine_id(locations.machine_file)
            write_plan_file(request.output, PlanFile(plan, connection.scope, machine=machine))
        return PlanResult(plan, None, left_out, taken_in, connection.keys.secrets)


def plan_collection(place: str, connection: "Connection") -> Collection:
    """The collection that `place` names, as the profile spells it; raises PlaceError, CommandFailure for a record."""
    from svc_tui.service.routes import parse_place

    found = parse_place(place, connection.profile.catalog)
    if found.record_id is not None:
        raise CommandFailure(f"{place} is a record; use its collection: {found.collection.key}")
    return found.collection


def _about_file(name: str, sentence: str) -> str:
    """Return the sentence with the name of the file in front, unless it has it."""
    shown = "stdin" if name == "-" else name
    short = Path(shown).name
    if ". " not in sentence:
        sentence = sentence.rstrip(".")
    path = os.path.expanduser(shown)  # noqa: PTH111  an unknown home is no error here
    if sentence.startswith((shown, short, path)):
        return sentence
    lowered = f"{sentence[:1].lower()}{sentence[1:]}"
    return f"{shown}, {lowered}" if lowered.startswith(_PLACES_IN_FILE) else f"{shown}: {lowered}"


_PLACES_IN_FILE = ("row ", "line ", "item ", "cell ")
"""Beginnings of sentences about a place in a file."""


class _Planning:
    """One plan on its way."""

    def __init__(
        self,
        connection: "Connection",
        collection: Collection,
        corrections: "Corrections",
        database: Path,
        on_progress: ProgressListener | None,
    ) -> None:
        self._connection, self._collection, self._corrections = connection, collection, corrections
        self._database, self._on_progress = database, on_progress
        self._wire = TrafficState()
        self._read = (0, 0)
        self._began = time.monotonic()

    async def run(self) -> Plan:
        """Make it; raises ServiceError, PlanError, CommandFailure."""
        try:
            with cancelled_by_signals():
                return await self._plan()
        except EndedBySignal as ended:
            raise ended.failure("interrupted; no plan was saved") from None

    async def _plan(self) -> Plan:
        from svc_tui.client.client import SignedClient
        from svc_tui.core.references import ReferenceResolver
        from svc_tui.plans.planning import Planner

        connection, profile = self._connection, self._connection.profile
        async with SignedClient(profile, connection.keys, credentials=connection.credentials) as client:
            client.listen(self._handle_traffic)
            references = ReferenceResolver(self._collection, profile.catalog, profile.references(self._collection))
            planner = Planner(client, references, lambda: datetime.now(UTC), find_creations=self._find_creations)
            with call_every(_PROGRESS_INTERVAL, self._show):
                return await planner.plan(self._collection, self._corrections, uuid4().hex[:12], self._take_read)

    async def _find_creations(self, place: str, digests: frozenset[str]) -> Sequence[JournalEntry]:
        from svc_tui.storage.journal_reader import JournalReader

        # Nothing else has to go on meanwhile.
        return JournalReader(self._database, self._connection.scope).creations(place, digests)

    def _take_read(self, count: int, of: int) -> None:
        self._read = count, of

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self._wire = apply_event(self._wire, event, time.monotonic())

    def _show(self) -> None:
        count, of = self._read
        if self._on_progress is None or not of:
            return
        now = time.monotonic()
        held = self._wire.held_seconds(now)
        self._on_progress(Progress(count, of, now - self._began, held, f"loading {self._collection.name}"))
