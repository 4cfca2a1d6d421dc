"""The journal with the writes of each run as one line."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.values import replace
from svc_tui.plans.journal_runs import (
    FOUND_IN_RUN,
    PAGE,
    JournalLine,
    RunGroup,
    RunStatus,
    find_runs,
    group_matches,
    group_runs,
    journal_lines,
    title_of_writes,
)
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, Outcome, RunWrites
from svc_tui.storage.runs import Run

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)


def write(number: int, batch: str = "", method: str = "PATCH", *fields: str) -> JournalEntry:
    place = f"operations/lots/lot-{number}"
    after = dict.fromkeys(fields or ("grade",), "A")
    return JournalEntry(
        number, Intent(AT, method, f"/v1/{place}", place, "k", {}, after, batch=batch), Outcome(AT, "done")
    )


def summary(
    batch: str, *numbers: int, changed: Mapping[str, int] | None = None, first: JournalEntry | None = None
) -> RunWrites:
    count = len(numbers)
    first = first or write(numbers[0], batch)
    results = {"refused": 1, "done": count - 1} if count > 1 else {"done": 1}
    return RunWrites(batch, first, write(numbers[-1], batch), count, results, changed or {"PATCH": count})


def told(lines: list[JournalLine]) -> list[str]:
    return [
        "more" if line.more else f"{line.entry.number}" if line.entry else line.group.title if line.group else ""
        for line in lines
    ]


def test_a_run_is_one_line_until_it_is_unfolded() -> None:
    (single, group) = group_runs([write(9), summary("b-1", 1, 2, 3)], [Run("b-1", "grade of 3 lots", AT)])
    assert isinstance(group, RunGroup)
    assert told(list(journal_lines([single, group]))) == ["9", "grade of 3 lots"]
    assert group.outcome_words == "2 done, 1 refused"
    assert group.status is RunStatus.CUT_SHORT
    unfolded = group.with_writes([write(3, "b-1"), write(2, "b-1"), write(1, "b-1")])
    assert told(list(journal_lines([single, unfolded]))) == ["9", "grade of 3 lots", "3", "2", "1"]


def test_a_long_run_is_unfolded_in_parts() -> None:
    group = RunGroup(summary("b-1", *range(1, PAGE + 6)), "grade")
    first = group.with_writes([write(number, "b-1") for number in range(PAGE + 5, 5, -1)])
    assert first.more == 5
    assert told(list(journal_lines([first])))[-1] == "more"
    whole = first.with_writes([write(number, "b-1") for number in range(5, 0, -1)])
    assert whole.more == 0
    assert len(list(journal_lines([whole]))) == PAGE + 6


@pytest.mark.parametrize(
    ("first", "title"),
    [
        (write(1, "b"), "grade of 2 lots"),
        (write(1, "b", "PATCH", "grade", "massKg", "note"), "grade and 2 other fields of 2 lots"),
        (write(1, "b", "POST"), "2 new lots"),
        (write(1, "b", "DELETE"), "deletion of 2 lots"),
    ],
)
def test_a_run_that_the_store_does_not_know_has_a_title_of_its_writes(first: JournalEntry, title: str) -> None:
    assert title_of_writes(summary("b", 1, 2, first=first)) == title


def test_an_undo_says_so_and_what_it_took_back_too() -> None:
    runs = [Run("b-2", "grade of 1 lots", AT, "b-1", AT), Run("b-1", "grade of 1 lots", AT, ended=AT)]
    undo, undone = group_runs([summary("b-2", 2), summary("b-1", 1)], runs)
    assert isinstance(undo, RunGroup)
    assert isinstance(undone, RunGroup)
    assert (undo.title, undo.status) == ("undo of grade of 1 lots", RunStatus.DONE)
    assert (undone.title, undone.status) == ("grade of 1 lots", RunStatus.UNDONE)


def test_what_is_found_in_a_run_is_shown_below_it_where_its_newest_find_is() -> None:
    found = [write(9), write(5, "b-1"), write(4), write(3, "b-1")]
    items = group_matches(found, [summary("b-1", 1, 20), summary("b-2", 6, 7)], [])
    lines = list(journal_lines(items))
    # b-2 was found by its title alone.
    assert told(lines) == ["9", "grade of 2 lots", "grade of 2 lots", "5", "3", "4"]
    assert [line.group.run.id for line in lines if line.group and not line.entry] == ["b-2", "b-1"]


def test_a_long_run_leaves_room_for_what_else_is_found() -> None:
    found = [write(number, "b-1") for number in range(FOUND_IN_RUN + 2, 1, -1)]
    (group,) = group_matches(found, [summary("b-1", 1, FOUND_IN_RUN + 9)], [])
    lines = told(list(journal_lines([group])))
    assert len(lines) == 1 + FOUND_IN_RUN + 1
    assert lines[-1] == "more"


def test_runs_are_found_by_their_title() -> None:
    runs = [
        Run("b-2", "grade of 3 lots", AT, "b-1"),
        Run("b-1", "grade of 3 lots", AT),
        Run("b-0", "note of 3 lots", AT),
    ]
    assert find_runs(runs, "undo GRADE") == ["b-2"]
    assert find_runs(runs, "grade of 3") == ["b-2", "b-1"]
    assert find_runs(runs, " ") == []


def test_what_takes_a_run_back_is_told_by_what_it_did() -> None:
    group = RunGroup(summary("b-1", 1, 2, changed={"PATCH": 10, "PUT": 2, "POST": 1, "DELETE": 3}), "grade")
    assert group.undo_words == "Restores the old values of 12 records, creates 3 records again, deletes 1 record"
    nothing = RunGroup(RunWrites("b-1", write(1), write(1), 1, {"refused": 1}, {}), "grade")
    assert nothing.undo_words == ""


def test_a_colleagues_finds_stand_where_the_time_of_day_puts_them() -> None:
    ada = Author("ada", "desk-3", "c1")

    def theirs(number: int, minutes: int, batch: str = "") -> JournalEntry:
        made = write(number, batch)
        return replace(made, author=ada, intent=replace(made.intent, at=AT + timedelta(minutes=minutes)))

    def run(batch: str, last: JournalEntry) -> RunWrites:
        return RunWrites(batch, last, last, 1, {"done": 1}, {"PATCH": 1})

    found = [theirs(-9, 5), write(2), theirs(-8, -5)]
    items = group_matches(found, [run("b-1", theirs(-7, 1, "b-1")), summary("b-2", 1)], [])
    assert [item.number if isinstance(item, JournalEntry) else item.run.id for item in items] == [
        -9, "b-1", 2, "b-2", -8,
    ]  # fmt: skip
