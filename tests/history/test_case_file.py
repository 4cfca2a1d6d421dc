"""The case file's text: writes of the session and the ticket, records before and after, bounded and harmless."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.core.values import replace
from svc_tui.history.case_file import (
    MAX_ITEMS,
    MAX_ROWS,
    CaseFileMask,
    SessionLog,
    render_case_file,
    render_journal_case_file,
    writes_for_ticket,
)
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, Outcome
from svc_tui.storage.runs import Run
from svc_tui.storage.scope import StorageScope
from svc_tui.team.notes import Note

BEGAN = datetime(2026, 11, 20, 5, 0, tzinfo=UTC)
LATER = BEGAN + timedelta(minutes=30)
LOTS = Collection("operations", "lots")
SHELF = StorageScope("default", Environment.LIVE, "https://api.example.com")
OPEN = CaseFileMask(lambda record, _: record, lambda entry: entry, lambda exchange: exchange)


def lot(index: int, **fields: Json) -> tuple[Place, Record]:
    return Place(LOTS, f"lot-{index}"), Record({"id": f"lot-{index}", **fields})


def entry(number: int, ticket: str = "", at: datetime = LATER, **after: Json) -> JournalEntry:
    before: Mapping[str, Json] = dict.fromkeys(after)
    intent = Intent(at, "PATCH", "/v1/operations/lots/lot-1", "operations/lots/lot-1", "key-1", before, after, ticket)
    return JournalEntry(number, intent, Outcome(at, "done", 200, request_id="req-1"))


def exchange(body: bytes = b"{}", target: str = "/v1/operations/lots/lot-1") -> Exchange:
    request = SignedRequest("GET", f"https://api.example.com{target}", target, (), b"")
    return Exchange(request, Answer(200, "OK", (), body), 1, 0.01, LATER)


def text(session: SessionLog, *entries: JournalEntry, ticket: str = "T-1", mask: CaseFileMask = OPEN) -> str:
    return render_case_file(ticket, session, entries, SHELF, mask, LATER)


def test_writes_of_the_session_for_the_ticket_or_for_none_are_in_it_the_oldest_first() -> None:
    entries = [entry(4), entry(3, "T-2"), entry(2, "T-1"), entry(1, "T-1", BEGAN - timedelta(seconds=1))]
    writes, others = writes_for_ticket(entries, SessionLog(BEGAN), "T-1")
    assert [write.number for write in writes] == [2, 4]
    assert others == 1
    assert "Not included: 1 change in this session with another ticket." in text(SessionLog(BEGAN), *entries)


def test_a_write_is_told_with_its_fields_before_and_after_its_ids_and_its_outcome() -> None:
    told = text(SessionLog(BEGAN), entry(1, "T-1", massKg=Number("1.50")))
    assert "### PATCH `operations/lots/lot-1`" in told
    assert "| `massKg` | `null` | `1.50` |" in told
    for words in ("outcome: done (200)", "request id: `req-1`", "idempotency key: `key-1`", "ticket: `T-1`"):
        assert words in told


def test_who_approved_a_write_stands_in_it_and_in_a_run() -> None:
    write = entry(1, "T-1", massKg=Number("2"))
    approved = replace(write, intent=replace(write.intent, approval="q-1", approved_by="bob"))
    assert "- approved by: `bob` (approval `q-1`)" in text(SessionLog(BEGAN), approved)
    row = of_run(2, 1)
    rows = replace(row, intent=replace(row.intent, approval="q-2", approved_by="cleo"))
    assert "- approved by: `cleo` (approval `q-2`)" in run_text(rows)


def test_a_record_that_changed_is_there_before_and_after() -> None:
    place, first = lot(1, grade="B")
    session = SessionLog(BEGAN).with_viewed(LATER, place, first).with_reading(place, lot(1, grade="A")[1])
    told = text(session)
    assert '| `grade` | `"B"` | `"A"` |' in told
    assert told.index('"grade": "B"') < told.index("After:") < told.index('"grade": "A"')


def test_what_was_not_opened_is_not_in_it_however_often_it_is_read() -> None:
    place, record = lot(1)
    assert SessionLog(BEGAN).with_reading(place, record).viewed == {}


def test_a_long_session_is_bounded_and_says_what_is_missing() -> None:
    session = SessionLog(BEGAN)
    for index in range(MAX_ITEMS + 3):
        session = session.with_viewed(LATER, *lot(index)).with_exchange(exchange())
    assert (len(session.viewed), len(session.exchanges), session.dropped) == (MAX_ITEMS, MAX_ITEMS, 6)
    assert "not included: the first 6 items (the session is too long)" in text(session)


def test_text_from_outside_can_not_leave_its_place() -> None:
    place, record = lot(1, note="```\n# not a heading\n\x1b[2J\u202e")
    session = SessionLog(BEGAN).with_viewed(LATER, place, record).with_exchange(exchange(b"``` | x\n# no"))
    told = text(session, entry(1, note="a|b"), ticket="T\n# no")
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert told.startswith("# Case file: T # no\n")
    assert "a\\|b" in told
    assert "````\n``` | x\n# no\n````" in told


def test_what_is_hidden_is_hidden_in_every_part() -> None:
    place, record = lot(1, secret="s3")
    hidden = CaseFileMask(
        lambda record, _: Record({**record.fields, "secret": "▒"}),
        lambda entry: JournalEntry(entry.number, Intent(LATER, "PATCH", "", "p", "", {}, {"secret": "▒"})),
        lambda found: exchange(b"masked"),
        "personal data is masked",
    )
    session = SessionLog(BEGAN).with_viewed(LATER, place, record).with_exchange(exchange(b'{"secret": "s3"}'))
    told = text(session, entry(1, secret="s3"), mask=hidden)
    assert "s3" not in told
    assert "- personal data is masked" in told


def of_run(number: int, row: int, result: str = "done", batch: str = "b-1", at: datetime = LATER) -> JournalEntry:
    place = f"operations/lots/lot-{row}"
    one = entry(number, "T-1", at, grade="A")
    intent = replace(one.intent, batch=batch, row=row, place=place, before={"grade": "B"})
    message = "" if result == "done" else "no | scope"
    return replace(one, intent=intent, outcome=Outcome(at, result, 200, message), key="env SVC_API_KEY")


def run_text(*entries: JournalEntry, runs: Sequence[Run] = (), mask: CaseFileMask = OPEN) -> str:
    return render_case_file("T-1", SessionLog(BEGAN), entries, SHELF, mask, LATER, runs)


def test_a_run_is_one_section_with_the_last_outcome_of_every_row() -> None:
    earlier = of_run(1, 1, at=BEGAN - timedelta(days=1))
    writes = [earlier, of_run(2, 2, "refused"), of_run(3, 3, "unknown"), of_run(5, 2), of_run(6, 4, "refused")]
    told = run_text(*writes, entry(4, "T-1"), runs=[Run("b-1", "grade of 4 lots", BEGAN, ended=LATER)])
    assert told.count("### Run `grade of 4 lots`") == 1
    assert "### PATCH `operations/lots/lot-1`" in told
    assert "- outcome: 2 done, 1 unknown, 1 refused\n" in told
    assert "- run: `b-1`" in told
    assert "- ticket: `T-1`" in told
    assert "undone: " not in told
    assert '| 1 | `operations/lots/lot-1` | `grade` | `"B"` | `"A"` | done |' in told
    assert '| 2 | `operations/lots/lot-2` | `grade` | `"B"` | `"A"` | done |' in told
    assert '| 4 | `operations/lots/lot-4` | `grade` | `"B"` | `"A"` | refused: `no \\| scope` |' in told


def test_who_took_a_run_back_is_told_and_whether_that_stands() -> None:
    runs = [
        Run("b-2", "grade of 1 lots", LATER, "b-1", LATER),
        Run("b-1", "grade of 1 lots", BEGAN, ended=LATER),
    ]
    told = run_text(of_run(1, 1), of_run(2, 1, batch="b-2"), runs=runs)
    assert "- outcome: 1 done; the run is undone" in told
    assert "- undone: 2026-11-20 05:30:00 UTC by run `b-2`, with the key of `env SVC_API_KEY`, ticket `T-1`" in told
    assert "### Run `undo of grade of 1 lots`" in told


def test_the_table_of_a_long_run_holds_what_was_not_done_and_says_what_is_missing() -> None:
    writes = [of_run(number, number, "refused" if number == MAX_ROWS + 40 else "done") for number in range(1, 301)]
    told = run_text(*writes)
    assert "### Run `grade of 300 lots`" in told
    assert told.count("| `grade` |") == MAX_ROWS
    assert f"lot-{MAX_ROWS + 40}` |" in told
    assert "100 more rows not listed here. " in told


def test_what_the_mask_hides_is_hidden_in_the_table_of_a_run() -> None:
    def hide(one: JournalEntry) -> JournalEntry:
        return replace(one, intent=replace(one.intent, before={"grade": "hidden"}, after={"grade": "hidden"}))

    told = run_text(of_run(1, 1), mask=replace(OPEN, entry=hide))
    assert '| `grade` | `"hidden"` | `"hidden"` |' in told
    assert '"A"' not in told


def test_writes_of_the_journal_are_told_as_those_of_a_session_are() -> None:
    writes = [entry(4, "T-1", grade="A"), of_run(6, 1), of_run(2, 2)]
    runs = [Run("b-1", "grade of 2 lots", BEGAN, ended=LATER)]
    told = render_journal_case_file(writes, SHELF, UTC, known_runs=runs)
    session = render_case_file("T-1", SessionLog(BEGAN), writes, SHELF, OPEN, LATER, runs)
    assert (
        told.partition("## Changed")[2].strip() == session.partition("## Changed")[2].partition("## Viewed")[0].strip()
    )
    assert told.startswith("# Case file: T-1\n\n- environment: **LIVE**, profile `default`")
    assert "- changes: 2026-11-20 05:30:00 UTC to 2026-11-20 05:30:00 UTC\n" in told
    assert "Viewed" not in told


def test_a_case_file_of_the_journal_is_called_by_its_tickets() -> None:
    writes = [entry(number, ticket) for number, ticket in enumerate(["T-1", "", "T-2", "T-2", "T-3", "T-4", "T-5"])]
    assert render_journal_case_file(writes, SHELF, UTC).startswith("# Case file: T-1, T-2, T-3 and 2 more, and")
    assert render_journal_case_file(writes[1:2], SHELF, UTC).startswith("# Case file: no ticket\n")
    some = render_journal_case_file(writes[1:3], SHELF, UTC)
    assert some.startswith("# Case file: T-2, and changes without a ticket\n")
    empty = render_journal_case_file([], SHELF, UTC, ticket="T-9", note="personal data is masked")
    assert empty.startswith("# Case file: T-9\n")
    assert empty.endswith("- personal data is masked\n\n## Changed (0)\n\nNo changes.\n")


def test_a_case_file_of_the_journal_tells_who_took_a_run_back_with_another_ticket() -> None:
    runs = [Run("b-2", "grade of 1 lots", LATER, "b-1", LATER), Run("b-1", "grade of 1 lots", BEGAN, ended=LATER)]
    first = replace(of_run(2, 1, batch="b-2"), intent=replace(of_run(2, 1, batch="b-2").intent, ticket="T-2"))
    told = render_journal_case_file([of_run(1, 1)], SHELF, UTC, known_runs=runs, first_of_undos=[first])
    assert "with the key of `env SVC_API_KEY`, ticket `T-2`" in told
    assert "## Changed (1)" in told


ADA = Author("ada `|", "desk-3", "c1")


def test_colleagues_writes_for_the_ticket_are_in_it_by_the_time_of_day_and_their_others_are_not() -> None:
    soon = LATER + timedelta(minutes=1)
    theirs = replace(entry(-9, "T-1", LATER, email="x"), author=ADA, masked=("email",))
    others = [replace(entry(-8, ticket), author=ADA) for ticket in ("", "T-2")]
    entries = [entry(2, "T-1", soon), theirs, *others, entry(1)]
    writes, left_out = writes_for_ticket(entries, SessionLog(BEGAN), "T-1")
    assert ([write.number for write in writes], left_out) == ([1, -9, 2], 0)
    told = text(SessionLog(BEGAN), *entries)
    assert "- by: ``ada `|`` on `desk-3`" in told
    assert "- masked fields: `email`" in told
    assert [write.number for write in writes_for_ticket(entries, SessionLog(BEGAN), "")[0]] == [1]


def test_notes_on_records_that_were_looked_at_or_written_to_are_in_it_and_can_leave_their_place_by_no_text() -> None:
    place, record = lot(2)
    session = SessionLog(BEGAN).with_viewed(LATER, place, record)
    eve = Author("eve`\n# Forged", "desk\x1b[2J", "c")
    notes = [
        Note("operations/lots/lot-1", LATER, "```\n# Forged\n\x1b[31m\u202e", eve),
        Note(place.key, LATER, "asked them"),
        Note("operations/lots/lot-3", LATER, "elsewhere"),
    ]
    told = render_case_file("T-1", session, [entry(1)], SHELF, OPEN, LATER, notes=notes)
    assert "## Team notes (2)" in told
    assert f"### `{place.key}`\n\n2026-11-20 05:30:00 UTC, by you:\n\n```\nasked them\n```" in told
    assert "by ``eve` # Forged on desk�[2J``:\n\n````\n```\n# Forged\n�[31m�\n````" in told
    assert "elsewhere" not in told
    assert "Team notes" not in text(session, entry(1))
