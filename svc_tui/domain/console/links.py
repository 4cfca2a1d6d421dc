"""Links for colleagues: they open a place, name environment and host, and hold no secret."""

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from svc_tui.domain.http.routes import PlaceError, parse_place
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.records import Place

SCHEME = "svctui"
"""The scheme of links."""


def link_to(environment: Environment, host: str, place: Place) -> str:
    """A link that opens the place: `svctui://live@api.example.com/operations/lots/lot-000001`; holds no secret.

    `host` is host and port as people read them. The id is one percent-encoded segment; where it can't be addressed,
    opening the link says so.
    """
    path = quote(place.collection.key, safe="/%")
    if place.record_id is not None:
        path += f"/{quote(place.record_id, safe='', errors='surrogatepass')}"
    return f"{SCHEME}://{environment.value}@{host}/{path}"


class LinkToOtherService(PlaceError):
    """A link into another environment, or to another host, than those in use."""

    def __init__(self, environment: Environment, host: str, used: str) -> None:
        """`environment` and `host` are the link's; `used` names those in use."""
        super().__init__(f"the link is for {environment.label} at {host}, but the current profile is for {used}")
        self.environment, self.host = environment, host


def parse_link(text: str, environment: Environment, host: str, collections: Sequence[Collection]) -> Place:
    """The place that a link opens; raises LinkToOtherService where it is of another, PlaceError where it is no link."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        raise _not_a_link() from None
    named, _, elsewhere = parts.netloc.rpartition("@")
    if parts.query or parts.fragment or named not in [known.value for known in Environment]:
        raise _not_a_link()
    if named != environment.value or elsewhere.casefold() != host.casefold():
        raise LinkToOtherService(Environment(named), elsewhere, f"{environment.label} at {host}")
    return parse_place(parts.path, collections)


def _not_a_link() -> PlaceError:
    return PlaceError(f"not an svc-tui link; a link looks like {SCHEME}://live@HOST/operations/lots/<id>")
