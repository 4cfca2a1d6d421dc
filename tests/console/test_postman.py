"""Postman collections, as they are exported, become routes; what can't is told with its reason."""

import json
from itertools import pairwise
from typing import Any

import pytest

from svc_tui.console.imported_routes import ImportRefused, ImportResult
from svc_tui.console.read_routes import read_routes
from svc_tui.core.catalog import Route

BASE = "https://api.example.com"
V21 = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def collection(*entries: Any, schema: str = V21, **more: Any) -> dict[str, Any]:
    return {"info": {"name": "Mine", "schema": schema}, "item": list(entries), **more}


def imported(*entries: Any, **more: Any) -> ImportResult:
    return read_routes(json.dumps(collection(*entries, **more)).encode(), (BASE,))


def one(request: Any, **more: Any) -> Route:
    [route] = imported({"name": "One", "request": request}, **more).routes
    return route


def with_body(raw: str) -> dict[str, Any]:
    return {"method": "POST", "url": "{{baseUrl}}/v1/x", "body": {"mode": "raw", "raw": raw}}


def reasons(found: ImportResult) -> dict[str, str]:
    return {left.what: left.why for left in found.omissions}


URL = {
    "raw": "{{baseUrl}}/operations/lots/:lotId/split?dry={{dry}}&page=2&off=1",
    "host": ["{{baseUrl}}"],
    "path": ["operations", "lots", ":lotId", "split"],
    "query": [
        {"key": "dry", "value": "{{dry}}"},
        {"key": "page", "value": "2"},
        {"key": "off", "value": "1", "disabled": True},
        {"key": "api_key", "value": "hidden"},
    ],
    "variable": [{"key": "lotId", "value": "lot-1"}],
}


def test_a_request_in_a_folder_becomes_a_route() -> None:
    found = imported(
        {
            "name": "Lots",
            "item": [
                {
                    "name": "Deeper",
                    "item": [
                        {
                            "name": "Split a lot in parts",
                            "event": [{"listen": "test", "script": {"exec": ["pm.test()"]}}],
                            "request": {
                                "method": "POST",
                                "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "hidden"}]},
                                "header": [
                                    {"key": "Authorization", "value": "Bearer hidden"},
                                    {"key": "Content-Type", "value": "application/json"},
                                    {"key": "X-Trace", "value": "1"},
                                    {"key": "X-Off", "value": "1", "disabled": True},
                                ],
                                "body": {"mode": "raw", "raw": '{"parts": {{parts}}, "by": "{{who}}"}'},
                                "url": URL,
                            },
                        }
                    ],
                }
            ],
        },
        variable=[{"key": "baseUrl", "value": f"{BASE}/v1"}],
    )
    assert (found.kind, found.title) == ("Postman collection 2.1", "Mine")
    assert found.routes == (
        Route(
            "Split a lot in parts",
            "POST",
            "/v1/operations/lots/{lotId}/split",
            (("dry", "{dry}"), ("page", "2")),
            '{"parts": {parts}, "by": "{who}"}',
        ),
    )
    assert reasons(found) == {
        "scripts": "scripts are never run",
        "auth": "the key and signature come from the profile",
        "the header Authorization": "the key and signature come from the profile",
        "the header X-Trace": "routes have no headers; add them in the console",
        "api_key of POST /v1/operations/lots/{lotId}/split": "the key and signature come from the profile",
    }
    assert "hidden" not in repr(found)


