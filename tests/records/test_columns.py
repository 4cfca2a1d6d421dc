"""Columns: what matters first, as wide as what they hold, and still."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import Json, number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import LABEL_NAMES, Record
from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import (
    MAX_WIDTH,
    MIN_WIDTH,
    Column,
    Layout,
    align_number,
    choose_columns,
    paths_seen,
    widen,
    widen_for_raw,
)

LOT: Mapping[str, Json] = {
    "assay": {"goldPpm": number("1.5")},
    "createdAt": "2026-11-20T05:12:00Z",
    "id": "lot-000001",
    "massKg": number("12.50"),
    "name": "North face",
    "note": "damp",
    "parts": [],
    "sealed": True,
    "status": "open",
    "tunnelId": "tunnel-001",
}

records = st.lists(
    st.dictionaries(
        st.sampled_from(["id", "massKg", "status", "note", "tunnelId", "createdAt"]),
        st.none() | st.booleans() | st.integers().map(number) | st.text(max_size=50),
        max_size=6,
    ).map(Record),
    max_size=12,
)


def names(columns: tuple[Column, ...]) -> list[str]:
    return [column.name for column in columns]


def test_what_matters_comes_first_and_nested_values_last() -> None:
    columns = choose_columns([Record(LOT)], len)
    assert names(columns) == [
        "id", "name", "status", "createdAt", "massKg", "tunnelId", "sealed", "note", "parts", "assay",
    ]  # fmt: skip


def test_the_id_comes_first_whatever_it_is_called() -> None:
    columns = choose_columns([Record({"weight": number(1), "code": "A-1"}), Record({"code": "A-2"})], len)
    assert names(columns) == ["code", "weight"]
    assert columns[0].kind is Kind.ID


def chosen(*fields: str | tuple[str, int]) -> tuple[ChosenColumn, ...]:
    return tuple(ChosenColumn(field) if isinstance(field, str) else ChosenColumn(*field) for field in fields)


def test_what_somebody_chose_is_shown_in_that_order_and_once() -> None:
    layout = Layout(chosen("massKg", "id", "absent", "massKg")).saw([Record(LOT)], len)
    assert names(layout.shown) == ["massKg", "id", "absent"]
    assert names(layout.choosing((*layout.chosen, ChosenColumn("id")), [], len).shown) == ["massKg", "id", "absent"]
    more = layout.saw([Record({**LOT, "new": "x"})], len)
    assert names(more.shown) == ["massKg", "id", "absent"]


def test_nothing_chosen_shows_all_fields_and_new_ones_last() -> None:
    layout = Layout().saw([Record({"note": "x", "id": "1"})], len).saw([Record({"grade": "A"})], len)
    assert names(layout.shown) == ["id", "note", "grade"]
    again = layout.choosing(chosen("note"), [], len).choosing((), [], len)
    assert names(again.shown) == ["id", "note", "grade"]


def test_a_nested_field_is_a_column_where_it_is_chosen() -> None:
    layout = Layout().saw([Record(LOT)], len)
    assert "assay.goldPpm" not in names(layout.shown)
    column = layout.choosing(chosen("id", "assay.goldPpm"), [Record(LOT)], len).shown[1]
    assert (column.name, column.kind, column.right, column.fraction) == ("assay.goldPpm", Kind.NUMBER, True, 1)


def test_a_nested_column_grows_with_what_comes() -> None:
    layout = Layout(chosen("a.b")).saw([Record({"a": {"b": "x"}})], len)
    assert layout.shown[0].width == MIN_WIDTH
    assert layout.saw([Record({"a": {"b": "x" * 20}})], len).shown[0].width == 20


def test_a_chosen_field_that_comes_later_learns_its_kind() -> None:
    layout = Layout(chosen("a.b", "c")).saw([Record({"id": "1"})], len)
    assert [column.kind for column in layout.shown] == [Kind.NULL, Kind.NULL]
    layout = layout.saw([Record({"id": "1", "a": {"b": number("2.25")}, "c": True})], len)
    assert [column.kind for column in layout.shown] == [Kind.NUMBER, Kind.FLAG]


def test_the_last_word_of_a_path_tells_what_kind_it_is() -> None:
    record = Record({"id": "1", "assay": {"grade": "low"}, "tunnel": {"id": "t-1"}})
    layout = Layout(chosen("assay.grade", "tunnel.id")).saw([record], len)
    assert [column.kind for column in layout.shown] == [Kind.CHOICE, Kind.REFERENCE]


def test_a_width_by_hand_stays_whatever_comes() -> None:
    layout = Layout(chosen(("note", 6), ("id", 1), "massKg")).saw([Record({**LOT, "note": "x" * 30})], len)
    assert [column.width for column in layout.shown] == [6, MIN_WIDTH, 6]
    assert [column.by_hand for column in layout.shown] == [True, True, False]
    by_content = layout.choosing(chosen("note"), [], len)
    assert by_content.shown[0].width == 30


def test_raw_values_have_room_where_nobody_set_a_width() -> None:
    columns = Layout(chosen("createdAt", ("status", 4))).saw([Record(LOT)], len).shown
    assert [column.width for column in columns] == [16, 4]
    assert [column.width for column in widen_for_raw(columns, [Record(LOT)], len)] == [20, 4]


def test_all_paths_that_were_seen_can_be_chosen() -> None:
    paths = paths_seen([Record({"id": "1", "a": {"b": {"c": 1 == 1}}}), Record({"d": None})])
    assert paths == ("id", "a", "a.b", "a.b.c", "d")


def test_widths_follow_what_is_held_within_bounds() -> None:
    short = Record({"id": "1", "b": "x" * 500, "c": "medium sized", "aNameThatIsMuchTooLongForAColumn": True})
    widths = {column.name: column.width for column in choose_columns([short], len)}
    assert widths == {"id": MIN_WIDTH, "b": MAX_WIDTH, "c": 12, "aNameThatIsMuchTooLongForAColumn": 16}


def test_widths_are_measured_in_cells() -> None:
    wide = Record({"id": "1", "city": "坑道坑道坑道"})
    columns = choose_columns([wide], lambda text: sum(2 if character > "\u2e00" else 1 for character in text))
    assert columns[1].width == 12


def test_numbers_stand_point_under_point() -> None:
    texts = ("1.5", "12.25", "100", "-3", "1e9")
    column = choose_columns([Record({"massKg": number(text)}) for text in texts], len)[0]
    assert column.right
    drawn = [align_number(text, column).rjust(column.width) for text in texts]
    assert drawn == [
        "  1.5 ",
        " 12.25",
        "100   ",
        " -3   ",
        "   1e9",
    ]


def test_new_fields_come_last_and_nothing_moves() -> None:
    columns = choose_columns([Record({"id": "1", "note": "x"})], len)
    more = widen(columns, [Record({"status": "open", "id": "1", "note": "longer note"})], len)
    assert names(more) == ["id", "note", "status"]
    assert more[1].width == len("longer note")


def test_a_field_seen_only_as_null_learns_its_kind() -> None:
    columns = choose_columns([Record({"id": "1", "massKg": None})], len)
    assert columns[1].kind is Kind.NULL
    more = widen(columns, [Record({"id": "2", "massKg": number("5.25")})], len)
    assert (more[1].kind, more[1].right) == (Kind.NUMBER, True)


@given(st.lists(records, max_size=5))
def test_columns_only_ever_grow(pages: list[list[Record]]) -> None:
    columns: tuple[Column, ...] = ()
    for page in pages:
        before, columns = columns, widen(columns, page, len)
        assert names(columns)[: len(before)] == names(before)
        assert all(now.width >= then.width for now, then in zip(columns, before, strict=False))
        assert all(MIN_WIDTH <= column.width <= MAX_WIDTH for column in columns)
    assert {name for page in pages for record in page for name in record.fields} == set(names(columns))


@given(records)
def test_a_value_that_was_seen_fits_or_fills_the_widest_column(page: list[Record]) -> None:
    for column in choose_columns(page, len):
        for record in page:
            value = record.fields.get(column.name)
            if isinstance(value, str) and column.kind is Kind.TEXT:
                assert column.width >= min(MAX_WIDTH, len(value))


def test_the_most_telling_come_first_and_one_time_is_enough_before_the_numbers() -> None:
    fields: dict[str, Json] = {
        "updatedAt": "2026-11-20T05:12:00Z",
        "closedAt": "2026-11-20T05:12:00Z",
        "tunnelId": "tun-12",
        "sealed": True,
        "massKg": number("1204.50"),
        "status": "open",
        "name": "Copper ore",
        "id": "lot-000001",
        "assay": {"auPpm": number("1.0")},
    }
    names = [column.name for column in choose_columns([Record(fields)], len)]
    assert names == ["id", "name", "status", "updatedAt", "massKg", "tunnelId", "closedAt", "sealed", "assay"]


@given(st.permutations(["note", "NAME", "fullName", *LABEL_NAMES[1:]]), st.integers(1, 10))
def test_the_first_column_after_the_id_is_what_the_record_is_called_by(order: list[str], count: int) -> None:
    record = Record({name: f"the {name}" for name in ["id", *order[:count]]})
    first = choose_columns([record], len)[1].name
    assert record.label == (record.fields[first] if first.casefold() in LABEL_NAMES else "")
