"""Writes of several machines in one order."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from svc_tui.storage.journal_entries import Author, Intent, JournalEntry
from svc_tui.storage.team.colleague_writes import merge_newest_first

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def entries(machine: str, *minutes: int) -> Iterator[JournalEntry]:
    """A machine's writes, the newest first, at so many minutes past noon by its clock."""
    for number, minute in enumerate(minutes):
        intent = Intent(NOON + timedelta(minutes=minute), "PATCH", "/v1/x", "x", "key")
        yield JournalEntry(number - 100, intent, author=Author(machine, machine, machine))


def told(*chains: Iterator[JournalEntry]) -> list[str]:
    """Whose they are, and when."""
    return [
        f"{entry.author}{(entry.intent.at - NOON).total_seconds() / 60:.0f}" for entry in merge_newest_first(chains)
    ]


def test_the_newest_comes_first_and_each_machine_stays_in_its_own_order() -> None:
    assert told(entries("a", 9, 5, 1), entries("b", 8, 6), entries("c")) == ["a9", "b8", "b6", "a5", "a1"]
    # The clock of a was set back for one write.
    assert told(entries("a", 9, -60, 7), entries("b", 8, 6)) == ["a9", "b8", "b6", "a-60", "a7"]
    assert told() == []


def test_no_more_of_a_chain_is_read_than_is_asked_for() -> None:
    taken = 0

    def endless() -> Iterator[JournalEntry]:
        nonlocal taken
        while True:
            taken += 1
            yield from entries("a", 1)

    merged = merge_newest_first([endless(), entries("b", 0)])
    for _ in range(3):
        next(merged)
    assert taken <= 4
