"""A list of things to choose one from."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

Item = TypeVar("Item")


@tour_name(OpenDialog.MENU)
class MenuScreen(Dialog[Item], Generic[Item]):
    """Gives the thing of the chosen line, or None; `lines` pairs what is shown with what it stands for."""

    DEFAULT_CSS = """
    MenuScreen OptionList { height: auto; max-height: 18; }
    MenuScreen OptionList > .option-list--option { padding: 0 1; }
    """

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="menu.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="menu.up", tooltip="Move up"),
    ]

    def __init__(
        self, title: str, lines: Sequence[tuple[Content, Item]], *, hint: str = "enter choose · esc cancel", at: int = 0
    ) -> None:
        super().__init__()
        self._title, self._lines, self._hint, self._at = title, tuple(lines), hint, at

    def compose(self) -> ComposeResult:
        """The lines."""
        with DialogFrame(Content(self._title), self._hint):
            yield ChangingList(*(Option(line) for line, _ in self._lines), markup=False)

    def on_mount(self) -> None:
        """Begin at the line that holds now."""
        self.query_one(OptionList).highlighted = self._at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click chooses."""
        self.dismiss(self._lines[event.option_index][1])

    def action_move(self, direction: int) -> None:
        """Go to the line below, or the one above."""
        move_cursor(self.query_one(OptionList), direction)


async def confirm_replace(screen: Screen[Any], name: str) -> bool:
    """Ask whether a file that is there already may be replaced."""
    lines = [(Content("Choose another name"), False), (styled(f"Replace {name}"), True)]
    return bool(await screen.app.push_screen_wait(MenuScreen("The file already exists", lines)))
