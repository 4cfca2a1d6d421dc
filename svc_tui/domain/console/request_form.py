"""What stands in the fields of a request form, read into a request, with every problem named by its place."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote

from svc_tui.domain.http.headers import is_token
from svc_tui.domain.http.routes import expand_path
from svc_tui.domain.http.signing import ForeignSignature
from svc_tui.domain.model.catalog import BLANK, VERSION_PREFIX, Collection, Domain, Route, find_collection
from svc_tui.domain.model.jsontext import JsonError, loads
from svc_tui.domain.model.requests import RequestSpec

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
"""The methods offered; any other can be typed."""

BODYLESS_METHODS = frozenset({"GET", "HEAD"})
"""Methods whose body means nothing (RFC 9110, 9.3.1 and 9.3.2): one that was typed stays here."""

FormField: TypeAlias = Literal["method", "path", "query", "headers", "body"]


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The fields as they were typed.

    `query` is `key=value` pairs with `&` or a line end between them, percent-encoded where a character would be
    taken for a separator; `headers` is one `Name: value` a line; `body` is text, or `@` and the name of the file that
    it is in (`@@` begins a text that begins with `@`). `note` says what a filled-in form had to leave out.
    """

    method: str = "GET"
    path: str = ""
    query: str = ""
    headers: str = ""
    body: str = ""
    note: str = ""
    signature: ForeignSignature | None = field(default=None, compare=False, repr=False)
    """The signature of a pasted request, to be judged; it is never sent nor kept."""

    @property
    def takes_body(self) -> bool:
        """Whether the body goes out."""
        return self.method.upper() not in BODYLESS_METHODS


@dataclass(frozen=True, slots=True)
class FormProblem:
    """Why the form can't be sent; `line` and `column` count from 1 within the field, 0 where there is no place."""

    field: FormField
    message: str
    line: int = 0
    column: int = 0
    blank: bool = False
    """Whether it is but a `{name}` that waits for its value."""

    def __str__(self) -> str:
        if not self.line:
            return self.message
        place = f"line {self.line}, column {self.column}" if self.column else f"line {self.line}"
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class ComposedRequest:
    """The request that a form describes; to be sent only without problems, and with the body that is in `file`."""

    spec: RequestSpec
    problems: tuple[FormProblem, ...] = field(default=())
    file: str = ""

    def problem_of(self, name: FormField) -> FormProblem | None:
        """The first problem of a field."""
        return next((problem for problem in self.problems if problem.field == name), None)


def compose_request(form: RequestForm, collections: tuple[Collection, ...] = ()) -> ComposedRequest:
    """Read the form; the body is checked as JSON unless the headers name another type for it.

    A path that begins with the name of one of `collections` alone is that one's.
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
    """The form without the header `name` where it has it; else with `key` in it, where there is one."""
    lines = form.headers.splitlines()
    others = [line for line in lines if line.partition(":")[0].strip().lower() != name.lower()]
    if len(others) == len(lines) and key:
        others.append(f"{name}: {key}")
    return form if others == lines else replace(form, headers="\n".join(others))


def form_of(source: Route | RequestSpec) -> RequestForm:
    """The form that makes this route or request again; `{name}` stays where a value is to be filled in."""
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
    """The beginning of a field's name that ends the JSON `before` a cursor; None: no name of the outer object's."""
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
    """The position of the first `{name}` without a value; None where there is none."""
    match = BLANK.search(text)
    return match.span() if match else None


@dataclass(frozen=True, slots=True)
class KnownPath:
    """A path offered for completion; `method` is "" where any may lead there, or to what is below it."""

    path: str
    method: str = ""
    short: str = ""
    """The same path begun with the collection's name alone, which `expand_path` spells out; "" where there is none."""

    def serves(self, method: str) -> bool:
        """Whether a request with `method` has a sense there; HEAD goes where GET goes (RFC 9110, 9.3.2)."""
        wanted = method.upper()
        return self.method in ("", "GET" if wanted == "HEAD" else wanted)


def known_paths(domains: Iterable[Domain], routes: Iterable[Route]) -> tuple[KnownPath, ...]:
    """The paths offered for completion: collections first, then routes."""
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
    """The first of `paths` that begins with what was typed, with or without `/v1`, and that `method` may have.

    None: there is none.

    A `{name}` in a path stands for whatever was typed there, and is itself never proposed.
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


def json_body(form: RequestForm) -> str:
    """The text of the body where it goes out, as JSON, as it stands in the form; else ""."""
    sent = form.takes_body and not form.body.startswith("@") and _is_json(tuple(_parse_headers(form.headers, [])))
    return form.body if sent else ""


def _is_json(headers: tuple[tuple[str, str], ...]) -> bool:
    named = _content_type(headers)
    return not named or "json" in named


def _content_type(headers: tuple[tuple[str, str], ...]) -> str:
    return next((value.lower() or "none" for name, value in headers if name.lower() == "content-type"), "")


def _query_field_text(pairs: Iterable[tuple[str, str]], separators: str) -> str:
    return "&".join(
        f"{encode_query_text(name, separators + '=?')}={encode_query_text(value, separators)}" for name, value in pairs
    )


def encode_query_text(text: str, separators: str) -> str:
    """`text` as it is written in the query field: only what would be taken for something else is encoded."""
    last = len(text) - 1
    return "".join(
        quote(character, safe="", errors="replace")
        if character in separators or not character.isprintable() or (character == " " and place in (0, last))
        else character
        for place, character in enumerate(text)
    )
