"""The OpenAPI document: valid, of every route and no other, and true of what is answered."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from svc_tui.console.read_routes import read_routes
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.app import MAX_BODY
from svc_tui.sandbox.server.control import CONTROL_ROUTES, PREFIX
from svc_tui.sandbox.server.control import MAX_BODY as CONTROL_BODY
from svc_tui.sandbox.server.endpoints import ENDPOINTS, Endpoint, EndpointOperation
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.server.openapi import openapi_document
from svc_tui.sandbox.variants import OPEN_POINTS, Variants
from tests.optional import skip_without
from tests.sandbox.raw_client import RawAnswer, RawClient

LOTS = "/v1/operations/lots"
TOKEN = {"x-svc-control": "a token of the test"}

SETTLED = {
    "usual": {},
    "other": {
        "ids": "uuid",
        "meta": "count",
        "totals": "none",
        "page-cap": "20",
        "over-cap": "refused",
        "filters": "refused",
        "errors": "problem",
        "idempotency": "ignored",
        "if-match": "ignored",
        "bodies": "any",
        "unknown-fields": "ignored",
        "removed": "record",
    },
    "third": {"ids": "awkward", "meta": "next", "filters": "ignored", "errors": "list", "removed": "confirmed"},
    "fourth": {"ids": "digits", "meta": "none", "errors": "empty", "if-match": "ignored"},
    "fifth": {"meta": "snake", "errors": "flat", "idempotency": "ignored"},
}


@pytest.fixture(params=SETTLED)
def variants(request: pytest.FixtureRequest) -> Variants:
    return Variants(SETTLED[request.param])


@pytest.fixture
def document(variants: Variants) -> Mapping[str, Any]:
    """The document as it is given: as JSON."""
    read: Mapping[str, Any] = json.loads(json.dumps(openapi_document(variants)))
    return read


def operations(document: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    return {
        (method.upper(), path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if isinstance(part.get("$ref"), str) else [])
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_it_is_valid(document: Mapping[str, Any]) -> None:
    skip_without("openapi_spec_validator")
    from jsonschema import Draft202012Validator
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(document).validate()
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_it_has_every_route_and_no_other(document: Mapping[str, Any]) -> None:
    served = {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    control = {(route.method, f"{PREFIX}{route.path}") for route in CONTROL_ROUTES}
    told = operations(document)
    assert told.keys() == served | control
    assert len({operation["operationId"] for operation in told.values()}) == len(told)
    tokens = {where for where, operation in told.items() if operation.get("security") == [{"controlToken": []}]}
    assert tokens == control


def test_nothing_stands_in_it_that_nothing_refers_to(document: Mapping[str, Any]) -> None:
    named = {
        f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in document["components"][kind]
    }
    # No operation can give it: it is what a path says of a method that it has not.
    assert named - set(references(document)) == {"#/components/responses/error-405"}


def test_it_says_how_each_open_point_is_settled(document: Mapping[str, Any], variants: Variants) -> None:
    about = document["info"]["description"]
    for name, point in OPEN_POINTS.items():
        assert f"- {point.not_shown} (`{name}`): {point.ways[variants[name]]}\n" in about


def test_the_program_can_take_it_as_routes(document: Mapping[str, Any]) -> None:
    found = read_routes(json.dumps(document).encode())
    assert (found.kind, found.title) == ("OpenAPI 3.1", "svc-tui sandbox")
    assert len({route.name for route in found.routes}) == len(found.routes)
    bodies = {(route.method, route.path): route.body for route in found.routes}
    assert bodies["POST", "/v1/operations/lots/{id}/split"] == '{"parts": 2}'
    assert bodies["POST", "/v1/operations/lots/{id}/attachments"] == '{"fileName": "{fileName}"}'
    [verify] = [route for route in found.routes if route.path.endswith("/verify")]
    assert verify.query == (("tunnelId", "{tunnelId}"),)
    reasons = {left.what: left.why for left in found.omissions}
    known = {tuple(what.split(" ")) for what, why in reasons.items() if why == "svc-tui already has it"}
    assert {*bodies, *known} == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    assert reasons["POST /control/reset"] == "it needs x-svc-control; a profile only has the key of the service"


class Checked:
    """Speaks to a service, and holds each answer against the document."""

    def __init__(self, service: RunningService, document: Mapping[str, Any]) -> None:
        from jsonschema import Draft202012Validator

        self.service, self.document = service, document
        self.validator = Draft202012Validator
        self.statuses: dict[tuple[str, str], set[int]] = {where: set() for where in operations(document)}

    def say(
        self,
        where: tuple[str, str],
        target: str = "",
        body: str = "",
        headers: Mapping[str, str] = {},
        *,
        key: str | None = "sandbox",
    ) -> RawAnswer:
        client = RawClient(self.service.base_url, None if key is None else self.service.key(key))
        said = client.say(where[0], target or where[1], body, headers)
        self.check(where, said)
        return said

    def check(self, where: tuple[str, str], said: RawAnswer) -> None:
        answer = operations(self.document)[where]["responses"][str(said.status)]
        if "$ref" in answer:
            answer = self.document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        self.statuses[where].add(said.status)
        content = dict(answer.get("content", {}))
        if not content:
            assert said.body == b""
        else:
            schema = content.pop(said.headers["content-type"])["schema"]
            self.validator({**schema, "components": self.document["components"]}).validate(said.json)
        for name, header in answer.get("headers", {}).items():
            value = said.headers.get(name.lower())
            assert value is not None or not header.get("required"), name
            if value is not None:
                self.validator(header["schema"]).validate(value)
        told = {name.lower() for name in answer.get("headers", {})}
        assert said.headers.keys() - told <= {"content-type", "content-length", "date"}


@pytest.fixture
def checked(variants: Variants, document: Mapping[str, Any]) -> Iterator[Checked]:
    skip_without("jsonschema")
    options = SandboxOptions(records=20, variants=variants, control_token=TOKEN["x-svc-control"])
    with running_service(options) as service:
        yield Checked(service, document)


@dataclass(frozen=True)
class Asked:
    """What an operation is asked with here: a request that succeeds, and one for a record that is not there."""

    endpoint: Endpoint
    target: str
    missing: str
    body: str

    @property
    def where(self) -> tuple[str, str]:
        return self.endpoint.method, self.endpoint.path


def asked(client: RawClient) -> Iterator[Asked]:
    made = [client.say("POST", LOTS, '{"massKg":10}').json["id"] for _ in "12"]
    lot, other = (quote(lot_id, safe="") for lot_id in made)
    # The first record of each collection is removed on the way.
    tunnel = client.say("GET", "/v1/operations/tunnels").json["items"][1]["id"]
    assert client.say("POST", f"/v1/operations/lots/{lot}/attachments", '{"fileName":"first.pdf"}').status == 201
    bodies = {"operations/custody": {"tunnelId": tunnel}, "operations/lots/{id}/attachments": {"fileName": "a.pdf"}}
    for endpoint in ENDPOINTS:
        nested = "{id}" in endpoint.collection
        target, missing = endpoint.path, endpoint.path.replace("{id}", "none").replace("{itemId}", "none")
        body = bodies.get(endpoint.collection, {})
        if nested:
            target = target.replace("{id}", lot).replace("{itemId}", "{id}")
        if endpoint.operation is EndpointOperation.SPLIT:
            target, body = target.replace("{id}", other), {"parts": 2}
        elif endpoint.operation is EndpointOperation.VERIFY:
            target, missing = f"{target}?tunnelId={quote(tunnel)}", f"{missing}?tunnelId=none"
        elif "{id}" in target:
            first = client.say("GET", target.removesuffix("/{id}")).json["items"][0]["id"]
            target = target.replace("{id}", quote(first, safe=""))
        yield Asked(endpoint, target, missing, json.dumps(body))


def test_every_operation_gives_the_answers_that_it_says_and_no_others(checked: Checked) -> None:
    for one in asked(RawClient(checked.service.base_url, checked.service.key("sandbox"))):
        told = {int(status) for status in operations(checked.document)[one.where]["responses"]}
        refused(checked, one, told)
        if 404 in told:
            assert checked.say(one.where, one.missing, one.body).status == 404
        named = {"Idempotency-Key": " ".join(one.where)}
        said, again = (checked.say(one.where, one.target, one.body, named) for _ in "12")
        assert said.status in (200, 201, 204)
        assert again.status == said.status or "idempotency-key" not in names_of(checked, one)
        if 409 in told:
            assert checked.say(one.where, one.target, f"{one.body} ", named).status == 409
        assert checked.statuses[one.where] == told, one


def refused(checked: Checked, one: Asked, told: set[int]) -> None:
    """The refusals that there are whatever record it is about."""
    target, operation = one.target, one.endpoint.operation
    assert checked.say(one.where, target, key=None).status == 401
    assert checked.say(one.where, target, key="address").status == 403
    assert checked.say(one.where, target, " " * (MAX_BODY + 1)).status == 413
    for status in (429, 500, 503):
        checked.service.faults.next(str(status), retry_after=1)
        assert checked.say(one.where, target).status == status
    if operation in (EndpointOperation.LIST, EndpointOperation.VERIFY):
        assert checked.say(one.where, f"{target.partition('?')[0]}?page=0").status == 400
    if 422 in told:
        wrong = '{"parts":1}' if operation is EndpointOperation.SPLIT else '{"id":"mine"}'
        assert checked.say(one.where, target, wrong).status == 422
        assert checked.say(one.where, target, "[]").status == 400
    if 415 in told:
        assert checked.say(one.where, target, one.body, {"Content-Type": "text/plain"}).status == 415
    if 412 in told:
        assert checked.say(one.where, target, one.body, {"If-Match": '"other"'}).status == 412
    if "idempotency-key" in names_of(checked, one):
        assert checked.say(one.where, target, one.body, {"Idempotency-Key": ""}).status == 400


def names_of(checked: Checked, one: Asked) -> set[str]:
    """The parameters that an operation is said to take, in lower case."""
    return {parameter["name"].lower() for parameter in operations(checked.document)[one.where]["parameters"]}


def test_every_control_route_gives_the_answers_that_it_says(checked: Checked) -> None:
    lot = json.loads(RawClient(checked.service.base_url, checked.service.key("sandbox")).say("GET", LOTS).body)
    query = f"?key=operations/lots&id={quote(lot['items'][0]['id'], safe='')}"
    bodies = {
        "faults": ('{"name":"slow","delay":0}', "{}"),
        "rotate": ('{"key":"live"}', '{"key":"nobody"}'),
        "clock": ('{"offset_seconds":315360000}', '{"advance_seconds":1}'),
        "snapshot": ("", '{"name":""}'),
        "restore": ("", '{"name":"none"}'),
    }
    order = sorted(CONTROL_ROUTES, key=lambda route: route.path == "restore")
    for route in order:
        where = (route.method, f"{PREFIX}{route.path}")
        target = where[1] + (query if route.path == "record" else "")
        right, wrong = bodies[route.path] if route.body else ("", "")
        assert checked.say(where, target, right, TOKEN).status in (200, 204)
        if route.body:
            assert checked.say(where, target, wrong, TOKEN).status in (400, 404, 409)
            assert checked.say(where, target, " " * (CONTROL_BODY + 1), TOKEN).status == 413
        if route.path == "record":
            assert checked.say(where, f"{where[1]}?key=lots&id=1", headers=TOKEN).status == 404
        assert checked.say(where, f"{where[1]}?deep=1", headers=TOKEN).status == 400
        assert checked.say(where, target, right).status == 403
        assert checked.say(where, target, right, {**TOKEN, "Host": "evil.example"}).status == 421
        assert checked.statuses[where] == {int(status) for status in operations(checked.document)[where]["responses"]}
