"""Routes out of an OpenAPI 3 document: its operations, each with a template of its JSON body.

Source: the OpenAPI Specification, 3.0.3 and 3.1.0. References within the document are followed; nothing is fetched.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from svc_tui.domain.http.headers import carries_identity
from svc_tui.domain.model.catalog import COLLECTIONS, Collection, Route
from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.domain.route_import.imported_routes import (
    MAX_PATH_LENGTH,
    NO_ROUTE_HEADERS,
    OTHER_HOST,
    PROFILE_IDENTIFIES,
    BlankNames,
    BodyTemplate,
    ImportResult,
    RawText,
    RouteCollector,
    as_list,
    as_mapping,
    hosts_of,
    plain_line,
    split_gateway_prefix,
    template_text,
    text,
)

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace", "query")
_MAX_DEPTH = 12
"""Objects and lists inside each other in a template."""
_MAX_SCHEMA_PARTS = 1_000
"""Parts of schemas that are looked at for one template."""
_MAX_DEFAULT_LENGTH = 200
"""Characters that a variable of a server's address may stand for."""
_MAX_REFERENCES = 50
"""References that lead from one to the next."""
_PATH_BLANK = re.compile(r"\{([^{}/]*)\}")
_SERVER_BLANK = re.compile(r"\{([^{}]*)\}")
_JSON_TYPE = re.compile(r"application/(?:[\w.+-]*\+)?json(?:\s*;.*)?|\*/\*|application/\*", re.IGNORECASE)


class _UnusablePart(Exception):
    """A part of the document that can't be used, and why."""


def is_openapi(document: Mapping[str, Json]) -> bool:
    """Whether the document is one of OpenAPI 3."""
    return re.match(r"3\.[0-9]", text(document.get("openapi"))) is not None


def routes_of(
    document: Mapping[str, Json],
    base_urls: Sequence[str] = (),
    collections: Sequence[Collection] = COLLECTIONS,
) -> ImportResult:
    """The routes of the document's operations; `base_urls` are where the profile's requests go.

    Paths count from `/v1` on. Blanks stand for the parameters of the path, for those of the query that are required,
    and for the fields of the body that nothing is told of; an example or a default stands as it is.
    """
    collector = RouteCollector(collections)
    _DocumentReader(document, base_urls, collector).read()
    version = text(document.get("openapi"))[:3]
    title = plain_line(text(as_mapping(document.get("info")).get("title")))
    return ImportResult(f"OpenAPI {version}", title, tuple(collector.routes), collector.omissions)


