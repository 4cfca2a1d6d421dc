"""Colleagues' names: told apart where two go by one, and put into a sentence."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.storage.journal_entries import Author, Intent, JournalEntry
from svc_tui.team.names import name_of, name_words, names_in, oldest_first, tell_apart, written_at

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA, BOB = Author("ada", "desk-3", "c1"), Author("bob", "desk-4", "c2")


def entry(number: int, author: Author | None = None, *, minutes: int = 0, late: int | None = None) -> JournalEntry:
    """A write some minutes past noon, which the server got so many minutes late."""
    at = NOON + timedelta(minutes=minutes)
    received = None if late is None else at + timedelta(minutes=late)
    return JournalEntry(number, Intent(at, "PATCH", "/v1/x", "x", ""), author=author, received=received)


def test_two_of_one_name_are_told_apart_by_their_machines_and_one_on_one_machine_is_not() -> None:
    other, later = Author("Ada", "desk-9", "c9"), Author("ada", "desk-3", "c1")
    assert tell_apart([ADA, BOB, later, None]) == {ADA: "ada", BOB: "bob"}
    assert tell_apart([ADA, BOB, other]) == {ADA: "ada (desk-3)", BOB: "bob", other: "Ada (desk-9)"}


def test_a_name_that_means_something_else_or_nothing_never_stands_alone() -> None:
    sly, empty = Author("You", "desk-6", "c6"), Author(" ", "", "c7")
    assert tell_apart([sly, empty], taken=("you",)) == {sly: "You (desk-6)", empty: "unnamed"}


def test_a_write_from_here_is_nobodys() -> None:
    names = names_in([entry(1), entry(-1, ADA)])
    assert (name_of(entry(1), names), name_of(entry(-1, ADA), names), name_of(entry(-2, BOB), names)) == (
        "", "ada", "bob",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), ""),
        (("ada",), "ada"),
        (("ada", "bob", "ada"), "ada and bob"),
        (("ada", "bob", "cy"), "ada, bob and cy"),
        (("ada", "bob", "cy", "di"), "ada, bob and 2 more"),
    ],
)
def test_names_in_a_sentence(names: tuple[str, ...], words: str) -> None:
    assert name_words(names) == words


def test_a_clock_that_is_ahead_makes_no_write_later_than_the_server_got_it() -> None:
    assert written_at(entry(-1, ADA, minutes=60, late=-60)) == NOON
    # A laptop that was closed for a week tells late what it did then.
    assert written_at(entry(-1, ADA, late=7 * 24 * 60)) == NOON


def test_ones_own_writes_keep_the_journals_order_and_colleagues_come_in_by_the_time_of_day() -> None:
    set_back = [entry(2, minutes=-9), entry(1)]
    assert [one.number for one in oldest_first(set_back)] == [1, 2]
    assert [one.number for one in oldest_first([entry(2, minutes=9), entry(-7, ADA, minutes=5), entry(1)])] == [
        1, -7, 2,
    ]  # fmt: skip
