"""Routes of a Postman collection, formats 2.0 and 2.1: its requests, in folders or not, and their JSON bodies.

Source: the collection's schema. `{{name}}` is a variable: before the path, it is the address of the service; if its
value is a piece of a path, it is replaced; any other becomes a placeholder.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec import Struct

from svc_tui.console.imported_routes import (
    MAX_PATH_LENGTH,
    OTHER_HOST,
    PROFILE_IDENTIFIES,
    BlankNames,
    ImportRefused,
    ImportResult,
    RouteCollector,
    as_list,
    as_mapping,
    hosts_of,
    plain_line,
    query_pairs,
    scalar_text,
    split_gateway_prefix,
    text,
)
from svc_tui.core.catalog import Collection, Route
from svc_tui.core.jsontext import Json, JsonError, loads
from svc_tui.writes.actions import json_literal

_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_ANY_BLANK = re.compile(r"\{\{([^{}]*)\}\}|\{([^{}/]*)\}")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*|\{\{[^{}]*\}\})://")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_VERSION_LIKE = re.compile(r"v[0-9]+")
_FORMAT = re.compile(r"/v(2\.[01])\b")
_MAX_NESTING = 5
"""Limit of variables in the values of others."""
_MAX_VALUE_LENGTH = 1_000
"""Limit of a variable's value in characters; a longer one is no piece of a URL."""
_IGNORED_HEADERS = frozenset(
    {"content-type", "accept", "user-agent", "accept-encoding", "cache-control", "postman-token"}
)
"""Headers that the client sets, or that have no meaning here."""


def is_collection(document: Mapping[str, Json]) -> bool:
    """Return whether the document is a Postman collection."""
    return isinstance(document.get("info"), Mapping) and isinstance(document.get("item"), list)


def routes_of(
    document: Mapping[str, Json], base_urls: Sequence[str], collections: Sequence[Collection]
) -> ImportResult:
    """Return the routes of the collection's requests; `base_urls` are those of the profile.

    If no request has one of their hosts, the host of most requests is that of the service. Raises ImportRefused for a
    collection of another format.
    """
    info = as_mapping(document.get("info"))
    schema = text(info.get("schema"))
    version = _FORMAT.search(schema)
    if schema and version is None:
        raise ImportRefused("this Postman collection is not in format 2.0 or 2.1; export it as 2.1")
    collector = RouteCollector(collections)
    _CollectionReader(document, hosts_of(base_urls), collector).read()
    kind = f"Postman collection {version[1]}" if version else "Postman collection"
    return collector.result(kind, info.get("name"))


class _Address(Struct, frozen=True):
    """The URL of a request: host, or "", the path of the host's variable, path and query with their variables."""

    host: str
    prefix: str
    path: str
    query: tuple[tuple[str, str], ...]


