"""What every app of this program has: themes, a driver for terminals as they are, keys one at a time, a quiet end."""

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
from svc_tui.ui.terminal.color_filter import ColorDepthFilter
from svc_tui.ui.terminal.done_notifier import DoneNotifier, WorkEnded
from svc_tui.ui.terminal.key_queue import InputEvent, InputRead, KeyQueue, RoundTrip
from svc_tui.ui.terminal.painting import WritesChanges
from svc_tui.ui.terminal.window_title import TitledDriver
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.too_small import is_too_small

_log = logging.getLogger("svc_tui")
# Where nobody keeps a log, a fault is not to be printed with all its data.
_log.addHandler(logging.NullHandler())

Result = TypeVar("Result")

HANGUP_STATUS = 129
"""The exit status of a program whose terminal is gone, noticed by the signal (SIGHUP is number 1) or sooner."""

_FINISH_SECONDS = 30.0
"""Seconds after which a program that is told to end does so, whatever of its input is not dealt with."""

_NOTICE_CELLS = 56
"""Cells of a line of a notice, where the screen has room for it."""
_ROWS_BELOW_NOTICES = 4
"""Rows that notices leave free: the last line of a pane, which may be typed in, its border and what is below."""


def _acts_on_input(event: events.Event) -> bool:
    """Whether the user does something with it, short of leaving."""
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
    """What the window is called; no widget shows it, so nothing is drawn anew for another."""

    theme: Reactive[str] = Reactive(Initialize(attrgetter("_first_theme")))
    """The name of the theme in use."""

    def __init__(
        self, palettes: Sequence[Palette], preferences: Preferences, *, terminal: TerminalAbilities = ALL_ABILITIES
    ) -> None:
        """Make the app, drawing with what `terminal` can show."""
        self.log_file: Path | None = None
        """Where the log is, for whoever reports a fault."""
        self.fault: Crash | None = None
        """What ended the app, where that was a fault of its own."""
        self.reassurance = ""
        """What is told besides then: what is safe."""
        # Before Textual's own start, which asks for the driver.
        self._terminal = terminal
        # Before Textual's own start, which reads the styles with the colours of the theme in use: set later, it has all
        # of them read and applied once more before the first paint.
        self._palettes = {palette.name: palette for palette in palettes}
        self._themes = {name: theme_of(palette, terminal.depth) for name, palette in self._palettes.items()}
        theme = preferences.theme
        self._first_theme = theme if theme in self._palettes else next(iter(self._palettes))
        super().__init__()
        self._fewer_colours = [] if terminal.depth is ColorDepth.FULL else [ColorDepthFilter(terminal.depth)]
        # What is drawn is drawn in the terminal's colours already.
        self.console._color_system = ColorSystem.TRUECOLOR
        self._workers = ClosingWorkerManager(self)
        self._key_queue = KeyQueue(self, super().on_event, self._is_dialog_pending)
        self._done_notifier = DoneNotifier(preferences.done_notice, terminal.desktop, self._write)
        self.set_class(terminal.depth is ColorDepth.NONE, "-no-color")

    def action_suspend_process(self) -> None:
        """Back to the shell; where there is none that could bring the program back, say so instead of stopping."""
        if problem := suspension_problem():
            self.notify(problem, title="Can't suspend", severity="warning", markup=False)
            return
        super().action_suspend_process()

    @property
    def available_themes(self) -> dict[str, Theme]:
        """The user's themes and those of the program; Textual's own are none of them."""
        return dict(self._themes)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Every role, so that a theme from elsewhere that lacks one can't stop the program."""
        return dict(role_variables(next(iter(self._palettes.values())), self._terminal.depth))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's, and last what makes do with the colours that the terminal has."""
        return [*super().get_line_filters(), *self._fewer_colours]

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this system, as this program has it: for terminals as they are."""
        driver_class = super().get_driver_class()
        if driver_class.__name__ not in ("LinuxDriver", "WindowsDriver"):
            return driver_class
        if sys.platform == "win32":
            from svc_tui.ui.terminal.windows_driver import AsciiConsoleDriver, ConsoleDriver

            return AsciiConsoleDriver if self._terminal.ascii_only else ConsoleDriver
        else:  # noqa: RET505  what is true of one system is not read as wrong on another
            from svc_tui.ui.terminal.driver import AsciiDriver, TerminalDriver

            return AsciiDriver if self._terminal.ascii_only else TerminalDriver

    def watch_title(self, title: str) -> None:
        """Call the terminal's window so, where this system has one that can be."""
        if isinstance(self._driver, TitledDriver):
            self._driver.name_window(visible(title))

    async def on_event(self, event: events.Event) -> None:
        """Keys and pastes go through the keyboard, everything else straight on."""
        self._done_notifier.track_focus(event)
        if is_too_small(self.size) and _acts_on_input(event):
            # On what can't be seen, nothing is done.
            return
        if isinstance(event, InputEvent) and not event.is_forwarded:
            await self._key_queue.put(event)
        else:
            await super().on_event(event)

    def _refresh_notifications(self) -> None:
        """Show the notices that there are; Textual leaves the holders of those behind that are taken away."""
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
        """About how many rows the notices take, with a blank one before each."""
        cells = min(_NOTICE_CELLS, self.size.width)
        lines = [[notice.title, *notice.message.splitlines()] for notice in self._notifications]
        return sum(1 + sum(ceil(len(line) / cells) for line in texts) for texts in lines)

    @property
    def shown_value(self) -> Region | None:
        """The cells of the value under the cursor, which no notice covers; None where there is none."""
        return None

    def on_work_ended(self, event: WorkEnded) -> None:
        """Say so to a user who looks elsewhere."""
        self._done_notifier.notify_done(event)

    def _write(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)

    async def on_round_trip(self, lap: RoundTrip) -> None:
        """A key has been dealt with, as far as `lap` can tell."""
        await self._key_queue.round_trip_ended(lap)

    def _is_dialog_pending(self) -> bool:
        """Whether keys must wait for a dialog that is about to open, or for its result."""
        return False

    def exit(self, result: Result | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """End the app. The first word holds: what ends it is not changed by what is asked for, or fails, meanwhile."""
        if not self._exit:
            super().exit(result, return_code, message)

    def exit_after_input(self, return_code: int) -> None:
        """End the app as a signal asks for, once the text that the terminal has delivered is in its field and kept."""
        if self._exit or self._return_code is not None:
            return
        self._return_code = return_code
        # What is not drawn is sooner dealt with.
        self._begin_batch()
        asyncio.get_running_loop().call_later(_FINISH_SECONDS, self.exit, None, return_code)
        if (read_rest := getattr(self._driver, "read_rest", None)) is not None:
            read_rest()
        else:
            self.post_message(InputRead())

    def on_terminal_lost(self) -> None:
        """End: nobody can see the program any more."""
        self.exit_after_input(HANGUP_STATUS)

    async def on_input_read(self) -> None:
        """End, once everything typed is dealt with."""
        await self._key_queue.finish(self.end_when_at_rest)

    def end_when_at_rest(self) -> None:
        """End as a signal asks for; an app that has something under way overrides this to let it end first."""
        self.exit(None, self._return_code or 0)

    async def _shutdown(self) -> None:
        """End what is under way first: nobody waits for it, and what it would be shown in is about to go."""
        # However it came to this: what fails from here on fails because everything goes.
        self._exit = True
        self.workers.cancel_all()
        await super()._shutdown()

    def _handle_exception(self, error: Exception) -> None:
        """End after a fault; where the program is to end already, it is for the log alone.

        From then on Textual mounts nothing more. What is being made just then is told that it is there all the same,
        and fails for want of what it holds.
        """
        if self._exit:
            _log.error("error while exiting", exc_info=error)
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End after a fault of the program's own: what it was and what now, and none of the data of a traceback."""
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
