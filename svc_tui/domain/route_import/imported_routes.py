"""Routes taken over from another tool's document: each checked as the program checks what it sends, the rest told."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias
from urllib.parse import urlsplit

from svc_tui.domain.console.request_form import BODYLESS_METHODS
from svc_tui.domain.editing.actions import fill_body, json_literal
from svc_tui.domain.editing.field_entry import ValueProblem
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.headers import is_token
from svc_tui.domain.http.routes import fill_path, target_of
from svc_tui.domain.model.catalog import BLANK, COLLECTIONS, OPERATIONS, ROUTES, VERSION_PREFIX, Collection, Route
from svc_tui.domain.model.credentials import PREFIXES
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads

MAX_ROUTES = 1_000
"""Routes taken from one document; nobody finds his way among more."""

MAX_OMISSIONS = 1_000
"""Things left out that are told one by one."""

MAX_BODY_LENGTH = 20_000
"""Characters of a body's template; a longer one is data, not a template."""

MAX_PATH_LENGTH = 4_000
"""Characters of a route's path; servers take little more."""

NO_ROUTE_HEADERS = "routes have no headers; add them in the console"
PROFILE_IDENTIFIES = "the key and signature come from the profile"
OTHER_HOST = "it goes to another host; requests only go to the base URL of the profile"

_MAX_NAME_LENGTH = 80
_MAX_BLANK_LENGTH = 40
_MAX_LINE_LENGTH = 72
_IDENTITY_IN_QUERY = re.compile(
    r"(?:x[-_])?(?:api[-_]?key|access[-_]?token|auth(?:orization|[-_]?token)?|token|secret|password|signature)",
    re.IGNORECASE,
)
_ECHOING_METHODS = frozenset({"TRACE", "CONNECT"})


class ImportRefused(ValueError):
    """A document that no route can be taken from; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Omission:
    """Something of the document that is in no route, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What came of a document: `kind` is its format (`OpenAPI 3.1`), `title` what it calls itself, "" for nothing."""

    kind: str
    title: str
    routes: tuple[Route, ...]
    omissions: tuple[Omission, ...]


@dataclass(frozen=True, slots=True)
class RawText:
    """A piece of a body's template that is written as it stands, such as a blank."""

    text: str


BodyTemplate: TypeAlias = bool | str | Number | RawText | Sequence["BodyTemplate"] | Mapping[str, "BodyTemplate"] | None
"""A JSON value with blanks in it."""


class BlankNames:
    """The names of one route's blanks: one for each value that is asked for."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}

    def name(self, *path: str) -> str:
        """The name of the blank for the value at `path`: its last word, with those before it where that is taken."""
        if path not in self._names:
            taken = set(self._names.values())
            words = [re.sub(r"\W+", "_", word).strip("_")[:_MAX_BLANK_LENGTH] or "value" for word in path]
            names = ["_".join(words[-count:]) for count in range(1, len(words) + 1)]
            names += [f"{words[-1]}_{number}" for number in range(2, len(taken) + 3)]
            self._names[path] = next(name for name in names if name not in taken)
        return self._names[path]

    def blank(self, *path: str) -> str:
        """The blank as it is written in a route: `{name}`."""
        return f"{{{self.name(*path)}}}"


class RouteCollector:
    """The routes found so far and what was left out; takes no route that the program would not send."""

    def __init__(self, collections: Iterable[Collection] = COLLECTIONS) -> None:
        self.routes: list[Route] = []
        self._left_out: dict[Omission, None] = {}
        self._seen: set[tuple[str, str, tuple[tuple[str, str], ...], str]] = set()
        self._known = _builtin_routes(collections)

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """What was left out, in order, each thing once."""
        names = tuple(self._left_out)
        if len(names) <= MAX_OMISSIONS:
            return names
        return (
            *names[:MAX_OMISSIONS],
            Omission(f"{len(names) - MAX_OMISSIONS:,} more items", "also not imported"),
        )

    def omit(self, what: str, why: str) -> None:
        """Leave something out."""
        self._left_out[Omission(plain_line(what), why)] = None

    def add(self, route: Route, group: str = "") -> None:
        """Take a route, as far as it can be taken; `group` tells it from others of its name."""
        route = replace(route, method=route.method.upper(), path=_with_version(route.path))
        what = f"{route.method} {route.path}"
        if (reason := _refusal_reason(route)) is not None:
            self.omit(what, reason)
            return
        route = replace(route, query=self._named_query(route.query, what), body=self._checked_body(route, what))
        shape = BLANK.sub("{}", route.path)
        facts = (route.method, shape, route.query, route.body)
        if (route.method, shape) in self._known and not route.query and not route.body:
            self.omit(what, "svc-tui already has it")
        elif facts in self._seen:
            self.omit(what, "it is in the document more than once")
        elif len(self.routes) >= MAX_ROUTES:
            self.omit("the remaining routes", f"the limit is {MAX_ROUTES:,} routes")
        else:
            self._seen.add(facts)
            self.routes.append(replace(route, name=self._name(route, group)))

    def _name(self, route: Route, group: str) -> str:
        names = {other.name for other in self.routes}
        address = f"{route.method} {route.path}"
        plain = plain_line(route.name) or plain_line(address)
        wanted = (plain, plain_line(f"{group}: {plain}") if plain_line(group) else plain, f"{plain} · {address}")
        return next((plain_line(name) for name in wanted if name not in names), plain)

    def _named_query(self, query: Iterable[tuple[str, str]], what: str) -> tuple[tuple[str, str], ...]:
        pairs = []
        for name, value in query:
            if _IDENTITY_IN_QUERY.fullmatch(name):
                self.omit(f"{name} of {what}", PROFILE_IDENTIFIES)
            else:
                pairs.append((name, value))
        return tuple(pairs)

    def _checked_body(self, route: Route, what: str) -> str:
        reason = None
        if route.body and route.method in BODYLESS_METHODS:
            reason = f"{route.method} requests have no body"
        elif len(route.body) > MAX_BODY_LENGTH:
            reason = f"it has more than {MAX_BODY_LENGTH:,} characters"
        elif route.body:
            reason = _body_refusal_reason(route.body)
        if reason is None:
            return route.body
        self.omit(f"the body of {what}", reason)
        return ""


def template_text(template: BodyTemplate) -> str:
    """The text of a body's template, on one line where it is short; braces in its texts ask for nothing."""
    line = _indented_text(template, None, 0)
    return line if len(line) <= _MAX_LINE_LENGTH else _indented_text(template, 2, 0)


