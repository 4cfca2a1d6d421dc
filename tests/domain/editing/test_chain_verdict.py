"""Verdicts on hash chains in the shapes that such answers have."""

import pytest

from svc_tui.domain.editing.chain_verdict import Break, Verdict, verdict_of
from svc_tui.domain.model.jsontext import loads


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ('{"valid": true, "entries": 20, "broken": null}', Verdict(True, "20")),
        ("true", Verdict(True)),
        ('{"ok": true, "checked": 3, "errors": []}', Verdict(True, "3")),
        ('{"status": "valid", "entries": [{}, {}]}', Verdict(True, "2")),
        ('{"data": {"is_valid": true, "count": 7}}', Verdict(True, "7")),
        ('{"broken": false}', Verdict(True)),
        ('{"broken": true}', Verdict(False)),
        ('{"verified": false}', Verdict(False)),
        ('{"status": "BROKEN", "brokenAt": 5}', Verdict(False, place=Break(index="5"))),
        ('{"valid": false, "first_invalid": "cus-7"}', Verdict(False, place=Break(record_id="cus-7"))),
        ('{"intact": false, "error": "hash differs"}', Verdict(False, place=Break(reason="hash differs"))),
        (
            '{"valid": false, "entries": 20, "broken": {"index": 7, "recordId": "cus-7", "reason": "changed",'
            ' "expected": "aa", "found": "bb"}}',
            Verdict(False, "20", Break("7", "cus-7", "changed", "aa", "bb")),
        ),
        (
            '{"valid": false, "mismatches": [{"position": 0, "id": "c"}, {"id": "d"}]}',
            Verdict(False, place=Break("0", "c")),
        ),
        ('{"firstBreak": {"index": 0}}', Verdict(False, place=Break("0"))),
    ],
)
def test_common_shapes_are_read(answer: str, verdict: Verdict) -> None:
    assert verdict_of(loads(answer)) == verdict


def test_an_answer_that_says_both_is_not_taken_for_a_chain_that_holds() -> None:
    found = verdict_of(loads('{"valid": true, "broken": {"index": 3}}'))
    assert found is not None
    assert not found.holds


@pytest.mark.parametrize(
    "answer", ["null", "{}", "[]", '"fine"', "1", '{"head": "ab"}', '{"status": "queued"}', '{"valid": "?"}']
)
def test_what_is_no_verdict_is_not_taken_for_one(answer: str) -> None:
    assert verdict_of(loads(answer)) is None
