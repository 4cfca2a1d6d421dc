"""Saved requests: a request with a name and with placeholders for values, stored as a TOML file that can be shared.

Placeholders are filled as those of the form are (`console.request_form`); headers and bodies that are not JSON have
none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import unquote

from msgspec import Struct

from svc_tui.console.request_form import RequestForm, compose_request, encode_query_text, fill_blanks, value_form
from svc_tui.core.catalog import BLANK, Collection
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.filters import parse_filter
from svc_tui.core.jsontext import dumps
from svc_tui.core.records import Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.spelling import nearest_name
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.headers import carries_identity, check_headers
from svc_tui.service.redact import holds_secret_text, mask_keys
from svc_tui.service.routes import expand_path, target_of

SavedRequestKey: TypeAlias = Literal["name", "description", "method", "path", "query", "headers", "body"]
"""A key of the file."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NOT_IN_TOML = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""Characters that a literal string of TOML can't contain."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class SavedRequestError(ValueError):
    """Why a request can't be saved, found or sent, on one line."""


class MissingValues(SavedRequestError):
    """Placeholders of a saved request have no value."""


class SavedRequest(Struct, frozen=True):
    """A request with a name; `file` is the name of its file without the extension."""

    name: str
    form: RequestForm
    description: str = ""
    file: str = ""

    def request(self, values: Mapping[str, str]) -> RequestSpec:
        """Return the request with the values. Raises SavedRequestError for missing or wrong values."""
        names = [line.name for line in value_form(self.form).lines]
        if missing := [name for name in names if name not in values]:
            raise MissingValues(f"{self.name} needs values for {', '.join(missing)}")
        if unknown := [name for name in values if name not in names]:
            close = nearest_name(unknown[0], names)
            placeholders = f"its placeholders: {', '.join(names)}" if names else "it has no placeholders"
            hint = f'did you mean "{close}"?' if close else placeholders
            raise SavedRequestError(f"{self.name} has no placeholder {unknown[0]}; {hint}")
        try:
            return compose_request(fill_blanks(self.form, values)).spec
        except (ValueProblem, RequestRefused) as error:
            raise SavedRequestError(f"{self.name}: {str(error).rstrip('.')}") from None


class DamagedRequest(Struct, frozen=True):
    """A file that can't be read as a saved request; `mistake` names file, line and key."""

    file: str
    mistake: str


SavedRequestFile: TypeAlias = SavedRequest | DamagedRequest


def find_mistakes(saved: SavedRequest, secrets: Sequence[str] = ()) -> Iterator[tuple[SavedRequestKey, str]]:
    """Yield what is wrong with a saved request, with the key of the file."""
    form = saved.form
    if not saved.name.strip():
        yield "name", "is empty; enter a name"
    texts: dict[SavedRequestKey, str] = {
        "name": saved.name,
        "description": saved.description,
        "method": form.method,
        "path": f"{form.path}\n{unquote(form.path)}",
        "query": f"{form.query}\n{unquote(form.query)}",
        "headers": form.headers,
        "body": form.body,
    }
    for key, text in texts.items():
        verb = "contain" if key == "headers" else "contains"
        if mask_keys(text) != text or holds_secret_text(text, secrets):
            yield key, f"{verb} an API key or signing secret; remove it. Requests use the key of the profile"
            return
        if _LONE_SURROGATE.search(text):
            yield key, f"{verb} an incomplete Unicode character; remove it"
            return
    for line in form.headers.splitlines():
        name = line.partition(":")[0].strip()
        if carries_identity(name):
            yield "headers", f"contain {mask_keys(name)[:40]} with credentials; remove it. The profile provides them"
            return
    if form.path.strip() and not form.path.startswith("/"):
        yield "path", "must begin with /, such as /v1/operations/lots"
    # Values as long as their placeholders, so that the columns of mistakes are right.
    sample = {line.name: "1" + "0" * (len(line.name) + 1) for line in value_form(form).lines}
    composed = compose_request(fill_blanks(form, sample))
    for problem in composed.problems:
        yield problem.field, f"can't be sent: {problem}"
    try:
        check_headers(composed.spec.headers)
    except RequestRefused as error:
        yield "headers", f"can't be sent: {error}"
    try:
        target_of(composed.spec.path, composed.spec.query)
    except RequestRefused as error:
        yield "path", f"can't be used: {error}"


def make_saved_request(
    form: RequestForm, name: str, description: str, collections: tuple[Collection, ...], secrets: Sequence[str]
) -> SavedRequest:
    """Return the form's request with a name. Raises SavedRequestError."""
    if form.takes_body and form.body.startswith("@") and not form.body.startswith("@@"):
        raise SavedRequestError("The body is in a file. A saved request must contain the whole body: paste it here.")
    path, _, query = expand_path(form.path.strip(), collections).partition("?")
    query = "&".join(filter(None, (query, *(line.strip().removeprefix("?") for line in form.query.splitlines()))))
    if path and not path.startswith("/"):
        path = f"/{path}"
    form = replace(form, method=form.method.strip().upper(), path=path, query=query, note="")
    if not form.takes_body:
        form = replace(form, body="")
    saved = SavedRequest(name.strip(), form, description.strip())
    for key, why in find_mistakes(saved, secrets):
        raise SavedRequestError(f"The {key} {why}.")
    return saved


