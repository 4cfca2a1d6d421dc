"""The uniform pattern on all twelve collections, and the rules for bodies."""

import json

import pytest

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, HandClock, RawClient

LOTS = "/v1/operations/lots"

# For each collection: a body to create with, a patch, and a patch that is refused with the field it must name.
CASES: dict[str, tuple[str, str, str, str]] = {
    "operations/lots": ('{"name":"New","massKg":1204.50}', '{"massKg":1.10}', '{"massKg":"1.10"}', "massKg"),
    "operations/tunnels": ('{"name":"Újvágat"}', '{"ventilated":false}', '{"ventilated":"no"}', "ventilated"),
    "operations/productionLogs": ('{"massKg":10.00}', '{"shift":"night"}', '{"shift":"dusk"}', "shift"),
    "operations/shiftLogs": ('{"headcount":7}', '{"headcount":8}', '{"headcount":8.5}', "headcount"),
    "operations/custody": ('{"tunnelId":"tun-02"}', '{"note":"x"}', '{"tunnelId":null}', "tunnelId"),
    "operations/analytics": ('{"metric":"recovery"}', '{"breakdown":{"day":1.0}}', '{"breakdown":[]}', "breakdown"),
    "compliance/licenses": ('{"name":"L"}', '{"expiresOn":"2026-02-28"}', '{"expiresOn":"2026-02-30"}', "expiresOn"),
    "inventory/stock": ('{"name":"Bolt"}', '{"unit":"kg"}', '{"unit":null}', "unit"),
    "environment/monitoring": ('{"value":0.50}', '{"alarm":true}', '{"alarm":1}', "alarm"),
    "finance/invoices": ('{"currency":"EUR"}', '{"paidAt":"2025-01-01T00:00:00Z"}', '{"paidAt":"today"}', "paidAt"),
    "workforce/workers": ('{"name":"李"}', '{"languages":["zh"]}', '{"languages":"zh"}', "languages"),
    "safety/incidents": ('{"severity":"minor"}', '{"description":"d"}', '{"description":5}', "description"),
}


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.key)
def test_list_get_create_update_remove(service: RunningService, sandbox: RawClient, collection: Collection) -> None:
    body, patch, bad, named = CASES[collection.key]
    before = sandbox.say("GET", f"{collection.path}?limit=3").json
    assert len(before["items"]) == 3
    first = before["items"][0]
    assert next(iter(first)) == "id"
    assert sandbox.say("GET", f"{collection.path}/{first['id']}").json == first

    made = sandbox.say("POST", collection.path, body)
    assert made.status == 201
    path = made.headers["location"]
    assert path == f"{collection.path}/{made.json['id']}"
    assert made.json.items() >= json.loads(body).items()
    assert next(iter(made.json)) == "id"
    last = sandbox.say("GET", f"{collection.path}?limit=1&page={before['meta']['total'] + 1}").json
    assert (last["items"], last["meta"]["total"]) == ([made.json], before["meta"]["total"] + 1)

    changed = sandbox.say("PATCH", path, patch)
    assert changed.status == 200
    got = sandbox.say("GET", path)
    assert got.body == changed.body
    assert got.headers["etag"] == changed.headers["etag"] != made.headers["etag"]
    assert got.json.items() >= json.loads(patch).items()

    refused = sandbox.say("PATCH", path, bad)
    assert (refused.status, refused.code) == (422, "validation_failed")
    assert named in refused.message
    assert sandbox.say("GET", path).body == changed.body

    gone = sandbox.say("DELETE", path)
    assert (gone.status, gone.body) == (204, b"")
    for method in ("GET", "PATCH", "DELETE"):
        assert sandbox.say(method, path, b"{}").code == "not_found"
    assert sandbox.say("GET", f"{collection.path}?limit=1").json["meta"]["total"] == before["meta"]["total"]
    assert service.record(collection.key, made.json["id"]) is None


def test_every_collection_has_its_case() -> None:
    assert CASES.keys() == {collection.key for collection in COLLECTIONS}


def test_a_patch_merges_at_the_top_level_and_null_sets_null(service: RunningService, sandbox: RawClient) -> None:
    before = sandbox.say("GET", LOT).json
    after = sandbox.say("PATCH", LOT, '{"assay":{"auPpm":2.500},"note":null}').json
    assert after == {**before, "assay": {"auPpm": 2.5}, "note": None, "updatedAt": after["updatedAt"]}
    assert '"assay":{"auPpm":2.500}' in str(service.record("operations/lots", "lot-000001"))


def test_numbers_come_back_as_they_were_written(sandbox: RawClient) -> None:
    for text in ("1204.50", "0.000", "1e3", "12345678901234567890.123456789012345678900", "-0.0"):
        assert f'"massKg":{text},'.encode() in sandbox.say("PATCH", LOT, f'{{"massKg":{text}}}').body
        assert f'"massKg":{text},'.encode() in sandbox.say("GET", f"{LOTS}?limit=1").body


def test_a_patch_that_changes_nothing_leaves_the_record_as_it_was(sandbox: RawClient, clock: HandClock) -> None:
    before = sandbox.say("GET", LOT)
    clock.now += 60
    same = sandbox.say("PATCH", LOT, before.body)
    assert (same.status, same.body, same.headers["etag"]) == (200, before.body, before.headers["etag"])


