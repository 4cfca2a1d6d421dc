"""The form of a request: its fields as typed, the request they describe, its placeholders, and completion of paths.

A placeholder is a `{name}` that asks for a value. In a path, the value becomes one encoded segment; in a query, it is
encoded; in a JSON body, it is escaped text inside quotes and checked JSON outside. Braces in a value ask for nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote

from msgspec import Struct

from svc_tui.core.catalog import BLANK, VERSION_PREFIX, Collection, Domain, Route, find_collection
from svc_tui.core.field_forms import FieldForm
from svc_tui.core.jsontext import JsonError, dumps, loads
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.headers import is_token
from svc_tui.service.routes import expand_path, fill_path
from svc_tui.service.signing import ForeignSignature
from svc_tui.writes.actions import action_form, fill_body, json_literal

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
"""The methods that are offered; others can be typed."""

BODYLESS_METHODS = frozenset({"GET", "HEAD"})
"""Methods whose body has no meaning (RFC 9110, 9.3.1 and 9.3.2): a typed body is not sent."""

_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

FormField: TypeAlias = Literal["method", "path", "query", "headers", "body"]


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The fields as typed.

    `query` contains `key=value` pairs separated by `&` or line breaks, with separators in them percent-encoded;
    `headers` one `Name: value` per line; `body` text, or `@` and the name of a file (`@@` begins a text that begins
    with `@`). `note` says what could not be put into the form.
    """

    method: str = "GET"
    path: str = ""
    query: str = ""
    headers: str = ""
    body: str = ""
    note: str = ""
    signature: ForeignSignature | None = field(default=None, compare=False, repr=False)
    """The signature of a pasted request, to be checked; it is never sent or saved."""

    @property
    def takes_body(self) -> bool:
        """Whether the body is sent."""
        return self.method.upper() not in BODYLESS_METHODS


class FormProblem(Struct, frozen=True):
    """A reason why the form can't be sent; `line` and `column` count from 1 in the field, 0 is no position."""

    field: FormField
    message: str
    line: int = 0
    column: int = 0
    blank: bool = False
    """Whether only the value of a placeholder is missing."""

    def __str__(self) -> str:
        if not self.line:
            return self.message
        place = f"line {self.line}, column {self.column}" if self.column else f"line {self.line}"
        return f"{place}: {self.message}"


class ComposedRequest(Struct, frozen=True):
    """The request that a form describes; it can be sent if there are no problems. `file` contains its body, if any."""

    spec: RequestSpec
    problems: tuple[FormProblem, ...] = ()
    file: str = ""

    def problem_of(self, name: FormField) -> FormProblem | None:
        """Return the first problem of a field."""
        return next((problem for problem in self.problems if problem.field == name), None)


def compose_request(form: RequestForm, collections: tuple[Collection, ...] = ()) -> ComposedRequest:
    """Read the form; the body is checked as JSON unless the headers name another type for it.

    A path may begin with the name of one of `collections`.
    """
    problems: list[FormProblem] = []
    method = form.method.strip().upper()
    if not is_token(method):
        problems.append(
            FormProblem("method", "the method is missing" if not method else f"{method} is not an HTTP method")
        )
    path = form.path.strip()
    if not path:
        problems.append(FormProblem("path", "enter a path, such as /v1/operations/lots"))
    problems.extend(_blank_problems("path", path))
    query = tuple(_parse_query(form.query, problems))
    headers = tuple(_parse_headers(form.headers, problems))
    file, body = "", b""
    if form.takes_body and form.body.startswith("@") and not form.body.startswith("@@"):
        file = form.body[1:].strip()
        if not file:
            problems.append(FormProblem("body", "@ needs a file name"))
    elif form.takes_body:
        body = _encode_body(replace(form, body=form.body.removeprefix("@")), headers, problems)
    return ComposedRequest(
        RequestSpec(method, expand_path(path, collections), query, headers, body), tuple(problems), file
    )


def toggle_header(form: RequestForm, name: str, key: str) -> RequestForm:
    """Return the form without the header `name` if it has it, else with `key` as its value unless that is empty."""
    lines = form.headers.splitlines()
    others = [line for line in lines if line.partition(":")[0].strip().lower() != name.lower()]
    if len(others) == len(lines) and key:
        others.append(f"{name}: {key}")
    return form if others == lines else replace(form, headers="\n".join(others))


