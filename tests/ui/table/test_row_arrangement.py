"""Filtering and sorting what is loaded: in one paint where it is quick, in slices where it is not."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from svc_tui.core.jsontext import Json
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.storage.record_store import RecordStore
from svc_tui.storage.record_tables import Query
from svc_tui.ui.table import row_arrangement
from tests.ui.browsing import PaneStage, quiet, text
from tests.ui.memory_gateway import LOTS, TUNNELS, MemoryGateway, lot
from tests.ui.stage import picture, until

COUNT = 1000


@pytest.fixture
def one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice is looked at, and then no more until somebody asks for it."""
    monkeypatch.setattr(row_arrangement, "_AT_ONCE_ROWS", 0)
    monkeypatch.setattr(row_arrangement, "_AT_ONCE_SECONDS", 0)
    monkeypatch.setattr(row_arrangement, "_PAUSE_SECONDS", 3600)


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """One slice is looked at after the other."""
    monkeypatch.setattr(row_arrangement, "_AT_ONCE_ROWS", 0)
    monkeypatch.setattr(row_arrangement, "_AT_ONCE_SECONDS", 0)
    monkeypatch.setattr(row_arrangement, "_SLICE_SECONDS", 0)


@asynccontextmanager
async def loaded(make: Callable[[int], Record] = lot) -> AsyncIterator[tuple[PaneStage, Pilot[Any]]]:
    """A pane with all of a thousand lots loaded, and the line of the filter open."""
    gateway = MemoryGateway(COUNT, make=make)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 20)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.rows.cached == COUNT)
        app.pane.arrangement.start_filter()
        await until(pilot, lambda: app.pane.filter_line.has_focus_within)
        yield app, pilot


def fitting(word: str) -> list[str]:
    """The ids of the lots that hold a word."""

    def values(value: Json) -> str:
        return value if isinstance(value, str) else str(value)

    lots = [lot(row).fields for row in range(COUNT)]
    return [values(fields["id"]) for fields in lots if any(word in values(value) for value in fields.values())]


async def test_what_is_typed_and_the_rows_that_fit_it_are_there_to_be_painted_at_once() -> None:
    async with loaded() as (app, pilot):
        app.pane.filter_line.line.insert_text_at_cursor("w")
        # Nothing else has had its turn: no paint can come between the two.
        assert app.pane.table.rows.count == len(fitting("w"))
        await until(pilot, lambda: "filter w" in text(app))
        assert "/ w" in text(app)


async def test_a_key_that_leaves_as_many_rows_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with loaded() as (app, pilot):
        await pilot.press("w", "e")
        await until(pilot, lambda: "filter we ✕" in text(app))
        layouts: list[str] = []
        lay_out = Screen._refresh_layout

        def laid_out(screen: Screen[Any], *args: Any, **options: Any) -> None:
            layouts.append(text(app))
            lay_out(screen, *args, **options)

        monkeypatch.setattr(Screen, "_refresh_layout", laid_out)
        await pilot.press("i")
        await until(pilot, lambda: "filter wei ✕" in text(app))
        assert not layouts


@pytest.mark.usefixtures("one_slice")
async def test_the_first_rows_are_shown_before_all_are_looked_through_and_enter_waits_for_all() -> None:
    async with loaded() as (app, pilot):
        await pilot.press("w")
        await until(pilot, lambda: "filter w" in text(app))
        assert "33+ matches in 1,000 ─╮" in picture(app)[0], "of the first 200"
        assert fitting("w")[0] in text(app)
        await pilot.press("enter")
        await until(pilot, lambda: f"{len(fitting('w'))} matches in 1,000 ─╮" in picture(app)[0])
        assert app.pane.table.has_focus
        assert [record.id for record in app.pane.arrangement.records()] == fitting("w")


@pytest.mark.usefixtures("small_slices")
async def test_the_rest_follows_by_itself() -> None:
    async with loaded() as (app, pilot):
        await pilot.press("w")
        await until(pilot, lambda: f"{len(fitting('w'))} matches in 1,000 ─╮" in picture(app)[0])
        assert app.pane.table.rows.count == len(fitting("w"))
        assert app.pane.table.cursor_row == 0


@pytest.mark.usefixtures("one_slice")
async def test_a_newer_key_takes_the_place_of_one_that_is_not_done() -> None:
    async with loaded() as (app, pilot):
        await pilot.press("w", "e")
        await until(pilot, lambda: "filter we ✕" in text(app))
        assert "+ matches in 1,000 ─╮" in picture(app)[0]
        app.pane.arrangement.finish()
        await until(pilot, lambda: f"{len(fitting('we'))} matches in 1,000 ─╮" in picture(app)[0])
        await pilot.press("backspace", "backspace")
        await until(pilot, lambda: "1–" in picture(app)[0])
        assert "filter" not in text(app)
        assert app.pane.table.rows.count == COUNT


