"""`Idempotency-Key`: a write sent twice is done once."""

import threading

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, HandClock, RawAnswer, RawClient

LOTS = "/v1/operations/lots"
KEY = {"Idempotency-Key": "0b9c1e2e-6a53-4c6e-9a56-6b3f3d2f8a11"}


def total(sandbox: RawClient) -> int:
    count: int = sandbox.say("GET", f"{LOTS}?limit=1").json["meta"]["total"]
    return count


def test_the_same_write_gets_the_same_answer_and_is_done_once(sandbox: RawClient) -> None:
    first = sandbox.say("POST", LOTS, '{"massKg":1.50}', KEY)
    again = sandbox.say("POST", LOTS, '{"massKg":1.50}', KEY)
    assert (again.status, again.body) == (first.status, first.body)
    assert (again.headers["etag"], again.headers["location"]) == (first.headers["etag"], first.headers["location"])
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert total(sandbox) == 61


def test_without_a_key_or_with_another_the_write_is_done_again(sandbox: RawClient) -> None:
    for headers in ({}, {}, KEY, {"Idempotency-Key": "another"}):
        assert sandbox.say("POST", LOTS, "{}", headers).status == 201
    assert total(sandbox) == 64


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("POST", LOTS, '{"massKg":1.5}'),
        ("POST", f"{LOTS}?", '{"massKg":1.50}'),
        ("POST", "/v1/operations/tunnels", '{"massKg":1.50}'),
        ("PATCH", LOT, '{"massKg":1.50}'),
    ],
)
def test_the_key_of_one_write_is_refused_for_another(sandbox: RawClient, method: str, target: str, body: str) -> None:
    sandbox.say("POST", LOTS, '{"massKg":1.50}', KEY)
    said = sandbox.say(method, target, body, KEY)
    assert (said.status, said.code) == (409, "idempotency_conflict")
    assert total(sandbox) == 61


def test_every_kind_of_write_is_covered(sandbox: RawClient) -> None:
    lot = sandbox.say("POST", LOTS, '{"massKg":10.00}').headers["location"]
    for number, (method, target, body, status) in enumerate(
        (
            ("PATCH", lot, '{"note":"n"}', 200),
            ("POST", f"{lot}/attachments", '{"fileName":"f"}', 201),
            ("POST", f"{lot}/split", '{"parts":2}', 201),
            ("DELETE", LOT, "", 204),
        )
    ):
        key = {"Idempotency-Key": f"kind-{number}"}
        first, again = (sandbox.say(method, target, body, key) for _ in range(2))
        assert (first.status, again.status, again.body) == (status, status, first.body)
    assert total(sandbox) == 62


def test_a_refused_write_may_be_sent_again(sandbox: RawClient) -> None:
    assert sandbox.say("PATCH", LOT, '{"massKg":"x"}', KEY).status == 422
    assert sandbox.say("PATCH", LOT, '{"massKg":1}', KEY).status == 200


def test_keys_of_the_service_do_not_share_idempotency_keys(
    service: RunningService, sandbox: RawClient, live: RawClient
) -> None:
    assert sandbox.say("POST", LOTS, "{}", KEY).status == live.say("POST", LOTS, "{}", KEY).status == 201
    assert total(sandbox) == 62


def test_an_answer_is_kept_for_a_day(sandbox: RawClient, clock: HandClock) -> None:
    sandbox.say("POST", LOTS, "{}", KEY)
    clock.now += 24 * 3600
    assert sandbox.say("POST", LOTS, "{}", {"Idempotency-Key": "sweeps"}).status == 201
    assert sandbox.say("POST", LOTS, "{}", KEY).headers["idempotency-replayed"] == "true"
    clock.now += 1
    assert sandbox.say("POST", LOTS, "{}", {"Idempotency-Key": "sweeps again"}).status == 201
    assert "idempotency-replayed" not in sandbox.say("POST", LOTS, "{}", KEY).headers


def test_an_answer_is_forgotten_after_a_day_though_nothing_else_is_written(
    sandbox: RawClient, clock: HandClock
) -> None:
    sandbox.say("POST", LOTS, "{}", KEY)
    clock.now += 24 * 3600 + 1
    assert "idempotency-replayed" not in sandbox.say("POST", LOTS, "{}", KEY).headers
    assert sandbox.say("POST", LOTS, "{}", KEY).headers["idempotency-replayed"] == "true"


def test_a_key_without_end_is_refused(sandbox: RawClient) -> None:
    assert sandbox.say("POST", LOTS, "{}", {"Idempotency-Key": "k" * 255}).status == 201
    assert sandbox.say("POST", LOTS, "{}", {"Idempotency-Key": "k" * 256}).code == "invalid_parameter"
    assert sandbox.say("POST", LOTS, "{}", {"Idempotency-Key": ""}).code == "invalid_parameter"


def test_two_at_once_are_one(sandbox: RawClient) -> None:
    answers: list[RawAnswer] = []
    senders = [threading.Thread(target=lambda: answers.append(sandbox.say("POST", LOTS, "{}", KEY))) for _ in range(8)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert total(sandbox) == 61


def test_a_write_whose_answer_was_lost_is_found_again(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("reset")
    with pytest.raises(ConnectionResetError):
        sandbox.say("POST", LOTS, '{"name":"lost"}', KEY)
    assert service.record("operations/lots", "lot-000061") is not None
    again = sandbox.say("POST", LOTS, '{"name":"lost"}', KEY)
    assert (again.status, again.json["id"]) == (201, "lot-000061")
    assert total(sandbox) == 61
