"""What is known of scopes the key lacks."""

from svc_tui.service.scopes import MAX_ANSWERS, MissingScopes
from svc_tui.service.traffic import Answered, Failed, Sent, TrafficEvent

SPLIT = "/v1/operations/lots/{id}/split"


def after(*events: TrafficEvent) -> MissingScopes:
    known = MissingScopes()
    for event in events:
        known = known.after(event)
    return known


def sent(call: int, path: str, method: str = "POST") -> Sent:
    return Sent(call, 1, method, path)


def refused(call: int) -> Answered:
    return Answered(call, 403, 0.1, "insufficient_scope")


def test_what_was_refused_for_one_record_is_taken_to_be_refused_for_all() -> None:
    known = after(sent(1, "/v1/operations/lots/lot-1/split"), refused(1))
    assert known.lacking("post", SPLIT)
    assert not known.lacking("DELETE", SPLIT)
    assert not known.lacking("POST", "/v1/operations/lots/{id}/seal")
    assert not known.lacking("POST", "/v1/operations/lots/{id}")


def test_the_query_makes_no_other_route() -> None:
    known = after(sent(1, "/v1/operations/hash-chain/verify?tunnelId=t-1", "GET"), refused(1))
    assert known.lacking("GET", "/v1/operations/hash-chain/verify")


def test_an_answer_takes_the_refusal_back_that_of_another_record_too() -> None:
    lot, other = "/v1/operations/lots/lot-1/split", "/v1/operations/lots/lot-2/split"
    known = after(sent(1, lot), refused(1), sent(2, other), Answered(2, 200, 0.1))
    assert not known.lacking("POST", SPLIT)
    assert after(sent(1, lot), refused(1), sent(2, other), Answered(2, 200, 0.1), sent(3, lot), refused(3)).lacking(
        "POST", SPLIT
    )


def test_another_refusal_says_nothing_of_scopes() -> None:
    path = "/v1/operations/lots/lot-1/split"
    assert not after(sent(1, path), Answered(1, 403, 0.1, "ip_not_allowed")).lacking("POST", SPLIT)
    assert after(sent(1, path), refused(1), sent(2, path), Answered(2, 500, 0.1)).lacking("POST", SPLIT)


def test_what_is_remembered_is_bounded_and_what_ended_is_forgotten() -> None:
    known = after(sent(0, "/v1/a"), refused(0), sent(1, "/v1/b"), Failed(1, "gone"))
    for call in range(2, 2 * MAX_ANSWERS):
        known = known.after(sent(call, f"/v1/a/{call}", "GET")).after(Answered(call, 200, 0.1))
    assert len(known.answers) == MAX_ANSWERS
    assert not known.under_way
