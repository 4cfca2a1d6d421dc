"""The base of all apps of this program: themes, drivers, keys one at a time, and an orderly end."""

import asyncio
import logging
import sys
from collections.abc import Sequence
from inspect import iscoroutine
from math import ceil
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from rich.color import ColorSystem
from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding
from textual.driver import Driver
from textual.filter import LineFilter
from textual.geometry import Region
from textual.reactive import Initialize, Reactive, var
from textual.theme import Theme
from textual.widgets._toast import ToastRack
from textual.worker import Worker
from textual.worker_manager import WorkerManager

from svc_tui.core.settings import Palette, Preferences
from svc_tui.platform.terminal import suspension_problem
from svc_tui.ui.app.crash import Crash, crash_message, crash_of
from svc_tui.ui.app.theming import role_variables, theme_of
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, ColorDepth, TerminalAbilities
from svc_tui.ui.terminal.colors import ColorDepthFilter
from svc_tui.ui.terminal.done_notifier import DoneNotifier, WorkEnded
from svc_tui.ui.terminal.key_queue import InputEvent, InputRead, KeyQueue, RoundTrip
from svc_tui.ui.terminal.painting import WritesChanges
from svc_tui.ui.terminal.window_title import TitledDriver
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.too_small import is_too_small

_log = logging.getLogger("svc_tui")
# Without a log file, an error must not be printed with its data.
_log.addHandler(logging.NullHandler())

Result = TypeVar("Result")

HANGUP_STATUS = 129
"""The exit status of a program whose terminal is gone, as after SIGHUP, which is signal 1."""

_FINISH_SECONDS = 30.0
"""Seconds after a signal to end in which the rest of the input is handled."""

_NOTICE_CELLS = 56
"""Cells of a line of a notice, if the screen has room for it."""
_ROWS_BELOW_NOTICES = 4
"""Rows that notices leave free: the last line of a pane, which may be an input, its border and the bars below."""


def _acts_on_input(event: events.Event) -> bool:
    """Return True for input other than the key that quits."""
    if isinstance(event, events.Key):
        return event.key != "ctrl+q"
    return isinstance(event, events.Paste | events.MouseDown | events.MouseScrollDown | events.MouseScrollUp)


