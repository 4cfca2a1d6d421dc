"""The options that say how the embedded service is to run."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand, SectionedGroup
from svc_tui.cli.options import FilePath

F = TypeVar("F", bound=Callable[..., Any])


class _WithSwitches:
    """A command that runs the embedded service: its help lists the variants of the service, and the faults."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists below the options."""
        from svc_tui.bootstrap.sandbox.service import fault_meanings, variant_values

        with formatter.section("Variants (the first value is the default)"):
            formatter.write_dl(_plain(variant_values()))
        with formatter.section("Faults"):
            formatter.write_dl(_plain(fault_meanings()))


def _plain(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The rows without the marks that Markdown has around code."""
    return [(name, text.replace("`", "")) for name, text in rows]


class ServiceCommand(_WithSwitches, SectionedCommand):
    """A command that runs the embedded service."""


class ServiceGroup(_WithSwitches, SectionedGroup):
    """A command that runs the embedded service, and has others below it."""


def service_options(command: F) -> F:
    """The command with `--records`, `--seed`, `--latency-ms`, `--faults`, `--variant` and `--database`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def variant_option(command: F) -> F:
    """The command with `--variant`, which may be repeated."""
    return click.option(
        "--variant",
        "variants",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=completers.variant,
        help="Choose a variant of the sandbox, such as meta=count. May be repeated.",
    )(command)


_OPTIONS = (
    click.option(
        "--records",
        type=click.IntRange(min=0),
        metavar="N",
        help="Create N lots and N production logs, the two large collections. Default: 5,000 and 20,000.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        help="Seed of the fictional data: the same N creates the same data. Default: 0.",
    ),
    click.option(
        "--latency-ms",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Delay every response by N milliseconds.",
    ),
    click.option(
        "--faults",
        multiple=True,
        metavar="NAME[:N]",
        shell_complete=completers.fault,
        help="Activate this fault (see below) for 1 in N requests. Without N: for 1 in 5, or for all, depending on the "
        "fault. May be repeated.",
    ),
    variant_option,
    click.option(
        "--database",
        type=FilePath(),
        metavar="FILE",
        help="Keep the data in this SQLite file.",
    ),
)
