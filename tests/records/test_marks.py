"""Marks: toggled, in a reach that grows and shrinks, held by id whatever becomes of rows and pages."""

from collections.abc import Iterable

from svc_tui.core.filters import parse_filter
from svc_tui.core.records import Page, Record
from svc_tui.records.arranged_rows import ArrangedRows
from svc_tui.records.marks import Marks
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import RecordStore

SIZE = 10


def lot(number: int, **fields: str) -> Record:
    return Record({"id": f"lot-{number}", **fields})


def rows(*pages: int, total: int = 1000, most: int = 20_000) -> SparseRows:
    """The pages of lot-1, lot-2, … that have come."""
    made = SparseRows(RecordStore(), "lots", SIZE, most)
    for number in pages:
        came(made, number, total)
    return made


def came(made: SparseRows, number: int, total: int = 1000) -> None:
    first = (number - 1) * SIZE + 1
    made.add(Page(tuple(lot(at, grade="AB"[at % 2]) for at in range(first, first + SIZE)), number, SIZE, total))


def ids(marks: Marks) -> list[str]:
    return list(marks.records)


def lots(numbers: Iterable[int]) -> list[str]:
    return [f"lot-{number}" for number in numbers]


def test_a_record_is_marked_and_unmarked_again() -> None:
    marks = Marks().toggled(lot(2)).toggled(lot(1)).toggled(lot(3))
    assert ids(marks) == lots([2, 1, 3])
    assert ids(marks.toggled(lot(1))) == lots([2, 3])


def test_a_record_without_an_id_can_t_be_marked() -> None:
    assert ids(Marks().toggled(Record({"grade": "A"}))) == []
    assert ids(Marks().with_records([Record({"grade": "A"}), lot(1)])) == ["lot-1"]


def test_marking_twice_is_marking_once() -> None:
    assert ids(Marks().with_records([lot(1), lot(2)]).with_records([lot(2), lot(3)])) == lots([1, 2, 3])


def test_a_newer_reading_replaces_what_is_held_of_a_marked_record_and_marks_no_other() -> None:
    marks = Marks().with_records([lot(1, grade="A"), lot(2)]).renewed([lot(1, grade="B"), lot(3)])
    assert ids(marks) == lots([1, 2])
    assert marks.records["lot-1"].fields["grade"] == "B"


def test_a_reach_grows_and_shrinks_with_its_end_and_marks_for_good_when_settled() -> None:
    there = rows(1, 2)
    marks = Marks().toggled(lot(50)).reaching(4, 4, there, lasting=True)
    assert ids(marks) == lots([50, 5])
    marks = marks.stretched(12, there)
    assert ids(marks) == lots([50, *range(5, 14)])
    marks = marks.stretched(2, there)
    assert ids(marks) == lots([50, 5, 4, 3])
    assert marks.settled().reach is None
    assert ids(marks.settled()) == ids(marks)
    assert ids(marks.settled().stretched(9, there)) == ids(marks)


def test_a_reach_marks_what_is_there_and_says_how_much_is_not() -> None:
    there = rows(1, 3)
    marks = Marks().reaching(5, 24, there)
    assert ids(marks) == lots([*range(6, 11), *range(21, 26)])
    assert marks.reach is not None
    assert marks.reach.lacking == 10
    came(there, 2)
    assert ids(marks.stretched(24, there)) == lots(range(6, 26))


def test_a_reach_keeps_records_whose_page_has_left() -> None:
    there = rows(1, most=1)
    marks = Marks().reaching(0, 9, there)
    for number in (2, 3, 4, 5, 6):
        came(there, number)
        there.queue.set_viewport((number - 1) * SIZE, number * SIZE)
        marks = marks.stretched(number * SIZE - 1, there)
    assert there.get(0) is None
    assert ids(marks) == lots(range(1, 61))


def test_a_reach_over_ten_million_rows_looks_only_at_those_that_are_held() -> None:
    there = rows(1, 1_000_000, total=10_000_000)
    marks = Marks().reaching(0, 9_999_999, there)
    assert len(marks.records) == 2 * SIZE
    assert marks.reach is not None
    assert marks.reach.lacking == 10_000_000 - 2 * SIZE


def test_a_reach_over_filtered_rows_marks_those_alone() -> None:
    there = rows(1, 2)
    arranged = ArrangedRows(there)
    arranged.take_in()
    arranged.choose(parse_filter("grade=A", arranged.field_names()))
    marks = Marks().reaching(0, 3, arranged)
    assert ids(marks) == lots([2, 4, 6, 8])
    assert ids(Marks().reaching(0, 99, arranged)) == lots(range(2, 21, 2))


def test_toggling_settles_the_open_reach_first() -> None:
    marks = Marks().reaching(0, 2, rows(1)).toggled(lot(2))
    assert marks.reach is None
    assert ids(marks) == lots([1, 3])


def test_records_of_a_list_are_added_while_more_are_awaited_and_a_range_stays_open() -> None:
    marks = Marks().reaching(0, 1, rows(1)).listed([lot(7)], 2)
    assert marks.reach is not None
    assert marks.awaited == 2
    assert marks.settled().awaited == 2
    assert sorted(ids(marks)) == ["lot-1", "lot-2", "lot-7"]
    assert Marks().awaited == 0


def test_the_records_of_a_list_stand_in_its_order_behind_the_others() -> None:
    marks = Marks().with_records([lot(1), lot(2), lot(3), lot(4)]).in_order(["lot-3", "lot-9", "lot-1"])
    assert ids(marks) == lots((2, 4, 3, 1))
