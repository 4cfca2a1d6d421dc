"""Routes imported from a document: each is checked as requests are, and everything that is left out is reported."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from svc_tui.console.request_form import BODYLESS_METHODS
from svc_tui.core.catalog import BLANK, OPERATIONS, ROUTES, VERSION_PREFIX, Collection, Route
from svc_tui.core.credentials import PREFIXES
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.jsontext import Json, JsonError, Number, dumps, loads
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.headers import carries_identity, is_token
from svc_tui.service.routes import fill_path, target_of
from svc_tui.writes.actions import fill_body, json_literal

MAX_ROUTES = 1_000
"""Limit of routes from one document; more can't be searched by eye."""

MAX_OMISSIONS = 1_000
"""Limit of omissions that are reported one by one."""

MAX_BODY_LENGTH = 20_000
"""Limit of a body's template in characters; a longer one is data, not a template."""

MAX_PATH_LENGTH = 4_000
"""Limit of a route's path in characters; servers accept little more."""

PROFILE_IDENTIFIES = "the key and signature come from the profile"
OTHER_HOST = "it goes to another host; requests only go to the base URL of the profile"

_MAX_NAME_LENGTH = 80
_MAX_BLANK_LENGTH = 40
_MAX_LINE_LENGTH = 72
_IDENTITY_IN_QUERY = re.compile(
    r"(?:x[-_])?(?:api[-_]?key|access[-_]?token|auth(?:orization|[-_]?token)?|token|secret|password|signature)",
    re.IGNORECASE,
)


class ImportRefused(ValueError):
    """A document that can't be imported; the message says why and what to do."""


class Omission(Struct, frozen=True):
    """A part of the document that was not imported, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


class ImportResult(Struct, frozen=True):
    """The routes of a document, its format (`OpenAPI 3.1`) and title, and what was left out."""

    kind: str
    title: str
    routes: tuple[Route, ...]
    omissions: tuple[Omission, ...]


class RawText(Struct, frozen=True):
    """A piece of a body's template that is written unchanged, such as a placeholder."""

    text: str


BodyTemplate: TypeAlias = bool | str | Number | RawText | Sequence["BodyTemplate"] | Mapping[str, "BodyTemplate"] | None
"""A JSON value with placeholders in it."""


class BlankNames:
    """The names of one route's placeholders: one for each value that is asked for."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}

    def blank(self, *path: str) -> str:
        """Return the placeholder for the value at `path`, named by its last word, or by more to be unique."""
        if path not in self._names:
            taken = set(self._names.values())
            words = [re.sub(r"\W+", "_", word).strip("_")[:_MAX_BLANK_LENGTH] or "value" for word in path]
            names = ["_".join(words[-count:]) for count in range(1, len(words) + 1)]
            names += [f"{words[-1]}_{number}" for number in range(2, len(taken) + 3)]
            self._names[path] = next(name for name in names if name not in taken)
        return f"{{{self._names[path]}}}"


class RouteCollector:
    """The routes imported so far and what was left out; adds no route that could not be sent."""

    def __init__(self, collections: Iterable[Collection]) -> None:
        self._routes: list[Route] = []
        self._omissions: dict[Omission, None] = {}
        self._seen: set[tuple[str, str, tuple[tuple[str, str], ...], str]] = set()
        uniform = (operation.route(collection) for collection in collections for operation in OPERATIONS)
        self._builtin = {(route.method, BLANK.sub("{}", route.path)) for route in (*ROUTES, *uniform)}

    def result(self, kind: str, title: Json) -> ImportResult:
        """Return what was collected; each omission is in it once."""
        omissions = tuple(self._omissions)
        if len(omissions) > MAX_OMISSIONS:
            rest = Omission(f"{len(omissions) - MAX_OMISSIONS:,} more items", "also not imported")
            omissions = (*omissions[:MAX_OMISSIONS], rest)
        return ImportResult(kind, plain_line(text(title)), tuple(self._routes), omissions)

    def omit(self, what: str, why: str) -> None:
        """Report a part of the document as left out."""
        self._omissions[Omission(plain_line(what), why)] = None

    def omit_header(self, name: str) -> None:
        """Report a header as left out."""
        reason = PROFILE_IDENTIFIES if carries_identity(name) else "routes have no headers; add them in the console"
        self.omit(f"the header {name}", reason)

    def add(self, route: Route, group: str) -> None:
        """Add a route as far as it can be sent; `group` makes its name unique."""
        route = replace(route, method=route.method.upper(), path=_with_version(route.path))
        what = f"{route.method} {route.path}"
        if (reason := _refusal_reason(route)) is not None:
            self.omit(what, reason)
            return
        query = []
        for name, value in route.query:
            if _IDENTITY_IN_QUERY.fullmatch(name):
                self.omit(f"{name} of {what}", PROFILE_IDENTIFIES)
            else:
                query.append((name, value))
        body_reason = _body_refusal_reason(route)
        if body_reason is not None:
            self.omit(f"the body of {what}", body_reason)
        route = replace(route, query=tuple(query), body=route.body if body_reason is None else "")
        shape = BLANK.sub("{}", route.path)
        facts = (route.method, shape, route.query, route.body)
        if (route.method, shape) in self._builtin and not route.query and not route.body:
            self.omit(what, "svc-tui already has it")
        elif facts in self._seen:
            self.omit(what, "it is in the document more than once")
        elif len(self._routes) >= MAX_ROUTES:
            self.omit("the remaining routes", f"the limit is {MAX_ROUTES:,} routes")
        else:
            self._seen.add(facts)
            self._routes.append(replace(route, name=self._unique_name(route, group)))

    def _unique_name(self, route: Route, group: str) -> str:
        taken = {other.name for other in self._routes}
        address = f"{route.method} {route.path}"
        name = plain_line(route.name) or plain_line(address)
        names = (name, plain_line(f"{group}: {name}") if plain_line(group) else name, f"{name} · {address}")
        return next((plain_line(candidate) for candidate in names if candidate not in taken), name)


def template_text(template: BodyTemplate) -> str:
    """Return the text of a body's template, on one line if it is short; braces in its texts are escaped."""
    line = _indented_text(template, None, 0)
    return line if len(line) <= _MAX_LINE_LENGTH else _indented_text(template, 2, 0)


