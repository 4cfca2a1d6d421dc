"""OpenAPI 3 documents, of the shapes that services publish, become routes; what can't is told with its reason."""

import json
from typing import Any

import pytest

from svc_tui.console.imported_routes import ImportResult
from svc_tui.console.read_routes import read_routes
from svc_tui.core.catalog import Route

BASE = "https://api.example.com"


def document(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"openapi": "3.0.3", "info": {"title": "Mine", "version": "1"}, "paths": paths, **more}


def imported(found: dict[str, Any], base_urls: tuple[str, ...] = (BASE,)) -> ImportResult:
    return read_routes(json.dumps(found).encode(), base_urls)


def route(operation: dict[str, Any], path: str = "/v1/operations/lots/{id}/split", **more: Any) -> Route:
    [found] = imported(document({path: {"post": operation}}, **more)).routes
    return found


def body_of(schema: dict[str, Any], **components: Any) -> str:
    content = {"application/json": {"schema": schema}}
    return route({"requestBody": {"content": content}}, components={"schemas": components}).body


def reasons(found: ImportResult) -> dict[str, str]:
    return {left.what: left.why for left in found.omissions}


SPLIT = {
    "tags": ["lots"],
    "summary": "Split a lot in parts",
    "operationId": "splitLot",
    "parameters": [
        {"name": "lotId", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "reason", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "dryRun", "in": "query", "schema": {"type": "boolean"}},
        {"name": "X-Api-Key", "in": "header", "schema": {"type": "string"}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "sid", "in": "cookie", "schema": {"type": "string"}},
    ],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Split"}}}},
    "responses": {"200": {"description": "done"}},
}
SCHEMAS = {
    "Split": {
        "type": "object",
        "required": ["parts", "by", "mode"],
        "properties": {
            "parts": {"type": "integer"},
            "by": {"type": "string"},
            "mode": {"type": "string", "enum": ["even"]},
            "note": {"type": "string"},
            "id": {"type": "string", "readOnly": True},
        },
    }
}


def test_an_operation_becomes_a_route_that_asks_for_what_is_required() -> None:
    found = imported(
        document(
            {"/operations/lots/{lotId}/split": {"post": SPLIT}},
            servers=[{"url": f"{BASE}/v1"}],
            components={"schemas": SCHEMAS},
        )
    )
    assert found.kind == "OpenAPI 3.0"
    assert found.title == "Mine"
    assert found.routes == (
        Route(
            "Split a lot in parts",
            "POST",
            "/v1/operations/lots/{lotId}/split",
            (("reason", "{reason}"),),
            '{"parts": {parts}, "by": "{by}", "mode": "even"}',
        ),
    )
    assert reasons(found) == {
        "the parameter dryRun": "it is optional; add it in the console",
        "the header X-Api-Key": "the key and signature come from the profile",
        "the header X-Trace": "routes have no headers; add them in the console",
        "the cookie sid": "the key and signature come from the profile",
    }


def test_paths_get_the_version_from_the_server_or_from_here() -> None:
    paths = {"/finance/close": {"post": {"summary": "Close"}}}
    for server in (f"{BASE}/v1", f"{BASE}/v1/", "/v1", "/", f"{BASE}/gateway/v1", "{scheme}://api.example.com/{v}"):
        variables = {"scheme": {"default": "https"}, "v": {"default": "v1"}}
        found = imported(document(paths, servers=[{"url": server, "variables": variables}]))
        assert [route.path for route in found.routes] == ["/v1/finance/close"], server


def test_what_a_gateway_puts_before_the_version_is_left_out_with_a_word() -> None:
    found = imported(document({"/close": {"post": {}}}, servers=[{"url": f"{BASE}/gateway/v1"}]))
    assert reasons(found)["the path /gateway of the server"].startswith("the part before /v1")


def test_the_name_is_the_summary_then_the_id_then_the_request_itself() -> None:
    path = "/v1/finance/close"
    assert route({"summary": " Close\nthe books \x1b[2J", "operationId": "close"}, path).name == "Close the books [2J"
    assert route({"operationId": "closeBooks"}, path).name == "closeBooks"
    assert route({}, path).name == "POST /v1/finance/close"


def test_two_routes_of_one_name_are_told_apart_by_their_group() -> None:
    paths = {
        "/v1/finance/close": {"post": {"summary": "Close", "tags": ["finance"]}},
        "/v1/safety/close": {"post": {"summary": "Close", "tags": ["safety"]}},
        "/v1/safety/shut": {"post": {"summary": "Close", "tags": ["safety"]}},
    }
    assert [found.name for found in imported(document(paths)).routes] == [
        "Close",
        "safety: Close",
        "Close · POST /v1/safety/shut",
    ]


