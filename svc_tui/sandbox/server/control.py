"""Routes outside `/v1` for whoever started the service: they set what it does and tell what arrived."""

import hmac
import ipaddress
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from svc_tui import __version__
from svc_tui.core.jsontext import dumps
from svc_tui.sandbox.clock import MAX_OFFSET_SECONDS
from svc_tui.sandbox.data.snapshots import reset_data, restore_snapshot, snapshot_names, take_snapshot
from svc_tui.sandbox.faults import FAULTS
from svc_tui.sandbox.server.control_bodies import (
    ClockBody,
    ControlBody,
    FaultBody,
    RotationBody,
    SnapshotBody,
    first_mistake,
)
from svc_tui.sandbox.server.control_client import MARK, TOKEN_HEADER
from svc_tui.sandbox.server.endpoints import allowed_methods
from svc_tui.sandbox.server.state import ServiceState

PREFIX = "/control/"
MAX_BODY = 64 * 1024

_MAX_NUMBER = 10**15 - 1


class ControlRefusal(Exception):
    """A control request that can't be done: HTTP status, one line that says why, headers."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """What a control route is asked: its query, and its body once that was checked."""

    query: Mapping[str, str]
    body: Any = None


@dataclass(frozen=True, slots=True)
class ControlRoute:
    """One method on one path below `/control/`; `query` says what its parameters mean, `body` what it is asked with.

    A request must have the parameters that are `required`. `schemas` are JSON Schemas of parameters that are not any
    text. `answers` names the fields of its answer; an empty answer is 204. `refusals` are statuses that not every
    route gives.
    """

    method: str
    path: str
    title: str
    action: Callable[["ControlActions", ControlRequest], Response]
    query: Mapping[str, str] = field(default_factory=dict)
    body: type[ControlBody] | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()


class ControlActions:
    """What the control routes do to a running service. They may wait for a disk, so they belong in a thread."""

    def __init__(self, state: ServiceState, document: Callable[[], Mapping[str, Any]]) -> None:
        """`document` makes the OpenAPI document."""
        self._state, self._document = state, document

    def do(self, route: ControlRoute, request: ControlRequest) -> Response:
        """What a route does; raises ControlRefusal."""
        if route.method == "GET":
            return route.action(self, request)
        # Two at once would leave the places of a split service with the data of different snapshots.
        with self._state.turn:
            return route.action(self, request)

    def health(self, _request: ControlRequest) -> Response:
        """Tell that the service answers, and how it was started."""
        options, settings = self._state.options, self._state.store().resources.settings
        return JSONResponse(
            {
                "status": "ok",
                "version": __version__,
                "time": self._state.clock(),
                "offset_seconds": self._state.clock.offset,
                "places": list(self._state.stores),
                "records": settings.lots,
                "seed": settings.seed,
                "variants": dict(options.variants),
                "faults": len(self._state.faults.armed),
                "held": self._state.faults.held,
                "snapshots": snapshot_names(self._state.store()),
            }
        )

    def openapi(self, _request: ControlRequest) -> Response:
        """Give the document of all routes."""
        return JSONResponse(self._document())

    def reset(self, _request: ControlRequest) -> Response:
        """Make everything what it was at the start, snapshots apart."""
        for store in self._state.stores.values():
            reset_data(store)
        self._state.faults.reset()
        self._state.keys.reset()
        self._state.limiter.reset()
        self._state.attempts.clear()
        self._state.clock.offset = self._state.options.clock_offset
        return _done()

    def faults(self, _request: ControlRequest) -> Response:
        """List the faults in force."""
        faults = [
            {
                "name": fault.name,
                "left": fault.left,
                "every": None if fault.left is not None else fault.every,
                "after": fault.after,
                "method": fault.method,
                "path": fault.path,
                "retry_after": fault.retry_after,
                "delay": fault.delay,
                "seen": fault.seen,
                "met": fault.met,
            }
            for fault in self._state.faults.armed
        ]
        return JSONResponse({"faults": faults, "held": self._state.faults.held})

    def arm(self, request: ControlRequest) -> Response:
        """Arm a fault."""
        body: FaultBody = request.body
        options = body.model_dump(exclude={"name", "count", "every", "after"})
        if body.every is None:
            self._state.faults.next(body.name, body.count, after=body.after, **options)
        else:
            self._state.faults.always(body.name, every=body.every, after=body.after, **options)
        return _done()

    def clear(self, request: ControlRequest) -> Response:
        """Disarm one fault or all."""
        name = request.query.get("name")
        if name is not None and name not in FAULTS:
            raise ControlRefusal(400, f"unknown fault {name[:60]!r}; choose from {', '.join(FAULTS)}")
        self._state.faults.clear(name)
        return _done()

    def release(self, _request: ControlRequest) -> Response:
        """Let go of the answers on hold."""
        self._state.faults.release()
        return _done()

    def attempts(self, request: ControlRequest) -> Response:
        """List what arrived."""
        after = request.query.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) <= 15):
            raise ControlRefusal(400, f"after must be the number of a request, not {after[:60]!r}")
        items = [attempt.as_json() for attempt in self._state.attempts.all() if attempt.number > int(after)]
        return Response(dumps({"attempts": items}), media_type="application/json")

    def forget(self, _request: ControlRequest) -> Response:
        """Forget what arrived."""
        self._state.attempts.clear()
        return _done()

    def record(self, request: ControlRequest) -> Response:
        """Give a record as it is stored, whoever may see it."""
        key, record_id = request.query.get("key", ""), request.query.get("id", "")
        place = request.query.get("place", "")
        if place and place not in self._state.stores:
            raise ControlRefusal(404, f"unknown data set {place[:60]!r}; choose from {', '.join(self._state.stores)}")
        text = self._state.store(place).record(key, record_id)
        if text is None:
            raise ControlRefusal(404, f"no record {record_id[:60]!r} in {key[:60] or 'an empty name'}")
        return Response(text, media_type="application/json")

    def rotate(self, request: ControlRequest) -> Response:
        """Replace a key and its secret."""
        body: RotationBody = request.body
        # With no overlap the old key is dead whatever the clock says: it may be set back, and a fault has it behind.
        ends_at = self._state.clock() + body.overlap_seconds if body.overlap_seconds else -math.inf
        try:
            pair = self._state.keys.rotate(body.key, ends_at)
        except KeyError:
            names = ", ".join(key.name for key in self._state.keys.issued)
            raise ControlRefusal(404, f"unknown key {body.key!r}; the keys are {names}") from None
        return JSONResponse(pair.announced())

    def clock(self, _request: ControlRequest) -> Response:
        """Tell the service's time."""
        return JSONResponse({"time": self._state.clock(), "offset_seconds": self._state.clock.offset})

    def set_clock(self, request: ControlRequest) -> Response:
        """Set the service's clock."""
        body: ClockBody = request.body
        clock = self._state.clock
        offset = body.offset_seconds if body.offset_seconds is not None else clock.offset + (body.advance_seconds or 0)
        if abs(offset) > MAX_OFFSET_SECONDS:
            raise ControlRefusal(409, f"the clock offset must be at most {MAX_OFFSET_SECONDS} seconds")
        clock.offset = offset
        return self.clock(request)

    def snapshot(self, request: ControlRequest) -> Response:
        """Keep the data as it is now under a name."""
        body: SnapshotBody = request.body
        for store in self._state.stores.values():
            take_snapshot(store, body.name)
        return _done()

    def restore(self, request: ControlRequest) -> Response:
        """Make the data what it was."""
        body: SnapshotBody = request.body
        stores = self._state.stores.values()
        # All or nothing: one place's file may be older than the other's.
        known = set.intersection(*(set(snapshot_names(store)) for store in stores))
        if body.name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise ControlRefusal(404, f"unknown snapshot {body.name!r}; the snapshots are: {names}")
        for store in stores:
            restore_snapshot(store, body.name)
        return _done()


