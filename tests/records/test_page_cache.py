"""Pages that nobody looks at are in the store, and everything that is asked about them is answered all the same."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from svc_tui.core.jsontext import Json
from svc_tui.core.records import Page, Record
from svc_tui.records import page_cache
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import RecordStore
from tests.budget import share_of
from tests.records.test_sparse_rows_at_random import SparseRowsMachine

LIMIT = 5


@pytest.fixture(autouse=True)
def few_recent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records of three pages are at hand at most."""
    monkeypatch.setattr(page_cache, "_MAX_RECENT_RECORDS", 0)


def lot(at: int, **more: Json) -> Record:
    return Record({"id": f"lot-{at}", **more})


def rows_of(pages: int) -> SparseRows:
    rows = SparseRows(RecordStore(), "lots", LIMIT)
    for number in range(1, pages + 1):
        rows.add(Page(tuple(lot(at) for at in range((number - 1) * LIMIT, number * LIMIT)), number, LIMIT, 10 * LIMIT))
    return rows


def test_records_are_the_same_objects_near_the_view_and_equal_ones_wherever_one_comes_back_to() -> None:
    rows = rows_of(4)
    first = rows.get(0)
    assert rows.get(1) is not None
    assert rows.get(0) is first
    for row in (5, 10, 15):
        rows.get(row)
    assert rows.get(0) == first
    assert rows.get(0) is not first
    assert [rows.get(row) for row in range(20)] == [lot(row) for row in range(20)]


def test_whatever_is_asked_of_stored_pages_is_answered() -> None:
    rows = rows_of(6)
    assert sorted(record.id or "" for record in rows.records()) == sorted(f"lot-{at}" for at in range(30))
    assert list(rows.held(range(3, 12))) == [(at, lot(at)) for at in range(3, 12)]
    assert [rows.index_of(f"lot-{at}") for at in (0, 4, 17, 29, 30)] == [0, 4, 17, 29, None]
    assert rows.cached == 30
    assert list(rows.pages) == [1, 2, 3, 4, 5, 6]
    assert [list(rows.page_records(number)) for number in (1, 6)] == [
        [lot(at) for at in range(5)],
        [lot(at) for at in range(25, 30)],
    ]


def test_a_record_that_was_replaced_stays_the_very_one() -> None:
    rows = rows_of(6)
    newer = lot(2, note="wet")
    assert rows.replace(newer) == 2
    for row in (10, 15, 20, 25):
        rows.get(row)
    assert rows.get(2) is newer
    assert rows.get(1) == lot(1)


def test_rows_that_move_are_noticed_among_stored_pages() -> None:
    rows = rows_of(6)
    rows.add(Page(tuple(lot(at) for at in (29, 100, 101, 102, 103)), 1, LIMIT, 10 * LIMIT))
    assert rows.shifted
    assert rows.index_of("lot-29") == 0, "as it was read last"
    assert rows.outdated_rows() == {29}


class Colliding(str):
    """A text that has its hash in common with all others."""

    def __hash__(self) -> int:
        return 7


def test_two_ids_that_have_a_hash_in_common_are_told_apart() -> None:
    rows = SparseRows(RecordStore(), "lots", LIMIT)
    ids = [Colliding(name) for name in "abcd"]
    rows.add(Page(tuple(Record({"id": name}) for name in ids), 1, LIMIT, 4))
    assert [rows.index_of(name) for name in ids] == [0, 1, 2, 3]
    assert rows.index_of(Colliding("e")) is None
    assert not rows.outdated_rows()


def test_each_record_is_there_once_as_it_was_read_last() -> None:
    rows = SparseRows(RecordStore(), "lots", LIMIT)
    rows.add(Page((lot(0), lot(1), Record({"grade": "A"}), Record({"grade": "A"}), lot(1, note="wet")), 1, LIMIT, 10))
    rows.add(Page((lot(0, note="damp"), lot(5)), 2, LIMIT, 7))
    assert rows.records_once() == [
        Record({"grade": "A"}),
        Record({"grade": "A"}),
        lot(1, note="wet"),
        lot(0, note="damp"),
        lot(5),
    ]


def test_names_of_fields_are_learned_from_pages_and_from_records_read_by_themselves() -> None:
    rows = SparseRows(RecordStore(), "lots", LIMIT)
    rows.add(Page((lot(0, assay={"goldPpm": "1"}),), 1, LIMIT, 1))
    assert rows.field_names == {"id": "id", "assay": "assay", "assay.goldppm": "assay.goldPpm"}
    rows.replace(lot(0, Note="x"))
    assert rows.field_names["note"] == "Note"


def test_every_script_holds_where_pages_are_stored() -> None:
    run_state_machine_as_test(
        SparseRowsMachine,
        settings=settings(max_examples=share_of(100), stateful_step_count=30, deadline=None, derandomize=True),
    )
