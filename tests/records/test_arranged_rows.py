"""The rows that are held, filtered and sorted, against a plain list."""

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.filters import parse_filter
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Page, Record
from svc_tui.core.views import Sort
from svc_tui.records.arranged_rows import ArrangedRows
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import RecordStore

LIMIT = 5


def lot(name: int, mass: str | None = None, **more: Json) -> Record:
    fields: dict[str, Json] = {"id": f"lot-{name}", **more}
    if mass is not None:
        fields["massKg"] = number(mass)
    return Record(fields)


def filled(records: list[Record], total: int | None = None, pages: range | None = None) -> SparseRows:
    """Rows of which these pages (all, if none are named) are held."""
    rows = SparseRows(RecordStore(), "lots", LIMIT)
    total = len(records) if total is None else total
    for page in pages or range(1, max(2, -(-len(records) // LIMIT) + 1)):
        rows.add(Page(tuple(records[(page - 1) * LIMIT : page * LIMIT]), page, LIMIT, total))
    return rows


def taken(rows: SparseRows) -> ArrangedRows:
    arranged = ArrangedRows(rows)
    arranged.take_in()
    return arranged


def ids(arranged: ArrangedRows) -> list[str | None]:
    return [record.id for record in arranged.records()]


def test_nothing_is_arranged_before_somebody_asks() -> None:
    arranged = taken(filled([lot(1)]))
    assert not arranged
    arranged.choose(parse_filter("x", {}))
    assert arranged
    arranged.choose(parse_filter("", {}))
    arranged.order(Sort("massKg"))
    assert arranged


def test_rows_are_sorted_with_empty_ones_last_either_way_and_equals_as_they_came() -> None:
    masses = ["10", "9", None, "9.0", "100"]
    arranged = taken(filled([lot(at, mass) for at, mass in enumerate(masses)]))
    arranged.order(Sort("massKg"))
    assert ids(arranged) == ["lot-1", "lot-3", "lot-0", "lot-4", "lot-2"]
    arranged.order(Sort("massKg", descending=True))
    assert ids(arranged) == ["lot-4", "lot-0", "lot-1", "lot-3", "lot-2"]
    arranged.order(None)
    assert ids(arranged) == ["lot-0", "lot-1", "lot-2", "lot-3", "lot-4"]


def test_a_field_within_another_sorts_by_its_path() -> None:
    arranged = taken(filled([lot(at, assay={"gold": number(str(at % 3))}) for at in range(4)]))
    arranged.order(Sort("assay.gold", descending=True))
    assert ids(arranged) == ["lot-2", "lot-1", "lot-0", "lot-3"]


def test_ids_and_whole_phrases_come_first_and_an_order_goes_before_that() -> None:
    notes = {1: "face of the north", 2: "damp", 3: "the north face", 12: "north, lot-2 and the face"}
    arranged = taken(filled([lot(name, note=note) for name, note in notes.items()]))
    arranged.choose(parse_filter("north", {}))
    arranged.choose(parse_filter("north face", {}))
    assert ids(arranged) == ["lot-3", "lot-1", "lot-12"]
    arranged.choose(parse_filter("lot-2", {}))
    assert ids(arranged) == ["lot-2", "lot-12"]
    arranged.choose(parse_filter("lot-1", {}))
    assert ids(arranged) == ["lot-1", "lot-12"]
    arranged.order(Sort("id", descending=True))
    assert ids(arranged) == ["lot-12", "lot-1"]


def test_filter_and_order_hold_together_and_one_can_be_taken_back() -> None:
    arranged = taken(filled([lot(at, str(at % 4), grade="AB"[at % 2]) for at in range(8)]))
    arranged.order(Sort("massKg", descending=True))
    arranged.choose(parse_filter("grade:a", {"grade": "grade"}))
    assert ids(arranged) == ["lot-2", "lot-6", "lot-0", "lot-4"]
    arranged.choose(parse_filter("", {}))
    assert arranged.count == 8
    assert ids(arranged)[0] == "lot-3"


def test_it_says_whether_the_whole_collection_was_looked_through() -> None:
    records = [lot(at) for at in range(12)]
    arranged = taken(filled(records, pages=range(1, 3)))
    assert (arranged.loaded, arranged.exact) == (10, False)
    arranged = taken(filled(records))
    assert (arranged.loaded, arranged.exact) == (12, True)


def test_what_came_and_was_not_yet_looked_through_does_not_count() -> None:
    records = [lot(at) for at in range(12)]
    rows = filled(records, pages=range(1, 3))
    arranged = taken(rows)
    rows.add(Page(tuple(records[10:]), 3, LIMIT, 12))
    assert not arranged.exact
    arranged.take_in()
    assert arranged.exact


def test_where_rows_moved_nobody_says_that_all_were_looked_through() -> None:
    rows = filled([lot(at) for at in range(10)], pages=range(1, 2))
    rows.add(Page(tuple(lot(at) for at in (4, 5, 6, 7, 8)), 2, LIMIT, 10))
    arranged = taken(rows)
    assert arranged.loaded == 9, "a record that came twice is here once"
    assert not arranged.exact


def test_a_record_that_came_twice_is_here_as_it_was_read_last() -> None:
    rows = filled([lot(at, "1") for at in range(5)], total=10)
    rows.add(Page((lot(4, "2"), *(lot(at, "1") for at in (6, 7, 8, 9))), 2, LIMIT, 10))
    arranged = taken(rows)
    arranged.order(Sort("massKg", descending=True))
    assert ids(arranged)[0] == "lot-4"


def test_records_without_an_id_are_all_here() -> None:
    arranged = taken(filled([Record({"grade": "A"}), Record({"grade": "A"})]))
    assert arranged.loaded == 2


def test_what_is_read_replaced_or_let_go_of_is_taken_in() -> None:
    rows = filled([lot(at, "1") for at in range(10)], pages=range(1, 2))
    arranged = taken(rows)
    arranged.order(Sort("massKg", descending=True))
    rows.add(Page(tuple(lot(at, "3") for at in range(5, 10)), 2, LIMIT, 10))
    rows.replace(lot(2, "7"))
    assert ids(arranged)[0] == "lot-0", "nothing moves by itself"
    arranged.take_in()
    assert ids(arranged)[:2] == ["lot-2", "lot-5"]
    assert arranged.page_of(0) == 1
    assert arranged.page_of(1) == 2
    rows.add(Page((), 2, LIMIT, 5))
    arranged.take_in()
    assert ids(arranged) == ["lot-2", "lot-0", "lot-1", "lot-3", "lot-4"]


def test_rows_outside_are_none_and_belong_to_no_page() -> None:
    arranged = taken(filled([lot(0)]))
    assert [arranged.get(row) for row in (-1, 1)] == [None, None]
    assert arranged.page_of(1) == 0
    assert arranged.index_of("lot-0") == 0
    assert arranged.index_of("lot-9") is None


def test_marks_that_are_not_shown_are_counted() -> None:
    rows = filled([lot(at, grade="AB"[at % 2]) for at in range(12)], pages=range(1, 3))
    arranged = taken(rows)
    assert arranged.lacking(["lot-1", "lot-2", "lot-11"]) == 1
    arranged.choose(parse_filter("grade:a", {"grade": "grade"}))
    assert arranged.lacking(["lot-1", "lot-2", "lot-11"]) == 2
    rows.add(Page((lot(1, grade="A"),), 1, LIMIT, 12))
    arranged.take_in()
    assert arranged.lacking(["lot-1", "lot-2", "lot-11"]) == 2


def test_fields_are_known_by_their_folded_path() -> None:
    arranged = taken(filled([lot(0, "1", assay={"goldPpm": number("1")})]))
    assert arranged.field_names() == {
        "id": "id",
        "masskg": "massKg",
        "assay": "assay",
        "assay.goldppm": "assay.goldPpm",
    }


WORDS = st.sampled_from(["", "a", "ab", "b", "!a", "note:a", "note:ab", "massKg>3", "massKg>3 a", "note:"])


@given(
    st.lists(st.tuples(st.none() | st.integers(-5, 9), st.sampled_from(["", "a", "ab", "B"])), max_size=17),
    st.lists(st.one_of(WORDS, st.sampled_from([None, Sort("massKg"), Sort("note", True)])), max_size=6),
)
def test_any_script_of_filters_and_orders_gives_what_a_list_gives(
    made: list[tuple[int | None, str]], script: list[str | Sort | None]
) -> None:
    records = [lot(at, None if mass is None else str(mass), note=note) for at, (mass, note) in enumerate(made)]
    arranged = taken(filled(records))
    fields = {"note": "note", "masskg": "massKg"}
    for step in script:
        if isinstance(step, str):
            arranged.choose(parse_filter(step, fields))
        else:
            arranged.order(step)
    at_once = taken(filled(records))
    at_once.order(arranged.sort)
    at_once.choose(arranged.filter)
    assert ids(arranged) == ids(at_once)
    assert arranged.count == len(ids(arranged))
    if not arranged.filter:
        assert sorted(ids(arranged), key=str) == sorted((record.id for record in records), key=str)


def test_what_is_looked_at_slice_by_slice_is_shown_when_one_wants_to() -> None:
    arranged = taken(filled([lot(at, grade="AB"[at % 2]) for at in range(500)], total=1000))
    arranging = arranged.arranging(parse_filter("grade:a", {"grade": "grade"}), None)
    assert (arranging.has_seen(0), arranging.count, arranging.done) == (False, 0, False)
    while arranging.count == 0:
        assert arranging.step()
    assert (arranging.has_seen(199), arranging.has_seen(200), arranging.count) == (True, False, 100)
    assert not arranged, "nothing on show changes by it"
    arranged.show(arranging)
    assert ids(arranged) == [f"lot-{at}" for at in range(0, 200, 2)]
    assert (arranged.complete, arranged.loaded, arranged.filter.text) == (False, 500, "grade:a")
    while arranging.step():
        assert arranged.count == 100, "what is shown stays as it was shown"
    assert arranging.done
    assert not arranging.step()
    arranged.show(arranging)
    assert (arranged.count, arranged.complete) == (250, True)


def test_an_order_goes_on_from_what_was_sorted_before() -> None:
    records = [lot(at, str(at * 7 % 4)) for at in range(20)]
    rows = filled(records, pages=range(1, 4, 2))
    arranged = taken(rows)
    arranged.order(Sort("massKg", descending=True))
    rows.add(Page(tuple(records[LIMIT : 2 * LIMIT]), 2, LIMIT, 20))
    rows.add(Page(tuple(lot(at) for at in range(10, 15)), 3, LIMIT, 20))
    arranged.take_in()
    at_once = taken(rows)
    at_once.order(Sort("massKg", descending=True))
    assert ids(arranged) == ids(at_once)
    assert ids(arranged)[:3] == ["lot-1", "lot-5", "lot-9"], "equals as the service gives them, whenever they came"
    assert ids(arranged)[-5:] == [f"lot-{at}" for at in range(10, 15)]


def test_values_made_ready_ahead_are_those_that_are_compared() -> None:
    rows = filled([lot(at, str(at)) for at in range(12)])
    for _ in rows.store.prepare(rows.query, "massKg"):
        pass
    rows.replace(lot(3, "99"))
    arranged = taken(rows)
    arranged.choose(parse_filter("massKg>9", {"masskg": "massKg"}))
    assert ids(arranged) == ["lot-3", "lot-10", "lot-11"]


def test_a_filter_that_grows_is_looked_for_in_what_matched_before() -> None:
    rows = filled([lot(at, note="ab"[at % 2] * 3) for at in range(12)])
    arranged = taken(rows)
    arranged.choose(parse_filter("note:a", {"note": "note"}))
    narrower = arranged.arranging(parse_filter("note:aa", {"note": "note"}), None)
    rows.replace(lot(1, note="aaa"))
    arranged.choose(parse_filter("note:aaa", {"note": "note"}))
    assert arranged.count == 7, "what was read since is not among what matched before"
    while narrower.step():
        pass
    assert narrower.count == 6
    other = SparseRows(rows.store, "lots", LIMIT)
    other.add(Page((lot(3, note="aaaa"),), 1, LIMIT, 1))
    arranged.choose(parse_filter("note:aaaa", {"note": "note"}))
    assert ids(arranged) == ["lot-3"], "nor is what another query has read since"


def test_records_of_any_pages_are_given_in_order_and_by_span() -> None:
    arranged = taken(filled([lot(at, str(99 - at)) for at in range(12)]))
    arranged.order(Sort("massKg"))
    assert [record.id for record in arranged.records()] == [f"lot-{at}" for at in range(11, -1, -1)]
    assert [(row, record.id) for row, record in arranged.held(range(1, 3))] == [(1, "lot-10"), (2, "lot-9")]
    assert [row for row, _ in arranged.held(range(-3, 99))] == list(range(12))
    assert arranged.get(0) is arranged.get(0), "what is drawn is at hand"


@given(
    st.lists(st.tuples(st.none() | st.integers(-5, 9), st.sampled_from(["", "a", "ab", "B"])), max_size=30),
    st.lists(
        st.tuples(
            WORDS, st.sampled_from([None, Sort("massKg"), Sort("massKg", True), Sort("note")]), st.integers(0, 7)
        ),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.integers(1, 6), max_size=3),
)
def test_whatever_was_left_unfinished_before_gives_what_a_list_gives(
    made: list[tuple[int | None, str]], script: list[tuple[str, Sort | None, int]], read_again: list[int]
) -> None:
    records = [lot(at, None if mass is None else str(mass), note=note) for at, (mass, note) in enumerate(made)]
    rows, fields = filled(records), {"note": "note", "masskg": "massKg"}
    arranged = ArrangedRows(rows)
    for word, sort, steps in script:
        arranging = arranged.arranging(parse_filter(word, fields), sort)
        for _ in range(steps):
            arranging.step()
        if read_again and (page := tuple(records[(number := read_again.pop()) * LIMIT - LIMIT : number * LIMIT])):
            rows.add(Page(page, number, LIMIT, len(records)))
    word, sort, _ = script[-1]
    arranged.filter = parse_filter(word, fields)
    arranged.order(sort)
    at_once = taken(filled(records))
    at_once.choose(arranged.filter)
    at_once.order(sort)
    assert ids(arranged) == ids(at_once)