@pytest.mark.parametrize(
    "url",
    [
        f"{BASE}/v1/mine/close?day=1",
        "{{baseUrl}}/v1/mine/close?day=1",
        "{{baseUrl}}/{{version}}/mine/close?day=1#top",
        "{{protocol}}://{{host}}:{{port}}/v1/mine/close?day=1",
        "{{slashed}}mine/close?day=1",
        "api.example.com/v1/mine/close?day=1",
        {"raw": f"{BASE}/v1/mine/close?day=1"},
        {"protocol": "https", "host": ["api", "example", "com"], "path": ["v1", "mine", "close"], "query": [
            {"key": "day", "value": "1"}]},
        {"host": "api.example.com", "path": "/v1/mine/close", "query": [{"key": "day", "value": "1"}]},
        {"host": ["{{baseUrl}}"], "path": [{"type": "string", "value": "{{where}}"}, "close"], "query": [
            {"key": "day", "value": "1"}]},
    ],
)  # fmt: skip
def test_an_address_is_read_however_it_is_written(url: Any) -> None:
    variables = {"baseUrl": BASE, "version": "v1", "slashed": f"{BASE}/v1/", "where": "/v1/mine"}
    route = one(
        {"method": "GET", "url": url}, variable=[{"key": name, "value": value} for name, value in variables.items()]
    )
    assert (route.path, route.query) == ("/v1/mine/close", (("day", "1"),))


def test_a_request_that_is_an_address_alone_is_a_get() -> None:
    assert one(f"{BASE}/v1/mine") == Route("One", "GET", "/v1/mine")


@pytest.mark.parametrize(
    ("path", "filled"),
    [
        ("/v1/x/:id", "/v1/x/{id}"),
        ("/v1/x/{{lotId}}", "/v1/x/{lotId}"),
        ("/v1/x/{lot-id}", "/v1/x/{lot_id}"),
        ("/v1/x/{{$guid}}/{{$guid}}", "/v1/x/{guid}/{guid}"),
        ("/v1/x/:id/{{ my id }}", "/v1/x/{id}/{my_id}"),
        ("/v1/x/a:b", "/v1/x/a:b"),
        ("/x", "/v1/x"),
    ],
)
def test_what_varies_in_a_path_is_asked_for(path: str, filled: str) -> None:
    assert one("{{baseUrl}}" + path, variable=[{"key": "lotId", "value": "lot-1"}]).path == filled


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        ('{"a": 1.50}', '{"a": 1.50}'),
        ('{"a": {{a}}, "b": "x {{b}}"}', '{"a": {a}, "b": "x {b}"}'),
        ('{"a": "{b}"}', '{"a": "\\u007bb}"}'),
        ('{"a": "{b} {{c}} {d}"}', '{"a": "\\u007bb} {c} \\u007bd}"}'),
        ("{{whole}}", "{whole}"),
        ('{\n  "a": null\n}\n', '{\n  "a": null\n}'),
    ],
)
def test_a_raw_body_of_json_keeps_its_text_and_asks_for_its_variables(raw: str, body: str) -> None:
    assert one(with_body(raw)).body == body


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1"}]}, "it is urlencoded; routes send JSON"),
        ({"mode": "formdata", "formdata": [{"key": "a", "src": "/etc/passwd"}]}, "it is formdata; routes send"),
        ({"mode": "file", "file": {"src": "/etc/passwd"}}, "it is file; routes send JSON"),
        ({"mode": "graphql", "graphql": {"query": "{lot{grade}}"}}, "it is graphql; routes send JSON"),
        ({"mode": "raw", "raw": "<lot/>"}, "it is not valid JSON"),
        ({"mode": "raw", "raw": '{"a": 1} // one'}, "it is not valid JSON"),
    ],
)
def test_a_body_that_is_no_json_is_left_out_of_its_route(body: dict[str, Any], why: str) -> None:
    found = imported({"name": "One", "request": {"method": "POST", "url": "{{b}}/v1/x", "body": body}})
    assert [route.body for route in found.routes] == [""]
    assert reasons(found)["the body of POST /v1/x"].startswith(why)


def test_a_body_that_is_switched_off_or_empty_is_none() -> None:
    for body in ({"mode": "raw", "raw": "{}", "disabled": True}, {"mode": "urlencoded", "urlencoded": []}, None):
        found = imported({"name": "One", "request": {"method": "POST", "url": "{{b}}/v1/x", "body": body}})
        assert ([route.body for route in found.routes], found.omissions) == ([""], ())


