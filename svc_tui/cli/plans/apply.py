"""`svc-tui apply`: a plan that somebody looked at, carried out one record at a time."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("file", metavar="PLAN", type=FilePath())
@click.option("--live", is_flag=True, help="Allow writes with a live key.")
@click.option("--resume", is_flag=True, help="Go on with a plan that was begun and is not at its end.")
@click.option("--ticket", default="", metavar="TEXT", help="The ticket that it is for; it goes into the journal.")
@click.option(
    "--max-failures",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Stop once N rows ended otherwise than planned; without it at the first.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=FilePath(),
    help="Where to write the outcome of every row; beside PLAN unless told.",
)
@shared_options
def apply(file: "Path", live: bool, resume: bool, ticket: str, max_failures: int, report: "Path | None") -> int:
    """Carry out a plan that svc-tui plan wrote, one record after the other; each write is journalled.

    Before each change the record is read; one that others changed meanwhile is not touched. It stops at the first row
    that ends otherwise than planned, and --resume goes on where it stopped, also after a crash: no row is sent twice.
    A plan older than an hour is compared with all its records again before anything is sent. An interrupt stops it
    after the write at hand.

    The outcome of every row is written as CSV: for lots.plan.json to lots.plan.outcome.csv beside it. Exit status: 0
    all done, 1 stopped at a refusal or with rows that failed, 2 refused before anything was sent, 3 the outcome of a
    row is unknown or the service can't be reached, 130 interrupted.

    \b
    Examples:
      svc-tui apply lots.plan.json --ticket INC-7
      svc-tui apply lots.plan.json --live --max-failures 5
      svc-tui apply lots.plan.json --resume
    """
    from svc_tui.bootstrap.plans.apply import ApplyRequest, apply_plan
    from svc_tui.cli.output.apply_report import exit_status, summary_lines
    from svc_tui.cli.output.progress import ProgressLine

    request = ApplyRequest(file, live, resume, ticket.strip(), max_failures, report)
    line = ProgressLine.for_terminal(beside_records=False)

    def notify(text: str) -> None:
        if line is not None:
            line.clear()
        print_message(text)

    try:
        result = apply_plan(
            request, current_options(), os.environ, notify=notify, on_progress=None if line is None else line.show
        )
    finally:
        if line is not None:
            line.clear()
    for text in summary_lines(result, file):
        print_message(text, result.secrets)
    return exit_status(result)
