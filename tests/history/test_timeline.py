"""The story of a record: newest first, each event with its source, nothing twice and nothing lost."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import ABSENT, Absent, Json, number
from svc_tui.core.kinds import MASKED
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.history.timeline import (
    OWN,
    SEEN,
    TimelineEvent,
    around,
    moments_in,
    newest_first,
    noted,
    once,
    seen,
    source_word,
    written,
)
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry
from svc_tui.storage.record_index.seen_changes import ChangeKind, SeenChange
from svc_tui.team.notes import Note

EAST = timezone(timedelta(hours=2))
LOTS, CUSTODY, INCIDENTS = (
    next(collection for collection in COLLECTIONS if collection.name == name)
    for name in ("lots", "custody", "incidents")
)
LOT = Place(LOTS, "lot-1")
NOON = datetime(2024, 1, 2, 12, tzinfo=UTC)


def entry(number: int, at: datetime) -> JournalEntry:
    """A write from here."""
    return JournalEntry(number, Intent(at, "PATCH", LOT.path, LOT.key, "k", {"a": "1"}, {"a": "2"}))


def change(before: Json | Absent = "A", after: Json | Absent = "B", *, days: int = 0) -> SeenChange:
    """A grade that changed between three minutes past twelve and ten past two."""
    read_after = NOON + timedelta(days=days, hours=2, minutes=10)
    return SeenChange(ChangeKind.CHANGED, NOON + timedelta(minutes=3), read_after, "grade", before, after)


def told(collection: Collection, record: Record, tz: tzinfo = UTC) -> TimelineEvent:
    """The event of a record that names the lot."""
    return around(LOT, Place(collection, record.id), record, tz)


def test_all_sources_stand_in_one_order_the_newest_first_and_what_has_no_time_last() -> None:
    record = Record({"id": "lot-1", "closedAt": "2024-01-04T00:00:00Z", "createdAt": "2024-01-01T00:00:00Z"})
    incident = Record({"id": "inc-1", "lotId": "lot-1", "occurredAt": "2024-01-03T00:00:00Z"})
    attachment = Record({"id": "att-1", "fileName": "assay.pdf"})
    under = Collection("operations", "attachments", under=LOT.path)
    events = newest_first(
        moments_in(record, UTC),
        [told(under, attachment), told(INCIDENTS, incident)],
        seen([change()], UTC),
        written([entry(1, NOON)], UTC),
    )
    assert [(event.source, event.when) for event in events] == [
        ("record", "2024-01-04 00:00"),
        ("incident", "2024-01-03 00:00"),
        (SEEN, "2024-01-02 14:10"),
        (OWN, "2024-01-02 12:00"),
        ("record", "2024-01-01 00:00"),
        ("attachment", ""),
    ]


def test_a_note_has_its_author_as_its_source_whatever_they_call_themselves() -> None:
    bob, fake = Author("bob", "desk-2", "b"), Author("You", "desk-3", "c")
    notes = [Note(LOT.key, NOON, "asked\n  them"), Note(LOT.key, NOON, "x" * 999, bob), Note(LOT.key, NOON, "hm", fake)]
    events = list(noted(notes, EAST))
    assert [event.source for event in events] == [OWN, "bob", "You (desk-3)"]
    assert [event.what for event in events] == ["note: asked them", f"note: {'x' * 199}…", "note: hm"]
    assert [event.leads_to for event in events] == notes
    assert {event.when for event in events} == {"2024-01-02 14:00"}


def test_of_what_was_at_the_same_time_the_later_stage_stands_above() -> None:
    fields: dict[str, Json] = dict.fromkeys(("updatedAt", "createdAt", "openedAt", "weighedAt"), "2024-01-02T12:00:00Z")
    writes = written([entry(2, NOON), entry(1, NOON)], UTC)
    events = newest_first(moments_in(Record(fields), UTC), writes)
    assert [event.what for event in events[2:]] == ["updated", "weighed", "opened", "created"]
    assert [getattr(event.leads_to, "number", 0) for event in events[:2]] == [2, 1]


def test_a_day_without_a_time_stands_below_what_happened_on_it() -> None:
    fields: dict[str, Json] = {"openedOn": "2024-01-02", "checkedAt": "2024-01-01T22:30:00Z"}
    assert [event.when for event in newest_first(moments_in(Record(fields), EAST))] == [
        "2024-01-02 00:30",
        "2024-01-02",
    ]


@given(
    st.lists(st.sampled_from(["0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]))
)
def test_times_at_the_ends_of_the_calendar_have_their_place(times: list[str]) -> None:
    records = [Record({"at": text}) for text in times]
    years = [event.when[:4] for event in newest_first(*(moments_in(record, EAST) for record in records))]
    assert years == sorted((text[:4] for text in times), reverse=True)


def test_a_record_that_comes_twice_is_told_once_and_leads_to_its_place() -> None:
    incident = Record({"id": "inc-1", "lotId": "lot-1", "severity": "near_miss", "workerId": "wrk-2", "text": "A slip"})
    (event,) = once([told(INCIDENTS, incident), told(INCIDENTS, incident)])
    assert event.leads_to == Place(INCIDENTS, "inc-1")
    assert event.what == "inc-1 · near miss · A slip · worker wrk-2"
    nameless = [told(INCIDENTS, Record({"text": text})) for text in ("a", "a")]
    assert [(event.what, event.leads_to) for event in once(nameless)] == [("a", None), ("a", None)]


def test_a_record_whose_id_is_hidden_leads_to_its_place_and_does_not_show_it() -> None:
    event = around(LOT, Place(INCIDENTS, "inc-1"), Record({"id": MASKED, "closed": "2024-01-02"}), UTC)
    assert event.leads_to == Place(INCIDENTS, "inc-1")
    assert event.what == f"{MASKED} closed"


def test_a_hand_over_tells_of_whom_and_not_of_its_hash() -> None:
    fields: dict[str, Json] = {
        "id": "cus-1",
        "sequence": number("3"),
        "lotId": "lot-1",
        "fromWorkerId": "wrk-1",
        "toWorkerId": "wrk-2",
        "handedOverAt": "2024-01-03T10:00:00Z",
        "note": None,
        "hash": "0a" * 32,
    }
    event = told(CUSTODY, Record(fields), EAST)
    assert (event.source, event.when) == ("custody", "2024-01-03 12:00")
    assert event.what == "cus-1 handed over · from worker wrk-1 · to worker wrk-2"


def test_what_people_call_a_record_stands_for_all_of_it() -> None:
    event = told(LOTS, Record({"id": "lot-2", "name": "Half", "note": "wet", "createdAt": "2024-01-01"}))
    assert event.what == "lot-2 created · Half"


def test_a_change_that_was_seen_is_told_with_both_readings() -> None:
    (event,) = seen([change()], UTC)
    assert (event.source, event.when) == ("seen", "2024-01-02 14:10")
    assert event.what == "grade A → B, between 12:03 and 14:10"
    (event,) = seen([change()], EAST)
    assert event.what == "grade A → B, between 14:03 and 16:10"
    (event,) = seen([change(days=1)], UTC)
    assert (event.when, event.what) == ("2024-01-03 14:10", "grade A → B, between 2024-01-02 12:03 and 14:10")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (ABSENT, number("2.50"), "not set → 2.50"),
        (None, True, "∅ → ✓"),
        ("", "x" * 50, f'"" → {"x" * 39}…'),
        ({"a": None}, [None], "{1} → [1]"),
        ("2024-01-01T00:00:00Z", "2024-01-02", "2024-01-01 00:00 → 2024-01-02"),
    ],
)
def test_values_of_all_kinds_are_told_in_a_few_words(before: Json | Absent, after: Json | Absent, words: str) -> None:
    (event,) = seen([change(before, after)], UTC)
    assert event.what == f"grade {words}, between 12:03 and 14:10"


@pytest.mark.parametrize(("kind", "word"), [(ChangeKind.MADE, "added"), (ChangeKind.GONE, "removed")])
def test_a_record_that_came_or_went_has_no_field(kind: ChangeKind, word: str) -> None:
    (event,) = seen([SeenChange(kind, NOON, NOON + timedelta(minutes=1))], UTC)
    assert event.what == f"{word}, between 12:00 and 12:01"


def test_a_source_is_one_of_the_collection() -> None:
    assert [source_word(collection) for collection in COLLECTIONS] == [
        *("lot", "tunnel", "productionLog", "shiftLog", "custody", "analytics", "license", "stock", "monitoring"),
        *("invoice", "worker", "incident"),
    ]


@given(st.lists(st.none() | st.integers(0, 5), max_size=12))
def test_no_event_is_lost(minutes: list[int | None]) -> None:
    events = [
        TimelineEvent("record", f"{at}", None if minute is None else NOON + timedelta(minutes=minute))
        for at, minute in enumerate(minutes)
    ]
    ordered = newest_first(events[:4], events[4:])
    assert sorted(event.what for event in ordered) == sorted(event.what for event in events)


def test_a_colleagues_write_has_their_name_as_its_source_which_is_no_word_of_another_source() -> None:
    ada, sly = Author("ada", "desk-3", "c1"), Author("you", "desk-4", "c2")
    theirs = [replace(entry(-number, NOON), author=author) for number, author in enumerate((ada, sly), 1)]
    events = list(written([entry(3, NOON), *theirs], UTC))
    assert [event.source for event in events] == ["you (desk-4)", "ada", OWN]
    assert [event.leads_to for event in events] == [*reversed(theirs), entry(3, NOON)]
