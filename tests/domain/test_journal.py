"""A write of the journal as a row of a file."""

from datetime import UTC, datetime

from svc_tui.domain.credentials import Environment
from svc_tui.domain.formats import Format, whole
from svc_tui.domain.gateway import Intent, JournalEntry, Outcome, Shelf
from svc_tui.domain.journal import row
from svc_tui.domain.jsontext import Number

AT = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)
SHELF = Shelf("default", Environment.LIVE, "https://api.example.com")
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
    told = row(WRITE, SHELF)
    assert told["at"] == "2026-11-20T05:12:07+00:00"
    assert (told["environment"], told["profile"], told["key"]) == ("live", "default", "SVC_API_KEY")
    assert (told["outcome"], told["status"], told["requestId"]) == ("refused", Number("403"), "req-1")
    assert (told["before"], told["after"]) == ({"massKg": Number("1.50")}, {"massKg": Number("2.00")})
    assert (told["ticket"], told["batch"], told["idempotencyKey"]) == ("SUP-1", "b-1", "key-1")
    assert '""massKg"":1.50' in whole(Format.CSV, [told]).replace(" ", "")


def test_a_write_without_an_outcome_is_unknown_in_its_row() -> None:
    told = row(JournalEntry(7, WRITE.intent), SHELF)
    assert (told["outcome"], told["status"], told["endedAt"]) == ("unknown", None, None)
