"""A write of the journal as a row of a file, and what a reading of its record tells of one of unknown fate."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.credentials import Environment
from svc_tui.core.export_formats import Format, format_whole
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.history.journal_rows import export_row
from svc_tui.storage.journal_entries import (
    Author,
    Intent,
    JournalEntry,
    Outcome,
    WriteInProgress,
    entry_matches,
    entry_result,
    is_in_place,
)
from svc_tui.storage.scope import StorageScope

AT = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)
SHELF = StorageScope("default", Environment.LIVE, "https://api.example.com")
WRITE = JournalEntry(
    7,
    Intent(
        AT,
        "PATCH",
        "/v1/operations/lots/lot-1",
        "operations/lots/lot-1",
        "key-1",
        {"massKg": Number("1.50")},
        {"massKg": Number("2.00")},
        "SUP-1",
        batch="b-1",
    ),
    Outcome(AT, "refused", 403, "no scope", "req-1"),
    "SVC_API_KEY",
)


def test_a_row_tells_all_that_the_journal_knows_with_every_digit() -> None:
    told = export_row(WRITE, SHELF)
    assert told["at"] == "2026-11-20T05:12:07+00:00"
    assert (told["environment"], told["profile"], told["key"]) == ("live", "default", "SVC_API_KEY")
    assert (told["outcome"], told["status"], told["requestId"]) == ("refused", Number("403"), "req-1")
    assert (told["before"], told["after"]) == ({"massKg": Number("1.50")}, {"massKg": Number("2.00")})
    assert (told["ticket"], told["batch"], told["idempotencyKey"]) == ("SUP-1", "b-1", "key-1")
    assert '""massKg"":1.50' in format_whole(Format.CSV, [told]).replace(" ", "")


def test_a_row_has_every_part_of_a_write_of_ones_own_and_of_a_colleagues() -> None:
    own = export_row(WRITE, SHELF)
    assert own == {
        "entry": Number("7"),
        "at": "2026-11-20T05:12:07+00:00",
        "environment": "live",
        "profile": "default",
        "baseUrl": "https://api.example.com",
        "key": "SVC_API_KEY",
        "method": "PATCH",
        "target": "/v1/operations/lots/lot-1",
        "place": "operations/lots/lot-1",
        "before": {"massKg": Number("1.50")},
        "after": {"massKg": Number("2.00")},
        "ticket": "SUP-1",
        "idempotencyKey": "key-1",
        "batch": "b-1",
        "approval": "",
        "approvedBy": "",
        "outcome": "refused",
        "status": Number("403"),
        "endedAt": "2026-11-20T05:12:07+00:00",
        "requestId": "req-1",
        "message": "no scope",
        "by": "",
        "machine": "",
        "received": None,
    }
    theirs = export_row(replace(WRITE, author=Author("ada", "desk-3", "c1"), received=AT), SHELF)
    assert theirs == {
        **own,
        "entry": None,
        "profile": "",
        "by": "ada",
        "machine": "desk-3",
        "received": "2026-11-20T05:12:07+00:00",
    }


@pytest.mark.parametrize(
    "text",
    [
        *("patch", "/v1/operations", "operations/lots/lot-1", "sup-1", "key-1", "b-1", "refused", "2026-11-20"),
        *("1.50", "2.00", "no scope", "req-1", "lot-9", "403", "ada", "desk-3"),
    ],
)
def test_a_write_is_found_by_each_of_its_parts_and_not_without_it(text: str) -> None:
    assert WRITE.outcome is not None
    made = replace(WRITE, outcome=replace(WRITE.outcome, made="lot-9"), author=Author("ada", "desk-3"))
    assert entry_matches(made, text.split())
    other = JournalEntry(8, Intent(datetime(2025, 1, 1, tzinfo=UTC), "DELETE", "/v1/x", "x", ""), Outcome(AT, "done"))
    assert not entry_matches(other, text.split())


def test_a_write_is_found_by_all_words_at_once_and_by_its_place_as_people_read_it() -> None:
    assert entry_matches(WRITE, ["patch", "sup-1"])
    assert not entry_matches(WRITE, ["patch", "sup-2"])
    assert entry_matches(WRITE, [])
    encoded = replace(WRITE.intent, target="/v1/operations/lots/a%2Fb", place="operations/lots/a/b")
    assert entry_matches(replace(WRITE, intent=encoded), ["a/b"])


@pytest.mark.parametrize("word", ["null", "none", "{}"])
def test_what_a_write_does_not_have_is_not_found_by_a_word_of_the_program(word: str) -> None:
    deletion = Intent(AT, "DELETE", "/v1/operations/lots/lot-1", "operations/lots/lot-1", "", {}, None)
    assert not entry_matches(JournalEntry(8, deletion, Outcome(AT, "done")), [word])


def test_a_row_tells_who_approved_the_write() -> None:
    approved = replace(WRITE, intent=replace(WRITE.intent, approval="q-1", approved_by="bob"))
    assert [export_row(approved, SHELF)[name] for name in ("approval", "approvedBy")] == ["q-1", "bob"]
    assert entry_matches(approved, ["bob"])
    assert not entry_matches(WRITE, ["bob"])


def test_a_write_without_an_outcome_is_unknown_in_its_row() -> None:
    told = export_row(JournalEntry(7, WRITE.intent), SHELF)
    assert (told["outcome"], told["status"], told["endedAt"]) == ("unknown", None, None)


def unknown(method: str, result: str | None = "unknown", **after: Json) -> JournalEntry:
    outcome = None if result is None else Outcome(AT, result)
    return JournalEntry(1, Intent(AT, method, "", "", "", {}, after or None), outcome)


def test_a_write_without_an_outcome_runs_while_its_program_lives_and_is_unknown_else() -> None:
    assert entry_result(unknown("PATCH", None)) == "unknown"
    assert entry_result(replace(unknown("PATCH", None), under_way=WriteInProgress.ELSEWHERE)) == "running"


@pytest.mark.parametrize(
    ("write", "now"),
    [
        (unknown("PATCH", a="x", n=Number("1.50")), {"a": "x", "n": Number("1.5"), "b": None}),
        (unknown("PATCH", None, a=None), {"a": None}),
        (unknown("PUT", a="x"), {"a": "x"}),
        (unknown("DELETE"), None),
    ],
)
def test_a_reading_tells_that_a_write_of_unknown_fate_is_in_place(
    write: JournalEntry, now: dict[str, Json] | None
) -> None:
    record = None if now is None else Record(now)
    assert list(is_in_place([write], record)) == [write]
    other = unknown("PATCH", "done", z="z")
    assert list(is_in_place([unknown("PATCH", "refused", a="y"), write], record)) == [write]
    assert list(is_in_place([other, write], record)) == ([] if now is None else [write])


@pytest.mark.parametrize(
    ("entries", "now"),
    [
        ([unknown("PATCH", a="x", b="x")], {"a": "x", "b": "y"}),
        ([unknown("PATCH", a=None)], {}),
        ([unknown("PATCH")], {"a": "x"}),
        # It may have been the value before the write too.
        (
            [replace(write, intent=replace(write.intent, before=None)) for write in [unknown("PATCH", a="x")]],
            {"a": "x"},
        ),
        ([unknown("PATCH", a="x")], None),
        ([unknown("POST", a="x")], {"a": "x"}),
        ([unknown("DELETE")], {"a": "x"}),
        ([unknown("PATCH", "refused", a="x")], {"a": "x"}),
        ([replace(unknown("PATCH", None, a="x"), under_way=WriteInProgress.ELSEWHERE)], {"a": "x"}),
        ([unknown("PATCH", "done", a="x"), unknown("PATCH", a="x")], {"a": "x"}),
        ([unknown("POST", "done", parts="2"), unknown("PATCH", a="x")], {"a": "x"}),
        ([unknown("PATCH", "done"), unknown("PATCH", a="x")], {"a": "x"}),
        ([unknown("DELETE", "done"), unknown("DELETE")], None),
    ],
)
def test_what_a_reading_can_not_tell_stays_unknown(entries: list[JournalEntry], now: dict[str, Json] | None) -> None:
    assert list(is_in_place(entries, None if now is None else Record(now))) == []


def test_a_colleagues_write_is_a_row_by_whom_and_when_the_server_got_it() -> None:
    theirs = replace(WRITE, number=-9, author=Author("=ada", "desk-3", "c1"), received=AT)
    told = export_row(theirs, SHELF)
    assert (told["by"], told["machine"], told["received"]) == ("=ada", "desk-3", "2026-11-20T05:12:07+00:00")
    assert (told["entry"], told["profile"]) == (None, "")
    assert tuple(told) == tuple(export_row(WRITE, SHELF))
    assert (export_row(WRITE, SHELF)["by"], export_row(WRITE, SHELF)["received"]) == ("", None)
