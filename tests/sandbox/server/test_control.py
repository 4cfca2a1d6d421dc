"""The control routes: closed without a token, small with one."""

import hashlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.control import CONTROL_ROUTES
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.variants import Variants
from tests.sandbox.raw_client import LOT, RawAnswer, RawClient

TOKEN = {"x-svc-control": "a token of the test"}


@pytest.fixture
def controlled() -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=5, control_token=TOKEN["x-svc-control"])) as service:
        yield service


@pytest.fixture
def hand(controlled: RunningService) -> RawClient:
    """Speaks without a key."""
    return RawClient(controlled.base_url, None)


def test_without_a_token_at_start_there_are_no_control_routes(sandbox: RawClient) -> None:
    for path in ("/control/faults", "/control/attempts"):
        assert sandbox.say("GET", path, headers=TOKEN).code == "not_found"


@pytest.mark.parametrize("headers", [{}, {"x-svc-control": ""}, {"x-svc-control": "guess"}, {"x-svc-control": "\xff"}])
def test_without_the_token_nothing_happens(
    controlled: RunningService, hand: RawClient, headers: dict[str, str]
) -> None:
    assert hand.say("POST", "/control/faults", '{"name":"500"}', headers).status == 403
    assert hand.say("GET", "/control/attempts", headers=headers).status == 403
    assert RawClient(controlled.base_url, controlled.key("sandbox")).say("GET", LOT).status == 200


