"""Records of several collections as rows of one file and one table."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.export_formats import Format, format_whole
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.records.columns import Column, fitted_columns, widen
from svc_tui.records.rows import HeldRows
from svc_tui.search.record_search import Match, RecordSearch
from svc_tui.search.result_rows import (
    COLUMNS,
    GIVING_WAY,
    MarkedMatches,
    ResultRow,
    export_rows,
    held_words,
    sorted_rows,
)
from svc_tui.search.sources import ListedRecords, Origin

LOTS = COLLECTIONS[0]
WORKERS = next(collection for collection in COLLECTIONS if collection.name == "workers")
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def source(
    *records: Mapping[str, Json], of: Collection = LOTS, origin: Origin = Origin.LOADED, read_at: float | None = None
) -> ListedRecords:
    """Records that are held."""
    return ListedRecords(of, origin, read_at, records=[Record(record) for record in records])


def found(text: str, *sources: ListedRecords) -> list[Match]:
    """What a search finds when it is over."""
    search = RecordSearch(sources, text)
    while search.step():
        pass
    return search.best()


def rows(text: str, *sources: ListedRecords, now: float = 0) -> list[ResultRow]:
    """What a search finds, as rows that hide nothing."""
    return [ResultRow.of(match, match.record, text, now) for match in found(text, *sources)]


def moment(monotonic: float) -> datetime:
    """The time of day, noon being 1000."""
    return NOON + timedelta(seconds=monotonic - 1000)


def exported(*sources: ListedRecords) -> list[Record]:
    """The rows of a file with all records that hold `ore`."""
    return export_rows([(match, match.record) for match in found("ore", *sources)], moment)


def test_a_mark_is_of_a_place_and_is_taken_away_by_marking_again() -> None:
    marks = MarkedMatches()
    (lot,) = found("ore", source({"id": "1", "name": "ore"}))
    (worker,) = found("ore", source({"id": "1", "name": "ore"}, of=WORKERS))
    marks.toggle(lot)
    assert lot in marks
    assert worker not in marks
    marks.toggle(lot)
    assert not marks


def test_what_is_marked_stays_so_as_another_search_finds_it_and_is_held_as_it_was_found_last() -> None:
    marks = MarkedMatches()
    for match in found("ore", source({"id": "1", "name": "ore"}, {"id": "2", "name": "ore"})):
        marks.toggle(match)
    newer = found("1", source({"id": "1", "name": "iron"}, {"id": "11"}))
    marks.take_in(newer)
    assert len(marks) == 2
    assert [match.record.label for match in marks.ordered(newer)] == ["iron", "ore"]


def test_the_marked_stand_as_they_are_listed_and_then_as_they_were_marked() -> None:
    marks = MarkedMatches()
    listed = found("ore", source(*({"id": str(at), "name": "ore"} for at in range(4))))
    for at in (3, 0, 2):
        marks.toggle(listed[at])
    assert [match.place.record_id for match in marks.ordered(listed[2:])] == ["2", "3", "0"]


def test_a_row_of_a_file_tells_collection_and_how_it_is_held_and_then_the_record_to_the_digit() -> None:
    lots = source({"id": "lot-1", "name": "ore", "massKg": number("1.50")}, read_at=940)
    text = format_whole(Format.JSONL, [row.fields for row in exported(lots)])
    assert text == (
        '{"_collection":"operations/lots","_held":"loaded","_readAt":"2026-11-20T11:59:00Z",'
        '"id":"lot-1","name":"ore","massKg":1.50}\n'
    )


def test_the_columns_of_a_file_are_the_fields_of_all_collections() -> None:
    lots = source({"id": "lot-1", "name": "ore"}, origin=Origin.JOURNAL)
    workers = source({"id": "wrk-1", "note": "ore"}, of=WORKERS, read_at=1000)
    text = format_whole(Format.CSV, [row.fields for row in exported(lots, workers)])
    assert text.splitlines() == [
        "_collection,_held,_readAt,id,name,note",
        "operations/lots,journal,,lot-1,ore,",
        "workforce/workers,loaded,2026-11-20T12:00:00Z,wrk-1,,ore",
    ]


def test_a_field_of_a_record_that_is_called_as_ours_is_kept_as_it_is() -> None:
    rows = exported(source({"id": "lot-1", "_collection": "ore"}), source({"id": "w", "x": "ore"}, of=WORKERS))
    assert [row.fields["_collection"] for row in rows if "x" not in row.fields] == ["ore"]
    assert {row.fields["__collection"] for row in rows} == {"operations/lots", "workforce/workers"}


def test_words_for_how_old_it_is_tell_the_oldest_reading_and_what_is_none() -> None:
    read = found("ore", source({"id": "a", "name": "ore"}, read_at=0), source({"id": "b", "x": "ore"}, read_at=250))
    assert held_words(read, 250) == "loaded up to 4 min ago"
    assert held_words(read[1:], 250) == "loaded just now"
    unsent = found("ore", source({"id": "c", "name": "ore"}, origin=Origin.UNSENT))
    assert held_words(unsent, 0) == "1 draft"
    assert held_words([*read, *unsent], 250) == "loaded up to 4 min ago, 1 draft"
    assert held_words(found("ore", source({"id": "a", "name": "ore"})), 0) == "loaded"


def test_a_row_of_the_table_tells_which_field_fits_and_its_whole_value() -> None:
    lots = source({"id": "lot-1", "name": "Lot", "assay": {"note": "gold ore"}, "massKg": number("1.50")}, read_at=0)
    (row,) = rows("ore", lots, now=130)
    assert row.cells.fields == {
        "collection": "lots", "id": "lot-1", "from": "loaded", "label": "Lot", "field": "assay.note",
        "value": "gold ore", "age": "2 min",
    }  # fmt: skip
    (row,) = rows("massKg>1", lots)
    assert row.cells.fields["value"] == number("1.50")
    assert row.cells.fields["age"] == "now"


def test_what_is_hidden_where_it_fits_stands_in_no_cell() -> None:
    (match,) = found("ore", source({"id": "lot-1", "name": "ore"}))
    row = ResultRow.of(match, Record({"id": "lot-1", "name": "▒▒"}), "ore", 0)
    assert row.cells.fields == {"collection": "lots", "id": "lot-1", "from": "loaded", "label": "▒▒"}


def test_rows_are_sorted_by_a_column_and_those_without_a_value_come_last_either_way() -> None:
    young = source({"id": "a", "name": "ore", "n": number("10")}, {"id": "b", "name": "ore"}, read_at=90)
    old = source({"id": "c", "name": "ore"}, of=WORKERS, read_at=0)
    none = source({"id": "d", "name": "ore"}, origin=Origin.VISITED)
    found_rows = rows("ore", young, old, none, now=100)

    def ids(sort: Sort | None) -> str:
        return "".join(str(row.cells.id) for row in sorted_rows(found_rows, sort))

    assert ids(None) == "abcd"
    assert ids(Sort("age")) == "abcd"
    assert ids(Sort("age", descending=True)) == "cabd"
    assert ids(Sort("id", descending=True)) == "dcba"
    assert ids(Sort("value")) == ids(None)


def test_numbers_are_sorted_by_value() -> None:
    lots = source({"id": "0", "massKg": number("10")}, {"id": "1", "massKg": number("9")},
                  {"id": "2", "massKg": number("1e3")})  # fmt: skip
    found_rows = rows("massKg>0", lots)
    assert [row.cells.id for row in sorted_rows(found_rows, Sort("value"))] == ["1", "0", "2"]


def test_rows_are_given_as_a_table_asks_for_them() -> None:
    found = rows("ore", source({"id": "a", "name": "ore"}, {"id": "b", "name": "ore"}))
    table = HeldRows(len(found), lambda row: found[row].cells)
    assert (table.count, table.end_known, table.waiting(0), table.failure(0), table.page_of(1)) == (
        2, True, False, None, 1,
    )  # fmt: skip
    assert [record.id for _, record in table.held(range(-1, 5))] == ["a", "b"]
    assert table.get(2) is None
    assert table.get(-1) is None
    assert (table.index_of("b"), table.index_of("c")) == (1, None)


def test_labels_and_values_give_way_so_that_all_columns_are_in_view() -> None:
    long = {"id": "lot-1", "name": "ore " * 20, "note": "x" * 80}
    columns = widen(COLUMNS, [row.cells for row in rows("xxx", source(long))], len)

    def width(fitted: tuple[Column, ...]) -> int:
        return sum(column.width for column in fitted) + 2 * (len(fitted) - 1)

    assert width(columns) > 75
    assert width(fitted_columns(columns, 75, 2, GIVING_WAY)) == 75
    assert fitted_columns(columns, 200, 2, GIVING_WAY) == columns
    assert (
        min(column.width for column in fitted_columns(columns, 10, 2, GIVING_WAY) if column.name in ("label", "value"))
        == 12
    )
