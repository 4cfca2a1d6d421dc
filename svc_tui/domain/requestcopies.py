"""What is copied of a request that somebody wrote: a line for a shell, Python, a saved request, a link; no key."""

from contextlib import suppress

from svc_tui.domain.catalog import Collection
from svc_tui.domain.commandlines import Headers, Unwritable, curl_line, python_code, request_line
from svc_tui.domain.compose import Form
from svc_tui.domain.copies import Copy
from svc_tui.domain.credentials import Environment
from svc_tui.domain.exports import link
from svc_tui.domain.requests import SignedRequest
from svc_tui.domain.routes import PlaceError, addressable, parse_place
from svc_tui.domain.savedrequests import SavedRequestProblem, as_toml, saved_from


def request_copies(
    environment: Environment,
    host: str,
    request: SignedRequest,
    headers: Headers,
    collections: tuple[Collection, ...],
    form: Form,
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
