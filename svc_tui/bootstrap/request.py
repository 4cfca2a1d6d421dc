"""Makes one request for the command line, with its lines in the journal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from svc_tui.bootstrap.key_in_use import note_key, use_key
from svc_tui.bootstrap.start import CommandFailure, Notify, Options, translate_errors
from svc_tui.core.credentials import Environment
from svc_tui.core.gc_control import gc_paused
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.service.errors import ServiceError, failure_of
from svc_tui.service.redact import holds_secret
from svc_tui.service.routes import expand_path

if TYPE_CHECKING:
    from svc_tui.client.body_handling import HandOn
    from svc_tui.client.client import SignedClient
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a write is to be made: `live` allows one with a live key, `ticket` is the reference it is for, "" for none.

    `read_before`: a record is read before it is changed or deleted, so that this can be taken back.
    """

    live: bool = False
    ticket: str = ""
    read_before: bool = True


@dataclass(frozen=True, slots=True)
class RequestResult:
    """What became of one request.

    `request` is what left, or what would have left; `exchange` the answer where it was not handed on, `error` why there
    is no good one, `reason` why nothing was sent where that was decided here, or what a look told of a write whose
    outcome is not known. `warning` is about the journal. `secrets` are the texts that must not be shown.
    `idempotency_header` is the name of the header that carries a write's key, "" for none. `settled`: a reading after
    a write without a clear answer showed it in place; `unread`: the record could not be read before it.
    """

    request: SignedRequest | None
    exchange: Exchange | None = None
    error: ServiceError | None = None
    reason: str = ""
    warning: str = ""
    idempotency_header: str = ""
    settled: bool = False
    unread: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


@gc_paused()
def request(
    spec: RequestSpec,
    options: Options,
    variables: Mapping[str, str],
    *,
    writing: WriteOptions = WriteOptions(),
    notify: Notify,
    hand_on: "HandOn",
) -> RequestResult:
    """Make one request, a write as `writing` says. Raises CommandFailure where nothing could be tried.

    `hand_on` is given the answer to a read that succeeds, as it comes: its head with b"", then its body in pieces.
    Any other answer is in the result.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection

    with translate_errors():
        locations = find_locations(variables, options.config)
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        refusal = partial(_refusal_reason, spec.method, connection, options, live=writing.live)
        # Before anything is opened; the road of all writes asks again.
        if spec.writes and (why := refusal()):
            raise CommandFailure(why)
        if holds_secret(writing.ticket, connection.keys.secrets):
            raise CommandFailure(
                "--ticket contains an API key or signing secret; remove it, because the ticket is saved in the journal"
            )
        spec = replace(spec, path=expand_path(spec.path, connection.profile.catalog))
        if not spec.writes:
            note_key(locations, connection)
            return run_on_loop(_read(spec, connection, hand_on))
        return run_on_loop(_write(spec, connection, writing, locations, notify, refusal))


async def _read(spec: RequestSpec, connection: "Connection", hand_on: "HandOn") -> RequestResult:
    from svc_tui.client.client import SignedClient

    async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
        try:
            exchange = await client.download(spec, hand_on)
        except ServiceError as error:
            request = _signed_request(client, spec, error.exchange)
            return RequestResult(request, error.exchange, error, secrets=client.secrets)
        failure = failure_of(exchange, client.secrets)
        return RequestResult(exchange.request, exchange if failure else None, failure, secrets=client.secrets)


async def _write(
    spec: RequestSpec,
    connection: "Connection",
    writing: WriteOptions,
    locations: "Locations",
    notify: Notify,
    refusal: Callable[[], str | None],
) -> RequestResult:
    from svc_tui.bootstrap.journal.end_in_keyring import keep_end_in_keyring
    from svc_tui.bootstrap.team.command_guard import command_guard
    from svc_tui.client.client import SignedClient
    from svc_tui.service.errors import SendResult
    from svc_tui.storage.scope import StorageScope
    from svc_tui.storage.store import Store
    from svc_tui.writes.approval_guard import WriteGate
    from svc_tui.writes.pipeline import WritePipeline

    if connection.profile.team:
        from svc_tui.bootstrap.team.tell_team import require_team, tell_team

        await require_team(connection, locations)
    async with SignedClient(connection.profile, connection.keys, credentials=connection.credentials) as client:
        spec = client.keyed(spec)
        async with Store.open(locations.database) as store:
            if store.notice:
                notify(store.notice)
            scope = StorageScope(connection.profile.name, client.environment, client.base_url)
            pipeline = WritePipeline(
                client,
                store.journal(scope, connection.key_origin, use_key(connection, store.fingerprints, client)),
                WriteGate(refusal, command_guard(connection)),
                lambda: datetime.now(UTC),
                collections=connection.profile.catalog,
            )
            report = await pipeline.request(spec, writing.ticket, read_before=writing.read_before)
            if connection.profile.team:
                await tell_team(connection, locations, store)
        keep_end_in_keyring([connection], locations.database)
        signed = _signed_request(client, spec, report.exchange)
        return RequestResult(
            signed,
            report.exchange,
            report.error,
            report.reason,
            report.journal_problem,
            connection.profile.idempotency_header,
            report.was_applied and report.result is SendResult.UNKNOWN,
            report.read_failed,
            client.secrets,
        )


def _refusal_reason(method: str, connection: "Connection", options: Options, *, live: bool) -> str | None:
    """Why the write may not be sent; None where it may."""
    if options.read_only:
        return f"{method} is a write, and --read-only refuses writes; remove --read-only to send it"
    if connection.profile.read_only:
        name = connection.profile.name
        return (
            f"{method} is a write, and the profile {name} is read-only; to allow writes: svc-tui profiles edit {name}"
        )
    if connection.keys.environment is Environment.LIVE and not live:
        return f"{method} with a live key changes LIVE data; add --live to continue"
    return None


def _signed_request(client: "SignedClient", spec: RequestSpec, exchange: Exchange | None) -> SignedRequest | None:
    """The request as it left; where it did not, as it would have; None where it can't."""
    if exchange is not None:
        return exchange.request
    try:
        return client.preview(spec)
    except ServiceError:
        # What is wrong with it is the error that the caller already holds.
        return None


def saved_request(name: str, values: Mapping[str, str], options: Options, variables: Mapping[str, str]) -> RequestSpec:
    """The request that is saved under `name`, with the values that it asks for; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.requests.saved_requests import FileSavedRequests
    from svc_tui.console.saved_requests import MissingValues, SavedRequestError, find_by_name

    with translate_errors():
        files = FileSavedRequests(find_locations(variables, options.config).requests_directory)
    try:
        return find_by_name(files.read(), name, files.directory).request(values)
    except MissingValues as error:
        raise CommandFailure(f"{error}; add each with --set NAME=VALUE") from None
    except SavedRequestError as error:
        raise CommandFailure(str(error)) from None
