"""Routes out of a Postman collection, formats 2.0 and 2.1: its requests, in folders or not, and their JSON bodies.

Source: the collection's own schema. What stands between `{{` and `}}` is a variable of Postman's: the one in front of
the path is where the service is, one that holds a piece of a path is put in, and any other asks for a value.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from svc_tui.domain.editing.actions import literal
from svc_tui.domain.http.headers import carries_identity
from svc_tui.domain.model.catalog import COLLECTIONS, Collection, Route
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads
from svc_tui.domain.route_import.imported_routes import (
    HEADERS_STAY,
    LONGEST_PATH,
    OTHER_HOST,
    PROFILE_IDENTIFIES,
    Blanks,
    Gathering,
    Imported,
    ImportRefused,
    Raw,
    below_version,
    hosts_of,
    items,
    mapping,
    plain_line,
    text,
    written,
)

_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_ANY_BLANK = re.compile(r"\{\{([^{}]*)\}\}|\{([^{}/]*)\}")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*|\{\{[^{}]*\}\})://")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_VERSION_LIKE = re.compile(r"v[0-9]+")
_FORMAT = re.compile(r"/v(2\.[01])\b")
_NESTED = 5
"""How often a variable may stand in the value of another."""
_LONGEST_VALUE = 1_000
"""Characters of a variable that is put in; a longer one is no piece of an address."""
_QUIET_HEADERS = frozenset(
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
) -> Imported:
    """The routes of the collection's requests; `base_urls` are where the profile's requests go.

    Where no request goes to one of them, the place that most requests go to is taken for the service. Raises
    ImportRefused for a collection of another format.
    """
    info = mapping(document.get("info"))
    schema = text(info.get("schema"))
    version = _FORMAT.search(schema)
    if schema and version is None:
        raise ImportRefused("this Postman collection is of another format than 2.0 and 2.1: export it as 2.1")
    gathering = Gathering(collections)
    _Collection(document, hosts_of(base_urls), gathering).read()
    kind = f"Postman collection {version[1]}" if version else "Postman collection"
    return Imported(kind, plain_line(text(info.get("name"))), tuple(gathering.routes), gathering.left_out)


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


class _Collection:
    def __init__(self, document: Mapping[str, Json], hosts: set[str], gathering: Gathering) -> None:
        self._document, self._hosts, self._gathering = document, hosts, gathering
        self._variables = dict(_variables(document.get("variable")))

    def read(self) -> None:
        requests = list(self._requests())
        counted = Counter(request.address.host for request in requests if request.address.host)
        homes = self._hosts & set(counted)
        if not homes and counted:
            usual = counted.most_common(1)[0][0]
            homes = {usual}
            if self._hosts:
                self._gathering.leave(f"the host {usual}", "requests go to the profile's base URL")
        for request in requests:
            if request.address.host and request.address.host not in homes:
                self._gathering.leave(f"{request.method} {request.name}", OTHER_HOST)
            else:
                self._take(request)

    def _requests(self) -> Iterator[_Request]:
        """The requests in the order of the file; folders are walked without recursion, however deep they are."""
        self._common(self._document)
        waiting: list[tuple[Json, str]] = [(item, "") for item in reversed(items(self._document.get("item")))]
        while waiting:
            value, folder = waiting.pop()
            item = mapping(value)
            name = text(item.get("name"))
            self._common(item)
            if "item" in item:
                waiting += [(inner, name) for inner in reversed(items(item["item"]))]
            elif isinstance(request := item.get("request"), str):
                yield _Request(name, folder, "GET", self._address(request), (), {})
            elif isinstance(request, Mapping):
                self._common(request)
                method = text(request.get("method")) or "GET"
                headers = tuple(_headers(request.get("header")))
                address = self._address(request.get("url"))
                yield _Request(name, folder, method, address, headers, mapping(request.get("body")))
            else:
                self._gathering.leave(name or "an entry without a name", "it holds no request")

    def _common(self, holder: Mapping[str, Json]) -> None:
        if holder.get("auth"):
            self._gathering.leave("auth", PROFILE_IDENTIFIES)
        if items(holder.get("event")):
            self._gathering.leave("scripts", "nothing of a document is run")

    def _take(self, request: _Request) -> None:
        address, blanks, leave = request.address, Blanks(), self._gathering.leave
        path, gateway = below_version(address.prefix, address.path)
        if gateway:
            leave(f"the path {gateway} of the address", "what stands before /v1 belongs to the profile's base URL")
        path = "/".join(self._segment(segment, blanks) for segment in path.split("/"))
        what = f"{request.method} {path}"
        query = []
        for name, value in address.query:
            if _VARIABLE.search(name):
                leave(f"{name} of {what}", "the name of a parameter can't be a variable")
            else:
                query.append((name, _asking(value, blanks)))
        for header in request.headers:
            if carries_identity(header):
                leave(f"the header {header}", PROFILE_IDENTIFIES)
            elif header.lower() not in _QUIET_HEADERS:
                leave(f"the header {header}", HEADERS_STAY)
        body, reason = _body(request.body, blanks)
        if reason:
            leave(f"the body of {what}", reason)
        self._gathering.add(Route(request.name, request.method, path, tuple(query), body), request.folder)

    def _segment(self, segment: str, blanks: Blanks) -> str:
        if re.fullmatch(r":[^:{}]+", segment):
            return blanks.blank(segment[1:])
        return _asking(segment, blanks)

    def _address(self, url: Json) -> _Address:
        whole = mapping(url)
        if "path" in whole:
            path = whole["path"]
            pieces = [text(piece) or text(mapping(piece).get("value")) for piece in items(path)]
            host = text(whole.get("host")) or ".".join(map(text, items(whole.get("host"))))
            port = text(whole.get("port"))
            origin = f"{host}:{port}" if port else host
            place = f"{origin}/{text(path).lstrip('/') if isinstance(path, str) else '/'.join(pieces)}"
            asked = ""
        else:
            raw = (text(whole.get("raw")) or text(url)).strip().partition("#")[0]
            place, _, asked = raw.partition("?")
        query = tuple(_query(items(whole["query"])) if isinstance(whole.get("query"), list) else _pairs(asked))
        if len(place) > LONGEST_PATH:
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

        def piece(found: re.Match[str]) -> str:
            value = self._value(found[0])
            return value.strip("/") if "/" in value.strip("/") or _VERSION_LIKE.fullmatch(value) else found[0]

        return _VARIABLE.sub(piece, path)

    def _value(self, expression: str) -> str:
        """The text with the values of the variables that the collection gives one to."""
        for _ in range(_NESTED):
            further = _VARIABLE.sub(lambda found: self._variables.get(found[1].strip()) or found[0], expression)
            if further == expression or len(further) > LONGEST_PATH:
                break
            expression = further
        return expression


def _variables(value: Json) -> Iterator[tuple[str, str]]:
    for entry in map(mapping, items(value)):
        told = entry.get("value")
        name = text(entry.get("key")) or text(entry.get("id"))
        value = told.text if isinstance(told, Number) else text(told)
        if name and entry.get("disabled") is not True and len(value) <= _LONGEST_VALUE:
            yield name, value


def _headers(value: Json) -> Iterator[str]:
    """The names of the headers that are on."""
    if isinstance(value, str):
        yield from (line.partition(":")[0].strip() for line in value.splitlines() if ":" in line)
        return
    for entry in map(mapping, items(value)):
        if entry.get("disabled") is not True and (name := text(entry.get("key")).strip()):
            yield name


def _query(entries: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for entry in map(mapping, entries):
        if entry.get("disabled") is not True and (name := text(entry.get("key"))):
            told = entry.get("value")
            yield unquote(name), unquote(told.text if isinstance(told, Number) else text(told))


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if name:
            yield unquote(name), unquote(value)


def _asking(piece: str, blanks: Blanks) -> str:
    """The text with a blank for every variable in it."""
    return _ANY_BLANK.sub(lambda found: blanks.blank(_bare(found[1] or found[2] or "")), piece)


def _bare(name: str) -> str:
    """The name of a variable; those that Postman makes up begin with `$`."""
    return name.strip().removeprefix("$")


def _body(body: Mapping[str, Json], blanks: Blanks) -> tuple[str, str]:
    """The template of a request's body, and why there is none, "" where nothing is left out."""
    mode = text(body.get("mode"))
    if not mode or body.get("disabled") is True:
        return "", ""
    if mode == "raw":
        return _json_template(text(body.get("raw")), blanks), ""
    if mode == "graphql":
        asked = mapping(body.get("graphql"))
        variables = asked.get("variables")
        told = variables if isinstance(variables, str) else dumps(variables or {})
        made = {
            "query": Raw(_string_template(dumps(text(asked.get("query"))), blanks)),
            "variables": Raw(_json_template(told.strip() or "{}", blanks)),
        }
        return written(made), ""
    return ("", f"it is {plain_line(mode)}, and routes send JSON") if body.get(mode) else ("", "")


def _json_template(raw: str, blanks: Blanks) -> str:
    """A JSON text with its variables as blanks; other braces in its texts ask for nothing."""
    try:
        loads(raw)
    except JsonError:
        pieces, at = [], 0
        for found in _STRING.finditer(raw):
            pieces += [_outside(raw[at : found.start()], blanks), _string_template(found[0], blanks)]
            at = found.end()
        return "".join((*pieces, _outside(raw[at:], blanks))).strip()
    return _STRING.sub(lambda found: _string_template(found[0], blanks), raw).strip()


def _outside(piece: str, blanks: Blanks) -> str:
    return _VARIABLE.sub(lambda found: blanks.blank(_bare(found[1])), piece)


def _string_template(quoted: str, blanks: Blanks) -> str:
    pieces, at = [], 0
    for found in _VARIABLE.finditer(quoted):
        pieces += [literal(quoted[at : found.start()]), blanks.blank(_bare(found[1]))]
        at = found.end()
    return "".join((*pieces, literal(quoted[at:])))
