"""The options that say how the embedded service is to run."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from svc_tui.cli import completers
from svc_tui.cli.options import FilePath

F = TypeVar("F", bound=Callable[..., Any])


class _WithSwitches:
    """A command that runs the embedded service: its help lists the switches of the service, and its troubles."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists below the options."""
        from svc_tui.bootstrap.sandbox.service import fault_meanings, variant_values

        with formatter.section("Variants, the usual one first"):
            formatter.write_dl(variant_values())
        with formatter.section("Faults"):
            formatter.write_dl(fault_meanings())


class ServiceCommand(_WithSwitches, click.Command):
    """A command that runs the embedded service."""


class ServiceGroup(_WithSwitches, click.Group):
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
        help="Settle so what the service's document leaves open; may be repeated.",
    )(command)


_OPTIONS = (
    click.option("--records", type=click.IntRange(min=0), metavar="N", help="Records in the big collections."),
    click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Other records of the same kind."),
    click.option(
        "--latency-ms",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Milliseconds that each answer is delayed.",
    ),
    click.option(
        "--faults",
        multiple=True,
        metavar="NAME[:N]",
        shell_complete=completers.fault,
        help="A trouble to make, to one request in N; may be repeated.",
    ),
    variant_option,
    click.option(
        "--database",
        type=FilePath(),
        metavar="FILE",
        help="Keep the service's records here across starts.",
    ),
)
