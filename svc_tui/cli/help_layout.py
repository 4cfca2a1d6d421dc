"""The layout of `--help`: what is a command's own comes first, then what every command takes."""

from collections.abc import Sequence

import click

SHARED_HEADING = "Global options"

HelpRows = Sequence[tuple[str, str]]
"""Options as help lists them: each with its names, and its text."""


class SharedOption(click.Option):
    """An option that every command takes."""


class SectionedCommand(click.Command):
    """A command whose help lists its own options apart from those of every command."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the command's own first."""
        own, shared = _own_and_shared(self, ctx)
        _write_section(formatter, "Options", own)
        _write_section(formatter, SHARED_HEADING, shared)


class SectionedGroup(click.Group):
    """Commands whose help lists the group's own options, the commands, and the options of every command."""

    command_class = SectionedCommand

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options and the commands."""
        own, shared = _own_and_shared(self, ctx)
        _write_section(formatter, "Options", own)
        self.format_commands(ctx, formatter)
        _write_section(formatter, SHARED_HEADING, shared)


def _own_and_shared(command: click.Command, ctx: click.Context) -> tuple[HelpRows, HelpRows]:
    help_names = set(command.get_help_option_names(ctx))
    own: list[tuple[str, str]] = []
    shared: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        # Of arguments, the usage and the text above tell.
        if isinstance(parameter, click.Option) and (row := parameter.get_help_record(ctx)):
            (shared if isinstance(parameter, SharedOption) or help_names >= {*parameter.opts} else own).append(row)
    return own, shared


def _write_section(formatter: click.HelpFormatter, heading: str, rows: HelpRows) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows)
