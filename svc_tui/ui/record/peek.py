"""`p`: another record's main fields, without leaving this one."""

import asyncio
from datetime import tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.core.draft import Draft
from svc_tui.core.kinds import kind_of
from svc_tui.core.outline import outline
from svc_tui.core.records import Place, Record
from svc_tui.service.errors import ServiceError
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.report import error_report
from svc_tui.ui.text import shorten, styled, visible
from svc_tui.ui.widgets.record.field_lines import ValueFormat, draw_line, label_cells

PEEK_SECONDS = 0.3
"""How long the record is waited for before the dialog opens without it."""

_MAX_CELLS = 72
_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


def peek_content(record: Record, tz: tzinfo, cells: int) -> Content:
    """The record's fields in groups, nested values folded, in lines of at most `cells` cells."""
    kinds = {name: kind_of(name, [value]) for name, value in record.fields.items()}
    lines = outline(record.fields, kinds)
    look, draft = ValueFormat(lambda name: kinds[name], tz=tz), Draft(record)
    label = label_cells(lines, cells)
    return Content("\n").join(draw_line(line, draft, look, False, label, cells).content for line in lines)


class PeekScreen(Dialog[bool]):
    """Shows the record at `place`, once it is `coming` no more; gives True where one wants to go there."""

    DEFAULT_CSS = """
    PeekScreen VerticalScroll { height: auto; max-height: 70vh; scrollbar-size-vertical: 1; }
    PeekScreen.-reading VerticalScroll { height: 12; }
    """

    BINDINGS = [
        Binding("enter", "go", "Open", id="peek.go", tooltip="Open this record"),
        Binding("p,q", "cancel", "Close", show=False, id="peek.close", tooltip="Close the preview"),
    ]

    def __init__(self, place: Place, coming: asyncio.Future[Record], tz: tzinfo) -> None:
        super().__init__()
        self._place, self._coming, self._tz = place, coming, tz
        self._record: Record | None = None
        self._problem = ""
        self._is_loading = not coming.done()
        if not self._is_loading:
            self._take()
        self.set_class(self._is_loading, "-reading")

    def compose(self) -> ComposeResult:
        """What is known of the record."""
        title = styled(shorten(visible(self._place.key), _MAX_CELLS - 4))
        with DialogFrame(title, self._keys) as frame, VerticalScroll():
            frame.border_subtitle = "loading" if self._is_loading else ""
            yield Static(self._words(self.app.size.width))

    def on_mount(self) -> None:
        """Wait for the record where it is not here yet."""
        self.query_one(VerticalScroll).focus()
        if self._is_loading:
            self.run_worker(self._wait(), group="peek")

    async def _wait(self) -> None:
        await asyncio.wait({self._coming})
        self._is_loading = False
        self._take()
        self.remove_class("-reading")
        self.query_one("#dialog").border_subtitle = ""
        self.name_keys(self._keys)
        self._write(self.app.size.width)

    def _take(self) -> None:
        """Take the record that has come, or why it has not."""
        try:
            self._record = self._coming.result()
        except ServiceError as error:
            self._problem = error_report(error).body

    @property
    def _keys(self) -> str:
        return "esc close" if self._record is None else "enter open · esc close"

    def on_resize(self, event: events.Resize) -> None:
        """Write it for the cells there are."""
        self._write(event.size.width)

    def _write(self, width: int) -> None:
        self.query_one(Static).update(self._words(width))

    def _words(self, width: int) -> Content:
        if self._record is not None:
            return peek_content(self._record, self._tz, min(_MAX_CELLS, width - _MARGIN_CELLS))
        return styled(self._problem, "$role-danger", lines=True)

    def action_go(self) -> None:
        """Open it, once it is known to be there."""
        if self._record is not None:
            self.dismiss(True)