class BaseApp(WritesChanges, App[Result], Generic[Result]):
    """An app in the user's theme, on any terminal."""

    TITLE = "svc-tui"
    CSS_PATH = "styles/app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [
        Binding(
            "ctrl+z",
            "suspend_process",
            "Suspend",
            id="app.suspend",
            show=False,
            tooltip="Suspend svc-tui; fg resumes it",
        ),
    ]

    title: var[str] = var("")
    """The title of the window; no `reactive`, since no widget shows it."""

    theme: Reactive[str] = Reactive(Initialize(attrgetter("_first_theme")))
    """The name of the theme in use."""

    def __init__(
        self, palettes: Sequence[Palette], preferences: Preferences, *, terminal: TerminalAbilities = ALL_ABILITIES
    ) -> None:
        self.log_file: Path | None = None
        """The log, named if an internal error ends the app."""
        self.fault: Crash | None = None
        """The internal error that ended the app."""
        self.reassurance = ""
        """A sentence that says what is safe after an internal error."""
        # App.__init__ asks for the driver, which depends on the terminal.
        self._terminal = terminal
        # App.__init__ reads the styles with the colors of the theme: set later, the theme would have all styles read
        # and applied again before the first paint.
        self._palettes = {palette.name: palette for palette in palettes}
        self._themes = {name: theme_of(palette, terminal.depth) for name, palette in self._palettes.items()}
        theme = preferences.theme
        self._first_theme = theme if theme in self._palettes else next(iter(self._palettes))
        super().__init__()
        self._color_filters = [] if terminal.depth is ColorDepth.FULL else [ColorDepthFilter(terminal.depth)]
        # The filter has chosen the terminal's colors already.
        self.console._color_system = ColorSystem.TRUECOLOR
        self._workers = ClosingWorkerManager(self)
        self._key_queue = KeyQueue(self, super().on_event, self._is_dialog_pending)
        self._done_notifier = DoneNotifier(preferences.done_notice, terminal.desktop, self._write)
        self.set_class(terminal.depth is ColorDepth.NONE, "-no-color")

    def action_suspend_process(self) -> None:
        """Suspend the program, unless no shell could resume it."""
        if problem := suspension_problem():
            self.notify(problem, title="Can't suspend", severity="warning", markup=False)
            return
        super().action_suspend_process()

    @property
    def available_themes(self) -> dict[str, Theme]:
        """The user's themes and those of the program, without Textual's own."""
        return dict(self._themes)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return a value for every role, so that a theme without one does not stop the program."""
        return dict(role_variables(next(iter(self._palettes.values())), self._terminal.depth))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's filters, and one that reduces the colors to those of the terminal."""
        return [*super().get_line_filters(), *self._color_filters]

    def get_driver_class(self) -> type[Driver]:
        """Return this program's variant of Textual's driver for this system."""
        driver_class = super().get_driver_class()
        if driver_class.__name__ not in ("LinuxDriver", "WindowsDriver"):
            return driver_class
        if sys.platform == "win32":
            from svc_tui.ui.terminal.windows_driver import AsciiConsoleDriver, ConsoleDriver

            return AsciiConsoleDriver if self._terminal.ascii_only else ConsoleDriver
        else:  # noqa: RET505  mypy checks each branch for its system only
            from svc_tui.ui.terminal.driver import AsciiDriver, TerminalDriver

            return AsciiDriver if self._terminal.ascii_only else TerminalDriver

    def watch_title(self, title: str) -> None:
        """Set the title of the terminal's window."""
        if isinstance(self._driver, TitledDriver):
            self._driver.name_window(visible(title))

    async def on_event(self, event: events.Event) -> None:
        """Queue keys and pastes, and handle all other events at once."""
        self._done_notifier.track_focus(event)
        if is_too_small(self.size) and _acts_on_input(event):
            # The user can't see what it would do.
            return
        if isinstance(event, InputEvent) and not event.is_forwarded:
            await self._key_queue.put(event)
        else:
            await super().on_event(event)

    def _refresh_notifications(self) -> None:
        """Show the notices above the value under the cursor; remove the empty holders that Textual leaves."""
        kept = {ToastRack._toast_id(notice) for notice in self._notifications}
        value, height = self.shown_value, self.size.height
        is_covered = value is not None and value.bottom > height - _ROWS_BELOW_NOTICES - self._notice_rows
        below = height - value.y if value is not None and is_covered else _ROWS_BELOW_NOTICES
        for screen in self.children:
            for rack in screen.query_children(ToastRack):
                rack.styles.margin = (0, 0, below, 0)
                for holder in rack.children:
                    if holder.id not in kept:
                        holder.remove()
        super()._refresh_notifications()

    @property
    def _notice_rows(self) -> int:
        """The approximate number of rows that the notices take, with a blank row before each."""
        cells = min(_NOTICE_CELLS, self.size.width)
        lines = [[notice.title, *notice.message.splitlines()] for notice in self._notifications]
        return sum(1 + sum(ceil(len(line) / cells) for line in texts) for texts in lines)

    @property
    def shown_value(self) -> Region | None:
        """The region of the value under the cursor, which no notice covers; None without one."""
        return None

    def on_work_ended(self, event: WorkEnded) -> None:
        """Notify a user who looks elsewhere."""
        self._done_notifier.notify_done(event)

    def _write(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)

    async def on_round_trip(self, lap: RoundTrip) -> None:
        """Dispatch the next key, if this was the last round trip of the one before."""
        await self._key_queue.round_trip_ended(lap)

    def _is_dialog_pending(self) -> bool:
        """Return True if keys must wait for a dialog that is about to open, or for its result."""
        return False

    def exit(self, result: Result | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Exit; the first call counts, whatever is requested or fails after it."""
        if not self._exit:
            super().exit(result, return_code, message)

    def exit_after_input(self, return_code: int) -> None:
        """Exit after a signal, once the text that the terminal has delivered is in its field and saved."""
        if self._exit or self._return_code is not None:
            return
        self._return_code = return_code
        # The rest of the input is handled faster without drawing.
        self._begin_batch()
        asyncio.get_running_loop().call_later(_FINISH_SECONDS, self.exit, None, return_code)
        if (read_rest := getattr(self._driver, "read_rest", None)) is not None:
            read_rest()
        else:
            self.post_message(InputRead())

    def on_terminal_lost(self) -> None:
        """Exit: nobody can see the program any more."""
        self.exit_after_input(HANGUP_STATUS)

    async def on_input_read(self) -> None:
        """Exit once all input is handled."""
        await self._key_queue.finish(self.end_when_at_rest)

    def end_when_at_rest(self) -> None:
        """Exit after a signal; an app with requests in flight overrides this to wait for them."""
        self.exit(None, self._return_code or 0)

    async def _shutdown(self) -> None:
        """Cancel all workers before the widgets that they use are removed."""
        # From here on, errors are a consequence of the shutdown.
        self._exit = True
        self.workers.cancel_all()
        await super()._shutdown()

    def _handle_exception(self, error: Exception) -> None:
        """Exit after an error; if the app is exiting already, only log the error.

        Textual mounts nothing during an exit, but still posts Mount to widgets under construction, whose handlers then
        fail for lack of children.
        """
        if self._exit:
            _log.error("error while exiting", exc_info=error)
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Exit after an internal error, with a message that has none of the data of a traceback."""
        error = sys.exc_info()[1]
        _log.critical("internal error", exc_info=error)
        self.fault = crash_of(error)
        self._exit_renderables.append(Text(crash_message(self.fault, self.reassurance, self.log_file)))
        self._close_messages_no_wait()


class ClosingWorkerManager(WorkerManager):
    """A worker manager that closes the coroutine of a worker that was cancelled before its first step.

    Python warns, on the terminal, of a coroutine that was never awaited.
    """

    def _remove_worker(self, worker: Worker[Any]) -> None:
        super()._remove_worker(worker)
        if iscoroutine(worker._work):
            worker._work.close()
