"""The base of dialogs that run the doctor's checks of a key pair."""

from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Generic

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Static

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import CHECK_NAMES, KEY_FORM, SERVICE_CHECKS
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, DialogResult
from svc_tui.ui.text import pad, styled

_FRAME_ROWS = 8
"""Rows of the screen beside the checks."""
_MIN_ROWS = 3


class ChecksDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog that runs checks, and again on request; a subclass has the checks, and what follows them."""

    DEFAULT_CSS = """
    ChecksDialog > #dialog { overflow-y: hidden; }
    ChecksDialog VerticalScroll { height: auto; scrollbar-size-vertical: 1; }
    ChecksDialog #verdict { height: auto; max-height: 3; margin-top: 1; }
    """

    BINDINGS = [Binding("r", "again", "Check again", id="checking.again", tooltip="Run the checks again")]

    AUTO_FOCUS = "VerticalScroll"

    _lines = query_one(VerticalScroll)
    _verdict = query_one("#verdict", Static)

    def __init__(self, title: Content) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Compose a line for each check, the verdict, and the buttons."""
        with DialogFrame(self._title):
            with VerticalScroll():
                for name in (KEY_FORM, *SERVICE_CHECKS):
                    yield CheckLine(name)
            yield Static("", id="verdict")
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Back", "cancel", button_id="back")
                yield DialogButton("r Check again", "again", button_id="again")
                yield from self._more_buttons()

    def _more_buttons(self) -> Iterator[Button]:
        """Return further buttons."""
        yield from ()

    def on_mount(self) -> None:
        """Start the checks."""
        self.action_again()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the checks to the screen."""
        self._lines.styles.max_height = max(_MIN_ROWS, event.size.height - _FRAME_ROWS)

    def action_again(self) -> None:
        """Run all checks again."""
        for line in self.query(CheckLine):
            line.clear()
        self._say("Checking…", "$role-muted")
        self.run_worker(self._check(), group="checks", exclusive=True)

    async def _check(self) -> None:
        lines = {line.check_name: line for line in self.query(CheckLine)}
        checks: list[CheckResult] = []
        async for check in self._checks():
            checks.append(check)
            lines[check.name].show(check)
        await self._checked(checks)

    def _say(self, text: str, style: str) -> None:
        """Show the verdict, or the progress."""
        self._verdict.update(styled(text, style))

    @abstractmethod
    def _checks(self) -> AsyncIterator[CheckResult]:
        """Return the results of the checks, each as soon as it is known."""

    @abstractmethod
    async def _checked(self, checks: Sequence[CheckResult]) -> None:
        """Show the verdict on all results."""


_MARKS = {
    CheckVerdict.PASSED: ("✓", "$role-ok"),
    CheckVerdict.WARNING: ("!", "$role-warning"),
    CheckVerdict.FAILED: ("✗", "$role-danger"),
    CheckVerdict.SKIPPED: ("–", "$role-muted"),
}
_NAME_CELLS = max(map(len, CHECK_NAMES))


class CheckLine(Horizontal):
    """A check of a connection, with its result once there is one."""

    DEFAULT_CSS = f"""
    CheckLine {{ height: auto; }}
    CheckLine > .head {{ width: {_NAME_CELLS + 4}; }}
    CheckLine > .result {{ width: 1fr; height: auto; }}
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.check_name = name

    def compose(self) -> ComposeResult:
        """Show the name, and an empty result."""
        yield Static(self._head("·", "$role-muted"), classes="head")
        yield Static("", classes="result")

    def show(self, check: CheckResult) -> None:
        """Show the result of the check."""
        self.query_one(".head", Static).update(self._head(*_MARKS[check.verdict]))
        quiet = "$role-muted" if check.verdict is CheckVerdict.SKIPPED else ""
        content = styled(check.result, quiet)
        if check.advice:
            content = Content.assemble(content, "\n", styled(check.advice, "$role-muted"))
        self.query_one(".result", Static).update(content)

    def clear(self) -> None:
        """Remove the result, before the check is repeated."""
        self.query_one(".head", Static).update(self._head("·", "$role-muted"))
        self.query_one(".result", Static).update("")

    def _head(self, mark: str, style: str) -> Content:
        return Content.assemble((mark, style), f" {pad(self.check_name, _NAME_CELLS)}")