def to_toml(saved: SavedRequest) -> str:
    """Return the text of the file, in TOML 1.0, without keys that are empty."""
    form = saved.form
    lines = [f"name = {_toml_string(saved.name)}"]
    if saved.description:
        lines.append(f"description = {_toml_string(saved.description)}")
    lines += [f"method = {_toml_string(form.method)}", f"path = {_toml_string(form.path)}"]
    body = form.body.removeprefix("@") if form.body.startswith("@@") else form.body
    if body:
        lines.append(f"body = {_toml_string(body)}")
    pairs = _query_table(form.query)
    if pairs is None:
        lines.append(f"query = {_toml_string(form.query)}")
    elif pairs:
        lines += ["", "[query]", *(f"{_toml_key(name)} = {_toml_values(values)}" for name, values in pairs.items())]
    if form.headers.strip():
        headers = group_values(
            tuple(part.strip() for part in line.split(":", 1)) for line in form.headers.splitlines() if line
        )
        lines += ["", "[headers]", *(f"{_toml_key(name)} = {_toml_values(values)}" for name, values in headers.items())]
    return "\n".join((*lines, ""))


def form_from_file(
    method: str, path: str, query: str | Mapping[str, Sequence[str]], headers: Mapping[str, Sequence[str]], body: str
) -> RequestForm:
    """Return the form of a file; a query is a table of plain texts with placeholders, or text as typed."""
    if not isinstance(query, str):
        query = "&".join(
            f"{_encode_typed(name, '=?')}={_encode_typed(value)}" for name, values in query.items() for value in values
        )
    lines = "\n".join(f"{name}: {value}" for name, values in headers.items() for value in values)
    return RequestForm(method, path, query, lines, f"@{body}" if body.startswith("@") else body)


def _query_table(query: str) -> dict[str, list[str]] | None:
    """Return the typed query as a table of plain texts; None if that would change it."""
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    table = group_values((unquote(name), unquote(value)) for name, _, value in pairs)
    return table if form_from_file("", "", table, {}, "").query == "&".join(f"{n}={v}" for n, _, v in pairs) else None


def _encode_typed(text: str, separators: str = "") -> str:
    """Return a plain text as it is typed into a query: separators and braces that are no placeholder are encoded."""
    at, pieces = 0, []
    for blank in BLANK.finditer(text):
        pieces += [encode_query_text(text[at : blank.start()], f"%&{{}}{separators}"), blank[0]]
        at = blank.end()
    return "".join((*pieces, encode_query_text(text[at:], f"%&{{}}{separators}")))


def group_values(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Return the pairs as a table of names with their values."""
    table: dict[str, list[str]] = {}
    for name, value in pairs:
        table.setdefault(name, []).append(value)
    return table


def file_name(name: str) -> str:
    """Return the file name for a request's name, without extension: `split-a-lot`."""
    return "-".join(re.findall(r"\w+", name.casefold()))[:80] or "request"


def find_by_name(files: Iterable[SavedRequestFile], wanted: str, where: str) -> SavedRequest:
    """Return the saved request with that name or file name; `where` is the directory. Raises SavedRequestError."""
    saved, damaged = list[SavedRequest](), list[DamagedRequest]()
    for file in files:
        if isinstance(file, SavedRequest):
            saved.append(file)
        else:
            damaged.append(file)
    matches = [request for request in saved if request.file == wanted] or [
        request for request in saved if request.name.casefold() == wanted.casefold()
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(request.file for request in matches)
        raise SavedRequestError(f'{len(matches)} saved requests are named "{wanted}"; use the file name: {names}')
    for file in damaged:
        if file.file == wanted:
            raise SavedRequestError(file.mistake)
    names = ", ".join(request.name for request in saved)
    close = nearest_name(wanted, [request.file for request in saved] + [request.name for request in saved])
    hint = f'did you mean "{close}"?' if close else f"available: {names}" if saved else "there are none yet"
    if damaged:
        hint += f"; {len(damaged)} can't be used: {damaged[0].mistake}"
    raise SavedRequestError(f'no saved request in {where} is named "{wanted}"; {hint}')


def find_requests(saved: Iterable[SavedRequest], text: str) -> list[SavedRequest]:
    """Return the saved requests that match `text`, a filter as in a table (`split method:post`), in their order."""
    names = ("name", "method", "path", "note")
    request_filter = parse_filter(text, {name: name for name in names})
    if not request_filter:
        return []
    matches = request_filter.matcher()

    def is_match(request: SavedRequest) -> bool:
        values = (request.name, request.form.method, request.form.path, request.description)
        return matches(Record(dict(zip(names, values, strict=True))))

    return list(filter(is_match, saved))


def _toml_values(values: Sequence[str]) -> str:
    return _toml_string(values[0]) if len(values) == 1 else f"[{', '.join(map(_toml_string, values))}]"


def _toml_key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _toml_basic_string(name)


def _toml_string(text: str) -> str:
    """Return the text as a literal string if possible, which is easier to read."""
    if "\n" in text and "'''" not in text and text[-1] != "'" and not _NOT_IN_TOML.search(text.replace("\n", "")):
        return f"'''\n{text}'''"
    if ('"' in text or "\\" in text) and "'" not in text and not _NOT_IN_TOML.search(text):
        return f"'{text}'"
    return _toml_basic_string(text)


def _toml_basic_string(text: str) -> str:
    return dumps(text).replace("\x7f", "\\u007f")
