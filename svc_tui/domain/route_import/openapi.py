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
    HEADERS_STAY,
    LONGEST_PATH,
    OTHER_HOST,
    PROFILE_IDENTIFIES,
    Blanks,
    Gathering,
    Imported,
    Raw,
    Template,
    below_version,
    hosts_of,
    items,
    mapping,
    plain_line,
    text,
    written,
)

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace", "query")
_DEEPEST = 12
"""Objects and lists inside each other in a template."""
_MOST_PARTS = 1_000
"""Parts of schemas that are looked at for one template."""
_LONGEST_DEFAULT = 200
"""Characters that a variable of a server's address may stand for."""
_MOST_STEPS = 50
"""References that lead from one to the next."""
_PATH_BLANK = re.compile(r"\{([^{}/]*)\}")
_SERVER_BLANK = re.compile(r"\{([^{}]*)\}")
_JSON_TYPE = re.compile(r"application/(?:[\w.+-]*\+)?json(?:\s*;.*)?|\*/\*|application/\*", re.IGNORECASE)


class _Unusable(Exception):
    """A part of the document that can't be used, and why."""


def is_openapi(document: Mapping[str, Json]) -> bool:
    """Whether the document is one of OpenAPI 3."""
    return re.match(r"3\.[0-9]", text(document.get("openapi"))) is not None


def routes_of(
    document: Mapping[str, Json],
    base_urls: Sequence[str] = (),
    collections: Sequence[Collection] = COLLECTIONS,
) -> Imported:
    """The routes of the document's operations; `base_urls` are where the profile's requests go.

    Paths count from `/v1` on. Blanks stand for the parameters of the path, for those of the query that are required,
    and for the fields of the body that nothing is told of; an example or a default stands as it is.
    """
    gathering = Gathering(collections)
    _Document(document, base_urls, gathering).read()
    version = text(document.get("openapi"))[:3]
    title = plain_line(text(mapping(document.get("info")).get("title")))
    return Imported(f"OpenAPI {version}", title, tuple(gathering.routes), gathering.left_out)