def form_of(source: Route | RequestSpec) -> RequestForm:
    """Return the form that describes the route or request; a route keeps its placeholders."""
    if isinstance(source, Route):
        return RequestForm(source.method.upper(), source.path, _query_field_text(source.query, "%&"), body=source.body)
    query = _query_field_text(source.query, "%&{}")
    headers = "\n".join(f"{name}: {value}" for name, value in source.headers)
    form = RequestForm(source.method.upper(), source.path, query, headers)
    try:
        body = source.body.decode()
        return replace(form, body=f"@{body}" if body.startswith("@") else body)
    except UnicodeDecodeError:
        return replace(form, note=f"The body is not shown: {len(source.body):,} bytes that are not text.")


def partial_field_name(before: str) -> str | None:
    """Return the part of a field's name before the cursor; None: no field of the outer object is typed there."""
    around, expected, opened, at = "", False, -1, 0
    while at < len(before):
        character = before[at]
        if opened >= 0:
            at += character == "\\"
            if character == '"':
                opened, expected = -1, False
        elif character == '"':
            opened = at
        elif character in "{[":
            around, expected = around + character, character == "{"
        elif character in "}]":
            around, expected = around[:-1], False
        elif character in ",:":
            expected = character == "," and around[-1:] == "{"
        at += 1
    return before[opened + 1 :] if opened >= 0 and expected and around == "{" else None


def first_blank(text: str) -> tuple[int, int] | None:
    """Return the start and end of the first placeholder."""
    match = BLANK.search(text)
    return match.span() if match else None


def json_body(form: RequestForm) -> str:
    """Return the body if it is sent as JSON, else ""."""
    sent = form.takes_body and not form.body.startswith("@") and _is_json(_parse_headers(form.headers, []))
    return form.body if sent else ""


def value_form(form: RequestForm) -> FieldForm:
    """Return a form that asks for the values of the placeholders, in their order."""
    body = json_body(form)
    return action_form((name for text in (form.path, form.query, body) for name in BLANK.findall(text)), body)


def fill_blanks(form: RequestForm, values: Mapping[str, str]) -> RequestForm:
    """Replace every placeholder by its value. Raises RequestRefused or ValueProblem for a value that is not valid."""
    path, mark, query = form.path.partition("?")
    filled = replace(
        form, path=fill_path(path, values) + mark + _fill_query(query, values), query=_fill_query(form.query, values)
    )
    return replace(filled, body=json_literal(fill_body(form.body, values))) if json_body(form) else filled


def escape_braces(form: RequestForm) -> RequestForm:
    """Escape the braces in the JSON body of a sent request, so that they are no placeholders."""
    return replace(form, body=json_literal(form.body)) if json_body(form) else form


def indent_body(body: str) -> str:
    """Return the JSON body over indented lines; placeholders outside quotes stay. Raises JsonError."""
    placeholders: list[str] = []
    mark = "blank"
    while f'"{mark}' in body:
        mark += "_"

    def to_string(match: re.Match[str]) -> str:
        placeholders.append(match[0])
        return f'"{mark}{len(placeholders) - 1}"'

    at, pieces = 0, []
    for text in _JSON_STRING.finditer(body):
        pieces += [BLANK.sub(to_string, body[at : text.start()]), text[0]]
        at = text.end()
    template = dumps(loads("".join((*pieces, BLANK.sub(to_string, body[at:])))), indent=2)
    return re.sub(rf'"{mark}(\d+)"', lambda match: placeholders[int(match[1])], template)


def _fill_query(query: str, values: Mapping[str, str]) -> str:
    return BLANK.sub(lambda match: quote(values[match[1]], safe=""), query)


class KnownPath(Struct, frozen=True):
    """A path offered for completion, with its method, or "" for all methods."""

    path: str
    method: str = ""
    short: str = ""
    """The path with the collection's name in place of the collection's path, as `expand_path` reads it, or ""."""

    def serves(self, method: str) -> bool:
        """Return whether the path is offered for `method`; HEAD has the paths of GET (RFC 9110, 9.3.2)."""
        wanted = method.upper()
        return self.method in ("", "GET" if wanted == "HEAD" else wanted)


