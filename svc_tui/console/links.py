"""Links that open a place of an environment and a host; they contain no secret."""

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Place
from svc_tui.service.routes import PlaceError, parse_place

SCHEME = "svctui"
"""The scheme of links."""


def link_to(environment: Environment, host: str, place: Place) -> str:
    """Return a link to the place: `svctui://live@api.example.com/operations/lots/lot-000001`.

    `host` includes the port. The id is one percent-encoded segment.
    """
    path = quote(place.collection.key, safe="/%")
    if place.record_id is not None:
        path += f"/{quote(place.record_id, safe='', errors='surrogatepass')}"
    return f"{SCHEME}://{environment.value}@{host}/{path}"


class LinkToOtherService(PlaceError):
    """A link to another environment or host than those in use."""

    def __init__(self, environment: Environment, host: str, used: str) -> None:
        """`environment` and `host` are the link's; `used` names those in use."""
        super().__init__(f"the link is for {environment.label} at {host}, but the current profile is for {used}")
        self.environment, self.host = environment, host


def parse_link(text: str, environment: Environment, host: str, collections: Sequence[Collection]) -> Place:
    """Return the place of a link. Raises LinkToOtherService, or PlaceError if it is no link."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        raise _not_a_link() from None
    name, _, link_host = parts.netloc.rpartition("@")
    if parts.query or parts.fragment or name not in [known.value for known in Environment]:
        raise _not_a_link()
    if name != environment.value or link_host.casefold() != host.casefold():
        raise LinkToOtherService(Environment(name), link_host, f"{environment.label} at {host}")
    return parse_place(parts.path, collections)


def _not_a_link() -> PlaceError:
    return PlaceError(f"not an svc-tui link; a link looks like {SCHEME}://live@HOST/operations/lots/<id>")
