"""Routes out of a Postman collection, formats 2.0 and 2.1: its requests, in folders or not, and their JSON bodies.

Source: the collection's own schema. What stands between `{{` and `}}` is a variable of Postman's: the one in front of
the path is where the service is, one that holds a piece of a path is put in, and any other asks for a value.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from svc_tui.domain.editing.actions import json_literal
from svc_tui.domain.http.headers import carries_identity
from svc_tui.domain.model.catalog import COLLECTIONS, Collection, Route
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads
from svc_tui.domain.route_import.imported_routes import (
    MAX_PATH_LENGTH,
    NO_ROUTE_HEADERS,
    OTHER_HOST,
    PROFILE_IDENTIFIES,
    BlankNames,
    ImportRefused,
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

_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_ANY_BLANK = re.compile(r"\{\{([^{}]*)\}\}|\{([^{}/]*)\}")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*|\{\{[^{}]*\}\})://")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_VERSION_LIKE = re.compile(r"v[0-9]+")
_FORMAT = re.compile(r"/v(2\.[01])\b")
_MAX_NESTING = 5
"""How often a variable may stand in the value of another."""
_MAX_VALUE_LENGTH = 1_000
"""Characters of a variable that is put in; a longer one is no piece of an address."""
_IGNORED_HEADERS = frozenset(
    {"content-type", "accept", "user-agent", "accept-encoding", "cache-control", "postman-token"}
)
"""What the program says of itself, or need not say."""


def is_collection(document: Mapping[str, Json]) -> bool:
    """Whether the document is a collection of format 2.0 or 2.1."""
    return isinstance(document.get("info"), Mapping) and isinstance(document.get("item"), list)


def routes_of(
    document: Mapping[str, Json],
    base_urls: Sequence[str] = (),
    collections: Sequence[Collection] = COLLECTIONS,
) -> ImportResult:
    """The routes of the collection's requests; `base_urls` are where the profile's requests go.

    Where no request goes to one of them, the place that most requests go to is taken for the service. Raises
    ImportRefused for a collection of another format.
    """
    info = as_mapping(document.get("info"))
    schema = text(info.get("schema"))
    version = _FORMAT.search(schema)
    if schema and version is None:
        raise ImportRefused("this Postman collection is not in format 2.0 or 2.1; export it as 2.1")
    collector = RouteCollector(collections)
    _CollectionReader(document, hosts_of(base_urls), collector).read()
    kind = f"Postman collection {version[1]}" if version else "Postman collection"
    return ImportResult(kind, plain_line(text(info.get("name"))), tuple(collector.routes), collector.omissions)


@dataclass(frozen=True, slots=True)
class _Address:
    """Where a request goes: its host, "" for one that is not told, path and query, variables still in them."""

    host: str
    prefix: str
    path: str
    query: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Request:
    name: str
    folder: str
    method: str
    address: _Address
    headers: tuple[str, ...]
    body: Mapping[str, Json]


class _CollectionReader:
    def __init__(self, document: Mapping[str, Json], hosts: set[str], collector: RouteCollector) -> None:
        self._document, self._hosts, self._collector = document, hosts, collector
        self._variables = dict(_read_variables(document.get("variable")))

    def read(self) -> None:
        requests = list(self._requests())
        counted = Counter(request.address.host for request in requests if request.address.host)
        homes = self._hosts & set(counted)
        if not homes and counted:
            usual = counted.most_common(1)[0][0]
            homes = {usual}
            if self._hosts:
                self._collector.omit(f"the host {usual}", "requests go to the base URL of the profile")
        for request in requests:
            if request.address.host and request.address.host not in homes:
                self._collector.omit(f"{request.method} {request.name}", OTHER_HOST)
            else:
                self._take(request)

    def _requests(self) -> Iterator[_Request]:
        """The requests in the order of the file; folders are walked without recursion, however deep they are."""
        self._common(self._document)
        waiting: list[tuple[Json, str]] = [(item, "") for item in reversed(as_list(self._document.get("item")))]
        while waiting:
            value, folder = waiting.pop()
            item = as_mapping(value)
            name = text(item.get("name"))
            self._common(item)
            if "item" in item:
                waiting += [(inner, name) for inner in reversed(as_list(item["item"]))]
            elif isinstance(request := item.get("request"), str):
                yield _Request(name, folder, "GET", self._address(request), (), {})
            elif isinstance(request, Mapping):
                self._common(request)
                method = text(request.get("method")) or "GET"
                headers = tuple(_header_names(request.get("header")))
                address = self._address(request.get("url"))
                yield _Request(name, folder, method, address, headers, as_mapping(request.get("body")))
            else:
                self._collector.omit(name or "an entry without a name", "it contains no request")

    def _common(self, holder: Mapping[str, Json]) -> None:
        if holder.get("auth"):
            self._collector.omit("auth", PROFILE_IDENTIFIES)
        if as_list(holder.get("event")):
            self._collector.omit("scripts", "scripts are never run")

    def _take(self, request: _Request) -> None:
        address, blanks, omit = request.address, BlankNames(), self._collector.omit
        path, gateway = split_gateway_prefix(address.prefix, address.path)
        if gateway:
            omit(f"the path {gateway} of the address", "the part before /v1 belongs to the base URL of the profile")
        path = "/".join(self._segment(segment, blanks) for segment in path.split("/"))
        what = f"{request.method} {path}"
        query = []
        for name, value in address.query:
            if _VARIABLE.search(name):
                omit(f"{name} of {what}", "a parameter name can't be a variable")
            else:
                query.append((name, _with_blanks(value, blanks)))
        for header in request.headers:
            if carries_identity(header):
                omit(f"the header {header}", PROFILE_IDENTIFIES)
            elif header.lower() not in _IGNORED_HEADERS:
                omit(f"the header {header}", NO_ROUTE_HEADERS)
        body, reason = _body_template(request.body, blanks)
        if reason:
            omit(f"the body of {what}", reason)
        self._collector.add(Route(request.name, request.method, path, tuple(query), body), request.folder)

    def _segment(self, segment: str, blanks: BlankNames) -> str:
        if re.fullmatch(r":[^:{}]+", segment):
            return blanks.blank(segment[1:])
        return _with_blanks(segment, blanks)

    def _address(self, url: Json) -> _Address:
        whole = as_mapping(url)
        if "path" in whole:
            path = whole["path"]
            pieces = [text(piece) or text(as_mapping(piece).get("value")) for piece in as_list(path)]
            host = text(whole.get("host")) or ".".join(map(text, as_list(whole.get("host"))))
            port = text(whole.get("port"))
            origin = f"{host}:{port}" if port else host
            place = f"{origin}/{text(path).lstrip('/') if isinstance(path, str) else '/'.join(pieces)}"
            query_text = ""
        else:
            raw = (text(whole.get("raw")) or text(url)).strip().partition("#")[0]
            place, _, query_text = raw.partition("?")
        query = tuple(
            _read_query(as_list(whole["query"])) if isinstance(whole.get("query"), list) else _query_pairs(query_text)
        )
        if len(place) > MAX_PATH_LENGTH:
            # Left out as it is: no variable makes it shorter.
            return _Address("", "", f"/{place}", query)
        host, prefix, path_text = self._placed(_SCHEME.sub("", place, count=1))
        return _Address(host, prefix, path_text, query)

    def _placed(self, place: str) -> tuple[str, str, str]:
        """Host, the path that its variable brings along, and the path behind it."""
        first = _VARIABLE.match(place)
        if first and place[first.end() :][:1] not in ("", "/", ":", ".") and self._value(first[0]).endswith("/"):
            origin, path = first[0], "/" + place[first.end() :]
        else:
            origin, slash, rest = place.partition("/")
            path = slash + rest
        known = _SCHEME.sub("", self._value(origin), count=1).partition("?")[0]
        host, slash, prefix = known.partition("/")
        host = "" if "{{" in host else next(iter(hosts_of([f"//{host}"])), "")
        return host, slash + prefix, self._spelled(path)

    def _spelled(self, path: str) -> str:
        """The path with the variables put in that are a piece of a path, not a value in it."""

        def piece(match: re.Match[str]) -> str:
            value = self._value(match[0])
            return value.strip("/") if "/" in value.strip("/") or _VERSION_LIKE.fullmatch(value) else match[0]

        return _VARIABLE.sub(piece, path)

    def _value(self, expression: str) -> str:
        """The text with the values of the variables that the collection gives one to."""
        for _ in range(_MAX_NESTING):
            further = _VARIABLE.sub(lambda match: self._variables.get(match[1].strip()) or match[0], expression)
            if further == expression or len(further) > MAX_PATH_LENGTH:
                break
            expression = further
        return expression


def _read_variables(value: Json) -> Iterator[tuple[str, str]]:
    for entry in map(as_mapping, as_list(value)):
        default = entry.get("value")
        name = text(entry.get("key")) or text(entry.get("id"))
        value = default.text if isinstance(default, Number) else text(default)
        if name and entry.get("disabled") is not True and len(value) <= _MAX_VALUE_LENGTH:
            yield name, value


def _header_names(value: Json) -> Iterator[str]:
    """The names of the headers that are on."""
    if isinstance(value, str):
        yield from (line.partition(":")[0].strip() for line in value.splitlines() if ":" in line)
        return
    for entry in map(as_mapping, as_list(value)):
        if entry.get("disabled") is not True and (name := text(entry.get("key")).strip()):
            yield name


def _read_query(entries: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for entry in map(as_mapping, entries):
        if entry.get("disabled") is not True and (name := text(entry.get("key"))):
            value = entry.get("value")
            yield unquote(name), unquote(value.text if isinstance(value, Number) else text(value))


def _query_pairs(query: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if name:
            yield unquote(name), unquote(value)


def _with_blanks(piece: str, blanks: BlankNames) -> str:
    """The text with a blank for every variable in it."""
    return _ANY_BLANK.sub(lambda match: blanks.blank(_variable_name(match[1] or match[2] or "")), piece)


def _variable_name(name: str) -> str:
    """The name of a variable; those that Postman makes up begin with `$`."""
    return name.strip().removeprefix("$")


def _body_template(body: Mapping[str, Json], blanks: BlankNames) -> tuple[str, str]:
    """The template of a request's body, and why there is none, "" where nothing is left out."""
    mode = text(body.get("mode"))
    if not mode or body.get("disabled") is True:
        return "", ""
    if mode == "raw":
        return _json_template(text(body.get("raw")), blanks), ""
    if mode == "graphql":
        graphql = as_mapping(body.get("graphql"))
        variables = graphql.get("variables")
        variables_text = variables if isinstance(variables, str) else dumps(variables or {})
        fields = {
            "query": RawText(_string_template(dumps(text(graphql.get("query"))), blanks)),
            "variables": RawText(_json_template(variables_text.strip() or "{}", blanks)),
        }
        return template_text(fields), ""
    return ("", f"it is {plain_line(mode)}; routes send JSON") if body.get(mode) else ("", "")


def _json_template(raw: str, blanks: BlankNames) -> str:
    """A JSON text with its variables as blanks; other braces in its texts ask for nothing."""
    try:
        loads(raw)
    except JsonError:
        pieces, at = [], 0
        for match in _STRING.finditer(raw):
            pieces += [_variables_to_blanks(raw[at : match.start()], blanks), _string_template(match[0], blanks)]
            at = match.end()
        return "".join((*pieces, _variables_to_blanks(raw[at:], blanks))).strip()
    return _STRING.sub(lambda match: _string_template(match[0], blanks), raw).strip()


def _variables_to_blanks(piece: str, blanks: BlankNames) -> str:
    return _VARIABLE.sub(lambda match: blanks.blank(_variable_name(match[1])), piece)


def _string_template(quoted: str, blanks: BlankNames) -> str:
    pieces, at = [], 0
    for match in _VARIABLE.finditer(quoted):
        pieces += [json_literal(quoted[at : match.start()]), blanks.blank(_variable_name(match[1]))]
        at = match.end()
    return "".join((*pieces, json_literal(quoted[at:])))
