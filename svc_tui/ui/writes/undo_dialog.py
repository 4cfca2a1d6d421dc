"""`u`: the writes of the journal, newest first, to choose the one to take back from."""

from collections.abc import Sequence
from datetime import tzinfo

from textual import on
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.domain.app.tour import OpenDialog
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.editing.undo import Inverse, NotUndoable, RecreateRecord, RemoveRecord, RestoreValues
from svc_tui.domain.model.credentials import Environment
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.record.journal_lines import entry_lines


@tour_name(OpenDialog.UNDO)
class UndoScreen(EntryListDialog[tuple[JournalEntry, Inverse], Inverse]):
    """Gives the inverse of the chosen write; writes without one can't be chosen, and say why."""

    HEADING = "Undo a write"
    EMPTY_TEXT = "No writes yet. What is sent from here can be taken back here."

    def __init__(
        self, writes: Sequence[tuple[JournalEntry, Inverse]], environment: Environment, zone: tzinfo | None
    ) -> None:
        super().__init__(writes, search=None)
        self._environment, self._zone = environment, zone

    @property
    def heading(self) -> Content:
        """What is to be done."""
        return Content(self.HEADING)

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter shows what would be sent · esc back"

    def selectable(self, entry: tuple[JournalEntry, Inverse]) -> bool:
        """Whether the write can be taken back."""
        return not isinstance(entry[1], NotUndoable)

    def line(self, entry: tuple[JournalEntry, Inverse], cells: int) -> Content:
        """The write, and below it what would take it back, or why nothing does."""
        write, inverse = entry
        head = entry_lines(write, self._environment, self._zone, cells)
        match inverse:
            case NotUndoable(why):
                return Content("\n").join(
                    [Content(head.plain).stylize("$role-muted"), styled(f"  {why}", "$role-muted")]
                )
            case RestoreValues(stay=stay):
                words = "↶ the old values again"
                if stay:
                    words += f"; {', '.join(stay)} can't be taken away"
            case RecreateRecord():
                words = "↶ made again, maybe under another id"
            case RemoveRecord():
                words = "↶ deleted again"
        if entry_result(write) == "unknown":
            words += ", if it was carried out"
        return Content("\n").join([head, styled(f"  {words}", "$role-accent")])

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.entries[event.option_index][1])
