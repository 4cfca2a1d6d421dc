"""The table alone: what it draws, where the cursor goes, what it tells, and that drawing asks for nothing."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from textual.app import App
from textual.geometry import Region

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import number
from svc_tui.core.kinds import MASKED
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.records.columns import choose_columns
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.session.masking import Mask
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.app.theming import theme_of
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.ui.memory_gateway import lot
from tests.ui.stage import DUSK, Stage, picture, until


def cells(text: str) -> int:
    return measure(visible(text))


def filled(records: Sequence[Record], size: int = 50) -> SparseRows:
    """Rows that are all there."""
    rows = SparseRows(RecordStore(), "lots", size, max_records=len(records) + 3 * size)
    for first in range(0, max(1, len(records)), size):
        rows.add(Page(tuple(records[first : first + size]), first // size + 1, size, len(records)))
    return rows


class RowsShown(NamedTuple):
    """Rows came into view."""

    first: int
    until: int


class CursorMoved(NamedTuple):
    """The cursor is on another record."""

    row: int
    record_id: str | None


class TableStage(Stage):
    """A table and the messages it sent."""

    def __init__(self) -> None:
        super().__init__(lambda: [RecordTable()])
        self.told: list[object] = []

    @property
    def table(self) -> RecordTable:
        return self.query_one(RecordTable)

    def show(self, records: Sequence[Record]) -> SparseRows:
        rows = filled(records)
        self.table.show(rows, choose_columns(records[:50], cells))
        self.table.focus()
        return rows

    def on_record_table_rows_shown(self, message: RecordTable.RowsShown) -> None:
        self.told.append(RowsShown(message.first, message.until))

    def on_record_table_cursor_moved(self, message: RecordTable.CursorMoved) -> None:
        self.told.append(CursorMoved(message.row, message.record_id))

    def on_record_table_record_chosen(self, message: RecordTable.RecordChosen) -> None:
        self.told.append(message.record)

    def on_record_table_end_wanted(self) -> None:
        self.told.append("end wanted")


def colours(app: App[object], y: int, text: str) -> set[str]:
    """The foregrounds in which `text` is drawn in line `y`."""
    strip = app.screen._compositor.render_strips()[y]
    found: set[str] = set()
    for segment in strip:
        if text in segment.text and segment.style is not None and segment.style.color is not None:
            found.add(segment.style.color.name)
    return found


def background(app: App[object], y: int, x: int) -> str:
    """The colour behind cell (x, y)."""
    strip = app.screen._compositor.render_strips()[y].crop(x, x + 1)
    segment: Segment = next(iter(strip))
    assert segment.style is not None
    assert segment.style.bgcolor is not None
    return segment.style.bgcolor.name


async def test_values_are_drawn_as_what_they_are() -> None:
    app = TableStage()
    async with app.run_test(size=(120, 10)) as pilot:
        app.show([lot(row) for row in range(8)])
        await pilot.pause()
        lines = picture(app)
        assert lines[0].split() == [
            "id", "status", "createdAt", "UTC", "massKg", "tunnelId", "grade", "sealed", "note", "parts›",
        ]  # fmt: skip
        assert lines[1].split() == [
            "lot-000001", "●", "open", "2026-01-01", "05:12", "0.00", "tunnel-001", "A", "✓", "∅", "[]",
        ]  # fmt: skip
        assert "◐ in transit" in lines[2]
        assert '""' in lines[2]
        assert "[/x] [bold]" in lines[3]
        assert "坑道" in lines[4]
        assert "a⇥b␛[31m" in lines[5]
        assert colours(app, 4, "rejected") == {DUSK.danger}
        assert colours(app, 5, "316.76") == {DUSK.number}
        assert colours(app, 5, "tunnel-005") == {DUSK.reference}
        assert colours(app, 5, "lot-") == {DUSK.muted}


async def test_numbers_stand_point_under_point_and_wide_characters_move_nothing() -> None:
    records = [
        Record({"id": "坑道-1", "massKg": number("1.5"), "end": "|x"}),
        Record({"id": "b", "massKg": number("120.25"), "end": "|x"}),
        Record({"id": "👩‍🚀", "massKg": number("-3"), "end": "|x"}),
    ]
    app = TableStage()
    async with app.run_test(size=(60, 6)) as pilot:
        app.show(records)
        await pilot.pause()
        lines = picture(app)[1:4]
        assert [measure(line[: line.index("|")]) for line in lines] == [measure(lines[0][: lines[0].index("|")])] * 3
        assert measure(lines[0][: lines[0].index(".")]) == lines[1].index(".")


async def test_an_id_is_shown_raw() -> None:
    app = TableStage()
    async with app.run_test(size=(60, 6)) as pilot:
        app.show([Record({"id": number(12345678)}), Record({"id": number(9)})])
        await pilot.pause()
        assert [line.strip() for line in picture(app)[1:3]] == ["12345678", "9"]


async def test_the_id_stays_while_the_rest_scrolls_and_the_header_says_there_is_more() -> None:
    app = TableStage()
    async with app.run_test(size=(60, 10)) as pilot:
        app.show([lot(row) for row in range(8)])
        await pilot.pause()
        header = picture(app)[0]
        assert header.endswith("›")
        assert "‹" not in header
        for _ in range(9):
            await pilot.press("right")
        header = picture(app)[0]
        assert header.startswith("id")
        assert "‹" in header
        assert not header.endswith("›")
        assert header.split()[-1] == "assay"
        assert app.table.cursor_field == "assay"
        assert picture(app)[3].startswith("lot-000003")
        await pilot.press(*["left"] * 9)
        assert "‹" not in picture(app)[0]


async def test_no_number_is_ever_shown_by_half() -> None:
    app = TableStage()
    records = [Record({"id": f"l-{row}", "a": number("123456"), "b": number("654321")}) for row in range(3)]
    for width in range(8, 30):
        async with app.run_test(size=(width, 6)) as pilot:
            app.show(records)
            await pilot.pause()
            for word in picture(app)[1].split()[1:]:
                assert word in ("123456", "654321") or word.endswith("…")
        app = TableStage()


async def test_the_cursor_moves_by_row_page_and_end_and_stays_inside() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([lot(row) for row in range(120)])
        table = app.table
        await pilot.press("up")
        assert table.cursor_row == 0
        await pilot.press("down", "j", "j", "k")
        assert table.cursor_row == 2
        await pilot.press("pagedown")
        assert (table.cursor_row, table.view) == (12, (10, 20))
        await pilot.press("pageup")
        assert (table.cursor_row, table.view) == (2, (0, 10))
        await pilot.press("G")
        assert (table.cursor_row, table.view) == (119, (110, 120))
        await pilot.press("down", "pagedown")
        assert table.cursor_row == 119
        assert picture(app)[10].startswith("lot-000120")
        await pilot.press("home")
        assert (table.cursor_row, table.view) == (0, (0, 10))
        await pilot.press("end", "g", "l", "l", "h")
        assert (table.cursor_row, table.cursor_column) == (0, 1)
        assert app.told.count("end wanted") == 2


async def test_it_tells_what_is_in_view_and_where_the_cursor_is() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([lot(row) for row in range(120)])
        await pilot.pause()
        assert app.told == [RowsShown(0, 10), CursorMoved(0, "lot-000001")]
        app.told.clear()
        await pilot.press("down")
        assert app.told == [CursorMoved(1, "lot-000002")]
        await pilot.press("pagedown")
        assert app.told[1:] == [RowsShown(10, 20), CursorMoved(11, "lot-000012")]
        await pilot.press("enter")
        assert app.told[3:] == [lot(11)]


async def test_a_click_moves_the_cursor_and_a_double_click_opens() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([lot(row) for row in range(5)])
        await pilot.pause()
        column = picture(app)[0].index("grade")
        await pilot.click(RecordTable, offset=(column, 3))
        assert (app.table.cursor_row, app.table.cursor_field) == (2, "grade")
        assert lot(2) not in app.told
        await pilot.click(RecordTable, offset=(column, 8))
        await pilot.click(RecordTable, offset=(column, 0))
        assert app.table.cursor_row == 2, "nothing is there"
        await pilot.double_click(RecordTable, offset=(2, 5))
        assert app.told[-1] == lot(4)


async def test_the_cursor_has_a_line_and_a_cell() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([lot(row) for row in range(5)])
        await pilot.press("down", "right")
        assert background(app, 2, 13) == DUSK.accent
        assert background(app, 2, 0) == background(app, 2, 97) == DUSK.panel
        assert background(app, 1, 0) == DUSK.background


async def test_a_drafts_cells_are_marked_and_show_the_new_value() -> None:
    app = TableStage()
    async with app.run_test(size=(120, 8)) as pilot:
        app.show([lot(row) for row in range(5)])
        await pilot.press("down", "down", "down")
        app.table.drafts = {"lot-000002": Draft(lot(1)).with_value("grade", "Z").with_value("massKg", number("7"))}
        await pilot.pause()
        lines = picture(app)
        assert "Z*" in lines[2]
        assert "7*" in lines[2]
        assert "*" not in lines[1] + lines[3]
        assert colours(app, 2, "Z*") == {DUSK.changed}
        # Where the value is hidden, the mark still tells that it was changed.
        app.table.mask = Mask.of(["massKg"]).draft
        await until(pilot, lambda: "7*" not in "\n".join(picture(app)))
        assert MASKED[:4] in picture(app)[2]
        assert picture(app)[2].count("*") == 2
        app.table.mask = None
        app.table.drafts = {}
        await pilot.pause()
        assert "*" not in picture(app)[2]


async def test_rows_that_have_not_come_wait_and_are_drawn_when_they_come() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        rows = SparseRows(RecordStore(), "lots", 10)
        first = [lot(row) for row in range(10)]
        rows.add(Page(tuple(first), 1, 10, 900_000))
        app.table.show(rows, choose_columns(first, cells))
        app.table.focus()
        app.table.move_to(899_999)
        await pilot.pause()
        assert all(line.startswith("┄┄┄ ") for line in picture(app)[1:])
        assert rows.queue.next_page() is None, "drawing wants nothing"
        app.told.clear()
        last = Page(tuple(lot(row) for row in range(899_990, 900_000)), 90_000, 10, 900_000)
        app.table.rows_changed(rows.add(last))
        await pilot.pause()
        assert picture(app)[10].startswith("lot-900000")
        assert app.told == [CursorMoved(899_999, "lot-900000")]


async def test_a_failed_page_says_why_in_one_line() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        rows = SparseRows(RecordStore(), "lots", 5)
        first = [lot(row) for row in range(5)]
        rows.add(Page(tuple(first), 1, 5, 100))
        rows.queue.started(2)
        rows.queue.failed(2, "no answer from [gateway]")
        app.table.show(rows, choose_columns(first, cells))
        await pilot.pause()
        said = [line for line in picture(app) if "no answer from [gateway]" in line]
        assert said == ["✕ no answer from [gateway] · r Retry"]
        assert colours(app, 6, "no answer") == {DUSK.danger}
        app.table.scroll_to(y=7, animate=False)
        await pilot.pause()
        assert "r Retry" in picture(app)[1], "it stays in view while any of the page is"


async def test_another_theme_is_seen_at_once() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 8)) as pilot:
        app.show([lot(row) for row in range(5)])
        await pilot.pause()
        assert colours(app, 3, "158.38") == {DUSK.number}
        app.register_theme(theme_of(replace(DUSK, name="dawn", number="#123456", background="#fafafa")))
        app.theme = "dawn"
        await pilot.pause()
        assert colours(app, 3, "158.38") == {"#123456"}
        assert background(app, 3, 30) == "#fafafa"


async def test_fewer_rows_bring_the_cursor_back_inside() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        rows = app.show([lot(row) for row in range(60)])
        await pilot.press("G")
        assert app.table.cursor_row == 59
        app.table.rows_changed(rows.add(Page(tuple(lot(row) for row in range(50, 53)), 2, 50, 53)))
        await pilot.pause()
        assert (app.table.cursor_row, app.table.view) == (52, (43, 53))
        assert picture(app)[10].startswith("lot-000053")


async def test_an_empty_collection_is_an_empty_table() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([])
        await pilot.press("down", "G", "enter", "right", "pagedown", "home")
        assert app.table.cursor_row == 0
        assert app.table.cursor_record is None
        assert app.table.cursor_field is None


async def test_every_action_has_a_name_of_its_own() -> None:
    bindings = [binding for binding in RecordTable.BINDINGS if not isinstance(binding, tuple)]
    assert len({binding.id for binding in bindings}) == len(bindings)
    assert all(binding.tooltip and binding.description for binding in bindings)


async def test_lines_are_as_wide_as_the_table_with_the_bar_and_without() -> None:
    app = TableStage()
    async with app.run_test(size=(60, 10)) as pilot:
        for count in (3, 300):
            app.show([lot(number) for number in range(1, count + 1)])
            await pilot.pause()
            assert app.table.show_vertical_scrollbar == (count == 300)
            width = app.table.size.width
            lines = app.table.render_lines(Region(0, 0, width, 4))
            assert [line.cell_length for line in lines] == [width] * 4


async def test_a_window_of_no_size_draws_nothing_and_survives() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 11)) as pilot:
        app.show([lot(row) for row in range(60)])
        for width, height in ((1, 1), (2, 2), (12, 1), (13, 3), (200, 60)):
            await pilot.resize_terminal(width, height)
            await pilot.press("down", "right", "pagedown")
            assert len(picture(app)) == height
        assert "lot-000001" in picture(app)[1] or app.table.view[0] > 0


async def test_a_bar_that_was_left_past_its_end_is_put_where_the_view_is() -> None:
    app = TableStage()
    async with app.run_test(size=(80, 20)) as pilot:
        app.show([Record({"id": f"lot-{row}"}) for row in range(300)])
        await pilot.pause()
        table = app.table
        table.focus()
        # As when the view was smaller, and its last line lower.
        table.vertical_scrollbar.position = table.max_scroll_y + 10
        await pilot.press("G")
        await until(pilot, lambda: table.scroll_y == table.max_scroll_y)
        assert table.vertical_scrollbar.position == table.max_scroll_y
