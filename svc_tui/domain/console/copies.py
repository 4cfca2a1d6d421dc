"""What is copied of records: id, value, JSON, CSV, the request for a shell, a link for a colleague; many as a table."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from svc_tui.domain.console.command_lines import CommandLineError, Headers, curl_line, python_code, svc_tui_line
from svc_tui.domain.console.links import link_to
from svc_tui.domain.console.request_form import RequestForm
from svc_tui.domain.console.saved_requests import SavedRequestError, make_saved_request, to_toml
from svc_tui.domain.data.export_formats import Format, format_whole
from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.kinds import editable_text, kind_of_value
from svc_tui.domain.http.routes import PlaceError, is_addressable, parse_place
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.jsontext import Json, dumps, escape_control_characters
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import SignedRequest

_PREVIEW_CHARACTERS = 200
"""Characters of a text that are enough to tell it from others."""


CURL_KEY = "u"
"""The key of the curl command among what can be copied of a request."""


@dataclass(frozen=True, slots=True)
class CopyOption:
    """One thing that can be copied: the letter that chooses it, what it is, how the text begins, and how it is made.

    That of many records takes a while to make, so it is made when it is wanted.
    """

    key: str
    label: str
    preview: str
    make: Callable[[], str]

    @classmethod
    def of(cls, key: str, label: str, text: str) -> "CopyOption":
        """A text that is there already."""
        return cls(key, label, text[:_PREVIEW_CHARACTERS], lambda: text)


def record_json(record: Record) -> str:
    """The record as indented JSON, numbers as they came, without a line feed at the end."""
    return escape_control_characters(dumps(record.fields, indent=2))


def value_text(value: Json | Absent) -> str:
    """A value as it is pasted: a text bare, everything else as JSON, an absent one as nothing."""
    return "null" if value is None else editable_text(value, kind_of_value(value))


def copy_options(
    environment: Environment,
    host: str,
    place: Place,
    record: Record | None = None,
    path: str | None = None,
    request: SignedRequest | None = None,
    marked: Sequence[Record] = (),
    not_found: Sequence[str] = (),
) -> tuple[CopyOption, ...]:
    """What can be copied at a place: of the record there, of the value at `path` in it, of the marked records.

    `request` reads the record; None where it can't be asked for. `not_found` is what a list named that is not there.
    """
    options: list[CopyOption] = []
    if place.record_id is not None:
        options.append(CopyOption.of("i", "id", place.record_id))
    if record is not None:
        value = ABSENT if path is None else value_at(record.fields, path)
        if path is not None and not isinstance(value, Absent) and value_text(value) != place.record_id:
            options.append(CopyOption.of("v", path, value_text(value)))
        options.append(CopyOption.of("j", "record as JSON", record_json(record)))
        options.append(CopyOption.of("c", "record as CSV", format_whole(Format.CSV, [record.fields])))
    if request is not None:
        with suppress(CommandLineError):
            options.append(CopyOption.of("r", "request", svc_tui_line(request)))
            options.append(CopyOption.of(CURL_KEY, "request as curl", curl_line(request)))
    if is_addressable(place):
        options.append(CopyOption.of("l", "link", link_to(environment, host, place)))
    options += _marked_copy_options(marked)
    if not_found:
        label, preview = f"{len(not_found):,} not found in the list", ", ".join(not_found[:8])
        options.append(CopyOption("N", label, preview, lambda: "\n".join(not_found)))
    return tuple(options)


def _marked_copy_options(records: Sequence[Record]) -> tuple[CopyOption, ...]:
    if not records:
        return ()
    ids = [record.id or "" for record in records]
    fields, count = [record.fields for record in records], f"{len(records):,} marked"
    preview = ", ".join(ids[:8])
    return (
        CopyOption("I", f"{count}: ids", preview, lambda: "\n".join(ids)),
        CopyOption(
            "J", f"{count} as JSON", preview, lambda: escape_control_characters(format_whole(Format.JSON, fields))
        ),
        CopyOption("C", f"{count} as CSV", preview, partial(format_whole, Format.CSV, fields)),
        CopyOption("M", f"{count} as Markdown", preview, partial(format_whole, Format.MARKDOWN, fields)),
    )


def request_copy_options(
    environment: Environment,
    host: str,
    request: SignedRequest,
    headers: Headers,
    collections: tuple[Collection, ...],
    form: RequestForm,
    keyed: Headers = (),
) -> tuple[CopyOption, ...]:
    """What can be copied of the request that `form` writes, the usual thing first.

    `keyed` are its headers with an idempotency key, for programs that make none of their own.
    A link only of a GET of a place without a query, a saved request only where nothing in it is secret.
    """
    options: list[CopyOption] = []
    with suppress(CommandLineError):
        options.append(CopyOption.of("r", "svc-tui request", svc_tui_line(request, headers)))
        options.append(CopyOption.of(CURL_KEY, "curl", curl_line(request, keyed or headers)))
    options.append(CopyOption.of("p", "Python", python_code(request, keyed or headers)))
    with suppress(SavedRequestError):
        saved = make_saved_request(form, f"{request.method} {request.target}", "", collections, ())
        options.append(CopyOption.of("t", "saved request", to_toml(saved)))
    if request.method == "GET":
        with suppress(PlaceError):
            place = parse_place(request.target, collections)
            if is_addressable(place):
                options.append(CopyOption.of("l", "link", link_to(environment, host, place)))
    return tuple(options)
