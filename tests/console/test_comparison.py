"""Two answers field by field: what changed, what came, what went, by its path, and records by their id."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.comparison import (
    ComparedAnswer,
    comparable_entries,
    compare_answers,
    comparison_text,
    differences,
    summarize_differences,
)
from svc_tui.console.request_form import RequestForm
from svc_tui.console.transcript import TranscriptEntry
from svc_tui.core.differences import DifferenceKind
from svc_tui.core.jsontext import ABSENT, dumps, loads, to_plain
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest


def told(old: str, new: str) -> list[str]:
    """The differences of two JSON texts, without what is the same."""
    found = []
    for difference in differences(loads(old), loads(new)):
        if difference.kind is not DifferenceKind.SAME:
            values = (None if value is ABSENT else dumps(value) for value in (difference.old, difference.new))  # type: ignore[arg-type]
            found.append(f"{difference.kind.value} {difference.path} " + " → ".join(str(v) for v in values if v))
    return found


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ('{"a": 1, "b": [1, {}]}', '{"b": [1, {}], "a": 1}', []),
        ('{"a": 1.5}', '{"a": 1.50}', ["changed $.a 1.5 → 1.50"]),
        ('{"a": null}', '{"a": ""}', ['changed $.a null → ""']),
        ('{"a": null}', "{}", ["gone $.a null"]),
        ("{}", '{"a b": [1]}', ["added $['a b'] [1]"]),
        ('{"a": {"b": {"c": true}}}', '{"a": {"b": {"c": false}}}', ["changed $.a.b.c true → false"]),
        ('{"a": {}}', '{"a": []}', ["changed $.a {} → []"]),
        ("[1, 2, 3]", "[0, 1, 2, 3]", ["added $[0] 0"]),
        ("[1, 2, 3]", "[1, 9, 3]", ["changed $[1] 2 → 9"]),
        ("[1, 2, 3, 4]", "[1, 4]", ["gone $[1] 2", "gone $[2] 3"]),
        ("[]", "[1]", ["added $[0] 1"]),
        ("7", '"7"', ['changed $ 7 → "7"']),
    ],
)
def test_what_differs_is_told_by_its_path(old: str, new: str, lines: list[str]) -> None:
    assert told(old, new) == lines


def test_records_are_those_of_the_same_id_wherever_they_stand() -> None:
    old = '{"items": [{"id": "a", "n": 1}, {"id": "b", "n": 2}, {"id": "it\'s", "n": 3}]}'
    new = '{"items": [{"id": "it\'s", "n": 4}, {"id": "c", "n": 5}, {"id": "a", "n": 1}]}'
    assert told(old, new) == [
        'gone $.items[?@.id==\'b\'] {"id":"b","n":2}',
        "changed $.items[?@.id=='it\\'s'].n 3 → 4",
        'added $.items[?@.id==\'c\'] {"id":"c","n":5}',
    ]


def test_records_without_an_id_of_their_own_are_compared_by_their_place() -> None:
    assert told('[{"id": 1, "n": 1}, {"id": 1, "n": 2}]', '[{"id": 1, "n": 1}, {"id": 1, "n": 3}]') == [
        "changed $[1].n 2 → 3"
    ]
    assert told('[{"n": 1}]', '[{"n": 2}]') == ["changed $[0].n 1 → 2"]


def nested(*names: str) -> st.SearchStrategy[object]:
    """Values with these names in their objects."""
    return st.recursive(
        st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(names), inner, max_size=3),
        max_leaves=10,
    )


@given(nested("a", "b"), nested("a", "b"))
def test_there_is_a_difference_where_two_values_differ_and_nowhere_else(old: object, new: object) -> None:
    left, right = to_plain(old), to_plain(new)
    assert any(difference.kind is not DifferenceKind.SAME for difference in differences(left, right)) == (left != right)


@given(nested("id", "a"), nested("id", "a"))
def test_what_came_has_gone_where_one_looks_from_the_other_side(old: object, new: object) -> None:
    left, right = to_plain(old), to_plain(new)
    turned = {DifferenceKind.ADDED: DifferenceKind.GONE, DifferenceKind.GONE: DifferenceKind.ADDED}
    there = sorted(difference.kind.value for difference in differences(left, right))
    back = sorted(turned.get(difference.kind, difference.kind).value for difference in differences(right, left))
    assert there == back


def answer(body: bytes, status: int = 200, **headers: str) -> Answer:
    return Answer(status, "OK" if status == 200 else "Not Found", tuple(headers.items()), body)


def test_status_headers_and_body_are_compared_and_written() -> None:
    old = ComparedAnswer("before", answer(b'{"a": 1, "same": [1], "big": {"x": 1}}', Date="1", Etag="x", Age="5"))
    new = ComparedAnswer("after", answer(b'{"a": 2, "same": [1]}', 404, date="2", etag="x", Via="proxy"))
    parts = compare_answers(old, new)
    assert summarize_differences(parts) == "3 changed · 1 added · 2 gone"
    assert comparison_text(old, new, parts).split("\n") == [
        "- before",
        "+ after",
        "",
        "Status",
        "changed  status",
        "- 200 OK",
        "+ 404 Not Found",
        "",
        "Headers",
        "changed  Date",
        "- 1",
        "+ 2",
        "gone  Age",
        "- 5",
        "added  Via",
        "+ proxy",
        "",
        "Body",
        "changed  $.a",
        "- 1",
        "+ 2",
        "gone  $.big",
        "- {",
        '-   "x": 1',
        "- }",
    ]
    everything = comparison_text(old, new, parts, everything=True).split("\n")
    assert "same  $.same" in everything
    assert "same  Etag" in everything


def test_headers_that_are_not_known_are_not_compared() -> None:
    old, new = ComparedAnswer("kept", answer(b"{}"), headers=False), ComparedAnswer("new", answer(b"{}", Date="1"))
    assert [part.name for part in compare_answers(old, new)] == ["Status", "Body"]
    assert summarize_differences(compare_answers(old, new)) == "no differences"


def test_bodies_that_are_not_json_are_compared_by_line_or_by_byte() -> None:
    lines = compare_answers(
        ComparedAnswer("a", answer(b"<p>\none\n</p>")), ComparedAnswer("b", answer(b"<p>\ntwo\nthree\n</p>"))
    )[-1]
    assert [(d.kind, d.path, d.old, d.new) for d in lines.differences if d.kind is not DifferenceKind.SAME] == [
        (DifferenceKind.CHANGED, "line 2", "one", "two"),
        (DifferenceKind.ADDED, "line 3", ABSENT, "three"),
    ]
    raw = compare_answers(
        ComparedAnswer("a", answer(b"\xff\x01\x02")), ComparedAnswer("b", answer(b"\xff\x09\x02\x03"))
    )[-1]
    assert (raw.count(DifferenceKind.CHANGED), raw.note) == (1, "first different byte: 1 (counted from 0)")


def test_what_is_the_same_but_for_its_layout_is_said_to_be() -> None:
    body = compare_answers(ComparedAnswer("a", answer(b'{"a":1}')), ComparedAnswer("b", answer(b'{ "a": 1 }')))[-1]
    assert (body.count(DifferenceKind.CHANGED), body.note) == (0, "same values, different formatting")
    cut = compare_answers(
        ComparedAnswer("a", answer(b"x")), ComparedAnswer("b", Answer(200, "OK", (), b"x", capped=True))
    )[-1]
    assert cut.note == "the body was cut off; only its beginning is compared"


def test_an_answer_is_compared_with_those_to_the_same_request_first() -> None:
    def entry(path: str, *, answered: bool = True) -> TranscriptEntry:
        signed = SignedRequest("GET", f"https://x{path}", path, (), b"")
        exchange = Exchange(signed, answer(b"{}"), 1, 0.1, datetime(2026, 11, 20, tzinfo=UTC)) if answered else None
        return TranscriptEntry(RequestForm(), RequestSpec("GET", path), signed, exchange)

    first, other, lost, second = entry("/a"), entry("/b"), entry("/lost", answered=False), entry("/a")
    shown, later = entry("/a"), entry("/a")
    found = comparable_entries((first, other, lost, second, shown, later), shown)
    assert list(map(id, found)) == list(map(id, (second, first, later, other)))
