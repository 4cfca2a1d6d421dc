"""What takes a journalled write back, and what can't be taken back."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.draft import freshen
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, Outcome, WriteInProgress, WrittenRecord
from svc_tui.writes.undo import (
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    is_undoable,
    later_changes,
)

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOTS = COLLECTIONS[0]
LOT = "/v1/operations/lots/lot-1"
BY_HAND = "The old values are not known. Press e in the record to edit it."


def entry(
    method: str,
    target: str = LOT,
    before: dict[str, Json] | None = None,
    after: dict[str, Json] | None = None,
    result: str | None = "done",
    made: str = "",
) -> JournalEntry:
    outcome = None if result is None else Outcome(AT, result, 200, made=made)
    return JournalEntry(1, Intent(AT, method, target, "", "key", before, after), outcome)


def test_a_change_is_taken_back_by_the_old_values() -> None:
    undo = inverse_of(entry("PATCH", before={"a": None, "b": number("1.50")}, after={"a": "x", "b": number("2")}))
    assert undo == RestoreValues(Place(LOTS, "lot-1"), {"a": None, "b": number("1.50")}, {"a": "x", "b": number("2")})


def test_the_query_of_a_write_names_no_other_record() -> None:
    undo = inverse_of(entry("PATCH", f"{LOT}?force=yes", before={"a": "x"}, after={"a": "y"}))
    assert undo == RestoreValues(Place(LOTS, "lot-1"), {"a": "x"}, {"a": "y"})


def test_a_field_that_was_not_there_stays() -> None:
    undo = inverse_of(entry("PATCH", before={"a": "x"}, after={"a": "y", "new": "z"}))
    assert isinstance(undo, RestoreValues)
    assert (undo.before, undo.after, undo.stay) == ({"a": "x"}, {"a": "y"}, ("new",))


def test_a_field_that_is_not_known_to_be_sent_is_restored_too() -> None:
    undo = inverse_of(entry("PATCH", before={"a": "x", "b": "x"}, after={"a": "y"}))
    assert undo == RestoreValues(Place(LOTS, "lot-1"), {"a": "x", "b": "x"}, {"a": "y"})


def test_what_moved_since_is_a_conflict_and_what_did_not_is_none() -> None:
    undo = RestoreValues(Place(LOTS, "lot-1"), {"a": "old", "b": "old"}, {"a": "new", "b": "new"})
    fresh = Record({"id": "lot-1", "a": "new", "b": "newer", "c": True})
    draft = undo.draft(fresh)
    assert draft.edits == {"a": "old", "b": "old"}
    assert draft.fields == {"id": "lot-1", "a": "old", "b": "old", "c": True}
    assert freshen(draft, fresh).conflicts == ("b",)
    assert freshen(draft, fresh).moved == ()


def test_a_record_that_has_its_old_values_leaves_nothing_to_undo() -> None:
    undo = RestoreValues(Place(LOTS, "lot-1"), {"a": number("1.50")}, {"a": number("2")})
    assert not undo.draft(Record({"a": number("1.50")})).edits


def test_a_deletion_is_taken_back_by_the_record_and_a_creation_by_a_deletion() -> None:
    assert inverse_of(entry("DELETE", before={"id": "lot-1", "a": "x"})) == RecreateRecord(
        LOTS, Record({"id": "lot-1", "a": "x"})
    )
    made = entry("POST", "/v1/operations/lots", before={}, after={"a": "x"}, made="lot/9")
    assert inverse_of(made) == RemoveRecord(Place(LOTS, "lot/9"))


@pytest.mark.parametrize("result", [None, "unknown"])
def test_what_may_have_been_carried_out_can_be_taken_back(result: str | None) -> None:
    write = entry("PATCH", before={"a": "x"}, after={"a": "y"}, result=result)
    assert inverse_of(write) == inverse_of(entry("PATCH", before={"a": "x"}, after={"a": "y"}))
    deleted = inverse_of(entry("DELETE", before={"a": "x"}, result=result))
    assert isinstance(deleted, RecreateRecord)
    assert not deleted.certain


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (entry("PATCH", before={}, after={"a": "x"}, result="refused"), "Nothing was changed."),
        (entry("DELETE", before={"a": "x"}, result="not sent"), "Nothing was changed."),
        (entry("PATCH", after={"a": "x"}), BY_HAND),
        (entry("PUT", after={"a": "x"}), BY_HAND),
        (entry("DELETE"), "The deleted values are not known. Press a to add the record again."),
        (entry("PATCH", "/v1/operations/lots", before={"a": "x"}, after={"a": "y"}), BY_HAND),
        (entry("PUT", "/v1/operations/lots", before={"a": "x"}, after={"a": "y"}), BY_HAND),
        (
            entry("DELETE", "/v1/operations/lots", before={"a": "x"}),
            "The deleted values are not known. Press a to add the record again.",
        ),
        (entry("POST", f"{LOT}/split", after={"parts": "2"}), "This action has no undo."),
        (
            entry("POST", "/v1/operations/lots", before={}, after={}),
            "The id of the new record is not known. Delete the record in its table.",
        ),
        (entry("POST", "/v1/nowhere/at/all", before={}, made="x"), "No record was changed."),
    ],
)
def test_what_can_not_be_taken_back_says_why(write: JournalEntry, why: str) -> None:
    assert inverse_of(write) == NotUndoable(why)


def test_fields_that_were_all_new_can_not_be_taken_back() -> None:
    assert isinstance(inverse_of(entry("PATCH", before={}, after={"a": "x"})), NotUndoable)


@pytest.mark.parametrize(
    ("where", "words"),
    [(WriteInProgress.HERE, "running"), (WriteInProgress.ELSEWHERE, "running in another window")],
)
def test_a_write_that_is_under_way_is_not_taken_back_and_not_called_unchanged(
    where: WriteInProgress, words: str
) -> None:
    under_way = replace(entry("PATCH", before={"a": "x"}, after={"a": "y"}, result=None), under_way=where)
    assert inverse_of(under_way) == NotUndoable(f"This change is {words}.")
    # Its first outcome may be there already, where it is tried again.
    tried = replace(entry("PATCH", before={"a": "x"}, after={"a": "y"}), under_way=where)
    assert inverse_of(tried) == NotUndoable(f"This change is {words}.")


def test_a_put_is_taken_back_by_what_it_changed_and_by_what_it_took_away() -> None:
    before: dict[str, Json] = {"id": "lot-1", "a": "x", "same": number("1.0"), "left": True, "stays": None}
    undo = inverse_of(entry("PUT", before=before, after={"a": "y", "same": number("1.0"), "new": "z"}))
    assert isinstance(undo, RestoreValues)
    assert undo.stay == ("new",)
    assert undo.left_out == {"id": "lot-1", "left": True, "stays": None}
    fresh = Record({"id": "lot-1", "a": "y", "same": number("1.0"), "stays": "moved", "new": "z"})
    draft = undo.draft(fresh)
    assert draft.edits == {"a": "x", "left": True}
    assert freshen(draft, fresh).conflicts == ()


ADA = Author("ada", "desk-3", "c1")


def by_ada(write: JournalEntry, *masked: str) -> JournalEntry:
    """The write as a colleague's, some fields of which stayed on her machine."""
    return replace(write, number=-7, author=ADA, masked=masked)


