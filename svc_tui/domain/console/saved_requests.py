"""Saved requests: a request under a name, with `{name}`s that ask for values, as a small TOML text that can be shared.

Placeholders are filled as a route's are (see `domain.filling`); a body that is not JSON, and headers, have none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from urllib.parse import unquote

from svc_tui.domain.console.blanks import filled, wanted
from svc_tui.domain.console.request_form import RequestForm, compose, query_text, resolved
from svc_tui.domain.editing.field_entry import ValueProblem
from svc_tui.domain.editing.forms import FieldForm as Questions
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.headers import carries_identity, check_headers
from svc_tui.domain.http.redact import holds, masked_keys
from svc_tui.domain.http.routes import target_of
from svc_tui.domain.model.catalog import BLANK, Collection
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.model.spelling import nearest

Key: TypeAlias = Literal["name", "description", "method", "path", "query", "headers", "body"]
"""A key of the file."""

LARGEST = 1_000_000
"""Bytes of a file that are read."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NOT_IN_TOML = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What stands in no literal string of TOML."""
_HALF = re.compile("[\ud800-\udfff]")


class SavedRequestProblem(ValueError):
    """Why something can't be a saved request, or why one can't be made into a request; one line for people."""


class ValuesMissing(SavedRequestProblem):
    """A saved request asks for more than it was given."""


@dataclass(frozen=True, slots=True)
class SavedRequest:
    """A request that was given a name: `form` is it with its blanks, `file` the file's name without ending."""

    name: str
    form: RequestForm
    description: str = ""
    file: str = ""

    @property
    def questions(self) -> Questions:
        """A line for each value that it asks for, in the order in which they stand."""
        return wanted(self.form)

    def filled(self, values: Mapping[str, str]) -> RequestForm:
        """The form with the values in it; raises SavedRequestProblem for one that is missing, unknown or unfit."""
        names = tuple(line.name for line in self.questions.lines)
        if missing := [name for name in names if name not in values]:
            raise ValuesMissing(f"{self.name} asks for {_listed(missing)}")
        for name in values:
            if name not in names:
                raise SavedRequestProblem(f"{self.name} asks for no {name}{_asked_instead(names, name)}")
        try:
            return filled(self.form, values)
        except (ValueProblem, RequestRefused) as error:
            raise SavedRequestProblem(f"{self.name}: {str(error).rstrip('.')}") from None

    def request(self, values: Mapping[str, str]) -> RequestSpec:
        """The request with the values in it; raises SavedRequestProblem as `filled` does."""
        return compose(self.filled(values)).spec


@dataclass(frozen=True, slots=True)
class DamagedRequest:
    """A file of saved requests that can't be used; `mistake` names file, line and key."""

    file: str
    mistake: str


Kept: TypeAlias = SavedRequest | DamagedRequest


def mistakes(saved: SavedRequest, secrets: Sequence[str] = ()) -> Iterator[tuple[Key, str]]:
    """What is wrong with a saved request, by the key of the file that it is wrong at; nothing: it is sound."""
    form = saved.form
    if not saved.name.strip():
        yield "name", "is empty; give it a name"
    texts: tuple[tuple[Key, str], ...] = (
        ("name", saved.name),
        ("description", saved.description),
        ("method", form.method),
        ("path", form.path),
        ("query", f"{form.query}\n{unquote(form.query)}"),
        ("headers", form.headers),
        ("body", form.body),
    )
    for key, text in texts:
        if masked_keys(text) != text or holds(text, secrets):
            yield key, f"{_verb(key)} a key or a secret; take it out, the profile's own identifies every request"
            return
        if _HALF.search(text):
            yield key, f"{_verb(key)} half a character, which can't be written to a file"
            return
    for line in form.headers.splitlines():
        name = line.partition(":")[0].strip()
        if carries_identity(name):
            yield "headers", f"hold {masked_keys(name)[:40]}, which says who asks; the profile does that"
            return
    if form.path.strip() and not form.path.startswith("/"):
        yield "path", "begins elsewhere than at /; write it out, such as /v1/operations/lots"
    # Values as long as their blanks, so that a mistake is told where it stands.
    sample = {line.name: "1" + "0" * (len(line.name) + 1) for line in saved.questions.lines}
    composed = compose(filled(form, sample))
    for problem in composed.problems:
        yield problem.field, f"can't be sent: {problem}"
    try:
        check_headers(composed.spec.headers)
    except RequestRefused as error:
        yield "headers", f"can't be sent: {error}"
    try:
        target_of(composed.spec.path, composed.spec.query)
    except RequestRefused as error:
        yield "path", f"can't be called: {error}"


def saved_from(
    form: RequestForm, name: str, description: str, collections: tuple[Collection, ...], secrets: Sequence[str]
) -> SavedRequest:
    """What stands in a form, under a name; each `{name}` in it asks for a value. Raises SavedRequestProblem."""
    if form.takes_body and form.body.startswith("@") and not form.body.startswith("@@"):
        raise SavedRequestProblem("The body is in a file: write it out, a saved request holds it whole.")
    path, _, asked = resolved(form.path.strip(), collections).partition("?")
    query = "&".join(filter(None, (asked, *(line.strip().removeprefix("?") for line in form.query.splitlines()))))
    if path and not path.startswith("/"):
        path = f"/{path}"
    kept = replace(form, method=form.method.strip().upper(), path=path, query=query, note="")
    if not form.takes_body:
        kept = replace(kept, body="")
    saved = SavedRequest(name.strip(), kept, description.strip())
    for key, why in mistakes(saved, secrets):
        raise SavedRequestProblem(f"The {key} {why}.")
    return saved


