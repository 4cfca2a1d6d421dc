"""What lines of a team say of an ask, whatever order they come in and whatever stands in them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from svc_tui.core.jsontext import Json, number
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.team.asks import (
    AskedChange,
    AskedPlan,
    AskState,
    ask_content,
    changed_fields,
    read_asks,
    state_content,
)

ADA, BOB, CLEO = Author("ada", "desk", "a"), Author("bob", "desk", "b"), Author("cleo", "desk", "c")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
CHANGE = AskedChange(
    "delete",
    "delete",
    "operations/lots/lot-1",
    "/v1/operations/lots/lot-1",
    "DELETE",
    "/v1/operations/lots/lot-1",
    (("Accept", "application/json"),),
    concerned=("grade", "email"),
    before={"grade": "A"},
    masked=("email",),
    ticket="SUP-1",
    word="twice in the list",
    plan=AskedPlan("grade of 40 lots", 40, "d" * 64, (("lot-1", 'grade: "A" → "B"'),)),
)


def line(kind: LineKind, author: Author, sequence: int, content: Mapping[str, Json], at: datetime = NOON) -> TeamLine:
    """A line of somebody's chain."""
    scope, digest = ServiceScope("live", "https://api.example.com"), f"{author.chain}-{sequence}"
    return TeamLine(kind, author, scope, CHANGE.place, at, content, sequence=sequence, digest=digest)


ASKED = line(LineKind.ASK, ADA, 1, ask_content("q-1", CHANGE))


def verdict(author: Author, sequence: int, kind: str, word: str = "", at: datetime = NOON) -> TeamLine:
    """What somebody says to ADA's ask."""
    content = {"ask": "q-1", "line": ASKED.digest, "verdict": kind, "word": word}
    return line(LineKind.VERDICT, author, sequence, content, at)


def test_an_ask_is_read_as_it_was_written() -> None:
    (ask,) = read_asks([ASKED])
    assert (ask.id, ask.author, ask.change, ask.state) == ("q-1", ADA, CHANGE, AskState.WAITING)


@pytest.mark.parametrize(
    ("said", "state", "by"),
    [
        ([verdict(BOB, 1, "approved", at=NOON - timedelta(hours=1))], AskState.APPROVED, "bob"),
        ([verdict(BOB, 1, "approved"), verdict(BOB, 2, "refused", at=NOON - timedelta(hours=1))], AskState.REFUSED, ""),
        (
            [verdict(BOB, 1, "refused"), verdict(BOB, 2, "approved", at=NOON - timedelta(days=1))],
            AskState.APPROVED,
            "bob",
        ),
        ([verdict(BOB, 1, "approved"), verdict(BOB, 2, "answer", "wait")], AskState.ANSWERED, ""),
        ([verdict(BOB, 1, "approved"), verdict(CLEO, 1, "refused")], AskState.REFUSED, "bob"),
        ([verdict(BOB, 1, "approved"), verdict(CLEO, 1, "approved")], AskState.APPROVED, "bob, cleo"),
        ([verdict(ADA, 2, "approved")], AskState.WAITING, ""),
        ([verdict(Author(" ADA", "laptop", "z"), 1, "approved")], AskState.WAITING, ""),
        ([line(LineKind.ASK, ADA, 2, state_content("q-1", AskState.VOIDED, "grade"))], AskState.VOIDED, ""),
        ([line(LineKind.ASK, BOB, 1, state_content("q-1", AskState.WITHDRAWN))], AskState.WAITING, ""),
        ([line(LineKind.VERDICT, BOB, 1, {"ask": "q-1", "line": "x", "verdict": "approved"})], AskState.WAITING, ""),
        (
            [line(LineKind.VERDICT, BOB, 1, {"ask": "q-1", "line": "a-1", "verdict": ["approved"]})],
            AskState.WAITING,
            "",
        ),
    ],
)
def test_no_order_of_machines_and_no_clock_makes_another_state_of_it(
    said: list[TeamLine], state: AskState, by: str
) -> None:
    for order in permutations([ASKED, *said]):
        (ask,) = read_asks(order)
        assert (ask.state, ask.approved_by) == (state, by)


def test_a_verdict_waits_for_its_ask_and_a_broken_chain_approves_nothing() -> None:
    assert read_asks([verdict(BOB, 1, "approved")]) == []
    (ask,) = read_asks([verdict(BOB, 1, "approved"), ASKED], frozenset("b"))
    assert ask.state is AskState.WAITING


def test_an_id_that_a_colleague_uses_too_is_another_ask() -> None:
    theirs = line(LineKind.ASK, BOB, 1, ask_content("q-1", CHANGE))
    said = line(LineKind.VERDICT, CLEO, 1, {"ask": "q-1", "line": theirs.digest, "verdict": "approved", "word": ""})
    assert {ask.author: ask.state for ask in read_asks([ASKED, theirs, said])} == {
        ADA: AskState.WAITING,
        BOB: AskState.APPROVED,
    }


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"id": number(1)},
        {"id": "x", "headers": [["a"], "b", [number(1), None]], "before": [], "after": "", "masked": {"a": None}},
        {"id": "x", "plan": {"rows": "many", "sample": [[]]}, "body": [], "concerned": [None], "bodyBytes": True},
        {"id": "[/x]\x1b[31m", "word": "\ud800" * 10_000, "state": None},
    ],
)
def test_what_is_no_ask_harms_nothing(content: dict[str, Json]) -> None:
    asks = read_asks([line(LineKind.ASK, BOB, 1, content), ASKED])
    assert CHANGE in [ask.change for ask in asks]
    assert all(len(ask.change.word) <= 500 for ask in asks)


def test_an_ask_that_nobody_can_read_is_not_shown() -> None:
    huge = {**ask_content("q-2", CHANGE), "before": {"note": "x" * 200_001}}
    assert [ask.id for ask in read_asks([ASKED, line(LineKind.ASK, BOB, 1, huge)])] == ["q-1"]


def test_moved_fields_are_told_but_not_those_that_are_masked() -> None:
    assert changed_fields(CHANGE, {"grade": "A", "email": "b@x"}) == ()
    assert changed_fields(CHANGE, {"email": "a@x"}) == ("grade",)
