"""`u`: the writes of the journal, newest first, to choose the one to take back from."""

from collections.abc import Sequence
from datetime import tzinfo

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.app.tour import OpenDialog
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.editing.undo import Inverse, NotUndoable, RecreateRecord, RemoveRecord, RestoreValues
from svc_tui.domain.model.credentials import Environment
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.record.journal_lines import entry_lines

_MAX_CELLS = 70
_MARGIN_CELLS = 6


@tour_name(OpenDialog.UNDO)
class UndoScreen(Dialog[Inverse]):
    """Gives what takes the chosen write back; those that nothing takes back can't be chosen, and say why."""

    DEFAULT_CSS = """
    UndoScreen > #dialog { height: 80%; }
    UndoScreen OptionList { height: 1fr; }
    UndoScreen OptionList > .option-list--option { padding: 0 1 0 0; }
    """

    def __init__(
        self, writes: Sequence[tuple[JournalEntry, Inverse]], environment: Environment, zone: tzinfo | None
    ) -> None:
        super().__init__()
        self._writes, self._environment, self._zone = tuple(writes), environment, zone

    def compose(self) -> ComposeResult:
        """The list, or the sentence that there is nothing in it."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "Undo a write"
            dialog.border_subtitle = "enter shows what would be sent · esc back"
            if not self._writes:
                yield Static("No writes yet. What is sent from here can be taken back here.", classes="hint")
                return
            cells = min(_MAX_CELLS, self.app.size.width - _MARGIN_CELLS)
            yield OptionList(
                *(
                    Option(self._line(entry, inverse, cells), disabled=isinstance(inverse, NotUndoable))
                    for entry, inverse in self._writes
                ),
                markup=False,
            )

    def on_mount(self) -> None:
        """Begin at the newest that can be taken back."""
        for options in self.query(OptionList):
            options.highlighted = next(
                (at for at, (_, inverse) in enumerate(self._writes) if not isinstance(inverse, NotUndoable)), None
            )

    def _line(self, entry: JournalEntry, inverse: Inverse, cells: int) -> Content:
        head = entry_lines(entry, self._environment, self._zone, cells)
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
        return Content("\n").join([head, styled(f"  {words}", "$role-accent")])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take this one."""
        self.dismiss(self._writes[event.option_index][1])
