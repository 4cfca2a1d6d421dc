"""Carries out a plan from a file for the command line: row by row, each with its lines in the journal."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.export.export import call_every
from svc_tui.bootstrap.key_in_use import use_key
from svc_tui.bootstrap.plans.outcome_file import check_report, report_path, write_report
from svc_tui.bootstrap.plans.plan_file import PlanFile, machine_id, read_plan_file
from svc_tui.bootstrap.signal_handlers import quit_on_signals, unwind_on_signals
from svc_tui.bootstrap.start import CommandFailure, ExitStatus, Notify, Options, translate_errors
from svc_tui.core.credentials import Environment
from svc_tui.core.phrases import counted
from svc_tui.core.values import replace
from svc_tui.plans.planning import MovedRow, find_existing_rows, find_moved_rows, is_old
from svc_tui.plans.run import (
    RowOutcome,
    RunProgress,
    RunWriter,
    StopReason,
    count_rows,
    creations_of_run,
    find_remaining_rows,
    find_unknown_rows,
    honours_keys,
    row_results,
)
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.records.progress import Progress
from svc_tui.service.errors import ServiceError
from svc_tui.service.redact import holds_secret
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.service.traffic import TrafficEvent
from svc_tui.service.traffic_state import TrafficState, apply_event
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import JournalEntry, RowWrite
from svc_tui.storage.plan import Plan, PlanRow, RowAction
from svc_tui.storage.runs import Run, RunCounts, RunStore
from svc_tui.storage.scope import StorageScope
from svc_tui.writes.approval_guard import Unguarded

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.storage.store import Store

ProgressListener = Callable[[Progress], None]
"""Shows how far it has come."""

_PROGRESS_INTERVAL = 0.2
"""Seconds between two looks at the progress."""

_NAMED_ROWS = 5
"""Rows that a refusal names one by one."""


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """What is to be carried out, as it was asked for.

    `live` allows writes with a live key; `resume` goes on with a run that was cut short; `ticket` is the reference that
    it is for, "" for the plan's own; `max_failures` rows may end otherwise than planned before it stops, 0 is one;
    `report` None: beside the plan. `other_key` goes on with a run that was begun with another key of the profile.
    """

    file: Path
    live: bool = False
    resume: bool = False
    ticket: str = ""
    max_failures: int = 0
    report: Path | None = None
    other_key: bool = False


@dataclass(slots=True)
class ApplyResult:
    """What became of it.

    `progress` tells of the rows of this call, None where nothing was tried: `moved` are then the rows that no longer
    hold, `existing` the new records that exist already, `error` why that could not be told. `counts` are those of the
    whole plan, earlier calls included; `unknown` are the rows of which nobody knows whether they were carried out, and
    `looked_up` says of those that earlier calls sent whether such a record exists. `report` is where the outcomes were
    written, `report_problem` why they could not be; `store_problem` why the run's end could not be kept. `secrets` must
    not be shown.
    """

    plan: Plan
    progress: RunProgress | None = None
    moved: tuple[MovedRow, ...] = ()
    existing: tuple[MovedRow, ...] = ()
    error: ServiceError | None = None
    counts: RunCounts = field(default_factory=RunCounts)
    unknown: tuple[PlanRow, ...] = ()
    looked_up: Mapping[int, str] = field(default_factory=dict)
    report: Path | None = None
    report_problem: str = ""
    store_problem: str = ""
    interrupted: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


def apply_plan(
    request: ApplyRequest,
    options: Options,
    variables: Mapping[str, str],
    *,
    notify: Notify,
    on_progress: ProgressListener | None,
) -> ApplyResult:
    """Carry out a plan. Raises CommandFailure where it was refused before anything was sent."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection

    with translate_errors():
        kept = read_plan_file(request.file)
        locations = find_locations(variables, options.config)
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        _check_aim(kept, connection)
        _check_allowed(request, options, connection)
        _check_decided(kept.plan, kept.name)
        _check_approved(kept.plan, connection)
        if not request.resume:
            # What was begun goes on as it was agreed to, whatever the file has become.
            _check_source(kept)
        report = request.report or report_path(request.file)
        source = kept.plan.source
        check_report(report, (request.file, *([Path(source.path)] if source is not None and source.path else ())))
        with unwind_on_signals():
            return run_on_loop(_Applying(request, kept, connection, locations, on_progress).run(notify, report))


