"""`svc-tui plan`: the corrections of a file compared with the service, as a plan."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli import completers
from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from pathlib import Path

_CHANGES_STATUS = 4
_PROBLEMS_STATUS = 2


@click.command()
@click.argument("collection", metavar="[DOMAIN/]COLLECTION", shell_complete=completers.place)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("-o", "--output", metavar="PLAN", type=FilePath(), help="Write the plan here as well, for svc-tui apply.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="What to print; a table unless told.",
)
@click.option("--skip-problems", is_flag=True, help="Leave out the rows that something stands against.")
@click.option("--allow-doubts", is_flag=True, help="Take in the rows that are only in doubt.")
@shared_options
def plan(collection: str, file: str, output: "Path | None", form: str, skip_problems: bool, allow_doubts: bool) -> int:
    """Compare the corrections in FILE with the service and print what would change; nothing is changed.

    FILE is CSV, TSV, a JSON array or JSON Lines, and .xlsx with the extra xlsx; - is stdin. A column names the id, the
    others are fields by their path (assay.auPpm); an empty cell leaves a field alone, and a row without an id is a new
    record. A row can't be sent where its record is not there or stands in two rows, and is in doubt where others
    changed the record since it was exported, or where a value looks like no other of its field.

    PLAN is there whole or not at all, readable by you alone; svc-tui apply carries it out once no row in it has an open
    problem. Exit status: 0 nothing to do, 4 changes to apply, 2 problems (the plan is written all the same), 1 and 3 as
    everywhere where the service could not be read.

    \b
    Examples:
      svc-tui plan lots lots.csv
      svc-tui plan operations/lots lots.csv -o lots.plan.json && svc-tui apply lots.plan.json
      svc-tui plan lots - --format json < lots.jsonl | jq .counts
    """
    from svc_tui.bootstrap.plans.plan import PlanRequest, make_plan
    from svc_tui.cli.output.plan_report import json_report, print_table
    from svc_tui.cli.output.progress import ProgressLine
    from svc_tui.cli.output.request_report import error_status
    from svc_tui.cli.output.stdout import is_terminal, print_line
    from svc_tui.cli.output.visible import escape_json
    from svc_tui.domain.data.counted import counted
    from svc_tui.domain.http.advice import error_text

    request = PlanRequest(collection, file, output, skip_problems, allow_doubts)
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
    for count, words in ((done.left_out, "left out"), (done.taken_in, "taken in, though in doubt")):
        if count:
            print_message(f"{count:,} row{'' if count == 1 else 's'} {words}")
    if output is not None:
        print_message(f"the plan is in {output}")
    if problems := len(done.plan.problems):
        rows = counted(problems, "row")
        print_message(
            f"something stands against {rows}: mend the file and plan again, or leave them out with --skip-problems, "
            f"or take those in doubt in with --allow-doubts"
        )
        return _PROBLEMS_STATUS
    return _CHANGES_STATUS if done.plan.ready else 0
