"""`svc-tui apply`: applies a reviewed plan, one record at a time."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=SectionedCommand)
@click.argument("file", metavar="PLAN", type=FilePath())
@click.option("--live", is_flag=True, help="Allow writes on LIVE; needed with a live key.")
@click.option("--resume", is_flag=True, help="Continue a plan that stopped early.")
@click.option("--ticket", default="", metavar="TEXT", help="Ticket for the journal. Default: the ticket of the plan.")
@click.option(
    "--max-failures",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="N",
    help="Stop after N failed rows; 0 is the same as 1.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=FilePath(),
    help="Save the outcomes to this CSV file. Default: beside PLAN.",
)
@click.option("--other-key", is_flag=True, help="With --resume, continue a plan started with another key.")
@shared_options
def apply(
    file: "Path", live: bool, resume: bool, ticket: str, max_failures: int, report: "Path | None", other_key: bool
) -> int:
    """Apply a plan, one record at a time.

    PLAN is a file created by svc-tui plan -o. For each row, svc-tui loads the record, checks that others have not
    changed it, sends the change, and adds it to the journal. If the plan is older than 1 hour, svc-tui first compares
    all records with the plan again. Apply a plan on one computer only. A plan from another computer, or one older than
    1 hour, is refused if its new records may already exist.

    apply stops at the first row that fails (see --max-failures). ctrl+c stops it after the current row, a second ctrl+c
    stops it immediately. --resume continues where it stopped, even after a crash. Finished rows are not sent again. If
    the plan was started with another key of the profile, --resume also needs --other-key.

    The outcome of every row is saved in a CSV file beside PLAN: lots.plan.outcome.csv for lots.plan.json.

    \b
    Exit status:
      0    every row is done
      1    some rows failed
      2    nothing was sent: svc-tui refused the plan, records have changed,
           or new records may already exist
      3    the outcome of a row is unknown, the service was not reached,
           or the outcomes could not be saved
      130  interrupted

    \b
    Examples:
      svc-tui apply lots.plan.json --ticket SUP-4711
      svc-tui apply lots.plan.json --live --max-failures 5
      svc-tui apply lots.plan.json --resume
    """
    from svc_tui.bootstrap.plans.apply_plan import ApplyRequest, apply_plan
    from svc_tui.cli.output.apply_report import exit_status, summary_lines
    from svc_tui.cli.output.progress import ProgressLine

    request = ApplyRequest(file, live, resume, ticket.strip(), max_failures, report, other_key)
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
