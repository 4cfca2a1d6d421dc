"""The examples in the help of every command, as they stand there."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from release.commands import commands
from svc_tui.cli.main import COMMANDS, program

_BLOCK = re.compile(r"^ *Examples:\n((?: +\S.*\n?)+)", re.MULTILINE)
_COMMAND = re.compile(r"""\bsvc-tui(?: (?:'[^']*'|"[^"]*"|[^|&<>()'"])+)?""")
_COMMENT = re.compile(r"\s+# .*")


@dataclass(frozen=True, slots=True)
class Example:
    """A line for a shell from the help of a command, and the words of the command of this program in it."""

    shown_by: str
    line: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The command that the words name: `profiles add`."""
        return " ".join(_find_command(self.words)[0])

    def parse(self) -> None:
        """Have the command take its words; raises UsageError where it does not."""
        names, command, rest = _find_command(self.words)
        command.make_context(names[-1], rest, click.Context(program, **program.context_settings))


def examples() -> list[Example]:
    """The examples of all commands, each line once."""
    found: dict[str, Example] = {}
    for words, command in commands():
        for line in example_lines(command):
            if match := _COMMAND.search(line):
                found.setdefault(line, Example(words, line, tuple(shlex.split(match[0])[1:])))
    return list(found.values())


def example_lines(command: click.Command) -> Iterator[str]:
    """The lines under the word Examples in the help of a command, without remarks."""
    for block in _BLOCK.findall(command.help or ""):
        yield from (_COMMENT.sub("", line).strip() for line in block.splitlines())


def _find_command(words: Sequence[str]) -> tuple[list[str], click.Command, list[str]]:
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
