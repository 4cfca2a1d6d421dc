"""Personal data is hidden by name, by what stands beside it and by its shape; nothing else is."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.draft import Draft
from svc_tui.core.filters import parse_filter
from svc_tui.core.jsontext import Json, Number, loads
from svc_tui.core.kinds import MASKED, Kind, display_text
from svc_tui.core.records import Record
from svc_tui.session.masking import Mask
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome

MASK = Mask()
AT = datetime(2026, 11, 20, tzinfo=UTC)

WORKER: dict[str, Json] = {
    "id": "wrk-0001",
    "name": "Anna Kowalska",
    "role": "miner",
    "phone": "+00 123 4567",
    "email": "worker1@mine.example",
    "certifications": [{"name": "first aid", "validUntil": "2027-01-01"}],
    "emergencyContact": {"name": "Jan Kowalski", "relation": "spouse"},
    "ratePerHour": Number("41.20"),
}
LOT: dict[str, Json] = {
    "id": "lot-000001",
    "name": "Gold ore 1",
    "assay": {"lab": {"name": "Kolwezi"}},
    "massKg": Number("1500.50"),
    "openedAt": "2026-11-20T05:12:07+00:00",
    "note": None,
}


def test_of_a_worker_name_phone_email_and_contact_are_hidden_and_nothing_else() -> None:
    assert MASK.fields(WORKER, "workforce") == {
        **WORKER,
        "name": MASKED,
        "phone": MASKED,
        "email": MASKED,
        "emergencyContact": {"name": MASKED, "relation": MASKED},
    }


def test_a_name_beside_personal_fields_is_a_persons_wherever_it_is() -> None:
    assert MASK.fields(WORKER, "operations")["name"] == MASKED
    assert MASK.fields({"contact": {"name": "Jan", "phone": "1"}})["contact"] == {"name": MASKED, "phone": MASKED}


def test_a_lots_name_and_everything_else_of_it_stays() -> None:
    assert MASK.fields(LOT, "operations") == LOT


@pytest.mark.parametrize(
    "name",
    ["firstName", "last_name", "Full-Name", "contactEmail", "workPhone", "mobile", "homeAddress", "dateOfBirth",
     "operatorName", "driver_name", "iban"],
)  # fmt: skip
def test_a_field_is_hidden_by_its_name(name: str) -> None:
    assert MASK.hides(name)


@pytest.mark.parametrize(
    "name", ["name", "title", "namespace", "tunnelName", "mineral", "telemetry", "grade", "role", "cell"]
)
def test_a_name_that_says_nothing_of_people_hides_nothing(name: str) -> None:
    assert not MASK.hides(name)


def test_fields_that_the_user_lists_can_be_hidden_alone() -> None:
    mask = Mask.of(["phone", "assay.lab.name"], personal=False)
    assert mask.fields(WORKER, "workforce") == {**WORKER, "phone": MASKED}
    assert mask.text("call +48 601 234 567 or write to jan@example.com") == (
        "call +48 601 234 567 or write to jan@example.com"
    )
    assert mask.fields({"assay": {"lab": {"name": "Kolwezi"}}}) == {"assay": {"lab": {"name": MASKED}}}
    assert mask.value_at("name", "Jan", "workforce") == "Jan"
    assert mask.pair("contact.name", "Jan") == "Jan"


def test_a_write_is_hidden_by_its_fields_and_its_message_says_no_address() -> None:
    intent = Intent(
        AT, "PATCH", "/v1/workforce/workers/w-1", "workforce/workers/w-1", "", {"name": "Jan"}, {"name": "Ja"}
    )
    masked = MASK.entry(JournalEntry(1, intent, Outcome(AT, "refused", 422, "jan@example.com is taken")))
    assert (masked.intent.before, masked.intent.after) == ({"name": MASKED}, {"name": MASKED})
    assert masked.outcome is not None
    assert masked.outcome.message == f"{MASKED} is taken"
    listed = Mask.of(["name"], personal=False)
    assert listed.entry(JournalEntry(1, intent)).intent.after == {"name": MASKED}
    assert Mask.of((), personal=False).entry(JournalEntry(1, intent)).intent == intent


def test_fields_that_the_user_lists_are_hidden_by_name_or_path_whatever_the_case() -> None:
    mask = Mask.of(["Operator", "assay.lab.name"])
    masked = mask.fields({"operator": "wrk-0001", **LOT})
    assert masked["operator"] == MASKED
    assert masked["assay"] == {"lab": {"name": MASKED}}
    assert masked["name"] == LOT["name"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("ask anna.k+x@mine.example, then go", f"ask {MASKED}, then go"),
        ("call +48 22 123 45 67 or 0048221234567", f"call {MASKED} or {MASKED}"),
        ("+00 123 4567", MASKED),
        ("+1 (555) 123-4567.", f"{MASKED}."),
        ("2026-11-20T05:12:07+00:00", "2026-11-20T05:12:07+00:00"),
        ("7b0c0048-0012-4000-8000-001234567890", "7b0c0048-0012-4000-8000-001234567890"),
        ("lot-000001 of 1500.50 kg, +12 34", "lot-000001 of 1500.50 kg, +12 34"),
        ("a @ b", "a @ b"),
    ],
)
def test_addresses_and_phone_numbers_in_any_text_are_hidden(text: str, masked: str) -> None:
    assert MASK.text(text) == masked
    assert MASK.fields({"note": [{"text": text}]})["note"] == [{"text": masked}]


def test_what_is_hidden_has_one_width_whatever_it_was() -> None:
    hidden = MASK.fields({"email": "a@b.c", "phone": Number("123456789012"), "mobile": True})
    assert set(hidden.values()) == {MASKED}


def test_null_and_empty_text_stay_since_they_tell_of_nobody() -> None:
    assert MASK.fields({"email": None, "phone": ""}) == {"email": None, "phone": ""}


def test_a_draft_keeps_which_fields_it_edits() -> None:
    draft = MASK.draft(Draft(Record(WORKER), {"name": "Ewa", "role": "driller"}), "workforce")
    assert draft.edits == {"name": MASKED, "role": "driller"}
    assert draft.base.fields["name"] == MASKED


def test_an_edited_name_is_hidden_for_what_stands_beside_it_in_the_record() -> None:
    assert MASK.draft(Draft(Record(WORKER), {"name": "Ewa"}), "operations").edits == {"name": MASKED}


def test_records_in_an_answer_are_hidden_one_by_one() -> None:
    body = b'{"items": [{"id": "wrk-0001", "name": "Anna", "massKg": 1.50}], "meta": {"total": 1}}'
    masked = loads(MASK.body(body, "workforce"))
    assert masked == {
        "items": [{"id": "wrk-0001", "name": MASKED, "massKg": Number("1.50")}],
        "meta": {"total": Number("1")},
    }


def test_a_body_with_nothing_personal_stays_to_the_byte() -> None:
    body = b'{ "id": "lot-000001",  "name": "Gold ore 1" }'
    assert MASK.body(body, "operations") is body
    assert MASK.body(b"\xff\x00") == b"\xff\x00"


def test_of_json_that_broke_off_nothing_is_left() -> None:
    assert MASK.body(b'{"items": [{"name": "Anna') == MASKED.encode()


@pytest.mark.parametrize("kind", Kind)
def test_what_is_hidden_is_shown_muted_as_whatever_kind(kind: Kind) -> None:
    seen = display_text(MASKED, kind)
    assert (seen.text, seen.role) == (MASKED, "muted")


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("grade:A massKg>10", "grade:a massKg>10"),
        ("email:anna", f"email:{MASKED}"),
        ("!phone:+49", f"!phone:{MASKED}"),
        ("contact.email=a@b.de", f"contact.email={MASKED}"),
        ("name:anna", f"name:{MASKED}"),
        ("anna", MASKED),
        ('role:"shift boss"', 'role:"shift boss"'),
        ("role:a@b.de", f"role:{MASKED}"),
        ("email:", "email:"),
    ],
)
def test_a_filter_hides_what_is_sought_in_hidden_fields_and_what_is_sought_anywhere(typed: str, seen: str) -> None:
    paths = {name.casefold(): name for name in ("grade", "massKg", "email", "phone", "contact.email", "name", "role")}
    assert MASK.filter(parse_filter(typed, paths), "operations") == seen


def test_what_the_service_is_asked_for_is_hidden_by_the_fields_name() -> None:
    assert MASK.pair("email", "anna", "workforce") == MASKED
    assert MASK.pair("name", "Anna", "workforce") == MASKED
    assert MASK.pair("status", "open", "workforce") == "open"
    assert MASK.pair("q", "a@b.de") == MASKED


@pytest.mark.parametrize(
    ("path", "domain", "beside", "hidden"),
    [
        ("phone", "operations", (), True),
        ("name", "operations", ("grade",), False),
        ("name", "operations", ("email",), True),
        ("name", "workforce", (), True),
        ("contact.email", "operations", (), True),
        ('contact["email"]', "operations", (), True),
        ("contact.name", "operations", (), True),
        ("assay.lab", "operations", (), False),
    ],
)
def test_a_value_at_a_path_is_hidden_as_in_its_record(
    path: str, domain: str, beside: tuple[str, ...], *, hidden: bool
) -> None:
    assert MASK.value_at(path, "x", domain, beside) == (MASKED if hidden else "x")
    assert MASK.value_at(path, None, domain, beside) is None


def test_what_is_personal_inside_a_value_that_stands_alone_is_hidden() -> None:
    assert MASK.value_at("note", "ask a@b.de") == f"ask {MASKED}"
    assert MASK.value_at("assay", {"email": "a"}) == {"email": MASKED}