def test_parameters_of_the_path_item_count_and_references_are_followed() -> None:
    found = imported(
        document(
            {"/v1/x/{lot-id}": {"$ref": "#/components/pathItems/One"}},
            components={
                "pathItems": {
                    "One": {
                        "parameters": [{"$ref": "#/components/parameters/From"}],
                        "get": {"summary": "One", "parameters": [{"$ref": "#/components/parameters/Lot"}]},
                    }
                },
                "parameters": {
                    "From": {"name": "from day", "in": "query", "required": True},
                    "Lot": {"name": "lot-id", "in": "path", "required": True},
                },
            },
        )
    )
    assert found.routes == (Route("One", "GET", "/v1/x/{lot_id}", (("from day", "{from_day}"),)),)


@pytest.mark.parametrize(
    ("schema", "body"),
    [
        ({"type": "object", "properties": {"a": {"type": "number"}}}, '{"a": {a}}'),
        ({"type": "object", "properties": {"a": {"type": ["null", "string"]}}}, '{"a": "{a}"}'),
        ({"properties": {"a": {"type": "boolean", "default": False}}}, '{"a": false}'),
        ({"properties": {"a": {"const": "x"}, "b": {"example": {"c": 1.50}}}}, '{"a": "x", "b": {"c": 1.5}}'),
        ({"properties": {"a": {"examples": [3, 4]}}}, '{"a": 3}'),
        ({"properties": {"a": {"enum": ["A", "B"]}}}, '{"a": "{a}"}'),
        ({"properties": {"a": {"type": "null"}, "b": {}}}, '{"a": null, "b": {b}}'),
        ({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}, '{"a": ["{item}"]}'),
        ({"properties": {"a": {"type": "array"}, "b": {"type": "object"}}}, '{"a": [], "b": {}}'),
        ({"properties": {"a": {"properties": {"id": {"type": "string"}}}}}, '{"a": {"id": "{a_id}"}}'),
        ({"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]}, '{"a": "{a}", "b": {b}}'),
        ({"oneOf": [{"properties": {"a": {"type": "string"}}}, {"type": "string"}]}, '{"a": "{a}"}'),
        ({"properties": {"{a}": {"example": "{b} and {{c}}"}}}, '{"\\u007ba}": "\\u007bb} and {\\u007bc}}"}'),
        ({"properties": {"id": {"type": "string", "readOnly": True}, "a": {"type": "string"}}}, '{"a": "{a}"}'),
        ({"type": "string"}, '"{body}"'),
        (True, "{body}"),
    ],
)
def test_a_body_comes_from_its_schema(schema: Any, body: str) -> None:
    assert body_of(schema) == body


def test_a_whole_example_goes_before_the_schema_and_keeps_its_numbers() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    text = json.dumps(
        document(
            {
                "/v1/x": {"post": {"requestBody": {"content": {"application/json": {"schema": schema, "example": 0}}}}},
                "/v1/y": {"put": {"requestBody": {"$ref": "#/components/requestBodies/Y"}}},
            },
            components={
                "requestBodies": {
                    "Y": {"content": {"application/json; charset=utf-8": {"examples": {"one": {"$ref": "#/e"}}}}}
                }
            },
            e={"value": {"massKg": 0}},
        )
    ).replace('"massKg": 0', '"massKg": 1.50')
    found = read_routes(text.encode())
    assert [route.body for route in found.routes] == ["0", '{"massKg": 1.50}']


def test_a_long_body_is_laid_out_over_lines() -> None:
    fields = {f"field{n}": {"type": "string"} for n in range(5)}
    assert body_of({"type": "object", "properties": fields}).splitlines()[:2] == ["{", '  "field0": "{field0}",']


def test_a_schema_that_refers_to_itself_is_asked_for_as_json() -> None:
    part = {"type": "object", "properties": {"name": {"type": "string"}, "of": {"$ref": "#/components/schemas/Part"}}}
    found = imported(
        document(
            {
                "/v1/x": {
                    "post": {
                        "requestBody": {
                            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Part"}}}
                        }
                    }
                }
            },
            components={"schemas": {"Part": part}},
        )
    )
    assert [route.body for route in found.routes] == ['{"name": "{name}", "of": {of}}']
    assert reasons(found) == {"#/components/schemas/Part in POST /v1/x": "it refers to itself; enter it as JSON"}


@pytest.mark.parametrize(
    ("paths", "what", "why"),
    [
        ({"/v1/auth/login": {"post": {}}}, "POST /v1/auth/login", "API keys can't call routes"),
        ({"/auth/keys": {"get": {}}}, "GET /v1/auth/keys", "API keys can't call routes"),
        ({"/v1/x/../auth": {"get": {}}}, "GET /v1/x/../auth", "the path contains the segment '..'"),
        ({"/v1/x\ny": {"get": {}}}, "GET /v1/x y", "the path contains a control character"),
        ({"/v1/operations/lots": {"get": {}}}, "GET /v1/operations/lots", "svc-tui already has it"),
        ({"/v1/safety/incidents/{n}": {"delete": {}}}, "DELETE /v1/safety/incidents/{n}", "svc-tui already has it"),
        ({"/v1/x": {"trace": {}}}, "TRACE /v1/x", "TRACE is never sent"),
        ({"/v1/svc_live_abc": {"get": {}}}, "GET /v1/svc_live_abc", "it contains an API key"),
        ({"/v1/x": {"$ref": "paths.json#/x"}}, "/v1/x", "it refers to paths.json#/x, which is outside this document"),
        ({"/v1/x": {"$ref": "#/nowhere"}}, "/v1/x", "#/nowhere is not in the document"),
        ({"/v1/x": {"$ref": "#/paths/~1v1~1x"}}, "/v1/x", "#/paths/~1v1~1x refers to itself"),
        ({"/v1/x": {"get": {"servers": [{"url": "https://other.example.org"}]}}}, "GET /v1/x", "it goes to another"),
        (
            {"/v1/x/{a}": {"get": {"parameters": [{"name": "a", "in": "path", "style": "matrix"}]}}},
            "GET /v1/x/{a}",
            "its parameter a uses a style that is not supported",
        ),
    ],
)
def test_what_can_not_be_a_route_is_left_out_with_its_reason(paths: dict[str, Any], what: str, why: str) -> None:
    found = imported(document(paths))
    assert found.routes == ()
    assert reasons(found)[what].startswith(why)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"multipart/form-data": {}}, "it is multipart/form-data; routes send JSON"),
        ({"application/json": {"example": "x" * 30_000}}, "it has more than 20,000 characters"),
        ({"application/json": {"schema": {"$ref": "other.json"}}}, "it refers to other.json, which is outside"),
        ({"application/json": {"example": "\ud800"}}, "it contains an incomplete Unicode character"),
    ],
)
def test_a_body_that_can_not_be_used_is_left_out_of_its_route(content: dict[str, Any], why: str) -> None:
    found = imported(document({"/v1/x": {"post": {"requestBody": {"content": content}}}}))
    assert [route.body for route in found.routes] == [""]
    assert reasons(found)["the body of POST /v1/x"].startswith(why)


