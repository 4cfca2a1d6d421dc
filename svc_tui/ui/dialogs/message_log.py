"""The notices of this session, newest first."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.report import MARKS, Report
from svc_tui.ui.text import styled


class MessageLogScreen(Dialog[None]):
    """A dialog with the notices of this session."""

    DEFAULT_CSS = """
    MessageLogScreen VerticalScroll { height: auto; max-height: 20; scrollbar-size-vertical: 1; }
    """

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__()
        self._reports = tuple(reports)

    def compose(self) -> ComposeResult:
        """Compose the notices, or that there are none."""
        with DialogFrame("Messages", "↑ ↓ scroll · esc close"), VerticalScroll():
            if self._reports:
                yield Static(Content("\n").join(map(_report_line, reversed(self._reports))))
            else:
                yield Static("No messages yet.", classes="hint", markup=False)


def _report_line(report: Report) -> Content:
    return Content.assemble(MARKS[report.severity], " ", styled(report.line, lines=True))
