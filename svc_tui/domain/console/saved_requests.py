"""Saved requests: a request under a name, with `{name}`s that ask for values, as a small TOML text that can be shared.

Placeholders are filled as a route's are (see `domain.console.blanks`); a body that is not JSON, and headers, have none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from urllib.parse import unquote

from svc_tui.domain.console.blanks import fill_blanks, value_form
from svc_tui.domain.console.request_form import RequestForm, compose_request, encode_query_text
from svc_tui.domain.editing.field_entry import ValueProblem
from svc_tui.domain.editing.forms import FieldForm as Questions
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.headers import carries_identity, check_headers
from svc_tui.domain.http.redact import holds_secret_text, mask_keys
from svc_tui.domain.http.routes import expand_path, target_of
from svc_tui.domain.model.catalog import BLANK, Collection
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.model.spelling import nearest_name

SavedRequestKey: TypeAlias = Literal["name", "description", "method", "path", "query", "headers", "body"]
"""A key of the file."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NOT_IN_TOML = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What stands in no literal string of TOML."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class SavedRequestError(ValueError):
    """Why something can't be a saved request, or why one can't be made into a request; one line for people."""


class MissingValues(SavedRequestError):
    """A saved request asks for more than it was given."""


@dataclass(frozen=True, slots=True)
class SavedRequest:
    """A request that was given a name: `form` is it with its blanks, `file` the file's name without ending."""

    name: str
    form: RequestForm
    description: str = ""
    file: str = ""

    @property
    def value_form(self) -> Questions:
        """A line for each value that it asks for, in the order in which they stand."""
        return value_form(self.form)

    def filled(self, values: Mapping[str, str]) -> RequestForm:
        """The form with the values in it; raises SavedRequestError for one that is missing, unknown or unfit."""
        names = tuple(line.name for line in self.value_form.lines)
        if missing := [name for name in names if name not in values]:
            raise MissingValues(f"{self.name} needs values for {_join_names(missing)}")
        for name in values:
            if name not in names:
                raise SavedRequestError(f"{self.name} has no placeholder {name}{_suggestion(names, name)}")
        try:
            return fill_blanks(self.form, values)
        except (ValueProblem, RequestRefused) as error:
            raise SavedRequestError(f"{self.name}: {str(error).rstrip('.')}") from None

    def request(self, values: Mapping[str, str]) -> RequestSpec:
        """The request with the values in it; raises SavedRequestError as `fill_blanks` does."""
        return compose_request(self.filled(values)).spec


@dataclass(frozen=True, slots=True)
class DamagedRequest:
    """A file of saved requests that can't be used; `mistake` names file, line and key."""

    file: str
    mistake: str


SavedRequestFile: TypeAlias = SavedRequest | DamagedRequest


def find_mistakes(saved: SavedRequest, secrets: Sequence[str] = ()) -> Iterator[tuple[SavedRequestKey, str]]:
    """What is wrong with a saved request, by the key of the file that it is wrong at; nothing: it is sound."""
    form = saved.form
    if not saved.name.strip():
        yield "name", "is empty; enter a name"
    texts: tuple[tuple[SavedRequestKey, str], ...] = (
        ("name", saved.name),
        ("description", saved.description),
        ("method", form.method),
        ("path", f"{form.path}\n{unquote(form.path)}"),
        ("query", f"{form.query}\n{unquote(form.query)}"),
        ("headers", form.headers),
        ("body", form.body),
    )
    for key, text in texts:
        if mask_keys(text) != text or holds_secret_text(text, secrets):
            yield (
                key,
                f"{_holds_verb(key)} an API key or signing secret; remove it. Requests use the key of the profile",
            )
            return
        if _LONE_SURROGATE.search(text):
            yield key, f"{_holds_verb(key)} an incomplete Unicode character; remove it"
            return
    for line in form.headers.splitlines():
        name = line.partition(":")[0].strip()
        if carries_identity(name):
            yield (
                "headers",
                f"contain {mask_keys(name)[:40]} with credentials; remove it. The profile provides them",
            )
            return
    if form.path.strip() and not form.path.startswith("/"):
        yield "path", "must begin with /, such as /v1/operations/lots"
    # Values as long as their blanks, so that a mistake is told where it stands.
    sample = {line.name: "1" + "0" * (len(line.name) + 1) for line in saved.value_form.lines}
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
    """A form's contents under a name; each `{name}` in it asks for a value. Raises SavedRequestError."""
    if form.takes_body and form.body.startswith("@") and not form.body.startswith("@@"):
        raise SavedRequestError("The body is in a file. A saved request must contain the whole body: paste it here.")
    path, _, query = expand_path(form.path.strip(), collections).partition("?")
    query = "&".join(filter(None, (query, *(line.strip().removeprefix("?") for line in form.query.splitlines()))))
    if path and not path.startswith("/"):
        path = f"/{path}"
    entry = replace(form, method=form.method.strip().upper(), path=path, query=query, note="")
    if not form.takes_body:
        entry = replace(entry, body="")
    saved = SavedRequest(name.strip(), entry, description.strip())
    for key, why in find_mistakes(saved, secrets):
        raise SavedRequestError(f"The {key} {why}.")
    return saved


