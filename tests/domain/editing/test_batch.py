"""A batch: who gets what, what is left after a stop, how it is taken back."""

from svc_tui.domain.editing.batch import (
    BatchChange,
    BatchPlan,
    common_field_names,
    common_value,
    inverse_plan,
    plan_changes,
    remaining_changes,
)
from svc_tui.domain.editing.draft import freshen
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.domain.model.records import Record

LOTS = Collection("operations", "lots")


def lot(index: int, **fields: Json) -> Record:
    return Record({"id": f"lot-{index}", **fields})


def plan(*changes: BatchChange) -> BatchPlan:
    return BatchPlan("b-1", LOTS, "grade", changes)


def test_records_that_have_the_value_are_left_out_and_counted() -> None:
    offer = plan_changes([lot(1, grade="A"), lot(2, grade="B"), lot(3), lot(4, grade=None)], "grade", "A")
    assert offer.changes == (
        BatchChange("lot-2", "B", "A"),
        BatchChange("lot-3", ABSENT, "A"),
        BatchChange("lot-4", None, "A"),
    )
    assert (offer.already, offer.unnamed) == (1, 0)


def test_a_number_with_other_digits_is_another_value() -> None:
    assert len(plan_changes([lot(1, massKg=Number("1.5"))], "massKg", Number("1.50")).changes) == 1


def test_records_without_an_id_are_counted_apart() -> None:
    assert plan_changes([Record({"grade": "B"})], "grade", "A").unnamed == 1


def test_any_field_but_the_id_can_be_changed() -> None:
    assert common_field_names([lot(1, grade="A"), lot(2, note="n"), Record({"uuid": "u", "grade": "B"})]) == (
        "grade",
        "note",
    )


def test_the_value_that_all_have_in_common_is_where_an_editor_begins() -> None:
    assert common_value([lot(1, grade="A"), lot(2, grade="A")], "grade") == "A"
    assert common_value([lot(1, grade="A"), lot(2, grade="B")], "grade") is ABSENT
    assert common_value([lot(1, grade="A"), lot(2)], "grade") is ABSENT


def test_only_the_field_that_is_changed_can_surprise() -> None:
    (change,) = plan_changes([lot(1, grade="B", note="old")], "grade", "A").changes
    assert freshen(change.draft("grade"), lot(1, grade="B", note="new")).conflicts == ()
    assert freshen(change.draft("grade"), lot(1, grade="C")).conflicts == ("grade",)
    assert freshen(change.draft("grade"), lot(1, grade="A")).draft.edits == {}
    (bare,) = plan_changes([lot(1)], "grade", "A").changes
    assert freshen(bare.draft("grade"), lot(1, grade="C")).conflicts == ("grade",)


def test_what_is_not_known_to_be_done_is_left() -> None:
    changes = [BatchChange(f"lot-{index}", "B", "A") for index in range(1, 5)]
    results = {f"{LOTS.key}/lot-{index}": word for index, word in ((1, "done"), (2, "unknown"), (3, "refused"))}
    assert [change.record_id for change in remaining_changes(plan(*changes), results)] == ["lot-2", "lot-3", "lot-4"]


def test_what_somebody_went_on_without_is_not_left_but_taken_back_where_it_may_have_been_done() -> None:
    went_on = plan(BatchChange("lot-1", "B", "A"), BatchChange("lot-2", "B", "A")).skipping("lot-1")
    assert [change.record_id for change in remaining_changes(went_on, {})] == ["lot-2"]
    assert [change.record_id for change in inverse_plan(went_on, {f"{LOTS.key}/lot-1": "unknown"}, "b-2").changes] == [
        "lot-1"
    ]


def test_the_inverse_takes_back_what_may_have_been_done_the_last_first() -> None:
    changes = [BatchChange("lot-1", "B", "A"), BatchChange("lot-2", ABSENT, "A"), BatchChange("lot-3", "C", "A")]
    results = {f"{LOTS.key}/lot-1": "done", f"{LOTS.key}/lot-2": "unknown", f"{LOTS.key}/lot-3": "refused"}
    back = inverse_plan(plan(*changes), results, "b-2")
    assert back.changes == (BatchChange("lot-2", "A", None), BatchChange("lot-1", "A", "B"))
    assert (back.id, back.undoes, back.field) == ("b-2", "b-1", "grade")