def split_gateway_prefix(prefix: str, path: str) -> tuple[str, str]:
    """Return the path from `/v1` on, and the part of `prefix` before it, which belongs to a gateway."""
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
    """Return the hosts of the URLs, with their ports; URLs that are not valid are skipped."""
    hosts = set()
    for url in urls:
        try:
            hosts.add(urlsplit(url).netloc.rpartition("@")[2].lower())
        except ValueError:
            continue
    return hosts - {""}


def plain_line(text: str) -> str:
    """Return the text as one short line without invisible characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _MAX_NAME_LENGTH]).split())
    return line if len(line) <= _MAX_NAME_LENGTH else f"{line[: _MAX_NAME_LENGTH - 1]}…"


def _with_version(path: str) -> str:
    path = "/" + path.strip(" ").lstrip("/")
    return path if path == VERSION_PREFIX or path.startswith(f"{VERSION_PREFIX}/") else VERSION_PREFIX + path


def _refusal_reason(route: Route) -> str | None:
    """Return why the route could not be sent with any values; None if it can."""
    texts = (route.name, route.path, route.body, *(text for pair in route.query for text in pair))
    if any(prefix in text for prefix in PREFIXES for text in texts):
        return "it contains an API key; routes can't contain keys"
    if not is_token(route.method):
        return "its method is not valid"
    if len(route.path) > MAX_PATH_LENGTH:
        return f"its path has more than {MAX_PATH_LENGTH:,} characters"
    if route.method in ("TRACE", "CONNECT"):
        return f"{route.method} is never sent: its response would contain the key"
    values = dict.fromkeys(BLANK.findall(route.path), "x")
    try:
        target_of(fill_path(route.path, values), [(name, BLANK.sub("x", value)) for name, value in route.query])
    except RequestRefused as refused:
        return str(refused)
    return None


def _body_refusal_reason(route: Route) -> str | None:
    """Return why the route's body could not be sent; None if it can."""
    if route.body and route.method in BODYLESS_METHODS:
        return f"{route.method} requests have no body"
    if len(route.body) > MAX_BODY_LENGTH:
        return f"it has more than {MAX_BODY_LENGTH:,} characters"
    try:
        route.body.encode()
        if route.body:
            loads(fill_body(route.body, dict.fromkeys(BLANK.findall(route.body), "0")))
    except UnicodeEncodeError:
        return "it contains an incomplete Unicode character"
    except (JsonError, ValueProblem):
        return "it is not valid JSON"
    return None


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


def query_pairs(query: str) -> Iterator[tuple[str, str]]:
    """Yield the decoded pairs of a query as it is written in a URL."""
    for name, _, value in (pair.partition("=") for pair in query.split("&") if pair):
        yield unquote(name), unquote(value)


def as_mapping(value: Json) -> Mapping[str, Json]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def text(value: Json) -> str:
    """Return the value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def scalar_text(value: Json) -> str:
    """Return the value as text if it is a text or a number, else ""."""
    return value.text if isinstance(value, Number) else text(value)
