"""Where columns stand: what is read as another value where it is cut stays whole while a text can give way."""

import pytest
from rich.style import Style

from svc_tui.core.filters import parse_filter
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.records.columns import Column
from svc_tui.ui.widgets.table.cell_painter import CELL_ROLES, CellPainter
from svc_tui.ui.widgets.table.column_geometry import ColumnGeometry

_PLAIN = Style()
ID, NAME, STATUS = Column("id", Kind.ID, 10), Column("name", Kind.TEXT, 25), Column("status", Kind.CHOICE, 12)


def widths(*columns: Column, cells: int) -> list[int]:
    return [at.column.width for at in ColumnGeometry(columns, cells).view(0)]


@pytest.mark.parametrize("kind", [Kind.CHOICE, Kind.TIME, Kind.NUMBER])
def test_the_widest_text_gives_way_to_a_status_a_time_or_a_number_that_would_be_cut(kind: Kind) -> None:
    assert widths(ID, NAME, replace(STATUS, kind=kind), cells=46) == [10, 20, 12]
    assert widths(ID, NAME, replace(STATUS, kind=kind), cells=51) == [10, 25, 12]


def test_the_mark_that_more_columns_follow_stands_on_no_name() -> None:
    number = replace(STATUS, kind=Kind.NUMBER)
    assert widths(ID, NAME, number, NAME, cells=51) == [10, 24, 12]
    assert widths(ID, NAME, number, NAME, cells=52) == [10, 25, 12]
    # The name of a column at its left end is not under it.
    assert widths(ID, NAME, STATUS, NAME, cells=51) == [10, 25, 12]


def test_another_column_is_cut_and_a_width_by_hand_stays() -> None:
    assert widths(ID, NAME, replace(STATUS, kind=Kind.FLAG), cells=46) == [10, 25, 7]
    assert widths(ID, replace(NAME, by_hand=True), STATUS, cells=46) == [10, 25, 7]


def test_a_text_gives_way_only_as_far_as_something_of_it_can_be_read() -> None:
    assert widths(ID, replace(NAME, width=14), STATUS, cells=35) == [10, 14, 7]


@pytest.mark.parametrize(("cells", "text"), [(12, "◐ in transit"), (7, "◐      "), (4, "◐   ")])
def test_a_status_without_room_is_its_mark(cells: int, text: str) -> None:
    painter = CellPainter(_PLAIN, dict.fromkeys(CELL_ROLES, _PLAIN))
    drawn = painter.cell(replace(STATUS, width=cells), 0, Record({"id": "lot-1", "status": "in_transit"}))
    assert "".join(segment.text for segment in drawn) == text


@pytest.mark.parametrize("over", [None, Style(reverse=True)])
def test_what_a_filter_looks_for_stands_out_in_the_cells_of_its_field_only(over: Style | None) -> None:
    styles = {**dict.fromkeys(CELL_ROLES, _PLAIN), "match": Style(bold=True)}
    painter = CellPainter(
        _PLAIN, styles, filter=parse_filter("ore status:op !name:silver grade=8", {"status": "status"})
    )
    record = Record({"id": "lot-1", "name": "Silver doré ore", "status": "open ore op"})

    def strong(column: Column) -> list[str]:
        segments = painter.cell(column, 1, record, over=over)
        assert all(segment.style.reverse for segment in segments if over and segment.style and segment.text.strip())
        return [segment.text for segment in segments if segment.style and segment.style.bold]

    assert strong(NAME) == ["oré", "ore"]
    assert strong(replace(STATUS, kind=Kind.TEXT)) == ["op", "ore", "op"]
    assert strong(ID) == []
