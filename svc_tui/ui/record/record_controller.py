"""Following, previewing and paging the values of the selected record."""

import asyncio
from collections.abc import Sequence
from datetime import tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Absent
from svc_tui.core.kinds import kind_of
from svc_tui.core.outline import OutlineEntry, is_nested, outline, path_text
from svc_tui.core.records import Place, Record, id_field
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.text import shorten, styled, visible
from svc_tui.ui.widgets.record.field_lines import ValueFormat, draw_line, label_cells

_MAX_CHOICES = 200
"""Records offered of those that a value references, at most."""
_PREVIEW_DELAY_SECONDS = 0.3
"""Seconds that the preview waits for its record before it opens without it."""
_MAX_CELLS = 72
_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


class RecordController:
    """Actions on the values of the selected record; the coroutines run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # References

    def follow(self) -> None:
        """Open the record that the value under the cursor references; if it can't be loaded, stay."""
        places = self._references()
        if len(places) > 1:
            self._context.ask(self._choose_and_follow(places))
        elif places:
            self._start_following(places[0])

    async def _choose_and_follow(self, places: Sequence[Place]) -> None:
        place = await self._choose(places)
        if place is not None:
            self._start_following(place)

    def _start_following(self, place: Place) -> None:
        # Not by `ask`: keys need not wait for the response.
        self._context.screen.run_worker(self._load_and_open(place), group="follow", exclusive=True)

    async def _load_and_open(self, place: Place) -> None:
        here = self._context.selection.place
        try:
            reading = await self._load(place)
        except NotFound:
            self._context.notify(Report(f"{place.key} does not exist (404).", severity="warning"))
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.record_id}"))
        else:
            # A user who went elsewhere meanwhile stays there.
            if self._context.selection.place == here:
                self._context.go(place, reading)

    async def peek(self) -> None:
        """Preview the record that the value under the cursor references, and open it if the user wants that."""
        places = self._references()
        place = await self._choose(places) if places else None
        if place is None:
            return
        readings: list[RecordReading] = []

        async def load_masked() -> Record:
            readings.append(await self._load(place))
            return self._context.privacy_mask.record(readings[-1].record, place.collection.domain)

        loading = asyncio.ensure_future(load_masked())
        # Mostly it is loaded at once: then the dialog opens with its final height.
        await asyncio.wait({loading}, timeout=_PREVIEW_DELAY_SECONDS)
        try:
            if await self._context.show(PeekScreen(place, loading, self._context.tz)):
                self._context.go(place, readings[-1])
        finally:
            loading.cancel()

    def _references(self) -> Sequence[Place]:
        workspace = self._context.workspace
        steps = workspace.selection.steps
        places = workspace.selection.references(steps, workspace.selection.value) if steps else ()
        if not places:
            self._context.notify(Report(availability.NO_NAMED))
        return places

    async def _choose(self, places: Sequence[Place]) -> Place | None:
        if len(places) == 1:
            return places[0]
        from svc_tui.ui.dialogs.menu import ChooseRecordScreen

        return await self._context.show(ChooseRecordScreen(places[:_MAX_CHOICES]))

    async def _load(self, place: Place) -> RecordReading:
        return await self._context.gateway.reading(place.collection, place.id)

    # Full values and texts

    def opened(self, entry: OutlineEntry, truncated: bool) -> None:
        """Handle Enter on a value: follow its reference, or show the full text of a truncated one."""
        if self._context.selection.references(entry.path, entry.value):
            self.follow()
        elif truncated and isinstance(entry.value, str):
            self._context.ask(self._show_full_text(path_text(entry.path), entry.value))
        else:
            record = self._context.selection.record
            is_id = record is not None and entry.path == (id_field(record.fields),)
            self._context.notify(
                Report(availability.ITS_ID if is_id else f"{availability.NO_NAMED} Press e to edit it.")
            )

    async def _show_full_text(self, path: str, text: str) -> None:
        from svc_tui.ui.dialogs.text_dialog import TextViewerScreen

        if await self._context.show(TextViewerScreen(path, text)):
            await self.show_in_pager(text)

    async def page(self) -> None:
        """Show in the user's pager the text of the open tab or console, the value under the cursor, or the record."""
        text = self._text()
        if text is None:
            self._context.notify(Report(availability.NOTHING_TO_PAGE))
        else:
            await self.show_in_pager(text)

    def _text(self) -> str | None:
        from svc_tui.console.copy_as import record_json, value_text

        workspace = self._context.workspace
        if workspace.text is not None:
            return workspace.text
        value, record = workspace.selection.seen_value, workspace.selection.seen
        if not isinstance(value, Absent) and (isinstance(value, str) or is_nested(value)):
            return value_text(value)
        return None if record is None else record_json(record)

    async def show_in_pager(self, text: str) -> None:
        """Show a text in the user's pager."""
        from svc_tui.ui.terminal.pager import PagerError, show_in_pager

        try:
            environment = await asyncio.to_thread(self._context.session.child_environment)
            await show_in_pager(self._context.screen.app, text, environment)
        except PagerError as error:
            self._context.notify(Report(str(error), "Pager not opened", "warning"))