def as_toml(saved: SavedRequest) -> str:
    """The text of the file: only what is there, a body of several lines as such; TOML 1.0."""
    form = saved.form
    lines = [f"name = {_text(saved.name)}"]
    if saved.description:
        lines.append(f"description = {_text(saved.description)}")
    lines += [f"method = {_text(form.method)}", f"path = {_text(form.path)}"]
    body = form.body.removeprefix("@") if form.body.startswith("@@") else form.body
    if body:
        lines.append(f"body = {_text(body)}")
    pairs = _table_of(form.query)
    if pairs is None:
        lines.append(f"query = {_text(form.query)}")
    elif pairs:
        lines += ["", "[query]", *(f"{_key(name)} = {_values(values)}" for name, values in pairs.items())]
    if form.headers.strip():
        headers = grouped(
            tuple(part.strip() for part in line.split(":", 1)) for line in form.headers.splitlines() if line
        )
        lines += ["", "[headers]", *(f"{_key(name)} = {_values(values)}" for name, values in headers.items())]
    return "\n".join((*lines, ""))


def form_in(
    method: str, path: str, query: str | Mapping[str, Sequence[str]], headers: Mapping[str, Sequence[str]], body: str
) -> RequestForm:
    """The form that a file writes: a table of the query holds plain texts with blanks in them, a text is as typed."""
    if not isinstance(query, str):
        query = "&".join(f"{_typed(name, '=?')}={_typed(value)}" for name, values in query.items() for value in values)
    lines = "\n".join(f"{name}: {value}" for name, values in headers.items() for value in values)
    return RequestForm(method, path, query, lines, f"@{body}" if body.startswith("@") else body)


def _table_of(query: str) -> dict[str, list[str]] | None:
    """The typed query as a table of plain texts; None where a table can't say the same."""
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    table = grouped((unquote(name), unquote(value)) for name, _, value in pairs)
    return table if form_in("", "", table, {}, "").query == "&".join(f"{n}={v}" for n, _, v in pairs) else None


def _typed(text: str, separators: str = "") -> str:
    """A plain text with blanks as it is typed into a query: all that would be read otherwise is encoded."""
    at, pieces = 0, []
    for blank in BLANK.finditer(text):
        pieces += [query_text(text[at : blank.start()], f"%&{{}}{separators}"), blank[0]]
        at = blank.end()
    return "".join((*pieces, query_text(text[at:], f"%&{{}}{separators}")))


def grouped(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Pairs of name and value as a table, the values of one name together."""
    table: dict[str, list[str]] = {}
    for name, value in pairs:
        table.setdefault(name, []).append(value)
    return table


def _verb(key: Key) -> str:
    return "hold" if key == "headers" else "holds"


def file_name(name: str) -> str:
    """A file's name for a request called so, without ending: `split-a-lot`."""
    return "-".join(re.findall(r"\w+", name.casefold()))[:80] or "request"


def named(kept: Iterable[Kept], wanted: str, where: str) -> SavedRequest:
    """The one that is called so, or whose file is; raises SavedRequestProblem; `where` is the directory."""
    everything = tuple(kept)
    sound = [one for one in everything if isinstance(one, SavedRequest)]
    found = [one for one in sound if one.file == wanted] or [
        one for one in sound if one.name.casefold() == wanted.casefold()
    ]
    if len(found) > 1:
        raise SavedRequestProblem(
            f'{len(found)} saved requests are called "{wanted}"; name the file: {_listed([one.file for one in found])}'
        )
    if found:
        return found[0]
    for one in everything:
        if isinstance(one, DamagedRequest) and one.file == wanted:
            raise SavedRequestProblem(one.mistake)
    names = [one.name for one in sound]
    close = nearest(wanted, (*(one.file for one in sound), *names))
    there = f'did you mean "{close}"?' if close else f"there are: {_listed(names)}" if names else "there are none yet"
    damaged = [one.mistake for one in everything if isinstance(one, DamagedRequest)]
    also = f"; {len(damaged)} can't be used, such as {damaged[0]}" if damaged else ""
    raise SavedRequestProblem(f'no saved request in {where} is called "{wanted}"; {there}{also}')


def _values(values: Sequence[str]) -> str:
    return _text(values[0]) if len(values) == 1 else f"[{', '.join(map(_text, values))}]"


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _basic(name)


def _text(text: str) -> str:
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
    return _basic(text)


def _basic(text: str) -> str:
    return dumps(text).replace("\x7f", "\\u007f")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _asked_instead(names: Sequence[str], wanted: str) -> str:
    close = nearest(wanted, names)
    if close:
        return f'; did you mean "{close}"?'
    return f"; it asks for {_listed(names)}" if names else "; it asks for nothing"
