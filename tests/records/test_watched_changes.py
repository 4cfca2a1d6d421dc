"""What a second reading of records tells: changed, new, gone, and what merely moved."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import number
from svc_tui.core.records import Record
from svc_tui.records.watched_changes import CollectionWatch, RowChanges, row_changes


def lot(name: int | str, grade: str = "A", **more: object) -> Record:
    return Record({"id": f"lot-{name}", "grade": grade, **more})  # type: ignore[dict-item]


def lots(*names: int | str) -> list[Record]:
    return [lot(name) for name in names]


def test_a_changed_field_is_told_by_its_path() -> None:
    before = [lot(1, assay={"gold": number("1"), "silver": number("2")}), lot(2, note="x")]
    after = [lot(1, "B", assay={"gold": number("3"), "silver": number("2.0")}), lot(2, late=None)]
    assert row_changes({1: before}, {1: after}).changed == {
        "lot-1": {"grade", "assay", "assay.gold"},
        "lot-2": {"note", "late"},
    }


def test_a_number_that_is_written_otherwise_is_the_same() -> None:
    assert not row_changes({1: [lot(1, mass=number("1.5"))]}, {1: [lot(1, mass=number("1.50"))]})


def test_records_between_others_that_come_or_go_are_told() -> None:
    assert row_changes({4: lots(1, 2, 3, 4)}, {4: lots(1, "new", 3, 4)}) == RowChanges(
        new=frozenset({"lot-new"}), missing_ids=frozenset({"lot-2"})
    )


def test_what_moves_in_or_out_at_the_edge_of_a_page_is_no_news() -> None:
    assert not row_changes({4: lots(1, 2, 3, 4)}, {4: lots(-1, 0, 1, 2)})
    assert not row_changes({4: lots(1, 2, 3, 4)}, {4: lots(3, 4, 5, 6)})
    assert not row_changes({4: lots(1, 2)}, {4: lots(8, 9)}), "all others: nothing tells what became of these"


def test_at_the_ends_of_the_collection_nothing_can_move_in() -> None:
    assert row_changes({1: lots(1, 2, 3)}, {1: lots(0, 1, 2)}).new == {"lot-0"}
    assert row_changes({1: lots(1, 2, 3)}, {1: lots(2, 3, 4)}).missing_ids == {"lot-1"}
    assert row_changes({9: lots(1, 2, 3)}, {9: lots(1, 2, 3, 4)}, 9).new == {"lot-4"}
    assert row_changes({9: lots(1, 2, 3)}, {9: lots(1, 2)}, 9).missing_ids == {"lot-3"}
    assert not row_changes({8: lots(1, 2, 3)}, {8: lots(1, 2, 4)}, 9)


def test_a_record_that_moves_between_pages_read_together_is_neither() -> None:
    before = {4: lots(1, 2, 3), 5: lots(4, 5, 6)}
    assert row_changes(before, {4: lots(1, "new", 2), 5: lots(3, 4, 5)}) == RowChanges(new=frozenset({"lot-new"}))


def test_pages_apart_are_looked_at_apart() -> None:
    before = {2: lots(1, 2), 7: lots(20, 21)}
    assert not row_changes(before, {2: lots(2, 3), 7: lots(19, 20)})


def test_a_page_that_is_no_more_has_lost_its_records() -> None:
    assert row_changes({4: lots(1, 2), 5: lots(3, 4)}, {4: lots(1, 2)}, 4).missing_ids == {"lot-3", "lot-4"}


def test_records_without_an_id_are_passed_over() -> None:
    assert not row_changes({1: [Record({"grade": "A"})]}, {1: [Record({"grade": "B"})]})


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_with_the_whole_collection_in_one_page_all_is_told(before: list[int], after: list[int]) -> None:
    found = row_changes({1: lots(*before)}, {1: lots(*after)}, 1)
    assert found.new == {f"lot-{name}" for name in set(after) - set(before)}
    assert found.missing_ids == {f"lot-{name}" for name in set(before) - set(after)}


def test_news_is_marked_until_the_round_after_the_next() -> None:
    watch, seen = CollectionWatch(), []
    readings = [lots(1, 2), [lot(1, "B"), lot(2)], [lot(1, "B"), lot(2)], [lot(1, "B"), lot(2)]]
    for before, after in pairwise(readings):
        watch = watch.begin({1: before})
        assert watch.under_way
        watch = watch.ended({1: after}, 1)
        assert not watch.under_way
        seen.append(dict(watch.news.changed))
    assert seen == [{"lot-1": {"grade"}}, {"lot-1": {"grade"}}, {}]


def test_a_record_that_goes_and_comes_again_is_new() -> None:
    first, second = RowChanges(missing_ids=frozenset({"lot-1"})), RowChanges(new=frozenset({"lot-1"}))
    assert first | second == second
    assert second | first == first