def to_toml(saved: SavedRequest) -> str:
    """The text of the file: only what is there, a body of several lines as such; TOML 1.0."""
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
    """The form that a file writes: a table of the query holds plain texts with blanks in them, a text is as typed."""
    if not isinstance(query, str):
        query = "&".join(
            f"{_encode_typed(name, '=?')}={_encode_typed(value)}" for name, values in query.items() for value in values
        )
    lines = "\n".join(f"{name}: {value}" for name, values in headers.items() for value in values)
    return RequestForm(method, path, query, lines, f"@{body}" if body.startswith("@") else body)


def _query_table(query: str) -> dict[str, list[str]] | None:
    """The typed query as a table of plain texts; None where a table can't say the same."""
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    table = group_values((unquote(name), unquote(value)) for name, _, value in pairs)
    return table if form_from_file("", "", table, {}, "").query == "&".join(f"{n}={v}" for n, _, v in pairs) else None


def _encode_typed(text: str, separators: str = "") -> str:
    """A plain text with blanks as it is typed into a query: all that would be read otherwise is encoded."""
    at, pieces = 0, []
    for blank in BLANK.finditer(text):
        pieces += [encode_query_text(text[at : blank.start()], f"%&{{}}{separators}"), blank[0]]
        at = blank.end()
    return "".join((*pieces, encode_query_text(text[at:], f"%&{{}}{separators}")))


def group_values(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Pairs of name and value as a table, the values of one name together."""
    table: dict[str, list[str]] = {}
    for name, value in pairs:
        table.setdefault(name, []).append(value)
    return table


def _holds_verb(key: SavedRequestKey) -> str:
    return "contain" if key == "headers" else "contains"


def file_name(name: str) -> str:
    """A file's name for a request called so, without ending: `split-a-lot`."""
    return "-".join(re.findall(r"\w+", name.casefold()))[:80] or "request"


def find_by_name(entry: Iterable[SavedRequestFile], wanted: str, where: str) -> SavedRequest:
    """The saved request with that name or file name; `where` is the directory. Raises SavedRequestError."""
    everything = tuple(entry)
    sound = [one for one in everything if isinstance(one, SavedRequest)]
    matches = [one for one in sound if one.file == wanted] or [
        one for one in sound if one.name.casefold() == wanted.casefold()
    ]
    if len(matches) > 1:
        raise SavedRequestError(
            f'{len(matches)} saved requests are named "{wanted}"; '
            f"use the file name: {_join_names([one.file for one in matches])}"
        )
    if matches:
        return matches[0]
    for one in everything:
        if isinstance(one, DamagedRequest) and one.file == wanted:
            raise SavedRequestError(one.mistake)
    names = [one.name for one in sound]
    close = nearest_name(wanted, (*(one.file for one in sound), *names))
    there = (
        f'did you mean "{close}"?' if close else f"available: {_join_names(names)}" if names else "there are none yet"
    )
    damaged = [one.mistake for one in everything if isinstance(one, DamagedRequest)]
    also = f"; {len(damaged)} can't be used: {damaged[0]}" if damaged else ""
    raise SavedRequestError(f'no saved request in {where} is named "{wanted}"; {there}{also}')


def _toml_values(values: Sequence[str]) -> str:
    return _toml_string(values[0]) if len(values) == 1 else f"[{', '.join(map(_toml_string, values))}]"


def _toml_key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _toml_basic_string(name)


def _toml_string(text: str) -> str:
    """The text as TOML writes it, in the form that is best to read."""
    if (
        "\n" in text
        and "'''" not in text
        and not text.endswith("'")
        and not _NOT_IN_TOML.search(text.replace("\n", ""))
    ):
        return f"'''\n{text}'''"
    if ('"' in text or "\\" in text) and "'" not in text and not _NOT_IN_TOML.search(text):
        return f"'{text}'"
    return _toml_basic_string(text)


def _toml_basic_string(text: str) -> str:
    return dumps(text).replace("\x7f", "\\u007f")


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names)


def _suggestion(names: Sequence[str], wanted: str) -> str:
    close = nearest_name(wanted, names)
    if close:
        return f'; did you mean "{close}"?'
    return f"; its placeholders: {_join_names(names)}" if names else "; it has no placeholders"