class _Document:
    def __init__(self, document: Mapping[str, Json], base_urls: Sequence[str], gathering: Gathering) -> None:
        self._document, self._gathering = document, gathering
        self._hosts = hosts_of(base_urls)

    def read(self) -> None:
        document, leave = self._document, self._gathering.leave
        servers = [_server(server) for server in items(document.get("servers"))]
        own = {host for host, _ in servers if host}
        if self._hosts and own and not own & self._hosts:
            leave(f"the host {min(own)}", "requests go to the profile's base URL")
        self._hosts |= own
        if document.get("security") or mapping(document.get("components")).get("securitySchemes"):
            leave("security", PROFILE_IDENTIFIES)
        for name in mapping(document.get("webhooks")):
            leave(f"the webhook {name}", "the service would call it, not this program")
        prefix = servers[0][1] if servers else ""
        for path, item in mapping(document.get("paths")).items():
            if not path.startswith("x-"):
                self._path(path, item, prefix)

    def _path(self, path: str, value: Json, prefix: str) -> None:
        try:
            item = mapping(self._resolved(value))
        except _Unusable as problem:
            self._gathering.leave(path, str(problem))
            return
        for method in _METHODS:
            if isinstance(item.get(method), Mapping):
                self._operation(method.upper(), path, item, mapping(item[method]), prefix)

    def _operation(
        self, method: str, path: str, item: Mapping[str, Json], operation: Mapping[str, Json], prefix: str
    ) -> None:
        what, leave = f"{method} {path}", self._gathering.leave
        if servers := items(operation.get("servers")) or items(item.get("servers")):
            host, prefix = _server(servers[0])
            if host and host not in self._hosts:
                leave(what, OTHER_HOST)
                return
        if operation.get("callbacks"):
            leave(f"the callbacks of {what}", "the service would call them, not this program")
        blanks = Blanks()
        try:
            parameters = self._parameters(item, operation)
        except _Unusable as problem:
            leave(what, str(problem))
            return
        written_path, _, asked = path.partition("#")[0].partition("?")
        route_path = _PATH_BLANK.sub(lambda found: blanks.blank("path", found[1]), written_path)
        route_path, gateway = below_version(prefix, route_path)
        if gateway:
            leave(f"the path {gateway} of the server", "what stands before /v1 belongs to the profile's base URL")
        query = [(unquote(name), unquote(value)) for name, _, value in _pairs(asked)]
        query += self._query(parameters, blanks)
        name = text(operation.get("summary")) or text(operation.get("operationId"))
        body = self._body(what, operation, blanks)
        tags = [text(tag) for tag in items(operation.get("tags"))]
        self._gathering.add(Route(name, method, route_path, tuple(query), body), tags[0] if tags else "")

    def _parameters(self, item: Mapping[str, Json], operation: Mapping[str, Json]) -> list[Mapping[str, Json]]:
        """The parameters that a route can have; those of the operation go before those of its path."""
        found: dict[tuple[str, str], Mapping[str, Json]] = {}
        for value in (*items(item.get("parameters")), *items(operation.get("parameters"))):
            parameter = mapping(self._resolved(value))
            found[text(parameter.get("in")), text(parameter.get("name"))] = parameter
        for (place, name), parameter in found.items():
            if place == "header":
                self._gathering.leave(
                    f"the header {name}", PROFILE_IDENTIFIES if carries_identity(name) else HEADERS_STAY
                )
            elif place == "cookie":
                self._gathering.leave(f"the cookie {name}", PROFILE_IDENTIFIES)
            elif place == "path" and parameter.get("style", "simple") != "simple":
                raise _Unusable(f"its parameter {plain_line(name)} is written in a style of its own")
            elif place == "query" and not parameter.get("required"):
                self._gathering.leave(f"the parameter {name}", "it is optional; give it in the console")
        return list(found.values())

    def _query(self, parameters: Iterable[Mapping[str, Json]], blanks: Blanks) -> Iterator[tuple[str, str]]:
        for parameter in parameters:
            name = text(parameter.get("name"))
            if parameter.get("in") == "query" and parameter.get("required") and name:
                yield name, blanks.blank("query", name)

    def _body(self, what: str, operation: Mapping[str, Json], blanks: Blanks) -> str:
        try:
            body = mapping(self._resolved(operation.get("requestBody")))
            content = mapping(body.get("content"))
            kind = next((kind for kind in content if _JSON_TYPE.fullmatch(kind.strip())), None)
            if kind is None:
                if content:
                    raise _Unusable(f"it is {plain_line(next(iter(content)))}, and routes send JSON")
                return ""
            return written(self._body_template(mapping(content[kind]), blanks, what))
        except _Unusable as problem:
            self._gathering.leave(f"the body of {what}", str(problem))
            return ""

    def _body_template(self, media: Mapping[str, Json], blanks: Blanks, what: str) -> Template:
        if "example" in media:
            return media["example"]
        for example in mapping(media.get("examples")).values():
            resolved = mapping(self._resolved(example))
            if "value" in resolved:
                return resolved["value"]
        schemas = _Schemas(self._resolved, blanks, lambda name: self._gathering.leave(f"{name} in {what}", _CYCLE))
        return schemas.template(media.get("schema", {}), ("body",), ())

    def _resolved(self, value: Json) -> Json:
        """The value, or what it refers to within the document; raises _Unusable."""
        seen: set[str] = set()
        while isinstance(value, Mapping) and isinstance(reference := value.get("$ref"), str):
            if reference in seen or len(seen) >= _MOST_STEPS:
                raise _Unusable(f"{plain_line(reference)} refers to itself")
            seen.add(reference)
            found = self._found(reference)
            beside = {name: item for name, item in value.items() if name != "$ref"}
            value = {**found, **beside} if beside and isinstance(found, Mapping) else found
        return value

    def _found(self, reference: str) -> Json:
        if not reference.startswith("#"):
            raise _Unusable(f"it refers to {plain_line(reference)}, which is outside this document")
        value: Json = self._document
        for step in reference.removeprefix("#").split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and name in value:
                value = value[name]
            elif re.fullmatch("[0-9]{1,9}", name) and int(name) < len(items(value)):
                value = items(value)[int(name)]
            else:
                raise _Unusable(f"{plain_line(reference)} is not in the document")
        return value


_CYCLE = "it refers to itself, so it is asked for as JSON"


