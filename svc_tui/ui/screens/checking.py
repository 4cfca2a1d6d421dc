"""The page of the welcome that tries the key: every check as it comes, and whether to keep the key."""

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Static

from svc_tui.domain.diagnosis import EXAMINED, KEY_FORM, Check, Verdict
from svc_tui.domain.newconnection import Access, Connecting, Fit, Typed, fit
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.check_line import CheckLine

_AROUND = 7
"""Rows that are not the checks': the frame, the verdict, a blank line, the buttons."""
_LEAST = 3


class CheckingScreen(Dialog[None]):
    """Makes the checks at once; a key that the service refuses is kept only by somebody who says so twice."""

    DEFAULT_CSS = """
    CheckingScreen { background: $role-background; }
    CheckingScreen > #dialog { overflow-y: hidden; }
    CheckingScreen VerticalScroll { height: auto; scrollbar-size-vertical: 1; }
    CheckingScreen #verdict { height: auto; max-height: 3; margin-top: 1; }
    CheckingScreen Button:disabled { text-opacity: 0%; }
    """

    BINDINGS = [
        Binding("r", "again", "Again", id="checking.again", tooltip="Make the checks again"),
        Binding("k", "keep", "Keep", id="checking.keep", tooltip="Go on to where the key is kept"),
    ]

    AUTO_FOCUS = "VerticalScroll"

    _lines = query_one(VerticalScroll)
    _verdict = query_one("#verdict", Static)
    _keep = query_one("#keep", Button)

    def __init__(self, connecting: Connecting, typed: Typed, access: Access) -> None:
        super().__init__()
        self._connecting, self._typed, self._access = connecting, typed, access
        self._fit: Fit | None = None
        """What the checks say; None until all are made."""
        self._warned = False
        """Whether it was said what keeping a refused key means."""

    def compose(self) -> ComposeResult:
        """A line for each check, what they come to, and three buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = shown(f"{self._access.pair.environment.label} · {self._access.base_url}")
            dialog.border_subtitle = "esc back, what was typed stays"
            with VerticalScroll():
                for name in (KEY_FORM, *EXAMINED):
                    yield CheckLine(name)
            yield Static("", id="verdict")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc Back"), id="back")
                yield Button(Content("r Again"), id="again")
                yield Button(Content("k Keep…"), id="keep", disabled=True)

    def on_mount(self) -> None:
        """Begin at once."""
        self.action_again()

    def on_resize(self, event: events.Resize) -> None:
        """Give the checks the rows that the rest leaves."""
        self._lines.styles.max_height = max(_LEAST, event.size.height - _AROUND)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        {"back": self.action_cancel, "again": self.action_again, "keep": self.action_keep}[event.button.id or ""]()

    def action_again(self) -> None:
        """Make the checks, from the first one on."""
        self._fit, self._warned = None, False
        for line in self.query(CheckLine):
            line.clear()
        if self._keep.has_focus:
            self._lines.focus()
        self._keep.disabled = True
        self._verdict.update(shown("Checking…", "$role-muted"))
        self.run_worker(self._check(), group="checks", exclusive=True)

    def action_keep(self) -> None:
        """On to where the key is kept; a refused one after a warning."""
        if self._fit is None:
            return
        if self._fit is Fit.REFUSED and not self._warned:
            self._warned = True
            told = "The service refused this key: kept, it opens nothing until that is mended. k again keeps it anyway."
            self._verdict.update(shown(told, "$role-danger"))
            return
        from svc_tui.ui.screens.keeping import KeepingScreen

        self.app.push_screen(KeepingScreen(self._connecting, self._typed, self._access))

    async def _check(self) -> None:
        lines = {line.check_name: line for line in self.query(CheckLine)}
        checks: list[Check] = []
        async for check in self._connecting.check(self._access):
            checks.append(check)
            lines[check.name].show(check)
        self._fit = fit(checks)
        failed = ", ".join(check.name for check in checks if check.verdict is Verdict.FAILED)
        match self._fit:
            case Fit.WORKS:
                told = shown("The service takes this key.", "$role-ok")
            case Fit.UNKNOWN:
                told = shown(
                    f"Failed: {failed}. Whether key and secret are right is not known yet; they can be kept anyway.",
                    "$role-warning",
                )
            case Fit.REFUSED:
                told = shown(f"The service does not take this key: {failed}. esc goes back to it.", "$role-danger")
        self._verdict.update(told)
        self._keep.disabled = False
        if self._fit is Fit.WORKS:
            self._keep.focus()
