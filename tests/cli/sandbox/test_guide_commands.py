"""Every command and option that the guide's page about a service for tests names is taken by the command line."""

import re
from collections.abc import Iterator, Sequence

import click
import pytest

from svc_tui.cli.main import program
from tests.guide_blocks import commands, inline_code

PAGE = "testing"
COMMANDS = [words for words in commands(PAGE) if words[1] == "sandbox"]


def parsed(command: click.Command, words: Sequence[str], parent: click.Context | None = None) -> click.Context:
    """The command that the words name, with what they say; raises UsageError where they say too much or too little."""
    name, *rest = words
    if isinstance(command, click.Group):
        below = click.Context(command, parent, name)
        found = command.get_command(below, rest[0]) if rest else None
        if found is not None:
            return parsed(found, rest, below)
    return command.make_context(name, [*rest], parent)


def options_of(command: click.Command) -> Iterator[str]:
    """The options of a command, and of those below it."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from parameter.opts
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None
            yield from options_of(found)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_command_is_one_of_the_program(words: list[str]) -> None:
    context = parsed(program, words)
    assert context.command.name in words


def test_most_of_what_a_running_service_is_told_is_shown() -> None:
    shown = {words[3] for words in COMMANDS if words[2:3] == ["ctl"]}
    assert shown >= {"health", "reset", "arm", "clear", "release", "attempts", "record", "rotate", "clock", "restore"}


def test_every_option_between_backticks_is_one_of_the_command() -> None:
    command = program.get_command(click.Context(program), "sandbox")
    assert command is not None
    named = {option for text in inline_code(PAGE) for option in re.findall(r"--[a-z-]+", text)}
    assert named
    assert named <= set(options_of(command))