def split_gateway_prefix(prefix: str, path: str) -> tuple[str, str]:
    """The path of a route whose address has `prefix` before `path`, and the part of `prefix` that is a gateway's."""
    path = "/" + path.lstrip("/")
    segments = [part for part in prefix.split("/") if part]
    version = VERSION_PREFIX.strip("/")
    if path == VERSION_PREFIX or path.startswith(f"{VERSION_PREFIX}/"):
        own, gateway = [], segments[:-1] if segments[-1:] == [version] else segments
    elif version in segments:
        at = len(segments) - 1 - segments[::-1].index(version)
        own, gateway = segments[at:], segments[:at]
    else:
        own, gateway = [], segments
    return "".join(f"/{part}" for part in own) + path, "".join(f"/{part}" for part in gateway)


def hosts_of(urls: Iterable[str]) -> set[str]:
    """The hosts, with their ports, that the URLs name; one that can't be understood names none."""
    hosts = set()
    for url in urls:
        try:
            hosts.add(urlsplit(url).netloc.rpartition("@")[2].lower())
        except ValueError:
            continue
    return hosts - {""}


def plain_line(text: str) -> str:
    """The text as one short line of what can be seen."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _MAX_NAME_LENGTH]).split())
    return line if len(line) <= _MAX_NAME_LENGTH else f"{line[: _MAX_NAME_LENGTH - 1]}…"


def _with_version(path: str) -> str:
    path = "/" + path.strip(" ").lstrip("/")
    return path if path == VERSION_PREFIX or path.startswith(f"{VERSION_PREFIX}/") else VERSION_PREFIX + path


def _refusal_reason(route: Route) -> str | None:
    """Why the program would not send the route, whatever is filled in."""
    texts = (route.name, route.path, route.body, *(text for pair in route.query for text in pair))
    if any(prefix in text for prefix in PREFIXES for text in texts):
        return "it contains an API key; routes can't contain keys"
    if not is_token(route.method):
        return "its method is not valid"
    if len(route.path) > MAX_PATH_LENGTH:
        return f"its path has more than {MAX_PATH_LENGTH:,} characters"
    if route.method in _ECHOING_METHODS:
        return f"{route.method} is never sent: its response would contain the key"
    values = dict.fromkeys(BLANK.findall(route.path), "x")
    try:
        target_of(fill_path(route.path, values), [(name, BLANK.sub("x", value)) for name, value in route.query])
    except RequestRefused as refused:
        return str(refused)
    return None


def _body_refusal_reason(body: str) -> str | None:
    try:
        body.encode()
        loads(fill_body(body, dict.fromkeys(BLANK.findall(body), "0")))
    except UnicodeEncodeError:
        return "it contains an incomplete Unicode character"
    except (JsonError, ValueProblem):
        return "it is not valid JSON"
    return None


def _builtin_routes(collections: Iterable[Collection]) -> frozenset[tuple[str, str]]:
    """What the program offers by itself: the uniform operations and the irregular routes."""
    uniform = (operation.route(collection) for collection in collections for operation in OPERATIONS)
    return frozenset((route.method, BLANK.sub("{}", route.path)) for route in (*ROUTES, *uniform))


def _indented_text(template: BodyTemplate, indent: int | None, depth: int) -> str:
    match template:
        case RawText(text):
            return text
        case str():
            return json_literal(dumps(template))
        case Mapping():
            items = [
                f"{json_literal(dumps(name))}: {_indented_text(item, indent, depth + 1)}"
                for name, item in template.items()
            ]
            return _enclose("{", items, "}", indent, depth)
        case Number() | bool() | None:
            return dumps(template)
        case _:
            return _enclose("[", [_indented_text(item, indent, depth + 1) for item in template], "]", indent, depth)


def _enclose(opened: str, items: Sequence[str], closed: str, indent: int | None, depth: int) -> str:
    if indent is None or not items:
        return f"{opened}{', '.join(items)}{closed}"
    inner, outer = " " * (indent * (depth + 1)), " " * (indent * depth)
    return f"{opened}\n" + ",\n".join(f"{inner}{item}" for item in items) + f"\n{outer}{closed}"


def as_mapping(value: Json) -> Mapping[str, Json]:
    """The value where it is an object, else an empty one: documents are read as they come."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json) -> Sequence[Json]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def text(value: Json) -> str:
    """The value where it is a text, else ""."""
    return value if isinstance(value, str) else ""