class _Request(Struct, frozen=True):
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
        """Yield the requests in the order of the file, without recursion because folders may be deep."""
        self._report_unused(self._document)
        waiting: list[tuple[Json, str]] = [(item, "") for item in reversed(as_list(self._document.get("item")))]
        while waiting:
            value, folder = waiting.pop()
            item = as_mapping(value)
            name = text(item.get("name"))
            self._report_unused(item)
            if "item" in item:
                waiting += [(inner, name) for inner in reversed(as_list(item["item"]))]
            elif isinstance(request := item.get("request"), str):
                yield _Request(name, folder, "GET", self._address(request), (), {})
            elif isinstance(request, Mapping):
                self._report_unused(request)
                method = text(request.get("method")) or "GET"
                headers = tuple(_header_names(request.get("header")))
                address = self._address(request.get("url"))
                yield _Request(name, folder, method, address, headers, as_mapping(request.get("body")))
            else:
                self._collector.omit(name or "an entry without a name", "it contains no request")

    def _report_unused(self, holder: Mapping[str, Json]) -> None:
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
            if header.lower() not in _IGNORED_HEADERS:
                self._collector.omit_header(header)
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
            written_query = ""
        else:
            raw = (text(whole.get("raw")) or text(url)).strip().partition("#")[0]
            place, _, written_query = raw.partition("?")
        if isinstance(entries := whole.get("query"), list):
            pairs = ((text(entry.get("key")), scalar_text(entry.get("value"))) for entry in _enabled(entries))
            query = tuple((unquote(name), unquote(value)) for name, value in pairs if name)
        else:
            query = tuple((name, value) for name, value in query_pairs(written_query) if name)
        if len(place) > MAX_PATH_LENGTH:
            # It will be refused: variables are not read for it.
            return _Address("", "", f"/{place}", query)
        host, prefix, path_text = self._split_place(_SCHEME.sub("", place, count=1))
        return _Address(host, prefix, path_text, query)

    def _split_place(self, place: str) -> tuple[str, str, str]:
        """Return the host, the path in the value of its variable, and the path after it."""
        first = _VARIABLE.match(place)
        if first and place[first.end() :][:1] not in ("", "/", ":", ".") and self._value(first[0]).endswith("/"):
            origin, path = first[0], "/" + place[first.end() :]
        else:
            origin, slash, rest = place.partition("/")
            path = slash + rest
        known = _SCHEME.sub("", self._value(origin), count=1).partition("?")[0]
        host, slash, prefix = known.partition("/")
        host = "" if "{{" in host else next(iter(hosts_of([f"//{host}"])), "")
        return host, slash + prefix, self._fill_path_variables(path)

    def _fill_path_variables(self, path: str) -> str:
        """Replace the variables whose values are pieces of a path."""

        def piece(match: re.Match[str]) -> str:
            value = self._value(match[0])
            return value.strip("/") if "/" in value.strip("/") or _VERSION_LIKE.fullmatch(value) else match[0]

        return _VARIABLE.sub(piece, path)

    def _value(self, expression: str) -> str:
        """Replace the variables that have a value in the collection."""
        for _ in range(_MAX_NESTING):
            filled = _VARIABLE.sub(lambda match: self._variables.get(match[1].strip()) or match[0], expression)
            if filled == expression or len(filled) > MAX_PATH_LENGTH:
                break
            expression = filled
        return expression


def _enabled(entries: Json) -> Iterator[Mapping[str, Json]]:
    return (entry for entry in map(as_mapping, as_list(entries)) if entry.get("disabled") is not True)


def _read_variables(entries: Json) -> Iterator[tuple[str, str]]:
    for entry in _enabled(entries):
        name, value = text(entry.get("key")) or text(entry.get("id")), scalar_text(entry.get("value"))
        if name and len(value) <= _MAX_VALUE_LENGTH:
            yield name, value


def _header_names(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield from (line.partition(":")[0].strip() for line in value.splitlines() if ":" in line)
    yield from filter(None, (text(entry.get("key")).strip() for entry in _enabled(value)))


def _with_blanks(piece: str, blanks: BlankNames) -> str:
    """Return the text with a placeholder for every variable in it."""
    return _ANY_BLANK.sub(lambda match: blanks.blank(_variable_name(match[1] or match[2] or "")), piece)


def _variable_name(name: str) -> str:
    """Return the name of a variable without the `$` of those that Postman generates."""
    return name.strip().removeprefix("$")


def _body_template(body: Mapping[str, Json], blanks: BlankNames) -> tuple[str, str]:
    """Return the template of a body, or why it is left out; both may be ""."""
    mode = text(body.get("mode"))
    if not mode or body.get("disabled") is True:
        return "", ""
    if mode == "raw":
        return _json_template(text(body.get("raw")), blanks), ""
    return ("", f"it is {plain_line(mode)}; routes send JSON") if body.get(mode) else ("", "")


def _json_template(raw: str, blanks: BlankNames) -> str:
    """Return the JSON text with placeholders for its variables; other braces in its texts are escaped."""
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
