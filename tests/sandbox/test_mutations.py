"""Every deliberate mistake in signing is refused by the real service, with the code that tells it apart."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.signing import signed_headers
from tests.sandbox.mutations import (
    ASKED,
    HEADERS,
    MISMATCH,
    REPLAYS,
    SEALS,
    STALE,
    STRINGS,
    TIMESTAMPS,
    WireRequest,
    headers_of,
    parts_of,
    sealed,
)
from tests.sandbox.raw_client import HandClock, RawAnswer, RawClient

METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "M-SEARCH"])
VISIBLE = st.characters(min_codepoint=0x21, max_codepoint=0x7E)


def test_the_request_without_a_mistake_is_as_the_client_signs_it(live: RawClient) -> None:
    made = signed_headers(secret_of(live), int(live.clock()), ASKED.method, ASKED.target, ASKED.body)
    assert dict(made) == right(live, ASKED)


@pytest.mark.parametrize("name", STRINGS)
def test_another_string_is_a_mismatch(service: RunningService, live: RawClient, name: str) -> None:
    parts = parts_of(ASKED, int(live.clock()))
    wrong = headers_of(parts.timestamp, sealed(secret_of(live), STRINGS[name](parts)))
    assert_only_the_mistake_is_refused(service, live, wrong, MISMATCH)


@pytest.mark.parametrize("name", SEALS)
def test_another_signature_of_the_right_string_is_a_mismatch(
    service: RunningService, live: RawClient, name: str
) -> None:
    parts = parts_of(ASKED, int(live.clock()))
    wrong = headers_of(parts.timestamp, SEALS[name](secret_of(live), parts.text))
    assert_only_the_mistake_is_refused(service, live, wrong, MISMATCH)


@pytest.mark.parametrize("name", HEADERS)
def test_the_right_signature_in_other_headers_is_refused(service: RunningService, live: RawClient, name: str) -> None:
    change, code = HEADERS[name]
    parts = parts_of(ASKED, int(live.clock()))
    wrong = change(parts.timestamp, sealed(secret_of(live), parts.text))
    assert_only_the_mistake_is_refused(service, live, wrong, code)


@pytest.mark.parametrize("name", TIMESTAMPS)
def test_another_timestamp_is_refused_though_it_is_signed(service: RunningService, live: RawClient, name: str) -> None:
    spell, code = TIMESTAMPS[name]
    parts = replace(parts_of(ASKED, 0), timestamp=spell(int(live.clock())))
    wrong = headers_of(parts.timestamp, sealed(secret_of(live), parts.text))
    assert_only_the_mistake_is_refused(service, live, wrong, code)


@pytest.mark.parametrize("name", REPLAYS)
def test_a_signature_fits_no_other_request(service: RunningService, live: RawClient, name: str) -> None:
    other = REPLAYS[name]
    assert_only_the_mistake_is_refused(service, live, right(live, ASKED), MISMATCH, other)
    assert say(live, other, right(live, other)).status != 401


def test_the_secret_of_another_key_is_a_mismatch(service: RunningService, live: RawClient) -> None:
    other = RawClient(service.base_url, service.key("live-read-only"), live.clock)
    assert_only_the_mistake_is_refused(service, live, right(other, ASKED), MISMATCH)


def test_a_retry_that_keeps_its_signature_goes_stale(
    service: RunningService, live: RawClient, clock: HandClock
) -> None:
    service.faults.next("503", count=2)
    first = right(live, ASKED)
    assert say(live, ASKED, first).status == 503
    clock.now += 300
    assert say(live, ASKED, first).status == 503
    clock.now += 1
    assert_only_the_mistake_is_refused(service, live, first, STALE)


def test_what_the_client_signs_is_accepted_and_no_byte_of_it_can_change() -> None:
    clock = HandClock()
    with running_service(SandboxOptions(records=1), clock) as service:
        live = RawClient(service.base_url, service.key("live"), clock)

        @settings(deadline=None)
        @given(data=st.data(), method=METHODS, rest=st.text(VISIBLE), body=st.binary())
        def prove(data: st.DataObject, method: str, rest: str, body: bytes) -> None:
            asked = WireRequest(method, f"/v1/{rest}", body)
            made = dict(signed_headers(secret_of(live), int(clock.now), method, asked.target, body))
            assert say(live, asked, made).status != 401
            at = data.draw(st.integers(0, len(asked.target) - 1), label="place in the target")
            letter = data.draw(VISIBLE.filter(lambda letter: letter != asked.target[at]), label="in its place")
            target = asked.target[:at] + letter + asked.target[at + 1 :]
            assert_refused(say(live, replace(asked, target=target), made), MISMATCH)
            at = data.draw(st.integers(0, len(body)), label="place in the body")
            byte = data.draw(st.binary(max_size=1).filter(lambda byte: byte != body[at : at + 1]), label="in its place")
            assert_refused(say(live, replace(asked, body=body[:at] + byte + body[at + 1 :]), made), MISMATCH)

        prove()


def secret_of(live: RawClient) -> str:
    assert live.key is not None
    assert live.key.signing_secret is not None
    return live.key.signing_secret


def right(live: RawClient, asked: WireRequest) -> dict[str, str]:
    """The two headers as they should be."""
    parts = parts_of(asked, int(live.clock()))
    return headers_of(parts.timestamp, sealed(secret_of(live), parts.text))


def say(live: RawClient, asked: WireRequest, headers: Mapping[str, str | tuple[str, ...]]) -> RawAnswer:
    return live.say(asked.method, asked.target, asked.body, headers, sign=False)


def assert_refused(said: RawAnswer, code: str) -> None:
    assert said.status == 401
    assert said.code == code


def assert_only_the_mistake_is_refused(
    service: RunningService,
    live: RawClient,
    headers: Mapping[str, str | tuple[str, ...]],
    code: str,
    asked: WireRequest = ASKED,
) -> None:
    """The request is refused and changes nothing; the same one, signed as it should be, is done."""
    before = service.record("operations/lots", "lot-000001")
    assert_refused(say(live, asked, headers), code)
    assert service.record("operations/lots", "lot-000001") == before
    assert say(live, ASKED, right(live, ASKED)).status == 200
    assert service.record("operations/lots", "lot-000001") != before
