"""The app that reports an internal error after it ended the program: what is safe, where the log is, what to do."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.settings import Palette, Preferences
from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.app.crash import Crash
from svc_tui.ui.dialogs.dialog import Dialog, move_cursor
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, TerminalAbilities
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList


@dataclass(frozen=True, slots=True)
class CrashedApp:
    """An app that an internal error ended; `write_report` saves a report of it, and returns the line to show."""

    fault: Crash
    reassurance: str
    log_file: Path | None
    write_report: Callable[[], Awaitable[str]]


class CrashApp(BaseApp[bool]):
    """Returns True to start again."""

    def __init__(
        self,
        crashed: CrashedApp,
        palettes: Sequence[Palette],
        preferences: Preferences,
        *,
        terminal: TerminalAbilities = ALL_ABILITIES,
    ) -> None:
        super().__init__(palettes, preferences, terminal=terminal)
        self._crashed = crashed

    def get_default_screen(self) -> Screen[None]:
        """Return the only screen."""
        return CrashScreen(self._crashed)

    def _is_dialog_pending(self) -> bool:
        """Return True while nothing has the focus yet."""
        return self.screen.focused is None


_START, _REPORT, _LEAVE = range(3)


class CrashScreen(Dialog[None]):
    """Exits the app with True to start again, with False to leave."""

    DEFAULT_CSS = """
    CrashScreen { background: $role-background; }
    CrashScreen OptionList { height: auto; margin: 1 0; }
    CrashScreen OptionList > .option-list--option { padding: 0 1; }
    """

    BINDINGS = [
        Binding("b", "report", "Report", id="fault.report", tooltip="Save an error report"),
        Binding("j", "move(1)", "Down", show=False, id="fault.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="fault.up", tooltip="Move up"),
        Binding("q", "leave", "Quit", id="fault.leave", tooltip="Quit"),
    ]

    def __init__(self, crashed: CrashedApp) -> None:
        super().__init__()
        self._crashed = crashed
        self._writing = False

    def compose(self) -> ComposeResult:
        """Show the facts and the choices."""
        crashed = self._crashed
        with Vertical(id="dialog", classes="danger") as dialog:
            dialog.border_title = "svc-tui stopped: internal error"
            self.name_keys("enter choose")
            yield Static(_fact_line("error", visible(str(crashed.fault))), markup=False)
            yield Static(
                _fact_line("drafts", crashed.reassurance or "The demo does not keep drafts; they may be lost."),
                markup=False,
            )
            yield Static(
                _fact_line("sent", "After a restart, the journal (press @) lists every change that was being sent."),
                markup=False,
            )
            if crashed.log_file is not None:
                yield Static(_fact_line("log", visible(str(crashed.log_file))), markup=False)
            yield ChangingList(
                Option(_choice_line("⏎", "Restart", "Open what was open before")),
                Option(_choice_line("b", "Save a report", "For the developers; without keys and secrets")),
                Option(_choice_line("q", "Quit", "A short error message stays in the terminal")),
                markup=False,
            )
            yield Static("", id="message", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Move the cursor to the choice to start again."""
        self.query_one(OptionList).highlighted = _START

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Run the choice."""
        match event.option_index:
            case index if index == _START:
                self.app.exit(True)
            case index if index == _REPORT:
                self.action_report()
            case _:
                self.action_leave()

    def action_report(self) -> None:
        """Save a report, and show where it is."""
        if not self._writing:
            self._writing = True
            self.run_worker(self._report(), group="report")

    async def _report(self) -> None:
        status_line = self.query_one("#message", Static)
        status_line.update("Saving…")
        status_line.update(visible(await self._crashed.write_report()))
        self._writing = False

    def action_leave(self) -> None:
        """Exit without a restart."""
        self.app.exit(False)

    def action_cancel(self) -> None:
        """Do nothing: there is no screen behind this one."""

    def action_move(self, direction: int) -> None:
        """Go to the next line, or the one before."""
        move_cursor(self.query_one(OptionList), direction)


def _fact_line(name: str, value: str) -> Content:
    return Content.assemble((f"{name:<7}", "$role-muted"), value)


def _choice_line(key: str, title: str, what: str) -> Content:
    return Content.assemble((f"{key}  ", "$role-accent"), (f"{title:<16}", "bold"), (what, "$role-muted"))