def _check_aim(kept: PlanFile, connection: "Connection") -> None:
    """Refuse a plan that was made for another service than the one in use."""
    made, scope = kept.scope, connection.scope
    if made.environment is not scope.environment:
        raise CommandFailure(
            f"{kept.name} was created for {made.environment.label}, but the current key is for "
            f"{scope.environment.label}; {_way_back(made)}, or create the plan again"
        )
    if made.base_url != scope.base_url:
        raise CommandFailure(
            f"{kept.name} was created for {made.base_url}, but the current base URL is {scope.base_url}; "
            f"{_way_back(made)}, or create the plan again"
        )
    collection = kept.plan.collection
    try:
        spelled = parse_place(collection.path, connection.profile.catalog).collection
    except PlaceError:
        spelled = None
    if spelled is None or spelled.path != collection.path:
        raise CommandFailure(
            f"{kept.name} was created with the path {collection.path} for {collection.key}, but the profile "
            f"{scope.profile} uses another path; create the plan again"
        )


def _way_back(made: StorageScope) -> str:
    """Return how to connect as the plan's maker did."""
    from svc_tui.config.profiles.environment import ENVIRONMENT_PROFILE

    if made.profile == ENVIRONMENT_PROFILE:
        return "set the environment variables as they were then"
    return f"use --profile {made.profile}"


def _check_allowed(request: ApplyRequest, options: Options, connection: "Connection") -> None:
    if options.read_only:
        raise CommandFailure("--read-only refuses writes; remove it to apply the plan")
    if connection.profile.read_only:
        name = connection.profile.name
        raise CommandFailure(f"the profile {name} is read-only; to allow writes: svc-tui profiles edit {name}")
    if connection.keys.environment is Environment.LIVE and not request.live:
        raise CommandFailure("apply with a live key changes LIVE data; add --live to continue")
    if holds_secret(request.ticket, connection.keys.secrets):
        raise CommandFailure(
            "--ticket contains an API key or signing secret; remove it, because the ticket is saved in the journal"
        )


def _check_approved(plan: Plan, connection: "Connection") -> None:
    """Refuse a plan that wants a second person: before anything is sent, not at the row where that is found out."""
    from svc_tui.bootstrap.team.command_guard import ASK_THERE, command_guard

    guard = command_guard(connection, len(plan.ready))
    if isinstance(guard, Unguarded):
        return
    from svc_tui.plans.approval import rule_for_plan

    if rule := rule_for_plan(guard, plan):
        raise CommandFailure(
            f"on LIVE this plan requires approval (rule {rule} of the profile {connection.profile.name}): "
            f"{ASK_THERE.removesuffix('.')}"
        )


def _check_decided(plan: Plan, name: str) -> None:
    """Refuse a plan with rows that nobody decided about, and one that asks for nothing."""
    if problems := len(plan.problems):
        raise CommandFailure(
            f"{name} has {counted(problems, 'row')} not ready to apply; correct the file of "
            "corrections and create the plan again, or create it with --skip-problems to skip such rows, or with "
            "--allow-doubts to include those that must be checked"
        )
    if not plan.ready:
        raise CommandFailure(f"{name} has no changes to apply", ExitStatus.DONE)


