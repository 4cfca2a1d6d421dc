"""What is said of writes without a known outcome, where requests carry a key and where they carry none."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import SendResult
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.unknown_writes import UnknownWrites
from svc_tui.writes.write_requests import hash_body

NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOTS = "/v1/operations/lots"


@pytest.mark.parametrize(("key", "same", "other"), [("k-1", " with this idempotency key", " (key k-1)"), ("", "", "")])
def test_the_same_request_is_told_from_another_body_with_and_without_a_key(key: str, same: str, other: str) -> None:
    unknown_writes = UnknownWrites(lambda: NOW)
    sent = NOW - timedelta(hours=2)
    unknown_writes.add(Intent(sent, "POST", LOTS, "operations/lots", key, body_bytes=1, body_digest=hash_body(b"a")))
    end = ". Outcome unknown: check the record first."
    assert unknown_writes.describe_similar(RequestSpec("POST", LOTS, body=b"a")) == f"Already sent 2 h ago{same}{end}"
    assert (
        unknown_writes.describe_similar(RequestSpec("POST", LOTS, body=b"b"))
        == f"A POST to this path with a different body{other} was sent 2 h ago{end}"
    )
    assert unknown_writes.describe_similar(RequestSpec("PATCH", LOTS, body=b"a")) == ""


class StubJournal:
    """A journal that tells of these writes of earlier sessions; a StoreError among them is raised."""

    def __init__(self, *answers: list[JournalEntry] | StoreError) -> None:
        self.answers = list(answers)
        self.asked_since: list[datetime] = []

    async def unsettled(self, since: datetime) -> list[JournalEntry]:
        self.asked_since.append(since)
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        if isinstance(answer, StoreError):
            raise answer
        return answer


def sent(body: bytes, key: str, minutes: int = 1) -> Intent:
    at = NOW - timedelta(minutes=minutes)
    return Intent(at, "POST", LOTS, "operations/lots", key, body_bytes=len(body), body_digest=hash_body(body))


async def test_writes_of_the_last_week_are_read_once_and_those_of_another_key_lend_none() -> None:
    entries = [JournalEntry(2, sent(b"a", "k-a")), JournalEntry(1, sent(b"b", "k-b"), other_key=True)]
    unknown_writes = UnknownWrites(lambda: NOW)
    journal: Journal = StubJournal(entries)  # type: ignore[assignment]
    first, second = await asyncio.gather(unknown_writes.load(journal), unknown_writes.load(journal))
    assert first == second == entries
    assert journal.asked_since == [NOW - timedelta(days=7)]  # type: ignore[attr-defined]
    assert unknown_writes.find_key(RequestSpec("POST", LOTS, body=b"a")) == "k-a"
    assert unknown_writes.find_key(RequestSpec("POST", LOTS, body=b"b")) == ""


async def test_a_journal_that_can_not_be_read_is_read_again() -> None:
    unknown_writes = UnknownWrites(lambda: NOW)
    failure = StoreError("the database is locked")
    journal: Journal = StubJournal(failure, failure, [JournalEntry(1, sent(b"a", "k-a"))])  # type: ignore[assignment]
    for _ in range(2):
        with pytest.raises(StoreError, match="the database is locked"):
            await unknown_writes.load(journal)
    await unknown_writes.load(journal)
    assert unknown_writes.find_key(RequestSpec("POST", LOTS, body=b"a")) == "k-a"


def test_an_earlier_session_does_not_take_the_place_of_what_was_sent_since() -> None:
    unknown_writes = UnknownWrites(lambda: NOW)
    unknown_writes.update(sent(b"a", "k-new"), WriteReport(SendResult.UNKNOWN))
    unknown_writes.add(sent(b"a", "k-old", 9))
    assert unknown_writes.find_key(RequestSpec("POST", LOTS, body=b"a")) == "k-new"


def test_three_writes_like_a_request_are_told_and_one_sent_just_now_a_moment_ago() -> None:
    unknown_writes = UnknownWrites(lambda: NOW)
    for minutes, body in enumerate((b"a", b"b", b"c", b"d")):
        unknown_writes.add(sent(body, f"k-{body.decode()}", minutes))
    lines = unknown_writes.describe_similar(RequestSpec("POST", LOTS, body=b"c")).splitlines()
    assert [line.partition(".")[0] for line in lines] == [
        "Already sent 2 min ago with this idempotency key",
        "A POST to this path with a different body (key k-a) was sent a moment ago",
        "A POST to this path with a different body (key k-b) was sent 1 min ago",
    ]
