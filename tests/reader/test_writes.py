"""Edits, reviews, sending, undoing: what is said, and what the service and the store have of it."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, dumps, loads
from svc_tui.core.records import Place, Record
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.writes.undo import is_undoable
from tests.guide_blocks import block
from tests.reader.talking import INTERRUPT, Script, Typed, session_on, talk

LOT = "lot-000011"
LOTS = COLLECTIONS[0]
SCOPE = StorageScope("test", Environment.SANDBOX, "test-service")


def stored(service: RunningService, record_id: str = LOT) -> dict[str, Json]:
    """A lot as the service holds it."""
    record = loads(service.record("operations/lots", record_id) or "")
    assert isinstance(record, dict)
    return record


async def test_a_change_that_adds_a_field_says_that_it_stays(service: RunningService, tmp_path: Path) -> None:
    draft = Draft(Record({"id": LOT}), {"carrier": "Northern"})
    async with Store.open(tmp_path / "svc-tui.db") as store:
        await store.drafts(SCOPE).keep(SavedDraft(LOTS, LOT, draft, datetime.now(UTC)))
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["edits", "open 1", "review", "drop carrier"])).said
    assert 'carrier: from not set to "Northern".' in said
    assert "carrier: This field is new. You can change it, but not remove it." in said


async def test_a_field_that_only_other_records_have_can_be_added(service: RunningService, tmp_path: Path) -> None:
    numbers = range(1, 50)
    number = next(one for one in numbers if "note" not in stored(service, f"lot-{one:06}"))
    async with session_on(service, tmp_path) as session:
        typed = [":lots", f"open {number}", "edit note", "damp", "review", "send"]
        said = (await talk(session, typed)).said
    assert any(line.startswith("note is not set.") for line in said)
    assert "note: This field is new. You can change it, but not remove it." in said
    assert stored(service, f"lot-{number:06}")["note"] == "damp"


async def test_a_field_that_others_added_meanwhile_is_no_new_one(service: RunningService, tmp_path: Path) -> None:
    ids = (f"lot-{number:06}" for number in range(1, 300))
    lot = next(one for one in ids if "note" not in stored(service, one))
    draft = Draft(Record(stored(service, lot)), {"note": "mine"})
    async with Store.open(tmp_path / "svc-tui.db") as store:
        await store.drafts(SCOPE).keep(SavedDraft(LOTS, lot, draft, datetime.now(UTC)))
    typed = ["edits", "open 1", f"console PATCH lots/{lot} note=theirs", "send", "review", "drop note"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
    assert 'Others also changed note; it is now "theirs".' in said
    assert not [line for line in said if "This field is new" in line]


async def test_a_change_is_read_out_sent_journalled_and_taken_back(service: RunningService, tmp_path: Path) -> None:
    before = stored(service)
    typed = [f":lots/{LOT}", "edit massKg", "heavy", "12.50", "ticket SUP-1", "review"]
    typed += ["review full", "send", "journal"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
        assert dumps(stored(service)["massKg"]) == "12.50"
        number = re.fullmatch(r"Saved lot-000011\. To undo it, type undo (\d+)\..*", said[-2])
        assert number
        back = (await talk(session, [f":lots/{LOT}", f"undo {number[1]}", "send"])).said
    change = f"massKg: from {dumps(before['massKg'])} to 12.50"
    assert "“heavy” is not a number. Examples: -12.50, 1e6. Type it again, or an empty line to cancel." in said
    review = said[said.index("Ticket SUP-1.") + 1 :]
    assert review[0] == f"SANDBOX. Change {LOT}, {before['name']}."
    assert review[1:3] == [f"{change}.", "Ticket SUP-1. To send it, type send. For the full request: review full."]
    full = review[3:]
    assert full[:2] == [review[0], f"{change}."]
    assert full[2].startswith("Profile test at ")
    assert full[3:5] == [f"Request: PATCH /v1/operations/lots/{LOT}", 'Body: {"massKg":12.50}']
    assert any(line.startswith("Idempotency-Key: ") for line in full)
    assert "Ticket SUP-1. To send it, type send." in full
    assert said[-1].startswith(f"{number[1]}. ")
    assert said[-1].endswith(f"PATCH operations/lots/{LOT}, {change}, done 200, ticket SUP-1")
    undo = back.index("Created a draft with the old values. Nothing is sent yet.")
    assert back[undo + 1 : undo + 4] == [
        f"SANDBOX. Undo: change {LOT}, {before['name']}.",
        f"massKg: from 12.50 to {dumps(before['massKg'])}.",
        "No ticket. To add one: ticket SUP-1. To send the draft, type send; to discard it, type drop. "
        "For the full request: review full.",
    ]
    assert stored(service)["massKg"] == before["massKg"]


@pytest.mark.parametrize(
    ("typed", "value"),
    [(":null", None), (":empty", ""), (":json \"a\\nb\"", "a\nb"), ("::null", ":null"), ("null", "null")],
)  # fmt: skip
async def test_null_empty_and_texts_that_look_like_them_are_told_apart(
    service: RunningService, tmp_path: Path, typed: str, value: Json
) -> None:
    async with session_on(service, tmp_path) as session:
        await talk(session, [f":lots/{LOT}", "edit note", typed, "review", "send"])
    assert stored(service)["note"] == value


async def test_a_value_in_place_of_null_has_the_type_that_it_has_in_other_records(
    service: RunningService, tmp_path: Path
) -> None:
    edits = ["edit massKg", ":null", "review", "send", "edit massKg", ':json "1,25"', "edit massKg", "1.25"]
    async with session_on(service, tmp_path) as session:
        await talk(session, [":lots", f":lots/{LOT}", *edits, "review", "send"])
    assert dumps(stored(service)["massKg"]) == "1.25"


async def test_a_value_that_no_record_has_is_typed_twice(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots", f":lots/{LOT}", "edit status", "zzq", "rejec", "edits", ""])).said
        assert '"zzq": Unknown value. Type it again to use it, or an empty line to cancel.' in said
        assert (
            '"rejec": Unknown value. Did you mean “rejected”? Type it again to use it, or an empty line to cancel.'
            in said
        )
        assert '"edits": Unknown value. Type it again to use it, or an empty line to cancel.' in said
        assert said[-1] == "Nothing was changed."
        said = (await talk(session, [":lots", f":lots/{LOT}", "edit status", "zzq", "zzq", "edits"])).said
        assert any('to "zzq". Unknown value. Not sent yet' in line for line in said)


@pytest.mark.parametrize(
    ("request_line", "offered"),
    [
        (f"POST lots/{LOT}/split parts:=2", False),
        ("POST lots name=New massKg:=1", True),
        (f"PATCH lots/{LOT} note=damp", True),
        (f"DELETE lots/{LOT}", True),
    ],
)
async def test_undo_is_offered_only_for_a_write_that_can_be_undone(
    service: RunningService, tmp_path: Path, request_line: str, offered: bool
) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f"console {request_line}", "send", "undo 1"])).said
        (entry,) = await session.journal.entries()
    told = next(line for line in said if line.startswith("Saved "))
    assert ("To undo it, type undo 1." in told) is offered
    assert any(line.startswith("This change can't be undone.") for line in said) is not offered
    assert is_undoable(entry, session.collections) is offered


async def test_a_value_inside_another_is_edited_by_its_path(service: RunningService, tmp_path: Path) -> None:
    before = stored(service)["assay"]
    async with session_on(service, tmp_path) as session:
        await talk(session, [f":lots/{LOT}", "edit assay.auPpm", "1.50", "review", "send"])
    assert isinstance(before, dict)
    assert dumps(stored(service)["assay"]) == dumps({**before, "auPpm": loads("1.50")})


async def test_an_edit_outlives_the_conversation_and_is_dropped_by_name(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        left = (await talk(session, [f":lots/{LOT}", "edit note", "damp", "quit"])).said
    assert left[-1] == "1 draft kept."
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["edits", "open 1", "drop note", "edits"])).said
    assert "1 record has a draft. To list it, type edits." in said
    assert any(re.fullmatch(rf"1\. .*note: from .*, lots, {LOT}", line) for line in said)
    assert said[-2:] == ["Discarded the edit of note.", "No drafts."]
    assert not any(request.method == "PATCH" for request in service.attempts)


async def test_nothing_is_sent_that_is_not_what_was_read_out(service: RunningService, tmp_path: Path) -> None:
    typed = [f":lots/{LOT}", "edit note", "damp", "review", ":tunnels", "send"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
        # An interrupt in place of the value leaves the edit as it was.
        again = (await talk(session, ["edits", "open 1", "edit note", INTERRUPT, "field note"])).said
    assert said[-2].startswith("Nothing to send.")
    assert "Cancelled. Nothing was changed." in again
    assert any('to "damp", draft' in line for line in again)
    assert not any(request.method == "PATCH" for request in service.attempts)


async def test_what_wants_a_second_person_does_not_leave_from_here(service: RunningService, tmp_path: Path) -> None:
    typed = [f":lots/{LOT}", "edit note", "damp", "unlock", "live", "review", "send", "live", "edits"]
    async with session_on(service, tmp_path, key="live", approve=("update",)) as session:
        said = (await talk(session, typed)).said
    assert any("requires approval (rule update of this profile)" in line for line in said)
    assert re.fullmatch(rf"1\. .*note: from .*, lots, {LOT}", said[-2])
    assert {request.method for request in service.attempts} == {"GET"}


async def test_live_is_said_with_every_prompt_and_takes_a_word_to_unlock_and_one_to_send(
    service: RunningService, tmp_path: Path
) -> None:
    typed = [
        *(f":lots/{LOT}", "edit note", "damp", "review", "send", "unlock", "yes", "unlock", "live"),
        *("send", "yes", "send", "LIVE", "lock", "where"),
    ]
    async with session_on(service, tmp_path, key="live") as session:
        script = await talk(session, typed)
    said = script.said
    assert all(line.startswith("LIVE") for line in script.heard if line.endswith(("> ", ": ")))
    assert "Not sent. LIVE is locked. Type unlock." in said
    assert "LIVE is still locked." in said
    assert "Not sent: you did not type live." in said
    assert any(line.startswith(f"Saved {LOT}") for line in said)
    assert [line for line in script.heard if line.endswith("> ")][-1] == "LIVE lot 11> "
    assert stored(service)["note"] == "damp"
    assert sum(request.method == "PATCH" for request in service.attempts) == 1


async def test_a_lock_that_ran_out_is_said_and_loses_nothing(service: RunningService, tmp_path: Path) -> None:
    now = 1000.0

    def later() -> str:
        nonlocal now
        now += 181
        return "review"

    typed: list[Typed] = [
        f":lots/{LOT}",
        "edit note",
        "damp",
        "unlock",
        "live",
        later,
        "send",
        "edits",
    ]
    async with session_on(service, tmp_path, key="live", monotonic=lambda: now) as session:
        said = (await talk(session, typed)).said
    assert "LIVE is locked again: time is up. Type unlock. Drafts are kept." in said
    assert re.fullmatch(rf"1\. .*note: from .*, lots, {LOT}", said[-2])


async def test_a_session_for_reading_reads_nothing_out_to_be_sent(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path, read_only=True) as session:
        said = (await talk(session, [f":lots/{LOT}", "edit note", "damp", "review"])).said
    assert any(line.startswith("This session is read-only") for line in said)


@pytest.mark.parametrize(("answer", "note"), [("mine", "damp"), ("theirs", "from elsewhere"), ("", "from elsewhere")])
async def test_a_field_that_others_changed_is_chosen_before_anything_is_sent(
    service: RunningService, tmp_path: Path, answer: str, note: str
) -> None:
    elsewhere = f"console PATCH lots/{LOT} note='from elsewhere'"
    typed = [f":lots/{LOT}", "edit note", "damp", "edit name", "Renamed", elsewhere]
    async with session_on(service, tmp_path) as session:
        # The console's own write is what changes it: the draft was made on the record before that.
        said = (await talk(session, [*typed, "send", "review", "send", answer])).said
    # What the service sets at every write is nobody's change.
    assert 'Others also changed note; it is now "from elsewhere".' in said
    assert any(line.startswith("note was also changed by others: their value is ") for line in said)
    assert stored(service)["note"] == note
    assert (stored(service)["name"] == "Renamed") is (answer != "")


async def test_an_edit_that_is_given_up_for_the_value_of_others_is_not_called_written(
    service: RunningService, tmp_path: Path
) -> None:
    elsewhere = f"console PATCH lots/{LOT} note='from elsewhere'"
    typed = [f":lots/{LOT}", "edit note", "damp", elsewhere, "send", "review", "send", "theirs"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
    assert said[-1] == f"{LOT} was not changed. The record already has these values. Nothing was sent."


async def test_a_record_that_was_made_by_hand_is_deleted_again_by_undo_and_made_anew(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        made = (await talk(session, ["console POST lots name=New massKg:=1", "send", "journal"])).said
        at = next(line for line in made if re.match(r"\d+\. ", line))
        number = int(at.partition(".")[0])
        gone = (await talk(session, [f"undo {number}", "send", "journal"])).said
        again = (await talk(session, [f"undo {number + 2}", "send"])).said
    assert any(line.startswith("201 Created") for line in made)
    assert any(re.match(r"SANDBOX\. Undo: delete lot-\w+, New", line) for line in gone)
    assert any(re.match(r"Undone: deleted lot-\w+\.", line) for line in gone)
    assert any(line.startswith("Undone: created the record.") for line in again)


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_a_record_that_changed_since_it_was_made_is_deleted_by_undo_only_after_a_yes(
    service: RunningService, tmp_path: Path, answer: str
) -> None:
    async with session_on(service, tmp_path) as session:
        await talk(session, ["console POST lots name=New", "send"])
        (entry,) = await session.journal.entries()
        await talk(session, ["console PATCH lots/lot-000301 note='from elsewhere'", "send"])
        said = (await talk(session, [f"undo {entry.number}", answer, "send", "lot-000301"])).said
    assert "lot-000301 was changed later." in said
    assert 'note: from not set to "from elsewhere".' in said
    assert (service.record("operations/lots", "lot-000301") is None) is (answer == "yes")


async def test_the_undo_of_a_change_says_which_other_fields_changed_since(
    service: RunningService, tmp_path: Path
) -> None:
    note = stored(service)["note"]
    async with session_on(service, tmp_path) as session:
        await talk(session, [f":lots/{LOT}", "edit note", "damp", "review", "send"])
        (entry,) = await session.journal.entries()
        await talk(session, [f"console PATCH lots/{LOT} name=Renamed", "send"])
        refused = (await talk(session, [f":lots/{LOT}", f"undo {entry.number}", "no", "send"])).said
        assert stored(service)["note"] == "damp"
        await talk(session, [f":lots/{LOT}", f"undo {entry.number}", "yes", "send"])
    assert f"{LOT} was changed later." in refused
    assert "Nothing was undone." in refused
    assert (stored(service)["note"], stored(service)["name"]) == (note, "Renamed")


async def test_review_full_is_about_what_was_read_out_last(service: RunningService, tmp_path: Path) -> None:
    console = f"console PATCH lots/{LOT} note=damp"
    typed = [":lots/lot-000012", "edit name", "Renamed", console, "review full", "send", "review full", "review all"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
    requests = [line for line in said if line.startswith("Request: ")]
    # Once that is sent, the draft of the open record is next.
    assert requests == [
        f"Request: PATCH /v1/operations/lots/{LOT}",
        "Request: PATCH /v1/operations/lots/lot-000012",
    ]
    assert stored(service)["note"] == "damp"
    assert said[-2] == "Type review, or review full for the full request."


async def test_review_without_an_open_record_is_about_the_request_of_the_console(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots", f"console PATCH lots/{LOT} note=damp", "review", "send", "review"])).said
    assert said.count(f"SANDBOX. Send PATCH /v1/operations/lots/{LOT}.") == 2
    assert said[-1] == "No record is open. Type open 3 for number 3 of the list."
    assert stored(service)["note"] == "damp"


async def test_a_deletion_by_the_console_on_live_asks_for_the_id(service: RunningService, tmp_path: Path) -> None:
    delete = f"console DELETE lots/{LOT}"
    async with session_on(service, tmp_path, key="live") as session:
        said = (await talk(session, ["unlock", "live", delete, "send", "live"])).said
        assert f"Not sent: you did not type {LOT}." in said
        assert stored(service)
        await talk(session, ["unlock", "live", delete, "send", LOT])
    assert service.record("operations/lots", LOT) is None


async def test_the_consoles_line_takes_headers_a_query_a_body_from_a_file_and_a_pasted_command(
    service: RunningService, tmp_path: Path
) -> None:
    body = tmp_path / "body.json"
    body.write_text('{"name": "From a file", "massKg": 1.50}', encoding="utf-8")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f"console POST lots ?dry=0 X-Reason:ticket @{body}", "review full", "send"])).said
        read = (
            await talk(session, [f"console curl -H 'X-Reason: look' {service.base_url}/v1/operations/lots/{LOT}"])
        ).said
    assert said.count('Body: {"name": "From a file", "massKg": 1.50}') == 2
    assert said.count("SANDBOX. Send POST /v1/operations/lots?dry=0.") == 2
    assert "Request: POST /v1/operations/lots?dry=0" in said
    assert any(line.startswith("Other headers: ") and "X-Reason" in line for line in said)
    made = next(line for line in said if line.startswith('  "id": '))
    assert dumps(stored(service, made.split('"')[3])["massKg"]) == "1.50"
    assert any(line.startswith("200 OK") for line in read)


async def test_a_secret_in_a_body_from_a_file_is_not_read_out(service: RunningService, tmp_path: Path) -> None:
    secret = "hush-0123456789-of-the-file"
    body = tmp_path / "body.json"
    body.write_text(dumps({"note": f"{'x' * 3_990}{secret}", "name": "svc_live_abcdefghijklmnop"}), encoding="utf-8")
    async with session_on(service, tmp_path, secret=secret) as session:
        said = (await talk(session, [f"console PATCH lots/{LOT} @{body}"])).said
    assert any(line.startswith("The body of the request ") for line in said)
    heard = "\n".join(said)
    assert "hush-01" not in heard
    assert "abcdefg" not in heard


async def test_a_read_by_hand_says_its_status_and_its_body_a_part_at_a_time(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f"console GET lots/{LOT}", "more", "console GET lots/none"])).said
    assert re.fullmatch(r"200 OK, \d+ ms, \d+ B\.", said[1])
    assert f'  "id": "{LOT}",' in said
    assert any(line.startswith("404 Not Found, ") for line in said)


async def test_a_pause_that_the_service_asks_for_is_said_once_and_so_is_its_end(
    service: RunningService, tmp_path: Path
) -> None:
    service.faults.next("429")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots"])).said
    assert sum("Request is waiting (429)" in line for line in said) == 1
    assert said.index("Continuing.") > next(n for n, line in enumerate(said) if "Request is waiting" in line)


async def test_a_pause_after_a_503_is_said_to_be_one(service: RunningService, tmp_path: Path) -> None:
    service.faults.next("503", retry_after=1)
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots"])).said
    assert sum("Request is waiting (503): retry in 1 s." in line for line in said) == 1


async def test_an_interrupt_breaks_off_what_runs(service: RunningService, tmp_path: Path) -> None:
    service.faults.next("hold")
    async with session_on(service, tmp_path) as session:
        script = Script([":lots", "where"])
        conversation = Conversation(session, script, script.heard.append)
        running = asyncio.create_task(conversation.hold(""))
        while not service.attempts:  # noqa: ASYNC110  the service runs on a thread of its own
            await asyncio.sleep(0.01)
        conversation.interrupt()
        assert (await running).status == 0
    service.faults.release()
    assert "Cancelled." in script.said
    assert any(line.startswith("Collection operations/lots, 0 listed, 0 records loaded") for line in script.said)


async def test_the_first_fix_of_the_guide_goes_as_it_stands_there(tmp_path: Path) -> None:
    pairs = [line.split("> " if "> " in line else ": ", 1) for line in block("reader", "text", "SANDBOX").splitlines()]
    with running_service(SandboxOptions()) as service:
        async with session_on(service, tmp_path) as session:
            heard = (await talk(session, [typed for _, typed in pairs])).heard
        assert dumps(stored(service)["grade"]) == "8.80"
    asked = [line.removesuffix("> ") for line in heard if line.endswith("> ") or line.startswith("SANDBOX. New grade")]
    assert [prompt for prompt, _ in pairs] == [prompt.split(":")[0] for prompt in asked[: len(pairs)]]


async def edits_in(state: Path) -> list[Mapping[str, Json]]:
    """The edits that the store holds."""
    async with Store.open(state / "svc-tui.db") as store:
        return [saved.draft.edits for saved in await store.drafts(SCOPE).all()]


async def test_what_is_sent_takes_no_edit_of_another_program_along(service: RunningService, tmp_path: Path) -> None:
    async def other_edits() -> str:
        base = Record({"id": LOT, "note": None})
        other = SavedDraft(LOTS, LOT, Draft(base, {"note": "theirs", "grade": "A"}), datetime.now(UTC))
        async with Store.open(tmp_path / "svc-tui.db") as store:
            await store.drafts(SCOPE).keep(other)
        return "review"

    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f":lots/{LOT}", "edit note", "mine", other_edits, "send", "quit"])).said
    assert f'{LOT}: another window has a different draft, with note "theirs". Both are kept.' in said
    assert any(line.startswith(f"Saved {LOT}") for line in said)
    assert stored(service)["note"] == "mine"
    assert await edits_in(tmp_path) == [{"note": "theirs", "grade": "A"}]


async def test_an_edit_that_another_program_sent_is_neither_sent_nor_said_to_be_kept(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        await talk(session, [f":lots/{LOT}", "edit note", "damp", "quit"])

    async def others_send() -> str:
        async with session_on(service, tmp_path) as session:
            await talk(session, [f":lots/{LOT}", "review", "send"])
        return f":lots/{LOT}"

    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [others_send, "review", "quit"])).said
    assert f"The draft of {LOT} was changed, sent or discarded in another window. Removed here: note." in said
    assert not any("kept." in line for line in said)
    assert sum(request.method == "PATCH" for request in service.attempts) == 1


@pytest.mark.parametrize("outcome", ["done", ""])
async def test_a_change_that_was_sent_before_a_kill_is_not_offered_again(
    service: RunningService, tmp_path: Path, outcome: str
) -> None:
    async with session_on(service, tmp_path) as session:
        await talk(session, [f":lots/{LOT}", "edit note", "damp", "review", "send", "quit"])
    place, now = Place(LOTS, LOT), datetime.now(UTC)
    sent = Draft(Record({"id": LOT, "note": None}), {"note": "damp"})
    async with Store.open(tmp_path / "svc-tui.db") as store:
        await store.drafts(SCOPE).keep(SavedDraft(LOTS, LOT, sent, now))
        intent = Intent(now, "PATCH", place.path, place.key, "key", {"note": None}, {"note": "damp"})
        number = await store.journal(SCOPE).intend(intent, place)
        if outcome:
            await store.journal(SCOPE).conclude(number, Outcome(now, outcome, 200))
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["edits", "quit"])).said
    assert f"The change to {place.key} was sent before svc-tui was closed. It was saved." in said
    assert "No drafts." in said
    assert await edits_in(tmp_path) == []


async def test_nothing_is_sent_before_the_journal_could_be_loaded(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unsettled(journal: Journal, since: datetime | None = None) -> list[JournalEntry]:
        raise StoreError("the database is locked")

    monkeypatch.setattr(Journal, "unsettled", unsettled)
    before = stored(service)
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f":lots/{LOT}", "edit massKg", "12.50", "review", "send"])).said
    refusal = "Not sent, because the journal could not be loaded: the database is locked."
    assert any(line.startswith(refusal) for line in said)
    assert stored(service) == before
