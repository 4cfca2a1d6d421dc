"""The header of a table: what it says of order and zone, and what a mouse does with it."""

from datetime import timedelta, timezone
from typing import NamedTuple

import pytest

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Page
from svc_tui.core.views import ChosenColumn, Sort, next_sort
from svc_tui.records.columns import Column, Layout
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.widgets.table.column_geometry import GAP_CELLS, ColumnGeometry, HeaderMouse
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.ui.memory_gateway import lot
from tests.ui.stage import Stage, picture, until

CET = timezone(timedelta(hours=1), "CET")
LOTS = tuple(lot(row) for row in range(30))


class ColumnSized(NamedTuple):
    """A column has another width."""

    field: str
    width: int | None
    kept: bool


class HeaderStage(Stage):
    """A table and what its header told."""

    def __init__(self) -> None:
        super().__init__(lambda: [RecordTable(CET)])
        self.told: list[object] = []

    @property
    def table(self) -> RecordTable:
        return self.query_one(RecordTable)

    def show(self, *fields: str) -> None:
        rows = SparseRows(RecordStore(), "lots", 50)
        rows.add(Page(LOTS, 1, 50, len(LOTS)))
        self.table.show(rows, Layout(tuple(map(ChosenColumn, fields))).saw(LOTS, len).shown)

    def start_of(self, field: str) -> int:
        """The first cell of a column."""
        return picture(self)[0].index(field)

    def on_record_table_sort_wanted(self, message: RecordTable.SortWanted) -> None:
        self.told.append(message.field)

    def on_record_table_column_sized(self, message: RecordTable.ColumnSized) -> None:
        self.told.append(ColumnSized(message.field, message.width, message.kept))


async def test_the_order_is_marked_in_the_head_of_its_column() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "massKg", "grade")
        app.table.sort = Sort("massKg")
        # Its values leave no room for it: it stands in the gap.
        await until(pilot, lambda: " massKg▲ " in picture(app)[0])
        app.table.sort = Sort("grade", descending=True)
        await until(pilot, lambda: "▼" in picture(app)[0] and "▲" not in picture(app)[0])


async def test_times_are_the_readers_and_their_zone_stands_in_the_header() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "createdAt", "grade")
        await until(pilot, lambda: "createdAt CET" in picture(app)[0])
        assert "2026-01-01 06:12" in picture(app)[1]
        app.table.raw = True
        await until(pilot, lambda: "CET" not in picture(app)[0])
        assert "2026-01-01T05:1" in picture(app)[1]


async def test_a_click_on_a_head_asks_for_its_order_and_moves_no_cursor() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "massKg", "grade")
        await until(pilot, lambda: "grade" in picture(app)[0])
        await pilot.click(RecordTable, offset=(app.start_of("grade"), 0))
        await pilot.click(RecordTable, offset=(79, 0))
        assert app.told == ["grade"]
        assert (app.table.cursor_row, app.table.cursor_column) == (0, 0)


def test_clicks_go_round_ascending_descending_and_off() -> None:
    first = next_sort(Sort("other", descending=True), "grade")
    assert first == Sort("grade")
    assert next_sort(first, "grade") == Sort("grade", descending=True)
    assert next_sort(Sort("grade", descending=True), "grade") is None


async def test_an_edge_that_is_dragged_gives_the_column_its_width() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "massKg", "grade")
        await until(pilot, lambda: "grade" in picture(app)[0])
        width = app.table.columns[1].width
        edge = app.start_of("massKg") - (width - 6) + width
        await pilot.mouse_down(RecordTable, offset=(edge, 0))
        await pilot.hover(RecordTable, offset=(edge + 5, 0))
        await pilot.mouse_up(RecordTable, offset=(edge + 5, 0))
        assert app.told == [ColumnSized("massKg", width + 5, False), ColumnSized("massKg", width + 5, True)]
        assert app.mouse_captured is None
        await pilot.hover(RecordTable, offset=(edge + 9, 0))
        assert len(app.told) == 2


async def test_an_edge_clicked_twice_takes_the_width_of_the_values() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "grade", "status")
        await until(pilot, lambda: "status" in picture(app)[0])
        edge = app.start_of("status") - GAP_CELLS
        await pilot.click(RecordTable, offset=(edge, 0))
        assert app.told == []
        await pilot.double_click(RecordTable, offset=(edge, 0))
        assert app.told == [ColumnSized("grade", None, True)]


async def test_a_nested_column_shows_what_the_draft_makes_of_it() -> None:
    app = HeaderStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.show("id", "assay.goldPpm", "assay.silverPpm")
        await until(pilot, lambda: "1.5" in picture(app)[1])
        fields = {"goldPpm": number("7.25"), "silverPpm": number("12")}
        app.table.drafts = {"lot-000001": Draft(LOTS[0]).with_value("assay", fields)}
        await until(pilot, lambda: "7.25*" in picture(app)[1])
        assert "12*" not in picture(app)[1]
        assert "1.5" in picture(app)[2]


def test_what_was_pressed_elsewhere_does_not_sort_where_it_is_let_go() -> None:
    geometry = ColumnGeometry([Column("id", Kind.ID, 4), Column("a", Kind.TEXT, 6)], 24)
    mouse = HeaderMouse()
    assert mouse.press(geometry, 4, 0)
    assert mouse.move(7) == ("id", 7)
    assert mouse.release(7) == ("id", 7)
    assert mouse.click(geometry, 7, 0, 1) is None
    assert not mouse.press(geometry, 7, 0)
    assert mouse.click(geometry, 7, 0, 1) == "a"
    assert mouse.click(geometry, 1, 0, 1) is None


@pytest.mark.parametrize("x", [0, 6, 14])
def test_every_cell_of_a_header_belongs_to_at_most_one_edge(x: int) -> None:
    columns = [
        Column("id", Kind.ID, 4),
        Column("a", Kind.TEXT, 6),
        Column("b", Kind.TEXT, 6),
        Column("c", Kind.TEXT, 9),
    ]
    geometry = ColumnGeometry(columns, 24)
    for placed in geometry.view(x):
        cells = range(placed.start + placed.column.width, placed.start + placed.column.width + placed.gap)
        assert all(geometry.edge(cell, x) == placed.index for cell in cells)
        assert geometry.edge(placed.start, x) is None
