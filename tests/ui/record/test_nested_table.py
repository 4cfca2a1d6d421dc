"""The table of what hangs under a record: what it asks for, and when it asks for nothing."""

from svc_tui.core.catalog import Collection
from svc_tui.core.settings import Profile
from svc_tui.core.views import ChosenColumn
from svc_tui.service.routes import nested_collection
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.record.record_views import NestedPane
from tests.ui.memory_gateway import LOTS, MemoryGateway
from tests.ui.memory_preferences import remembered, unsaved_drafts
from tests.ui.stage import Stage, picture, until


def attachments(lot: int) -> Collection:
    return nested_collection(LOTS, f"lot-{lot:06d}", "attachments")


class NestedTableStage(Stage):
    """A pane, and what it told of its frame."""

    def __init__(self, gateway: MemoryGateway) -> None:
        self.memory = remembered()
        super().__init__(lambda: [NestedPane(gateway, Profile("test"), self.memory, RecordStore(), unsaved_drafts())])
        self.framed: list[str] = []

    @property
    def pane(self) -> NestedPane:
        return self.query_one(NestedPane)

    def on_nested_pane_frame_changed(self, event: NestedPane.FrameChanged) -> None:
        self.framed.append(event.count)


async def test_a_record_that_a_cursor_passes_by_is_asked_for_nothing() -> None:
    gateway = MemoryGateway(120)
    app = NestedTableStage(gateway)
    async with app.run_test(size=(60, 12)) as pilot:
        for lot in range(1, 30):
            app.pane.show_collection(attachments(lot), delayed=True)
        await until(pilot, lambda: "lot-000001" in "\n".join(picture(app)))
        assert app.pane.collection == attachments(29)
        assert app.pane.open_collections.collections == (attachments(29),)
        await until(pilot, lambda: app.framed[-1:] == ["1–11 of 120"])
        # Two pages: what is in view, and the one after it.
        await until(pilot, lambda: not gateway.under_way)
        assert {number for _, number, _ in gateway.asked} <= {1, 2}


async def test_nothing_is_asked_for_what_is_out_of_sight_again() -> None:
    gateway = MemoryGateway(120)
    app = NestedTableStage(gateway)
    async with app.run_test(size=(60, 12)) as pilot:
        app.pane.show_collection(attachments(1), delayed=True)
        app.pane.show_collection(None)
        app.pane.show_collection(attachments(2))
        await until(pilot, lambda: app.framed[-1:] == ["1–11 of 120"])
        assert app.pane.open_collections.collections == (attachments(2),)
        app.pane.show_collection(None)
        await until(pilot, lambda: app.framed[-1:] == [""])
        assert app.pane.collection is None
        assert "lot-000001" not in "\n".join(picture(app))


async def test_columns_that_were_chosen_hold_for_the_attachments_of_every_record() -> None:
    app = NestedTableStage(MemoryGateway(20))
    async with app.run_test(size=(60, 12)) as pilot:
        app.pane.show_collection(attachments(1))
        await until(pilot, lambda: bool(app.pane.table.columns))
        app.pane.choose_columns([ChosenColumn("status"), ChosenColumn("grade")])
        await until(pilot, lambda: bool(app.memory.habit(attachments(2).kind).last.columns))
        app.pane.show_collection(attachments(2))
        await until(pilot, lambda: app.pane.rows.loaded)
        assert [column.name for column in app.pane.table.columns] == ["status", "grade"]