def test_a_change_is_dated(sandbox: RawClient, clock: HandClock) -> None:
    clock.now = 1_700_000_000.0
    assert sandbox.say("PATCH", LOT, '{"sealed":true,"note":"n"}').json["updatedAt"] == "2023-11-14T22:13:20Z"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"id":"lot-000002"}', "id"),
        ('{"updatedAt":"2020-01-01T00:00:00Z"}', "updatedAt"),
        ('{"colour":"red"}', "colour"),
        ('{"status":"lost"}', "status"),
        ('{"status":null}', "status"),
        ('{"hazardous":null}', "hazardous"),
        ('{"tags":{}}', "tags"),
        ('{"openedAt":"2025-13-01T00:00:00Z"}', "openedAt"),
        ('{"openedAt":"2025-01-01T24:00:00Z"}', "openedAt"),
        ('{"openedAt":"2025-01-01T00:00:00+99:99"}', "openedAt"),
        ('{"openedAt":"٢٠٢٥-01-01T00:00:00Z"}', "openedAt"),
        ('{"note":5}', "note"),
    ],
)
def test_a_field_that_may_not_be_set_so_is_named(sandbox: RawClient, body: str, named: str) -> None:
    for said in (sandbox.say("PATCH", LOT, body), sandbox.say("POST", LOTS, body)):
        assert (said.status, said.code) == (422, "validation_failed")
        assert named in said.message


def test_a_whole_number_is_one_by_its_value(sandbox: RawClient) -> None:
    incidents = "/v1/safety/incidents"
    for text in ("3", "3.0", "3e2", "30e-1", "-0"):
        made = sandbox.say("POST", incidents, f'{{"injuries":{text}}}')
        assert (made.status, f'"injuries":{text}' in made.body.decode()) == (201, True)
    for text in ("3.5", "3e-1", '"3"', "true"):
        assert sandbox.say("POST", incidents, f'{{"injuries":{text}}}').code == "validation_failed"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'"x"',
        b"1",
        b"{",
        b'{"a":1,}',
        b'{"massKg":NaN}',
        b"\xff",
        b'{"note":"a","note":"b"}',
        b'{"note":"\\ud800"}',
    ],
)
def test_a_body_must_be_a_json_object(sandbox: RawClient, body: bytes) -> None:
    said = sandbox.say("PATCH", LOT, body)
    assert (said.status, said.code) == (400, "invalid_json")


def test_a_body_may_have_a_megabyte(sandbox: RawClient) -> None:
    frame = len(b'{"tags":[""]}')
    largest = b'{"tags":["' + b"x" * (1024 * 1024 - frame) + b'"]}'
    assert sandbox.say("PATCH", LOT, largest).status == 200
    said = sandbox.say("PATCH", LOT, largest + b" ")
    assert (said.status, said.code) == (413, "payload_too_large")


def test_if_match_guards_a_write(sandbox: RawClient) -> None:
    tag = sandbox.say("GET", LOT).headers["etag"]
    changed = sandbox.say("PATCH", LOT, '{"note":"one"}', {"If-Match": tag})
    assert changed.status == 200
    for method in ("PATCH", "DELETE"):
        late = sandbox.say(method, LOT, '{"note":"two"}', {"If-Match": tag})
        assert (late.status, late.code) == (412, "precondition_failed")
    assert sandbox.say("GET", LOT).json["note"] == "one"
    either = f'"other", {changed.headers["etag"]}'
    assert sandbox.say("PATCH", LOT, '{"note":"three"}', {"If-Match": either}).status == 200
    assert sandbox.say("DELETE", LOT, headers={"If-Match": "*"}).status == 204


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", LOT, "GET, HEAD, PATCH, DELETE"),
        ("POST", LOT, "GET, HEAD, PATCH, DELETE"),
        ("DELETE", LOTS, "GET, HEAD, POST"),
        ("GET", f"{LOT}/split", "POST"),
        ("POST", "/v1/operations/hash-chain/verify", "GET, HEAD"),
    ],
)
def test_a_method_that_a_route_does_not_take(sandbox: RawClient, method: str, path: str, allowed: str) -> None:
    said = sandbox.say(method, path, b"{}")
    assert (said.status, said.code, said.headers["allow"]) == (405, "method_not_allowed", allowed)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v2/operations/lots",
        "/operations/lots",
        "/v1/operations",
        "/v1/operations/Lots",
        "/v1/operations/lots/lot-1",
        "/v1/operations/lots/lot-000061",
        "/v1/operations/lots/lot-000001/other",
        "/v1/operations/lots/../lots/lot-000001",
        "/v1//operations/lots",
    ],
)
def test_what_is_not_there(sandbox: RawClient, path: str) -> None:
    said = sandbox.say("GET", path)
    assert (said.status, said.code) == (404, "not_found")


def test_head_answers_like_get_without_a_body(sandbox: RawClient) -> None:
    got, head = sandbox.say("GET", LOT), sandbox.say("HEAD", LOT)
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", got.headers["etag"])
    assert head.headers["content-length"] == str(len(got.body))
