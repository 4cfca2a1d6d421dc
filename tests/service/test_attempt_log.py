"""The story of a request's attempts: its own events alone, in the order they happened."""

from svc_tui.service.attempt_log import AttemptLog
from svc_tui.service.traffic import Answered, ClockCorrected, Failed, Retrying, Sent, Throttled, TrafficEvent

TARGET = "/v1/operations/lots"


def story(*events: TrafficEvent) -> AttemptLog:
    told = AttemptLog("GET", TARGET)
    for event in events:
        told = told.with_event(event)
    return told


def test_a_429_is_waited_out_and_sent_again() -> None:
    so_far = (Sent(7, 1, "GET", TARGET), Answered(7, 429, 0.1, "rate_limit_exceeded"), Retrying(7, 2, 2.0, "429"))
    assert story(*so_far).words == ("429 rate_limit_exceeded", "waiting 2.0 s")
    done = story(*so_far, Sent(7, 2, "GET", TARGET), Answered(7, 200, 0.1))
    assert done.words == ("429 rate_limit_exceeded", "waited 2.0 s", "sent again", "200")
    assert done.before_last == ("429 rate_limit_exceeded", "waited 2.0 s", "sent again")


def test_what_holds_it_back_before_it_leaves_is_told() -> None:
    assert story(Throttled(9.0, 1)).words == ("throttled by the rate limit",)
    assert story(Throttled(9.0, 1, 503)).words == ("waiting after a 503",)


def test_other_requests_are_not_told() -> None:
    told = story(
        Sent(1, 1, "GET", TARGET + "?page=2"),
        Sent(2, 1, "DELETE", TARGET),
        Answered(1, 500, 0.1),
        Sent(3, 1, "GET", TARGET),
        Sent(4, 1, "GET", TARGET),
        Answered(4, 404, 0.1),
        Failed(2, "the connection broke"),
    )
    assert (told.call, told.words) == (3, ())


def test_being_held_back_is_told_until_it_leaves() -> None:
    held = story(Throttled(12.0, 1))
    assert held.words == ("throttled by the rate limit",)
    assert held.with_event(Throttled(None, 0)).words == ()
    assert held.with_event(Sent(1, 1, "GET", TARGET)).words == ()


def test_a_broken_connection_and_a_corrected_clock_are_told() -> None:
    told = story(
        Sent(1, 1, "GET", TARGET),
        Failed(1, "the connection broke"),
        Retrying(1, 2, 12.0, "broken"),
        Sent(1, 2, "GET", TARGET),
        ClockCorrected(-400.0),
        ClockCorrected(None),
    )
    assert told.words == ("the connection broke", "waited 12 s", "sent again", "clock corrected by -400 s")