class _Schemas:
    """Makes the template of one body out of its schema."""

    def __init__(self, resolved: Callable[[Json], Json], blanks: Blanks, cycle: Callable[[str], None]) -> None:
        self._resolved, self._blanks, self._cycle = resolved, blanks, cycle
        self._parts = 0

    def template(self, value: Json, path: tuple[str, ...], around: tuple[str, ...]) -> Template:
        """The template of a schema at `path`; `around` are the references that led to it."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise _Unusable("its schema has too many parts for a template")
        reference = text(mapping(value).get("$ref"))
        if reference in around or len(path) > _DEEPEST:
            self._cycle(plain_line(reference or path[-1]))
            return Raw(self._blank(path))
        around = (*around, reference) if reference else around
        schema = self._merged(mapping(self._resolved(value)), around, 0)
        told = _told(schema)
        if told is not None:
            return told[0]
        kind = _type_of(schema)
        if kind == "object":
            return self._object(schema, path, around)
        if kind == "array":
            return [self.template(schema["items"], (*path, "item"), around)] if "items" in schema else []
        if kind == "string":
            return Raw(f'"{self._blank(path)}"')
        return None if kind == "null" else Raw(self._blank(path))

    def _object(self, schema: Mapping[str, Json], path: tuple[str, ...], around: tuple[str, ...]) -> Template:
        """The fields that are required, or all of them where none is."""
        required = {text(name) for name in items(schema.get("required"))}
        fields = mapping(schema.get("properties"))
        wanted = [name for name in fields if name in required] or list(fields)
        made: dict[str, Template] = {}
        for name in wanted:
            if mapping(fields[name]).get("readOnly") is not True:
                made[name] = self.template(fields[name], (*path, name), around)
        return made

    def _merged(self, schema: Mapping[str, Json], around: tuple[str, ...], depth: int) -> Mapping[str, Json]:
        """The schema with those of its `allOf`, and with the first of its `oneOf` or `anyOf`."""
        parts = list(items(schema.get("allOf")))
        for choice in ("oneOf", "anyOf"):
            parts += items(schema.get(choice))[:1]
        if not parts:
            return schema
        merged: dict[str, Json] = {}
        fields: dict[str, Json] = {}
        required: list[Json] = []
        for part in (*parts, {n: v for n, v in schema.items() if n not in ("allOf", "oneOf", "anyOf")}):
            self._parts += 1
            if depth > _DEEPEST or self._parts > _MOST_PARTS:
                raise _Unusable("its schema is put together of too many parts")
            if text(mapping(part).get("$ref")) in around:
                self._cycle(plain_line(text(mapping(part).get("$ref"))))
                continue
            resolved = self._merged(mapping(self._resolved(part)), around, depth + 1)
            fields |= mapping(resolved.get("properties"))
            required += items(resolved.get("required"))
            merged |= resolved
        return {**merged, "properties": fields, "required": required} if fields else merged

    def _blank(self, path: tuple[str, ...]) -> str:
        return self._blanks.blank(*path)


def _told(schema: Mapping[str, Json]) -> tuple[Template] | None:
    """The value that the schema itself gives, in a tuple since it may be null; None: it gives none."""
    for name in ("const", "example"):
        if name in schema:
            return (schema[name],)
    for name in ("examples", "enum"):
        values = items(schema.get(name))
        if values and (name == "examples" or len(values) == 1):
            return (values[0],)
    return (schema["default"],) if "default" in schema else None


def _type_of(schema: Mapping[str, Json]) -> str:
    kind = schema.get("type")
    kinds = [text(kind)] if isinstance(kind, str) else [text(one) for one in items(kind)]
    if found := next((one for one in kinds if one != "null"), "null" if kinds else ""):
        return found
    if "properties" in schema:
        return "object"
    values = items(schema.get("enum"))
    return "string" if values and all(isinstance(value, str) for value in values) else ""


def _server(value: Json) -> tuple[str, str]:
    """Host, "" for none of its own, and path of a server, its variables at their defaults."""
    server = mapping(value)
    variables = mapping(server.get("variables"))

    def default(found: re.Match[str]) -> str:
        told = mapping(variables.get(found[1])).get("default")
        return (told.text if isinstance(told, Number) else text(told) or found[0])[:_LONGEST_DEFAULT]

    url = _SERVER_BLANK.sub(default, text(server.get("url"))[:LONGEST_PATH])
    try:
        path = urlsplit(url).path
    except ValueError:
        return "", ""
    host = next(iter(hosts_of([url])), "")
    return "" if "{" in host else host, path.rstrip("/")


def _pairs(query: str) -> Iterator[tuple[str, str, str]]:
    return (pair.partition("=") for pair in query.split("&") if pair)