def test_a_colleagues_write_is_taken_back_as_ones_own() -> None:
    write = entry("PATCH", before={"a": "x"}, after={"a": "y"})
    assert inverse_of(by_ada(write)) == inverse_of(write)
    doubtful = entry("DELETE", before={"id": "lot-1"}, result="unknown")
    assert inverse_of(by_ada(doubtful)) == inverse_of(doubtful)


@pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
def test_values_that_stayed_with_a_colleague_can_not_be_put_back_from_here(method: str) -> None:
    write = by_ada(entry(method, before={"id": "lot-1", "a": "x"}, after={"a": "y"}), "email", "b", "c", "d")
    assert inverse_of(write) == NotUndoable(
        "The values of email, b, c and more are masked. They are only on ada's computer."
    )


def test_a_record_that_a_colleague_made_is_deleted_whatever_stayed_with_them() -> None:
    made = entry("POST", "/v1/operations/lots", before={}, after={"a": "x"}, made="lot-9")
    assert inverse_of(by_ada(made, "email")) == RemoveRecord(Place(LOTS, "lot-9"))


def test_a_colleagues_write_that_may_be_under_way_is_not_taken_back() -> None:
    write = by_ada(entry("PATCH", before={"a": "x"}, after={"a": "y"}, result=None))
    assert inverse_of(write) == NotUndoable("The outcome is unknown: ada has not sent it to the team server yet.")


LEFT: dict[str, Json] = {
    "id": "lot-1",
    "a": "x",
    "b": number("1.50"),
    "updatedAt": "2026-01-01T00:00:00.123456Z",
    "version": number("1"),
}


def since(now: dict[str, Json], written: WrittenRecord | None, *, masked: tuple[str, ...] = ()) -> LaterChanges:
    """What became of a record, two fields of which a write sent."""
    write = entry("POST", "/v1/operations/lots", before={}, after={"a": "x", "never": "taken"}, made="lot-1")
    return later_changes(replace(write, masked=masked), written, Record(now, '"now"'))


def test_a_field_changed_added_or_removed_since_a_write_is_told() -> None:
    now: dict[str, Json] = {**LEFT, "a": "y", "new": None, "updatedAt": "2026-01-02T00:00:00Z"}
    changes = since({name: value for name, value in now.items() if name != "b"}, WrittenRecord(Record(LEFT)))
    assert changes.names == ("a", "new", "b")
    assert (changes.draft.edits, changes.removed) == ({"a": "y", "new": None}, ("b",))


def test_a_record_is_as_the_write_left_it_whatever_the_service_counts_up_and_however_it_writes_numbers() -> None:
    now: dict[str, Json] = {**LEFT, "b": number("1.5"), "updatedAt": "2026-01-01T00:00:00.123Z", "version": number("2")}
    assert since(now, WrittenRecord(Record(LEFT))).names == ()


