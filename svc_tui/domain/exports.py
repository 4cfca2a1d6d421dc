"""What is copied of records: id, value, JSON, CSV, the request for a shell, a link for a colleague; many as a table."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, urlsplit

from svc_tui.domain.catalog import Collection
from svc_tui.domain.commandlines import Unwritable, curl_line, request_line
from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import ABSENT, Absent
from svc_tui.domain.fieldpath import value_at
from svc_tui.domain.formats import Format, whole
from svc_tui.domain.jsontext import Json, dumps
from svc_tui.domain.records import Place, Record
from svc_tui.domain.requests import SignedRequest
from svc_tui.domain.routes import PlaceError, addressable, parse_place
from svc_tui.domain.values import editable, kind_of_value

SCHEME = "svctui"
"""The scheme of links."""

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
    return dumps(record.fields, indent=2)


def value_text(value: Json | Absent) -> str:
    """A value as it is pasted: a text bare, everything else as JSON, an absent one as nothing."""
    return "null" if value is None else editable(value, kind_of_value(value))


def link(environment: Environment, host: str, place: Place) -> str:
    """A link that opens the place: `svctui://live@api.example.com/operations/lots/lot-000001`; holds no secret.

    `host` is host and port as people read them. The id is one percent-encoded segment; where it can't be addressed,
    opening the link says so.
    """
    path = quote(place.collection.key, safe="/%")
    if place.record_id is not None:
        path += f"/{quote(place.record_id, safe='', errors='surrogatepass')}"
    return f"{SCHEME}://{environment.value}@{host}/{path}"


def place_of_link(text: str, environment: Environment, host: str, collections: Sequence[Collection]) -> Place:
    """The place that a link opens; raises PlaceError where it is of another environment or host than those in use."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        raise _no_link() from None
    named, _, elsewhere = parts.netloc.rpartition("@")
    if parts.query or parts.fragment or named not in [known.value for known in Environment]:
        raise _no_link()
    if named != environment.value or elsewhere.casefold() != host.casefold():
        raise PlaceError(f"the link is of {named.upper()} at {elsewhere}, and this is {environment.label} at {host}")
    return parse_place(parts.path, collections)


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
        Copy("J", f"{count} as JSON", beginning, partial(whole, Format.JSON, fields)),
        Copy("C", f"{count} as CSV", beginning, partial(whole, Format.CSV, fields)),
        Copy("M", f"{count} as Markdown", beginning, partial(whole, Format.MARKDOWN, fields)),
    )


def _no_link() -> PlaceError:
    return PlaceError(f"this is no link of svc-tui: {SCHEME}://live@HOST/operations/lots/<id> is one")
