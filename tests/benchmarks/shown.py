"""A table of lots on a terminal, for the benchmarks: the program, its pane alone, or the table of another library.

Run as a module it takes one of `PROGRAMS` and a number of rows: `python -m tests.benchmarks.shown app 10000000`. The
tables of the others hold all their rows, as they must; ours reads them from a gateway in the same process.
"""

import asyncio
import gc
import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.widgets import DataTable

from svc_tui.bootstrap.sessions import BrowserSessions
from svc_tui.bootstrap.startup import RunStorage
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.core.credentials import Environment
from svc_tui.core.kinds import display_text, kind_of_value
from svc_tui.core.settings import Profile
from svc_tui.storage.key_fingerprints import FILE_NAME, KeyInUse
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.ui.app.browser_app import SvcTui
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.text import visible
from tests.browser import beginning_of
from tests.ui.browsing import empty_pane
from tests.ui.memory_gateway import LOTS, MemoryGateway, lot
from tests.ui.stage import Stage

CHUNK = 10_000
"""Rows after which those of the other tables come again, since a million different ones take a while to be made."""


class _LoadingApp(SvcTui):
    """Reads all pages once it knows how many there are, as far as there is room."""

    # Textual looks for it beside the module of the class.
    CSS_PATH = str(Path(inspect.getfile(SvcTui)).with_name("styles") / "app.tcss")

    def on_table_pane_count_known(self, _: TablePane.CountKnown) -> None:
        self.main.workspace.browse.viewport.load_rest()


async def show_app(count: int, make: type[SvcTui] = SvcTui, *, index: bool = False) -> None:
    """The whole program; with an index, that in the directory `INDEXES`, or one that is built."""
    with tempfile.TemporaryDirectory() as directory:
        state = Path(directory)
        if "INDEXES" in os.environ:
            (state / "indexes").symlink_to(os.environ["INDEXES"])
            (state / FILE_NAME).symlink_to(Path(os.environ["INDEXES"], FILE_NAME))
        where = Locations(state / "config.toml", state)
        storage = RunStorage(where, FilePreferences(where))
        async with (
            Store.open(where.database) as store,
            BrowserSessions(storage, store, SystemEditor(dict), None) as sessions,
        ):
            scope = StorageScope("benchmark", Environment.SANDBOX, "benchmark")
            profile = Profile("benchmark", index=index, team=os.environ.get("TEAM_URL", ""))
            # Any one will do: nothing here is signed.
            key = KeyInUse(store.fingerprints, lambda: "svc_test_benchmark")
            session = sessions.around(MemoryGateway(count), profile, scope, "", key)
            if profile.team:
                session = sessions.in_team(session, lambda: "")
            app = make(beginning_of(session), place=LOTS.name)
            await _run(app)


async def show_indexed(count: int) -> None:
    """The whole program with an index."""
    await show_app(count, index=True)


async def show_loaded(count: int) -> None:
    """The whole program with all its rows read."""
    await show_app(count, _LoadingApp)


class _PaneApp(Stage):
    """The pane of a collection, and nothing else."""

    def __init__(self, count: int) -> None:
        super().__init__(lambda: [empty_pane(MemoryGateway(count), Profile("benchmark"))])

    def on_mount(self) -> None:
        pane = self.query_one(TablePane)
        pane.open(LOTS)
        pane.table.focus()


async def show_pane(count: int) -> None:
    """Our table in its pane."""
    await _run(_PaneApp(count))


class _DataTableApp(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def compose(self) -> ComposeResult:
        yield DataTable()

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        columns = _columns()
        table.add_columns(*columns)
        rows = list(zip(*columns.values(), strict=True))
        for first in range(0, self._count, CHUNK):
            table.add_rows(rows[: self._count - first])
        table.focus()


async def show_datatable(count: int) -> None:
    """Textual's own DataTable."""
    await _run(_DataTableApp(count))


async def show_fastdatatable(count: int) -> None:
    """The DataTable of textual-fastdatatable, over Arrow."""
    from textual_fastdatatable import DataTable as FastDataTable

    class FastApp(App[None]):
        ENABLE_COMMAND_PALETTE = False

        def compose(self) -> ComposeResult:
            yield FastDataTable(data={name: texts * (count // CHUNK) for name, texts in _columns().items()})

        def on_mount(self) -> None:
            self.query_one(FastDataTable).focus()

    await _run(FastApp())


PROGRAMS: Mapping[str, Callable[[int], Coroutine[Any, Any, None]]] = {
    "app": show_app,
    "team": show_app,
    "loaded": show_loaded,
    "indexed": show_indexed,
    "indexing": show_indexed,
    "pane": show_pane,
    "datatable": show_datatable,
    "fastdatatable": show_fastdatatable,
}


def _columns() -> dict[str, list[str]]:
    """The fields of the first `CHUNK` lots, shown as we show them, but for what the others would take for markup."""
    lots = [lot(row).fields for row in range(CHUNK)]
    return {
        name: [
            visible(display_text(fields[name], kind_of_value(fields[name])).text).replace("[", "(") for fields in lots
        ]
        for name in lots[0]
    }


async def _run(app: App[None] | App[object]) -> None:
    # What was made at the start is never looked at again by the collector, as in the program itself.
    asyncio.get_running_loop().call_later(1.0, gc.freeze)
    await app.run_async()


if __name__ == "__main__":
    asyncio.run(PROGRAMS[sys.argv[1]](int(sys.argv[2])))
