"""What is copied of records: id, value, JSON, CSV, the request for a shell, a link for a colleague; many as a table."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from svc_tui.domain.console.command_lines import Headers, Unwritable, curl_line, python_code, request_line
from svc_tui.domain.console.links import link
from svc_tui.domain.console.request_form import RequestForm
from svc_tui.domain.console.saved_requests import SavedRequestProblem, as_toml, saved_from
from svc_tui.domain.data.export_formats import Format, whole
from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.kinds import editable, kind_of_value
from svc_tui.domain.http.routes import PlaceError, addressable, parse_place
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.jsontext import Json, dumps, uncommanding
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import SignedRequest

_BEGINNING = 200
"""Characters of a text that are enough to tell it from others."""


@dataclass(frozen=True, slots=True)
class Copy:
    """One thing that can be copied: the letter that chooses it, what it is, how the text begins, and how it is made.

    That of many records takes a while to make, so it is made when it is wanted.
    """

    key: str
    label: str
    beginning: str
    make: Callable[[], str]

    @classmethod
    def of(cls, key: str, label: str, text: str) -> "Copy":
        """A text that is there already."""
        return cls(key, label, text[:_BEGINNING], lambda: text)


def record_json(record: Record) -> str:
    """The record as indented JSON, numbers as they came, without a line feed at the end."""
    return uncommanding(dumps(record.fields, indent=2))


def value_text(value: Json | Absent) -> str:
    """A value as it is pasted: a text bare, everything else as JSON, an absent one as nothing."""
    return "null" if value is None else editable(value, kind_of_value(value))


def copies(
    environment: Environment,
    host: str,
    place: Place,
    record: Record | None = None,
    path: str | None = None,
    request: SignedRequest | None = None,
    marked: Sequence[Record] = (),
) -> tuple[Copy, ...]:
    """What can be copied at a place: of the record there, of the value at `path` in it, of the marked records.

    `request` reads the record; None where it can't be asked for.
    """
    found: list[Copy] = []
    if place.record_id is not None:
        found.append(Copy.of("i", "id", place.record_id))
    if record is not None:
        value = ABSENT if path is None else value_at(record.fields, path)
        if path is not None and not isinstance(value, Absent) and value_text(value) != place.record_id:
            found.append(Copy.of("v", path, value_text(value)))
        found.append(Copy.of("j", "record as JSON", record_json(record)))
        found.append(Copy.of("c", "record as CSV", whole(Format.CSV, [record.fields])))
    if request is not None:
        with suppress(Unwritable):
            found.append(Copy.of("r", "request", request_line(request)))
            found.append(Copy.of("u", "request as curl", curl_line(request)))
    if addressable(place):
        found.append(Copy.of("l", "link", link(environment, host, place)))
    return (*found, *_copies_of_many(marked))


def _copies_of_many(records: Sequence[Record]) -> tuple[Copy, ...]:
    if not records:
        return ()
    ids = [record.id or "" for record in records]
    fields, count = [record.fields for record in records], f"{len(records):,} marked"
    beginning = ", ".join(ids[:8])
    return (
        Copy("I", f"{count}: ids", beginning, lambda: "\n".join(ids)),
        Copy("J", f"{count} as JSON", beginning, lambda: uncommanding(whole(Format.JSON, fields))),
        Copy("C", f"{count} as CSV", beginning, partial(whole, Format.CSV, fields)),
        Copy("M", f"{count} as Markdown", beginning, partial(whole, Format.MARKDOWN, fields)),
    )


def request_copies(
    environment: Environment,
    host: str,
    request: SignedRequest,
    headers: Headers,
    collections: tuple[Collection, ...],
    form: RequestForm,
) -> tuple[Copy, ...]:
    """What can be copied of the request that `form` writes, the usual thing first.

    A link only of a GET of a place without a query, a saved request only where nothing in it is secret.
    """
    found: list[Copy] = []
    with suppress(Unwritable):
        found.append(Copy.of("r", "svc-tui request", request_line(request, headers)))
        found.append(Copy.of("u", "curl", curl_line(request, headers)))
    found.append(Copy.of("p", "Python", python_code(request, headers)))
    with suppress(SavedRequestProblem):
        saved = saved_from(form, f"{request.method} {request.target}", "", collections, ())
        found.append(Copy.of("t", "saved request", as_toml(saved)))
    if request.method == "GET":
        with suppress(PlaceError):
            place = parse_place(request.target, collections)
            if addressable(place):
                found.append(Copy.of("l", "link", link(environment, host, place)))
    return tuple(found)
