"""Verdicts on hash chains in the shapes that such answers have."""

import pytest

from svc_tui.core.jsontext import loads
from svc_tui.writes.chain_verdict import ChainBreak, ChainVerdict, read_verdict


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ('{"valid": true, "entries": 20, "broken": null}', ChainVerdict(True, "20")),
        ("true", ChainVerdict(True)),
        ('{"ok": true, "checked": 3, "errors": []}', ChainVerdict(True, "3")),
        ('{"status": "valid", "entries": [{}, {}]}', ChainVerdict(True, "2")),
        ('{"data": {"is_valid": true, "count": 7}}', ChainVerdict(True, "7")),
        ('{"broken": false}', ChainVerdict(True)),
        ('{"broken": true}', ChainVerdict(False)),
        ('{"verified": false}', ChainVerdict(False)),
        ('{"status": "BROKEN", "brokenAt": 5}', ChainVerdict(False, place=ChainBreak(index="5"))),
        ('{"valid": false, "first_invalid": "cus-7"}', ChainVerdict(False, place=ChainBreak(record_id="cus-7"))),
        ('{"intact": false, "error": "hash differs"}', ChainVerdict(False, place=ChainBreak(reason="hash differs"))),
        (
            '{"valid": false, "entries": 20, "broken": {"index": 7, "recordId": "cus-7", "reason": "changed",'
            ' "expected": "aa", "found": "bb"}}',
            ChainVerdict(False, "20", ChainBreak("7", "cus-7", "changed", "aa", "bb")),
        ),
        (
            '{"valid": false, "mismatches": [{"position": 0, "id": "c"}, {"id": "d"}]}',
            ChainVerdict(False, place=ChainBreak("0", "c")),
        ),
        ('{"firstBreak": {"index": 0}}', ChainVerdict(False, place=ChainBreak("0"))),
    ],
)
def test_common_shapes_are_read(answer: str, verdict: ChainVerdict) -> None:
    assert read_verdict(loads(answer)) == verdict


def test_an_answer_that_says_both_is_not_taken_for_a_chain_that_holds() -> None:
    found = read_verdict(loads('{"valid": true, "broken": {"index": 3}}'))
    assert found is not None
    assert not found.holds


@pytest.mark.parametrize(
    "answer", ["null", "{}", "[]", '"fine"', "1", '{"head": "ab"}', '{"status": "queued"}', '{"valid": "?"}']
)
def test_what_is_no_verdict_is_not_taken_for_one(answer: str) -> None:
    assert read_verdict(loads(answer)) is None
