"""A browse pane alone on a stage, with what it told; what tests of it share."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from textual.pilot import Pilot

from svc_tui.core.settings import Profile
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.table.table_pane import TablePane
from tests.ui.memory_gateway import LOTS, MemoryGateway
from tests.ui.memory_preferences import remembered, unsaved_drafts
from tests.ui.stage import Stage, picture, until


def empty_pane(
    gateway: MemoryGateway,
    profile: Profile | None = None,
    drafts: Drafts | None = None,
    memory: RememberedChoices | None = None,
    **clock: Any,
) -> TablePane:
    """A pane over a gateway, with nothing read yet; `clock` is its `monotonic`, or its `tz`."""
    drafts, memory = unsaved_drafts() if drafts is None else drafts, memory or remembered()
    return TablePane(gateway, profile or Profile("test"), memory, RecordStore(), drafts, **clock)


class PaneStage(Stage):
    """A pane and what it told."""

    def __init__(
        self, gateway: MemoryGateway, profile: Profile | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        self.drafts = unsaved_drafts()
        super().__init__(lambda: [empty_pane(gateway, profile, self.drafts, monotonic=now)])
        self.told: list[object] = []
        self.notices: list[str] = []

    @property
    def pane(self) -> TablePane:
        return self.query_one(TablePane)

    def start(self) -> None:
        self.pane.open(LOTS)
        self.pane.table.focus()

    def on_table_pane_cursor_moved(self, message: TablePane.CursorMoved) -> None:
        self.told.append((message.row, message.record.id if message.record else None))

    def on_table_pane_record_chosen(self, message: TablePane.RecordChosen) -> None:
        self.told.append((message.collection.name, message.record.id))

    def on_table_pane_rows_failed(self, message: TablePane.RowsFailed) -> None:
        self.told.append(message.error)

    def on_table_pane_notice_posted(self, message: TablePane.NoticePosted) -> None:
        self.notices.append(message.text)

    def on_table_pane_count_known(self, message: TablePane.CountKnown) -> None:
        self.told.append((message.collection.name, message.total))


def text(app: Stage) -> str:
    """What the screen shows, line under line."""
    return "\n".join(picture(app))


def at_rest(pane: TablePane) -> bool:
    """Whether the view has come to rest, and no page is under way."""
    loader = pane.open_collections.loader
    return loader is not None and pane.viewport._rest_timer is None and not loader.under_way


def looked_at(pane: TablePane) -> bool:
    """Whether what came into view has been looked at; a view that was just laid out is, a moment later."""
    sheet = pane.open_collections.current
    return sheet is None or bool(sheet.arranged) or sheet.view == pane.table.view


async def quiet(app: PaneStage, pilot: Pilot[object], gateway: MemoryGateway) -> None:
    """Wait until the view rests, nothing is under way and nothing more is wanted."""

    def rests() -> bool:
        rows, idle = app.pane.rows, at_rest(app.pane) and not gateway.under_way
        return idle and looked_at(app.pane) and rows.queue.next_page() is None and rows.loaded

    await pilot.pause()
    await until(pilot, rests)
    await pilot.pause()