class _DocumentReader:
    def __init__(self, document: Mapping[str, Json], base_urls: Sequence[str], collector: RouteCollector) -> None:
        self._document, self._collector = document, collector
        self._hosts = hosts_of(base_urls)

    def read(self) -> None:
        document, omit = self._document, self._collector.omit
        servers = [_parse_server(server) for server in as_list(document.get("servers"))]
        own = {host for host, _ in servers if host}
        if self._hosts and own and not own & self._hosts:
            omit(f"the host {min(own)}", "requests go to the base URL of the profile")
        self._hosts |= own
        if document.get("security") or as_mapping(document.get("components")).get("securitySchemes"):
            omit("security", PROFILE_IDENTIFIES)
        for name in as_mapping(document.get("webhooks")):
            omit(f"the webhook {name}", "the service calls it, not svc-tui")
        prefix = servers[0][1] if servers else ""
        for path, item in as_mapping(document.get("paths")).items():
            if not path.startswith("x-"):
                self._path(path, item, prefix)

    def _path(self, path: str, value: Json, prefix: str) -> None:
        try:
            item = as_mapping(self._resolved(value))
        except _UnusablePart as problem:
            self._collector.omit(path, str(problem))
            return
        for method in _METHODS:
            if isinstance(item.get(method), Mapping):
                self._operation(method.upper(), path, item, as_mapping(item[method]), prefix)

    def _operation(
        self, method: str, path: str, item: Mapping[str, Json], operation: Mapping[str, Json], prefix: str
    ) -> None:
        what, omit = f"{method} {path}", self._collector.omit
        if servers := as_list(operation.get("servers")) or as_list(item.get("servers")):
            host, prefix = _parse_server(servers[0])
            if host and host not in self._hosts:
                omit(what, OTHER_HOST)
                return
        if operation.get("callbacks"):
            omit(f"the callbacks of {what}", "the service calls them, not svc-tui")
        if (header := self._other_key(operation)) is not None:
            omit(what, f"it needs {header}; a profile only has the key of the service")
            return
        blanks = BlankNames()
        try:
            parameters = self._parameters(item, operation)
        except _UnusablePart as problem:
            omit(what, str(problem))
            return
        written_path, _, query_text = path.partition("#")[0].partition("?")
        route_path = _PATH_BLANK.sub(lambda match: blanks.blank("path", match[1]), written_path)
        route_path, gateway = split_gateway_prefix(prefix, route_path)
        if gateway:
            omit(f"the path {gateway} of the server", "the part before /v1 belongs to the base URL of the profile")
        query = [(unquote(name), unquote(value)) for name, _, value in _query_pairs(query_text)]
        query += self._query(parameters, blanks)
        name = text(operation.get("summary")) or text(operation.get("operationId"))
        body = self._body(what, operation, blanks)
        tags = [text(tag) for tag in as_list(operation.get("tags"))]
        self._collector.add(Route(name, method, route_path, tuple(query), body), tags[0] if tags else "")

    def _other_key(self, operation: Mapping[str, Json]) -> str | None:
        """The key that an operation asks for where the others ask for another; None for one that a profile may have."""
        usual = {name for one in as_list(self._document.get("security")) for name in as_mapping(one)}
        schemes = as_mapping(as_mapping(self._document.get("components")).get("securitySchemes"))
        asked: list[str] = []
        for one in as_list(operation.get("security")):
            others = [as_mapping(schemes.get(name)) for name in as_mapping(one) if usual and name not in usual]
            keys = [plain_line(text(scheme.get("name"))) for scheme in others if scheme.get("type") == "apiKey"]
            if not keys:
                return None
            asked += keys
        return asked[0] if asked else None

    def _parameters(self, item: Mapping[str, Json], operation: Mapping[str, Json]) -> list[Mapping[str, Json]]:
        """The parameters that a route can have; those of the operation go before those of its path."""
        parameters: dict[tuple[str, str], Mapping[str, Json]] = {}
        for value in (*as_list(item.get("parameters")), *as_list(operation.get("parameters"))):
            parameter = as_mapping(self._resolved(value))
            parameters[text(parameter.get("in")), text(parameter.get("name"))] = parameter
        for (place, name), parameter in parameters.items():
            if place == "header":
                self._collector.omit(
                    f"the header {name}", PROFILE_IDENTIFIES if carries_identity(name) else NO_ROUTE_HEADERS
                )
            elif place == "cookie":
                self._collector.omit(f"the cookie {name}", PROFILE_IDENTIFIES)
            elif place == "path" and parameter.get("style", "simple") != "simple":
                raise _UnusablePart(f"its parameter {plain_line(name)} uses a style that is not supported")
            elif place == "query" and not parameter.get("required"):
                self._collector.omit(f"the parameter {name}", "it is optional; add it in the console")
        return list(parameters.values())

    def _query(self, parameters: Iterable[Mapping[str, Json]], blanks: BlankNames) -> Iterator[tuple[str, str]]:
        for parameter in parameters:
            name = text(parameter.get("name"))
            if parameter.get("in") == "query" and parameter.get("required") and name:
                yield name, blanks.blank("query", name)

    def _body(self, what: str, operation: Mapping[str, Json], blanks: BlankNames) -> str:
        try:
            body = as_mapping(self._resolved(operation.get("requestBody")))
            content = as_mapping(body.get("content"))
            kind = next((kind for kind in content if _JSON_TYPE.fullmatch(kind.strip())), None)
            if kind is None:
                if content:
                    raise _UnusablePart(f"it is {plain_line(next(iter(content)))}; routes send JSON")
                return ""
            return template_text(self._body_template(as_mapping(content[kind]), blanks, what))
        except _UnusablePart as problem:
            self._collector.omit(f"the body of {what}", str(problem))
            return ""

    def _body_template(self, media: Mapping[str, Json], blanks: BlankNames, what: str) -> BodyTemplate:
        if "example" in media:
            return media["example"]
        for example in as_mapping(media.get("examples")).values():
            resolved = as_mapping(self._resolved(example))
            if "value" in resolved:
                return resolved["value"]
        schemas = _TemplateBuilder(
            self._resolved, blanks, lambda name: self._collector.omit(f"{name} in {what}", _CYCLE_REASON)
        )
        return schemas.template(media.get("schema", {}), ("body",), ())

    def _resolved(self, value: Json) -> Json:
        """The value, or what it refers to within the document; raises _UnusablePart."""
        followed: set[str] = set()
        while isinstance(value, Mapping) and isinstance(reference := value.get("$ref"), str):
            if reference in followed or len(followed) >= _MAX_REFERENCES:
                raise _UnusablePart(f"{plain_line(reference)} refers to itself")
            followed.add(reference)
            target = self._resolve(reference)
            beside = {name: item for name, item in value.items() if name != "$ref"}
            value = {**target, **beside} if beside and isinstance(target, Mapping) else target
        return value

    def _resolve(self, reference: str) -> Json:
        if not reference.startswith("#"):
            raise _UnusablePart(f"it refers to {plain_line(reference)}, which is outside this document")
        value: Json = self._document
        for step in reference.removeprefix("#").split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and name in value:
                value = value[name]
            elif re.fullmatch("[0-9]{1,9}", name) and int(name) < len(as_list(value)):
                value = as_list(value)[int(name)]
            else:
                raise _UnusablePart(f"{plain_line(reference)} is not in the document")
        return value


_CYCLE_REASON = "it refers to itself; enter it as JSON"


