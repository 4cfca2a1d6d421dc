"""One check of a connection: a mark, its name, what was found, and what to do."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import CHECK_NAMES
from svc_tui.ui.text import pad, styled

_MARKS = {
    CheckVerdict.PASSED: ("✓", "$role-ok"),
    CheckVerdict.WARNING: ("!", "$role-warning"),
    CheckVerdict.FAILED: ("✗", "$role-danger"),
    CheckVerdict.SKIPPED: ("–", "$role-muted"),
}
_NAME_CELLS = max(map(len, CHECK_NAMES))


class CheckLine(Horizontal):
    """A check that is still to be made, until it is shown as made."""

    DEFAULT_CSS = f"""
    CheckLine {{ height: auto; }}
    CheckLine > .head {{ width: {_NAME_CELLS + 4}; }}
    CheckLine > .result {{ width: 1fr; height: auto; }}
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.check_name = name

    def compose(self) -> ComposeResult:
        """What stands left, and the place of what will be found."""
        yield Static(self._head("·", "$role-muted"), classes="head")
        yield Static("", classes="result")

    def show(self, check: CheckResult) -> None:
        """Show how the check ended."""
        self.query_one(".head", Static).update(self._head(*_MARKS[check.verdict]))
        quiet = "$role-muted" if check.verdict is CheckVerdict.SKIPPED else ""
        content = styled(check.result, quiet)
        if check.advice:
            content = Content.assemble(content, "\n", styled(check.advice, "$role-muted"))
        self.query_one(".result", Static).update(content)

    def clear(self) -> None:
        """The check is to be made again."""
        self.query_one(".head", Static).update(self._head("·", "$role-muted"))
        self.query_one(".result", Static).update("")

    def _head(self, mark: str, style: str) -> Content:
        return Content.assemble((mark, style), f" {pad(self.check_name, _NAME_CELLS)}")
