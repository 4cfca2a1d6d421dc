"""What each route does, once a request has been let in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import unquote

from svc_tui.domain.model.catalog import VERSION_PREFIX
from svc_tui.domain.model.jsontext import Json, JsonError, dumps, loads
from svc_tui.sandbox.access.admission import IncomingRequest
from svc_tui.sandbox.access.keys import ApiKey
from svc_tui.sandbox.data import custody, lots
from svc_tui.sandbox.data.idempotency import JsonAnswer, earlier_answer, keep_answer, request_digest
from svc_tui.sandbox.data.paging import filters_of, page_body, query_of, window_of
from svc_tui.sandbox.data.records import parse_record
from svc_tui.sandbox.data.resources import LOTS, TUNNELS_KEY, Resource, attachments_key
from svc_tui.sandbox.data.schema import check_fields, validation_error
from svc_tui.sandbox.data.store import SandboxStore, etag
from svc_tui.sandbox.errors import ApiError
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.seeds.custody import CUSTODY

RouteHandler = Callable[["AuthorizedRequest"], JsonAnswer]


@dataclass(frozen=True, slots=True)
class AuthorizedRequest:
    """A request that passed every check."""

    incoming: IncomingRequest
    key: ApiKey
    body: bytes = field(repr=False)

    @property
    def at(self) -> str:
        """The service's time, RFC 3339 in UTC."""
        return datetime.fromtimestamp(self.incoming.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Routes:
    """The service's routes over one store. Answers block on SQLite, so they belong in a thread."""

    def __init__(self, store: SandboxStore, faults: FaultInjector) -> None:
        self._store = store
        self._faults = faults

    def answer(self, authorized: AuthorizedRequest) -> JsonAnswer:
        """The answer to a request; raises ApiError."""
        path = authorized.incoming.target.partition(b"?")[0].decode("latin-1")
        # Segments are told apart before they are decoded: an id may hold an encoded slash.
        _, *segments = (unquote(segment) for segment in path.split("/"))
        methods = self._methods(segments)
        method = "GET" if authorized.incoming.method == "HEAD" else authorized.incoming.method
        if method not in methods:
            allowed = ", ".join(methods)
            raise ApiError(405, "method_not_allowed", f"this route takes {allowed}", {"allow": allowed})
        return methods[method](authorized) if method == "GET" else self._once(authorized, methods[method])

    def _methods(self, segments: list[str]) -> Mapping[str, RouteHandler]:
        match segments:
            case [version, area, *_] if f"/{version}" == VERSION_PREFIX and area.casefold() == "auth":
                raise ApiError(403, "route_reserved", "/v1/auth is for interactive sessions; an API key cannot call it")
            case [version, *_] if f"/{version}" != VERSION_PREFIX:
                raise _no_route()
            case [_, "operations", "hash-chain", "verify"]:
                return {"GET": self._verify}
            case [_, "operations", "lots", lot, "split"]:
                return {"POST": lambda authorized: self._split(authorized, lot)}
            case [_, "operations", "lots", lot, "attachments", *rest] if len(rest) <= 1:
                self._record(self._store.resources[LOTS], lot)
                return self._uniform(attachments_key(lot), rest)
            case [_, domain, collection, *rest] if len(rest) <= 1:
                return self._uniform(f"{domain}/{collection}", rest)
        raise _no_route()

    def _uniform(self, key: str, rest: list[str]) -> Mapping[str, RouteHandler]:
        resource = self._store.resources.find(key)
        if resource is None:
            raise _no_route()
        if not rest:
            return {
                "GET": lambda authorized: self._list(authorized, resource),
                "POST": lambda authorized: self._create(authorized, resource),
            }
        return {
            "GET": lambda authorized: self._get(resource, rest[0]),
            "PATCH": lambda authorized: self._patch(authorized, resource, rest[0]),
            "DELETE": lambda authorized: self._delete(authorized, resource, rest[0]),
        }

    def _once(self, authorized: AuthorizedRequest, action: RouteHandler) -> JsonAnswer:
        """A write, and the keeping of its answer under its idempotency key, in one transaction."""
        incoming, name = authorized.incoming, authorized.incoming.header("idempotency-key")
        with self._store.writing() as connection:
            if name is None:
                return action(authorized)
            request = request_digest(incoming.method, incoming.target, authorized.body)
            if (earlier := earlier_answer(connection, authorized.key.digest, name, request)) is not None:
                return earlier
            answer = action(authorized)
            keep_answer(connection, authorized.key.digest, name, request, answer, incoming.now)
            return answer

    def _list(self, authorized: AuthorizedRequest, resource: Resource) -> JsonAnswer:
        query = query_of(authorized.incoming.target)
        window = window_of(query)
        filters = filters_of(query, resource.rules)
        if self._hit("cap-20"):
            window = window.capped(20)
        total: int | None
        if filters:
            texts, total = self._store.records.matching(resource, filters, window.first, window.limit)
        else:
            texts = self._store.records.page(resource, window.first, window.limit)
            total = self._store.records.total(resource)
        if self._hit("lying-total"):
            total = total * 2 + 1
        if self._hit("no-total"):
            total = None
        return JsonAnswer(200, page_body(texts, window, total))

    def _get(self, resource: Resource, record_id: str) -> JsonAnswer:
        text = self._record(resource, record_id)
        return JsonAnswer(200, text, {"etag": etag(text)})

    def _create(self, authorized: AuthorizedRequest, resource: Resource) -> JsonAnswer:
        fields = _object(authorized.body)
        check_fields(resource.rules, fields, {})
        for name, rule in resource.rules.items():
            if rule.required and name not in fields:
                raise validation_error(f"{name} must be given")
        times: dict[str, Json] = {n: authorized.at for n in ("createdAt", "updatedAt") if n in resource.rules}
        new: dict[str, Json] = {
            "id": self._store.records.next_id(resource),
            **resource.defaults,
            **fields,
            **times,
        }
        if resource.key == CUSTODY:
            new = custody.next_entry(self._store, new)
        text = self._store.records.append(resource, {name: new[name] for name in resource.rules if name in new})
        location = authorized.incoming.target.partition(b"?")[0].decode("ascii")
        return JsonAnswer(201, text, {"etag": etag(text), "location": f"{location}/{new['id']}"})

    def _patch(self, authorized: AuthorizedRequest, resource: Resource, record_id: str) -> JsonAnswer:
        text = self._record(resource, record_id)
        _check_match(authorized, text)
        current, fields = parse_record(text), _object(authorized.body)
        check_fields(resource.rules, fields, current)
        changed = {**current, **fields}
        if dumps(changed) != text:
            if "updatedAt" in resource.rules:
                changed["updatedAt"] = authorized.at
            text = self._store.records.replace(resource, record_id, changed)
        return JsonAnswer(200, text, {"etag": etag(text)})

    def _delete(self, authorized: AuthorizedRequest, resource: Resource, record_id: str) -> JsonAnswer:
        _check_match(authorized, self._record(resource, record_id))
        self._store.records.delete(resource, record_id)
        return JsonAnswer(204)

    def _split(self, authorized: AuthorizedRequest, lot: str) -> JsonAnswer:
        text = self._record(self._store.resources[LOTS], lot)
        _check_match(authorized, text)
        return JsonAnswer(201, lots.split(self._store, parse_record(text), _object(authorized.body), authorized.at))

    def _verify(self, authorized: AuthorizedRequest) -> JsonAnswer:
        query = query_of(authorized.incoming.target)
        if query.keys() - {"tunnelId"}:
            raise ApiError(400, "invalid_parameter", f"unknown parameter {min(query.keys() - {'tunnelId'})[:60]!r}")
        tunnel = query.get("tunnelId", "")
        if not tunnel:
            raise ApiError(400, "invalid_parameter", "the parameter tunnelId is required")
        self._record(self._store.resources[TUNNELS_KEY], tunnel)
        return JsonAnswer(200, custody.verification(self._store, tunnel, tampered=self._hit("chain-broken")))

    def _record(self, resource: Resource, record_id: str) -> str:
        text = self._store.records.text(resource, record_id)
        if text is None:
            raise ApiError(404, "not_found", f"{resource.key} holds no record {record_id[:60]!r}")
        return text

    def _hit(self, fault: str) -> bool:
        return self._faults.take(fault, method="GET") is not None


def _object(body: bytes) -> dict[str, Json]:
    try:
        value = loads(body)
        dumps(value).encode()
    except (JsonError, UnicodeEncodeError) as error:
        reason = error if isinstance(error, JsonError) else "half of a surrogate pair"
        raise ApiError(400, "invalid_json", f"the body is not JSON: {reason}") from None
    if not isinstance(value, dict):
        raise ApiError(400, "invalid_json", "the body must be a JSON object")
    return value


def _check_match(authorized: AuthorizedRequest, text: str) -> None:
    """If-Match (RFC 9110, section 13.1.1): go on only if the record is still the one the caller saw."""
    wanted = authorized.incoming.header("if-match")
    if wanted is not None and wanted.strip() != "*" and etag(text) not in (tag.strip() for tag in wanted.split(",")):
        raise ApiError(412, "precondition_failed", "the record has changed since it was read")


def _no_route() -> ApiError:
    return ApiError(404, "not_found", "no such route")