def known_paths(domains: Iterable[Domain], routes: Iterable[Route]) -> tuple[KnownPath, ...]:
    """Return the paths offered for completion: collections first, then routes."""
    known = tuple(collection for domain in domains for collection in domain.collections)
    collections = (KnownPath(collection.path, short=_short_path(collection.path, known)) for collection in known)
    shown = (KnownPath(route.path, route.method.upper(), _short_path(route.path, known)) for route in routes)
    return tuple(dict.fromkeys((*collections, *shown)))


def _short_path(path: str, collections: tuple[Collection, ...]) -> str:
    for collection in collections:
        below = path.removeprefix(collection.path)
        if len(below) < len(path) and below[:1] in ("", "/") and find_collection(collection.name, collections):
            return f"{collection.name}{below}"
    return ""


def complete_path(typed: str, method: str, paths: Sequence[KnownPath]) -> str | None:
    """Return the first of `paths` for `method` that begins with the typed text, with or without `/v1`.

    A placeholder in a path matches any segment and is never proposed.
    """
    if not typed or "?" in typed:
        return None
    for known in paths:
        if not known.serves(method):
            continue
        below = known.path.removeprefix(VERSION_PREFIX)
        for spelling in (known.path, below, below.removeprefix("/"), *([known.short] if known.short else ())):
            longer = _extend_path(typed, spelling)
            if longer is not None:
                return longer
    return None


def _extend_path(typed: str, path: str) -> str | None:
    *whole, last_segment = typed.split("/")
    segments = path.split("/")
    if len(segments) <= len(whole):
        return None
    for mine, theirs in zip(whole, segments, strict=False):
        if not (mine if BLANK.fullmatch(theirs) else mine.casefold() == theirs.casefold()):
            return None
    here = segments[len(whole)]
    if BLANK.fullmatch(here):
        if not last_segment:
            return None
        here = last_segment
    elif not here.casefold().startswith(last_segment.casefold()):
        return None
    rest = "/".join((here, *segments[len(whole) + 1 :])).partition("{")[0]
    longer = "/".join((*whole, rest))
    return longer if len(longer.rstrip("/")) > len(typed) else None


def _blank_problems(name: FormField, text: str, line: int = 0) -> Iterator[FormProblem]:
    yield from (FormProblem(name, f"fill in {match[0]}", line, blank=True) for match in BLANK.finditer(text))


def _parse_query(text: str, problems: list[FormProblem]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        for pair in line.strip().removeprefix("?").split("&"):
            if not pair:
                continue
            key, _, value = pair.partition("=")
            if not key:
                problems.append(FormProblem("query", f"a name is missing before {pair[:20]}", number))
            problems.extend(_blank_problems("query", pair, number))
            yield unquote(key), unquote(value)


def _parse_headers(text: str, problems: list[FormProblem]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            problems.append(FormProblem("headers", "a header must have the form Name: value", number))
            continue
        yield name.strip(), value.strip()


def _encode_body(form: RequestForm, headers: tuple[tuple[str, str], ...], problems: list[FormProblem]) -> bytes:
    if not form.body.strip():
        return b""
    try:
        body = form.body.encode()
    except UnicodeEncodeError as error:
        before = form.body[: error.start]
        place = before.count("\n") + 1, error.start - before.rfind("\n")
        problems.append(FormProblem("body", "an incomplete Unicode character can't be sent; remove it", *place))
        return b""
    if _is_json(headers):
        try:
            loads(form.body)
        except JsonError as error:
            blank = first_blank(form.body)
            reason = f"fill in {form.body[slice(*blank)]}" if blank else f"not valid JSON: {error.reason}"
            problems.append(FormProblem("body", reason, error.line, error.column, blank is not None))
    return body


def _is_json(headers: Iterable[tuple[str, str]]) -> bool:
    """Return whether the first Content-Type among the headers is JSON, or none is named."""
    return "json" in next((value.lower() for name, value in headers if name.lower() == "content-type"), "json")


def _query_field_text(pairs: Iterable[tuple[str, str]], separators: str) -> str:
    return "&".join(
        f"{encode_query_text(name, separators + '=?')}={encode_query_text(value, separators)}" for name, value in pairs
    )


def encode_query_text(text: str, separators: str) -> str:
    """Return the text for the query field, with only `separators`, invisible characters and outer blanks encoded."""
    last = len(text) - 1
    return "".join(
        quote(character, safe="", errors="replace")
        if character in separators or not character.isprintable() or (character == " " and place in (0, last))
        else character
        for place, character in enumerate(text)
    )