def test_the_same_etag_says_that_nothing_changed_since_an_answer_that_had_not_every_field() -> None:
    partial: dict[str, Json] = {"id": "lot-1", "a": "x"}
    assert since(LEFT, WrittenRecord(Record(partial, '"now"'))).names == ()
    assert since(LEFT, WrittenRecord(Record(partial, '"then"'))).names == ("b",)


def test_two_records_without_an_etag_are_compared_field_by_field() -> None:
    write = entry("PATCH", before={"a": "w"}, after={"a": "x"})
    assert later_changes(write, WrittenRecord(Record({"a": "x"})), Record({"a": "y"})).names == ("a",)


def test_without_the_record_in_the_journal_the_fields_that_were_sent_are_compared() -> None:
    assert since({**LEFT, "b": number("2"), "new": "z"}, None).names == ()
    assert since({**LEFT, "a": "y"}, None).names == ("a",)
    change = entry("PATCH", before={"a": "w"}, after={"a": "x", "never": "taken"})
    assert later_changes(change, None, Record({"id": "lot-1"})).removed == ("a",)


def test_a_version_that_was_sent_does_not_say_that_nobody_wrote_since() -> None:
    sent: dict[str, Json] = {"version": number("1"), "email": "a@b.c"}
    write = replace(entry("PATCH", before=sent, after={"version": number("1")}), masked=("email",))
    assert later_changes(write, None, Record(sent)).unknown == ("email",)


@pytest.mark.parametrize(
    ("etag", "version", "unknown"),
    [
        ('"now"', "9", ()),
        ('"then"', "1", ()),
        ('"then"', "9", ("email",)),
        ("", "1", ()),
    ],
)
def test_a_value_that_stayed_with_a_colleague_may_have_changed_unless_etag_or_version_say_that_nobody_wrote(
    etag: str, version: str, unknown: tuple[str, ...]
) -> None:
    fields: dict[str, Json] = {"id": "lot-1", "version": number("1")}
    now: dict[str, Json] = {"id": "lot-1", "version": number(version), "email": "a@b.c"}
    written = WrittenRecord(Record(fields, etag), ("email",))
    assert since(now, written).names == unknown
    assert since(now, None, masked=("email",)).unknown == ("email",)


def test_the_old_values_are_laid_on_what_the_service_made_of_those_that_were_sent() -> None:
    undo = RestoreValues(Place(LOTS, "lot-1"), {"a": "old"}, {"a": "new "})
    fresh = Record({"id": "lot-1", "a": "new"})
    assert freshen(undo.draft(fresh), fresh).conflicts == ("a",)
    assert freshen(undo.draft(fresh, WrittenRecord(fresh)), fresh).conflicts == ()


VERSIONS = ["updatedAt", "updated", "modified_at", "modified", "last-modified", "version", "revision"]
STAMPS = [*VERSIONS, "createdAt", "created", "updated_by", "modifiedBy", "etag"]


@pytest.mark.parametrize("name", STAMPS)
def test_a_field_that_the_service_sets_at_every_write_is_no_later_change(name: str) -> None:
    written = WrittenRecord(Record({"id": "lot-1", name: "1"}), ("email",))
    assert since({"id": "lot-1", name: "2"}, written).names == ("email",)
    assert since({"id": "lot-1"}, written).names == ("email",)
    # The same time of creation does not say that nobody wrote since.
    assert since({"id": "lot-1", name: "1"}, written).names == (() if name in VERSIONS else ("email",))


def test_a_field_of_another_name_is_a_later_change() -> None:
    assert since({"id": "lot-1", "dateCreated": "2"}, WrittenRecord(Record({"id": "lot-1"}))).names == ("dateCreated",)


def test_only_values_of_before_are_kept_back_by_a_mask_and_three_fields_are_named_at_most() -> None:
    write = by_ada(entry("PATCH", before={"a": "x"}, after={"a": "y"}), "b", "c", "d")
    assert inverse_of(write) == NotUndoable("The values of b, c, d are masked. They are only on ada's computer.")


def test_only_a_write_that_was_carried_out_and_has_an_inverse_is_offered_for_undo() -> None:
    change = entry("PATCH", before={"a": "x"}, after={"a": "y"})
    assert is_undoable(change)
    assert not is_undoable(entry("PATCH", before={"a": "x"}, after={"a": "y"}, result="unknown"))
    assert not is_undoable(entry("PATCH", before={"a": "x"}, after={"a": "y"}, result="refused"))
    assert not is_undoable(entry("DELETE"))


def test_a_record_is_of_the_same_version_only_where_all_of_its_versions_are() -> None:
    written = WrittenRecord(Record({"version": "1", "updatedAt": "1"}), ("email",))
    assert since({"version": "1", "updatedAt": "1"}, written).unknown == ()
    assert since({"version": "1", "updatedAt": "2"}, written).unknown == ("email",)
    assert since({"version": "1"}, written).unknown == ("email",)