_A = ControlActions
_CLOCK = {"time": "Unix time of the service", "offset_seconds": "seconds that its clock is ahead"}
CONTROL_ROUTES: tuple[ControlRoute, ...] = (
    ControlRoute(
        "GET",
        "health",
        "Status of the service, and how it was started",
        _A.health,
        answers={
            "status": "`ok`",
            "version": "version of svc-tui",
            **_CLOCK,
            "places": "`all`, or `live` and `test` if the service is split",
            "records": "number of lots at the start",
            "seed": "seed of the fictional data",
            "variants": "value of every variant",
            "faults": "number of active faults",
            "held": "number of responses on hold",
            "snapshots": "names of the snapshots",
        },
    ),
    ControlRoute(
        "GET",
        "openapi.json",
        "The OpenAPI 3.1 document of all routes",
        _A.openapi,
        answers={"openapi": "`3.1.0`, and the rest of the document"},
    ),
    ControlRoute(
        "POST",
        "reset",
        "Reset data, faults, keys, clock and the list of received requests; snapshots are kept",
        _A.reset,
    ),
    ControlRoute(
        "GET",
        "faults",
        "List the active faults",
        _A.faults,
        answers={
            "faults": "each with its settings, `seen` (matching requests) and `met` (affected requests)",
            "held": "number of responses on hold",
        },
    ),
    ControlRoute("POST", "faults", "Activate a fault", _A.arm, body=FaultBody),
    ControlRoute(
        "DELETE",
        "faults",
        "Clear a fault, or all faults",
        _A.clear,
        query={"name": "only this fault; default: all"},
        schemas={"name": {"enum": list(FAULTS)}},
    ),
    ControlRoute("POST", "release", "Release every response on hold", _A.release),
    ControlRoute(
        "GET",
        "attempts",
        "List the received requests, oldest first, at most the last 5,000",
        _A.attempts,
        query={"after": "only those with a higher number"},
        schemas={"after": {"type": "integer", "minimum": 0, "maximum": _MAX_NUMBER}},
        answers={
            "attempts": "each with `number`, `method`, `target`, `key` (its name), `signature` (`right`, `wrong`, "
            "`absent`, `not judged`), `timestamp`, `signed_string` (the string to sign), `idempotency_key`, "
            "`status`, `code`, `why`"
        },
    ),
    ControlRoute("DELETE", "attempts", "Clear the list of received requests", _A.forget),
    ControlRoute(
        "GET",
        "record",
        "Get a record as it is stored",
        _A.record,
        query={
            "key": "the collection, such as `operations/lots`",
            "id": "the id",
            "place": "`live` or `test`, for a split service",
        },
        answers={"id": "id, and the other fields of the record"},
        required=("key", "id"),
        refusals=(404,),
    ),
    ControlRoute(
        "POST",
        "rotate",
        "Replace a key and its secret; the old ones stop working after the overlap",
        _A.rotate,
        body=RotationBody,
        answers={
            "name": "the key's name",
            "api_key": "the new key",
            "signing_secret": "the new secret, or null",
            "note": "a short note",
        },
        refusals=(404,),
    ),
    ControlRoute("GET", "clock", "Get the time of the service", _A.clock, answers=_CLOCK),
    ControlRoute(
        "POST",
        "clock",
        "Set the clock of the service",
        _A.set_clock,
        body=ClockBody,
        refusals=(409,),
        answers=_CLOCK,
    ),
    ControlRoute("POST", "snapshot", "Save the current data as a snapshot", _A.snapshot, body=SnapshotBody),
    ControlRoute("POST", "restore", "Restore the data of a snapshot", _A.restore, body=SnapshotBody, refusals=(404,)),
)
"""Every control route."""


