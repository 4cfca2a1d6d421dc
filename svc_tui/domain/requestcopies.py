"""What is copied of a request that somebody wrote: a line of this program, curl, Python, a link; none holds a key."""

from collections.abc import Sequence
from contextlib import suppress

from svc_tui.domain.catalog import Collection
from svc_tui.domain.commandlines import Headers, Unwritable, curl_line, python_code, request_line
from svc_tui.domain.copies import Copy
from svc_tui.domain.credentials import Environment
from svc_tui.domain.exports import link
from svc_tui.domain.requests import SignedRequest
from svc_tui.domain.routes import PlaceError, addressable, parse_place


def request_copies(
    environment: Environment,
    host: str,
    request: SignedRequest,
    headers: Headers,
    collections: Sequence[Collection],
) -> tuple[Copy, ...]:
    """What can be copied of the request, the usual thing first; a link only of a GET of a place without a query."""
    found: list[Copy] = []
    with suppress(Unwritable):
        found.append(Copy.of("r", "svc-tui request", request_line(request, headers)))
        found.append(Copy.of("u", "curl", curl_line(request, headers)))
    found.append(Copy.of("p", "Python", python_code(request, headers)))
    if request.method == "GET":
        with suppress(PlaceError):
            place = parse_place(request.target, collections)
            if addressable(place):
                found.append(Copy.of("l", "link", link(environment, host, place)))
    return tuple(found)
