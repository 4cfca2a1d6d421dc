"""What each operation does, once a request has been let in and its endpoint found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from svc_tui.core.jsontext import Json, JsonError, dumps, loads
from svc_tui.sandbox.access.admission import IncomingRequest
from svc_tui.sandbox.access.keys import ApiKey
from svc_tui.sandbox.data import custody, lots
from svc_tui.sandbox.data.idempotency import JsonAnswer
from svc_tui.sandbox.data.paging import Paging
from svc_tui.sandbox.data.records import parse_record
from svc_tui.sandbox.data.resources import LOTS, TUNNELS_KEY, Resource
from svc_tui.sandbox.data.schema import check_fields, validation_error
from svc_tui.sandbox.data.store import SandboxStore, etag
from svc_tui.sandbox.errors import ApiError
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.seeds.custody import CUSTODY
from svc_tui.sandbox.server.endpoints import EndpointOperation, FoundEndpoint
from svc_tui.sandbox.variants import Variants

Handler = Callable[["AuthorizedRequest", FoundEndpoint], JsonAnswer]
"""Answers a request to an endpoint; raises ApiError."""


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


class Handlers:
    """The operations over one store."""

    def __init__(self, store: SandboxStore, faults: FaultInjector, variants: Variants) -> None:
        self._store, self._faults, self._variants = store, faults, variants
        self._paging = Paging(variants)
        self._conditional = variants["if-match"] == "checked"

    def by_operation(self) -> Mapping[EndpointOperation, Handler]:
        """What answers each operation."""
        return {
            EndpointOperation.LIST: self._list,
            EndpointOperation.GET: self._get,
            EndpointOperation.CREATE: self._create,
            EndpointOperation.UPDATE: self._update,
            EndpointOperation.REMOVE: self._remove,
            EndpointOperation.SPLIT: self._split,
            EndpointOperation.VERIFY: self._verify,
        }

    def _list(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        resource = self._collection(found)
        query = self._paging.query(authorized.incoming.target, "page", "limit")
        window = self._paging.window(query)
        filters = self._paging.filters(query, resource.rules)
        if self._hit("cap-20", authorized):
            window = window.capped(20)
        total: int | None
        if filters:
            texts, total = self._store.records.matching(resource, filters, window.first, window.limit)
        else:
            texts = self._store.records.page(resource, window.first, window.limit)
            total = self._store.records.total(resource)
        more = window.first + len(texts) < total
        if self._hit("lying-total", authorized):
            total = total * 2 + 1
        if self._hit("no-total", authorized):
            total = None
        return JsonAnswer(200, self._paging.body(texts, window, total, more=more))

    def _get(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        _, text = self._record(found)
        return JsonAnswer(200, text, self._tag(text))

    def _create(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        resource = self._collection(found)
        fields = self._fields(authorized, resource)
        check_fields(resource.rules, fields, {})
        for name, rule in resource.rules.items():
            if rule.required and name not in fields:
                raise validation_error(f"{name} is required")
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
        location = f"{authorized.incoming.path}/{quote(str(new['id']), safe='')}"
        return JsonAnswer(201, text, self._tag(text) | {"location": location})

    def _update(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        resource, text = self._record(found)
        self._check_match(authorized, text)
        current, fields = parse_record(text), self._fields(authorized, resource)
        check_fields(resource.rules, fields, current)
        changed = {**current, **fields}
        if dumps(changed) != text:
            if "updatedAt" in resource.rules:
                changed["updatedAt"] = authorized.at
            text = self._store.records.replace(resource, found.record_id, changed)
        return JsonAnswer(200, text, self._tag(text))

    def _remove(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        resource, text = self._record(found)
        self._check_match(authorized, text)
        self._store.records.delete(resource, found.record_id)
        match self._variants["removed"]:
            case "record":
                return JsonAnswer(200, text)
            case "confirmed":
                return JsonAnswer(200, dumps({"id": found.record_id, "deleted": True}))
            case _:
                return JsonAnswer(204)

    def _split(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        text = self._text(self._store.resources[LOTS], found.record_id)
        self._check_match(authorized, text)
        payload = self._object(authorized)
        return JsonAnswer(201, lots.split(self._store, parse_record(text), payload, authorized.at))

    def _verify(self, authorized: AuthorizedRequest, found: FoundEndpoint) -> JsonAnswer:
        query = self._paging.query(authorized.incoming.target, "tunnelId")
        self._paging.check_unknown(query.keys() - {"tunnelId"})
        tunnel = query.get("tunnelId", "")
        if not tunnel:
            raise ApiError("invalid_parameter", "the parameter tunnelId is required")
        self._text(self._store.resources[TUNNELS_KEY], tunnel)
        tampered = self._hit("chain-broken", authorized)
        return JsonAnswer(200, custody.verification(self._store, tunnel, tampered=tampered))

    def _collection(self, found: FoundEndpoint) -> Resource:
        if found.under is not None:
            self._text(self._store.resources[LOTS], found.under)
        return self._store.resources[found.collection]

    def _record(self, found: FoundEndpoint) -> tuple[Resource, str]:
        resource = self._collection(found)
        return resource, self._text(resource, found.record_id)

    def _text(self, resource: Resource, record_id: str) -> str:
        text = self._store.records.text(resource, record_id)
        if text is None:
            raise ApiError("not_found", f"no record {record_id[:60]!r} in {resource.key}")
        return text

    def _fields(self, authorized: AuthorizedRequest, resource: Resource) -> dict[str, Json]:
        """The fields that a body sets."""
        fields = self._object(authorized)
        if self._variants["unknown-fields"] == "ignored":
            return {name: value for name, value in fields.items() if name in resource.rules}
        return fields

    def _object(self, authorized: AuthorizedRequest) -> dict[str, Json]:
        content_type = authorized.incoming.header("content-type")
        if self._variants["bodies"] == "json" and content_type is not None and not _says_json(content_type):
            raise ApiError("unsupported_media_type", f"the body must be application/json, not {content_type[:60]!r}")
        try:
            value = loads(authorized.body)
            dumps(value).encode()
        except (JsonError, UnicodeEncodeError) as error:
            reason = error if isinstance(error, JsonError) else "an incomplete Unicode character"
            raise ApiError("invalid_json", f"the body is not valid JSON: {reason}") from None
        if not isinstance(value, dict):
            raise ApiError("invalid_json", "the body must be a JSON object")
        return value

    def _tag(self, text: str) -> dict[str, str]:
        return {"etag": etag(text)} if self._conditional else {}

    def _check_match(self, authorized: AuthorizedRequest, text: str) -> None:
        """If-Match (RFC 9110, section 13.1.1): go on only if the record is still the one the caller saw."""
        wanted = authorized.incoming.header("if-match")
        if not self._conditional or wanted is None or wanted.strip() == "*":
            return
        if etag(text) not in (tag.strip() for tag in wanted.split(",")):
            raise ApiError("precondition_failed", "the record has changed since it was loaded")

    def _hit(self, fault: str, authorized: AuthorizedRequest) -> bool:
        return self._faults.take(fault, method="GET", path=authorized.incoming.path) is not None


def _says_json(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")
