"""Routes of an OpenAPI 3 document: its operations, each with a template of its JSON body.

Source: the OpenAPI Specification, 3.0.3 and 3.1.0. References within the document are followed; nothing is fetched.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from svc_tui.console.imported_routes import (
    MAX_PATH_LENGTH,
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
    query_pairs,
    scalar_text,
    split_gateway_prefix,
    template_text,
    text,
)
from svc_tui.core.catalog import Collection, Route
from svc_tui.core.jsontext import Json

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace", "query")
_MAX_DEPTH = 12
"""Limit of nested objects and lists in a template."""
_MAX_SCHEMA_PARTS = 1_000
"""Limit of schema parts that are read for one template."""
_MAX_DEFAULT_LENGTH = 200
"""Limit of the value of a variable in a server's URL, in characters."""
_MAX_REFERENCES = 50
"""Limit of references in a row."""
_PATH_BLANK = re.compile(r"\{([^{}/]*)\}")
_SERVER_BLANK = re.compile(r"\{([^{}]*)\}")
_JSON_TYPE = re.compile(r"application/(?:[\w.+-]*\+)?json(?:\s*;.*)?|\*/\*|application/\*", re.IGNORECASE)


class _UnusablePart(Exception):
    """A part of the document that can't be imported; the message says why."""


def is_openapi(document: Mapping[str, Json]) -> bool:
    """Return whether the document is an OpenAPI 3 document."""
    return re.match(r"3\.[0-9]", text(document.get("openapi"))) is not None


def routes_of(
    document: Mapping[str, Json], base_urls: Sequence[str], collections: Sequence[Collection]
) -> ImportResult:
    """Return the routes of the document's operations; `base_urls` are those of the profile.

    Paths begin at `/v1`. Parameters of the path, required ones of the query and fields of the body become placeholders;
    examples and defaults become values.
    """
    collector = RouteCollector(collections)
    _DocumentReader(document, base_urls, collector).read()
    version = text(document.get("openapi"))[:3]
    return collector.result(f"OpenAPI {version}", as_mapping(document.get("info")).get("title"))


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
        query = [*query_pairs(query_text), *_required_query(parameters, blanks)]
        name = text(operation.get("summary")) or text(operation.get("operationId"))
        body = self._body(what, operation, blanks)
        tags = [text(tag) for tag in as_list(operation.get("tags"))]
        self._collector.add(Route(name, method, route_path, tuple(query), body), tags[0] if tags else "")

    def _other_key(self, operation: Mapping[str, Json]) -> str | None:
        """Return the API key that only this operation needs, if there is one; a profile does not have it."""
        usual = {name for item in as_list(self._document.get("security")) for name in as_mapping(item)}
        schemes = as_mapping(as_mapping(self._document.get("components")).get("securitySchemes"))
        asked: list[str] = []
        for item in as_list(operation.get("security")):
            others = [as_mapping(schemes.get(name)) for name in as_mapping(item) if usual and name not in usual]
            keys = [plain_line(text(scheme.get("name"))) for scheme in others if scheme.get("type") == "apiKey"]
            if not keys:
                return None
            asked += keys
        return asked[0] if asked else None

    def _parameters(self, item: Mapping[str, Json], operation: Mapping[str, Json]) -> list[Mapping[str, Json]]:
        """Return the parameters, those of the operation in place of those of its path, and report what is left out."""
        parameters: dict[tuple[str, str], Mapping[str, Json]] = {}
        for value in (*as_list(item.get("parameters")), *as_list(operation.get("parameters"))):
            parameter = as_mapping(self._resolved(value))
            parameters[text(parameter.get("in")), text(parameter.get("name"))] = parameter
        for (place, name), parameter in parameters.items():
            if place == "header":
                self._collector.omit_header(name)
            elif place == "cookie":
                self._collector.omit(f"the cookie {name}", PROFILE_IDENTIFIES)
            elif place == "path" and parameter.get("style", "simple") != "simple":
                raise _UnusablePart(f"its parameter {plain_line(name)} uses a style that is not supported")
            elif place == "query" and not parameter.get("required"):
                self._collector.omit(f"the parameter {name}", "it is optional; add it in the console")
        return list(parameters.values())

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
            self._resolved,
            blanks,
            lambda name: self._collector.omit(f"{name} in {what}", "it refers to itself; enter it as JSON"),
        )
        return schemas.template(media.get("schema", {}), ("body",), ())

    def _resolved(self, value: Json) -> Json:
        """Return the value, or the part of the document that it refers to. Raises _UnusablePart."""
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


