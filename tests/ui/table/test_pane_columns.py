"""The columns of the browse pane: chosen by the user, else by the profile, else by what comes; remembered; stable."""

import asyncio
from datetime import UTC, timedelta, timezone, tzinfo

from textual.pilot import Pilot

from svc_tui.core.records import Record
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.core.views import ChosenColumn, RememberedView, Sort, View
from svc_tui.records.columns import MIN_WIDTH
from svc_tui.session.memory import SavedChoices
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.ui.browsing import empty_pane
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway, lot
from tests.ui.memory_preferences import MemoryPreferences, remembered
from tests.ui.stage import Stage, picture, until

GRADES = Profile("test", collections={"operations/lots": CollectionSettings(columns=("id", "grade"))})


class TableStage(Stage):
    """A pane, and the preferences in which it keeps what was chosen."""

    def __init__(
        self,
        *chosen: ChosenColumn,
        profile: Profile | None = None,
        gateway: MemoryGateway | None = None,
        preferences: MemoryPreferences | None = None,
        tz: tzinfo = UTC,
    ) -> None:
        self.preferences = preferences or MemoryPreferences(
            SavedChoices(habits={"operations/lots": RememberedView(View(columns=chosen))})
        )
        memory, gateway = remembered(self.preferences), gateway or MemoryGateway(200)
        super().__init__(lambda: [empty_pane(gateway, profile, memory=memory, tz=tz)])

    @property
    def pane(self) -> TablePane:
        return self.query_one(TablePane)

    @property
    def names(self) -> list[str]:
        """The columns on show."""
        return [column.name for column in self.pane.table.columns]

    @property
    def kept(self) -> tuple[ChosenColumn, ...]:
        """What is remembered of the columns."""
        return self.preferences.memory.habits["operations/lots"].last.columns

    def width(self, name: str) -> int:
        return next(column.width for column in self.pane.table.columns if column.name == name)


async def opened(app: TableStage, pilot: Pilot[object]) -> None:
    app.pane.open(LOTS)
    app.pane.table.focus()
    await until(pilot, lambda: "lot-000001" in "\n".join(picture(app)))


async def test_what_somebody_chose_beats_the_profile_and_that_beats_what_comes() -> None:
    for chosen, profile, names in [
        ((ChosenColumn("massKg"), ChosenColumn("assay.goldPpm")), GRADES, ["massKg", "assay.goldPpm"]),
        ((), GRADES, ["id", "grade"]),
        ((), None, ["id", "status", "createdAt", "massKg", "tunnelId", "grade", "sealed", "note", "parts", "assay"]),
    ]:
        app = TableStage(*chosen, profile=profile)
        async with app.run_test(size=(80, 12)) as pilot:
            app.pane.open(LOTS)
            await until(pilot, lambda app=app: app.pane.table.columns)  # type: ignore[misc]
            assert app.names == names


async def test_a_choice_is_kept_and_made_again_at_the_next_start() -> None:
    chosen = (ChosenColumn("id", 12), ChosenColumn("assay.goldPpm"))
    first = TableStage()
    async with first.run_test(size=(80, 12)) as pilot:
        await opened(first, pilot)
        first.pane.choose_columns(chosen)
        await until(pilot, lambda: first.kept == chosen)
    again = TableStage(preferences=first.preferences)
    async with again.run_test(size=(80, 12)) as pilot:
        await opened(again, pilot)
        assert again.names == ["id", "assay.goldPpm"]
        assert again.width("id") == 12


async def test_what_is_only_tried_on_is_not_kept() -> None:
    app = TableStage()
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        app.pane.choose_columns((ChosenColumn("id"),), keep=False)
        await pilot.pause()
        assert (app.names, app.kept) == (["id"], ())


async def test_nothing_chosen_brings_back_what_the_profile_says() -> None:
    app = TableStage(ChosenColumn("massKg"), profile=GRADES)
    async with app.run_test(size=(80, 12)) as pilot:
        app.pane.open(LOTS)
        await until(pilot, lambda: app.names == ["massKg"])
        app.pane.choose_columns(())
        assert app.names == ["id", "grade"]
        await until(pilot, lambda: app.kept == ())


async def test_a_field_that_is_not_there_yet_stays_chosen_and_fills_when_it_comes() -> None:
    def make(row: int) -> Record:
        fields = dict(lot(row).fields)
        return Record({**fields, "late": {"word": "arrived"}} if row >= 150 else fields)

    app = TableStage(ChosenColumn("id"), ChosenColumn("late.word"), gateway=MemoryGateway(200, make=make))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        assert app.names == ["id", "late.word"]
        await pilot.press("G")
        await until(pilot, lambda: "arrived" in "\n".join(picture(app)))