def _check_source(kept: PlanFile) -> None:
    """Refuse a plan whose file of corrections is there and has become another; one that is gone is not asked for."""
    source = kept.plan.source
    if source is None or not source.path:
        return
    try:
        with Path(source.path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return
    if digest != source.digest:
        raise CommandFailure(f"{source.name} changed after the plan was created; create the plan again")


class _Applying:
    """One plan being carried out."""

    def __init__(
        self,
        request: ApplyRequest,
        kept: PlanFile,
        connection: "Connection",
        locations: "Locations",
        on_progress: ProgressListener | None,
    ) -> None:
        self._request, self._kept = request, kept
        self._connection, self._locations = connection, locations
        self._on_progress = on_progress
        self._wire = TrafficState()
        self._read = (0, 0)
        self._began = time.monotonic()
        self._colleagues: Mapping[int, JournalEntry] = {}
        self.result = ApplyResult(kept.plan, secrets=connection.keys.secrets)

    async def run(self, notify: Notify, report: Path) -> ApplyResult:
        """Carry it out; raises CommandFailure, StoreError where nothing was sent.

        The first signal has it stop after the write at hand, the next one at once.
        """
        result, task = self.result, asyncio.current_task()

        def end(_: int) -> None:
            again, result.interrupted = result.interrupted, True
            if result.progress is None or again:
                if task is not None:
                    task.cancel()
                return
            result.progress.interrupt()
            notify("stopping after the current row; press ctrl+c again to stop now")

        if self._creations and self._is_from_elsewhere:
            notify(
                f"{self._kept.name} was created on another computer and creates {counted(self._creations, 'record')}; "
                "apply it on one computer only"
            )
        with quit_on_signals(end):
            try:
                await self._with_store(notify, report)
            except asyncio.CancelledError:
                if not result.interrupted:
                    raise
                if result.progress is None:
                    raise CommandFailure("interrupted; nothing was sent", ExitStatus.INTERRUPTED) from None
            except StoreError as error:
                if result.progress is None or not result.progress.sent:
                    raise
                result.store_problem = str(error)
        return result

    async def _with_store(self, notify: Notify, report: Path) -> None:
        from svc_tui.bootstrap.journal.end_in_keyring import keep_end_in_keyring
        from svc_tui.client.client import SignedClient
        from svc_tui.storage.store import Store

        connection, scope = self._connection, self._connection.scope
        if connection.profile.team:
            from svc_tui.bootstrap.team.tell_team import require_team, tell_team

            await require_team(connection, self._locations)
        async with Store.open(self._locations.database) as store:
            if store.notice:
                notify(store.notice)
            async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
                client.listen(self._handle_traffic)
                key = use_key(connection, store.fingerprints, client)
                runs, journal = store.runs(scope, key), store.journal(scope, connection.key_origin, key)
                if connection.profile.team and self._creations:
                    await self._ask_colleagues(store, notify)
                with call_every(_PROGRESS_INTERVAL, self._show):
                    await self._carry_out(client, runs, journal, report)
            if connection.profile.team and self.result.progress is not None:
                await tell_team(connection, self._locations, store)
        if self.result.progress is not None:
            keep_end_in_keyring([connection], self._locations.database)

    async def _carry_out(self, client: "SignedClient", runs: RunStore, journal: Journal, report: Path) -> None:
        run, name = await runs.find(self._kept.plan.id), self._kept.name
        if run is not None and run.ended is not None:
            raise await self._already_applied(run, journal)
        _check_run(run, name, resume=self._request.resume)
        if run is not None and not self._request.other_key:
            _check_key(run, await journal.row_writes(run.id), name)
        plan = self._with_ticket(self._kept.plan)
        if run is None and not await self._holds(client, plan):
            return
        async with self._own(runs, plan, resumed=run is not None) as plan:
            self.result.plan = plan
            try:
                await self._write_rows(client, journal, plan)
            finally:
                await self._conclude(client, runs, journal, report)

    async def _already_applied(self, run: Run, journal: Journal) -> CommandFailure:
        """Return the refusal of a plan whose run is at its end, with what nobody knows of it."""
        name, begun, plan = self._kept.name, f"{run.begun.astimezone():%Y-%m-%d %H:%M}", self._kept.plan
        unknown = [
            row
            for row in find_unknown_rows(plan, row_results(plan, await journal.row_writes(run.id)))
            if row.action is RowAction.CREATE
        ]
        ended = f"started at {begun} and cancelled" if run.given_up else f"already applied at {begun}"
        if not unknown:
            again = (
                "create the plan again"
                if run.given_up
                else "nothing to do. To apply new corrections, create a new plan"
            )
            return CommandFailure(f"{name} was {ended}; {again}")
        rows = ", ".join(f"{row.number:,}" for row in unknown[:_NAMED_ROWS])
        more = f" and {len(unknown) - _NAMED_ROWS:,} more" if len(unknown) > _NAMED_ROWS else ""
        one = len(unknown) == 1
        return CommandFailure(
            f"{name} was {ended}; it is not known whether "
            + (f"the new record of row {rows} was" if one else f"the new records of rows {rows}{more} were")
            + " created. Check this before you create the plan again; the new plan marks "
            + ("this row" if one else "these rows")
        )

    def _with_ticket(self, plan: Plan) -> Plan:
        return replace(plan, ticket=self._request.ticket) if self._request.ticket else plan

    async def _holds(self, client: "SignedClient", plan: Plan) -> bool:
        """Whether a plan that is old or from another machine still is what the records ask for."""
        result, old = self.result, is_old(plan, datetime.now(UTC))
        try:
            if old:
                result.moved = await find_moved_rows(client, plan, plan.ready, self._take_read)
            # Where keys are honoured, none of them is created twice.
            if (old or self._is_from_elsewhere) and not self._honoured(plan):
                rows = [row for row in plan.ready if row.number not in self._colleagues]
                result.existing = await find_existing_rows(client, plan, rows)
        except ServiceError as error:
            result.error = error
        return not (result.moved or result.existing) and result.error is None

    @property
    def _creations(self) -> int:
        return sum(row.action is RowAction.CREATE for row in self._kept.plan.ready)

    @cached_property
    def _is_from_elsewhere(self) -> bool:
        """Whether the plan was made on another machine, and may have been applied there."""
        return self._kept.machine not in ("", machine_id(self._locations.machine_file))

    async def _ask_colleagues(self, store: "Store", notify: Notify) -> None:
        """Find out which new records of the plan colleagues have sent already."""
        from svc_tui.bootstrap.team.tell_team import colleagues_of_run

        entries, problem = await colleagues_of_run(self._connection, self._locations, store, self._kept.plan.id)
        self._colleagues = creations_of_run(entries)
        if problem:
            notify(
                f"{problem}; colleagues' writes on this computer may be out of date, so a colleague may have "
                "applied this plan already"
            )

    @asynccontextmanager
    async def _own(self, runs: RunStore, plan: Plan, *, resumed: bool) -> AsyncIterator[Plan]:
        """The run as this program's own, until the block ends; raises CommandFailure, StoreError."""
        if resumed:
            taken = await runs.take(plan.id)
            if taken is None:
                raise CommandFailure(f"another svc-tui process is applying {self._kept.name}; wait until it ends")
            plan = self._with_ticket(taken)
        await runs.keep(plan)
        try:
            yield plan
        finally:
            with suppress(StoreError):
                # Where that can't be written, the run is free as soon as this program has ended.
                await runs.let_go(plan.id)

    async def _write_rows(self, client: "SignedClient", journal: Journal, plan: Plan) -> None:
        from svc_tui.bootstrap.team.command_guard import command_guard
        from svc_tui.writes.approval_guard import WriteGate
        from svc_tui.writes.pipeline import WritePipeline

        profile = self._connection.profile
        gate = WriteGate(lambda: None, command_guard(self._connection, len(plan.ready)))
        pipeline = WritePipeline(
            client, journal, gate, lambda: datetime.now(UTC), batch=plan.id, collections=profile.catalog
        )
        writer = RunWriter(plan, pipeline, client, self._colleagues)
        results = row_results(plan, await journal.row_writes(plan.id))
        if results:
            writer.recall(await journal.unsettled())
        progress = RunProgress.of_plan(
            plan, find_remaining_rows(plan, results, honoured=self._honoured(plan)), results, self._request.max_failures
        )
        self.result.progress = progress
        self._began = time.monotonic()
        while (row := progress.next_row) is not None:
            progress.add(await writer.write(row))

    async def _conclude(self, client: "SignedClient", runs: RunStore, journal: Journal, report: Path) -> None:
        """Write the report, and end the run where nothing is left that could be sent."""
        result, plan = self.result, self.result.plan
        if result.progress is None:
            return
        outcomes, result.counts = result.progress.outcomes, result.progress.counts
        try:
            writes = await journal.row_writes(plan.id)
        except StoreError as error:
            result.report_problem = result.store_problem = str(error)
            return
        results = row_results(plan, writes)
        result.counts = count_rows(plan, results, {outcome.row.number: outcome for outcome in outcomes})
        result.unknown = find_unknown_rows(plan, results)
        try:
            write_report(report, plan, writes, outcomes, client.secrets)
            result.report = report
        except CommandFailure as failure:
            result.report_problem = str(failure)
        if self._is_at_end(plan, results, outcomes):
            try:
                await runs.end(plan.id, result.counts)
            except StoreError as error:
                result.store_problem = str(error)
        if not (result.interrupted or result.progress.stopped is StopReason.FOR_ALL):
            await self._look_for_created(client, result.unknown)

    async def _look_for_created(self, client: "SignedClient", unknown: Sequence[PlanRow]) -> None:
        """Look for the new records of unknown outcome, but those that were looked for when they were sent just now."""
        assert self.result.progress is not None
        tried = {outcome.row.number for outcome in self.result.progress.outcomes}
        rows = [row for row in unknown if row.action is RowAction.CREATE and row.number not in tried]
        if not rows:
            return
        from svc_tui.writes.record_lookup import read_list_ends

        try:
            # The others of the plan may have been created behind them.
            ends = await read_list_ends(client, self.result.plan.collection, len(self.result.plan.ready))
        except ServiceError:
            return
        self.result.looked_up = {row.number: ends.words(row.edits) for row in rows}

    def _honoured(self, plan: Plan) -> bool:
        return honours_keys(plan, self._connection.profile.idempotency, datetime.now(UTC))

    def _is_at_end(self, plan: Plan, results: Mapping[int, str], outcomes: Sequence[RowOutcome]) -> bool:
        """Whether nothing is left to be sent: a new record of unknown outcome is not, since it is never sent twice."""
        settled = {outcome.row.number for outcome in outcomes if not outcome.is_unexpected}
        left = find_remaining_rows(plan, results, honoured=self._honoured(plan))
        return all(row.number in settled for row in left)

    def _take_read(self, count: int, of: int) -> None:
        self._read = count, of

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self._wire = apply_event(self._wire, event, time.monotonic())

    def _show(self) -> None:
        if self._on_progress is None:
            return
        now = time.monotonic()
        seconds, held, name = now - self._began, self._wire.held_seconds(now), self._kept.plan.collection.name
        progress = self.result.progress
        if progress is not None:
            counts, left = progress.counts, progress.seconds_left(seconds)
            self._on_progress(
                Progress(counts.done, counts.total, seconds, held, name, left, exceptions=counts.exceptions)
            )
        elif self._read[1]:
            self._on_progress(Progress(*self._read, seconds, held, f"reloading {name}"))


def _check_run(run: Run | None, name: str, *, resume: bool) -> None:
    """Refuse what the store knows to be carried out, under way, or begun and not asked to go on."""
    if run is None:
        if resume:
            raise CommandFailure(f"{name} was not started on this computer; remove --resume to start it")
        return
    begun = f"{run.begun.astimezone():%Y-%m-%d %H:%M}"
    if run.elsewhere:
        raise CommandFailure(f"another svc-tui process is applying {name}; wait until it ends")
    if not resume:
        raise CommandFailure(f"{name} was started at {begun} and is not finished; add --resume to continue it")


def _check_key(run: Run, writes: Sequence[RowWrite], name: str) -> None:
    """Refuse a run of which something was sent, or begun, with another key of the profile."""
    if run.other_key or any(write.other_key for write in writes):
        raise CommandFailure(
            f"{name} was started with another key of this profile, possibly of another tenant; use that key "
            "again, or add --other-key to continue with the current key"
        )
