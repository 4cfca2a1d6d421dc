"""The command of this program that the words of a line are for."""

from collections.abc import Sequence

import click

from svc_tui.cli.main import COMMANDS, program


def find_command(words: Sequence[str]) -> tuple[list[str], click.Command, list[str]]:
    """The names of the command that the words are for, the command, and the words that it takes."""
    flags = {name: one.is_flag for one in program.params if isinstance(one, click.Option) for name in one.opts}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[1 if flags[rest[0]] else 2 :]
    command: click.Command = program
    names: list[str] = []
    if not rest or rest[0] not in COMMANDS:
        rest = ["browse", *rest]
    while rest and isinstance(command, click.Group):
        below = command.get_command(click.Context(command), rest[0])
        if below is None:
            break
        command, names, rest = below, [*names, rest[0]], rest[1:]
    return names, command, rest


def parse_words(names: Sequence[str], command: click.Command, rest: list[str]) -> None:
    """Have the command take what `find_command` gave for it; raises UsageError where it does not."""
    # What a command takes for help is that of the program: it keeps it from the first time that it is asked.
    command.make_context(names[-1], rest, click.Context(program, **program.context_settings))
