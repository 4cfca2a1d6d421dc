"""The service's own operations in the OpenAPI document, made from the table that serves them."""

from collections.abc import Iterator, Mapping

from svc_tui.core.catalog import OPERATIONS, SPLIT, VERIFY
from svc_tui.sandbox.data.idempotency import MAX_KEY_LENGTH
from svc_tui.sandbox.data.paging import DEFAULT_LIMIT, MAX_COUNT
from svc_tui.sandbox.data.resources import LOTS, TUNNELS_KEY, Resource, Resources
from svc_tui.sandbox.errors import ERROR_CODES
from svc_tui.sandbox.seeds.settings import SeedSettings
from svc_tui.sandbox.server.endpoints import ENDPOINTS, Endpoint, EndpointOperation
from svc_tui.sandbox.server.openapi_schemas import (
    Part,
    body_schema,
    error_schema,
    id_schema,
    meta_schema,
    open_point,
    page_schema,
    record_schema,
    reference,
    removed_schema,
    split_schemas,
    verification_schema,
)
from svc_tui.sandbox.variants import Variants

_TITLES = {EndpointOperation(operation.name): operation.title for operation in OPERATIONS}
_BODIES = (EndpointOperation.CREATE, EndpointOperation.UPDATE, EndpointOperation.SPLIT)
_WRITES = (*_BODIES, EndpointOperation.REMOVE)
_ON_RECORD = (EndpointOperation.GET, EndpointOperation.UPDATE, EndpointOperation.REMOVE, EndpointOperation.SPLIT)

_TEXT: Part = {"type": "string"}
_REQUEST_ID: Part = {"x-request-id": {"description": "The id of this request.", "schema": _TEXT, "required": True}}
_ETAG: Part = {"ETag": {"description": "The version of the record, for `If-Match`.", "schema": _TEXT, "required": True}}
_LOCATION: Part = {"Location": {"description": "The path of the new record.", "schema": _TEXT, "required": True}}
_REPLAYED: Part = {
    "Idempotency-Replayed": {
        "description": "The response is repeated from an earlier request.",
        "schema": {"const": "true"},
    }
}
_RETRY_AFTER: Part = {"Retry-After": {"description": "Seconds to wait.", "schema": _TEXT}}
_CHALLENGE: Part = {
    "WWW-Authenticate": {"description": "The authentication scheme.", "schema": _TEXT, "required": True}
}
_ALLOW: Part = {"Allow": {"description": "The methods that the path supports.", "schema": _TEXT, "required": True}}


