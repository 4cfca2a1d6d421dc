"""What the console hands out of a request: the usual line first, a link only where one leads, nothing secret."""

from svc_tui.console.copy_as import MAX_BODY_BYTES, CopyOption, request_copy_options
from svc_tui.console.request_form import form_of
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.requests import RequestSpec, SignedRequest


def copies(method: str, target: str, body: bytes = b"") -> dict[str, CopyOption]:
    hidden = (("Authorization", "Bearer svc_live_hidden"), ("x-svc-signature", "t=1,v1=hidden"))
    request = SignedRequest(method, f"https://h{target}", target, hidden, body)
    form = form_of(RequestSpec(method, target, headers=(("X-Trace", "7"),), body=body))
    made = request_copy_options(Environment.LIVE, "h", request, (("X-Trace", "7"),), COLLECTIONS, form)
    assert not any("hidden" in copy.make() for copy in made)
    return {copy.key: copy for copy in made}


def test_the_request_line_comes_first_and_each_carries_headers_and_body() -> None:
    made = copies("PATCH", "/v1/operations/lots/lot-1", b'{"a":1}')
    assert list(made) == ["r", "u", "p", "t"]
    line = """svc-tui request PATCH /v1/operations/lots/lot-1 -H 'X-Trace: 7' -d '{"a":1}'"""
    assert made["r"].make() == line
    assert all("X-Trace" in copy.make() and '{"a":1}' in copy.make() for copy in made.values())


def test_a_link_leads_to_a_place_alone() -> None:
    assert copies("GET", "/v1/operations/lots/lot-1")["l"].make() == "svctui://live@h/operations/lots/lot-1"
    assert "l" not in copies("GET", "/v1/operations/lots?page=2")
    assert "l" not in copies("GET", "/v1/nothing")
    assert "l" not in copies("DELETE", "/v1/operations/lots/lot-1")


def test_a_body_too_long_for_a_line_is_still_there_as_python() -> None:
    body = b'"' + b"x" * MAX_BODY_BYTES + b'"'
    assert list(copies("POST", "/v1/operations/lots", body)) == ["p", "t"]


def test_it_is_copied_as_a_saved_request_only_where_nothing_in_it_is_secret() -> None:
    made = copies("GET", "/v1/operations/lots?page=2")["t"].make()
    assert made.startswith('name = "GET /v1/operations/lots?page=2"\nmethod = "GET"\npath = "/v1/operations/lots"\n')
    assert made.endswith('[query]\npage = "2"\n\n[headers]\nX-Trace = "7"\n')
    assert "t" not in copies("GET", "/v1/operations/lots?q=svc_live_0123")
