"""Notes on records: what can be one, and what is read of lines that hold anything."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.jsontext import Json, Number
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.team.notes import MAX_NOTE_CHARACTERS, Note, note_problem, read_notes

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SERVICE = ServiceScope("live", "https://api.example.com")
ADA, BOB = Author("ada", "desk-1", "chain-a"), Author("bob", "desk-2", "chain-b")
LOT = "operations/lots/lot-1"
SECRET = "whsec_open-sesame"


def line(text: Json, author: Author = BOB, place: str = LOT, received: datetime | None = None) -> TeamLine:
    return TeamLine(LineKind.NOTE, author, SERVICE, place, NOON, {"text": text}, received=received)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Enter a note."),
        (" \n\t", "Enter a note."),
        ("a" * (MAX_NOTE_CHARACTERS + 7), "Remove 7."),
        ("try svc_live_abcdef", "an API key or signing secret"),
        (f"the secret is {SECRET}, keep it", "an API key or signing secret"),
    ],
)
def test_what_can_be_no_note_says_why(text: str, why: str) -> None:
    assert why in note_problem(text, [SECRET])


def test_as_many_characters_as_there_is_room_for_are_a_note_whatever_stands_around_them() -> None:
    assert note_problem("\n" + "a" * MAX_NOTE_CHARACTERS + " \n", [SECRET]) == ""
    assert note_problem("call +44 20 7946 0018, ada@example.com", [SECRET]) == ""


def test_ones_own_note_is_told_from_a_colleagues() -> None:
    assert read_notes([line(" mine ", ADA), line("theirs", BOB)], ADA.chain) == [
        Note(LOT, NOON, "mine"),
        Note(LOT, NOON, "theirs", BOB),
    ]


@pytest.mark.parametrize("text", [None, True, Number("1"), [], {}, "", " \n"])
def test_a_line_without_a_text_is_left_out(text: Json) -> None:
    assert read_notes([line(text), line("read")], ADA.chain) == [Note(LOT, NOON, "read", BOB)]


def test_a_line_about_no_record_is_left_out_and_so_is_one_of_another_kind() -> None:
    other = TeamLine(LineKind.SHARE, BOB, SERVICE, LOT, NOON, {"text": "no note"})
    assert read_notes([line("nowhere", place=""), other], ADA.chain) == []


def test_of_megabytes_only_what_a_note_has_room_for_is_read() -> None:
    (note,) = read_notes([line("x" * 5_000_000)], ADA.chain)
    assert note.text == "x" * MAX_NOTE_CHARACTERS
    assert read_notes([line(" " * 5_000_000 + "x")], ADA.chain) == []


def test_a_clock_that_is_ahead_puts_no_note_into_the_future() -> None:
    (late,) = read_notes([line("early", received=NOON - timedelta(hours=1))], ADA.chain)
    assert late.written_at == NOON - timedelta(hours=1)
    (waited,) = read_notes([line("on a train", received=NOON + timedelta(days=3))], ADA.chain)
    assert waited.written_at == NOON
