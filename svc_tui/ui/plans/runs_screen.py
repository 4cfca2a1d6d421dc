"""The runs of plans, newest first: those cut short, done, given up and undone."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.plans.journal_runs import RunStatus, find_effective_undos, find_status
from svc_tui.storage.runs import Run
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.text import pad, shorten, styled

_TIME_CELLS = 18

_STYLES = {
    RunStatus.ELSEWHERE: "$role-warning",
    RunStatus.CUT_SHORT: "$role-warning",
    RunStatus.DONE: "$role-ok",
    RunStatus.GIVEN_UP: "$role-muted",
    RunStatus.UNDONE: "$role-muted",
}


class RunsScreen(EntryListDialog[Run, Run]):
    """Gives the run that was chosen: one that is under way to go on with, another to be taken back."""

    HEADING = "Runs"
    EMPTY_TEXT = "No runs yet. Mark records and press x, or open Corrections from a file in Commands (ctrl+p)."

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="runs.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="runs.up", tooltip="Move up"),
    ]

    def __init__(self, runs: Sequence[Run], reached: Mapping[str, str], zone: tzinfo) -> None:
        """Make it over all runs, the newest first; `reached` says by their ids how their rows ended."""
        super().__init__(runs, search=None)
        self._zone, self._reached = zone, reached
        self._undos = find_effective_undos(runs)
        self._state_cells = max((len(self._state_words(run)) for run in runs), default=0) + 1

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter resume or undo · esc close"

    def line(self, entry: Run, cells: int) -> Content:
        """When, what, and how it stands."""
        begun = f"{entry.begun.astimezone(self._zone):%Y-%m-%d %H:%M}"
        room = max(12, cells - _TIME_CELLS - self._state_cells)
        return Content.assemble(
            (pad(begun, _TIME_CELLS), "$role-muted"),
            pad(shorten(entry.name, room - 1), room),
            styled(self._state_words(entry), self._style(entry)),
        )

    def _state_words(self, run: Run) -> str:
        words, reached = find_status(run, self._undos).value, self._reached.get(run.id, "")
        words = f"{words}{', ' if run.ended else ' '}{reached}" if reached else words
        return f"{words}, other API key" if run.other_key else words

    def _style(self, run: Run) -> str:
        state = find_status(run, self._undos)
        has_open_rows = run.counts is not None and (run.counts.failed or run.counts.unknown)
        return "$role-warning" if state is RunStatus.DONE and has_open_rows else _STYLES[state]

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.entries[event.option_index])