class _TemplateBuilder:
    """Makes the template of one body out of its schema."""

    def __init__(self, resolved: Callable[[Json], Json], blanks: BlankNames, cycle: Callable[[str], None]) -> None:
        self._resolved, self._blanks, self._cycle = resolved, blanks, cycle
        self._parts = 0

    def template(self, value: Json, path: tuple[str, ...], references: tuple[str, ...]) -> BodyTemplate:
        """The template of a schema at `path`; `around` are the references that led to it."""
        self._parts += 1
        if self._parts > _MAX_SCHEMA_PARTS:
            raise _UnusablePart("its schema is too large for a template")
        reference = text(as_mapping(value).get("$ref"))
        if reference in references or len(path) > _MAX_DEPTH:
            self._cycle(plain_line(reference or path[-1]))
            return RawText(self._blank(path))
        references = (*references, reference) if reference else references
        schema = self._merged(as_mapping(self._resolved(value)), references, 0)
        given_value = _given_value(schema)
        if given_value is not None:
            return given_value[0]
        kind = _schema_type(schema)
        if kind == "object":
            return self._object(schema, path, references)
        if kind == "array":
            return [self.template(schema["items"], (*path, "item"), references)] if "items" in schema else []
        if kind == "string":
            return RawText(f'"{self._blank(path)}"')
        return None if kind == "null" else RawText(self._blank(path))

    def _object(self, schema: Mapping[str, Json], path: tuple[str, ...], references: tuple[str, ...]) -> BodyTemplate:
        """The fields that are required, or all of them where none is."""
        required = {text(name) for name in as_list(schema.get("required"))}
        fields = as_mapping(schema.get("properties"))
        wanted = [name for name in fields if name in required] or list(fields)
        templates: dict[str, BodyTemplate] = {}
        for name in wanted:
            if as_mapping(fields[name]).get("readOnly") is not True:
                templates[name] = self.template(fields[name], (*path, name), references)
        return templates

    def _merged(self, schema: Mapping[str, Json], references: tuple[str, ...], depth: int) -> Mapping[str, Json]:
        """The schema with those of its `allOf`, and with the first of its `oneOf` or `anyOf`."""
        parts = list(as_list(schema.get("allOf")))
        for choice in ("oneOf", "anyOf"):
            parts += as_list(schema.get(choice))[:1]
        if not parts:
            return schema
        merged: dict[str, Json] = {}
        fields: dict[str, Json] = {}
        required: list[Json] = []
        for part in (*parts, {n: v for n, v in schema.items() if n not in ("allOf", "oneOf", "anyOf")}):
            self._parts += 1
            if depth > _MAX_DEPTH or self._parts > _MAX_SCHEMA_PARTS:
                raise _UnusablePart("its schema is combined from too many parts")
            if text(as_mapping(part).get("$ref")) in references:
                self._cycle(plain_line(text(as_mapping(part).get("$ref"))))
                continue
            resolved = self._merged(as_mapping(self._resolved(part)), references, depth + 1)
            fields |= as_mapping(resolved.get("properties"))
            required += as_list(resolved.get("required"))
            merged |= resolved
        return {**merged, "properties": fields, "required": required} if fields else merged

    def _blank(self, path: tuple[str, ...]) -> str:
        return self._blanks.blank(*path)


def _given_value(schema: Mapping[str, Json]) -> tuple[BodyTemplate] | None:
    """The value that the schema itself gives, in a tuple since it may be null; None: it gives none."""
    for name in ("const", "example"):
        if name in schema:
            return (schema[name],)
    for name in ("examples", "enum"):
        values = as_list(schema.get(name))
        if values and (name == "examples" or len(values) == 1):
            return (values[0],)
    return (schema["default"],) if "default" in schema else None


def _schema_type(schema: Mapping[str, Json]) -> str:
    kind = schema.get("type")
    kinds = [text(kind)] if isinstance(kind, str) else [text(one) for one in as_list(kind)]
    if kind := next((one for one in kinds if one != "null"), "null" if kinds else ""):
        return kind
    if "properties" in schema:
        return "object"
    values = as_list(schema.get("enum"))
    return "string" if values and all(isinstance(value, str) for value in values) else ""


def _parse_server(value: Json) -> tuple[str, str]:
    """Host, "" for none of its own, and path of a server, its variables at their defaults."""
    server = as_mapping(value)
    variables = as_mapping(server.get("variables"))

    def default(match: re.Match[str]) -> str:
        default_value = as_mapping(variables.get(match[1])).get("default")
        return (default_value.text if isinstance(default_value, Number) else text(default_value) or match[0])[
            :_MAX_DEFAULT_LENGTH
        ]

    url = _SERVER_BLANK.sub(default, text(server.get("url"))[:MAX_PATH_LENGTH])
    try:
        path = urlsplit(url).path
    except ValueError:
        return "", ""
    host = next(iter(hosts_of([url])), "")
    return "" if "{" in host else host, path.rstrip("/")


def _query_pairs(query: str) -> Iterator[tuple[str, str, str]]:
    return (pair.partition("=") for pair in query.split("&") if pair)
