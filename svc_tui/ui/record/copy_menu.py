"""The menu of `y`: what can be copied, each under a letter."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.console.copy_as import CopyOption
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

_MAX_CELLS = 70


class CopyMenu(Dialog[CopyOption]):
    """The menu of copy options. Its result is the chosen one, or None."""

    DEFAULT_CSS = """
    CopyMenu OptionList { height: auto; max-height: 16; }
    CopyMenu OptionList > .option-list--option { padding: 0; }
    """

    def __init__(self, copies: Sequence[CopyOption]) -> None:
        super().__init__()
        self._copies = tuple(copies)

    def compose(self) -> ComposeResult:
        """Compose a line for each option: its letter, its name and the beginning of its text."""
        cells = max((measure(visible(copy.label)) for copy in self._copies), default=0)
        with DialogFrame("Copy", "enter copy · esc cancel"):
            yield ChangingList(*(Option(_line(copy, min(cells, 24))) for copy in self._copies), markup=False)

    def on_key(self, event: events.Key) -> None:
        """Choose the option of a letter."""
        for copy in self._copies:
            if event.character == copy.key:
                event.stop()
                self.dismiss(copy)
                return

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose the option of a line."""
        self.dismiss(self._copies[event.option_index])


def _line(copy: CopyOption, cells: int) -> Content:
    label = pad(visible(copy.label), cells)
    preview = shorten(visible(copy.preview[:_MAX_CELLS]), _MAX_CELLS - cells - 6)
    return Content.assemble(
        (f" {visible(copy.key)} ", "bold $role-accent"), " ", label, "  ", styled(preview, "$role-muted")
    )
