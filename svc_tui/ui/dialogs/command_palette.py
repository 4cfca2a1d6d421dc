"""The command palette: the actions of the keys that work here, and those without a key."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.getters import query_one
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.keys.command import Command
from svc_tui.ui.keys.shortcuts import GENERAL, Shortcut, shortcuts
from svc_tui.ui.text import measure, pad, styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

_MAX_LISTED = 50
"""Commands that are listed before anything is typed."""

_MAX_RECENT = 2
"""Recent commands that are listed."""

_HERE = "Here"
"""The heading of the keys in the line of keys, which are listed without their area."""

_PALETTE = "command_palette"
"""The action that opens the palette, which is not listed."""

_LISTED_WITH_WORK = frozenset({"copy.menu", "key.replace"})
"""Ids of bindings that are listed with the commands that have no key."""

_AREAS_LISTED_LAST = frozenset({"Go", "Pane", "Tabs"})
"""Areas of keys that are listed last, since they only go elsewhere."""

_MAX_CELLS, _FRAME_CELLS, _KEY_CELLS = 76, 7, 5
"""Cells of the dialog at most, beside a line, and of the column of keys at least."""


def commands_of_keys(app: App[object]) -> list[Command]:
    """Return commands for the keys that work where the focus is, in the order of help, without cursor movements."""

    async def run(shortcut: Shortcut) -> None:
        await app.run_action(shortcut.action, shortcut.node)

    return [
        Command(
            one.description,
            one.explanation,
            partial(run, one),
            area=one.area,
            keys=" ".join(one.keys),
            binding=one.binding,
            is_prominent=one.prominent,
        )
        for one in shortcuts(app, app.screen.active_bindings)
        if one.enabled and one.area != GENERAL and not one.moves and one.action.rpartition(".")[2] != _PALETTE
    ]


_MAX_ROWS, _OTHER_ROWS = 24, 10
"""Rows of the list at most, and of everything else."""


class CommandPaletteScreen(Dialog[Command]):
    """A list of commands; the result is the chosen one.

    Before anything is typed, it lists the keys that work here, then recent commands, then those without a key. A typed
    text leaves the commands that contain each of its words, the best match first.
    """

    TOUR_NAME = OpenDialog.PALETTE

    DEFAULT_CSS = """
    CommandPaletteScreen { align: center top; }
    CommandPaletteScreen > #dialog { margin-top: 1; }
    CommandPaletteScreen OptionList { margin: 1 0; }
    CommandPaletteScreen OptionList > .option-list--option { padding: 0 1; }
    CommandPaletteScreen #help { height: 1; color: $role-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    BINDINGS = [
        Binding("down", "move(1)", "Down", show=False, id="palette.down", tooltip="Move down"),
        Binding("up", "move(-1)", "Up", show=False, id="palette.up", tooltip="Move up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="palette.page_down", tooltip="Move down one page"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="palette.page_up", tooltip="Move up one page"),
    ]

    options = query_one(ChangingList)

    def __init__(
        self,
        of_keys: Sequence[Command],
        others: Sequence[Command],
        recent: Sequence[str],
        search_for: Callable[[str], object],
    ) -> None:
        """List commands; `recent` are the titles of commands that were run, the last one last.

        `search_for` searches all records for a text that matches no command.
        """
        super().__init__()
        self._commands = (*of_keys, *others)
        self._sections = tuple(_sections(of_keys, others, recent))
        self._search_for = search_for
        self._listed: dict[str, Command] = {}
        self._laid_out_for = Size()
        """The size of the screen for which the lines were written."""

    def compose(self) -> ComposeResult:
        """Compose the line to type in, the commands, and the help on the highlighted one."""
        # Filled before it is mounted, so that it is laid out once.
        lines = self._options()
        options = ChangingList(*lines, markup=False)
        self._laid_out_for = self.app.size
        options.styles.height = min(self._rows, len(lines))
        with DialogFrame("Commands", "enter run · esc close"):
            yield TextInput(placeholder="Search for commands")
            yield options
            yield Static("", id="help", markup=False)

    def on_mount(self) -> None:
        """Highlight the first command."""
        self._go_to_first()

    def on_resize(self) -> None:
        """Write the lines for the new width."""
        if self._laid_out_for != self.app.size:
            self._filter()

    @property
    def _rows(self) -> int:
        """The rows of the list."""
        return max(1, min(_MAX_ROWS, self.app.size.height - _OTHER_ROWS))

    @on(Input.Changed)
    def _filter(self) -> None:
        lines = self._options(self.query_one(TextInput).value.strip())
        self._laid_out_for = self.app.size
        self.options.styles.height = min(self._rows, len(lines))
        self.options.set_options(lines)
        self._go_to_first()

    def _go_to_first(self) -> None:
        self.options.highlighted = next(at for at, option in enumerate(self.options.options) if not option.disabled)

    def _options(self, typed: str = "") -> Sequence[Option]:
        options: list[Option] = []
        self._listed = {}
        for heading, commands in self._matches(typed) if typed else self._sections:
            if heading:
                options.append(Option(Content.styled(heading, "$role-muted bold"), disabled=True))
            for command in commands:
                name = str(len(self._listed))
                self._listed[name] = command
                area = "" if heading == _HERE else command.area
                options.append(Option(self._line(command, area, typed), id=name))
        return options

    def _matches(self, typed: str) -> "Sequence[tuple[str, Sequence[Command]]]":
        ranks = {command: command.rank(typed) for command in self._commands}
        matches = sorted((command for command in ranks if ranks[command]), key=lambda one: -ranks[one])
        if matches:
            return [("", matches)]
        search = Command(f"Search all records for “{typed}”", "", partial(self._search_for, typed))
        return [("No matching command", [search])]

    def _line(self, command: Command, area: str, typed: str) -> Content:
        cells = min(_MAX_CELLS, self.app.size.width) - _FRAME_CELLS
        keys = (
            f"  {area}  {pad(command.keys, max(_KEY_CELLS, measure(command.keys)), right=True)}" if command.keys else ""
        )
        title = styled(pad(command.title, cells - measure(keys)))
        for word in re.findall(r"\w+", typed):
            if found := re.search(re.escape(word), title.plain, re.IGNORECASE):
                title = title.stylize("$role-accent bold", *found.span())
        return title + Content.styled(keys, "$role-muted")

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        command = self._listed.get(event.option_id or "")
        self.query_one("#help", Static).update(styled(command.help) if command else "", layout=False)

    @on(Input.Submitted)
    def _run(self) -> None:
        option = self.options.highlighted_option
        if option is not None and option.id is not None:
            self.dismiss(self._listed[option.id])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        assert event.option_id is not None
        self.dismiss(self._listed[event.option_id])

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous command."""
        move_cursor(self.options, direction)

    def action_page(self, direction: int) -> None:
        """Move by pages."""
        self.options.move_page(direction)


def _sections(
    of_keys: Sequence[Command], others: Sequence[Command], recent: Sequence[str]
) -> "Iterator[tuple[str, Sequence[Command]]]":
    """Return the commands that are listed before anything is typed, each once, by headings."""
    here = [command for command in of_keys if command.is_prominent]
    by_title = {command.title: command for command in (*of_keys, *others)}
    lately = [
        by_title[title]
        for title in dict.fromkeys(reversed(recent))
        if title in by_title and by_title[title] not in here
    ]
    lately = lately[:_MAX_RECENT]
    work = [*(command for command in of_keys if command.binding in _LISTED_WITH_WORK), *others]
    rest = sorted(
        (command for command in of_keys if not command.is_prominent and command.binding not in _LISTED_WITH_WORK),
        key=lambda command: command.area in _AREAS_LISTED_LAST,
    )
    left = _MAX_LISTED
    listed: set[Command] = set()
    for heading, commands, most in (
        (_HERE, here, left),
        ("Recent", lately, _MAX_RECENT),
        ("Work", work, left),
        ("Keys", rest, left),
    ):
        shown = [command for command in commands if command not in listed][: min(most, left)]
        listed.update(shown)
        left -= len(shown)
        if shown:
            yield heading, shown