def test_faults_are_armed_and_cleared(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    assert hand.say("POST", "/control/faults", '{"name":"429","count":2.0,"retry_after":4}', TOKEN).status == 204
    assert [client.say("GET", LOT).headers.get("retry-after") for _ in range(3)] == ["4", "4", None]
    assert hand.say("POST", "/control/faults", '{"name":"500","every":2,"method":"GET"}', TOKEN).status == 204
    assert [client.say("GET", LOT).status for _ in range(4)] == [200, 500, 200, 500]
    assert hand.say("DELETE", "/control/faults", headers=TOKEN).status == 204
    assert [client.say("GET", LOT).status for _ in range(2)] == [200, 200]


def arm(hand: RawClient, **options: object) -> RawAnswer:
    return hand.say("POST", "/control/faults", json.dumps(options), TOKEN)


def test_faults_in_force_are_listed_with_what_they_met(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    assert arm(hand, name="500", count=3, after=1, method="GET", path="/v1/operations/lots/").status == 204
    assert arm(hand, name="slow", every=50, delay=0).status == 204
    assert [client.say("GET", target).status for target in (LOT, "/v1/operations/lots", LOT)] == [200, 200, 500]
    said = hand.say("GET", "/control/faults", headers=TOKEN).json
    assert said["held"] == 0
    assert said["faults"] == [
        {
            "name": "500",
            "left": 2,
            "every": None,
            "after": 1,
            "method": "GET",
            "path": "/v1/operations/lots/",
            "retry_after": None,
            "delay": 3.0,
            "seen": 2,
            "met": 1,
        },
        {
            "name": "slow",
            "left": None,
            "every": 50,
            "after": 0,
            "method": None,
            "path": "",
            "retry_after": None,
            "delay": 0.0,
            "seen": 3,
            "met": 0,
        },
    ]
    assert hand.say("DELETE", "/control/faults?name=500", headers=TOKEN).status == 204
    assert [fault["name"] for fault in hand.say("GET", "/control/faults", headers=TOKEN).json["faults"]] == ["slow"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "name is missing"),
        ("{", "the body is not JSON"),
        ('{"name":"429","count":"2"}', "count must be a whole number"),
        ('{"name":"429","after":true}', "after must be a whole number"),
        ("[]", "the body must be a JSON object"),
        ("5", "the body must be a JSON object"),
        ('{"name":"flood"}', "unknown fault 'flood'; choose from 429, 500"),
        ('{"count":1}', "name is missing"),
        ('{"name":"429","count":0}', "count must be 1 or more"),
        ('{"name":"429","when":1}', "when is not a known field"),
        ('{"name":"429","method":"FETCH"}', "method must be 'GET'"),
        ('{"name":"429","retry_after":"1\\r\\nx: y"}', "retry_after must be printable ASCII"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused_in_one_line(hand: RawClient, body: str, message: str) -> None:
    said = hand.say("POST", "/control/faults", body, TOKEN)
    assert said.status == 400
    assert said.json["error"]["message"].startswith(message)
    assert "\n" not in said.json["error"]["message"]


def attempts(hand: RawClient, query: str = "") -> list[dict[str, object]]:
    said = hand.say("GET", f"/control/attempts{query}", headers=TOKEN).json
    assert isinstance(said["attempts"], list)
    return said["attempts"]


def test_attempts_tell_what_arrived_and_no_secret(controlled: RunningService, hand: RawClient) -> None:
    live = RawClient(controlled.base_url, controlled.key("live"))
    body = '{"massKg":1.50}'
    live.say("PATCH", LOT, body, {"Idempotency-Key": "k"})
    [attempt] = attempts(hand)
    digest = hashlib.sha256(body.encode()).hexdigest()
    assert attempt == {
        "number": 1,
        "method": "PATCH",
        "target": LOT,
        "key": "live",
        "signature": "right",
        "timestamp": attempt["timestamp"],
        "signed_string": f"{attempt['timestamp']}.PATCH.{LOT}.{digest}",
        "idempotency_key": "k",
        "status": 200,
        "code": None,
        "why": None,
    }
    told = hand.say("GET", "/control/attempts", headers=TOKEN).body
    for key in controlled.keys:
        assert key.api_key.encode() not in told
        assert (key.signing_secret or "-" * 40).encode() not in told


def test_every_signature_has_a_verdict_and_a_refusal_its_reason(controlled: RunningService, hand: RawClient) -> None:
    live, signed, unsigned, nobody = (
        RawClient(controlled.base_url, key) for key in (*map(controlled.key, ("live", "test-signed", "sandbox")), None)
    )
    live.say("GET", LOT, signed_target="/v1/other")
    live.say("GET", LOT, timestamp="1000000000")
    live.say("GET", LOT, sign=False)
    signed.say("GET", LOT, sign=False)
    signed.say("GET", LOT, sign=False, headers={"x-svc-timestamp": "1"})
    unsigned.say("GET", LOT, headers={"x-svc-timestamp": "1", "x-svc-signature": "t=1,v1=0"})
    nobody.say("GET", LOT, headers={"x-svc-timestamp": "1", "x-svc-signature": "t=1,v1=0"})
    seen = attempts(hand)
    assert [(attempt["signature"], attempt["code"]) for attempt in seen] == [
        ("wrong", "signature_mismatch"),
        ("wrong", "timestamp_stale"),
        ("absent", "signature_missing"),
        ("absent", None),
        ("wrong", "signature_mismatch"),
        ("not judged", None),
        ("not judged", "api_key_missing"),
    ]
    assert seen[0]["why"] == "the digest is different from the one that the service computed"
    assert attempts(hand, "?after=5") == seen[5:]
    assert hand.say("GET", "/control/attempts?after=x", headers=TOKEN).status == 400
    assert hand.say("DELETE", "/control/attempts", headers=TOKEN).status == 204
    assert attempts(hand) == []
    unsigned.say("GET", LOT)
    assert [attempt["number"] for attempt in attempts(hand)] == [8]


def test_a_record_is_given_as_it_is_stored(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    changed = client.say("PATCH", LOT, '{"massKg":1.50}')
    assert hand.say("GET", "/control/record?key=operations/lots&id=lot-000001", headers=TOKEN).body == changed.body
    for query in ("key=operations/lots&id=none", "key=none&id=lot-000001", "place=live&key=operations/lots&id=x"):
        assert hand.say("GET", f"/control/record?{query}", headers=TOKEN).status == 404


def test_what_is_no_route_is_told(hand: RawClient) -> None:
    assert hand.say("GET", "/control/other", headers=TOKEN).status == 404
    said = hand.say("PUT", "/control/faults", headers=TOKEN)
    assert (said.status, said.json["error"]["message"]) == (405, "this route supports GET, HEAD, POST, DELETE")
    assert said.headers["allow"] == "GET, HEAD, POST, DELETE"
    said = hand.say("DELETE", "/control/faults?name=429&name=500", headers=TOKEN)
    assert (said.status, said.json["error"]["message"]) == (400, "a parameter is set twice in the query")
    assert hand.say("GET", "/control/none", headers={**TOKEN, "Host": "localhost/control/health?"}).status == 404
    assert hand.say("POST", "/control/clock", '{"offset_seconds":true}', TOKEN).status == 400
    said = hand.say("GET", "/control/health?colour=red", headers=TOKEN)
    assert (said.status, said.json["error"]["message"]) == (400, "unknown parameter 'colour'")
    assert hand.say("POST", "/control/clock", " " * 70_000, TOKEN).status == 413


def test_a_held_answer_is_released(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    assert arm(hand, name="hold").status == 204
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(client.say, "GET", LOT)
        while hand.say("GET", "/control/health", headers=TOKEN).json["held"] == 0:
            continue
        assert not held.done()
        assert hand.say("POST", "/control/release", headers=TOKEN).status == 204
        assert held.result(60).status == 200


def test_a_rotated_key_ends_when_the_overlap_is_over(controlled: RunningService, hand: RawClient) -> None:
    old = RawClient(controlled.base_url, controlled.key("live"))
    pair = hand.say("POST", "/control/rotate", '{"key":"live","overlap_seconds":60}', TOKEN).json
    new = RawClient(controlled.base_url, IssuedKey(**pair), clock=lambda: time.time() + 61)
    assert old.say("GET", LOT).status == 200
    assert new.say("GET", LOT).status == 200
    said = hand.say("POST", "/control/clock", '{"advance_seconds":61}', TOKEN).json
    assert said["offset_seconds"] == 61
    assert (old.say("GET", LOT).code, new.say("GET", LOT).status) == ("api_key_revoked", 200)
    at_once = hand.say("POST", "/control/rotate", '{"key":"live"}', TOKEN).json
    assert new.say("GET", LOT).code == "api_key_revoked"
    assert RawClient(controlled.base_url, IssuedKey(**at_once), clock=new.clock).say("GET", LOT).status == 200
    refused = hand.say("POST", "/control/rotate", '{"key":"nobody"}', TOKEN)
    assert (refused.status, refused.json["error"]["message"][:31]) == (404, "unknown key 'nobody'; the keys ")


@pytest.mark.parametrize(
    ("path", "body"), [("clock", '{"offset_seconds":-60}'), ("faults", '{"name":"clock-behind","every":1}')]
)
def test_a_rotated_key_does_not_come_back_when_the_clock_goes_back(
    controlled: RunningService, hand: RawClient, path: str, body: str
) -> None:
    old = RawClient(controlled.base_url, controlled.key("sandbox"))
    hand.say("POST", "/control/rotate", '{"key":"sandbox"}', TOKEN)
    hand.say("POST", f"/control/{path}", body, TOKEN)
    assert old.say("GET", LOT).code == "api_key_revoked"


def test_the_clock_can_be_set_and_stale_requests_follow(controlled: RunningService, hand: RawClient) -> None:
    live = RawClient(controlled.base_url, controlled.key("live"))
    assert hand.say("POST", "/control/clock", '{"offset_seconds":-301.5}', TOKEN).status == 200
    assert live.say("GET", LOT).code == "timestamp_stale"
    said = hand.say("GET", "/control/clock", headers=TOKEN).json
    assert said["offset_seconds"] == -301.5
    assert abs(said["time"] + 301.5 - time.time()) < 60
    for body in (
        "{}",
        '{"offset_seconds":1,"advance_seconds":1}',
        '{"offset_seconds":1e12}',
        '{"offset_seconds":"x"}',
        '{"advance_seconds":false}',
    ):
        assert hand.say("POST", "/control/clock", body, TOKEN).status == 400
    assert hand.say("POST", "/control/clock", '{"advance_seconds":-315360000}', TOKEN).status == 409


@pytest.mark.parametrize(
    ("request_line", "message"),
    [
        ("DELETE /control/faults?name=flood", "unknown fault 'flood'; choose from 429, 500"),
        ("DELETE /control/faults?name=500&name=503", "a parameter is set twice in the query"),
        ("GET /control/record?key=operations/lots", "the parameter id is required"),
        ("GET /control/attempts?after=first", "after must be the number of a request"),
        ("GET /control/health?deep=1", "unknown parameter 'deep'"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(hand: RawClient, request_line: str, message: str) -> None:
    method, target = request_line.split(" ")
    said = hand.say(method, target, headers=TOKEN)
    assert (said.status, said.json["error"]["message"][: len(message)]) == (400, message)


def test_a_method_that_a_control_route_does_not_take(hand: RawClient) -> None:
    for method in ("TRACE", "PUT"):
        said = hand.say(method, "/control/faults", headers=TOKEN)
        assert (said.status, said.headers["allow"]) == (405, "GET, HEAD, POST, DELETE")


def test_a_control_route_gives_its_head_alone(hand: RawClient) -> None:
    got, head = (hand.say(method, "/control/openapi.json", headers=TOKEN) for method in ("GET", "HEAD"))
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(got.body)))


def test_data_comes_back_from_a_snapshot(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    keyed = {"Idempotency-Key": "k"}
    first = client.say("PATCH", LOT, '{"name":"first"}', keyed).json
    assert hand.say("POST", "/control/snapshot", '{"name":"after the first"}', TOKEN).status == 204
    made = client.say("POST", "/v1/operations/lots", '{"name":"made"}', {"Idempotency-Key": "m"})
    client.say("PATCH", LOT, '{"name":"second"}')
    client.say("DELETE", "/v1/operations/lots/lot-000002")
    assert hand.say("POST", "/control/restore", '{"name":"after the first"}', TOKEN).status == 204
    assert client.say("GET", LOT).json == first
    assert client.say("GET", "/v1/operations/lots/lot-000002").status == 200
    assert client.say("GET", "/v1/operations/lots").json["meta"]["total"] == 5
    # An answer that was stored by then is still known, one that came later is not.
    assert "idempotency-replayed" in client.say("PATCH", LOT, '{"name":"first"}', keyed).headers
    again = client.say("POST", "/v1/operations/lots", '{"name":"made"}', {"Idempotency-Key": "m"})
    assert again.json["id"] == made.json["id"]
    assert "idempotency-replayed" not in again.headers
    said = hand.say("POST", "/control/restore", '{"name":"other"}', TOKEN)
    assert said.json["error"]["message"] == "unknown snapshot 'other'; the snapshots are: after the first"
    assert hand.say("GET", "/control/health", headers=TOKEN).json["snapshots"] == ["after the first"]


def test_a_snapshot_lasts_as_long_as_its_database(tmp_path: Path) -> None:
    token = TOKEN["x-svc-control"]
    options = SandboxOptions(records=5, database=tmp_path / "mine.db", control_token=token)
    with running_service(options) as service:
        hand = RawClient(service.base_url, None)
        assert hand.say("POST", "/control/snapshot", headers=TOKEN).status == 204
        RawClient(service.base_url, service.key("sandbox")).say("DELETE", LOT)
    with running_service(options) as service:
        hand = RawClient(service.base_url, None)
        assert service.record("operations/lots", "lot-000001") is None
        assert hand.say("POST", "/control/restore", headers=TOKEN).status == 204
        assert service.record("operations/lots", "lot-000001") is not None


def test_a_reset_makes_everything_what_it_was(controlled: RunningService, hand: RawClient) -> None:
    client = RawClient(controlled.base_url, controlled.key("sandbox"))
    before = client.say("GET", LOT).body
    keys = controlled.keys
    client.say("PATCH", LOT, '{"name":"other"}', {"Idempotency-Key": "k"})
    client.say("POST", "/v1/operations/lots", "{}")
    arm(hand, name="500", every=1)
    hand.say("POST", "/control/rotate", '{"key":"sandbox"}', TOKEN)
    hand.say("POST", "/control/clock", '{"offset_seconds":4000}', TOKEN)
    assert hand.say("POST", "/control/reset", headers=TOKEN).status == 204
    assert controlled.keys == keys
    assert attempts(hand) == []
    assert client.say("GET", LOT).body == before
    assert client.say("GET", "/v1/operations/lots").json["meta"]["total"] == 5
    assert hand.say("GET", "/control/clock", headers=TOKEN).json["offset_seconds"] == 0
    assert "idempotency-replayed" not in client.say("PATCH", LOT, '{"name":"other"}', {"Idempotency-Key": "k"}).headers


def test_a_reset_gives_every_key_its_requests_again(controlled: RunningService, hand: RawClient) -> None:
    limited = RawClient(controlled.base_url, controlled.key("limited"))
    while limited.say("GET", LOT).status == 200:
        continue
    hand.say("POST", "/control/reset", headers=TOKEN)
    assert limited.say("GET", LOT).status == 200


def test_a_reset_arms_what_was_armed_at_the_start() -> None:
    options = SandboxOptions(records=5, faults=("no-total",), clock_offset=7, control_token=TOKEN["x-svc-control"])
    with running_service(options) as service:
        hand = RawClient(service.base_url, None)
        hand.say("DELETE", "/control/faults", headers=TOKEN)
        hand.say("POST", "/control/clock", '{"offset_seconds":0}', TOKEN)
        hand.say("POST", "/control/reset", headers=TOKEN)
        told = hand.say("GET", "/control/health", headers=TOKEN).json
        assert (told["faults"], told["offset_seconds"]) == (1, 7)


def test_health_tells_how_the_service_was_started() -> None:
    options = SandboxOptions(
        records=7,
        seed=3,
        split=True,
        variants=Variants({"meta": "count"}),
        control_token=TOKEN["x-svc-control"],
    )
    with running_service(options) as service:
        for url in service.base_urls.values():
            told = RawClient(url, None).say("GET", "/control/health", headers=TOKEN).json
            assert (told["status"], told["places"], told["records"], told["seed"]) == ("ok", ["live", "test"], 7, 3)
            assert told["variants"] == dict(options.variants)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:80", 200),
        ("127.8.9.1", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("evil.example:127", 421),
        ("10.0.0.1", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_a_page_that_is_led_here_by_another_name_gets_nothing(hand: RawClient, host: str, status: int) -> None:
    assert hand.say("GET", "/control/health", headers={**TOKEN, "Host": host}).status == status


def test_a_service_that_others_reach_has_other_names() -> None:
    with running_service(SandboxOptions(host="0.0.0.0", records=5, control_token=TOKEN["x-svc-control"])) as service:
        hand = RawClient(service.base_url.replace("0.0.0.0", "127.0.0.1"), None)
        assert hand.say("GET", "/control/health", headers={**TOKEN, "Host": "sandbox:8000"}).status == 200


def test_every_answer_has_the_fields_that_its_route_names(controlled: RunningService, hand: RawClient) -> None:
    bodies = {"faults": '{"name":"500"}', "rotate": '{"key":"live"}', "clock": '{"offset_seconds":0}'}
    hand.say("POST", "/control/snapshot", headers=TOKEN)
    for route in CONTROL_ROUTES:
        query = "?key=operations/lots&id=lot-000001" if route.path == "record" else ""
        body = bodies.get(route.path, "") if route.body else ""
        said = hand.say(route.method, f"/control/{route.path}{query}", body, TOKEN)
        assert said.status == (200 if route.answers else 204), route
        if route.answers:
            assert route.answers.keys() <= said.json.keys(), route
