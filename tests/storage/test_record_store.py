"""The record store gives what a plain look at every record gives, whatever the records hold."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from svc_tui.core.field_path import value_at
from svc_tui.core.filters import parse_filter
from svc_tui.core.jsontext import Json, loads, number
from svc_tui.core.ordering import sort_key
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.storage.record_store import QueryView, RecordStore
from svc_tui.storage.record_tables import Query
from svc_tui.storage.sort_keys import key_of
from tests.budget import share_of

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

NUMBERS = [
    *("0", "-0", "-0.0", "1", "1.0", "1.00", "1E+0", "10", "100", "1e2", "0.1", "0.10", "-5", "-5.00", "42.5", "1e400"),
    *("-1e400", "1.5e400", "1e-400", "-1e-400", "1E-9999", "9007199254740992", "9007199254740993"),
    *("9007199254740992.0", "1234567890123456789012345", "1234567890123456789012346", "0.1234567890123456789012345"),
    *("0.1234567890123456789012346", "123456789012345.6", "1234567890123456", "0.30000000000000004", "0.3"),
    *("1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "1E1000000000000000000000"),
]
TEXTS = [
    *("", "a", "A", "ab", "Ä", "é", "e\u0301", "doré", "DORE", "ß", "ss", "İ", "ı", "ω", "й", "①", "ﬁ", "fi", "true"),
    *("false", "null", "5", "5.0", "1e2", "{}", "[1]", "٣", "3rd", " ", "north face", "\0x", "\ud800", "\ue000", "\n"),
    *("z\U0001f600", '"', "\\", "\x1d", "\x7f", "2026-01-01", "2026-01-02", "2026-01-01T00:00:00Z"),
    *("2026-01-01t00:00:00z", "2026-01-01T01:00:00+01:00", "2025-12-31T23:00:00-01:00", "2026-01-01T00:00:00.5Z"),
    *("2026-13-01T00:00:00Z", "2026-02-30", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-06"),
]
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS).map(number) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["x", "y", "y.z", 'q"t']), inner),
    max_leaves=4,
)
NAMES = ["a", "n", "n.x", "c.d", "c", "ü", "A b", 'q"t', "w\\x", "", "n\0", "\ud800"]
PATHS = [*NAMES, "id", "n.y.z", "n.x.y", 'c["d"]', "nowhere"]
FIELDS: st.SearchStrategy[dict[str, Json]] = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
IDS = st.none() | st.sampled_from(["", "Örë", "r\ud800", '"', "1", "REC"])
OPERANDS = st.sampled_from([*NUMBERS, *TEXTS, "2026", "2026-01-01T00", "rec-1", '{"x":1}', "today", "yesterday", "1h"])
OPERATORS = st.sampled_from([":", "=", "!=", ">", ">=", "<", "<="])
TERMS = st.builds(
    lambda inverted, path, operator, operand: f'{inverted}{path and path + operator}"{operand}"',
    *(st.sampled_from(["", "", "!"]), st.sampled_from(["", *PATHS]), OPERATORS, OPERANDS),
)
SORTS = st.none() | st.builds(Sort, st.sampled_from(PATHS), st.booleans())


def stored(records: Sequence[Record], page: int = 4) -> tuple[RecordStore, Query]:
    store = RecordStore()
    query = store.open_query("lots")
    for first in range(0, len(records), page):
        store.add(query, first, records[first : first + page])
    return store, query


def positions(store: RecordStore, view: QueryView) -> list[int]:
    return [row.position for row in store.view_rows(view, 0, view.count)]


def matched(store: RecordStore, query: Query, text: str, sort: Sort | None = None) -> QueryView:
    *_, view = store.matching(query, parse_filter(text, {path.casefold(): path for path in PATHS}, NOW), sort)
    return view


@given(st.lists(st.tuples(IDS, FIELDS), max_size=9), st.lists(TERMS, max_size=3).map(" ".join), SORTS)
@example([(None, {})], '"\n"', None)
@settings(max_examples=share_of(1500), deadline=None)
def test_a_view_holds_what_a_look_at_every_record_finds_in_the_order_of_its_values(
    made: list[tuple[str | None, dict[str, Json]]], text: str, sort: Sort | None
) -> None:
    records = [
        Record(fields if name is None else {"id": name and f"{name}{at}", **fields})
        for at, (name, fields) in enumerate(made)
    ]
    store, query = stored(records)
    wanted = parse_filter(text, {path.casefold(): path for path in PATHS}, NOW)
    matches = wanted.matcher()
    expected = [at for at, record in enumerate(records) if matches(record)]
    assert [row.position for part in store.found(query, wanted) for row in part] == expected
    view = matched(store, query, text, sort)
    shown = positions(store, view)
    assert sorted(shown) == expected
    assert [store.row_in_view(view, at) for at in shown] == list(range(len(shown)))
    if sort is not None:
        keys = {at: sort_key(value_at(records[at].fields, sort.field)) for at in expected}
        # Equal values stay in the order of their rows, either way.
        filled = [at for at in expected if keys[at] is not None]
        filled.sort(key=lambda at: keys[at] or (), reverse=sort.descending)
        assert shown == [*filled, *(at for at in expected if keys[at] is None)]


@given(st.lists(VALUES, min_size=2, max_size=8))
@settings(max_examples=share_of(500), deadline=None)
def test_keys_order_values_as_their_sort_keys_do(values: list[Json]) -> None:
    for one, other in pairwise(values):
        (key, rest), (other_key, other_rest) = key_of(one), key_of(other)
        expected, other_expected = sort_key(one), sort_key(other)
        assert (key is None) == (expected is None)
        if key is None or other_key is None or expected is None or other_expected is None:
            continue
        # SQLite puts bytes after numbers.
        left, right = (isinstance(key, bytes), key, rest), (isinstance(other_key, bytes), other_key, other_rest)
        assert (left < right) == (expected < other_expected)
        assert (left == right) == (expected == other_expected)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 9), min_size=1, max_size=4)), max_size=8),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4),
)
@settings(max_examples=share_of(300), deadline=None)
def test_of_a_record_that_was_read_at_two_rows_the_later_counts(
    pages: list[tuple[int, list[int]]], removed: list[tuple[int, int]]
) -> None:
    store = RecordStore()
    query = store.open_query("lots")
    rows: dict[int, tuple[int, int]] = {}
    """The id at each position, and when it was read."""
    for at, (first, ids) in enumerate(pages):
        store.add(query, first, [Record({"id": f"lot-{one}", "at": str(at)}) for one in ids])
        rows |= {first + place: (one, at) for place, one in enumerate(ids)}
        if removed:
            start, until = sorted(removed.pop())
            store.remove(query, start, until)
            rows = {position: row for position, row in rows.items() if not start <= position < until}
    latest = {
        one: max((at, position) for position, (other, at) in rows.items() if other == one) for one, _ in rows.values()
    }
    once = sorted(position for _, position in latest.values())
    assert positions(store, matched(store, query, "")) == once
    assert store.count(query) == len(once)
    assert store.repeated(query) == rows.keys() - set(once)
    for one in range(10):
        assert store.position_of(query, f"lot-{one}") == (latest[one][1] if one in latest else None)


def test_values_that_change_are_compared_as_they_are_now() -> None:
    store, query = stored([Record({"id": f"lot-{at}", "a": number(at)}) for at in range(5)])
    assert positions(store, matched(store, query, "a>2")) == [3, 4]
    store.add(query, 0, [Record({"id": "lot-0", "a": number(9), "note": "damp"})])
    assert positions(store, matched(store, query, "a>2")) == [0, 3, 4]
    assert positions(store, matched(store, query, "damp")) == [0]
    other = store.open_query("lots")
    store.add(other, 7, [Record({"id": "lot-1", "a": number(8)})])
    assert positions(store, matched(store, query, "a>2")) == [0, 1, 3, 4], "the record was read in another query"


def test_values_are_counted_in_the_rows_of_a_query_and_of_a_view() -> None:
    masses: list[dict[str, Json]] = [{"a": number("1.50")}, {"a": None}, {}, {"a": "x"}, {"a": number("1.50")}]
    store, query = stored([Record({"id": str(at), "n": {"m": number(at)}, **mass}) for at, mass in enumerate(masses)])
    *_, counts = store.counts(query, "a")
    assert list(counts.items()) == [("1.50", 2), ("null", 1), ("", 1), ('"x"', 1)]
    *_, counts = store.counts(query, "n.m", matched(store, query, "a=1.5", Sort("id", descending=True)))
    assert list(counts.items()) == [("4", 1), ("0", 1)]


def test_records_that_no_row_shows_any_more_are_deleted() -> None:
    store, query = stored([Record({"id": f"lot-{at}", "a": number(at)}) for at in range(5)])
    second = store.open_query("lots")
    store.add(second, 0, [Record({"id": "lot-4", "a": number(4)})])
    matched(store, query, "a>1")

    def counts() -> list[int]:
        tables = ("records", "texts", "positions", *(column.table for column in store._tables._columns.values()))
        return [store._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    assert counts() == [5, 5, 6, 5]
    store.remove(query, 3)
    assert counts() == [4, 4, 4, 4], "the other query has the last one"
    del second
    store.add(query, 3, [])
    assert counts() == [3, 3, 3, 3]


def test_no_more_columns_are_kept_than_are_used_lately() -> None:
    names = [f"f{at}" for at in range(40)]
    store, query = stored([Record({"id": str(at), **{name: number(at) for name in names}}) for at in range(5)])
    steps = store.matching(query, parse_filter("f0>2", {"f0": "f0"}))
    next(steps)
    for name in names:
        *_, view = store.matching(query, parse_filter(f"{name}>2", {name: name}))
        assert positions(store, view) == [3, 4]
    *_, view = steps
    assert positions(store, view) == [3, 4], "the column was in use all the time"
    del steps, view
    store.add(query, 5, [Record({"id": "5", **{name: number(5) for name in names}})])
    ((count,),) = store._db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'column_%' AND type = 'table'")
    assert count == 16
    *_, view = store.matching(query, parse_filter("f0>2", {"f0": "f0"}))
    assert positions(store, view) == [3, 4, 5]


def test_without_space_everything_is_dropped_once_and_read_again() -> None:
    store, query = stored([Record({"id": f"lot-{at}", "note": "damp" * 50}) for at in range(200)], page=50)
    view = matched(store, query, "damp")
    store._db.execute("PRAGMA max_page_count = 1")  # no larger than it is now
    pages = [[Record({"id": f"new-{page}-{at}", "note": "wet" * 200}) for at in range(50)] for page in range(40)]
    for page, records in enumerate(pages):
        store.add(query, 50 * page, records)
    assert store.was_emptied
    assert store.view_rows(view, 0, 9) == []
    assert store.row_in_view(view, 0) is None
    assert (matched(store, query, "damp").count, matched(store, query, "wet").count) == (0, 2000)
    store.was_emptied = False
    store.add(query, 0, pages[0])
    assert not store.was_emptied


def test_what_is_under_way_when_the_space_ends_begins_again() -> None:
    store, query = stored([Record({"id": f"lot-{at}", "note": "damp" * 50}) for at in range(1000)], page=50)
    steps = store.matching(query, parse_filter("note:damp", {"note": "note"}), Sort("id"))
    next(steps)
    store._db.execute("PRAGMA max_page_count = 1")
    store.add(query, 0, [Record({"id": f"new-{at}", "note": "damp" * 90}) for at in range(300)])
    assert store.was_emptied
    *_, view = steps
    assert (view.is_complete, view.count) == (True, 300)


@pytest.mark.parametrize("sort", [None, Sort("note"), Sort("id", descending=True)])
def test_a_view_for_which_there_is_no_space_is_empty(sort: Sort | None) -> None:
    store, query = stored([Record({"id": f"lot-{at}", "note": "damp" * 50}) for at in range(2000)], page=50)
    store._db.execute("PRAGMA max_page_count = 1")
    view = matched(store, query, "note:damp", sort)
    assert (view.is_complete, view.count, store.was_emptied) == (True, 0, True)
    assert store.rows(query, 0, 9) == []


def test_two_records_with_one_code_are_two_records() -> None:
    store, query = stored([Record({"code": "x", "a": number(1)}), Record({"code": "x", "a": number(2)})])
    assert [loads(row.body) for row in store.rows(query, 0, 9)] == [
        {"code": "x", "a": number(1)},
        {"code": "x", "a": number(2)},
    ]
    assert store.position_of(query, "x") in (0, 1)


@pytest.mark.parametrize("text", ["t=today", "t>1h", "t<yesterday"])
def test_words_for_moments_count_from_now(text: str) -> None:
    times = [NOW - timedelta(hours=hours) for hours in (0, 2, 30, 60)]
    store, query = stored([Record({"id": str(at), "t": f"{one:%Y-%m-%dT%H:%M:%SZ}"}) for at, one in enumerate(times)])
    wanted = parse_filter(text, {"t": "t"}, NOW)
    *_, view = store.matching(query, wanted)
    assert positions(store, view) == {"t=today": [0, 1], "t>1h": [0], "t<yesterday": [2, 3]}[text]