class OpenApiOperations:
    """The paths below `/v1`, and what they refer to, of a service with these variants."""

    def __init__(self, variants: Variants) -> None:
        self._variants = variants
        self._resources = Resources(SeedSettings.sized(ids=variants["ids"]))
        self._replays = variants["idempotency"] == "honoured"
        self._conditional = variants["if-match"] == "checked"

    def paths(self) -> dict[str, Part]:
        """Every operation by path and method."""
        paths: dict[str, Part] = {}
        for endpoint in ENDPOINTS:
            paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = self._operation(endpoint)
        return paths

    def schemas(self) -> dict[str, Part]:
        """The schemas of pages, records and bodies."""
        schemas: dict[str, Part] = {"meta": meta_schema(self._variants)}
        for endpoint in ENDPOINTS:
            resource, name = self._resource(endpoint), _name(endpoint)
            match endpoint.operation:
                case EndpointOperation.LIST:
                    schemas[f"{name}.page"] = page_schema(name)
                    schemas[name] = record_schema(resource)
                case EndpointOperation.CREATE:
                    schemas[f"{name}.create"] = body_schema(resource, self._variants, partial=False)
                case EndpointOperation.UPDATE:
                    schemas[f"{name}.update"] = body_schema(resource, self._variants, partial=True)
                case EndpointOperation.SPLIT:
                    schemas[f"{name}.split"], schemas[f"{name}.parts"] = split_schemas(reference("schemas", name))
        return schemas

    def refusals(self) -> dict[str, Part]:
        """The answers other than success, one for each status."""
        given = {405, *(status for endpoint in ENDPOINTS for status in self._statuses(endpoint))}
        return {f"error-{status}": self._refusal(status) for status in sorted(given)}

    def _operation(self, endpoint: Endpoint) -> Part:
        success, answer = self._success(endpoint)
        told: Part = {
            "operationId": f"{endpoint.operation}_{_name(endpoint).replace('.', '_')}",
            "tags": [endpoint.collection.partition("/")[0]],
            "summary": _summary(endpoint),
            "parameters": list(self._parameters(endpoint)),
            "responses": {
                success: answer,
                **{str(status): reference("responses", f"error-{status}") for status in self._statuses(endpoint)},
            },
        }
        if endpoint.operation in _BODIES:
            told["requestBody"] = {
                "required": True,
                "description": open_point("bodies", self._variants),
                "content": {
                    "application/json": {"schema": reference("schemas", f"{_name(endpoint)}.{endpoint.operation}")}
                },
            }
        return told

    def _parameters(self, endpoint: Endpoint) -> Iterator[Part]:
        resource = self._resource(endpoint)
        ids = [self._resources[LOTS]] if len(endpoint.names) > 1 or "{id}" in endpoint.collection else []
        for name, named in zip(endpoint.names, [*ids, resource], strict=False):
            yield _parameter(name, "path", id_schema(named), open_point("ids", self._variants), required=True)
        match endpoint.operation:
            case EndpointOperation.LIST:
                yield from self._list_parameters(resource)
            case EndpointOperation.VERIFY:
                yield _parameter("tunnelId", "query", self._tunnel, "The id of a tunnel.", required=True)
        if endpoint.operation in _WRITES and self._replays:
            schema = {**_TEXT, "minLength": 1, "maxLength": MAX_KEY_LENGTH}
            yield _parameter("Idempotency-Key", "header", schema, open_point("idempotency", self._variants))
        if endpoint.operation in _WRITES and endpoint.operation in _ON_RECORD and self._conditional:
            yield _parameter("If-Match", "header", _TEXT, open_point("if-match", self._variants))

    def _list_parameters(self, resource: Resource) -> Iterator[Part]:
        page: Part = {"type": "integer", "minimum": 1, "maximum": MAX_COUNT, "default": 1}
        cap = int(self._variants["page-cap"])
        most = cap if self._variants["over-cap"] == "refused" else MAX_COUNT
        said = " ".join(open_point(point, self._variants) for point in ("page-cap", "over-cap"))
        yield _parameter("page", "query", page, "The page number, from 1.")
        limit: Part = {**page, "maximum": most, "default": min(DEFAULT_LIMIT, cap)}
        yield _parameter("limit", "query", limit, f"The number of records per page. {said}")
        if self._variants["filters"] == "fields":
            for name in resource.rules:
                if name not in ("page", "limit"):
                    said = f"Only records whose `{name}` equals this value, as text."
                    yield _parameter(name, "query", _TEXT, said)

    def _success(self, endpoint: Endpoint) -> tuple[str, Part]:
        name = _name(endpoint)
        match endpoint.operation:
            case EndpointOperation.LIST:
                return "200", _answer("A page of records.", reference("schemas", f"{name}.page"))
            case EndpointOperation.GET:
                return "200", _answer("The record.", reference("schemas", name), self._tag)
            case EndpointOperation.CREATE:
                headers = self._tag | _LOCATION | self._replayed
                return "201", _answer(
                    "The new record.", reference("schemas", name), headers, self._links(endpoint, "$response.body#/id")
                )
            case EndpointOperation.UPDATE:
                headers = self._tag | self._replayed
                return "200", _answer("The updated record.", reference("schemas", name), headers)
            case EndpointOperation.REMOVE:
                schema = removed_schema(name, self._resource(endpoint), self._variants)
                answer = _answer(open_point("removed", self._variants), schema, self._replayed)
                return "204" if schema is None else "200", answer
            case EndpointOperation.SPLIT:
                headers = self._replayed
                return "201", _answer("The lot and its parts.", reference("schemas", f"{name}.parts"), headers)
            case EndpointOperation.VERIFY:
                return "200", _answer("The result of the verification.", verification_schema(self._tunnel))

    def _links(self, endpoint: Endpoint, record_id: str) -> dict[str, Part]:
        """What can be done with a new record."""
        links: dict[str, Part] = {}
        for other in ENDPOINTS:
            if other.collection == endpoint.collection and other.operation in _ON_RECORD:
                *above, own = other.names
                parameters = {name: f"$request.path.{name}" for name in above} | {own: record_id}
                links[str(other.operation)] = {
                    "operationId": f"{other.operation}_{_name(other).replace('.', '_')}",
                    "parameters": parameters,
                }
        return links

    def _statuses(self, endpoint: Endpoint) -> list[int]:
        """The statuses of the refusals that an operation can give."""
        operation = endpoint.operation
        body, write = operation in _BODIES, operation in _WRITES
        given = {
            400: body or operation in (EndpointOperation.LIST, EndpointOperation.VERIFY) or (write and self._replays),
            401: True,
            403: True,
            404: "{" in endpoint.path or operation is EndpointOperation.VERIFY,
            409: operation is EndpointOperation.SPLIT or (write and self._replays),
            412: write and operation in _ON_RECORD and self._conditional,
            413: True,
            415: body and self._variants["bodies"] == "json",
            422: body,
            429: True,
            500: True,
            503: True,
        }
        return [status for status, can_be in given.items() if can_be]

    def _refusal(self, status: int) -> Part:
        codes = {name: code for name, code in ERROR_CODES.items() if code.status == status}
        words = [
            f"`{name}`: {code.condition}" + ("" if code.documented else " (not in the API document)")
            for name, code in codes.items()
        ]
        headers = {401: _CHALLENGE, 405: _ALLOW, 429: _RETRY_AFTER, 500: _RETRY_AFTER, 503: _RETRY_AFTER}.get(
            status, {}
        )
        shape = self._variants["errors"]
        schema = None if shape == "empty" else error_schema(shape, codes)
        media_type = "application/problem+json" if shape == "problem" else "application/json"
        said = f"{'; '.join(words)}. {open_point('errors', self._variants)}"
        return _answer(said, schema, headers, media_type=media_type)

    def _resource(self, endpoint: Endpoint) -> Resource:
        """The collection of an endpoint; of attachments, those of some lot."""
        return self._resources[endpoint.collection.replace("{id}", self._resources[LOTS].id_at(0))]

    @property
    def _tunnel(self) -> Part:
        return id_schema(self._resources[TUNNELS_KEY])

    @property
    def _tag(self) -> Part:
        return _ETAG if self._conditional else {}

    @property
    def _replayed(self) -> Part:
        return _REPLAYED if self._replays else {}


def _name(endpoint: Endpoint) -> str:
    """What the schema of an endpoint's records is called."""
    return endpoint.collection.replace("/{id}", "").replace("/", ".")


def _summary(endpoint: Endpoint) -> str:
    match endpoint.operation:
        case EndpointOperation.SPLIT:
            return SPLIT.name
        case EndpointOperation.VERIFY:
            return VERIFY.name
        case operation:
            return f"{_TITLES[operation]} · {endpoint.collection.rpartition('/')[2]}"


def _parameter(name: str, place: str, schema: Part, description: str, *, required: bool = False) -> Part:
    return {"name": name, "in": place, "required": required, "description": description, "schema": schema}


def _answer(
    description: str,
    schema: Part | None,
    headers: Mapping[str, Part] = {},
    links: Mapping[str, Part] = {},
    *,
    media_type: str = "application/json",
) -> Part:
    return {
        "description": description,
        "headers": {**_REQUEST_ID, **headers},
        **({} if schema is None else {"content": {media_type: {"schema": schema}}}),
        **({"links": dict(links)} if links else {}),
    }
