"""A list of things to choose one from, narrowed by typing."""

from collections.abc import Sequence
from typing import Generic

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from svc_tui.domain.app.tour import OpenDialog
from svc_tui.domain.data.folded_text import fold
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.menu import Item
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput


@tour_name(OpenDialog.MENU)
class SearchMenu(Dialog[Item], Generic[Item]):
    """Gives the thing of the chosen line, or None; `lines` pairs what is shown with what it stands for.

    What is typed leaves the lines that hold every word of it; those that begin with it come first.
    """

    DEFAULT_CSS = """
    SearchMenu OptionList { height: auto; max-height: 16; margin-top: 1; }
    SearchMenu OptionList > .option-list--option { padding: 0 1; }
    """

    BINDINGS = [
        Binding("down", "move(1)", "Down", show=False, id="search_menu.down", tooltip="To the line below"),
        Binding("up", "move(-1)", "Up", show=False, id="search_menu.up", tooltip="To the line above"),
    ]

    def __init__(self, title: str, lines: Sequence[tuple[Content, Item]], *, at: int = 0) -> None:
        """Make it, its cursor on line `at`."""
        super().__init__()
        self._title, self._lines, self._at = title, tuple(lines), at
        self._found = self._lines

    def compose(self) -> ComposeResult:
        """The line to type in, and those to choose from."""
        with DialogFrame(Content(self._title), Content("type to narrow · ↑ ↓ enter choose · esc back")):
            yield TextInput()
            yield ChangingList(markup=False)

    def on_mount(self) -> None:
        """Begin with all of them."""
        self._show(self._at)

    def _show(self, at: int) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(line) for line, _ in self._found])
        options.highlighted = at if self._found else None

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        typed = fold(event.value).strip()
        found = [(line, item) for line, item in self._lines if all(word in fold(line.plain) for word in typed.split())]
        self._found = tuple(sorted(found, key=lambda pair: not fold(pair[0].plain).startswith(typed)))
        self._show(0 if typed else self._at)

    @on(Input.Submitted)
    def _choose(self, event: Input.Submitted) -> None:
        event.stop()
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.dismiss(self._found[at][1])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._found[event.option_index][1])

    def action_move(self, direction: int) -> None:
        """Go to the line below, or the one above."""
        move_cursor(self.query_one(OptionList), direction)
