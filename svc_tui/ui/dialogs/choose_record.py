"""Which of several records that a value names is meant."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.records import Place
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList


class ChooseRecordScreen(Dialog[Place]):
    """Gives the record that was chosen."""

    DEFAULT_CSS = """
    ChooseRecordScreen OptionList { height: auto; max-height: 60vh; }
    """

    def __init__(self, places: Sequence[Place]) -> None:
        super().__init__()
        self._places = tuple(places)

    def compose(self) -> ComposeResult:
        """The records by id, and where they are."""
        with DialogFrame(f"{len(self._places):,} records", "enter choose · esc cancel"):
            yield ChangingList(*(Option(styled(visible(place.key), "$role-reference")) for place in self._places))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the record under the cursor."""
        self.dismiss(self._places[event.option_index])