class _TemplateBuilder:
    """Builds the template of a body from its schema; `report_cycle` is called with what refers to itself."""

    def __init__(
        self, resolved: Callable[[Json], Json], blanks: BlankNames, report_cycle: Callable[[str], None]
    ) -> None:
        self._resolved, self._blanks, self._report_cycle = resolved, blanks, report_cycle
        self._parts = 0

    def template(self, value: Json, path: tuple[str, ...], references: tuple[str, ...]) -> BodyTemplate:
        """Return the template of the schema at `path`; `references` are those that led to it."""
        self._parts += 1
        if self._parts > _MAX_SCHEMA_PARTS:
            raise _UnusablePart("its schema is too large for a template")
        reference = text(as_mapping(value).get("$ref"))
        if reference in references or len(path) > _MAX_DEPTH:
            self._report_cycle(plain_line(reference or path[-1]))
            return RawText(self._blanks.blank(*path))
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
            return RawText(f'"{self._blanks.blank(*path)}"')
        return None if kind == "null" else RawText(self._blanks.blank(*path))

    def _object(self, schema: Mapping[str, Json], path: tuple[str, ...], references: tuple[str, ...]) -> BodyTemplate:
        """Return a template with the required fields, or with all if none is required."""
        required = {text(name) for name in as_list(schema.get("required"))}
        fields = as_mapping(schema.get("properties"))
        names = [name for name in fields if name in required] or list(fields)
        return {
            name: self.template(fields[name], (*path, name), references)
            for name in names
            if as_mapping(fields[name]).get("readOnly") is not True
        }

    def _merged(self, schema: Mapping[str, Json], references: tuple[str, ...], depth: int) -> Mapping[str, Json]:
        """Return the schema merged with all of its `allOf` and the first of its `oneOf` and `anyOf`."""
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
                self._report_cycle(plain_line(text(as_mapping(part).get("$ref"))))
                continue
            resolved = self._merged(as_mapping(self._resolved(part)), references, depth + 1)
            fields |= as_mapping(resolved.get("properties"))
            required += as_list(resolved.get("required"))
            merged |= resolved
        return {**merged, "properties": fields, "required": required} if fields else merged


def _given_value(schema: Mapping[str, Json]) -> tuple[BodyTemplate] | None:
    """Return the value that the schema contains, in a tuple because it may be null."""
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
    kinds = [text(kind)] if isinstance(kind, str) else list(map(text, as_list(kind)))
    if kind := next((name for name in kinds if name != "null"), "null" if kinds else ""):
        return kind
    if "properties" in schema:
        return "object"
    values = as_list(schema.get("enum"))
    return "string" if values and all(isinstance(value, str) for value in values) else ""


def _required_query(parameters: Iterable[Mapping[str, Json]], blanks: BlankNames) -> Iterator[tuple[str, str]]:
    for parameter in parameters:
        name = text(parameter.get("name"))
        if parameter.get("in") == "query" and parameter.get("required") and name:
            yield name, blanks.blank("query", name)


def _parse_server(value: Json) -> tuple[str, str]:
    """Return host, or "", and path of a server, with the defaults of its variables."""
    server = as_mapping(value)
    variables = as_mapping(server.get("variables"))

    def default(match: re.Match[str]) -> str:
        value = as_mapping(variables.get(match[1])).get("default")
        return (scalar_text(value) or match[0])[:_MAX_DEFAULT_LENGTH]

    url = _SERVER_BLANK.sub(default, text(server.get("url"))[:MAX_PATH_LENGTH])
    try:
        path = urlsplit(url).path
    except ValueError:
        return "", ""
    host = next(iter(hosts_of([url])), "")
    return "" if "{" in host else host, path.rstrip("/")
