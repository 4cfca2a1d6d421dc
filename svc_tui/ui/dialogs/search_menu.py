"""A list of things to choose one from, narrowed by typing."""

from collections.abc import Mapping, Sequence
from typing import Generic

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.folded_text import fold
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor, move_to_end
from svc_tui.ui.dialogs.menu import Item
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

NO_MATCHES = Content.styled("No matches", "$role-muted")
"""The line of a list in which nothing holds what was typed."""


@tour_name(OpenDialog.MENU)
class SearchMenu(Dialog[Item], Generic[Item]):
    """Gives the thing of the chosen line, or None; `lines` pairs what is shown with what it stands for.

    What is typed leaves the lines that hold every word of it; those that begin with it come first. With `headings`,
    each above the line of its number, the lines stay in their sections. With `details`, one for each line, those of the
    line under the cursor are shown below the list.
    """

    DEFAULT_CSS = """
    SearchMenu OptionList { height: auto; max-height: 16; margin-top: 1; }
    SearchMenu OptionList > .option-list--option { padding: 0 1; }
    SearchMenu #details { height: 2; margin-top: 1; padding: 0 1; }
    """

    BINDINGS = [
        Binding("down", "move(1)", "Down", show=False, id="search_menu.down", tooltip="Move down"),
        Binding("up", "move(-1)", "Up", show=False, id="search_menu.up", tooltip="Move up"),
        # The ids of the former list of actions in a record stay (guide, "Compatibility").
        Binding("down", "move(1)", "Down", show=False, id="actions.down", tooltip="Move down"),
        Binding("up", "move(-1)", "Up", show=False, id="actions.up", tooltip="Move up"),
        Binding("ctrl+home", "end(-1)", "First", show=False, id="actions.first", tooltip="Go to the first line"),
        Binding("ctrl+end", "end(1)", "Last", show=False, id="actions.last", tooltip="Go to the last line"),
    ]

    def __init__(
        self,
        title: str,
        lines: Sequence[tuple[Content, Item]],
        *,
        at: int = 0,
        headings: Mapping[int, Content] | None = None,
        details: Sequence[Content] = (),
    ) -> None:
        """Make it, its cursor on line `at`."""
        super().__init__()
        self._title, self._lines, self._at, self._headings = title, tuple(lines), at, headings or {}
        self._details = details
        self._found: dict[str, Item] = {}

    def compose(self) -> ComposeResult:
        """The line to type in, and those to choose from."""
        with DialogFrame(Content(self._title), "enter choose · esc cancel"):
            yield TextInput(placeholder="Type to filter")
            yield ChangingList(markup=False)
            if self._details:
                yield Static(id="details", markup=False)

    def on_mount(self) -> None:
        """Begin with all of them."""
        self._show(range(len(self._lines)), self._at)

    def _show(self, numbers: Sequence[int], at: int) -> None:
        """Show the lines of these numbers, the cursor on the one of number `at`."""
        options = self.query_one(OptionList)
        options.clear_options()
        self._found = {str(number): self._lines[number][1] for number in numbers}
        shown: list[Option] = []
        above = None
        for number in numbers:
            section = max((heading for heading in self._headings if heading <= number), default=None)
            if section is not None and section != above:
                shown.append(Option(self._headings[section], disabled=True))
            above = section
            shown.append(Option(self._lines[number][0], id=str(number)))
        options.add_options(shown or [Option(NO_MATCHES, disabled=True)])
        options.highlighted = options.get_option_index(str(at)) if self._found else None
        self._show_details(at if self._found else None)

    def _show_details(self, number: int | None) -> None:
        if self._details:
            details = Content() if number is None else self._details[number]
            self.query_one("#details", Static).update(details, layout=False)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        # What was typed since may have left none of the lines.
        if event.option_id is not None and event.option_id in self._found:
            self._show_details(int(event.option_id))

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        typed = fold(event.value).strip()
        texts = [fold(line.plain) for line, _ in self._lines]
        numbers = [number for number, text in enumerate(texts) if all(word in text for word in typed.split())]
        if not self._headings:
            numbers.sort(key=lambda number: not texts[number].startswith(typed))
        self._show(numbers, numbers[0] if typed and numbers else self._at)

    @on(Input.Submitted)
    def _choose(self, event: Input.Submitted) -> None:
        event.stop()
        option = self.query_one(OptionList).highlighted_option
        if option is not None and option.id is not None:
            self.dismiss(self._found[option.id])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        assert event.option_id is not None
        self.dismiss(self._found[event.option_id])

    def action_move(self, direction: int) -> None:
        """Go to the line below, or the one above."""
        move_cursor(self.query_one(OptionList), direction)

    def action_end(self, direction: int) -> None:
        """Go to the last line, or the first one."""
        move_to_end(self.query_one(OptionList), direction)
