"""Every check before a route, over real HTTP, and the order they come in."""

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, HandClock, RawClient

LOTS = "/v1/operations/lots"


def client(service: RunningService, name: str, clock: HandClock) -> RawClient:
    return RawClient(service.base_url, service.key(name), clock)


def test_without_authorization_the_key_is_missing(service: RunningService) -> None:
    said = RawClient(service.base_url, None).say("GET", LOT)
    assert (said.status, said.code) == (401, "api_key_missing")
    assert said.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("authorization", ["Bearer svc_test_nobody", "Basic dXNlcjpwYXNz", "Bearer", "svc_test_bare"])
def test_an_unknown_key_is_invalid(service: RunningService, authorization: str) -> None:
    said = RawClient(service.base_url, None).say("GET", LOT, headers={"Authorization": authorization})
    assert (said.status, said.code) == (401, "api_key_invalid")


def test_a_truncated_key_is_invalid(service: RunningService) -> None:
    whole = service.key("sandbox")
    cut = IssuedKey(whole.name, whole.api_key[:-1], None)
    assert RawClient(service.base_url, cut).say("GET", LOT).code == "api_key_invalid"


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("revoked", 401, "api_key_revoked"),
        ("expired", 401, "api_key_expired"),
        ("address", 403, "ip_not_allowed"),
    ],
)
def test_a_key_that_may_not_come_in(
    service: RunningService, clock: HandClock, name: str, status: int, code: str
) -> None:
    said = client(service, name, clock).say("GET", LOT)
    assert (said.status, said.code) == (status, code)


def test_a_key_works_until_its_expiry(service: RunningService, clock: HandClock) -> None:
    clock.now = 1_699_999_999.9
    assert client(service, "expired", clock).say("GET", LOT).status == 200
    clock.now = 1_700_000_000.0
    assert client(service, "expired", clock).say("GET", LOT).code == "api_key_expired"


def test_a_live_key_must_sign(live: RawClient) -> None:
    said = live.say("GET", LOT, sign=False)
    assert (said.status, said.code) == (401, "signature_missing")
    assert live.say("GET", LOT, sign=False, headers={"x-svc-timestamp": "1760000000"}).code == "signature_missing"
    assert live.say("GET", LOT).status == 200


@pytest.mark.parametrize("off", [-300, -1, 0, 1, 300])
def test_inside_the_window(live: RawClient, clock: HandClock, off: int) -> None:
    clock.now += 0.9
    assert live.say("GET", LOT, timestamp=str(int(clock.now) + off)).status == 200


@pytest.mark.parametrize("off", [-1_000_000, -301, 301, 1_000_000])
def test_a_timestamp_outside_the_window_is_refused(live: RawClient, clock: HandClock, off: int) -> None:
    said = live.say("GET", LOT, timestamp=str(int(clock.now) + off))
    assert (said.status, said.code) == (401, "timestamp_stale")


def test_a_stale_timestamp_is_told_before_a_wrong_digest(live: RawClient, clock: HandClock) -> None:
    stale = str(int(clock.now) - 301)
    assert live.say("GET", LOT, timestamp=stale, signed_target="/other").code == "timestamp_stale"


def test_t_must_equal_the_timestamp_header(live: RawClient, clock: HandClock) -> None:
    other = {"x-svc-timestamp": str(int(clock.now) + 1)}
    said = live.say("GET", LOT, headers=other)
    assert (said.status, said.code) == (401, "signature_mismatch")
    assert said.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert "x-svc-timestamp" in said.message


@pytest.mark.parametrize(
    "timestamp", ["soon", "01760000000", "1760000000.0", "-1", "", "１７６００００００0".encode().decode("latin-1")]
)
def test_a_timestamp_that_is_no_number_is_a_mismatch(live: RawClient, timestamp: str) -> None:
    assert live.say("GET", LOT, headers={"x-svc-timestamp": timestamp}).code == "signature_mismatch"


@pytest.mark.parametrize(
    "shape", ["", "v1={v1},t={t}", "t={t};v1={v1}", "t={t},v1={v1}0", "t={t},v1=zz", "t={t}, v1={v1}"]
)
def test_a_signature_of_another_shape_is_a_mismatch(live: RawClient, clock: HandClock, shape: str) -> None:
    header = {"x-svc-signature": shape.format(t=int(clock.now), v1="0" * 64)}
    assert live.say("GET", LOT, headers=header).code == "signature_mismatch"


def test_the_body_is_signed_byte_for_byte(live: RawClient) -> None:
    assert live.say("PATCH", LOT, b'{"massKg":1.50}').status == 200
    said = live.say("PATCH", LOT, b'{"massKg":1.50}', signed_body=b'{"massKg":1.5}')
    assert (said.status, said.code) == (401, "signature_mismatch")


@pytest.mark.parametrize(
    "target",
    [
        f"{LOTS}?page=1&limit=2",
        f"{LOTS}?limit=2&page=1",
        f"{LOTS}?",
        f"{LOTS}?note=%C3%89lo%C3%AFse%20%2B%20co",
        f"{LOTS}?note=a+b",
        "/v1/operations/hash-chain/verify?tunnelId=tun%2D12",
    ],
)
def test_the_target_is_signed_as_it_is_sent(live: RawClient, target: str) -> None:
    assert live.say("GET", target).status == 200