@pytest.mark.usefixtures("one_slice")
async def test_nothing_is_shown_before_it_is_known_whether_the_record_under_the_cursor_stays() -> None:
    async with loaded() as (app, pilot):
        app.pane.table.move_to(905)
        await pilot.press("w")
        await until(pilot, lambda: "/ w" in text(app))
        assert "filter w" not in text(app)
        assert app.pane.arrangement.filter.text == "w", "although it is what the user wants"
        app.pane.arrangement.finish()
        await until(pilot, lambda: "filter w" in text(app))
        assert app.pane.table.cursor_record == lot(905)


@pytest.mark.usefixtures("one_slice")
async def test_the_cursor_whose_record_is_gone_goes_to_the_row_that_fits_best_of_all() -> None:
    def pointing(row: int) -> Record:
        return Record({**lot(row).fields, "note": "weighed with lot-000900" if row else ""})

    async with loaded(pointing) as (app, pilot):
        app.pane.arrangement.filter_by("lot-000900")
        assert app.pane.table.cursor_record == pointing(1)
        app.pane.arrangement.finish()
        assert app.pane.table.cursor_record == pointing(899)
        assert app.pane.table.cursor_row == 0
        await pilot.pause()


@pytest.mark.parametrize("moved", [False, True])
async def test_what_arrives_and_fits_better_gets_the_cursor_unless_the_user_has_moved_it(moved: bool) -> None:
    def pointing(row: int) -> Record:
        return Record({**lot(row).fields, "note": "weighed with lot-000900" if row else ""})

    gateway = MemoryGateway(COUNT, make=pointing)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 20)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert app.pane.rows.cached < 900
        app.pane.arrangement.start_filter()
        await until(pilot, lambda: app.pane.filter_line.has_focus_within)
        await pilot.press(*"lot-000900", "enter")
        assert app.pane.table.cursor_record == pointing(1)
        if moved:
            await pilot.press("down")
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.rows.cached == COUNT)
        await until(pilot, lambda: app.pane.table.rows.get(0) == pointing(899))
        assert app.pane.table.cursor_record == (pointing(2) if moved else pointing(899))


@pytest.mark.usefixtures("one_slice")
async def test_an_order_is_shown_when_all_is_sorted() -> None:
    async with loaded() as (app, pilot):
        app.pane.arrangement.sort_by(Sort("id", descending=True))
        assert app.pane.view.sort == Sort("id", descending=True)
        await pilot.pause()
        assert not app.pane.table.sort
        app.pane.arrangement.filter_by("we")
        app.pane.arrangement.finish()
        await until(pilot, lambda: fitting("we")[-1] in text(app))
        assert app.pane.table.sort == Sort("id", descending=True)
        assert [record.id for record in app.pane.arrangement.records()] == fitting("we")[::-1]


@pytest.mark.usefixtures("one_slice")
async def test_a_newer_reading_of_a_record_is_in_what_is_being_looked_through() -> None:
    async with loaded() as (app, pilot):
        app.pane.table.move_to(905)
        await pilot.press("w")
        await until(pilot, lambda: "/ w" in text(app))
        app.pane.replace(Record({**lot(2).fields, "note": "wet"}))
        app.pane.arrangement.finish()
        assert "lot-000003" in [record.id for record in app.pane.arrangement.records()]


@pytest.mark.usefixtures("one_slice")
async def test_a_collection_that_is_left_meanwhile_is_found_as_it_was_wanted() -> None:
    async with loaded() as (app, pilot):
        app.pane.table.move_to(905)
        await pilot.press("w")
        await until(pilot, lambda: "/ w" in text(app))
        app.pane.open(TUNNELS)
        assert not app.pane.filter_line.has_class("-open")
        await until(pilot, lambda: app.pane.rows.loaded)
        app.pane.open(LOTS)
        await until(pilot, lambda: f"{len(fitting('w'))} matches in 1,000 ─╮" in picture(app)[0])
        assert app.pane.table.cursor_record == lot(905)


async def test_what_a_condition_will_ask_about_is_made_ready_while_its_field_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with loaded() as (app, pilot):
        assert app.pane.open_collections.current is not None
        asked: list[str] = []
        prepare = RecordStore.prepare

        def prepared(store: RecordStore, query: Query, path: str) -> Iterator[None]:
            asked.append(path)
            return prepare(store, query, path)

        monkeypatch.setattr(RecordStore, "prepare", prepared)
        await pilot.press(*"note", ":")
        await until(pilot, lambda: asked == ["note", "note"])


async def test_the_line_of_the_filter_goes_with_the_rows_it_is_about() -> None:
    async with loaded() as (app, pilot):
        line = app.pane.filter_line
        app.pane.set_service_query((("status", "open"),))
        assert not line.has_class("-open")
        app.pane.arrangement.start_filter()
        app.pane.open(TUNNELS)
        assert not line.has_class("-open")
        app.pane.arrangement.start_filter()
        assert app.pane.open_collections.close() == LOTS
        app.pane.open(LOTS)
        assert not line.has_class("-open")
        app.pane.arrangement.start_filter()
        app.pane.show_nothing()
        assert not line.has_class("-open")
        await pilot.pause()