class ControlApp:
    """The control routes before the service: a request below `/control/` is theirs, every other goes on.

    Each carries the token in the header `x-svc-control`. Where the service listens on this machine alone, a request
    must name this machine in `Host`: a web page that is led here by a name of its own (DNS rebinding) gets nothing.
    """

    def __init__(self, inner: ASGIApp, token: str, actions: ControlActions, *, local: bool) -> None:
        """`local` says that the service listens on this machine alone."""
        self._inner, self._token, self._local = inner, token, local
        self._actions = actions
        self._routes = {(route.method, route.path): route for route in CONTROL_ROUTES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if not scope["path"].startswith(PREFIX):
            await self._inner(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._response(request)
        except ControlRefusal as refusal:
            response = JSONResponse(
                {"error": {"code": "control", "message": str(refusal)}}, refusal.status, refusal.headers
            )
        name, value = MARK
        response.headers[name] = value
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        if self._local and not _names_this_machine(request.headers.get("host", "")):
            raise ControlRefusal(421, "the Host header is not an address of this computer")
        given_token = request.headers.get(TOKEN_HEADER, "").encode("latin-1")
        if not hmac.compare_digest(given_token, self._token.encode()):
            raise ControlRefusal(403, f"the header {TOKEN_HEADER} does not contain the control token")
        route = self._route(request)
        query = dict(request.query_params)
        if len(query) != len(request.query_params.multi_items()):
            raise ControlRefusal(400, "a parameter is set twice in the query")
        if unknown := query.keys() - route.query.keys():
            raise ControlRefusal(400, f"unknown parameter {min(unknown)[:60]!r}")
        if missing := set(route.required) - query.keys():
            raise ControlRefusal(400, f"the parameter {min(missing)} is required")
        body = None if route.body is None else await _read(request, route.body)
        return await run_in_threadpool(self._actions.do, route, ControlRequest(query, body))

    def _route(self, request: Request) -> ControlRoute:
        # The request's URL is put together with its Host, which may have a path of its own.
        path = request.scope["path"].removeprefix(PREFIX)
        method = "GET" if request.method == "HEAD" else request.method
        if (route := self._routes.get((method, path))) is not None:
            return route
        if not (methods := [method for method, known in self._routes if known == path]):
            raise ControlRefusal(404, "unknown control route; for a list, use GET /control/openapi.json")
        allowed = allowed_methods(methods)
        raise ControlRefusal(405, f"this route supports {allowed}", {"allow": allowed})


async def _read(request: Request, kind: type[ControlBody]) -> ControlBody:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise ControlRefusal(413, f"the body is larger than {MAX_BODY} bytes")
    try:
        return kind.model_validate_json(bytes(content) or b"{}")
    except ValidationError as error:
        raise ControlRefusal(400, first_mistake(error)) from None


def _names_this_machine(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _done() -> Response:
    return Response(status_code=204)