class PeekScreen(Dialog[bool]):
    """A preview of the record at `place`, once it is loaded. The result is True if the user opens the record."""

    DEFAULT_CSS = """
    PeekScreen VerticalScroll { height: auto; max-height: 70vh; scrollbar-size-vertical: 1; }
    PeekScreen.-reading VerticalScroll { height: 12; }
    """

    BINDINGS = [
        Binding("enter", "go", "Open", id="peek.go", tooltip="Open this record"),
        Binding("p,q", "cancel", "Close", show=False, id="peek.close", tooltip="Close the preview"),
    ]

    def __init__(self, place: Place, loading: asyncio.Future[Record], tz: tzinfo) -> None:
        super().__init__()
        self._place, self._loading_record, self._tz = place, loading, tz
        self._record: Record | None = None
        self._problem = ""
        self._is_loading = not loading.done()
        if not self._is_loading:
            self._take_result()
        self.set_class(self._is_loading, "-reading")

    def compose(self) -> ComposeResult:
        """Compose the fields of the record."""
        title = styled(shorten(visible(self._place.key), _MAX_CELLS - 4))
        with DialogFrame(title, self._keys) as frame, VerticalScroll():
            frame.border_subtitle = "loading" if self._is_loading else ""
            yield Static(self._content(self.app.size.width))

    def on_mount(self) -> None:
        """Wait for the record if it is still loading."""
        self.query_one(VerticalScroll).focus()
        if self._is_loading:
            self.run_worker(self._wait(), group="peek")

    async def _wait(self) -> None:
        await asyncio.wait({self._loading_record})
        self._is_loading = False
        self._take_result()
        self.remove_class("-reading")
        self.query_one("#dialog").border_subtitle = ""
        self.name_keys(self._keys)
        self._write(self.app.size.width)

    def _take_result(self) -> None:
        try:
            self._record = self._loading_record.result()
        except ServiceError as error:
            self._problem = error_report(error).body

    @property
    def _keys(self) -> str:
        return "esc close" if self._record is None else "enter open · esc close"

    def on_resize(self, event: events.Resize) -> None:
        """Write the fields for the new width."""
        self._write(event.size.width)

    def _write(self, width: int) -> None:
        self.query_one(Static).update(self._content(width))

    def _content(self, width: int) -> Content:
        if self._record is not None:
            return _preview_content(self._record, self._tz, min(_MAX_CELLS, width - _MARGIN_CELLS))
        return styled(self._problem, "$role-danger", lines=True)

    def action_go(self) -> None:
        """Open the record if it is loaded."""
        if self._record is not None:
            self.dismiss(True)


def _preview_content(record: Record, tz: tzinfo, cells: int) -> Content:
    """Return the fields of a record in groups, nested values folded, in lines of at most `cells` cells."""
    kinds = {name: kind_of(name, [value]) for name, value in record.fields.items()}
    lines = outline(record.fields, kinds)
    value_format, draft = ValueFormat(lambda name: kinds[name], tz=tz), Draft(record)
    label = label_cells(lines, cells)
    return Content("\n").join(draw_line(line, draft, value_format, False, label, cells).content for line in lines)
