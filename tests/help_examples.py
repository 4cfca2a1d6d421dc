"""The examples in the help of every command, as they stand there."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import click

from release.commands import commands
from tests.command_words import find_command, parse_words

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
        return " ".join(find_command(self.words)[0])

    def parse(self) -> None:
        """Have the command take its words; raises UsageError where it does not."""
        parse_words(*find_command(self.words))


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
