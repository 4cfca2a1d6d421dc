"""Dialogs with a list to choose from: a menu, one that is filtered by typing, and one of records."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.folded_text import fold
from svc_tui.core.records import Place
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor, move_to_end
from svc_tui.ui.text import styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

Item = TypeVar("Item")

NO_MATCHES = Content.styled("No matches", "$role-muted")
"""The line of a list in which nothing matches the text."""


class MenuScreen(Dialog[Item], Generic[Item]):
    """A menu; the result is the item of the chosen line. `lines` are pairs of a text and its item."""

    TOUR_NAME = OpenDialog.MENU

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
        """Compose the lines."""
        with DialogFrame(Content(self._title), self._hint):
            yield ChangingList(*(Option(line) for line, _ in self._lines), markup=False)

    def on_mount(self) -> None:
        """Highlight the first or the current line."""
        self.query_one(OptionList).highlighted = self._at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the item of the line."""
        self.dismiss(self._lines[event.option_index][1])

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous line."""
        move_cursor(self.query_one(OptionList), direction)


class SearchMenu(Dialog[Item], Generic[Item]):
    """A menu filtered by typing; the result is the item of the chosen line.

    Lines match that contain every typed word; those that begin with the text come first. `headings` stand above the
    lines of their numbers, and keep the lines in sections. `details`, one for each line, are shown below the list for
    the line under the cursor.
    """

    TOUR_NAME = OpenDialog.MENU

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
        """Place the cursor on line `at`."""
        super().__init__()
        self._title, self._lines, self._at, self._headings = title, tuple(lines), at, headings or {}
        self._details = details
        self._items: dict[str, Item] = {}

    def compose(self) -> ComposeResult:
        """Compose the line to type in, and the list."""
        with DialogFrame(Content(self._title), "enter choose · esc cancel"):
            yield TextInput(placeholder="Type to filter")
            yield ChangingList(markup=False)
            if self._details:
                yield Static(id="details", markup=False)

    def on_mount(self) -> None:
        """List all lines."""
        self._show(range(len(self._lines)), self._at)

    def _show(self, numbers: Sequence[int], at: int) -> None:
        """List the lines of these numbers, with the cursor on the one of number `at`."""
        options = self.query_one(OptionList)
        options.clear_options()
        self._items = {str(number): self._lines[number][1] for number in numbers}
        shown: list[Option] = []
        above = None
        for number in numbers:
            section = max((heading for heading in self._headings if heading <= number), default=None)
            if section is not None and section != above:
                shown.append(Option(self._headings[section], disabled=True))
            above = section
            shown.append(Option(self._lines[number][0], id=str(number)))
        options.add_options(shown or [Option(NO_MATCHES, disabled=True)])
        options.highlighted = options.get_option_index(str(at)) if self._items else None
        self._show_details(at if self._items else None)

    def _show_details(self, number: int | None) -> None:
        if self._details:
            details = Content() if number is None else self._details[number]
            self.query_one("#details", Static).update(details, layout=False)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        # The line may be gone since the event was posted.
        if event.option_id is not None and event.option_id in self._items:
            self._show_details(int(event.option_id))

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
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
            self.dismiss(self._items[option.id])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        assert event.option_id is not None
        self.dismiss(self._items[event.option_id])

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous line."""
        move_cursor(self.query_one(OptionList), direction)

    def action_end(self, direction: int) -> None:
        """Go to the last or the first line."""
        move_to_end(self.query_one(OptionList), direction)


class ChooseRecordScreen(Dialog[Place]):
    """A list of records that one value names; the result is the chosen one."""

    DEFAULT_CSS = """
    ChooseRecordScreen OptionList { height: auto; max-height: 60vh; }
    """

    def __init__(self, places: Sequence[Place]) -> None:
        super().__init__()
        self._places = tuple(places)

    def compose(self) -> ComposeResult:
        """Compose the records with their collections."""
        with DialogFrame(f"{len(self._places):,} records", "enter choose · esc cancel"):
            yield ChangingList(*(Option(styled(visible(place.key), "$role-reference")) for place in self._places))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the record."""
        self.dismiss(self._places[event.option_index])


async def confirm_replace(screen: Screen[Any], name: str) -> bool:
    """Ask whether to replace an existing file."""
    lines = [(Content("Choose another name"), False), (styled(f"Replace {name}"), True)]
    return bool(await screen.app.push_screen_wait(MenuScreen("The file already exists", lines)))
