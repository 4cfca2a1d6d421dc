"""The command palette: actions that are active where one is, and commands of the program's own."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape

from svc_tui.core.folded_text import fold
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.keys.shortcuts import GENERAL, Shortcut, shortcuts
from svc_tui.ui.session.tour_steps import OpenDialog
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.terminal.stale_resizes import IgnoresStaleResizes
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.ui.widgets.inputs.changing_list import has_lines


@dataclass(frozen=True, slots=True)
class Command:
    """Something the palette offers that no key does: a title, a line of help, what to run.

    `words` are other words that it is found by.
    """

    title: str
    help: str
    run: Callable[[], object]
    words: str = ""


def rank_command(query: str, command: Command) -> float:
    """Return how well a command matches, up to 1; 0 where a word that was typed is nowhere in it.

    A word of the title beats the beginning of one, which beats a part of one; what the help and other words hold comes
    last. Of equals, the shorter title is first.
    """
    title, rest = fold(command.title), fold(f"{command.help} {command.words}")
    title_words, rest_words = _WORD.findall(title), _WORD.findall(rest)
    score = 0.0
    typed = _WORD.findall(fold(query))
    for word in typed:
        if word in title_words:
            score += 1.0
        elif any(other.startswith(word) for other in title_words):
            score += 0.8
        elif word in title:
            score += 0.6
        elif word in rest_words:
            score += 0.4
        elif word in rest:
            score += 0.2
        else:
            return 0.0
    return max(0.01, score / len(typed) - len(title) / 10_000) if typed else float(fold(query) in title)


_WORD = re.compile(r"\w+")


def command_provider(get_commands: Callable[[], Sequence[Command]]) -> type[Provider]:
    """A provider for `App.COMMANDS`: the active bindings that have an id and move no cursor, then these commands."""

    class Commands(_CommandProvider):
        program_commands = staticmethod(get_commands)

    return Commands


@tour_name(OpenDialog.PALETTE)
class CommandPaletteScreen(IgnoresStaleResizes, PaintsDirtyCells, CommandPalette):
    """Textual's palette in the frame that dialogs have here."""

    DEFAULT_CSS = """
    CommandPaletteScreen { background: $role-background 60%; layers: base too-small; }
    CommandPaletteScreen > Vertical {
        width: 76;
        max-width: 100%;
        margin-top: 2;
        background: transparent;
        &:dark { background: transparent; }
    }
    CommandPaletteScreen #--input, CommandPaletteScreen #--input.--list-visible {
        border: round $role-accent;
        background: $role-surface;
    }
    CommandPaletteScreen #--input SearchIcon { display: none; }
    CommandPaletteScreen CommandInput, CommandPaletteScreen CommandInput:focus {
        border: none; padding: 0 1; height: 1;
    }
    CommandPaletteScreen CommandList, CommandPaletteScreen CommandList:focus {
        max-height: 70vh;
        border: round $role-panel;
        background: $role-surface;
        scrollbar-size-vertical: 1;
    }
    CommandPaletteScreen CommandList > .option-list--option { padding: 0 1; text-style: none; color: $role-foreground; }
    /* Textual lays it over everything else. */
    CommandPaletteScreen.-too-small #--results { display: none; }
    CommandPaletteScreen > .command-palette--help-text { color: $role-muted; text-style: none; }
    """

    @on(events.Resize)
    def _see_whether_it_fits(self, event: events.Resize) -> None:
        cover_if_too_small(self, event.size)

    def _action_command_list(self, action: str) -> None:
        """Have the list of commands do it; it turns no page before it has been given room."""
        if not action.startswith("page") or has_lines(self.query_one(CommandList)):
            super()._action_command_list(action)


class _CommandProvider(Provider):
    """Reads the bindings of the screen under the palette when the palette opens."""

    program_commands: Callable[[], Sequence[Command]]
    """The program's own commands, at this moment."""

    async def startup(self) -> None:
        """Remember what can be done while the screen still has its focus."""
        self._commands = (*self._from_bindings(), *self.program_commands())

    async def discover(self) -> Hits:
        """Everything, in order."""
        for command in self._commands:
            yield DiscoveryHit(
                Content(visible(command.title)), command.run, text=command.title, help=_escape_markup(command.help)
            )

    async def search(self, query: str) -> Hits:
        """What matches each of the words typed, in any order, the best match first."""
        for command in self._commands:
            if score := rank_command(query, command):
                title = Content(visible(command.title))
                for word in _WORD.findall(query):
                    if found := re.search(re.escape(word), title.plain, re.IGNORECASE):
                        title = title.stylize(self.match_style or "bold", *found.span())
                yield Hit(score, title, command.run, text=command.title, help=_escape_markup(command.help))

    def _from_bindings(self) -> Iterator[Command]:
        active_shortcuts = shortcuts(self.app, self.screen.active_bindings)
        for shortcut in sorted(active_shortcuts, key=lambda shortcut: not shortcut.prominent):
            if shortcut.enabled and shortcut.area != GENERAL and not shortcut.moves:
                title = f"{shortcut.area}: {shortcut.description}  {' '.join(shortcut.keys)}"
                yield Command(title, shortcut.explanation, partial(self._run, shortcut))

    async def _run(self, shortcut: Shortcut) -> None:
        await self.app.run_action(shortcut.action, shortcut.node)


def _escape_markup(help_text: str) -> str:
    """The palette reads help as markup, so brackets are kept from meaning anything."""
    return escape(visible(help_text))
