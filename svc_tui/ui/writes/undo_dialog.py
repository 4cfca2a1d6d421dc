"""`u`: the writes of the journal, newest first, those of a run as one, to choose what to take back from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeAlias

from textual import on
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.core.credentials import Environment
from svc_tui.plans.journal_runs import RunGroup, RunStatus
from svc_tui.storage.journal_entries import JournalEntry, entry_result
from svc_tui.team.names import name_of, names_in
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.record.journal_lines import entry_lines
from svc_tui.ui.widgets.record.run_lines import run_lines
from svc_tui.writes.undo import Inverse, NotUndoable, RecreateRecord, RemoveRecord, RestoreValues


@dataclass(frozen=True, slots=True)
class UndoableWrite:
    """A write, and what would take it back."""

    write: JournalEntry
    inverse: Inverse


Undoable: TypeAlias = UndoableWrite | RunGroup


@tour_name(OpenDialog.UNDO)
class UndoScreen(EntryListDialog[Undoable, Undoable]):
    """Gives the chosen write or run; those that can't be taken back can't be chosen, and say why."""

    HEADING = "Undo a change"
    EMPTY_TEXT = "No changes yet. Edits, new records and deletions can be undone here."

    def __init__(self, choices: Sequence[Undoable], environment: Environment, zone: tzinfo | None) -> None:
        super().__init__(choices, search=None)
        self._environment, self._zone = environment, zone
        self._names = names_in(one.run if isinstance(one, RunGroup) else one.write for one in choices)

    @property
    def heading(self) -> Content:
        """What is to be done."""
        return Content(self.HEADING)

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter review · esc cancel"

    def selectable(self, entry: Undoable) -> bool:
        """Whether the write can be taken back, or the run."""
        if isinstance(entry, RunGroup):
            return not _why_not(entry)
        return not isinstance(entry.inverse, NotUndoable)

    def line(self, entry: Undoable, cells: int) -> Content:
        """The write or run, and below it what would take it back, or why nothing does."""
        if isinstance(entry, RunGroup):
            head = run_lines(
                entry, self._environment, self._zone, cells, name_of(entry.run.last, self._names), foldable=False
            )
            why, words = _why_not(entry), f"↶ {entry.undo_words}, {_looked_at(entry)}"
        else:
            head = entry_lines(entry.write, self._environment, self._zone, cells, name_of(entry.write, self._names))
            why = entry.inverse.why if isinstance(entry.inverse, NotUndoable) else ""
            words = _inverse_words(entry)
        if why:
            return Content("\n").join([Content(head.plain).stylize("$role-muted"), styled(f"  {why}", "$role-muted")])
        return Content("\n").join([head, styled(f"  {words}", "$role-accent")])

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.entries[event.option_index])


def _why_not(group: RunGroup) -> str:
    """Why a run can't be taken back, in a sentence; "" where it can."""
    if not group.undo_words:
        return "This run changed nothing."
    if group.status is RunStatus.ELSEWHERE:
        return f"This run is {group.status.value}."
    return ""


def _looked_at(group: RunGroup) -> str:
    match group.status:
        case RunStatus.CUT_SHORT:
            return "or resume the run"
        case RunStatus.UNDONE:
            return "only rows that are not undone yet"
        case _:
            return f"checks {'the' if sum(group.run.changed.values()) == 1 else 'each'} record first"


def _inverse_words(undoable: UndoableWrite) -> str:
    match undoable.inverse:
        case RestoreValues(stay=stay):
            words = "↶ Restores the old values"
            if stay:
                words += f"; {', '.join(stay)} can't be removed"
        case RecreateRecord():
            words = "↶ Creates it again (new id possible)"
        case RemoveRecord():
            words = "↶ Deletes the new record"
        case NotUndoable(why):
            return why
    return f"{words}, if the change was saved" if entry_result(undoable.write) == "unknown" else words
