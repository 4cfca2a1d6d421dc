"""Whatever a file holds, reading routes from it ends in routes that the program would send, or in a clear refusal."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_tui.console.imported_routes import ImportRefused, ImportResult
from svc_tui.console.read_routes import MAX_DOCUMENT_BYTES, read_routes
from svc_tui.console.request_form import compose_request, form_of
from svc_tui.core.catalog import BLANK, Route
from svc_tui.core.jsontext import loads
from svc_tui.service.routes import fill_path, target_of
from svc_tui.writes.actions import blank_names, fill_body
from tests.budget import share_of

BASE = "https://api.example.com"

TEXTS = st.sampled_from(
    [
        "", "x", "{id}", "{{id}}", "{{$guid}}", ":id", "/v1/auth/x", "/v1/operations/lots/{id}/split", "../..", "a b",
        "{{baseUrl}}/v1/x?a={{b}}&c=d", f"{BASE}/v1/x", "https://[", "#/paths", "#/components/schemas/A", "{a}{b", "}{",
        "\u202e\x1b[2J", "svc_live_x", "GET", "raw", "graphql", "string", "object", "array", "query", "path", "header",
        '{"a": {{a}}}', '{"a": "{b}"}', "\ud800", "%", "%2e%2e", "?", "#", "null", "é" * 90, "\\", '"',
    ]
) | st.text(max_size=8)  # fmt: skip
NAMES = st.sampled_from(
    [
        "get", "post", "patch", "parameters", "requestBody", "content", "application/json", "schema", "properties",
        "allOf", "oneOf", "items", "required", "$ref", "type", "example", "examples", "default", "enum", "name", "in",
        "servers", "url", "variables", "summary", "tags", "style", "item", "request", "method", "header", "body",
        "mode", "raw", "graphql", "urlencoded", "path", "host", "query", "key", "value", "disabled", "variable", "auth",
    ]
) | TEXTS  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)
OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "summary": VALUES,
        "servers": VALUES,
        "parameters": st.lists(st.fixed_dictionaries({"name": TEXTS, "in": NAMES, "required": VALUES}) | VALUES),
        "requestBody": st.fixed_dictionaries(
            {"content": st.fixed_dictionaries({"application/json": st.fixed_dictionaries({"schema": VALUES}) | VALUES})}
        ),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.3", "3.1.0"]),
        "paths": st.dictionaries(TEXTS, st.dictionaries(NAMES, OPERATIONS | VALUES, max_size=3) | VALUES, max_size=3),
    },
    optional={"servers": VALUES, "components": VALUES, "info": VALUES, "webhooks": VALUES, "security": VALUES},
)
REQUESTS = st.fixed_dictionaries(
    {"url": TEXTS | VALUES}, optional={"method": TEXTS, "header": VALUES, "body": VALUES, "auth": VALUES}
)
ENTRIES = st.recursive(
    st.fixed_dictionaries({"name": VALUES, "request": REQUESTS | VALUES}),
    lambda inner: st.fixed_dictionaries({"name": VALUES, "item": st.lists(inner | VALUES, max_size=3)}),
    max_leaves=5,
)
COLLECTIONS = st.fixed_dictionaries(
    {"info": st.fixed_dictionaries({"name": VALUES}), "item": st.lists(ENTRIES | VALUES, max_size=3)},
    optional={"variable": VALUES, "auth": VALUES, "event": VALUES},
)


def check(found: ImportResult) -> None:
    """Every route can be filled in and sent, and says no more than one line."""
    for route in found.routes:
        values = dict.fromkeys(blank_names(route), "1")
        path = fill_path(route.path, values)
        query = tuple((name, BLANK.sub("1", value)) for name, value in route.query)
        assert target_of(path, query).startswith("/v1")
        body = fill_body(route.body, values)
        assert not body or loads(body) is not NotImplemented
        filled = Route(route.name, route.method, path, query, body)
        assert compose_request(form_of(filled)).problems == ()
        assert route.name
        assert route.name.isprintable()
        assert len(route.name) <= 80
    for left in found.omissions:
        assert left.what.isprintable()
        assert left.why


@settings(max_examples=share_of(300), deadline=None)
@given(DOCUMENTS | COLLECTIONS | VALUES)
def test_no_document_breaks_the_reader_or_gives_a_route_that_is_refused(document: Any) -> None:
    with suppress(ImportRefused):
        check(read_routes(json.dumps(document).encode(), (BASE,)))


@settings(max_examples=share_of(200), deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    with pytest.raises(ImportRefused):
        read_routes(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the document is empty"),
        (b"openapi: 3.0.3\ninfo:\n  title: x\n", "the document is YAML"),
        (b"---\nopenapi: 3.0.3\n", "the document is YAML"),
        (b"# mine\nopenapi: 3.0.3\n", "the document is YAML"),
        (b'{"openapi": ', "the document is not valid JSON: line 1, column"),
        (b'{"swagger": "2.0"}', "this is Swagger 2"),
        (b'{"openapi": "4.0.0"}', "this OpenAPI version is not supported"),
        (b'{"requests": [], "order": []}', "this is a Postman collection in format 1"),
        (b'{"values": [], "name": "x"}', "this is a Postman environment"),
        (b"[]", "this is not an OpenAPI 3 document"),
        (b'{"log": {}}', "this is not an OpenAPI 3 document"),
        ('{"openapi": "3.0.3"}'.encode("utf-16"), "the document is not UTF-8 text"),
        (
            b'{"openapi": "3.0.3", "paths": ' + b"[" * 100_000,
            "the document is not valid JSON: nested deeper than 200 levels",
        ),
        (b" " * (MAX_DOCUMENT_BYTES + 1), "the document has more than 20 MB"),
    ],
)
def test_what_is_no_such_document_is_refused_with_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_routes(data)
    assert str(refused.value).startswith(why)


def test_a_collection_as_postmans_own_api_gives_it_is_read() -> None:
    found = read_routes(
        json.dumps({"collection": {"info": {"name": "x"}, "item": [{"request": f"{BASE}/v1/x"}]}}).encode()
    )
    assert [route.path for route in found.routes] == ["/v1/x"]


def test_a_byte_order_mark_is_no_mistake() -> None:
    data = "\ufeff" + json.dumps({"openapi": "3.1.0", "paths": {"/v1/x": {"get": {}}}})
    assert [route.path for route in read_routes(data.encode()).routes] == ["/v1/x"]


def test_a_large_document_is_read_in_its_stride() -> None:
    paths = {f"/v1/x/{n}": {"post": {"summary": f"Number {n}", "description": "x" * 2_000}} for n in range(3_000)}
    found = read_routes(json.dumps({"openapi": "3.0.3", "paths": paths}).encode())
    assert len(found.routes) == 1_000
