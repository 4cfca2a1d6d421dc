"""Every command of the program with what it takes, read from the command line itself."""

from collections.abc import Iterator

import click

from svc_tui.cli.main import program

SHARED = {option.name: option for option in program.params}
"""The options that every command takes, by their names in the program."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """The commands by their words, `svc-tui` alone first; a group comes before what is in it."""
    yield from _within("svc-tui", program, click.Context(program, info_name="svc-tui"))


def options_of(command: click.Command) -> list[click.Option]:
    """The options of a command that are not those of every other, `--help` neither."""
    return [one for one in command.params if isinstance(one, click.Option) and one.name not in SHARED]


def interface() -> list[str]:
    """A line for each thing that a script can rely on: a command, an argument of it, an option with what it takes."""
    return sorted({line for words, command in commands() for line in _lines(words, command)})


def _within(words: str, command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield words, command
    if not isinstance(command, click.Group):
        return
    for name in sorted(command.list_commands(ctx)):
        if inner := command.get_command(ctx, name):
            yield from _within(f"{words} {name}", inner, click.Context(inner, parent=ctx, info_name=name))


def _lines(words: str, command: click.Command) -> Iterator[str]:
    yield words
    shared = [one for one in SHARED.values() if isinstance(one, click.Option)]
    for option in (*options_of(command), *(shared if words == "svc-tui" else ())):
        for name in (*option.opts, *option.secondary_opts):
            yield f"{words} {name}"
            if isinstance(option.type, click.Choice):
                yield from (f"{words} {name} {choice}" for choice in option.type.choices)
    for argument in command.params:
        if isinstance(argument, click.Argument) and isinstance(argument.type, click.Choice):
            yield from (f"{words} {choice}" for choice in argument.type.choices)
