"""`svc-tui plan`: compares a file of corrections with the service and makes a plan."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=SectionedCommand)
@click.argument("collection", metavar="[DOMAIN/]COLLECTION", shell_complete=completers.place)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("-o", "--output", metavar="PLAN", type=FilePath(), help="Save the plan to this file, for svc-tui apply.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--decimal",
    type=click.Choice(["comma", "point"]),
    help="Decimal separator of the file: comma (1,5) or point (1.5). Without it, rows with an unclear number must be "
    "checked.",
)
@click.option("--skip-problems", is_flag=True, help="Skip the rows that have a problem or must be checked.")
@click.option(
    "--allow-doubts",
    is_flag=True,
    help="Include the rows that must be checked, except those with an unclear number or a wrong type.",
)
@shared_options
def plan(
    collection: str,
    file: str,
    output: "Path | None",
    form: str,
    decimal: str | None,
    skip_problems: bool,
    allow_doubts: bool,
) -> int:
    """Compare a file of corrections with the service.

    It prints what each row of FILE would change, and sends nothing. With -o it also saves the result as PLAN, for
    svc-tui apply. Only you can read this file.

    FILE is CSV, TSV, a JSON array, JSON Lines, or .xlsx (needs svc-tui[xlsx]); - reads stdin. The column id identifies
    the record. Every other column is a field, or the path of a field inside an object (assay.auPpm). An empty cell
    leaves the field unchanged. A row without an id creates a record.

    A row has a problem if, for example, its record does not exist or is in the file twice. A row must be checked if,
    for example, others changed the record after the export, a value is unknown for its field, the new record was
    already sent, or 1.234 may mean 1234 (use --decimal). svc-tui apply refuses a plan with such rows until you skip or
    include them.

    \b
    Exit status:
      0  there is nothing to change
      1  the service returned an error
      2  some rows have a problem or must be checked (PLAN is still saved),
         or the command is wrong
      3  the service was not reached
      4  there are changes to apply

    \b
    Examples:
      svc-tui plan lots lots.csv
      svc-tui plan operations/lots lots.csv -o lots.plan.json
      svc-tui plan lots - --format json < lots.jsonl | jq .counts
    """
    from svc_tui.bootstrap.plans.plan_from_file import PlanRequest, make_plan
    from svc_tui.cli.output.plan_report import json_report, print_table
    from svc_tui.cli.output.progress import ProgressLine
    from svc_tui.cli.output.request_report import error_status
    from svc_tui.cli.output.stdout import is_terminal, print_line
    from svc_tui.cli.output.visible import escape_json
    from svc_tui.core.phrases import counted
    from svc_tui.plans.cells import DecimalMark
    from svc_tui.service.advice import error_text
    from svc_tui.storage.plan import ProblemKind

    mark = None if decimal is None else DecimalMark(decimal)
    request = PlanRequest(collection, file, output, skip_problems, allow_doubts, mark)
    line = ProgressLine.for_terminal(beside_records=False)
    try:
        done = make_plan(request, current_options(), os.environ, on_progress=None if line is None else line.show)
    finally:
        if line is not None:
            line.clear()
    if done.plan is None:
        assert done.error is not None
        print_message(error_text(done.error), done.secrets)
        return error_status(done.error)
    for notice in (*done.plan.notices, *done.plan.warnings):
        print_message(notice, done.secrets)
    if form == "json":
        text = json_report(done.plan)
        print_line(escape_json(text) if is_terminal() else text)
    else:
        print_table(done.plan)
    if done.left_out:
        print_message(f"skipped {counted(done.left_out, 'row')}")
    if done.taken_in:
        print_message(f"included {counted(done.taken_in, 'row')} that must be checked")
    if output is not None:
        print_message(f"saved the plan to {output}")
    if problems := len(done.plan.problems):
        rows = counted(problems, "row")
        includes_more = len(done.plan.with_doubts_included().problems) < problems
        exception = "; --allow-doubts does not include such rows" if includes_more or allow_doubts else ""
        print_message(
            f"{rows} not ready to apply: correct the file and create the plan again, or skip such rows with "
            f"--skip-problems{', or include those that must be checked with --allow-doubts' if includes_more else ''}"
        )
        kinds = {problem.kind for row in done.plan.problems for problem in row.problems}
        if ProblemKind.DECIMAL in kinds:
            print_message(f"unclear decimal separator: add --decimal comma or --decimal point{exception}")
        if ProblemKind.OTHER_KIND in kinds:
            print_message(f"wrong type: correct the values in the file{exception}")
        return ExitStatus.REFUSED
    return ExitStatus.CHANGES if done.plan.ready else 0