@pytest.mark.parametrize(
    ("request_", "what", "why"),
    [
        ("{{baseUrl}}/v1/auth/login", "GET /v1/auth/login", "API keys can't call routes"),
        ({"method": "GE T", "url": "{{b}}/v1/x"}, "GE T /v1/x", "its method is not valid"),
        ({"method": "GET", "url": "{{b}}/v1/operations/lots"}, "GET /v1/operations/lots", "svc-tui already has it"),
        ({"method": "GET", "url": "{{b}}/v1/x/%00"}, "GET /v1/x/%00", "the path contains an encoded control character"),
        ({"method": "GET", "url": "{{b}}/v1/x?a=svc_test_1"}, "GET /v1/x", "it contains an API key"),
        (None, "One", "it contains no request"),
    ],
)
def test_what_can_not_be_a_route_is_left_out_with_its_reason(request_: Any, what: str, why: str) -> None:
    found = imported({"name": "One", "request": request_})
    assert found.routes == ()
    assert reasons(found)[what].startswith(why)


def test_a_request_that_stands_there_twice_is_taken_once() -> None:
    request = {"method": "PUT", "url": f"{BASE}/v1/mine/:id"}
    found = imported({"name": "One", "request": request}, {"name": "Again", "request": request})
    assert [route.name for route in found.routes] == ["One"]
    assert reasons(found) == {"PUT /v1/mine/{id}": "it is in the document more than once"}


def test_requests_to_another_host_are_left_out() -> None:
    found = imported(
        {"name": "Mine", "request": f"{BASE}/v1/mine"},
        {"name": "Theirs", "request": "https://other.example.org/v1/theirs"},
    )
    assert [route.name for route in found.routes] == ["Mine"]
    assert reasons(found) == {"GET Theirs": "it goes to another host; requests only go to the base URL of the profile"}


def test_where_no_request_goes_to_the_profile_the_usual_host_is_taken_for_the_service() -> None:
    found = imported(
        {"name": "One", "request": "{{baseUrl}}/one"},
        {"name": "Two", "request": "https://staging.example.org/v1/two"},
        {"name": "Three", "request": "https://login.example.org/token"},
        variable=[{"key": "baseUrl", "value": "https://staging.example.org/v1"}],
    )
    assert [route.path for route in found.routes] == ["/v1/one", "/v1/two"]
    assert set(reasons(found)) == {"the host staging.example.org", "GET Three"}


def test_format_2_0_is_read_and_format_1_refused() -> None:
    schema = V21.replace("v2.1.0", "v2.0.0")
    request = {"method": "PUT", "url": f"{BASE}/v1/mine", "header": "X-Trace: 1\nAuthorization: hidden"}
    found = imported({"name": "One", "request": request}, schema=schema)
    assert found.kind == "Postman collection 2.0"
    assert found.routes == (Route("One", "PUT", "/v1/mine"),)
    assert set(reasons(found)) == {"the header X-Trace", "the header Authorization"}
    with pytest.raises(ImportRefused, match=r"export it as 2\.1"):
        imported(schema=V21.replace("v2.1.0", "v1.0.0"))


def test_variables_that_hold_each_other_end() -> None:
    found = imported(
        {"name": "One", "request": "{{a}}/v1/x"},
        variable=[{"key": "a", "value": "{{b}}{{b}}"}, {"key": "b", "value": "{{a}}{{a}}"}],
    )
    assert [route.path for route in found.routes] == ["/v1/x"]


def test_variables_that_multiply_and_addresses_without_end_are_no_burden() -> None:
    """Each variable has the next one a hundred times: four of them would be a hundred million pieces."""
    names = "abcde"
    variables = [{"key": name, "value": f"/{{{{{further}}}}}" * 100} for name, further in pairwise(names)]
    found = imported(
        {"name": "One", "request": "{{x}}/v1/mine/{{a}}"},
        {"name": "Two", "request": "{{x}}/" + "{{a}}" * 1_000_000},
        variable=[*variables, {"key": "e", "value": "/" + "x" * 900}],
    )
    assert all(len(route.path) <= 5_000 for route in found.routes)
    assert any("its path has more than 4,000 characters" in left.why for left in found.omissions)
