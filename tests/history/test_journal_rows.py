"""A write of the journal as a row: its record, its fields to the digit, how it ended, in names that scripts keep."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import Number
from svc_tui.core.values import replace
from svc_tui.history.journal_rows import JOURNAL_COLUMNS, journal_row, place_of_entry, record_of
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome, WriteInProgress
from svc_tui.storage.scope import StorageScope

AT = datetime(2026, 11, 20, 5, 12, 7, 123456, tzinfo=UTC)
SCOPE = StorageScope("work", Environment.LIVE, "https://api.example.com")
INTENT = Intent(
    AT,
    "PATCH",
    "/v1/operations/lots/lot-1",
    "operations/lots/lot-1",
    "idem-1",
    {"massKg": Number("1.50"), "note": None},
    {"massKg": Number("2.00")},
    "SUP-1",
    batch="run-1",
    row=4,
)
WRITE = JournalEntry(7, INTENT, Outcome(AT, "refused", 403, "no scope", "req-1", code="insufficient_scope"), "env KEY")


def test_a_row_tells_all_that_the_journal_knows() -> None:
    row = journal_row(WRITE, SCOPE, COLLECTIONS)
    assert tuple(row) == JOURNAL_COLUMNS
    assert row == {
        "number": Number("7"),
        "at": "2026-11-20T05:12:07Z",
        "environment": "live",
        "profile": "work",
        "method": "PATCH",
        "target": "/v1/operations/lots/lot-1",
        "place": "operations/lots/lot-1",
        "collection": "operations/lots",
        "id": "lot-1",
        "fields": ["massKg"],
        "before": {"massKg": Number("1.50"), "note": None},
        "after": {"massKg": Number("2.00")},
        "result": "refused",
        "status": Number("403"),
        "code": "insufficient_scope",
        "message": "no scope",
        "ended_at": "2026-11-20T05:12:07Z",
        "ticket": "SUP-1",
        "run": "run-1",
        "row": Number("4"),
        "key": "env KEY",
        "idempotency_key": "idem-1",
        "request_id": "req-1",
    }


@pytest.mark.parametrize(
    ("under_way", "result"),
    [(None, "unknown"), (WriteInProgress.HERE, "running"), (WriteInProgress.ELSEWHERE, "running")],
)
def test_without_an_outcome_it_runs_or_nobody_knows(under_way: WriteInProgress | None, result: str) -> None:
    row = journal_row(replace(WRITE, outcome=None, under_way=under_way), SCOPE, COLLECTIONS)
    assert (row["result"], row["status"], row["ended_at"], row["code"], row["message"]) == (result, None, None, "", "")


def test_times_are_of_utc_whatever_zone_they_were_written_in() -> None:
    intent = replace(INTENT, at=AT.astimezone(timezone(timedelta(hours=3))))
    assert journal_row(replace(WRITE, intent=intent), SCOPE, COLLECTIONS)["at"] == "2026-11-20T05:12:07Z"


def test_the_record_of_a_creation_is_the_one_that_it_made() -> None:
    intent = replace(INTENT, method="POST", target="/v1/operations/lots", place="operations/lots")
    made = Outcome(AT, "done", 201, made="a/b", place="operations/lots/a/b")
    assert record_of(JournalEntry(1, intent, made), COLLECTIONS) == ("operations/lots", "a/b")
    assert place_of_entry(JournalEntry(1, intent, made)) == "operations/lots/a/b"
    assert record_of(JournalEntry(1, intent, Outcome(AT, "refused", 422)), COLLECTIONS) == ("operations/lots", "")
    assert place_of_entry(JournalEntry(1, intent)) == "operations/lots"


@pytest.mark.parametrize(
    ("target", "place", "record"),
    [
        ("/v1/operations/lots/lot-1/split", "operations/lots/lot-1", ("operations/lots", "lot-1")),
        ("/v1/operations/lots/a%2Fb", "operations/lots/a/b", ("operations/lots", "a/b")),
        (
            "/v1/operations/lots/lot-1/attachments/att-1",
            "operations/lots/lot-1/attachments/att-1",
            ("operations/lots/lot-1/attachments", "att-1"),
        ),
        ("/v1/ops/ore/lot-1", "operations/lots/lot-1", ("operations/lots", "lot-1")),
        ("/v1/somewhere/else", "", ("", "")),
    ],
)
def test_the_record_of_a_write_is_told_by_its_address(target: str, place: str, record: tuple[str, str]) -> None:
    entry = replace(WRITE, intent=replace(INTENT, target=target, place=place))
    assert record_of(entry, COLLECTIONS) == record
