"""The options that say how the embedded service is to run."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from svc_tui.cli import completers
from svc_tui.cli.options import FilePath

F = TypeVar("F", bound=Callable[..., Any])


class ServiceCommand(click.Command):
    """A command that runs the embedded service: its help lists the troubles that the service can make."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list below the options."""
        from svc_tui.bootstrap.service import fault_meanings

        with formatter.section("Faults"):
            formatter.write_dl(fault_meanings())


def service_options(command: F) -> F:
    """The command with `--records`, `--latency-ms`, `--faults` and `--database`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--records", type=click.IntRange(min=0), metavar="N", help="Records in the big collections."),
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
    click.option(
        "--database",
        type=FilePath(),
        metavar="FILE",
        help="Keep the service's records here across starts.",
    ),
)
