"""Links for colleagues: they open a place, name environment and host, and hold no secret."""

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from svc_tui.domain.catalog import Collection
from svc_tui.domain.credentials import Environment
from svc_tui.domain.records import Place
from svc_tui.domain.routes import PlaceError, parse_place

SCHEME = "svctui"
"""The scheme of links."""


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


def _no_link() -> PlaceError:
    return PlaceError(f"this is no link of svc-tui: {SCHEME}://live@HOST/operations/lots/<id> is one")