@pytest.mark.parametrize(
    ("target", "signed"),
    [
        (f"{LOTS}?", LOTS),
        (LOTS, f"{LOTS}?"),
        (f"{LOTS}?page=1&limit=2", f"{LOTS}?limit=2&page=1"),
        (f"{LOTS}/a%2Fb%20c", f"{LOTS}/a/b c"),
        (f"{LOTS}?note=a%20b", f"{LOTS}?note=a+b"),
        (f"{LOTS}/a%2fb", f"{LOTS}/a%2Fb"),
        (LOTS, "/operations/lots"),
        (f"http://localhost{LOTS}", f"http://localhost{LOTS}"),
    ],
)
def test_any_other_spelling_of_the_target_is_a_mismatch(live: RawClient, target: str, signed: str) -> None:
    assert live.say("GET", target, signed_target=signed).code == "signature_mismatch"


def test_an_encoded_slash_stays_in_its_segment(live: RawClient) -> None:
    assert live.say("GET", f"{LOTS}/a%2Fb%20c").message == "no record 'a/b c' in operations/lots"


def test_a_signature_on_a_key_that_need_not_sign_is_checked_all_the_same(
    service: RunningService, clock: HandClock
) -> None:
    signed = client(service, "test-signed", clock)
    assert signed.say("GET", LOT, sign=False).status == 200
    assert signed.say("GET", LOT).status == 200
    assert signed.say("GET", LOT, signed_target="/v1/other").code == "signature_mismatch"


@pytest.mark.parametrize("name", ["sandbox", "test-signed"])
@pytest.mark.parametrize(
    ("given", "missing"), [("x-svc-timestamp", "x-svc-signature"), ("x-svc-signature", "x-svc-timestamp")]
)
def test_half_a_signature_is_a_mismatch_on_a_key_that_need_not_sign(
    service: RunningService, clock: HandClock, name: str, given: str, missing: str
) -> None:
    said = client(service, name, clock).say("GET", LOT, sign=False, headers={given: "1760000000"})
    assert (said.status, said.code) == (401, "signature_mismatch")
    assert said.message.startswith(f"{missing} is missing")


def test_reading_does_not_allow_writing(service: RunningService, clock: HandClock) -> None:
    for name in ("read-only", "live-read-only"):
        reader = client(service, name, clock)
        assert reader.say("GET", LOT).status == 200
        for method, target in (("PATCH", LOT), ("DELETE", LOT), ("POST", LOTS)):
            said = reader.say(method, target, b"{}")
            assert (said.status, said.code) == (403, "insufficient_scope")
    assert service.record("operations/lots", "lot-000001") is not None


def test_the_rate_limit_is_per_key_and_says_when_to_come_back(
    service: RunningService, clock: HandClock, ticks: HandClock
) -> None:
    limited = client(service, "limited", clock)
    assert [limited.say("GET", LOT).status for _ in range(4)] == [200, 200, 200, 429]
    said = limited.say("GET", LOT)
    assert (said.code, said.headers["retry-after"]) == ("rate_limit_exceeded", "1")
    assert client(service, "sandbox", clock).say("GET", LOT).status == 200
    ticks.now += 1
    assert limited.say("GET", LOT).status == 200


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE", "PUT"])
@pytest.mark.parametrize("path", ["/v1/auth", "/v1/auth/", "/v1/auth/keys", "/v1/%61uth/keys/1", "/v1/AUTH/session"])
def test_keys_may_not_call_the_routes_of_interactive_sessions(sandbox: RawClient, method: str, path: str) -> None:
    said = sandbox.say(method, path)
    assert (said.status, said.code) == (403, "insufficient_scope")


def test_the_key_is_checked_before_the_route(service: RunningService, clock: HandClock) -> None:
    nobody = RawClient(service.base_url, None)
    assert nobody.say("GET", "/v1/nothing/here").code == "api_key_missing"
    assert client(service, "live", clock).say("GET", "/v1/nothing/here", sign=False).code == "signature_missing"
    assert client(service, "read-only", clock).say("POST", "/v1/nothing/here").code == "insufficient_scope"
    assert client(service, "read-only", clock).say("GET", "/v1/nothing/here").code == "not_found"


def test_the_signature_is_checked_before_the_rate(service: RunningService, clock: HandClock) -> None:
    live = client(service, "live", clock)
    service.faults.always("429")
    assert live.say("GET", LOT, sign=False).code == "signature_missing"
    assert live.say("GET", LOT).code == "rate_limit_exceeded"


def test_a_forwarded_address_is_not_believed(service: RunningService, clock: HandClock) -> None:
    said = client(service, "address", clock).say("GET", LOT, headers={"X-Forwarded-For": "203.0.113.7"})
    assert said.code == "ip_not_allowed"


def test_every_answer_is_dated_by_the_services_clock(service: RunningService, clock: HandClock) -> None:
    clock.now = 1_700_000_000.0
    said = RawClient(service.base_url, None).say("GET", LOT)
    assert said.headers["date"] == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert "server" not in said.headers
