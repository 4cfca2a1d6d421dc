"""Faults: the registry alone, and each one over real HTTP."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svc_tui.sandbox.faults import FAULTS, FaultInjector, parse_fault
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.sandbox.raw_client import LOT, HandClock, RawAnswer, RawClient

LOTS = "/v1/operations/lots"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("429", ("429", 5)),
        ("429:1", ("429", 1)),
        ("clock-ahead", ("clock-ahead", 1)),
        ("slow:20", ("slow", 20)),
        ("429:0", None),
        ("429:", None),
        ("429:x", None),
        ("429:٣", None),
        ("nothing", None),
        ("", None),
    ],
)
def test_names_and_rates(text: str, parsed: tuple[str, int] | None) -> None:
    assert parse_fault(text) == parsed


def test_at_start_a_fault_meets_one_request_in_five() -> None:
    faults = FaultInjector(("500",))
    hits = [faults.take("500", method="GET", path=LOTS) is not None for _ in range(15)]
    assert hits == [False, False, False, False, True] * 3


def test_faults_of_equal_rate_do_not_meet_the_same_request() -> None:
    faults = FaultInjector(("429", "500", "503"))
    names = [
        fault.name if fault else ""
        for fault in (faults.take("429", "500", "503", method="GET", path=LOTS) for _ in range(10))
    ]
    assert names == ["", "", "503", "500", "429"] * 2


def test_counted_faults_meet_one_request_each_in_the_order_they_were_armed() -> None:
    faults = FaultInjector()
    faults.next("500", 2)
    faults.next("429", method="PATCH", retry_after=7)
    met = [faults.take("500", "429", method=method, path=LOTS) for method in ("GET", "PATCH", "GET", "PATCH", "PATCH")]
    assert [fault and fault.name for fault in met] == ["500", "500", None, "429", None]
    assert met[3] is not None
    assert met[3].retry_after == "7"


def test_only_the_faults_asked_for_are_taken() -> None:
    faults = FaultInjector()
    faults.next("500")
    assert faults.take("429", method="GET", path=LOTS) is None
    assert faults.take("500", method="GET", path=LOTS) is not None


def test_clearing() -> None:
    faults = FaultInjector(("429:1", "500:1"))
    faults.clear("429")
    assert faults.take("429", method="GET", path=LOTS) is None
    assert faults.take("500", method="GET", path=LOTS) is not None
    faults.clear()
    assert faults.take("500", method="GET", path=LOTS) is None


@pytest.mark.parametrize("arguments", [("none", 1), ("429", 0)])
def test_a_fault_that_cannot_be(arguments: tuple[str, int]) -> None:
    with pytest.raises(ValueError, match=r"unknown fault 'none'; choose from 429|at least one request"):
        FaultInjector().next(*arguments)


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("429", 429, "rate_limit_exceeded"), ("500", 500, "internal_error"), ("503", 503, "service_unavailable")],
)
def test_an_error_instead_of_a_write(
    service: RunningService, sandbox: RawClient, name: str, status: int, code: str
) -> None:
    before = service.record("operations/lots", "lot-000001")
    service.faults.next(name)
    said = sandbox.say("PATCH", LOT, '{"note":"x"}')
    assert (said.status, said.code) == (status, code)
    assert service.record("operations/lots", "lot-000001") == before
    assert sandbox.say("PATCH", LOT, '{"note":"x"}').status == 200


@pytest.mark.parametrize(
    ("retry_after", "header"),
    [(None, "1"), (3, "3"), ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"), ("", None)],
)
def test_retry_after_is_as_asked(
    service: RunningService, sandbox: RawClient, retry_after: int | str | None, header: str | None
) -> None:
    service.faults.next("429", retry_after=retry_after)
    assert sandbox.say("GET", LOT).headers.get("retry-after") == header


def test_an_html_page_from_a_gateway(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("html-error")
    said = sandbox.say("GET", LOT)
    assert (said.status, said.headers["content-type"]) == (502, "text/html; charset=utf-8")
    assert said.body.startswith(b"<html>")


def test_a_reset_before_stores_nothing(service: RunningService, sandbox: RawClient) -> None:
    before = service.record("operations/lots", "lot-000001")
    service.faults.next("reset-before")
    with pytest.raises(ConnectionResetError, match="Connection reset by peer"):
        sandbox.say("PATCH", LOT, '{"note":"x"}')
    assert service.record("operations/lots", "lot-000001") == before
    assert service.attempts[-1].status is None


def test_a_reset_comes_after_the_write_and_spares_reads(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("reset")
    assert sandbox.say("GET", LOT).status == 200
    with pytest.raises(ConnectionResetError, match="Connection reset by peer"):
        sandbox.say("PATCH", LOT, '{"note":"stored"}')
    assert '"note":"stored"' in str(service.record("operations/lots", "lot-000001"))


@pytest.mark.parametrize(("name", "skew"), [("clock-ahead", 1200), ("clock-behind", -1200)])
def test_a_wrong_clock_refuses_right_signatures_and_dates_its_answers(
    service: RunningService, live: RawClient, clock: HandClock, name: str, skew: int
) -> None:
    clock.now = 1_700_000_000.0
    service.faults.always(name)
    said = live.say("GET", LOT)
    assert said.code == "timestamp_stale"
    assert said.headers["date"] == {1200: "Tue, 14 Nov 2023 22:33:20 GMT", -1200: "Tue, 14 Nov 2023 21:53:20 GMT"}[skew]
    assert live.say("GET", LOT, timestamp=str(1_700_000_000 + skew)).status == 200


def test_pages_that_say_too_little_or_too_much(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("no-total")
    assert sandbox.say("GET", LOTS).json["meta"] == {"page": 1, "limit": 50}
    service.faults.next("lying-total")
    assert sandbox.say("GET", LOTS).json["meta"] == {"page": 1, "limit": 50, "total": 121, "pages": 3}
    service.faults.always("cap-20")
    page = sandbox.say("GET", f"{LOTS}?page=2&limit=50").json
    assert [item["id"] for item in page["items"]] == [f"lot-{number:06d}" for number in range(21, 41)]
    assert page["meta"] == {"page": 2, "limit": 20, "total": 60, "pages": 3}


def test_an_answer_on_hold_comes_when_it_is_released_and_nobody_else_waits(
    service: RunningService, sandbox: RawClient
) -> None:
    answers: list[RawAnswer] = []
    service.faults.next("hold")
    sender = threading.Thread(target=lambda: answers.append(sandbox.say("PATCH", LOT, '{"note":"held"}')))
    sender.start()
    while service.faults.held == 0:
        assert sender.is_alive()
    assert sandbox.say("GET", LOT).json["note"] == "held"
    assert answers == []
    service.faults.release()
    sender.join()
    assert answers[0].status == 200


def test_many_answers_on_hold_keep_nobody_waiting(service: RunningService, sandbox: RawClient) -> None:
    count = 45
    service.faults.next("hold", count, path=LOT)
    with ThreadPoolExecutor(count) as senders:
        held = [senders.submit(sandbox.say, "GET", LOT) for _ in range(count)]
        while service.faults.held < count:
            assert not any(answer.done() for answer in held)
        # A filter is searched for on a thread.
        assert sandbox.say("GET", f"{LOTS}?status=open").status == 200
        service.faults.release()
        assert {answer.result().status for answer in held} == {200}
    assert service.faults.held == 0


def test_a_slow_answer_is_complete(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("slow", delay=0.01)
    assert sandbox.say("GET", LOT).status == 200


def test_every_fault_can_be_given_at_start(tmp_path: Path) -> None:
    faults = tuple(f"{name}:1000" for name in FAULTS)
    options = SandboxOptions(records=3, faults=faults, database=tmp_path / "f.db", control_token="a token of the test")
    with running_service(options) as service:
        assert RawClient(service.base_url, service.key("sandbox")).say("GET", LOT).status == 200


def test_a_fault_given_at_start_is_in_force() -> None:
    with running_service(SandboxOptions(records=3, faults=("503:2",))) as service:
        client = RawClient(service.base_url, service.key("sandbox"))
        assert [client.say("GET", LOT).status for _ in range(4)] == [200, 503, 200, 503]


def test_attempts_tell_what_arrived_and_nothing_secret(
    service: RunningService, sandbox: RawClient, live: RawClient, clock: HandClock
) -> None:
    live.say("POST", f"{LOTS}?", "{}", {"Idempotency-Key": "k-1"})
    sandbox.say("GET", "/v1/none")
    signed, unsigned = service.attempts
    assert (signed.method, signed.target, signed.status, signed.key) == ("POST", f"{LOTS}?", 201, "live")
    assert (signed.signed, signed.timestamp, signed.idempotency_key) == (True, str(int(clock.now)), "k-1")
    assert (unsigned.signed, unsigned.timestamp, unsigned.status, unsigned.code) == (False, None, 404, "not_found")
    told = repr(service.attempts) + repr(service)
    for key in service.keys:
        assert key.api_key not in told
        assert key.signing_secret is None or key.signing_secret not in told