def test_a_schema_that_grows_without_end_is_no_template() -> None:
    """Each level has the next one twice: thirty levels would be a thousand million parts."""
    schemas = {f"S{n}": {"properties": {"a": {"$ref": f"#/components/schemas/S{n + 1}"}}} for n in range(30)}
    for n in range(30):
        schemas[f"S{n}"]["properties"]["b"] = {"$ref": f"#/components/schemas/S{n + 1}"}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}
    found = imported(
        document({"/v1/x": {"post": {"requestBody": {"content": content}}}}, components={"schemas": schemas})
    )
    assert reasons(found)["the body of POST /v1/x"] == "its schema is too large for a template"


def test_no_more_routes_are_taken_than_somebody_can_look_through() -> None:
    found = imported(document({f"/v1/x/{n}": {"get": {}} for n in range(1_100)}))
    assert len(found.routes) == 1_000
    assert reasons(found) == {"the remaining routes": "the limit is 1,000 routes"}


def test_webhooks_and_callbacks_and_security_are_told_to_be_left_out() -> None:
    found = imported(
        document(
            {"/v1/x": {"post": {"callbacks": {"done": {}}}}},
            webhooks={"lotSplit": {"post": {}}},
            components={"securitySchemes": {"key": {"type": "apiKey"}}},
        )
    )
    assert set(reasons(found)) == {"security", "the webhook lotSplit", "the callbacks of POST /v1/x"}


def test_a_document_for_another_host_is_read_with_a_word() -> None:
    found = imported(document({"/v1/x": {"get": {}}}, servers=[{"url": "https://other.example.org"}]))
    assert len(found.routes) == 1
    assert reasons(found) == {"the host other.example.org": "requests go to the base URL of the profile"}


def test_an_operation_that_another_key_opens_is_left_out() -> None:
    schemes = {
        "key": {"type": "http", "scheme": "bearer"},
        "scoped": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "token": {"type": "apiKey", "in": "header", "name": "x-admin"},
    }
    asked = {
        "/v1/a": [{"session": []}, {"token": []}],
        "/v1/b": [{"session": []}, {"key": []}],
        "/v1/c": [{"scoped": []}],
        "/v1/d": [{}],
        "/v1/e": [],
        "/v1/f": [{"missing": []}],
    }
    paths: dict[str, Any] = {path: {"post": {"security": security}} for path, security in asked.items()}
    more = {"components": {"securitySchemes": schemes}}
    found = imported(document(paths, security=[{"key": []}], **more))
    assert [one.path for one in found.routes] == ["/v1/b", "/v1/c", "/v1/d", "/v1/e", "/v1/f"]
    assert reasons(found)["POST /v1/a"] == "it needs sid; a profile only has the key of the service"
    # Where the document does not say what usually opens it, nobody can tell what is another key.
    assert len(imported(document(paths, **more)).routes) == len(paths)
