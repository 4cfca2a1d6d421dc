"""The control routes: closed without a token, small with one."""

import json
from collections.abc import Iterator

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
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
    assert hand.say("POST", "/control/faults", '{"name":"429","count":2,"retry_after":4}', TOKEN).status == 204
    assert [client.say("GET", LOT).headers.get("retry-after") for _ in range(3)] == ["4", "4", None]
    assert hand.say("POST", "/control/faults", '{"name":"500","every":2,"method":"GET"}', TOKEN).status == 204
    assert [client.say("GET", LOT).status for _ in range(4)] == [200, 500, 200, 500]
    assert hand.say("DELETE", "/control/faults", headers=TOKEN).status == 204
    assert [client.say("GET", LOT).status for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    "body", ["", "[]", "5", '{"name":"flood"}', '{"count":1}', '{"name":"429","count":0}', '{"name":"429","when":1}']
)
def test_a_fault_that_makes_no_sense_is_refused(hand: RawClient, body: str) -> None:
    assert hand.say("POST", "/control/faults", body, TOKEN).status == 400


def test_attempts_and_records_can_be_looked_at(controlled: RunningService, hand: RawClient) -> None:
    live = RawClient(controlled.base_url, controlled.key("live"))
    changed = live.say("PATCH", LOT, '{"massKg":1.50}', {"Idempotency-Key": "k"}, timestamp=None)
    said: RawAnswer = hand.say("GET", "/control/attempts", headers=TOKEN)
    [attempt] = said.json["attempts"]
    assert attempt == {
        "method": "PATCH",
        "target": LOT,
        "signed": True,
        "timestamp": attempt["timestamp"],
        "idempotencyKey": "k",
        "key": "live",
        "status": 200,
        "code": None,
    }
    for key in controlled.keys:
        assert key.api_key.encode() not in said.body
    record = hand.say("GET", "/control/record?key=operations/lots&id=lot-000001", headers=TOKEN)
    assert record.body == changed.body
    assert hand.say("GET", "/control/record?key=operations/lots&id=none", headers=TOKEN).status == 404
    assert hand.say("GET", "/control/other", headers=TOKEN).status == 404


def test_a_held_answer_is_released(controlled: RunningService, hand: RawClient) -> None:
    assert hand.say("POST", "/control/release", headers=TOKEN).status == 204
    assert json.loads(str(controlled.record("operations/lots", "lot-000001")))["id"] == "lot-000001"