async def test_columns_of_a_collection_are_its_own() -> None:
    app = TableStage(ChosenColumn("id"))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        app.pane.open(TUNNELS)
        await until(pilot, lambda: "status" in app.names)
        app.pane.open(LOTS)
        assert app.names == ["id"]


async def test_what_comes_while_nobody_looks_has_its_columns() -> None:
    gate = asyncio.Event()
    gateway = MemoryGateway(200, gate=gate)
    app = TableStage(gateway=gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.pane.open(LOTS)
        await until(pilot, lambda: gateway.under_way)
        app.pane.open(TUNNELS)
        gate.set()
        await until(pilot, lambda: not gateway.under_way and app.pane.rows.loaded)
        app.pane.open(LOTS)
        assert "status" in app.names


async def test_a_click_on_a_head_sorts_what_is_loaded() -> None:
    app = TableStage(ChosenColumn("id"), ChosenColumn("massKg", 12))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        at = picture(app)[1].index("massKg") - 2
        for sort, mark in ((Sort("massKg"), "▲"), (Sort("massKg", descending=True), "▼"), (None, "massKg")):
            await pilot.click(RecordTable, offset=(at, 0))
            await until(pilot, lambda sort=sort: app.pane.view.sort == sort)  # type: ignore[misc]
            await until(pilot, lambda mark=mark: mark in picture(app)[1])  # type: ignore[misc]


async def test_a_dragged_edge_is_followed_at_once_and_remembered_when_let_go() -> None:
    app = TableStage()
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        names, edge = app.names, app.width("id")
        await pilot.mouse_down(RecordTable, offset=(edge, 0))
        await pilot.hover(RecordTable, offset=(edge + 4, 0))
        await until(pilot, lambda: app.width("id") == edge + 4)
        assert app.kept == ()
        await pilot.mouse_up(RecordTable, offset=(edge + 4, 0))
        await until(pilot, lambda: ChosenColumn("id", edge + 4) in app.kept)
        assert app.names == names
        await pilot.double_click(RecordTable, offset=(edge + 4, 0))
        await until(pilot, lambda: app.width("id") == edge)


async def test_raw_values_are_said_and_have_room_and_go_again() -> None:
    app = TableStage()
    async with app.run_test(size=(100, 12)) as pilot:
        await opened(app, pilot)
        before = app.pane.table.columns
        app.pane.show_raw(True)
        await until(pilot, lambda: "2026-01-01T05:12:00Z" in picture(app)[2])
        assert "raw values" in picture(app)[-1]
        app.pane.show_raw(False)
        await until(pilot, lambda: "2026-01-01 05:12" in picture(app)[2])
        assert "raw values" not in picture(app)[-1]
        assert app.pane.table.columns == before


async def test_raw_columns_do_not_shrink_while_one_scrolls() -> None:
    def make(row: int) -> Record:
        return Record({"id": f"lot-{row + 1:06d}", "x": {"a": "wide" * (5 if row > 900 else 0)}})

    app = TableStage(profile=Profile("test", page_size=200), gateway=MemoryGateway(1000, make=make))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        app.pane.show_raw(True)
        await pilot.press("G")
        await until(pilot, lambda: "widewide" in "\n".join(picture(app)))
        wide = app.width("x")
        await pilot.press("g")
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.rows.cached == 1000)
        assert app.width("x") == wide > MIN_WIDTH


async def test_a_zone_that_no_head_has_room_for_is_said_in_the_frame() -> None:
    zone = timezone(timedelta(hours=2), "Somewhere Standard Time")
    app = TableStage(tz=zone)
    async with app.run_test(size=(100, 12)) as pilot:
        await opened(app, pilot)
        assert "times in Somewhere Standard Time" in picture(app)[-1]
        assert "2026-01-01 07:12" in picture(app)[2]
        app.pane.choose_columns((ChosenColumn("id"),))
        await until(pilot, lambda: "Somewhere" not in picture(app)[-1])


async def test_the_kind_of_a_hidden_column_is_known() -> None:
    app = TableStage(ChosenColumn("id"))
    async with app.run_test(size=(80, 12)) as pilot:
        await opened(app, pilot)
        kind = app.pane.kind_of("createdAt")
        assert kind is not None
        assert kind.value == "time"
        assert app.pane.kind_of("nothing") is None
