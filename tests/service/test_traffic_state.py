"""Traffic events folded into the state of the wire."""

from svc_tui.service.traffic import (
    Answered,
    ClockCorrected,
    Failed,
    Paced,
    Retrying,
    Sent,
    Throttled,
    TrafficEvent,
)
from svc_tui.service.traffic_state import KeyRefusal, LastAnswer, TrafficState, apply_event


def after(*events: TrafficEvent, now: float = 10.0) -> TrafficState:
    state = TrafficState()
    for event in events:
        state = apply_event(state, event, now)
    return state


def test_a_call_flies_from_sending_to_its_answer_whatever_the_answer() -> None:
    sent = after(Sent(1, 1, "GET", "/v1/x"), Sent(2, 1, "GET", "/v1/y"), Sent(3, 1, "GET", "/v1/z"))
    assert sent.in_flight(10.0) == 3
    landed = apply_event(apply_event(sent, Answered(1, 500, 0.1), 11.0), Failed(2, "connection broken"), 11.0)
    assert landed.in_flight(11.0) == 1
    assert landed.last == LastAnswer(None)
    assert apply_event(landed, Retrying(3, 1, 0.5, "503"), 11.0).in_flight(11.0) == 0


def test_an_attempt_sent_again_flies_anew() -> None:
    state = apply_event(after(Sent(1, 1, "GET", "/v1/x")), Sent(1, 2, "GET", "/v1/x"), 12.0)
    assert state.in_flight(12.0) == 1
    assert state.in_flight(12.0, older_than=1.0) == 0


def test_an_answer_to_nothing_known_is_only_the_last_answer() -> None:
    assert after(Answered(7, 204, 0.02)) == TrafficState(last=LastAnswer(204, 0.02))


def test_what_is_held_back_counts_down_to_zero_and_ends_when_told() -> None:
    state = after(Throttled(12.0, 3))
    assert [state.held_seconds(now) for now in (10.0, 10.1, 11.5, 12.0, 13.0)] == [2, 2, 1, 0, 0]
    assert apply_event(state, Throttled(None, 0), 12.0) == TrafficState()


def test_a_hold_keeps_the_status_that_asked_for_it() -> None:
    state = after(Throttled(12.0, 3, 503))
    assert (state.held_status, state.held_seconds(10.0)) == (503, 2)
    assert apply_event(state, Throttled(None, 0), 12.0) == TrafficState()


def test_a_longer_hold_is_announced_anew() -> None:
    state = apply_event(after(Throttled(12.0, 3)), Throttled(41.0, 5), 11.0)
    assert (state.held_for, state.waiting, state.held_seconds(11.0)) == (30.0, 5, 30)


def test_the_pace_is_as_last_told_whatever_is_held_back() -> None:
    state = after(Paced(2.5), Throttled(12.0, 3), Throttled(None, 0))
    assert state.paced == 2.5
    assert apply_event(state, Paced(None), 11.0) == TrafficState()


def test_a_refusal_stands_until_a_request_is_let_through() -> None:
    refused = after(Answered(1, 401, 0.1, "api_key_expired"))
    assert refused.refusal is KeyRefusal.KEY
    assert apply_event(refused, Answered(2, 404, 0.1, "not_found"), 11.0).refusal is KeyRefusal.KEY
    assert apply_event(refused, Answered(2, 401, 0.1, "signature_mismatch"), 11.0).refusal is KeyRefusal.SIGNATURE
    assert apply_event(refused, Answered(2, 200, 0.1), 11.0).refusal is None


def test_the_clock_is_as_last_told() -> None:
    assert after(ClockCorrected(142.0)).offset == 142.0
    assert after(ClockCorrected(142.0), ClockCorrected(None)).offset is None
