"""The command palette: every action that is active where one is, and commands of the program's own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape

from svc_tui.domain.settings import Palette
from svc_tui.ui.shortcuts import GENERAL, Shortcut, shortcuts
from svc_tui.ui.text import visible


@dataclass(frozen=True, slots=True)
class Command:
    """Something the palette offers that no key does: a title, a line of help, what to run."""

    title: str
    help: str
    run: Callable[[], object]


def theme_commands(palettes: Sequence[Palette], choose: Callable[[str], object]) -> tuple[Command, ...]:
    """One `Theme: …` command for each palette; `choose` is given the palette's name."""
    return tuple(
        Command(f"Theme: {palette.title}", "Use this theme from now on", partial(choose, palette.name))
        for palette in palettes
    )


def command_provider(own: Callable[[], Sequence[Command]]) -> type[Provider]:
    """A provider for `App.COMMANDS`: the active bindings that have an id, then what `own` gives at that moment."""

    class Commands(_Commands):
        def own_commands(self) -> Sequence[Command]:
            return own()

    return Commands


class _Commands(Provider):
    """Reads the bindings of the screen under the palette when the palette opens."""

    def own_commands(self) -> Sequence[Command]:
        """The program's own commands."""
        raise NotImplementedError

    async def startup(self) -> None:
        """Remember what can be done while the screen still has its focus."""
        self._commands = (*self._from_bindings(), *self.own_commands())

    async def discover(self) -> Hits:
        """Everything, in order."""
        for command in self._commands:
            yield DiscoveryHit(
                Content(visible(command.title)), command.run, text=command.title, help=_harmless(command.help)
            )

    async def search(self, query: str) -> Hits:
        """What matches the words typed, in its title or its help."""
        matcher = self.matcher(query)
        for command in self._commands:
            title = visible(command.title)
            score = matcher.match(title)
            if score > 0:
                yield Hit(
                    score, matcher.highlight(title), command.run, text=command.title, help=_harmless(command.help)
                )
            elif query.casefold() in command.help.casefold():
                yield Hit(0.05, Content(title), command.run, text=command.title, help=_harmless(command.help))

    def _from_bindings(self) -> Iterator[Command]:
        for shortcut in shortcuts(self.app, self.screen.active_bindings):
            if shortcut.enabled and shortcut.area != GENERAL:
                title = f"{shortcut.area}: {shortcut.description}  {' '.join(shortcut.keys)}"
                yield Command(title, shortcut.explanation, partial(self._run, shortcut))

    async def _run(self, shortcut: Shortcut) -> None:
        await self.app.run_action(shortcut.action, shortcut.node)


def _harmless(help_text: str) -> str:
    """The palette reads help as markup, so brackets are kept from meaning anything."""
    return escape(visible(help_text))
