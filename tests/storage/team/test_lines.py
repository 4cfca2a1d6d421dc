"""Lines of a team: sealed one after the other, and read from whatever comes."""

import json
from datetime import UTC, datetime

import pytest

from svc_tui.core.jsontext import Json, Number
from svc_tui.core.masked_values import split_masked
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import (
    GENESIS_DIGEST,
    ChainHead,
    LineError,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    line_text,
    read_line,
    seal,
)

LINE = TeamLine(
    LineKind.NOTE,
    Author("Ada Łódź", "desk-3", "chain"),
    ServiceScope("live", "https://api.example.com"),
    "operations/lots/lot-1",
    datetime(2026, 11, 20, 5, 12, tzinfo=UTC),
    {"text": "\ud800 [/x]", "mass": Number("1.500")},
    entry=7,
)


def test_a_line_comes_back_as_it_was_written() -> None:
    sealed = seal("chain", ChainHead(), line_text(LINE))
    line = read_line(sealed)
    assert line == TeamLine(
        LINE.kind, LINE.author, LINE.scope, LINE.place, LINE.at, LINE.content, 7, sequence=1, digest=sealed.digest
    )
    assert sealed.text.isascii()


def test_each_line_seals_the_one_before() -> None:
    first = seal("chain", ChainHead(), "a")
    second = seal("chain", ChainHead(first.sequence, first.digest), "b")
    assert (first.previous, second.previous) == (GENESIS_DIGEST, first.digest)
    assert (first.sequence, second.sequence) == (1, 2)
    assert first.is_sound
    assert second.is_sound
    for changed in (
        SealedLine("other", 1, first.previous, "a", first.digest),
        SealedLine("chain", 2, first.previous, "a", first.digest),
        SealedLine("chain", 1, second.digest, "a", first.digest),
        SealedLine("chain", 1, first.previous, "b", first.digest),
    ):
        assert not changed.is_sound


@pytest.mark.parametrize("text", ["", "null", "[]", "{", '{"kind": "note"}', "\ud800", "[" * 200_000])
def test_a_text_that_is_no_line_is_refused(text: str) -> None:
    with pytest.raises(LineError):
        read_line(seal("chain", ChainHead(), text))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "spell"}, "its kind, time or number is not valid"),
        ({"at": "soon"}, "its kind, time or number is not valid"),
        ({"entry": 1.5}, "its kind, time or number is not valid"),
        ({"at": "2026-11-20T05:12:00"}, "its time has no time zone"),
        ({"at": "0001-01-01T00:00:00Z"}, "its time is out of range"),
        ({"at": 5}, "a field of the line is missing"),
    ],
)
def test_a_line_with_a_wrong_value_is_refused_in_plain_words(changes: dict[str, object], reason: str) -> None:
    text = json.dumps({**json.loads(line_text(LINE)), **changes})
    with pytest.raises(LineError) as caught:
        read_line(seal("chain", ChainHead(), text))
    assert str(caught.value) == reason


def test_masked_fields_are_taken_out_wherever_they_are_and_whatever_their_case() -> None:
    fields: dict[str, Json] = {
        "Email": "a",
        "contacts": [{"email": "b", "city": "c"}, "d"],
        "address": {"phone": Number("1"), "code": None},
        "phone": "kept",
    }
    split = split_masked(fields, frozenset({"email", "address.phone"}), lambda value: f"<{value}>")
    assert split.kept == {"contacts": [{"city": "c"}, "d"], "address": {"code": None}, "phone": "kept"}
    assert split.digests == {"Email": "<a>", "contacts.0.email": "<b>", "address.phone": "<1>"}
    assert fields["Email"] == "a"
